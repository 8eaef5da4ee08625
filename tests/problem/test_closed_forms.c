/* The closed forms of every registered problem against its own equations:
 *
 *     x' = f(t, x, p),   S' = J S + f_p,   S0' = J S0,   x(t0) = x0(p),   S(t0) = dx0/dp,   S0(t0) = I,
 *
 * the left sides by central differences of order 8 in t. Together they determine x, S and S0. Problems
 * without a closed form are compared with published numbers through an independent integrator (GSL's
 * rk8pd). */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sens/registry.h"
#include "testing.h"

enum { MAX_OPTIONS = 16 };

/* ---- closed forms -------------------------------------------------------------------------------------- */

struct block { /* x, S and S0 at one time, side by side */
    size_t n, np;
    double *x, *S, *S0;
};

static struct block block_create(struct sens_ctx *ctx, const struct sens_problem *pb)
{
    const struct block made = {pb->n, pb->np, SENS_NEW(ctx, double, pb->n),
                               SENS_NEW(ctx, double, pb->n * pb->np), SENS_NEW(ctx, double, pb->n * pb->n)};
    assert_non_null(made.x);
    assert_non_null(made.S);
    assert_non_null(made.S0);
    return made;
}

/* false: no closed form; with_x0 tells whether S0 is filled. */
static bool closed_form(const struct sens_problem *pb, double t, const double *p, const struct block *at,
                        bool *with_x0)
{
    const struct sens_exact_query query = {.level = SENS_EXACT_ODE, .t = t};
    *with_x0 = pb->type->exact(pb, &query, p, at->x, at->S, at->S0);
    return *with_x0 || pb->type->exact(pb, &query, p, at->x, at->S, NULL);
}

static double largest(size_t count, const double *v)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(v[i]));
    return most;
}

static void assert_close(const char *what, const struct sens_problem *pb, size_t count, const double *got,
                         const double *want, double tolerance)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(got[i] - want[i]) <= tolerance))
            fail_msg("%s of %s, entry %zu: %.17g, expected %.17g within %.1e", what, pb->type->name, i,
                     got[i], want[i], tolerance);
}

/* slope += weight v, entry by entry. */
static void accumulate(const struct block *slope, double weight, const struct block *v)
{
    for (size_t i = 0; i < v->n; i++) slope->x[i] += weight * v->x[i];
    for (size_t i = 0; i < v->n * v->np; i++) slope->S[i] += weight * v->S[i];
    for (size_t i = 0; i < v->n * v->n; i++) slope->S0[i] += weight * v->S0[i];
}

/* The right sides f, J S + f_p, J S0 at a point of the closed form. */
static void right_sides(const struct sens_problem *pb, double t, const double *p, const struct block *at,
                        const struct block *out)
{
    const struct sens_at point = {t, at->x, p};
    assert_int_equal(pb->type->rhs(pb, &point, out->x), SENS_OK);
    pb->type->jvp(pb, &point, pb->np, at->S, out->S);
    pb->type->jvp_p_cols(pb, &point, 0, pb->np, out->S);
    pb->type->jvp(pb, &point, pb->n, at->S0, out->S0);
}

static void check_equations(struct sens_ctx *ctx, const struct sens_problem *pb, double t, const double *p)
{
    static const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double h = (pb->t1 - pb->t0) / 400;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    const struct block at = block_create(ctx, pb), slope = block_create(ctx, pb),
                       want = block_create(ctx, pb);
    bool with_x0;
    for (int k = 1; k <= 4; k++)
        for (int side = -1; side <= 1; side += 2) {
            assert_true(closed_form(pb, t + side * k * h, p, &at, &with_x0));
            accumulate(&slope, side * weight[k - 1] / h, &at);
        }
    assert_true(closed_form(pb, t, p, &at, &with_x0));
    right_sides(pb, t, p, &at, &want);
    /* The difference rounds at eps |v|/h and truncates at 576 (h/d)^8 |v|/d, d the distance to the nearest
     * complex singularity, here at least 1/8 of the interval: below 1e-12 |v|/h. 1e-11 leaves a digit. */
    const double tolerance = 1e-11 / h;
    assert_close("x'", pb, pb->n, slope.x, want.x, tolerance * largest(pb->n, at.x));
    assert_close("S'", pb, pb->n * pb->np, slope.S, want.S, tolerance * largest(pb->n * pb->np, at.S));
    if (with_x0)
        assert_close("S0'", pb, pb->n * pb->n, slope.S0, want.S0, tolerance * largest(pb->n * pb->n, at.S0));
    sens_arena_rewind(&ctx->arena, mark);
}

