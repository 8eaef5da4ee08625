/* The derivative products of every registered problem against one another: transposes, batches, lanes,
 * memory. (That they are the derivatives of rhs is tests/problem/test_slopes.c.)
 *
 *     <W, J V> = <J^T W, V>
 *     vjp_p_batch(W) = sum_k F_k^T W_k with F_k from jvp_p_cols
 *     x0_vjp = x0_jvp_cols^T */
#include "subjects.h"

static const size_t lane_counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 33};
static const size_t batch_counts[] = {0, 1, 2, 33};
enum {
    LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts,
    BATCH_COUNTS = sizeof batch_counts / sizeof *batch_counts
};

/* Fails unless |got - want| <= 16 (terms + 8) eps size, where size is the same sum with absolute values:
 * the rounding bound of a sum of that many terms, with room for the few operations that make each term. */
static void require_rounding(const struct subject *s, const char *what, double got, double want, size_t terms,
                             double size)
{
    const double bound = 16 * ((double)terms + 8) * DBL_EPSILON * size;
    if (!(fabs(got - want) <= bound))
        fail_msg("%s: %s: %.17g is not %.17g, difference %.2g above %.2g", s->label, what, got, want,
                 fabs(got - want), bound);
}

static void require_same(const struct subject *s, const char *what, double got, double want)
{
#ifdef __FP_FAST_FMA /* contraction may differ between loop bodies and their remainders */
    require_rounding(s, what, got, want, s->pb.n, fabs(want) + 1);
#else
    if (got != want) fail_msg("%s: %s: %.17g is not %.17g", s->label, what, got, want);
#endif
}

/* |J|, from the columns of J: entries may be the result of cancellation, so none counts less than 1e-3 of
 * the largest of its row. */
static double *jacobian_magnitude(struct subject *s, struct sens_at at)
{
    const size_t n = s->pb.n;
    double *identity = block(s, n * n), *J = block(s, n * n);
    for (size_t i = 0; i < n; i++) identity[i * n + i] = 1;
    s->pb.type->jvp(&s->pb, at, n, identity, J);
    for (size_t i = 0; i < n; i++) {
        double most = 0;
        for (size_t j = 0; j < n; j++) most = fmax(most, fabs(J[i * n + j]));
        for (size_t j = 0; j < n; j++) J[i * n + j] = fmax(fabs(J[i * n + j]), 1e-3 * most);
    }
    return J;
}

static void check_transpose(struct subject *s)
{
    const size_t n = s->pb.n;
    for (int which = 0; which < SUBJECT_POINTS; which++) {
        const struct sens_at at = subject_point(s, which);
        const double *size = jacobian_magnitude(s, at);
        for (size_t c = 0; c < LANE_COUNTS; c++) {
            const size_t L = lane_counts[c];
            const double *W = random_block(s, n * L), *V = random_block(s, n * L);
            double *JV = block(s, n * L), *JW = block(s, n * L);
            s->pb.type->jvp(&s->pb, at, L, V, JV);
            s->pb.type->vjp(&s->pb, at, L, W, JW);
            for (size_t l = 0; l < L; l++) {
                double left = 0, right = 0, bound = 0;
                for (size_t i = 0; i < n; i++) {
                    left += W[i * L + l] * JV[i * L + l], right += JW[i * L + l] * V[i * L + l];
                    for (size_t j = 0; j < n; j++)
                        bound += fabs(W[i * L + l]) * size[i * n + j] * fabs(V[j * L + l]);
                }
                require_rounding(s, "W J V", left, right, 2 * n, bound);
            }
        }
    }
}

/* K times and states around one point. */
struct batch {
    size_t K;
    double *t, *X;
    const double *p;
};

static struct batch batch_create(struct subject *s, size_t K)
{
    const size_t n = s->pb.n;
    struct batch b = {K, block(s, K), block(s, K * n), perturbed(s, s->pb.np, s->pb.p, 1)};
    for (size_t k = 0; k < K; k++) {
        b.t[k] = s->pb.t0 + (s->pb.t1 - s->pb.t0) * (double)k / 40;
        memcpy(b.X + k * n, perturbed(s, n, s->pb.x0, 1), n * sizeof(double));
    }
    return b;
}

/* MU and its magnitude by jvp_p_cols, all columns at once; both start from MU0. */
static void batch_by_columns(struct subject *s, const struct batch *b, size_t L, const double *W, double *MU,
                             double *size)
{
    const size_t n = s->pb.n, np = s->pb.np;
    double *F = block(s, n * np);
    for (size_t k = 0; k < b->K; k++) {
        const struct sens_at at = {b->t[k], b->X + k * n, b->p};
        memset(F, 0, n * np * sizeof *F);
        s->pb.type->jvp_p_cols(&s->pb, at, 0, np, F);
        for (size_t i = 0; i < n; i++)
            for (size_t q = 0; q < np; q++)
                for (size_t l = 0; l < L; l++) {
                    const double term = F[i * np + q] * W[(k * n + i) * L + l];
                    MU[q * L + l] += term, size[q * L + l] += fabs(term);
                }
    }
}

