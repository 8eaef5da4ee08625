/* The formula of a Rosenbrock pair in its increments, see rosenbrock.h. */
#include <string.h>

#include "rosenbrock.h"

enum { S = SENS_ROSENBROCK_STAGES };

/* Gauss-Legendre on [0, 1]: exact for polynomials of degree 2 nodes - 1. */
static void find_nodes(int order, struct sens_rosenbrock *formula)
{
    static const sens_real theta[3][3] = {{0.5},
                                          {SENS_C(0.2113248654051871177454256097490212721762),
                                           SENS_C(0.7886751345948128822545743902509787278238)},
                                          {SENS_C(0.1127016653792583114820734600217600389167), 0.5,
                                           SENS_C(0.8872983346207416885179265399782399610833)}};
    static const sens_real weight[3][3] = {{1}, {0.5, 0.5}, {SENS_Q(5, 18), SENS_Q(4, 9), SENS_Q(5, 18)}};
    const int nodes = order <= 2 ? 1 : order <= 4 ? 2 : 3;
    formula->nodes = nodes;
    memcpy(formula->theta, theta[nodes - 1], sizeof formula->theta);
    memcpy(formula->weight, weight[nodes - 1], sizeof formula->weight);
}

/* out = w Gamma^-1, by the rows of Gamma from the last one on. */
static void by_inverse(const struct sens_tableau *tb, const sens_real *w, sens_real *out)
{
    const int s = tb->stages;
    for (int j = s - 1; j >= 0; j--) {
        sens_real sum = w[j];
        for (int i = j + 1; i < s; i++) sum -= out[i] * tb->gamma[i * s + j];
        out[j] = sum / tb->gamma[j * s + j];
    }
}

static bool same_rows(int s, const sens_real *a, const sens_real *b)
{
    bool same = true;
    for (int j = 0; j < s; j++) same = same && a[j] == b[j];
    return same;
}

static void find_rows(const struct sens_tableau *tb, struct sens_rosenbrock *formula)
{
    const int s = tb->stages;
    for (int i = 0; i < s; i++) {
        sens_real unit[S] = {0};
        unit[i] = 1;
        formula->alpha_i[i] = sens_tableau_alpha(tb, i);
        formula->gamma_i[i] = sens_tableau_gamma(tb, i);
        by_inverse(tb, tb->a + i * s, formula->a[i]);
        by_inverse(tb, unit, formula->c[i]);
        for (int j = 0; j < i; j++) formula->c[i][j] *= -formula->gamma;
        for (int j = i; j < s; j++) formula->a[i][j] = formula->c[i][j] = 0;
        formula->same_point[i] = i > 0 && same_rows(s, formula->a[i], formula->a[i - 1]);
    }
}

static void find_dense(const struct sens_tableau *tb, struct sens_rosenbrock *formula)
{
    const int s = tb->stages, D = tb->dense_degree;
    for (int q = 0; q < formula->nodes; q++) {
        sens_real w[S] = {0};
        for (int i = 0; i < s; i++)
            for (int d = D - 1; d >= 0; d--) w[i] = (w[i] + tb->dense[i * D + d]) * formula->theta[q];
        by_inverse(tb, w, formula->d[q]);
    }
}

sens_status sens_rosenbrock_create(struct sens_ctx *ctx, const struct sens_tableau *tb,
                                   struct sens_rosenbrock *formula)
{
    const int s = tb->stages;
    if (s < 1 || s > S || tb->extra_stages > 0 || tb->dense_degree < 1)
        return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s: more than %d stages, or no dense output",
                         tb->name, S);
    *formula = (struct sens_rosenbrock){.stages = s, .gamma = tb->gamma[0]};
    for (int i = 0; i < s; i++)
        if (!(tb->gamma[i * s + i] == formula->gamma && formula->gamma > 0))
            return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s: the diagonal of gamma is not one number > 0",
                             tb->name);
    find_nodes(tb->order, formula);
    find_rows(tb, formula);
    find_dense(tb, formula);
    by_inverse(tb, tb->b, formula->m);
    if (tb->e) by_inverse(tb, tb->e, formula->e);
    return SENS_OK;
}

sens_real sens_rosenbrock_node(const struct sens_rosenbrock *formula, size_t n, const struct sens_step *step,
                               int q, sens_real *x)
{
    const sens_real *u = sens_rosenbrock_increments(formula, n, step->Y);
    memcpy(x, step->y, n * sizeof *x);
    for (int j = 0; j < formula->stages; j++)
        for (size_t r = 0; r < n; r++) x[r] += formula->d[q][j] * u[(size_t)j * n + r];
    return step->t + formula->theta[q] * step->h;
}