static void check_start(struct sens_ctx *ctx, const struct sens_problem *pb, const double *p)
{
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    const struct block at = block_create(ctx, pb), want = block_create(ctx, pb);
    bool with_x0;
    assert_true(closed_form(pb, pb->t0, p, &at, &with_x0));
    sens_problem_x0(pb, p, want.x);
    if (sens_problem_x0_depends(pb)) pb->type->x0_jvp_cols(pb, p, 0, pb->np, want.S);
    for (size_t i = 0; i < pb->n; i++) want.S0[i * pb->n + i] = 1;
    /* a few roundings of terms of size one */
    assert_close("x(t0)", pb, pb->n, at.x, want.x, 1e-14 * fmax(1, largest(pb->n, want.x)));
    assert_close("S(t0)", pb, pb->n * pb->np, at.S, want.S, 1e-14 * fmax(1, largest(pb->n * pb->np, want.S)));
    if (with_x0) assert_close("S0(t0)", pb, pb->n * pb->n, at.S0, want.S0, 1e-14);
    sens_arena_rewind(&ctx->arena, mark);
}

/* At the nominal parameters and at parameters moved by up to 10 %. Returns whether there is a closed form. */
static bool check_problem(struct sens_ctx *ctx, const struct sens_problem *pb)
{
    if (!pb->type->exact) return false;
    const struct block at = block_create(ctx, pb);
    bool with_x0, any = false;
    double *p = SENS_NEW(ctx, double, pb->np);
    assert_non_null(p);
    for (int moved = 0; moved < 2; moved++) {
        for (size_t k = 0; k < pb->np; k++) p[k] = pb->p[k] * (1 + 0.1 * moved * sin(1.0 + (double)k));
        if (!closed_form(pb, pb->t0, p, &at, &with_x0)) continue; /* forms of equal parameters end here */
        any = true;
        check_start(ctx, pb, p);
        for (int j = 0; j < 3; j++)
            check_equations(ctx, pb, pb->t0 + (pb->t1 - pb->t0) * (0.05 + 0.45 * j), p);
    }
    return any;
}

static bool check_options(const struct sens_problem_type *type, const struct sens_value *option)
{
    struct sens_ctx ctx = {0};
    struct sens_problem pb;
    assert_int_equal(sens_problem_create(&ctx, type, option, &pb), SENS_OK);
    const bool any = check_problem(&ctx, &pb);
    sens_arena_release(&ctx.arena);
    return any;
}

/* The default instance, each choice of each option, and each whole-number option at its least value. */
static int check_type(const struct sens_problem_type *type)
{
    struct sens_value option[MAX_OPTIONS];
    const size_t count = sens_option_count(type->options);
    assert_true(count <= MAX_OPTIONS);
    sens_option_defaults(type->options, option);
    int found = check_options(type, option);
    for (size_t i = 0; i < count; i++) {
        const struct sens_option *entry = &type->options[i];
        const struct sens_value kept = option[i];
        if (entry->kind == SENS_OPT_INT) option[i].number = entry->min, found += check_options(type, option);
        for (int c = 0; entry->kind == SENS_OPT_CHOICE && entry->choices[c]; c++) {
            option[i].number = c;
            found += check_options(type, option);
        }
        option[i] = kept;
    }
    return found;
}