static void check_batch(struct subject *s)
{
    const size_t n = s->pb.n, np = s->pb.np;
    for (size_t c = 0; c < LANE_COUNTS; c++)
        for (size_t d = 0; d < BATCH_COUNTS; d++) {
            const size_t L = lane_counts[c], K = batch_counts[d];
            const struct sens_arena_mark mark = sens_arena_mark(&s->ctx.arena);
            const struct batch b = batch_create(s, K);
            const double *W = random_block(s, K * n * L), *MU0 = random_block(s, np * L);
            double *MU = block(s, np * L), *singles = block(s, np * L), *want = block(s, np * L);
            double *size = block(s, np * L);
            for (size_t q = 0; q < np * L; q++) MU[q] = singles[q] = want[q] = MU0[q], size[q] = fabs(MU0[q]);
            s->pb.type->vjp_p_batch(&s->pb, K, b.t, b.X, b.p, L, W, MU);
            for (size_t k = 0; k < K; k++)
                s->pb.type->vjp_p_batch(&s->pb, 1, b.t + k, b.X + k * n, b.p, L, W + k * n * L, singles);
            batch_by_columns(s, &b, L, W, want, size);
            for (size_t q = 0; q < np * L; q++) {
                require_rounding(s, "batch, columns", MU[q], want[q], K * n, size[q]);
                require_rounding(s, "batch, singles", MU[q], singles[q], K * n, size[q]);
            }
            sens_arena_rewind(&s->ctx.arena, mark);
        }
}

/* Columns one by one and in threes, added to what is there, equal all columns at once. */
static void check_columns(struct subject *s)
{
    const size_t n = s->pb.n, np = s->pb.np;
    const struct sens_at at = subject_point(s, 1);
    double *all = block(s, n * np), *some = block(s, 3 * n);
    s->pb.type->jvp_p_cols(&s->pb, at, 0, np, all);
    for (size_t L = 1; L <= 3; L++)
        for (size_t k0 = 0; k0 + L <= np; k0++) {
            for (size_t q = 0; q < n * L; q++) some[q] = 1;
            s->pb.type->jvp_p_cols(&s->pb, at, k0, L, some);
            for (size_t i = 0; i < n; i++)
                for (size_t l = 0; l < L; l++)
                    require_rounding(s, "column", some[i * L + l], 1 + all[i * np + k0 + l], 1,
                                     1 + fabs(all[i * np + k0 + l]));
        }
}

static void check_initial_state(struct subject *s)
{
    const struct sens_problem_type *type = s->pb.type;
    const size_t n = s->pb.n, np = s->pb.np, L = 5;
    assert_true(!type->x0 == !type->x0_vjp && !type->x0 == !type->x0_jvp_cols);
    if (!sens_problem_x0_depends(&s->pb)) return;
    const double *p = perturbed(s, np, s->pb.p, 1), *W = random_block(s, n * L);
    double *x = block(s, n), *C = block(s, n * np), *MU = random_block(s, np * L);
    type->x0(&s->pb, s->pb.p, x);
    for (size_t i = 0; i < n; i++) require_rounding(s, "x0", x[i], s->pb.x0[i], 1, fabs(x[i]));
    type->x0_jvp_cols(&s->pb, p, 0, np, C);
    double *want = block(s, np * L), *size = block(s, np * L);
    for (size_t q = 0; q < np * L; q++) want[q] = MU[q], size[q] = fabs(MU[q]);
    type->x0_vjp(&s->pb, p, L, W, MU);
    for (size_t q = 0; q < np * L; q++) {
        for (size_t i = 0; i < n; i++) {
            const double term = C[i * np + q / L] * W[i * L + q % L];
            want[q] += term, size[q] += fabs(term);
        }
        require_rounding(s, "x0 transposed", MU[q], want[q], n, size[q]);
    }
}

/* out_l of a block whose lane l holds lane (l + 5) mod L of another, or that lane alone: the same numbers. */
static void check_lanes_are_independent(struct subject *s)
{
    const size_t n = s->pb.n, np = s->pb.np, K = 2, L = 9;
    const struct batch b = batch_create(s, K);
    const struct sens_at at = {b.t[0], b.X, b.p};
    const double *W = random_block(s, K * n * L);
    for (size_t width = L;; width = 1) {
        double *part = block(s, K * n * width), *MU[2] = {block(s, np * L), block(s, np * width)};
        double *vjp[2] = {block(s, n * L), block(s, n * width)},
               *jvp[2] = {block(s, n * L), block(s, n * width)};
        for (size_t i = 0; i < K * n; i++)
            for (size_t l = 0; l < width; l++) part[i * width + l] = W[i * L + (l + 5) % L];
        for (int v = 0; v < 2; v++) {
            s->pb.type->vjp(&s->pb, at, v ? width : L, v ? part : W, vjp[v]);
            s->pb.type->jvp(&s->pb, at, v ? width : L, v ? part : W, jvp[v]);
            s->pb.type->vjp_p_batch(&s->pb, K, b.t, b.X, b.p, v ? width : L, v ? part : W, MU[v]);
        }
        for (size_t l = 0; l < width; l++) {
            for (size_t i = 0; i < n; i++) {
                require_same(s, "vjp lane", vjp[1][i * width + l], vjp[0][i * L + (l + 5) % L]);
                require_same(s, "jvp lane", jvp[1][i * width + l], jvp[0][i * L + (l + 5) % L]);
            }
            for (size_t q = 0; q < np; q++)
                require_same(s, "vjp_p_batch lane", MU[1][q * width + l], MU[0][q * L + (l + 5) % L]);
        }
        if (width == 1) return;
    }
}

