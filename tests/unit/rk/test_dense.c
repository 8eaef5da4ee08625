/* Dense output of every tableau: order, end points, derivative at the ends, both directions. */
#include <float.h>

#include "solver_support.h"
#include "testing.h"

enum { MAX_COEF = 16 * SYSTEM_N };

/* One step from the exact state at t, and its interpolant. */
struct piece {
    struct sens_ctx ctx;
    struct system system;
    struct sens_ode_part part;
    struct sens_ode ode;
    struct sens_scheme *scheme;
    double K[SENS_MAX_STAGES * SYSTEM_N]; /* slopes of its stages */
    double coef[MAX_COEF];
    struct sens_step step;
};

static void make_piece(struct piece *piece, const struct sens_tableau *tb, double t, double h)
{
    double y[SYSTEM_N];
    system_exact(t, y);
    *piece = (struct piece){0};
    system_ode(&piece->system, 1, &piece->part, &piece->ode);
    const struct sens_scheme_setup setup = {&piece->ode, tb, controller_named("fixed")};
    struct sens_scheme *scheme;
    size_t size;
    assert_int_equal(sens_scheme_create(&piece->ctx, &setup, &scheme), SENS_OK);
    piece->scheme = scheme;
    scheme->type->start(scheme, t, y, NULL);
    assert_int_equal(scheme->type->try(scheme, h, NULL), SENS_OK);
    memcpy(piece->K, scheme->K, (size_t)tb->stages * SYSTEM_N * sizeof(double));
    piece->step = (struct sens_step){.t = t,
                                     .h = h,
                                     .t1 = t + h,
                                     .y = scheme->Y,
                                     .Y = scheme->Y,
                                     .K = scheme->K,
                                     .y1 = scheme->y1,
                                     .stop = -1};
    assert_int_equal(scheme->type->dense->create(&piece->ctx, scheme, &size), SENS_OK);
    assert_true(size <= MAX_COEF);
    assert_int_equal(scheme->type->dense->build(scheme, &piece->step, piece->coef), SENS_OK);
}

static void eval_piece(const struct piece *piece, double theta, double *y)
{
    piece->scheme->type->dense->eval(piece->scheme, piece->coef, theta, y);
}

static void close_piece(struct piece *piece)
{
    sens_arena_release(&piece->ctx.arena);
}

/* Largest error inside the step, against the exact solution. */
static double inner_error(const struct sens_tableau *tb, double t, double h)
{
    struct piece piece;
    double worst = 0;
    make_piece(&piece, tb, t, h);
    for (int k = 1; k < 16; k++) {
        const double theta = k / 16.0;
        double y[SYSTEM_N], exact[SYSTEM_N];
        eval_piece(&piece, theta, y);
        system_exact(t + theta * h, exact);
        for (int i = 0; i < SYSTEM_N; i++) worst = fmax(worst, fabs(y[i] - exact[i]));
    }
    close_piece(&piece);
    return worst;
}

/* A single step's interior error falls like h^(q+1), q the order of the interpolant. The slope is taken
 * between the two finest steps whose error stands above rounding (5e-14, hundreds of ulp). */
static void test_order(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double slope = 0, coarse = inner_error(tableaux[i], 0.7, sign * 0.5);
            for (double h = 0.25; h > 1e-3; h /= 2) {
                const double fine = inner_error(tableaux[i], 0.7, sign * h);
                if (fine < 5e-14) break;
                slope = log2(coarse / fine);
                coarse = fine;
            }
            if (fabs(slope - (tableaux[i]->dense_order + 1)) > 0.35)
                fail_msg("%s: local order %g of dense output, expected %d", tableaux[i]->name, slope,
                         tableaux[i]->dense_order + 1);
        }
}

/* At theta = 0 the state itself, at theta = 1 the step's end to an ulp or two. */
static void test_ends(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        struct piece piece;
        double y[SYSTEM_N];
        make_piece(&piece, tableaux[i], 0.3, 0.25);
        eval_piece(&piece, 0, y);
        assert_memory_equal(y, piece.step.y, sizeof y);
        eval_piece(&piece, 1, y);
        for (int q = 0; q < SYSTEM_N; q++)
            if (!(fabs(y[q] - piece.step.y1[q]) < 2 * DBL_EPSILON * (1 + fabs(y[q]))))
                fail_msg("%s: end differs by %g", tableaux[i]->name, y[q] - piece.step.y1[q]);
        close_piece(&piece);
    }
}

