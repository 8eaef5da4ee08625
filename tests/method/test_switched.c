/* Steps that switch between an explicit and an implicit formula (tableau auto): the gradient of a linear equation in
 * closed form, from the parts that were told of; which part is taken, and that the explicit one alone is what it is
 * always; adjoint against tangent against differences of values on given steps; the same bits whatever is kept; bad
 * ends. */
#include "stiff_support.h"

enum { MOST = 4096 };
struct heard { /* the steps, and the part of each */
    long steps, implicit, changes;
    double h[MOST];
    const struct sens_tableau *part[MOST];
};

static void hear_part(void *self, const struct sens_tableau *part)
{
    struct heard *heard = self;
    assert_true(heard->steps < MOST);
    heard->part[heard->steps] = part;
}

static void hear_step(void *self, double t, double h, double t1)
{
    struct heard *heard = self;
    const long k = heard->steps++;
    (void)t, (void)t1;
    heard->h[k] = h;
    heard->implicit += heard->part[k]->family == SENS_FAMILY_DIRK;
    heard->changes += k > 0 && heard->part[k] != heard->part[k - 1];
}

static const struct sens_tableau *implicit(const char *name)
{
    return named(sens_registry_baseline()->implicit_tableaux, name);
}

/* The bed's next runs by the tableau, with these tolerances; *heard: of the last of them. */
static void switch_steps(struct method_bed *bed, double rtol, double atol, struct heard *heard)
{
    bed->task.tableau = implicit("auto");
    bed->task.controller = named(bed->registry->controllers, "hairer-pi");
    bed->task.rtol = rtol, bed->task.atol = atol;
    bed->task.listener = (struct sens_listener){.step = hear_step, .self = heard, .part = hear_part};
}

static void run(struct method_bed *bed, const char *method, struct heard *heard)
{
    *heard = (struct heard){.steps = 0};
    const sens_status status = bed_run(bed, method, NULL);
    if (status != SENS_OK) fail_msg("%s, %s: %s", bed->problem.type->name, method, bed->ctx.message);
    assert_int_equal(heard->steps, bed->work.steps);
    assert_int_equal(heard->implicit, bed->work.steps_implicit);
}

/* ---- a linear equation ------------------------------------------------------------------------------------ */

/* k = 1 + z A k forwards, a lower: R(z) = 1 + z b^T k; and R'(z) by k' = A k + z A k'. */
static void stability(const struct sens_tableau *tb, long double z, long double *R, long double *dR)
{
    long double k[SENS_MAX_STAGES], dk[SENS_MAX_STAGES];
    *R = 1, *dR = 0;
    for (int i = 0; i < tb->stages; i++) {
        const long double a_ii = sens_tableau_a(tb, i, i);
        k[i] = 1, dk[i] = 0;
        for (int j = 0; j < i; j++) {
            k[i] += z * sens_tableau_a(tb, i, j) * k[j];
            dk[i] += sens_tableau_a(tb, i, j) * (k[j] + z * dk[j]);
        }
        k[i] /= 1 - z * a_ii;
        dk[i] = (dk[i] + a_ii * k[i]) / (1 - z * a_ii);
        *R += z * tb->b[i] * k[i];
        *dR += tb->b[i] * (k[i] + z * dk[i]);
    }
}

/* y' = -k y: y = y0 prod_j R_j(-k h_j) over the steps told of, each with the R of its part, and dy/dk by the product
 * rule. 1e-3 of it is still there when steps turn implicit; a few hundred roundings. */
