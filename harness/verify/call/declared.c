/* Products from declared structure, and structure from products. */
#include "declared.h"

#include <string.h>

struct declared {
    struct verify *v;
    const struct sens_problem *inner;
    enum declared_by by;
};

static double *unset(struct verify *v, size_t count)
{
    double *made = verify_array(v, count);
    for (size_t q = 0; q < count; q++) made[q] = NAN;
    return made;
}

bool declared_entry(const struct sens_pattern *pattern, size_t row, size_t col)
{
    for (size_t e = pattern->start[row]; e < pattern->start[row + 1]; e++)
        if (pattern->col[e] == col) return true;
    return false;
}

/* ---- df/dx --------------------------------------------------------------------------------------------- */

void declared_coupling(struct verify *v, const struct sens_problem *pb, bool transposed,
                       const struct sens_at *at, double *J)
{
    const size_t n = pb->n;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    double *M = unset(v, n * n), *d = unset(v, n), *s = unset(v, n),
           *phi = unset(v, sens_structure_factors(pb->structure));
    pb->structure->coupling(pb, at->p, M);
    pb->structure->diagonal(pb, at, d);
    pb->structure->outer(pb, at, s, phi);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            J[i * n + j] = s[i] * M[transposed ? j * n + i : i * n + j] + (i == j ? d[i] : 0);
    sens_arena_rewind(&v->ctx.arena, mark);
}

void declared_jacobian(struct verify *v, const struct sens_problem *pb, enum declared_by by,
                       const struct sens_at *at, double *J)
{
    const struct sens_pattern *pattern = pb->structure->sparsity;
    const size_t n = pb->n;
    if (by == DECLARED_COUPLED) {
        declared_coupling(v, pb, false, at, J);
        return;
    }
    for (size_t q = 0; q < n * n; q++) J[q] = pattern ? 0 : NAN;
    if (!pattern) {
        pb->structure->jacobian(pb, at, J);
        return;
    }
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    double *value = unset(v, pattern->start[n]);
    pb->structure->jacobian(pb, at, value);
    for (size_t i = 0; i < n; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
            J[i * n + pattern->col[e]] = value[e];
    sens_arena_rewind(&v->ctx.arena, mark);
}

/* OUT += J_ij V_j, or J_ij V_i to row j */
static void add_entry(double value, size_t i, size_t j, bool transposed, size_t L, const double *V,
                      double *OUT)
{
    const size_t from = transposed ? i : j, to = transposed ? j : i;
    for (size_t l = 0; l < L && value != 0; l++) OUT[to * L + l] += value * V[from * L + l];
}

static void multiply_dense(const struct declared *d, const struct sens_at *at, bool transposed, size_t L,
                           const double *V, double *OUT)
{
    const size_t n = d->inner->n;
    double *const J = verify_array(d->v, n * n);
    declared_jacobian(d->v, d->inner, d->by, at, J);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) add_entry(J[i * n + j], i, j, transposed, L, V, OUT);
}

