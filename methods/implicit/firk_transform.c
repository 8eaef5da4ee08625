/* The transformation of A^-1 = B, see firk_transform.h:
 *
 *     lambda^3 - trace lambda^2 + minors lambda - det = 0
 *
 * has one real root gamma, by Newton's method from above all roots; alpha = (trace - gamma) / 2 and alpha^2 + beta^2 =
 * det / gamma. An eigenvector is orthogonal to the rows of B - lambda I: the product of two of them. With B (u + i
 * v) = (alpha + i beta)(u + i v) the columns of T are that of gamma, u and -v. */
#include "firk_transform.h"

#include <complex.h>
#include <math.h>

enum { S = SENS_FIRK_STAGES };
typedef long double wide;
typedef long double complex wide_complex;

static wide minor_of(wide M[S][S], int i, int j)
{
    const int r = (i + 1) % S, s = (i + 2) % S, p = (j + 1) % S, q = (j + 2) % S;
    return M[r][p] * M[s][q] - M[r][q] * M[s][p];
}

static bool invert(wide M[S][S], wide inverse[S][S])
{
    wide det = 0;
    for (int j = 0; j < S; j++) det += M[0][j] * minor_of(M, 0, j);
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) inverse[i][j] = minor_of(M, j, i) / det;
    return det != 0;
}

static wide real_root(wide trace, wide minors, wide det)
{
    wide x = 1 + fabsl(trace) + fabsl(minors) + fabsl(det), before = INFINITY;
    while (fabsl(x) < before) { /* it falls to the root, and ends where rounding says so */
        before = fabsl(x);
        x -= (((x - trace) * x + minors) * x - det) / ((3 * x - 2 * trace) * x + minors);
    }
    return x;
}

/* Of the three products of rows of B - lambda I the largest, of Euclidean length 1. */
static void eigenvector(wide B[S][S], wide_complex lambda, wide_complex v[S])
{
    wide best = 0;
    for (int pair = 0; pair < S; pair++) {
        wide_complex p[S], q[S], cross[S];
        wide size = 0;
        for (int j = 0; j < S; j++) {
            p[j] = B[pair][j] - (j == pair ? lambda : 0);
            q[j] = B[(pair + 1) % S][j] - (j == (pair + 1) % S ? lambda : 0);
        }
        for (int j = 0; j < S; j++) {
            cross[j] = p[(j + 1) % S] * q[(j + 2) % S] - p[(j + 2) % S] * q[(j + 1) % S];
            size += creall(cross[j] * conjl(cross[j]));
        }
        for (int j = 0; j < S && size > best; j++) v[j] = cross[j] / sqrtl(size);
        best = fmaxl(best, size);
    }
}

static void round_to(wide from[S][S], sens_real to[S][S])
{
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) to[i][j] = (sens_real)from[i][j];
}

static bool find_columns(wide B[S][S], wide gamma, wide_complex lambda, struct sens_firk_transform *made)
{
    wide T[S][S], inverse[S][S];
    wide_complex v[S] = {0}, w[S] = {0};
    eigenvector(B, gamma, v);
    eigenvector(B, lambda, w);
    for (int i = 0; i < S; i++) T[i][0] = creall(v[i]), T[i][1] = creall(w[i]), T[i][2] = -cimagl(w[i]);
    const bool independent = invert(T, inverse);
    round_to(T, made->T);
    round_to(inverse, made->T_inverse);
    return independent;
}

/* The implicit stages, which are all but the first. */
static bool take(const struct sens_tableau *tb, wide A[S][S])
{
    bool right = tb->stages == S + 1 && tb->extra_stages == 0 && tb->b[0] == 0;
    for (int i = 0; right && i <= S; i++)
        right = sens_tableau_a(tb, i, 0) == 0 && sens_tableau_a(tb, 0, i) == 0;
    for (int i = 0; right && i < S; i++)
        for (int j = 0; j < S; j++) A[i][j] = (wide)sens_tableau_a(tb, i + 1, j + 1);
    return right;
}

/* Of a stiffly accurate formula the last stage is the end, with nothing of rounding beside it. */
static void find_end(const struct sens_tableau *tb, wide B[S][S], struct sens_firk_transform *made)
{
    wide rest = 1;
    for (int j = 0; j < S; j++) {
        wide sum = tb->fsal && j == S - 1;
        for (int i = 0; i < S && !tb->fsal; i++) sum += (wide)tb->b[i + 1] * B[i][j];
        made->end[j] = (sens_real)sum;
        rest -= sum;
    }
    made->rest = (sens_real)rest;
}

bool sens_firk_transform(const struct sens_tableau *tb, struct sens_firk_transform *made)
{
    wide A[S][S] = {{0}}, B[S][S], trace = 0, minors = 0, det = 0;
    if (!take(tb, A) || !invert(A, B)) return false;
    for (int i = 0; i < S; i++)
        trace += B[i][i], minors += minor_of(B, i, i), det += B[0][i] * minor_of(B, 0, i);
    const wide gamma = real_root(trace, minors, det), alpha = (trace - gamma) / 2;
    const wide square = det / gamma - alpha * alpha; /* of beta */
    if (!(gamma > 0) || !(square > 0)) return false;
    made->gamma = (sens_real)gamma, made->alpha = (sens_real)alpha, made->beta = (sens_real)sqrtl(square);
    round_to(A, made->A);
    round_to(B, made->A_inverse);
    find_end(tb, B, made);
    return find_columns(B, gamma, alpha + I * sqrtl(square), made);
}

void sens_firk_multiply(sens_real M[S][S], size_t size, const sens_real *X, sens_real *Y)
{
    for (int i = 0; i < S; i++)
        for (size_t q = 0; q < size; q++)
            Y[(size_t)i * size + q] = M[i][0] * X[q] + M[i][1] * X[size + q] + M[i][2] * X[2 * size + q];
}
