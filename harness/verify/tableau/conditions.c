/* Conditions of order by rooted trees (Hairer, Norsett & Wanner, Solving ODEs I, II.2; of Rosenbrock pairs: Hairer &
 * Wanner, II, IV.7). With t = [t_1, ..., t_k], the trees that are left without the root,
 *
 *     Phi_i(t) = prod_q (A Phi(t_q))_i,   Phi_i of the tree without children = 1,   gamma(t) = r(t) prod_q gamma(t_q).
 *
 * A = a; of Rosenbrock pairs a below a vertex of several children, a + gamma below one of a single child, which
 * df/dx stands for as well; of additive pairs, for each vertex but the root, a or a_explicit, in all combinations. */
#include "conditions.h"

#include <float.h>

enum { TREES = 17, CHILDREN = 4, MOST = SENS_MAX_STAGES };

static const struct tree {
    int children, child[CHILDREN]; /* numbers of earlier trees */
} trees[TREES] = {{0, {0}},    {1, {0}}, {2, {0, 0}}, {1, {1}},       {3, {0, 0, 0}}, {2, {0, 1}},
                  {1, {2}},    {1, {3}}, {4, {0}},    {3, {0, 0, 1}}, {2, {0, 2}},    {2, {0, 3}},
                  {2, {1, 1}}, {1, {4}}, {1, {5}},    {1, {6}},       {1, {7}}};

static int order_of(int t)
{
    int order = 1;
    for (int q = 0; q < trees[t].children; q++) order += order_of(trees[t].child[q]);
    return order;
}

static double density_of(int t)
{
    double density = order_of(t);
    for (int q = 0; q < trees[t].children; q++) density *= density_of(trees[t].child[q]);
    return density;
}

/* value, and the same of the sizes of all numbers, which rounding is a part of. */
struct weights {
    double value[MOST], size[MOST];
};

static double entry(const struct sens_tableau *tb, bool alone, unsigned part, int i, int j)
{
    if (part & 1 && tb->a_explicit) return tb->a_explicit[i * tb->stages + j];
    return sens_tableau_a(tb, i, j) + (tb->gamma && alone ? tb->gamma[i * tb->stages + j] : 0);
}

/* Phi(t); *parts has a bit for each vertex but the root, those of this tree are taken away. */
static struct weights weights_of(const struct sens_tableau *tb, int t, unsigned *parts)
{
    const struct tree *const tree = &trees[t];
    struct weights all;
    for (int i = 0; i < tb->stages; i++) all.value[i] = all.size[i] = 1;
    for (int q = 0; q < tree->children; q++) {
        const unsigned part = *parts;
        *parts >>= 1;
        const struct weights below = weights_of(tb, tree->child[q], parts);
        for (int i = 0; i < tb->stages; i++) {
            double sum = 0, size = 0;
            for (int j = 0; j < tb->stages; j++) {
                const double a = entry(tb, tree->children == 1, part, i, j);
                sum += a * below.value[j];
                size += fabs(a) * below.size[j];
            }
            all.value[i] *= sum;
            all.size[i] *= size;
        }
    }
    return all;
}

static void note(struct worst *worst, const struct sens_tableau *tb, const double *w, int t, unsigned parts,
                 double theta, const char *what)
{
    const int order = order_of(t);
    const struct weights phi = weights_of(tb, t, &(unsigned){parts});
    const double right = pow(theta, order) / density_of(t);
    double sum = 0, size = right;
    for (int i = 0; i < tb->stages; i++) {
        sum += w[i] * phi.value[i];
        size += fabs(w[i]) * phi.size[i];
    }
    worst_note(worst, fabs(sum - right), 2 * order * (tb->stages + 1) * DBL_EPSILON * size,
               "%s, condition %d, of order %d: %.17g is not %.17g", what, t + 1, order, sum, right);
}

void conditions_note(struct worst *worst, const struct sens_tableau *tb, const double *w, int order,
                     double theta, const char *what)
{
    for (int t = 0; t < TREES && order_of(t) <= order; t++) {
        const unsigned combinations = tb->a_explicit ? 1u << (order_of(t) - 1) : 1;
        for (unsigned parts = 0; parts < combinations; parts++) note(worst, tb, w, t, parts, theta, what);
    }
}

void conditions_note_pair(struct worst *worst, const struct sens_tableau *tb)
{
    double embedded[MOST];
    conditions_note(worst, tb, tb->b, tb->order, 1, "b");
    if (!tb->e) return;
    for (int i = 0; i < tb->stages; i++) embedded[i] = tb->b[i] - tb->e[i];
    conditions_note(worst, tb, embedded, tb->order_hat, 1, "b - e");
}
