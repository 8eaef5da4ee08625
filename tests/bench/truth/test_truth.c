/* Truths: the stored references against published and quadruple-precision values, closed forms against
 * extrapolation in extended precision, and the distance to a truth. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cell_support.h"
#include "extended.h"
#include "reference.h"
#include "testing.h"

/* ---- cells --------------------------------------------------------------------------------------------- */

static void find(struct fixture *fx, const char *words, enum bench_truth level)
{
    assert_int_equal(resolve(fx, words), SENS_OK);
    const sens_status status = truth_find(&fx->ctx, &fx->cell, level, &fx->truth, &fx->error);
    if (status != SENS_OK) print_error("%s: %s\n", words, fx->error.text);
    assert_int_equal(status, SENS_OK);
}

static void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.17g is not %.17g to %g", value, expected, relative);
}

/* ---- stored references --------------------------------------------------------------------------------- */

/* Quadruple-precision values of the same problem. The initial velocity -2/3 + ... is rounded to double here
 * and was not there, which moves the sensitivities by 1e-16; rounding to double adds 1.1e-16: 1e-15 holds
 * both. */
static void vdp_equals_quadruple_precision(void **state)
{
    (void)state;
    struct fixture fx;
    find(&fx, "problem=vdp", TRUTH_AUTO);
    assert_string_equal(fx.truth.kind, "reference");
    assert_close(fx.truth.x[0], 1.59698077865970440110177, 1e-15);
    assert_close(fx.truth.x[1], -1.02910301587870790455048, 1e-15);
    assert_close(fx.truth.dGdp[0], 0.211577765778018940155926, 1e-15);
    assert_close(fx.truth.dGdp[1], 1.28208465605032422473625, 1e-15);
    assert_close(fx.truth.dGdx0[0], 1.54365449207350602520, 1e-15);
    assert_close(fx.truth.dGdx0[1], 5.14608699421304614043e-4, 1e-15);
    assert_close(fx.truth.dGdx0[2], 2.27007027614795311428, 1e-15);
    assert_close(fx.truth.dGdx0[3], 7.56774212365543066663e-4, 1e-15);
    release(&fx);
    find(&fx, "problem=vdp initial=dependent", TRUTH_AUTO);
    assert_close(fx.truth.dGdp[0], 0.211641160298989809019, 1e-15);
    assert_close(fx.truth.dGdp[1], 1.28217788288214803596, 1e-15);
    release(&fx);
    find(&fx, "problem=vdp form=mu", TRUTH_AUTO); /* mu = 1/eps: d/dmu = -eps^2 d/deps */
    assert_close(fx.truth.dGdp[0], -0.211577765778018940155926e-6, 1e-15);
    assert_close(fx.truth.dGdp[1], -1.28208465605032422473625e-6, 1e-15);
    release(&fx);
}

/* Digits as published for p = (0.04, 1e4, 3e7); 0.04 is rounded to double here: 2e-17 relative. */
static void robertson_equals_quadruple_precision(void **state)
{
    (void)state;
    struct fixture fx;
    find(&fx, "problem=robertson", TRUTH_AUTO);
    assert_close(fx.truth.x[0], .985172113860989862415, 1e-15);
    assert_close(fx.truth.x[1], 3.38639537897490413645e-5, 1e-15);
    assert_close(fx.truth.x[2], .0147940221852203885436, 1e-15);
    assert_close(fx.truth.dGdp[0], -.355952565982855567250, 1e-15);
    assert_close(fx.truth.dGdp[3], 3.90254405381821853582e-4, 1e-15);
    assert_close(fx.truth.dGdp[6], .355562311577473745396, 1e-15);
    for (size_t k = 0; k < 3; k++) { /* mass is conserved: the rows sum to zero */
        const double sum = fx.truth.dGdp[k] + fx.truth.dGdp[3 + k] + fx.truth.dGdp[6 + k];
        assert_true(fabs(sum) <= 1e-15 * fabs(fx.truth.dGdp[k]));
    }
    release(&fx);
}

/* x_j0 dx_k/dx_j0 - sum_i A_ij dx_k/dA_ij = delta_kj x_j(T): needs no reference. The sum has n terms of size
 * up to 10 times an entry of the gradient: 1e-15 of the largest. */