static void test_closed_forms_satisfy_their_equations(void **state)
{
    (void)state;
    int found = 0;
    for (const struct sens_problem_type *const *type = sens_registry_baseline()->problems; *type; type++)
        found += check_type(*type);
    assert_true(found >= 5); /* decay, forced, initial, logistic, oscillator at least */
}

/* ---- published numbers --------------------------------------------------------------------------------- */

static const struct sens_problem_type *find(const char *name)
{
    for (const struct sens_problem_type *const *type = sens_registry_baseline()->problems; *type; type++)
        if (strcmp((*type)->name, name) == 0) return *type;
    fail_msg("problem %s is not registered", name);
    return NULL;
}

static int variational(double t, const double *y, double *dy, void *self)
{
    const struct sens_problem *pb = self;
    const size_t n = pb->n, np = pb->np;
    const struct sens_at at = {t, y, pb->p};
    memset(dy, 0, n * (1 + np + n) * sizeof *dy);
    if (pb->type->rhs(pb, &at, dy) != SENS_OK) return GSL_EBADFUNC;
    pb->type->jvp(pb, &at, np, y + n, dy + n);
    pb->type->jvp_p_cols(pb, &at, 0, np, dy + n);
    pb->type->jvp(pb, &at, n, y + n * (1 + np), dy + n * (1 + np));
    return GSL_SUCCESS;
}

enum { STATES = 4, PARAMETERS = 6, AUGMENTED = STATES * (1 + STATES + PARAMETERS), IDENTITY_ROWS = 8 };
struct solution {
    double y[AUGMENTED]; /* x, S, S0 */
    const double *x, *S, *S0;
};

static void integrate(const struct sens_problem *pb, double T, double epsabs, double epsrel,
                      struct solution *solution)
{
    struct sens_problem copy = *pb;
    const size_t n = pb->n, np = pb->np;
    gsl_odeiv2_system system = {.function = variational, .dimension = n * (1 + np + n), .params = &copy};
    gsl_odeiv2_driver *driver =
        gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-6 * T, epsabs, epsrel);
    assert_non_null(driver);
    assert_true(n <= STATES && np <= PARAMETERS);
    *solution = (struct solution){.x = solution->y, .S = solution->y + n, .S0 = solution->y + n * (1 + np)};
    memcpy(solution->y, pb->x0, n * sizeof *pb->x0);
    for (size_t i = 0; i < n; i++) solution->y[n * (1 + np) + i * n + i] = 1;
    double t = 0;
    assert_int_equal(gsl_odeiv2_driver_apply(driver, &t, T, solution->y), GSL_SUCCESS);
    gsl_odeiv2_driver_free(driver);
}

static void assert_relative(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fabs(want)))
        fail_msg("%.17g, expected %.17g within %.1e", got, want, tolerance);
}

static struct sens_problem default_problem(struct sens_ctx *ctx, const char *name)
{
    struct sens_value option[MAX_OPTIONS];
    struct sens_problem pb;
    const struct sens_problem_type *type = find(name);
    const int n = sens_option_find(type->options, "n");
    sens_option_defaults(type->options, option);
    if (n >= 0) option[n].number = 2; /* small enough for struct solution */
    assert_int_equal(sens_problem_create(ctx, type, option, &pb), SENS_OK);
    return pb;
}

/* The identities that a problem declares, for its derivatives as GSL's integrator has them: each residual is
 * within rounding (true of every Runge-Kutta map) or `tolerance` of its terms, and `absolute` in itself. */
