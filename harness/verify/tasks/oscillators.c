/* The equations of oscillators.h. */
#include "oscillators.h"

#include <string.h>

enum { STATES = 5 };

struct oscillators {
    const double *k;
    double share; /* of f: 1, or that of f_I */
    double B[STATES][STATES], x0[STATES], p;
};

static const double SLOW = -0.3, WEAK = 0.1, IMPLICIT = 0.75;

static void fill(struct oscillators *made)
{
    for (size_t i = 0; i < STATES; i++) {
        made->x0[i] = cos(1 + 2.3 * (double)i);
        for (size_t j = 0; j < STATES; j++)
            made->B[i][j] = WEAK * sin(0.7 + 1.9 * (double)i + 3.1 * (double)j);
    }
    made->B[0][0] = SLOW;
    for (size_t i = 1; i < STATES; i += 2) {
        made->B[i][i + 1] += 1;
        made->B[i + 1][i] -= 1;
    }
}

/* In column j of I - z C the largest number that is left is that of row j + 1. */
static void fill_in_turn(struct oscillators *made)
{
    static const double GROWS = 2.5, BESIDE = 0.3;
    for (size_t i = 0; i < STATES; i++) {
        made->x0[i] = cos(1 + 2.3 * (double)i);
        for (size_t j = i + 1; j < STATES; j++) {
            made->B[i][j] =
                pow(GROWS, (double)i - 2) * (j == i + 1 ? 1 : BESIDE * sin(0.7 + (double)(i + 2 * j)));
            made->B[j][i] = -made->B[i][j];
        }
    }
}

/* k, or its part */
static double speed(const struct sens_problem *pb)
{
    const struct oscillators *const made = pb->data;
    return made->share * *made->k;
}

/* OUT = factor B V [n][L], or B^T V. */
static void multiply(const struct sens_problem *pb, double factor, bool transposed, size_t L, const double *V,
                     double *OUT)
{
    const struct oscillators *const made = pb->data;
    for (size_t i = 0; i < STATES; i++)
        for (size_t l = 0; l < L; l++) {
            double sum = 0;
            for (size_t j = 0; j < STATES; j++)
                sum += (transposed ? made->B[j][i] : made->B[i][j]) * V[j * L + l];
            OUT[i * L + l] = factor * sum;
        }
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    multiply(pb, at->p[0] * speed(pb), false, 1, at->x, dx);
    return SENS_OK;
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    multiply(pb, at->p[0] * speed(pb), true, L, W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    multiply(pb, at->p[0] * speed(pb), false, L, V, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    double slope[STATES];
    (void)k0;
    multiply(pb, speed(pb), false, 1, at->x, slope);
    for (size_t i = 0; i < STATES; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += slope[i];
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    double slope[STATES];
    (void)t, (void)p;
    for (size_t k = 0; k < K; k++) {
        multiply(pb, speed(pb), false, 1, X + k * STATES, slope);
        for (size_t i = 0; i < STATES; i++)
            for (size_t l = 0; l < L; l++) MU[l] += slope[i] * W[(k * STATES + i) * L + l];
    }
}

static void rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *out)
{
    (void)pb, (void)at;
    memset(out, 0, STATES * sizeof *out);
}

/* J^T w moves with p alone, (df/dp)^T w with x alone. */
static void hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    (void)at;
    multiply(pb, speed(pb), true, L, W, OUT);
    for (size_t i = 0; i < STATES; i++)
        for (size_t l = 0; l < L; l++) {
            if (MU && v->x) MU[l] += v->x[i * L + l] * OUT[i * L + l];
            OUT[i * L + l] *= v->p ? v->p[l] : 0;
        }
}

static const struct sens_problem_type oscillators_type = {.name = "oscillators",
                                                          .rhs = rhs,
                                                          .vjp = vjp,
                                                          .jvp = jvp,
                                                          .jvp_p_cols = jvp_p_cols,
                                                          .vjp_p_batch = vjp_p_batch,
                                                          .rhs_t = rhs_t,
                                                          .hvp = hvp,
                                                          .autonomous = true};

static void make(struct verify *v, const double *k, void (*fill_matrix)(struct oscillators *made),
                 struct sens_problem *problem)
{
    struct oscillators *const made = verify_memory(v, 2, sizeof *made);
    struct sens_problem *const implicit = verify_memory(v, 1, sizeof *implicit);
    made[0] = (struct oscillators){.k = k, .share = 1, .p = 1};
    fill_matrix(&made[0]);
    made[1] = made[0];
    made[1].share = IMPLICIT;
    *problem = (struct sens_problem){.type = &oscillators_type,
                                     .n = STATES,
                                     .np = 1,
                                     .t1 = 1,
                                     .x0 = made->x0,
                                     .p = &made->p,
                                     .x0_fixed = true,
                                     .data = &made[0]};
    *implicit = *problem;
    implicit->data = &made[1];
    problem->implicit = implicit;
}

void oscillators_problem(struct verify *v, const double *k, struct sens_problem *problem)
{
    make(v, k, fill, problem);
}

void oscillators_in_turn(struct verify *v, const double *k, struct sens_problem *problem)
{
    make(v, k, fill_in_turn, problem);
}
