/* The products of a diagonal problem. */
#include "diagonal.h"

struct diagonal {
    struct sens_problem_type type; /* first: the type of an instance points here */
    diagonal_function *slopes;
};

static struct diagonal_slopes slopes_at(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    return ((const struct diagonal *)(const void *)pb->type)->slopes(pb, at, i);
}

/* J V and J^T V. */
static void product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                    double *OUT)
{
    for (size_t i = 0; i < pb->n; i++) {
        const double slope = slopes_at(pb, at, i).by_x;
        for (size_t l = 0; l < L; l++) OUT[i * L + l] = slope * V[i * L + l];
    }
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    (void)k0;
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += slopes_at(pb, at, i).by_p;
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    for (size_t q = 0; q < K * pb->n; q++) {
        const size_t k = q / pb->n;
        const double slope = slopes_at(pb, &(struct sens_at){t[k], X + k * pb->n, p}, q % pb->n).by_p;
        for (size_t l = 0; l < L; l++) MU[l] += slope * W[q * L + l];
    }
}

const struct sens_problem_type *diagonal_type(struct verify *v, const char *name,
                                              sens_status (*rhs)(const struct sens_problem *pb,
                                                                 const struct sens_at *at, double *dx),
                                              diagonal_function *slopes)
{
    struct diagonal *made = verify_memory(v, 1, sizeof *made);
    *made = (struct diagonal){.type = {.name = name,
                                       .rhs = rhs,
                                       .vjp = product,
                                       .jvp = product,
                                       .jvp_p_cols = jvp_p_cols,
                                       .vjp_p_batch = vjp_p_batch},
                              .slopes = slopes};
    return &made->type;
}