/* The slopes of the extra stages behind those of the stages, from their definition. */
static void extend_slopes(struct piece *piece, const struct sens_tableau *tb)
{
    const struct sens_step *step = &piece->step;
    for (int i = tb->stages; i < tb->stages + tb->extra_stages; i++) {
        double Y[SYSTEM_N];
        for (int q = 0; q < SYSTEM_N; q++) {
            double sum = 0;
            for (int j = 0; j < i; j++) sum += sens_tableau_a(tb, i, j) * piece->K[j * SYSTEM_N + q];
            Y[q] = step->y[q] + step->h * sum;
        }
        system_f(&piece->system, step->t + tb->c[i] * step->h, Y, piece->K + i * SYSTEM_N);
    }
}

/* The stored form against the formula of sens/tableau.h, y + h sum_i (sum_d B_id theta^d) K_i. The latter's
 * rounding is that of weights of up to a thousand. */
static void test_formula(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        const struct sens_tableau *tb = tableaux[i];
        const int all = tb->stages + tb->extra_stages, D = tb->dense_degree;
        if (D == 0) continue;
        struct piece piece;
        make_piece(&piece, tb, 0.3, 0.25);
        extend_slopes(&piece, tb);
        for (double theta = 0; theta <= 1; theta += 0.125) {
            double y[SYSTEM_N];
            eval_piece(&piece, theta, y);
            for (int q = 0; q < SYSTEM_N; q++) {
                double sum = 0;
                for (int s = 0; s < all; s++) {
                    double weight = 0;
                    for (int d = D; d >= 1; d--) weight = (weight + tb->dense[s * D + d - 1]) * theta;
                    sum += weight * piece.K[s * SYSTEM_N + q];
                }
                if (!(fabs(piece.step.y[q] + 0.25 * sum - y[q]) < 2000 * DBL_EPSILON))
                    fail_msg("%s: %g from the formula at %g", tb->name, piece.step.y[q] + 0.25 * sum - y[q],
                             theta);
            }
        }
        close_piece(&piece);
    }
}

/* The derivative at the ends, from differences of the interpolant: h f and h f1. With steps of 1e-4 the
 * truncation is about 1e-8. */
static void test_end_slopes(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        const struct sens_tableau *tb = tableaux[i];
        const double t = 0.3, h = 0.25, d = 1e-4;
        struct piece piece;
        double f1[SYSTEM_N], a[SYSTEM_N], b[SYSTEM_N];
        make_piece(&piece, tb, t, h);
        system_f(&piece.system, t + h, piece.step.y1, f1);
        for (int end = 0; end < 2; end++) {
            eval_piece(&piece, end - d, a);
            eval_piece(&piece, end + d, b);
            for (int q = 0; q < SYSTEM_N; q++)
                if (!(fabs((b[q] - a[q]) / (2 * d) - h * (end ? f1[q] : piece.K[q])) < 1e-6))
                    fail_msg("%s: slope at %d", tb->name, end);
        }
        close_piece(&piece);
    }
}

/* A status of f in an extra evaluation comes back. */
static void test_failure(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        const struct sens_tableau *tb = tableaux[i];
        struct piece piece;
        make_piece(&piece, tb, 0.3, 0.25);
        const long extra = piece.system.calls - tb->stages;
        const bool hermite = tb->dense_degree == 0;
        assert_int_equal(extra, hermite && !tb->fsal ? 1 : tb->extra_stages);
        for (long k = 1; k <= extra; k++) {
            piece.system = (struct system){.fail_from = k, .fail_to = k, .fail_with = SENS_RHS_FAILED};
            assert_int_equal(piece.scheme->type->dense->build(piece.scheme, &piece.step, piece.coef),
                             SENS_RHS_FAILED);
        }
        close_piece(&piece);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),      cmocka_unit_test(test_ends),    cmocka_unit_test(test_formula),
        cmocka_unit_test(test_end_slopes), cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