static void check_species_scaling(const struct cell *cell, const struct truth *truth)
{
    const size_t n = cell->problem.n, np = cell->problem.np;
    const double *A = cell->problem.p + n;
    for (size_t r = 0; r < truth->rows; r++)
        for (size_t j = 0; j < n; j++) {
            double sum = cell->problem.x0[j] * truth->dGdx0[r * n + j], size = fabs(sum);
            for (size_t i = 0; i < n; i++) {
                const double term = A[i * n + j] * truth->dGdp[r * np + n + i * n + j];
                sum -= term;
                size += fabs(term);
            }
            if (truth->row[r] == j) sum -= truth->x[j];
            assert_true(fabs(sum) <= 1e-15 * size + 1e-17);
        }
}

static void glv_obeys_species_scaling(void **state)
{
    (void)state;
    static const int species[] = {2, 3, 5, 7, 10, 20, 50, 100, 150, 200};
    for (size_t s = 0; s < sizeof species / sizeof species[0]; s++) {
        struct fixture fx;
        char words[64];
        snprintf(words, sizeof words, "problem=glv n=%d", species[s]);
        find(&fx, words, TRUTH_AUTO);
        assert_string_equal(fx.truth.kind, "reference");
        assert_true(fx.truth.rows == (species[s] <= 100 ? fx.cell.cost.m : 8));
        check_species_scaling(&fx.cell, &fx.truth);
        release(&fx);
    }
}

/* ---- closed forms and extrapolation -------------------------------------------------------------------- */

static sens_status extrapolate(struct fixture *fx, enum sens_extended_method method, struct reference *ref)
{
    static const double tolerance[] = {
        [SENS_EXTENDED_GBS] = 1e-16, [SENS_EXTENDED_RADAU] = 1e-12, [SENS_EXTENDED_EULER] = 1e-14};
    const struct cell *cell = &fx->cell;
    *ref = (struct reference){.n = cell->problem.n,
                              .np = cell->problem.np,
                              .m = cell->cost.m,
                              .rows = cell->cost.m,
                              .parts = cell->task.parts};
    assert_int_equal(reference_allocate(&fx->ctx, ref), SENS_OK);
    const struct sens_extended_request request = {
        .problem = cell->problem.type->name,
        .cost = cell->cost.type->name,
        .problem_value = cell->problem_value,
        .cost_value = cell->cost_value,
        .p = cell->problem.p,
        .t1 = cell->problem.t1,
        .parts = cell->task.parts,
        .x0 = sens_problem_x0_depends(&cell->problem) ? NULL : cell->problem.x0,
        .method = method,
        .tolerance = tolerance[method]};
    struct sens_extended_result result = {.x = ref->x, .G = ref->G, .dGdp = ref->dGdp, .dGdx0 = ref->dGdx0};
    return sens_extended_solve(&fx->ctx, &request, &result);
}

/* Each part in its largest entry. Closed forms lose a few digits of double to cancellation, the Gauss rule
 * settles at 1e-14: 1e-13 is asked. */
static void assert_part(const char *words, const double *value, const long double *exact, size_t count)
{
    long double largest = 0, error = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(isfinite(value[i]));
        largest = fmaxl(largest, fabsl(exact[i]));
        error = fmaxl(error, fabsl(value[i] - exact[i]));
    }
    if (error > 1e-13L * largest) fail_msg("%s: error %Lg of %Lg", words, error, largest);
}

enum { IMPLICIT_STATES = 64 }; /* that radau.c and euler.c take */

static void check_closed_form_by(const char *words, enum sens_extended_method method)
{
    struct fixture fx;
    struct reference ref;
    find(&fx, words, TRUTH_ODE);
    const bool possible = method == SENS_EXTENDED_GBS || fx.cell.problem.n <= IMPLICIT_STATES;
    const sens_status status = extrapolate(&fx, method, &ref);
    if (status != (possible ? SENS_OK : SENS_UNSUPPORTED))
        fail_msg("%s: %s by way %d", words, sens_status_name(status), (int)method);
    if (!possible) {
        release(&fx);
        return;
    }
    const size_t n = ref.n, np = ref.np, m = ref.m;
    assert_part(words, fx.truth.x, ref.x, n);
    assert_part(words, fx.truth.G, ref.G, m);
    if (fx.truth.dGdp) assert_part(words, fx.truth.dGdp, ref.dGdp, m * np);
    if (fx.truth.dGdx0) assert_part(words, fx.truth.dGdx0, ref.dGdx0, m * n);
    assert_true(fx.truth.dGdp || fx.truth.dGdx0);
    release(&fx);
}