/* ---- memory: a block between canaries ------------------------------------------------------------------ */

enum { MARGIN = 16 };
static const double CANARY = -7.25e77;

static double *fenced(struct subject *s, size_t count, bool random)
{
    double *made = block(s, count + 2 * MARGIN) + MARGIN;
    for (size_t i = 0; i < MARGIN; i++) made[count + i] = *(made - 1 - i) = CANARY;
    for (size_t i = 0; random && i < count; i++) made[i] = gsl_ran_gaussian(s->rng, 1);
    return made;
}

static void require_fence(const struct subject *s, const char *what, size_t count, const double *v)
{
    for (size_t i = 0; i < MARGIN; i++)
        if (v[count + i] != CANARY || *(v - 1 - i) != CANARY)
            fail_msg("%s: %s wrote past its output", s->label, what);
}

static double *copy_of(struct subject *s, size_t count, const double *v)
{
    double *made = block(s, count);
    return count ? memcpy(made, v, count * sizeof *v) : made;
}

/* Every primitive stays inside its outputs and leaves its inputs alone, L = 0 and K = 0 included. */
static void check_memory(struct subject *s)
{
    static const size_t lanes[] = {0, 1, 3, 8, 9};
    const struct sens_problem_type *type = s->pb.type;
    const size_t n = s->pb.n, np = s->pb.np, K = 3;
    for (size_t c = 0; c < sizeof lanes / sizeof *lanes; c++) {
        const size_t L = lanes[c], cols = L < np ? L : np;
        const struct batch b = batch_create(s, K);
        const struct sens_at at = {b.t[0], b.X, b.p};
        const double *W = random_block(s, K * n * L);
        const double *t = copy_of(s, K, b.t), *X = copy_of(s, K * n, b.X), *p = copy_of(s, np, b.p);
        const double *W_before = copy_of(s, K * n * L, W);
        double *dx = fenced(s, n, true), *OUT[3], *MU[2] = {fenced(s, np * L, true), fenced(s, np * L, true)};
        const double *MU0 = copy_of(s, np * L, MU[1]);
        for (int v = 0; v < 3; v++) OUT[v] = fenced(s, n * (v == 2 ? cols : L), true);
        assert_int_equal(type->rhs(&s->pb, at, dx), SENS_OK);
        type->vjp(&s->pb, at, L, W, OUT[0]);
        type->jvp(&s->pb, at, L, W, OUT[1]);
        type->jvp_p_cols(&s->pb, at, np - cols, cols, OUT[2]);
        type->vjp_p_batch(&s->pb, K, b.t, b.X, b.p, L, W, MU[0]);
        type->vjp_p_batch(&s->pb, 0, b.t, b.X, b.p, L, W, MU[1]);
        assert_memory_equal(MU[1], MU0, np * L * sizeof(double));
        require_fence(s, "rhs", n, dx);
        require_fence(s, "vjp", n * L, OUT[0]);
        require_fence(s, "jvp", n * L, OUT[1]);
        require_fence(s, "jvp_p_cols", n * cols, OUT[2]);
        require_fence(s, "vjp_p_batch", np * L, MU[0]);
        assert_memory_equal(t, b.t, K * sizeof *t);
        assert_memory_equal(X, b.X, K * n * sizeof *X);
        assert_memory_equal(p, b.p, np * sizeof *p);
        if (L) assert_memory_equal(W, W_before, K * n * L * sizeof *W);
    }
}

static void test_transpose_identity(void **state)
{
    (void)state;
    for_each_subject(check_transpose);
}

static void test_batch_is_transpose_of_columns(void **state)
{
    (void)state;
    for_each_subject(check_batch);
}

static void test_columns_in_parts(void **state)
{
    (void)state;
    for_each_subject(check_columns);
}

static void test_initial_state(void **state)
{
    (void)state;
    for_each_subject(check_initial_state);
}

static void test_lanes_are_independent(void **state)
{
    (void)state;
    for_each_subject(check_lanes_are_independent);
}

static void test_memory(void **state)
{
    (void)state;
    for_each_subject(check_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose_identity),    cmocka_unit_test(test_batch_is_transpose_of_columns),
        cmocka_unit_test(test_columns_in_parts),      cmocka_unit_test(test_initial_state),
        cmocka_unit_test(test_lanes_are_independent), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
