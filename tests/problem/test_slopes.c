/* The derivative products of every registered problem against rhs, x0 and exact themselves.
 *
 * Taylor slope: with phi(h) = f(z + h v) and phi'(0) from the product under test, the remainder
 *     r(h) = |phi(h) - phi(0) - h phi'(0)|
 * falls like h^2 (or faster, or is 0) if phi'(0) is right and like h if it is wrong. It is judged,
 * component by component, on the last four octaves of h before rounding takes over, with 1.5 between the
 * two: h^2 and h^3 terms of opposite sign keep a right derivative's slope a little below 2 there. */
#include "subjects.h"

enum { OCTAVES = 45, NOISE_OCTAVES = 6, WINDOW = 4, COLUMNS = 64 };

/* A curve phi(h) in R^n. */
struct curve {
    struct subject *s;
    struct sens_at at;
    const double *dx, *dp; /* direction; NULL for none */
    void (*value)(const struct curve *curve, const double *x, const double *p, double *out /*[n]*/);
};

static void curve_at(const struct curve *curve, double h, double *out)
{
    const size_t n = curve->s->pb.n, np = curve->s->pb.np;
    double *x = block(curve->s, n), *p = block(curve->s, np);
    for (size_t i = 0; i < n; i++) x[i] = curve->at.x[i] + (curve->dx ? h * curve->dx[i] : 0);
    for (size_t q = 0; q < np; q++) p[q] = curve->at.p[q] + (curve->dp ? h * curve->dp[q] : 0);
    curve->value(curve, x, p, out);
}

/* r [OCTAVES + NOISE_OCTAVES] at h = 2^-k. The noise is what is left when h is so small that h^2 is
 * nothing; there a wrong derivative is nothing too. */
static void require_slope(const struct subject *s, const char *what, size_t component, const double *r,
                          double size)
{
    double noise = DBL_EPSILON * size + DBL_MIN;
    for (int k = OCTAVES; k < OCTAVES + NOISE_OCTAVES; k++) noise = fmax(noise, r[k]);
    int last = -1;
    while (last + 1 < OCTAVES && r[last + 1] > 64 * noise) last++;
    if (last < WINDOW) {
        /* Linear, or nearly: the remainder reaches rounding within 4 octaves, so the derivative is right
         * to 2^14 eps. */
        if (last >= 0 && !(r[0] <= 64 * noise * 256))
            fail_msg("%s: %s, component %zu: remainder %.2g at noise %.2g", s->label, what, component, r[0],
                     noise);
        return;
    }
    const double slope = log2(r[last - WINDOW] / r[last]) / WINDOW;
    if (!(slope > 1.5))
        fail_msg("%s: %s, component %zu: slope %.3f at h = 2^-%d", s->label, what, component, slope, last);
}

static void require_derivative(const struct curve *curve, const char *what, const double *derivative)
{
    struct subject *s = curve->s;
    const struct sens_arena_mark mark = sens_arena_mark(&s->ctx.arena);
    const size_t n = s->pb.n;
    const int count = OCTAVES + NOISE_OCTAVES;
    double *phi0 = block(s, n), *r = block(s, n * (size_t)count);
    curve_at(curve, 0, phi0);
    double size = 0;
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(phi0[i]));
    for (int k = 0; k < count; k++) {
        const struct sens_arena_mark inner = sens_arena_mark(&s->ctx.arena);
        double *phi = block(s, n), h = ldexp(1, -k);
        curve_at(curve, h, phi);
        for (size_t i = 0; i < n; i++)
            r[i * (size_t)count + (size_t)k] = fabs(phi[i] - phi0[i] - h * derivative[i]);
        sens_arena_rewind(&s->ctx.arena, inner);
    }
    for (size_t i = 0; i < n; i++) require_slope(s, what, i, r + i * (size_t)count, size);
    sens_arena_rewind(&s->ctx.arena, mark);
}

static void value_rhs(const struct curve *curve, const double *x, const double *p, double *out)
{
    const struct sens_at at = {curve->at.t, x, p};
    assert_int_equal(curve->s->pb.type->rhs(&curve->s->pb, at, out), SENS_OK);
}

static void value_x0(const struct curve *curve, const double *x, const double *p, double *out)
{
    (void)x;
    curve->s->pb.type->x0(&curve->s->pb, p, out);
}

/* A direction of about a tenth of the entries of v. */
static double *direction(struct subject *s, size_t count, const double *v)
{
    double *d = perturbed(s, count, v, 1);
    for (size_t i = 0; i < count; i++) d[i] -= v[i];
    return d;
}

static void check_jvp(struct subject *s)
{
    for (int which = 0; which < SUBJECT_POINTS; which++) {
        struct curve curve = {.s = s, .at = subject_point(s, which), .value = value_rhs};
        double *derivative = block(s, s->pb.n);
        curve.dx = direction(s, s->pb.n, curve.at.x);
        s->pb.type->jvp(&s->pb, curve.at, 1, curve.dx, derivative);
        require_derivative(&curve, "jvp", derivative);
    }
}

/* The direction of parameter k alone. */
static double *parameter_direction(struct subject *s, size_t k, const double *p)
{
    double *d = block(s, s->pb.np);
    d[k] = p[k] != 0 ? 0.1 * p[k] : 0.1;
    return d;
}