static void check_closed_form(const char *words)
{
    check_closed_form_by(words, SENS_EXTENDED_GBS);
    check_closed_form_by(words, SENS_EXTENDED_RADAU);
    check_closed_form_by(words, SENS_EXTENDED_EULER);
}

/* Every problem with a closed form, with every cost of the registry, by every forward way. */
static void closed_forms_equal_extrapolation(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->problems[i]; i++)
        for (size_t j = 0; reg->problems[i]->exact && reg->costs[j]; j++) {
            struct fixture fx;
            char words[256];
            snprintf(words, sizeof words, "problem=%s cost=%s", reg->problems[i]->name, reg->costs[j]->name);
            assert_int_equal(resolve(&fx, words), SENS_OK);
            const bool known = truth_find(&fx.ctx, &fx.cell, TRUTH_ODE, &fx.truth, &fx.error) == SENS_OK;
            release(&fx);
            if (known) check_closed_form(words);
        }
    check_closed_form("problem=oscillator cost=running"); /* must not be left out by `known` */
    check_closed_form(
        "problem=oscillator cost=running rho=0.5 m=3 discount=0.25"); /* several, and depending on p */
    check_closed_form("problem=initial cost=terminal rho=0.5 m=2");
    check_closed_form("problem=oscillator cost=tracking");
    check_closed_form("problem=glv n=1");
    check_closed_form("problem=glv n=4 kind=uncoupled");
}

/* Selected rows and columns are those of the whole. */
static void rows_and_columns_are_those_of_the_whole(void **state)
{
    (void)state;
    struct fixture fx;
    struct reference ref;
    assert_int_equal(resolve(&fx, "problem=glv n=6"), SENS_OK);
    assert_int_equal(extrapolate(&fx, SENS_EXTENDED_GBS, &ref), SENS_OK);
    const size_t row[] = {1, 4}, col[] = {0, 3, 4, 5, 41, 42, 47}; /* 6 + 36 parameters: 42 and 47 are x0 */
    long double x[6], G[2], dGdp[2 * 42] = {0}, dGdx0[2 * 6] = {0};
    const struct sens_extended_request request = {.problem = "glv",
                                                  .cost = "identity",
                                                  .problem_value = fx.cell.problem_value,
                                                  .cost_value = fx.cell.cost_value,
                                                  .t1 = fx.cell.problem.t1,
                                                  .rows = 2,
                                                  .row = row,
                                                  .cols = 7,
                                                  .col = col,
                                                  .parts = SENS_IN_GRADIENT,
                                                  .method = SENS_EXTENDED_GBS,
                                                  .tolerance = 1e-16};
    struct sens_extended_result result = {.x = x, .G = G, .dGdp = dGdp, .dGdx0 = dGdx0};
    assert_int_equal(sens_extended_solve(&fx.ctx, &request, &result), SENS_OK);
    for (size_t r = 0; r < 2; r++) {
        assert_true(fabsl(G[r] - ref.G[row[r]]) <= 1e-17L);
        for (size_t k = 0; k < 7; k++) {
            const bool is_p = col[k] < 42;
            const size_t c = is_p ? col[k] : col[k] - 42;
            const long double part = is_p ? dGdp[r * 42 + c] : dGdx0[r * 6 + c];
            const long double whole = is_p ? ref.dGdp[row[r] * 42 + c] : ref.dGdx0[row[r] * 6 + c];
            assert_true(fabsl(part - whole) <= 1e-16L);
            assert_true(whole != 0);
        }
    }
    assert_true(dGdp[1] == 0 && dGdp[42 + 2] == 0); /* columns not asked for are left alone */
    release(&fx);
}

/* Conditioning 1e4 ... 1e6 over the closed orbit, and inputs rounded to double (1e-16): 1e-9 against the
 * published row. Both extended methods solve the rounded problem, and agree closer. */
static void arenstorf_equals_quadruple_precision(void **state)
{
    (void)state;
    static const double row[] = {4.14137215966260307431e3, -1.37341039944890081170e3, 8.71195873731601691326,
                                 -25.6906952180631903345};
    struct fixture fx;
    struct reference ref;
    assert_int_equal(resolve(&fx, "problem=arenstorf"), SENS_OK);
    assert_int_equal(extrapolate(&fx, SENS_EXTENDED_GBS, &ref), SENS_OK);
    for (size_t i = 0; i < 4; i++) assert_close((double)ref.dGdx0[i], row[i], 1e-9);
    release(&fx);
}

/* ---- distance ------------------------------------------------------------------------------------------ */

