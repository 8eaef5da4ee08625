/* The equations of curved.h. With a = b cos((1 + i) t), of the derivatives
 *
 *     f_x = p (a / 4 - r (1 + x)),   f_p = a (1 + x / 4) - r (x + x^2 / 2),   f_t = p a' (1 + x / 4),
 *
 * those that are not 0 are f_xx = -p r, f_xp = f_x / p, f_xt = p a' / 4 and f_pt = a' (1 + x / 4). */
#include "curved.h"

#include "diagonal.h"

struct term { /* of component i at a point */
    double a, a_t, r, x, p;
};

static struct term term_of(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    const struct curved *const made = pb->data;
    const double w = (double)(1 + i);
    return (struct term){.a = made->forcing * cos(w * at->t),
                         .a_t = -made->forcing * w * sin(w * at->t),
                         .r = made->rate[i],
                         .x = at->x[i],
                         .p = at->p[0]};
}

static double slope(struct term k)
{
    return k.a * (1 + k.x / 4) - k.r * (k.x + k.x * k.x / 2);
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    for (size_t i = 0; i < pb->n; i++) dx[i] = at->p[0] * slope(term_of(pb, at, i));
    return SENS_OK;
}

static void rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *out)
{
    for (size_t i = 0; i < pb->n; i++) {
        const struct term k = term_of(pb, at, i);
        out[i] = k.p * k.a_t * (1 + k.x / 4);
    }
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    const struct term k = term_of(pb, at, i);
    return (struct diagonal_slopes){k.p * (k.a / 4 - k.r * (1 + k.x)), slope(k)};
}

static void hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    for (size_t i = 0; i < pb->n; i++) {
        const struct term k = term_of(pb, at, i);
        const double xp = k.a / 4 - k.r * (1 + k.x);
        for (size_t l = 0; l < L; l++) {
            const double dt = v->t ? v->t[l] : 0, dx = v->x ? v->x[i * L + l] : 0, dp = v->p ? v->p[l] : 0;
            const double w = W[i * L + l];
            OUT[i * L + l] = w * (xp * dp - k.p * k.r * dx + k.p * k.a_t / 4 * dt);
            if (MU) MU[l] += w * (k.a_t * (1 + k.x / 4) * dt + xp * dx);
        }
    }
}

void curved_problem(struct verify *v, const struct curved *settings, struct sens_problem *problem)
{
    struct curved *const made = verify_memory(v, 2, sizeof *made);
    struct sens_problem *const implicit = verify_memory(v, 1, sizeof *implicit);
    /* made for this call, and ours to complete */
    struct sens_problem_type *const type =
        (struct sens_problem_type *)diagonal_type(v, "curved", rhs, slopes);
    type->rhs_t = rhs_t;
    type->hvp = hvp;
    made[0] = made[1] = *settings;
    made[1].forcing = 0;
    *problem = (struct sens_problem){.type = type,
                                     .n = made->n,
                                     .np = 1,
                                     .t1 = made->length,
                                     .x0 = made->start,
                                     .p = &made->p,
                                     .x0_fixed = true,
                                     .data = &made[0]};
    *implicit = *problem;
    implicit->data = &made[1];
    problem->implicit = implicit;
}
