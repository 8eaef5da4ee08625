/* methods/linear: the slope of an implicit stage where rows are exchanged.
 *
 *     J = (0 1; a 0),   h gamma = 1e-6,   h gamma a = 1.5 > 1:   M = I - h gamma J is factorised with rows exchanged
 *
 * as of a position and a velocity close to a centre of force. The factors give the velocity the rounding of the
 * position, and (x - c) / (h gamma) would have it a million times. The solution is chosen, and J x and c follow in
 * extended precision; c is rounded, which no entry of k feels by more than the rounding of its terms. */
#include <float.h>

#include "linear_support.h"
#include "stage_matrix.h"

enum { N = 2, LANES = 3 };
static const double H_GAMMA = 1e-6, ENTRY = 1.5e6;

static void plain(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                  double *OUT)
{
    (void)pb, (void)at;
    for (size_t l = 0; l < L; l++) OUT[l] = V[L + l], OUT[L + l] = ENTRY * V[l];
}

static void turned(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                   double *OUT)
{
    (void)pb, (void)at;
    for (size_t l = 0; l < L; l++) OUT[l] = ENTRY * W[L + l], OUT[L + l] = W[l];
}

static sens_status no_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb, (void)at;
    dx[0] = dx[1] = 0;
    return SENS_OK;
}

static const struct sens_problem_type type = {.name = "centre", .rhs = no_rhs, .jvp = plain, .vjp = turned};

struct stage { /* [N][L] */
    double x[N * LANES], k[N * LANES], size[N * LANES];
};

/* Entry `small` of lane l, which the other entry feels by ENTRY; both lanes beside lane 1 have it larger. None is known
 * to the compiler, which would compute some c by itself: where valgrind rounds what is extended, c would have other
 * bits. */
static void choose(size_t L, size_t first, bool transposed, struct stage *right, double *c)
{
    static const volatile double small[LANES] = {0.25, 0.5e-6, -3}, large[LANES] = {1.1, 1.3, 0.7};
    const size_t s = transposed ? 1 : 0, b = 1 - s;
    for (size_t l = 0; l < L; l++) {
        const long double x_s = small[first + l], x_b = large[first + l];
        const long double k_s = x_b, k_b = ENTRY * x_s;
        right->x[s * L + l] = small[first + l], right->x[b * L + l] = large[first + l];
        right->k[s * L + l] = (double)k_s, right->k[b * L + l] = (double)k_b;
        right->size[s * L + l] = fabs((double)k_s), right->size[b * L + l] = fabs((double)k_b);
        c[s * L + l] = (double)(x_s - (long double)H_GAMMA * k_s);
        c[b * L + l] = (double)(x_b - (long double)H_GAMMA * k_b);
    }
}

/* x and k of the lanes from `first` on, where x = M^-1 c is formed by the factors. */
static void solve(size_t L, size_t first, bool transposed, bool refine, struct stage *right,
                  struct stage *got)
{
    struct sens_ctx ctx = {.now = NULL};
    struct sens_structure structure = {.sparsity = NULL};
    const double at_x[N] = {0}, f[N * LANES] = {0};
    const struct sens_problem pb = {.type = &type, .n = N, .x0 = at_x, .structure = &structure};
    const struct sens_at at = {0, at_x, NULL};
    struct sens_stage_matrix matrix;
    assert_int_equal(sens_stage_matrix_create(&ctx, &pb, transposed ? SENS_VJP : SENS_JVP, &matrix), SENS_OK);
    assert_int_equal(sens_stage_matrix_room(&ctx, L, &matrix), SENS_OK);
    sens_stage_matrix_at(&matrix, &at);
    assert_int_equal(sens_stage_matrix_factor(&matrix, H_GAMMA), SENS_OK);
    choose(L, first, transposed, right, got->k);
    memcpy(got->x, got->k, N * L * sizeof *got->x);
    sens_shifted_solve(matrix.system, transposed, L, got->x);
    const struct sens_stage_slope of = {L, H_GAMMA, f, got->x, got->k};
    sens_stage_matrix_slope(&matrix, transposed, refine, &of);
    sens_arena_release(&ctx.arena);
}

/* The largest error of k, against the rounding of its terms and that of what x feels of it. */
static double error_of(size_t L, const struct stage *right, const struct stage *got)
{
    double worst = 0;
    for (size_t q = 0; q < N * L; q++) {
        const double unit = DBL_EPSILON * (right->size[q] + fabs(right->x[q]));
        worst = fmax(worst, fabs(got->k[q] - right->k[q]) / unit);
    }
    return worst;
}

/* Without the correction the test would see nothing: then the factors exchange no rows any more. */
static void slopes_have_their_own_rounding(void **state)
{
    (void)state;
    for (int transposed = 0; transposed < 2; transposed++) {
        struct stage right, got;
        solve(LANES, 0, transposed, true, &right, &got);
        assert_true(error_of(LANES, &right, &got) <= 16);
        solve(LANES, 0, transposed, false, &right, &got);
        assert_true(error_of(LANES, &right, &got) > 1000);
    }
}

/* A lane gets the bits that it gets alone, whoever is corrected beside it. */
static void lanes_are_by_themselves(void **state)
{
    (void)state;
    for (int transposed = 0; transposed < 2; transposed++) {
        struct stage right, all, one;
        solve(LANES, 0, transposed, true, &right, &all);
        for (size_t l = 0; l < LANES; l++) {
            solve(1, l, transposed, true, &right, &one);
            for (size_t i = 0; i < N; i++) {
                assert_memory_equal(&one.k[i], &all.k[i * LANES + l], sizeof *one.k);
                assert_memory_equal(&one.x[i], &all.x[i * LANES + l], sizeof *one.x);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slopes_have_their_own_rounding),
                                       cmocka_unit_test(lanes_are_by_themselves)};
    return cmocka_run_group_tests_name("slopes of implicit stages", tests, NULL, NULL);
}
