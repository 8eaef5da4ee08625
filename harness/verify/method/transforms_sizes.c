/* scale.components: each component of p and x0 in a unit of its own, so that they are of very different sizes.
 *
 *     x_i' = s_i p_i / q_i sin(x_i / s_i),   x_i(0) = s_i a_i,   p_i = q_i b_i,   G = sum_i x_i(t1) / s_i:
 *     s_i dG/dx0_i and q_i dG/dp_i are the same for all s, q
 *
 * With powers of two for s and q nothing is rounded. No component sees another, so that a bump which is right for one
 * alone is right here; G is of size 1, so that a small one is not lost beside a large one. G bends over changes of x_i
 * of size s_i and of p_i of size q_i, and f stays finite however far a bump goes. */
#include <stdio.h>

#include "transforms.h"
#include "trial.h"

enum { N = 3, VARIABLES = 2, STEPS = 64, TOLERANCES = 2 };
static const double FIRST[N] = {1.25, 1.125, 1.375}, RATE[N] = {1.5, 1.25, 1.375}, LENGTH = 1;
/* Solves that choose their own steps have an error of the size of the tolerance, which a quotient divides by its bump:
 * the second is for small bumps. */
static const double TOLERANCE[TOLERANCES] = {1e-8, 1e-12};
/* Of each entry. A bump that is 2^20 times too large is off by a hundredth where it is the smallest in use (forward,
 * sqrt(eps)), and by all of the entry where it is 2^40 times too large. */
static const double NEAR = 1e-3;
/* What quotients differ by, as parts of an entry, where all components are of one size: times this, allowed where they
 * are not; and where it is more, nothing is told. */
static const double NOISE = 16, MOST_NOISE = 1.0 / 64;

struct sizes { /* log2 of s and q */
    int of_x0[N], of_p[N];
};
/* All from 1 upwards: a bump may have a least size of its own. No component has the size of its neighbour, of the first
 * or the last, or of the other vector's. */
static const struct sizes equal = {{0, 0, 0}, {0, 0, 0}}, large = {{40, 40, 40}, {40, 40, 40}},
                          unlike = {{20, 0, 40}, {0, 40, 20}};

/* ---- the problem --------------------------------------------------------------------------------------- */

struct units {
    double s[N], q[N];
};

static double rate_of(const struct units *units, const struct sens_at *at, size_t i)
{
    return at->p[i] / units->q[i];
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct units *const u = pb->data;
    for (size_t i = 0; i < N; i++) dx[i] = u->s[i] * rate_of(u, at, i) * sin(at->x[i] / u->s[i]);
    return SENS_OK;
}

/* J V and J^T V: implicit formulas solve with df/dx. No quotient asks for df/dp. */
static void product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                    double *OUT)
{
    const struct units *const u = pb->data;
    for (size_t i = 0; i < N; i++) {
        const double slope = rate_of(u, at, i) * cos(at->x[i] / u->s[i]);
        for (size_t l = 0; l < L; l++) OUT[i * L + l] = slope * V[i * L + l];
    }
}

static const struct sens_problem_type problem_type = {
    .name = "sizes", .rhs = rhs, .vjp = product, .jvp = product};

static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    const struct units *const u = cost->data;
    (void)j, (void)p;
    for (size_t i = 0; i < N; i++) G[0] += x[i] / u->s[i];
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    const struct units *const u = cost->data;
    (void)j, (void)x, (void)p;
    for (size_t i = 0; i < N && c0 == 0 && L > 0; i++) OUT[i * L] += 1 / u->s[i];
}

static const struct sens_cost_type cost_type = {.name = "sizes", .phi = phi, .phi_dx = phi_dx};

static void create(struct verify *v, const struct sizes *sizes, double tol, struct bed *bed)
{
    struct units *const u = verify_memory(v, 1, sizeof *u);
    double *const x0 = verify_array(v, N), *const p = verify_array(v, N);
    for (size_t i = 0; i < N; i++) {
        u->s[i] = exp2(sizes->of_x0[i]), u->q[i] = exp2(sizes->of_p[i]);
        x0[i] = u->s[i] * FIRST[i], p[i] = u->q[i] * RATE[i];
    }
    const struct sens_problem problem = {
        .type = &problem_type, .n = N, .np = N, .t1 = LENGTH, .x0 = x0, .p = p, .x0_fixed = true, .data = u};
    const struct sens_cost cost = {
        .type = &cost_type, .n = N, .np = N, .m = 1, .n_obs = 1, .t_obs = &LENGTH, .data = u};
    bed_create(v, &problem, &cost, v->method, bed);
    if (!bed_fixed(bed, "rk4", STEPS)) bed_tolerance(bed, tol);
}

