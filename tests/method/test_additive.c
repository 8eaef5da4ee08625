/* Additive steps of a problem that splits f = f_E + f_I: the order of state and gradient, adjoint against tangent, the
 * limits in which one part is all of f, the same bits whatever is kept, and what is refused. */
#include "support.h"

/* ---- a split, nonlinear in both parts and dependent on t and all parameters ------------------------------ */

/*     f_E = (p0 x0 x1 + sin t, p0 (x0 - x1) cos t),     f_I = (-p1 (x0 - x1^2), -p2 x1^3) */
enum { WHOLE, IMPLICIT, NOTHING };

static int part_of(const struct sens_problem *pb)
{
    return *(const int *)pb->data;
}

/* e of f_E, i of f_I: which of them are in the problem. */
static void shares(const struct sens_problem *pb, double *e, double *i)
{
    *e = part_of(pb) == WHOLE;
    *i = part_of(pb) != NOTHING;
}

static sens_status split_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const double *const x = at->x, *const p = at->p;
    double e, i;
    shares(pb, &e, &i);
    dx[0] = e * (p[0] * x[0] * x[1] + sin(at->t)) - i * p[1] * (x[0] - x[1] * x[1]);
    dx[1] = e * p[0] * (x[0] - x[1]) * cos(at->t) - i * p[2] * x[1] * x[1] * x[1];
    return SENS_OK;
}

static void split_matrices(const struct sens_problem *pb, double t, const double *x, const double *p,
                           double J[2][2], double P[2][3])
{
    double e, i;
    shares(pb, &e, &i);
    J[0][0] = e * p[0] * x[1] - i * p[1], J[0][1] = e * p[0] * x[0] + i * 2 * p[1] * x[1];
    J[1][0] = e * p[0] * cos(t), J[1][1] = -e * p[0] * cos(t) - i * 3 * p[2] * x[1] * x[1];
    P[0][0] = e * x[0] * x[1], P[0][1] = -i * (x[0] - x[1] * x[1]), P[0][2] = 0;
    P[1][0] = e * (x[0] - x[1]) * cos(t), P[1][1] = 0, P[1][2] = -i * x[1] * x[1] * x[1];
}

static void split_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    double J[2][2], P[2][3];
    split_matrices(pb, at->t, at->x, at->p, J, P);
    for (size_t r = 0; r < 2; r++)
        for (size_t l = 0; l < L; l++) OUT[r * L + l] = J[r][0] * V[l] + J[r][1] * V[L + l];
}

static void split_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    double J[2][2], P[2][3];
    split_matrices(pb, at->t, at->x, at->p, J, P);
    for (size_t r = 0; r < 2; r++)
        for (size_t l = 0; l < L; l++) OUT[r * L + l] = J[0][r] * W[l] + J[1][r] * W[L + l];
}

static void split_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                          double *OUT)
{
    double J[2][2], P[2][3];
    split_matrices(pb, at->t, at->x, at->p, J, P);
    for (size_t l = 0; l < L; l++) OUT[l] += P[0][k0 + l], OUT[L + l] += P[1][k0 + l];
}

static void split_vjp_p(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    for (size_t k = 0; k < K; k++) {
        double J[2][2], P[2][3];
        split_matrices(pb, t[k], X + 2 * k, p, J, P);
        for (size_t q = 0; q < 3; q++)
            for (size_t l = 0; l < L; l++)
                MU[q * L + l] += P[0][q] * W[2 * k * L + l] + P[1][q] * W[(2 * k + 1) * L + l];
    }
}

static const struct sens_problem_type split_type = {.name = "split",
                                                    .rhs = split_rhs,
                                                    .vjp = split_vjp,
                                                    .jvp = split_jvp,
                                                    .jvp_p_cols = split_columns,
                                                    .vjp_p_batch = split_vjp_p};

static const int whole = WHOLE, implicit = IMPLICIT, nothing = NOTHING;
static const double start[2] = {1.2, 0.7};

/* f whose implicit part is IMPLICIT, NOTHING, or WHOLE: all of it. */
struct split {
    double p[3];
    struct sens_problem part;
};