static void check_parameter_columns(struct subject *s)
{
    const size_t n = s->pb.n, np = s->pb.np, stride = np / COLUMNS + 1;
    for (int which = 0; which < SUBJECT_POINTS; which++)
        for (size_t k = 0; k < np; k += stride) {
            struct curve curve = {.s = s, .at = subject_point(s, which), .value = value_rhs};
            double *derivative = block(s, n);
            curve.dp = parameter_direction(s, k, curve.at.p);
            s->pb.type->jvp_p_cols(&s->pb, curve.at, k, 1, derivative);
            for (size_t i = 0; i < n; i++) derivative[i] *= curve.dp[k];
            require_derivative(&curve, "jvp_p_cols", derivative);
        }
}

static void check_initial_columns(struct subject *s)
{
    const size_t n = s->pb.n, np = s->pb.np;
    for (size_t k = 0; sens_problem_x0_depends(&s->pb) && k < np; k++) {
        struct curve curve = {.s = s, .at = subject_point(s, 1), .value = value_x0};
        double *derivative = block(s, n);
        curve.dp = parameter_direction(s, k, curve.at.p);
        s->pb.type->x0_jvp_cols(&s->pb, curve.at.p, k, 1, derivative);
        for (size_t i = 0; i < n; i++) derivative[i] *= curve.dp[k];
        require_derivative(&curve, "x0_jvp_cols", derivative);
    }
}

/* ---- exact: S and S0 are the derivatives of x ---------------------------------------------------------- */

/* The query of each level that the problem answers; false when it does not. */
static bool level_query(struct subject *s, enum sens_exact_level level, struct sens_exact_query *q, double *x,
                        double *S, double *S0)
{
    const double span = s->pb.t1 - s->pb.t0;
    *q = (struct sens_exact_query){.level = level, .t = s->pb.t0 + span};
    if (level == SENS_EXACT_DISCRETE) q->tableau = sens_registry_baseline()->tableaux[0], q->dt = span / 1000;
    return s->pb.type->exact && s->pb.type->exact(&s->pb, q, s->pb.p, x, S, S0);
}

/* Central difference of order 4 of exact in parameter k (k < np) or initial value k - np. false: no closed
 * form there. */
static bool exact_difference(struct subject *s, const struct sens_exact_query *q, size_t k, double h,
                             double *d)
{
    static const double offset[] = {-2, -1, 1, 2}, weight[] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    const size_t n = s->pb.n, np = s->pb.np;
    double *p = block(s, np), *x0 = block(s, n), *x = block(s, n);
    memset(d, 0, n * sizeof *d);
    for (int j = 0; j < 4; j++) {
        memcpy(p, s->pb.p, np * sizeof *p);
        memcpy(x0, s->pb.x0, n * sizeof *x0);
        *(k < np ? &p[k] : &x0[k - np]) += offset[j] * h;
        struct sens_problem moved = s->pb;
        moved.x0 = x0;
        if (!s->pb.type->exact(&moved, q, p, x, NULL, NULL)) return false;
        for (size_t i = 0; i < n; i++) d[i] += weight[j] * x[i] / h;
    }
    return true;
}

/* The difference is right to h^4 times the fifth derivative, and to eps / h: 1e-8 of the size of the
 * column at h = 1e-3 of the parameter leaves two digits for rapidly varying solutions. */
static void check_column(struct subject *s, const struct sens_exact_query *q, size_t k, double at,
                         size_t stride, const double *column)
{
    const size_t n = s->pb.n;
    double *d = block(s, n), size = 0, h = 1e-3 * (at != 0 ? fabs(at) : 1);
    if (!exact_difference(s, q, k, h, d)) return;
    for (size_t i = 0; i < n; i++) size = fmax(size, fmax(fabs(d[i]), fabs(column[i * stride])));
    for (size_t i = 0; i < n; i++)
        if (!(fabs(d[i] - column[i * stride]) <= 1e-8 * size + 1e-10))
            fail_msg("%s: exact, level %d, column %zu, row %zu: %.17g is not %.17g", s->label, (int)q->level,
                     k, i, column[i * stride], d[i]);
}

static void check_exact(struct subject *s)
{
    const size_t n = s->pb.n, np = s->pb.np;
    static const enum sens_exact_level levels[] = {SENS_EXACT_PDE, SENS_EXACT_ODE, SENS_EXACT_DISCRETE};
    for (int v = 0; v < 3; v++) {
        struct sens_exact_query q;
        double *x = block(s, n), *S = block(s, n * np), *S0 = block(s, n * n);
        if (level_query(s, levels[v], &q, x, S, NULL))
            for (size_t k = 0; k < np; k++) check_column(s, &q, k, s->pb.p[k], np, S + k);
        if (!sens_problem_x0_depends(&s->pb) && level_query(s, levels[v], &q, x, NULL, S0))
            for (size_t k = 0; k < n; k++) check_column(s, &q, np + k, s->pb.x0[k], n, S0 + k);
    }
}

static void test_jvp(void **state)
{
    (void)state;
    for_each_subject(check_jvp);
}

static void test_parameter_columns(void **state)
{
    (void)state;
    for_each_subject(check_parameter_columns);
}

static void test_initial_columns(void **state)
{
    (void)state;
    for_each_subject(check_initial_columns);
}

static void test_exact(void **state)
{
    (void)state;
    for_each_subject(check_exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jvp),
        cmocka_unit_test(test_parameter_columns),
        cmocka_unit_test(test_initial_columns),
        cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