static void decay_is_its_closed_form(void **state)
{
    (void)state;
    static const char *const method[] = {"discrete_adjoint", "discrete_tangent"};
    for (int q = 0; q < 2; q++) {
        struct method_bed bed;
        struct heard heard;
        const double k = 200;
        bed_create(&bed, "decay", "identity", "k", k, "T", 1.0, NULL);
        switch_steps(&bed, 1e-3, 1e-3, &heard);
        run(&bed, method[q], &heard);
        assert_true(heard.implicit > 0 && heard.implicit < heard.steps);
        long double y = 1, sum = 0;
        for (long j = 0; j < heard.steps; j++) {
            long double R, dR;
            stability(heard.part[j], -k * heard.h[j], &R, &dR);
            y *= R;
            sum += -heard.h[j] * dR / R;
        }
        const double found[] = {bed.out.x[0], bed.out.dGdx0[0], bed.out.dGdp[0]};
        const double expected[] = {(double)(y * bed.problem.x0[0]), (double)y,
                                   (double)(y * bed.problem.x0[0] * sum)};
        for (int e = 0; e < 3; e++)
            if (!(fabs(found[e] - expected[e]) <= 1e-11 * fabs(expected[e])))
                fail_msg("%s, entry %d: %.17g for %.17g", method[q], e, found[e], expected[e]);
        bed_free(&bed);
    }
}

/* ---- which part ------------------------------------------------------------------------------------------- */

/* Not stiff: no implicit step, no matrix, no evaluation more, and the bits of dopri5. */
static void explicit_where_it_does(void **state)
{
    (void)state;
    static const char *const problem[] = {"glv", "arenstorf", "oscillator", "logistic", "forced", "chain"};
    for (size_t i = 0; i < sizeof problem / sizeof *problem; i++)
        for (double tol = 1e-3; tol > 1e-10; tol /= 100) {
            struct method_bed bed;
            struct heard heard;
            size_t count;
            bed_create(&bed, problem[i], "identity", NULL);
            switch_steps(&bed, tol, tol, &heard);
            run(&bed, "discrete_adjoint", &heard);
            const struct sens_work work = bed.work;
            sens_real *switched = bed_gradient(&bed, &count);
            if (heard.implicit > 0)
                fail_msg("%s, %g: %ld of %ld implicit", problem[i], tol, heard.implicit, heard.steps);
            bed.task.tableau = named(bed.registry->tableaux, "dopri5");
            bed.task.listener = (struct sens_listener){.step = NULL};
            assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
            sens_real *plain = bed_gradient(&bed, &count);
            assert_memory_equal(switched, plain, count * sizeof *plain);
            assert_int_equal(bed.work.steps, work.steps);
            assert_int_equal(bed.work.rejects, work.rejects);
            assert_int_equal(bed.work.vjp, work.vjp);
            assert_int_equal(work.factorisations + work.solves + work.newton, 0);
            free(switched);
            free(plain);
            bed_free(&bed);
        }
}

/* Stiff: the explicit part takes the start, and what it takes to see that it will not do. */
static void implicit_where_it_must(void **state)
{
    (void)state;
    struct method_bed bed;
    struct heard heard;
    bed_create(&bed, "robertson", "identity", "T", 4e7, NULL);
    switch_steps(&bed, 1e-6, 1e-10, &heard);
    run(&bed, "discrete_adjoint", &heard);
    assert_int_equal(heard.changes, 1);
    assert_true(heard.steps < 200 && heard.implicit > heard.steps / 2);
    assert_true(heard.part[0]->family == SENS_FAMILY_EXPLICIT);
    bed_free(&bed);
}

/* Van der Pol's equation is stiff but for its jumps: there and back, in fewer steps than either part alone. */
static void there_and_back(void **state)
{
    (void)state;
    struct method_bed bed;
    struct heard heard;
    bed_create(&bed, "vdp", "identity", "eps", 0.001, "T", 3.0, NULL);
    switch_steps(&bed, 1e-6, 1e-6, &heard);
    run(&bed, "discrete_adjoint", &heard);
    printf("vdp: %ld steps, %ld implicit, %ld changes\n", heard.steps, heard.implicit, heard.changes);
    assert_true(heard.changes >= 3);
    bed.task.listener = (struct sens_listener){.step = NULL};
    bed.task.tableau = named(bed.registry->tableaux, "dopri5");
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    assert_true(heard.steps < bed.work.steps / 4);
    bed_free(&bed);
}

/* ---- adjoint, tangent, values ----------------------------------------------------------------------------- */