static void split_create(struct method_bed *bed, const char *cost, const int *part, double stiffness,
                         struct split *split)
{
    bed_create(bed, "glv", cost, "n", 2.0, NULL);
    split->p[0] = 0.8, split->p[1] = stiffness, split->p[2] = stiffness / 2;
    const struct sens_problem pb = {
        .type = &split_type, .n = 2, .np = 3, .t1 = 2, .x0 = start, .p = split->p, .data = &whole};
    split->part = pb;
    split->part.data = part;
    bed->problem = pb;
    bed->problem.implicit = &split->part;
    const struct sens_cost_type *const type = bed->cost.type;
    assert_int_equal(sens_cost_create(&bed->ctx, type, bed->cost_value, &bed->problem, &bed->cost), SENS_OK);
    bed->out = (struct sens_out){.x = NULL};
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (sens_task_asks(&bed->task, k))
            bed->out.part[k] = SENS_NEW(&bed->ctx, sens_real, bed_count(bed, k));
}

static const struct sens_tableau *pair_at(size_t k)
{
    const struct sens_tableau *const *const all = sens_registry_baseline()->implicit_tableaux;
    for (size_t i = 0; all[i]; i++)
        if (all[i]->a_explicit && k-- == 0) return all[i];
    return NULL;
}

/* ---- order --------------------------------------------------------------------------------------------- */

enum { NUMBERS = 2 * (1 + 3 + 2) }; /* x, dG/dp, dG/dx0 of two outputs */

static void solve(const struct sens_tableau *tableau, const char *method, int steps, const int *part,
                  double stiffness, double *found)
{
    struct method_bed bed;
    struct split split;
    split_create(&bed, "identity", part, stiffness, &split);
    fix_steps(&bed, tableau, steps);
    assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
    memcpy(found, bed.out.x, 2 * sizeof *found);
    memcpy(found + 2, bed.out.dGdp, 6 * sizeof *found);
    memcpy(found + 8, bed.out.dGdx0, 4 * sizeof *found);
    bed_free(&bed);
}

/* State and gradient converge with the order of the pair to those of an explicit formula of order 8. */
static void order_of_state_and_gradient(void **state)
{
    (void)state;
    double exact[NUMBERS];
    solve(named(sens_registry_baseline()->tableaux, "dop853"), "discrete_tangent", 400, &implicit, 2, exact);
    for (size_t k = 0; pair_at(k); k++) {
        const struct sens_tableau *const tb = pair_at(k);
        double coarse[NUMBERS], fine[NUMBERS];
        solve(tb, "discrete_adjoint", 40, &implicit, 2, coarse);
        solve(tb, "discrete_adjoint", 80, &implicit, 2, fine);
        const double x = log2(relative_error(2, coarse, exact) / relative_error(2, fine, exact));
        const double g =
            log2(relative_error(10, coarse + 2, exact + 2) / relative_error(10, fine + 2, exact + 2));
        if (!(fabs(x - tb->order) < 0.3 && fabs(g - tb->order) < 0.3))
            fail_msg("%s: order %.2f of the state, %.2f of the gradient", tb->name, x, g);
    }
}

/* ---- one part alone ------------------------------------------------------------------------------------ */

static void expect_same(const char *what, const double *found, const double *expected)
{
    const double off = relative_error(NUMBERS, found, expected);
    if (!(off <= 1e-13)) fail_msg("%s: off by %g", what, off);
}

/* f_I = f: the steps of a alone. f_I = 0: those of a_explicit alone. By the schemes for these. */
static void limits_are_the_parts(void **state)
{
    (void)state;
    static const char *const method[] = {"discrete_adjoint", "discrete_tangent"};
    for (size_t k = 0; pair_at(k); k++)
        for (int m = 0; m < 2; m++) {
            double additive[NUMBERS], alone[NUMBERS];
            struct sens_tableau tb = *pair_at(k);
            tb.a_explicit = NULL;
            solve(pair_at(k), method[m], 7, &whole, 3, additive);
            solve(&tb, method[m], 7, &whole, 3, alone);
            expect_same("f_I = f", additive, alone);
            tb.family = SENS_FAMILY_EXPLICIT;
            tb.a = pair_at(k)->a_explicit;
            solve(pair_at(k), method[m], 7, &nothing, 3, additive);
            solve(&tb, method[m], 7, &nothing, 3, alone);
            expect_same("f_I = 0", additive, alone);
        }
}

