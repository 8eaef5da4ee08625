/* Quantities of the probe that can be measured, for costs that take a file of measurements (sens/option.h):
 *
 *     h_k(t, x, p) = a_k x_i x_(i+1) + b_k p_q (1 + x_i^2) + sin(t) / 8,      i = k mod n, q = k mod np
 *
 * which depend on t, on p beside x, and on each other's states, all differently. */
#include "probe.h"

static double factor(size_t k, double irrational)
{
    const double multiple = irrational * (double)(k + 1);
    return 0.75 + (multiple - floor(multiple)) / 2;
}

struct quantity {
    size_t i, next, q; /* of the states and the parameter */
    double a, b;       /* b = 0 without parameters */
};

static struct quantity quantity(const struct sens_observer *observer, size_t at)
{
    const struct sens_problem *const pb = ((const struct probe_quantities *)observer->data)->problem;
    const size_t k = ((const struct probe_quantities *)observer->data)->number[at];
    return (struct quantity){.i = k % pb->n,
                             .next = (k + 1) % pb->n,
                             .q = pb->np > 0 ? k % pb->np : 0,
                             .a = factor(k, sqrt(31)),
                             .b = pb->np > 0 ? factor(k, sqrt(37)) / 4 : 0};
}

static double value(const struct sens_observer *observer, const struct sens_at *at, size_t k)
{
    const struct quantity h = quantity(observer, k);
    const double x = at->x[h.i], of_p = h.b != 0 ? h.b * at->p[h.q] * (1 + x * x) : 0;
    return h.a * x * at->x[h.next] + of_p + sin(at->t) / 8;
}

static void pull(const struct sens_observer *observer, const struct sens_at *at, size_t k, double w,
                 size_t lane, size_t L, double *X, double *P)
{
    const struct quantity h = quantity(observer, k);
    const double x = at->x[h.i], p = h.b != 0 ? at->p[h.q] : 0;
    if (X) {
        X[h.i * L + lane] += w * (h.a * at->x[h.next] + 2 * h.b * p * x);
        X[h.next * L + lane] += w * h.a * x;
    }
    if (P && h.b != 0) P[h.q * L + lane] += w * h.b * (1 + x * x);
}

sens_status probe_observe(struct sens_ctx *ctx, const struct sens_problem *pb, size_t count,
                          const size_t *number, struct sens_observer *observer)
{
    struct probe_quantities *const made = SENS_NEW(ctx, struct probe_quantities, 1);
    size_t *const kept = SENS_NEW(ctx, size_t, count + 1);
    if (!made || !kept) return SENS_NO_MEMORY;
    for (size_t k = 0; k < count; k++) kept[k] = number[k];
    *made = (struct probe_quantities){.problem = pb, .number = kept};
    *observer = (struct sens_observer){.count = count, .data = made, .value = value, .pull = pull};
    return SENS_OK;
}