/* ---- the quotients ------------------------------------------------------------------------------------- */

struct quotients { /* s_i dG/dx0_i and q_i dG/dp_i; 0 where the method has none */
    double by[VARIABLES][N];
    sens_status status;
    bool chooses; /* steps, by the tolerance */
    char message[VERIFY_TEXT / 2];
};

static const char *const title[VARIABLES] = {"dG/dx0", "dG/dp"};

static bool solve(struct verify *v, const struct sizes *sizes, double tol, struct quotients *to)
{
    struct bed bed;
    create(v, sizes, tol, &bed);
    *to = (struct quotients){.status = bed_solve(&bed)};
    to->chooses = v->method->caps & SENS_CAP_TOLERANCE && !bed_is_fixed(&bed);
    snprintf(to->message, sizeof to->message, "%s: %s", sens_status_name(to->status), bed.message);
    for (size_t i = 0; i < N && to->status == SENS_OK; i++) {
        if (bed.out.dGdx0) to->by[0][i] = ldexp(bed.out.dGdx0[i], sizes->of_x0[i]);
        if (bed.out.dGdp) to->by[1][i] = ldexp(bed.out.dGdp[i], sizes->of_p[i]);
    }
    bed_free(&bed);
    return to->status == SENS_OK;
}

/* The largest difference, as a part of its entry. */
static double apart(const struct quotients *a, const struct quotients *b)
{
    double most = 0;
    for (size_t k = 0; k < VARIABLES; k++)
        for (size_t i = 0; i < N; i++)
            if (a->by[k][i] != b->by[k][i]) {
                const double off = fabs(b->by[k][i] - a->by[k][i]) / fabs(a->by[k][i]);
                most = isnan(off) ? INFINITY : fmax(most, off);
            }
    return most;
}

struct study {
    struct quotients small; /* with all sizes 1 */
    double tol, noise;      /* of quotients where all components are of one size, as a part of each */
};

/* Looks for a tolerance at which the noise is small. false: there is none, and this is said. */
static bool find_noise(struct verify *v, struct study *study, struct verify_result *result)
{
    struct quotients other;
    for (size_t k = 0; k < TOLERANCES; k++) {
        study->tol = TOLERANCE[k];
        const bool solved = solve(v, &equal, study->tol, &study->small);
        if (!solved || !solve(v, &large, study->tol, &other)) {
            verify_skip(result, "with components of one size: %s",
                        solved ? other.message : study->small.message);
            return false;
        }
        study->noise = apart(&study->small, &other);
        if (study->noise <= MOST_NOISE) return true;
        if (!study->small.chooses) break;
    }
    verify_skip(result, "quotients differ by %.2g of themselves between components of size 1 and of 2^40",
                study->noise);
    return false;
}

static void note_unlike(struct verify *v, const struct study *study, struct worst *worst)
{
    struct quotients got;
    const double part = NEAR + NOISE * study->noise;
    if (!solve(v, &unlike, study->tol, &got)) {
        worst_note(worst, INFINITY, 0, "with components of unlike sizes alone: %s", got.message);
        return;
    }
    for (size_t k = 0; k < VARIABLES; k++)
        for (size_t i = 0; i < N; i++) {
            const double right = study->small.by[k][i];
            worst_note_in(worst, k == 0 ? SENS_IN_DGDX0 : SENS_IN_DGDP, fabs(got.by[k][i] - right),
                          part * fabs(right),
                          "%s[%zu], of what has size 2^%d, times that size: %.8g; beside equal ones %.8g",
                          title[k], i, (k == 0 ? unlike.of_x0 : unlike.of_p)[i], got.by[k][i], right);
        }
}

void transforms_check_components(struct verify *v)
{
    struct study study;
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("scale.components", v->module,
                                              "x_i' = s_i p_i / q_i sin(x_i / s_i), sizes 1, 2^20, 2^40");
    if (v->method->derivative != SENS_DERIVATIVE_DIFFERENCE)
        verify_skip(&result, "the method takes no difference quotients");
    else if (find_noise(v, &study, &result))
        note_unlike(v, &study, &worst);
    if (worst.count) verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_common_bump, 0.98);
    verify_blame(&result, CAUSE_quotient_bump, 0.3);
    verify_close(v, &result);
}