static void multiply_sparse(const struct declared *d, const struct sens_at *at, bool transposed, size_t L,
                            const double *V, double *OUT)
{
    const struct sens_pattern *const pattern = d->inner->structure->sparsity;
    double *const value = unset(d->v, pattern->start[d->inner->n]);
    d->inner->structure->jacobian(d->inner, at, value);
    for (size_t i = 0; i < d->inner->n; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
            add_entry(value[e], i, pattern->col[e], transposed, L, V, OUT);
}

static void multiply(const struct declared *d, const struct sens_at *at, bool transposed, size_t L,
                     const double *V, double *OUT)
{
    const struct sens_arena_mark mark = sens_arena_mark(&d->v->ctx.arena);
    const bool sparse = d->by != DECLARED_COUPLED && d->inner->structure->sparsity;
    memset(OUT, 0, d->inner->n * L * sizeof *OUT);
    (sparse ? multiply_sparse : multiply_dense)(d, at, transposed, L, V, OUT);
    sens_arena_rewind(&d->v->ctx.arena, mark);
}

static bool has_states(const struct declared *d)
{
    const struct sens_structure *declared = sens_structure_of(d->inner);
    return d->by == DECLARED_COUPLED ? declared->coupling != NULL : declared->jacobian != NULL;
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    const struct declared *d = pb->data;
    if (has_states(d))
        multiply(d, at, false, L, V, OUT);
    else
        d->inner->type->jvp(d->inner, at, L, V, OUT);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    const struct declared *d = pb->data;
    if (has_states(d))
        multiply(d, at, true, L, W, OUT);
    else
        d->inner->type->vjp(d->inner, at, L, W, OUT);
}

/* ---- df/dp --------------------------------------------------------------------------------------------- */

/* df/dp_k is column [n] of what was made at the point. */
struct factors {
    const struct declared *d;
    double *s, *phi; /* outer products */
    double *value;   /* sparse */
};

static struct factors factors_at(const struct declared *d, const struct sens_at *at)
{
    const struct sens_problem *pb = d->inner;
    struct factors made = {.d = d};
    if (d->by != DECLARED_SPARSE) {
        made.s = unset(d->v, pb->n);
        made.phi = unset(d->v, sens_structure_factors(pb->structure));
        pb->structure->outer(pb, at, made.s, made.phi);
    } else {
        made.value = unset(d->v, pb->structure->sparsity_p->start[pb->np]);
        pb->structure->jacobian_p(pb, at, made.value);
    }
    return made;
}

static void column(const struct factors *f, size_t k, double *out)
{
    const struct sens_problem *pb = f->d->inner;
    const struct sens_structure *declared = pb->structure;
    const struct sens_pattern *pattern = declared->sparsity_p;
    size_t before = 0; /* numbers in phi of the blocks before */
    memset(out, 0, pb->n * sizeof *out);
    for (size_t e = f->value ? pattern->start[k] : 0; f->value && e < pattern->start[k + 1]; e++)
        out[pattern->col[e]] = f->value[e];
    for (size_t b = 0; f->s && b < declared->n_blocks; before += declared->blocks[b++].cols) {
        const size_t first = declared->blocks[b].first, cols = declared->blocks[b].cols;
        if (k < first || k >= first + pb->n * cols) continue;
        const size_t i = (k - first) / cols, j = (k - first) % cols;
        out[i] = f->s[i] * f->phi[before + j];
    }
}

static bool has_factors(const struct declared *d)
{
    const struct sens_structure *declared = sens_structure_of(d->inner);
    return d->by == DECLARED_SPARSE ? declared->jacobian_p != NULL : declared->outer != NULL;
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    const struct declared *d = pb->data;
    const size_t n = pb->n;
    if (!has_factors(d)) {
        d->inner->type->jvp_p_cols(d->inner, at, k0, L, OUT);
        return;
    }
    const struct sens_arena_mark mark = sens_arena_mark(&d->v->ctx.arena);
    const struct factors f = factors_at(d, at);
    double *one = verify_array(d->v, n);
    for (size_t l = 0; l < L; l++) {
        column(&f, k0 + l, one);
        for (size_t i = 0; i < n; i++) OUT[i * L + l] += one[i];
    }
    sens_arena_rewind(&d->v->ctx.arena, mark);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    const struct declared *d = pb->data;
    const size_t n = pb->n;
    if (!has_factors(d)) {
        d->inner->type->vjp_p_batch(d->inner, K, t, X, p, L, W, MU);
        return;
    }
    const struct sens_arena_mark mark = sens_arena_mark(&d->v->ctx.arena);
    double *one = verify_array(d->v, n);
    for (size_t k = 0; k < K; k++) {
        const struct factors f = factors_at(d, &(struct sens_at){t[k], X + k * n, p});
        for (size_t q = 0; q < pb->np; q++) {
            column(&f, q, one);
            for (size_t i = 0; i < n; i++)
                for (size_t l = 0; l < L && one[i] != 0; l++)
                    MU[q * L + l] += one[i] * W[(k * n + i) * L + l];
        }
    }
    sens_arena_rewind(&d->v->ctx.arena, mark);
}

void declared_problem(struct verify *v, const struct sens_problem *inner, enum declared_by by,
                      struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {
        .type = {.jvp = jvp, .vjp = vjp, .jvp_p_cols = jvp_p_cols, .vjp_p_batch = vjp_p_batch}};
    struct declared *d = verify_memory(v, 1, sizeof *d);
    decorate_wrap(v, inner, &with, d, problem);
    *d = (struct declared){v, problem->inner, by};
}

/* ---- structure from products --------------------------------------------------------------------------- */

/* J = J I: lane j has column j, so that row i is J_i0 ... J_i,n-1, dense and in the order of a full pattern.
 * data: I [n][n]. Nothing is written: any number of threads. */
static void formed_jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    pb->inner->type->jvp(pb->inner, at, pb->n, pb->data, J);
}