/* Bounds as in test_implicit.c; each of these solves takes both parts. */
static void adjoint_equals_tangent_whatever_is_kept(void **state)
{
    (void)state;
    static const char *const problem[] = {"robertson", "vdp", "heat"}; /* two dense ones, a sparse one */
    static const char *const cost[] = {"running", "tracking", "identity"};
    for (size_t i = 0; i < sizeof problem / sizeof *problem; i++)
        for (size_t c = 0; c < (i == 2 ? 1 : sizeof cost / sizeof *cost); c++) {
            struct method_bed bed;
            struct heard heard;
            bed_create(&bed, problem[i], cost[c], i == 2 ? "n" : NULL, 20.0, NULL);
            /* With an atol of 1e-5 explicit steps on heat are so long that the map itself amplifies rounding by 1e5. */
            switch_steps(&bed, 1e-5, 1e-7, &heard);
            run(&bed, "discrete_adjoint", &heard);
            if (!(heard.changes > 0))
                fail_msg("%s: %ld steps, none of them implicit", problem[i], heard.steps);
            heard.steps = 0;
            bed.task.listener = (struct sens_listener){.step = NULL};
            sens_real *adjoint = check_tangent(&bed, 1e-11);
            check_checkpoints(&bed, 1, adjoint);
            check_checkpoints(&bed, 7, adjoint);
            bed.task.threads = 2;
            size_t count;
            assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
            sens_real *threads = bed_gradient(&bed, &count);
            assert_memory_equal(threads, adjoint, count * sizeof *adjoint);
            free(threads);
            free(adjoint);
            bed_free(&bed);
        }
}

static void frozen_differences(void **state)
{
    (void)state;
    struct sens_work work;
    check_frozen(implicit("auto"), "robertson", "identity", &work);
    assert_true(work.steps_implicit > 0 && work.steps_implicit < work.steps);
}

/* The account of perturbed solves is that of the solve that they are differences of. */
static void differences_tell_the_same(void **state)
{
    (void)state;
    struct method_bed bed;
    struct heard heard;
    bed_create(&bed, "robertson", "identity", NULL);
    switch_steps(&bed, 1e-5, 1e-7, &heard);
    run(&bed, "discrete_adjoint", &heard);
    const struct sens_work work = bed.work;
    assert_int_equal(bed_run(&bed, "finite_difference", NULL), SENS_OK);
    assert_int_equal(bed.work.steps, work.steps);
    assert_int_equal(bed.work.steps_implicit, work.steps_implicit);
    bed_free(&bed);
}

/* ---- bad ends --------------------------------------------------------------------------------------------- */

static void bad_ends(void **state)
{
    (void)state;
    struct method_bed bed;
    bed_create(&bed, "robertson", "identity", NULL);
    fix_steps(&bed, implicit("auto"), 10);
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_UNSUPPORTED);
    assert_non_null(strstr(bed.ctx.message, "kvaerno54"));
    bed_free(&bed);
    check_others_refuse(implicit("auto"));
    struct heard heard;
    create_stiff(&bed, &prothero_robinson, 1e4);
    switch_steps(&bed, 1e-6, 1e-6, &heard);
    run(&bed, "discrete_adjoint", &heard);
    assert_true(heard.implicit > 0);
    struct sens_problem_type wrong = prothero_robinson; /* the explicit part goes on alone, to its own end */
    wrong.jvp = nan_product;
    bed.problem.type = &wrong;
    bed.task.max_steps = 100;
    const sens_status status = bed_run(&bed, "discrete_adjoint", NULL);
    assert_true(status == SENS_DIVERGED || status == SENS_STEP_LIMIT);
    bed_free(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay_is_its_closed_form),
        cmocka_unit_test(explicit_where_it_does),
        cmocka_unit_test(implicit_where_it_must),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(adjoint_equals_tangent_whatever_is_kept),
        cmocka_unit_test(frozen_differences),
        cmocka_unit_test(differences_tell_the_same),
        cmocka_unit_test(bad_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