static void distance_is_relative_and_never_hides_a_nan(void **state)
{
    (void)state;
    struct fixture fx;
    struct truth_error error;
    find(&fx, "problem=logistic", TRUTH_ODE);
    struct sens_out out;
    assert_int_equal(cell_out_create(&fx.ctx, &fx.cell, &out), SENS_OK);
    const size_t n = fx.cell.problem.n, np = fx.cell.problem.np, m = fx.cell.cost.m;
    for (size_t i = 0; i < n; i++) out.x[i] = fx.truth.x[i] * (1 + 0x1p-20);
    for (size_t i = 0; i < m * np; i++) out.dGdp[i] = fx.truth.dGdp[i] * (1 + 0x1p-20);
    for (size_t i = 0; i < m * n; i++) out.dGdx0[i] = fx.truth.dGdx0[i] * (1 + 0x1p-20);
    truth_compare(&fx.cell, &fx.truth, &out, &error);
    assert_close(error.err_x, 0x1p-20, 1e-8);
    assert_close(error.err_grad, 0x1p-20, 1e-8);
    out.dGdp[m * np - 1] = NAN;
    truth_compare(&fx.cell, &fx.truth, &out, &error);
    assert_true(isnan(error.err_grad) && isnan(error.err_grad_max) && isfinite(error.err_x));
    out.dGdp[m * np - 1] = INFINITY;
    out.x[0] = NAN;
    truth_compare(&fx.cell, &fx.truth, &out, &error);
    assert_true(isnan(error.err_grad) && isnan(error.err_x));
    release(&fx);
}

/* A cell whose parameters come from a file has no stored reference. */
static void no_reference_without_a_key(void **state)
{
    (void)state;
    struct fixture fx;
    assert_int_equal(resolve(&fx, "problem=vdp"), SENS_OK);
    fx.cell.reference_key[0] = '\0';
    assert_int_equal(truth_find(&fx.ctx, &fx.cell, TRUTH_AUTO, &fx.truth, &fx.error), SENS_NO_TRUTH);
    assert_int_equal(truth_find(&fx.ctx, &fx.cell, TRUTH_NONE, &fx.truth, &fx.error), SENS_NO_TRUTH);
    release(&fx);
}

/* ---- stale references ---------------------------------------------------------------------------------- */

static const struct sens_problem_type *original;

/* The right-hand side of another edition of the sources: a constant in it is not what it was. */
static sens_status rhs_of_another_edition(const struct sens_problem *pb, const struct sens_at *at,
                                          sens_real *dx)
{
    const sens_status status = original->rhs(pb, at, dx);
    dx[1] *= 1 + 1e-9;
    return status;
}

/* The stored solution of vdp is none of these equations, whatever their name, and the program says what to
 * do. */
static void reference_of_other_equations_is_refused(void **state)
{
    (void)state;
    struct fixture fx;
    assert_int_equal(resolve(&fx, "problem=vdp form=mu initial=dependent wrt=p"), SENS_OK);
    original = fx.cell.problem.type;
    struct sens_problem_type edited = *original;
    edited.rhs = rhs_of_another_edition;
    assert_int_equal(truth_find(&fx.ctx, &fx.cell, TRUTH_AUTO, &fx.truth, &fx.error), SENS_OK);
    fx.cell.problem.type = &edited;
    assert_int_equal(truth_find(&fx.ctx, &fx.cell, TRUTH_AUTO, &fx.truth, &fx.error), SENS_BAD_INPUT);
    static const char command[] = "sensbench truth vdp form=mu eps=0.001 initial=dependent T=0.5 "
                                  "cost=identity wrt=p --out references";
    static const char *const said[] = {"vdp-711246f4.ref", "other equations", " of f is ", command};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        if (!strstr(fx.error.text, said[i])) fail_msg("'%s' is not in '%s'", said[i], fx.error.text);
    release(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_of_other_equations_is_refused),
        cmocka_unit_test(closed_forms_equal_extrapolation),
        cmocka_unit_test(rows_and_columns_are_those_of_the_whole),
        cmocka_unit_test(arenstorf_equals_quadruple_precision),
        cmocka_unit_test(distance_is_relative_and_never_hides_a_nan),
        cmocka_unit_test(no_reference_without_a_key),
        cmocka_unit_test(vdp_equals_quadruple_precision),
        cmocka_unit_test(robertson_equals_quadruple_precision),
        cmocka_unit_test(glv_obeys_species_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