enum { MOST_STATES = 64 };

/* The entries of the declared pattern alone, column by column. */
static void formed_entries(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    const struct sens_pattern *const pattern = pb->structure->sparsity;
    double unit[MOST_STATES] = {0}, column[MOST_STATES];
    for (size_t j = 0; j < pb->n; j++) {
        unit[j] = 1;
        pb->inner->type->jvp(pb->inner, at, 1, unit, column);
        unit[j] = 0;
        for (size_t i = 0; i < pb->n; i++)
            for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
                if (pattern->col[e] == j) J[e] = column[i];
    }
}

static void formed_jacobian_p(const struct sens_problem *pb, const struct sens_at *at, double *value)
{
    memset(value, 0, pb->np * pb->n * sizeof *value);
    for (size_t k = 0; k < pb->np; k++) pb->inner->type->jvp_p_cols(pb->inner, at, k, 1, value + k * pb->n);
}

static const struct sens_pattern *full_pattern(struct verify *v, size_t rows, size_t cols)
{
    struct sens_pattern *made = verify_memory(v, 1, sizeof *made);
    size_t *start = verify_memory(v, rows + 1, sizeof *start),
           *col = verify_memory(v, rows * cols, sizeof *col);
    for (size_t r = 0; r <= rows; r++) start[r] = r * cols;
    for (size_t e = 0; e < rows * cols; e++) col[e] = e % cols;
    *made = (struct sens_pattern){.rows = rows, .cols = cols, .start = start, .col = col};
    return made;
}

/* Of df/dx, with its diagonal: what is not 0 at some points. */
static const struct sens_pattern *nonzero_pattern(struct verify *v, const struct sens_problem *inner)
{
    enum { POINTS = 3 };
    const size_t n = inner->n;
    struct sens_pattern *made = verify_memory(v, 1, sizeof *made);
    size_t *start = verify_memory(v, n + 1, sizeof *start), *col = verify_memory(v, n * n, sizeof *col);
    double *unit = verify_array(v, n * n), *J = verify_array(v, n * n), *most = verify_array(v, n * n);
    for (size_t i = 0; i < n; i++) unit[i * n + i] = 1;
    for (int k = 0; k < POINTS; k++) {
        const struct sens_at at = instance_point(v, inner, k);
        inner->type->jvp(inner, &at, n, unit, J);
        for (size_t q = 0; q < n * n; q++) most[q] = fmax(most[q], fabs(J[q]));
    }
    for (size_t i = 0, e = 0; i < n; start[++i] = e)
        for (size_t j = 0; j < n; j++)
            if (i == j || most[i * n + j] > 0) col[e++] = j;
    *made = (struct sens_pattern){.rows = n, .cols = n, .start = start, .col = col};
    return made;
}

void declared_by_products(struct verify *v, const struct sens_problem *inner, enum declared_pattern pattern,
                          struct sens_problem *problem)
{
    static const struct sens_problem_decoration as_inner = {.another = true}; /* operations are */
    const size_t n = inner->n;
    struct sens_structure *made = verify_memory(v, 1, sizeof *made);
    double *unit = verify_array(v, n * n);
    for (size_t i = 0; i < n; i++) unit[i * n + i] = 1;
    const bool entries = pattern == DECLARED_NONZERO && n <= MOST_STATES;
    *made = (struct sens_structure){.jacobian = entries ? formed_entries : formed_jacobian,
                                    .jacobian_p = inner->np ? formed_jacobian_p : NULL,
                                    .sparsity = entries                     ? nonzero_pattern(v, inner)
                                                : pattern != DECLARED_DENSE ? full_pattern(v, n, n)
                                                                            : NULL,
                                    .sparsity_p = inner->np ? full_pattern(v, inner->np, n) : NULL};
    decorate_wrap(v, inner, &as_inner, unit, problem);
    problem->structure = made;
}