static void assert_identities(const struct sens_problem *pb, const struct solution *at, double tolerance,
                              double absolute)
{
    const struct sens_identity *identity = pb->type->identities;
    assert_non_null(identity);
    for (; identity->name; identity++) {
        double residual[IDENTITY_ROWS], size[IDENTITY_ROWS];
        const size_t rows = identity->rows(pb);
        const double relative = identity->discrete ? 1e-13 : tolerance;
        assert_true(rows > 0 && rows <= IDENTITY_ROWS);
        identity->residual(pb, at->x, at->S, at->S0, residual, size);
        for (size_t r = 0; r < rows; r++)
            if (!(fabs(residual[r]) <= relative * size[r] && fabs(residual[r]) <= absolute))
                fail_msg("%s, identity %s, row %zu: %.3g of terms of %.3g", pb->type->name, identity->name, r,
                         residual[r], size[r]);
    }
}

static void test_robertson_at_published_times(void **state)
{
    (void)state;
    /* t = 0.4: quadruple-precision extrapolation with variational equations */
    static const double y[] = {.985172113860989862415, 3.38639537897490413645e-5, .0147940221852203885436};
    static const double dy_dk1[] = {-.355952565982855567250, 3.90254405381821853582e-4,
                                    .355562311577473745396};
    /* t = 40: (k/y) dy/dk to five digits, published with the Numra package in the order k1, k3, k2 */
    static const size_t order[] = {0, 2, 1};
    static const double normalised[3][3] = {{-2.3735e-1, -9.5904e-2, 1.9182e-1},
                                            {1.9993e-1, -3.7169e-1, -2.5662e-1},
                                            {5.9790e-1, 2.4160e-1, -4.8319e-1}};
    struct sens_ctx ctx = {0};
    struct solution at;
    const struct sens_problem pb = default_problem(&ctx, "robertson");
    assert_true(pb.t1 == 0.4);
    integrate(&pb, pb.t1, 1e-15, 1e-13, &at);
    for (size_t i = 0; i < 3; i++) {
        /* held to 1e-15 and 1e-13; observed 2e-13 */
        assert_relative(at.x[i], y[i], 1e-11);
        assert_relative(at.S[i * 3], dy_dk1[i], 1e-11);
    }
    assert_identities(&pb, &at, 1e-9, 1); /* mass; time scaling, where terms of f_2 cancel */
    integrate(&pb, 40, 1e-13, 1e-9, &at);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            const size_t k = order[j];
            assert_relative(pb.p[k] / at.x[i] * at.S[i * 3 + k], normalised[i][j],
                            3e-5); /* the digits given */
        }
    sens_arena_release(&ctx.arena);
}

static void test_arenstorf_monodromy(void **state)
{
    (void)state;
    /* quadruple-precision extrapolation with variational equations */
    static const double row[] = {4.14137215966260307431e3, -1.37341039944890081170e3, 8.71195873731601691326,
                                 -25.6906952180631903345};
    struct sens_ctx ctx = {0};
    struct solution at;
    const struct sens_problem pb = default_problem(&ctx, "arenstorf");
    integrate(&pb, pb.t1, 1e-14, 1e-14, &at);
    /* Near the lighter body rounding grows: by 1e6 in the state, observed 4e-10; the derivative is off by
     * the second derivative times that, observed 7e-10. */
    for (size_t i = 0; i < 4; i++) assert_true(fabs(at.x[i] - pb.x0[i]) <= 1e-8);
    for (size_t i = 0; i < 4; i++) assert_relative(at.S0[i], row[i], 1e-8);
    assert_identities(&pb, &at, 1, 1e-6); /* det = 1, of entries up to 2e6; observed 1e-8 */
    sens_arena_release(&ctx.arena);
}

static void test_glv_identities(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct solution at;
    const struct sens_problem pb = default_problem(&ctx, "glv");
    integrate(&pb, pb.t1, 1e-15, 1e-13, &at);
    assert_identities(&pb, &at, 1e-11, 1);
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms_satisfy_their_equations),
        cmocka_unit_test(test_robertson_at_published_times),
        cmocka_unit_test(test_arenstorf_monodromy),
        cmocka_unit_test(test_glv_identities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
