/* An explicit Runge-Kutta formula with equal steps, of x and S,
 *
 *     y_i = x + h sum_j a_ij f(t + c_j h, y_j),   c_i = sum_j a_ij,   x1 = x + h sum_i b_i f(t + c_i h, y_i),
 *
 * for modules that bring a formula of their own: the including file defines NAME, SUMMARY, STEPS and STAGES, and a step
 * by runge_kutta behind this file. */
#ifndef VECTORS /* more, where a formula keeps what it needs later */
#define VECTORS (STAGES + 1)
#endif
#include "one_step.h"

struct formula {
    sens_real a[STAGES][STAGES], b[STAGES];
};

/* The running cost has the weights of x. */
static sens_status runge_kutta(struct state *st, const struct formula *formula, sens_real t, sens_real h)
{
    const size_t n = st->n, size = st->own.size;
    sens_real *const *const K = st->own.vector, *const y = st->own.vector[STAGES];
    for (size_t i = 0; i < STAGES; i++) {
        struct sens_at at = {t, y, st->task->problem->p};
        memcpy(y, st->x, size * sizeof *y);
        for (size_t j = 0; j < i; j++) {
            at.t += formula->a[i][j] * h;
            sens_lanes_axpy(size, 1, h * formula->a[i][j], K[j], y);
        }
        const sens_status status = slopes(st, at.t, y, y + n, K[i], K[i] + n);
        if (status != SENS_OK) return status;
        integrate(st, &at, h * formula->b[i], y + n);
    }
    for (size_t i = 0; i < STAGES; i++) sens_lanes_axpy(size, 1, h * formula->b[i], K[i], st->x);
    return SENS_OK;
}
