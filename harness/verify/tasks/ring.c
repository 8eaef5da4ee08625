/* The equations of ring.h. */
#include "ring.h"

#include <string.h>

enum { STATES = 6, ENTRIES = 2 * STATES };

struct ring {
    const double *k;
    bool closed;
    double x0[STATES], p;
    size_t start[STATES + 1], col[ENTRIES];
    struct sens_pattern pattern;
    struct sens_structure structure;
};

/* The state that flows into state i; STATES: none. */
static size_t before(const struct ring *ring, size_t i)
{
    return i > 0 ? i - 1 : ring->closed ? STATES - 1 : STATES;
}

static double inflow(const struct ring *ring, size_t i, const double *x)
{
    const size_t from = before(ring, i);
    return from < STATES ? x[from] * x[from] : 0;
}

static double slope_by_p(const struct ring *ring, size_t i, const double *x)
{
    return *ring->k * (inflow(ring, i, x) - x[i] * x[i]);
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    for (size_t i = 0; i < STATES; i++) dx[i] = at->p[0] * slope_by_p(pb->data, i, at->x);
    return SENS_OK;
}

/* OUT = J(y) V, or J(y)^T V [n][L], with J(y) = factor d/dx (inflow - x^2), which is linear in y [n][points]: one for
 * all lanes, or one for each. */
static void multiply(const struct ring *ring, double factor, bool transposed, const double *y, size_t points,
                     size_t L, const double *V, double *OUT)
{
    memset(OUT, 0, STATES * L * sizeof *OUT);
    for (size_t i = 0; i < STATES; i++)
        for (size_t l = 0; l < L; l++) {
            const size_t from = before(ring, i), lane = points > 1 ? l : 0;
            OUT[i * L + l] -= 2 * factor * y[i * points + lane] * V[i * L + l];
            if (from == STATES) continue;
            const double entry = 2 * factor * y[from * points + lane];
            OUT[(transposed ? from : i) * L + l] += entry * V[(transposed ? i : from) * L + l];
        }
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    const struct ring *const ring = pb->data;
    multiply(ring, at->p[0] * *ring->k, true, at->x, 1, L, W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    const struct ring *const ring = pb->data;
    multiply(ring, at->p[0] * *ring->k, false, at->x, 1, L, V, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    (void)k0;
    for (size_t i = 0; i < STATES; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += slope_by_p(pb->data, i, at->x);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < STATES; i++)
            for (size_t l = 0; l < L; l++)
                MU[l] += slope_by_p(pb->data, i, X + k * STATES) * W[(k * STATES + i) * L + l];
}

/* J^T w along dx is J(dx)^T w, along dp it is J^T w dp / p; (df/dp)^T w along dx is dx^T J^T w / p, along dp 0. */
static void hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    const struct ring *const ring = pb->data;
    double by_p[STATES];
    memset(OUT, 0, STATES * L * sizeof *OUT);
    if (v->x) multiply(ring, at->p[0] * *ring->k, true, v->x, L, L, W, OUT);
    for (size_t l = 0; l < L; l++) {
        double w[STATES];
        for (size_t i = 0; i < STATES; i++) w[i] = W[i * L + l];
        multiply(ring, *ring->k, true, at->x, 1, 1, w, by_p);
        for (size_t i = 0; i < STATES; i++) {
            if (v->p) OUT[i * L + l] += by_p[i] * v->p[l];
            if (v->x && MU) MU[l] += by_p[i] * v->x[i * L + l];
        }
    }
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    const struct ring *const ring = pb->data;
    const double factor = 2 * at->p[0] * *ring->k;
    for (size_t i = 0; i < STATES; i++)
        for (size_t e = ring->start[i]; e < ring->start[i + 1]; e++)
            J[e] = (ring->col[e] == i ? -factor : factor) * at->x[ring->col[e]];
}

static const struct sens_problem_type ring_type = {.name = "ring",
                                                   .rhs = rhs,
                                                   .vjp = vjp,
                                                   .jvp = jvp,
                                                   .jvp_p_cols = jvp_p_cols,
                                                   .vjp_p_batch = vjp_p_batch,
                                                   .hvp = hvp,
                                                   .autonomous = true};

/* Columns ascend in each row. */
static void make_pattern(struct ring *ring)
{
    size_t count = 0;
    for (size_t i = 0; i < STATES; i++) {
        const size_t from = before(ring, i);
        ring->start[i] = count;
        if (from < i) ring->col[count++] = from;
        ring->col[count++] = i;
        if (from > i && from < STATES) ring->col[count++] = from;
    }
    ring->start[STATES] = count;
    ring->pattern = (struct sens_pattern){STATES, STATES, ring->start, ring->col};
    ring->structure = (struct sens_structure){.jacobian = jacobian, .sparsity = &ring->pattern};
}

static void make(struct verify *v, const double *k, bool closed, struct sens_problem *problem)
{
    struct ring *const ring = verify_memory(v, 1, sizeof *ring);
    *ring = (struct ring){.k = k, .closed = closed, .p = 1};
    for (size_t i = 0; i < STATES; i++) ring->x0[i] = !closed ? 1 + 0.1 * (double)i : i == 0;
    make_pattern(ring);
    *problem = (struct sens_problem){.type = &ring_type,
                                     .n = STATES,
                                     .np = 1,
                                     .t1 = 1,
                                     .x0 = ring->x0,
                                     .p = &ring->p,
                                     .x0_fixed = true,
                                     .structure = &ring->structure,
                                     .data = ring};
}

void ring_problem(struct verify *v, const double *k, struct sens_problem *problem)
{
    make(v, k, true, problem);
}

void ring_open_problem(struct verify *v, const double *k, struct sens_problem *problem)
{
    make(v, k, false, problem);
}
