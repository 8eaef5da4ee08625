/* tests/unit/tableaux/rooted_trees.h - rooted trees and the order conditions of Runge-Kutta methods.
 *
 * A formula sum_i w_i K_i has order p if, for every rooted tree tau of at most p vertices,
 *
 *     sum_i w_i u_i(tau) = 1 / gamma(tau),
 *     u_i(tau) = prod over the children tau' of the root of sum_j a_ij u_j(tau'),
 *
 * gamma(tau) the product of the sizes of all subtrees: Hairer, Norsett, Wanner, Solving ODEs I, theorem
 * II.2.13. Of a Rosenbrock formula, beta_ij = alpha_ij + gamma_ij stands in the place of a_ij wherever the root has one
 * child, else alpha_ij: Hairer & Wanner, Solving ODEs II, theorem IV.7.4. Trees are level sequences, in the order of
 * Beyer & Hedetniemi, SIAM J. Comput. 9 (1980) 706-712. */
#ifndef ROOTED_TREES_H
#define ROOTED_TREES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "sens/tableau.h"

enum { MAX_VERTICES = 9, TREES_OF_ORDER_9 = 286 };

struct tree {
    int n;
    int parent[MAX_VERTICES]; /* of vertices 1 ... n - 1; smaller than the vertex */
};

static inline struct tree tree_of_levels(int n, const int *level)
{
    struct tree tree = {.n = n};
    for (int v = 1; v < n; v++) {
        int w = v - 1;
        while (level[w] != level[v] - 1) w--;
        tree.parent[v] = w;
    }
    return tree;
}

/* The next level sequence; false after the last one, the root with n - 1 leaves. */
static inline bool next_levels(int n, int *level)
{
    int p = n - 1;
    while (p > 0 && level[p] <= 1) p--;
    if (p <= 0) return false;
    int q = p - 1;
    while (level[q] != level[p] - 1) q--;
    for (int v = p; v < n; v++) level[v] = level[v - (p - q)];
    return true;
}

/* All rooted trees with n vertices; their number. */
static inline size_t trees_of_order(int n, struct tree *tree /*[TREES_OF_ORDER_9]*/)
{
    int level[MAX_VERTICES];
    size_t count = 0;
    for (int v = 0; v < n; v++) level[v] = v;
    do tree[count++] = tree_of_levels(n, level);
    while (next_levels(n, level));
    return count;
}

static inline long double tree_gamma(const struct tree *tree)
{
    int size[MAX_VERTICES];
    long double gamma = 1;
    for (int v = 0; v < tree->n; v++) size[v] = 1;
    for (int v = tree->n - 1; v >= 0; v--) {
        gamma *= size[v];
        if (v > 0) size[tree->parent[v]] += size[v];
    }
    return gamma;
}

/* u_i of the tree for the stages i < s; a, only [s][s]: where a vertex has several children, and one only. */
static inline void tree_weights(const struct tree *tree, int s, const long double *a, const long double *only,
                                long double *u /*[s]*/)
{
    long double product[MAX_VERTICES][SENS_MAX_STAGES];
    int children[MAX_VERTICES] = {0};
    for (int v = 1; v < tree->n; v++) children[tree->parent[v]]++;
    for (int v = 0; v < tree->n; v++)
        for (int i = 0; i < s; i++) product[v][i] = 1;
    for (int v = tree->n - 1; v > 0; v--)
        for (int i = 0; i < s; i++) {
            const long double *row = (children[tree->parent[v]] == 1 ? only : a) + i * s;
            long double sum = 0;
            for (int j = 0; j < s; j++) sum += row[j] * product[v][j];
            product[tree->parent[v]][i] *= sum;
        }
    for (int i = 0; i < s; i++) u[i] = product[0][i];
}

/* ---- order conditions ---------------------------------------------------------------------------------- */

struct method { /* in the precision of the test */
    int s;
    long double a[SENS_MAX_STAGES * SENS_MAX_STAGES], a_size[SENS_MAX_STAGES * SENS_MAX_STAGES];
    long double only[SENS_MAX_STAGES * SENS_MAX_STAGES], only_size[SENS_MAX_STAGES * SENS_MAX_STAGES];
};

struct weights { /* of a formula or of one power of theta */
    long double w[SENS_MAX_STAGES],
        size[SENS_MAX_STAGES]; /* size_i: sum of the magnitudes that w_i was made from */
};

struct defect {
    long double absolute;
    long double ulps; /* in units of SENS_EPSILON times the sum of the magnitudes of all terms */
};

/* sum_i w_i u_i - target for a tree. The arithmetic is eleven bits longer than the coefficients, whose
 * rounding, half a unit for each of the tree's n factors, is then all there is to see. */
static inline struct defect tree_defect(const struct method *method, const struct weights *weights,
                                        const struct tree *tree, long double target)
{
    long double u[SENS_MAX_STAGES], u_size[SENS_MAX_STAGES], sum = -target, size = fabsl(target);
    tree_weights(tree, method->s, method->a, method->only, u);
    tree_weights(tree, method->s, method->a_size, method->only_size, u_size);
    for (int i = 0; i < method->s; i++) {
        sum += weights->w[i] * u[i];
        size += weights->size[i] * u_size[i];
    }
    return (struct defect){fabsl(sum), size > 0 ? fabsl(sum) / (size * SENS_EPSILON) : 0};
}

/* The largest defect, in ulps a vertex, of a formula over all trees with n vertices. */
static inline struct defect formula_defect(const struct method *method, const struct weights *weights, int n)
{
    struct tree tree[TREES_OF_ORDER_9];
    const size_t count = trees_of_order(n, tree);
    struct defect worst = {0, 0};
    for (size_t k = 0; k < count; k++) {
        const struct defect defect = tree_defect(method, weights, &tree[k], 1 / tree_gamma(&tree[k]));
        worst.absolute = fmaxl(worst.absolute, defect.absolute);
        worst.ulps = fmaxl(worst.ulps, defect.ulps / n);
    }
    return worst;
}

/* The same for a dense output: the coefficient of theta^n is 1 / gamma, all others are 0. */
static inline struct defect dense_defect(const struct method *method, const struct weights *power, int degree,
                                         int n)
{
    struct tree tree[TREES_OF_ORDER_9];
    const size_t count = trees_of_order(n, tree);
    struct defect worst = {0, 0};
    for (size_t k = 0; k < count; k++)
        for (int d = 1; d <= degree || d <= n; d++) {
            static const struct weights none;
            const long double target = d == n ? 1 / tree_gamma(&tree[k]) : 0;
            const struct defect defect =
                tree_defect(method, d <= degree ? &power[d - 1] : &none, &tree[k], target);
            worst.absolute = fmaxl(worst.absolute, defect.absolute);
            worst.ulps = fmaxl(worst.ulps, defect.ulps / n);
        }
    return worst;
}

#endif