/* ---- adjoint and tangent ------------------------------------------------------------------------------- */

/* The rounding of f - f_I is that of f_I, h times as large as the part is stiff; steps chosen by the state. */
static void check_pair(const struct sens_tableau *tableau, const char *cost, double stiffness, int kept,
                       long every)
{
    struct method_bed bed;
    struct split split;
    double *gradient[2];
    size_t count[2];
    for (int m = 0; m < 2; m++) {
        split_create(&bed, cost, &implicit, stiffness, &split);
        bed.task.tableau = tableau;
        bed.task.rtol = bed.task.atol = 1e-6;
        bed.task.ckpt = bed_every(&bed, m == 0 ? every : 0);
        bed.task.lanes = 1 + m;
        assert_int_equal(
            bed_run(&bed, m == 0 ? "discrete_adjoint" : "discrete_tangent", "factors", (double)kept, NULL),
            SENS_OK);
        assert_true(bed.work.newton > 0 && bed.work.factorisations > 0);
        gradient[m] = bed_gradient(&bed, &count[m]);
        bed_free(&bed);
    }
    const double off = relative_error(count[0], gradient[0], gradient[1]);
    if (!(off <= 1e-13 * fmax(1, 1e-2 * stiffness)))
        fail_msg("%s, %s, stiffness %g: adjoint and tangent differ by %g", tableau->name, cost, stiffness,
                 off);
    free(gradient[0]), free(gradient[1]);
}

static void adjoint_is_the_transpose(void **state)
{
    (void)state;
    static const char *const cost[] = {"identity", "running"};
    for (size_t k = 0; pair_at(k); k++)
        for (double stiffness = 1; stiffness < 2e4; stiffness *= 100)
            for (int c = 0; c < 2; c++) {
                check_pair(pair_at(k), cost[c], stiffness, 0, 0);
                check_pair(pair_at(k), cost[c], stiffness, 1, 0);
                check_pair(pair_at(k), cost[c], stiffness, 0, 3);
            }
}

/* Stages that are made again from kept states have the bits of the solve. */
static void restaged_steps_have_the_same_bits(void **state)
{
    (void)state;
    for (size_t k = 0; pair_at(k); k++) {
        struct method_bed bed;
        struct split split;
        double *gradient[2];
        size_t count = 0;
        for (int m = 0; m < 2; m++) {
            split_create(&bed, "identity", &implicit, 50, &split);
            bed.task.tableau = pair_at(k);
            bed.task.ckpt = bed_every(&bed, m * 4);
            assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
            gradient[m] = bed_gradient(&bed, &count);
            bed_free(&bed);
        }
        assert_memory_equal(gradient[0], gradient[1], count * sizeof *gradient[0]);
        free(gradient[0]), free(gradient[1]);
    }
}

/* ---- what is refused ------------------------------------------------------------------------------------- */

static void without_a_split_it_is_refused(void **state)
{
    (void)state;
    static const char *const method[] = {"discrete_adjoint", "discrete_tangent", "finite_difference"};
    for (int m = 0; m < 3; m++) {
        struct method_bed bed;
        bed_create(&bed, "robertson", "identity", NULL);
        bed.task.tableau = pair_at(0);
        assert_int_equal(bed_run(&bed, method[m], NULL), SENS_UNSUPPORTED);
        assert_non_null(strstr(bed.ctx.message, "declare the implicit part"));
        bed_free(&bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_state_and_gradient),   cmocka_unit_test(limits_are_the_parts),
        cmocka_unit_test(adjoint_is_the_transpose),      cmocka_unit_test(restaged_steps_have_the_same_bits),
        cmocka_unit_test(without_a_split_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
