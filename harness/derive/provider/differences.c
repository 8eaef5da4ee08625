/* derive/provider/differences.c - products by difference quotients: df/dx or df/dp is formed by columns,
 *
 *     df/dz_j = (f(z + h_j e_j) - f(z)) / h_j,   h_j = sqrt(epsilon) max(|z_j|, |z|_max / 1000, 1e-5),
 *
 * and multiplied with the vectors of a call; likewise dx0/dp of an x0(p) whose products nobody wrote. */
#include "differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "products.h"
#include "recording.h"
#include "sens/decorate.h"

struct grouping { /* the columns of a matrix with n rows */
    size_t n, columns, groups;
    const size_t *group;       /* [columns] in which they are shifted; NULL: each in one of its own */
    const size_t *start, *row; /* rows of a column; NULL: all */
};

struct quotients { /* the data of the wrapped problem */
    struct sens_decorated_problem room;
    struct grouping by_x, by_p;
};

struct quotient_matrix {    /* and room to form it */
    double *value;          /* column by column, in the order of the rows */
    double *z, *h;          /* [columns] what is shifted, and by how much */
    double *before, *after; /* [n] f */
};

static size_t first_of(const struct grouping *by, size_t column)
{
    return by->start ? by->start[column] : column * by->n;
}

static size_t row_of(const struct grouping *by, size_t column, size_t entry)
{
    return by->row ? by->row[entry] : entry - column * by->n;
}

static bool is_in(const struct grouping *by, size_t column, size_t group)
{
    return (by->group ? by->group[column] : column) == group;
}

/* ---- one matrix ---------------------------------------------------------------------------------------------- */

static bool allocate(const struct grouping *by, size_t entries, struct quotient_matrix *m)
{
    m->value = malloc((entries + 2 * by->columns + 2 * by->n + 1) * sizeof *m->value);
    if (!m->value) return false;
    m->z = m->value + entries;
    m->h = m->z + by->columns;
    m->before = m->h + by->columns;
    m->after = m->before + by->n;
    return true;
}

/* The step of each number, so that z + h is a number and h their difference. */
static void choose_steps(const struct grouping *by, const double *z, struct quotient_matrix *m)
{
    double largest = 0;
    for (size_t j = 0; j < by->columns; j++) largest = fmax(largest, fabs(z[j]));
    for (size_t j = 0; j < by->columns; j++) {
        const volatile double shifted =
            z[j] + sqrt(SENS_EPSILON) * fmax(fabs(z[j]), fmax(largest / 1000, 1e-5));
        m->h[j] = shifted - z[j];
    }
}

static void shift(const struct grouping *by, const double *z, size_t group, const struct quotient_matrix *m)
{
    for (size_t j = 0; j < by->columns; j++) m->z[j] = is_in(by, j, group) ? z[j] + m->h[j] : z[j];
}

/* The columns of a group take their rows of a quotient. */
static void share_out(const struct grouping *by, size_t group, const struct quotient_matrix *m)
{
    for (size_t j = 0; j < by->columns; j++) {
        if (!is_in(by, j, group)) continue;
        for (size_t e = first_of(by, j); e < first_of(by, j + 1); e++) {
            const size_t i = row_of(by, j, e);
            m->value[e] = (m->after[i] - m->before[i]) / m->h[j];
        }
    }
}

/* df/dx or, of_p, df/dp at the point; false: no memory, or rhs fails. To be freed: m->value. */
static bool form(const struct sens_problem *pb, const struct grouping *by, bool of_p,
                 const struct sens_at *at, struct quotient_matrix *m)
{
    const double *z = of_p ? at->p : at->x;
    if (!allocate(by, first_of(by, by->columns), m)) return false;
    const struct sens_at shifted = {at->t, of_p ? at->x : m->z, of_p ? m->z : at->p};
    choose_steps(by, z, m);
    bool done = pb->inner->type->rhs(pb->inner, at, m->before) == SENS_OK;
    for (size_t group = 0; done && group < by->groups; group++) {
        shift(by, z, group, m);
        done = pb->inner->type->rhs(pb->inner, &shifted, m->after) == SENS_OK;
        share_out(by, group, m);
    }
    return done;
}

/* OUT [columns][L] += M^T W */
static void add_transposed(const struct grouping *by, const struct quotient_matrix *m, size_t L,
                           const double *W, double *OUT)
{
    for (size_t j = 0; j < by->columns; j++)
        for (size_t e = first_of(by, j); e < first_of(by, j + 1); e++)
            for (size_t l = 0; l < L; l++) OUT[j * L + l] += m->value[e] * W[row_of(by, j, e) * L + l];
}

/* OUT [n][L] += M V */
static void add_product(const struct grouping *by, const struct quotient_matrix *m, size_t L, const double *V,
                        double *OUT)
{
    for (size_t j = 0; j < by->columns; j++)
        for (size_t e = first_of(by, j); e < first_of(by, j + 1); e++)
            for (size_t l = 0; l < L; l++) OUT[row_of(by, j, e) * L + l] += m->value[e] * V[j * L + l];
}

/* ---- products ------------------------------------------------------------------------------------------------ */

static void spoil(size_t count, double *out)
{
    for (size_t k = 0; k < count; k++) out[k] = (double)NAN;
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    const struct quotients *q = pb->data;
    struct quotient_matrix m = {.value = NULL};
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    if (form(pb, &q->by_x, false, at, &m))
        add_transposed(&q->by_x, &m, L, W, OUT);
    else
        spoil(pb->n * L, OUT);
    free(m.value);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    const struct quotients *q = pb->data;
    struct quotient_matrix m = {.value = NULL};
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    if (form(pb, &q->by_x, false, at, &m))
        add_product(&q->by_x, &m, L, V, OUT);
    else
        spoil(pb->n * L, OUT);
    free(m.value);
}

/* Each column alone: a group would give them all, of which a few are wanted. */
static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    const struct grouping by = {.n = pb->n, .columns = pb->np, .groups = pb->np};
    struct quotient_matrix m = {.value = NULL};
    if (!allocate(&by, 0, &m)) {
        spoil(pb->n * L, OUT);
        return;
    }
    const struct sens_at shifted = {at->t, at->x, m.z};
    choose_steps(&by, at->p, &m);
    bool done = pb->inner->type->rhs(pb->inner, at, m.before) == SENS_OK;
    for (size_t l = 0; l < L && done; l++) {
        shift(&by, at->p, k0 + l, &m);
        done = pb->inner->type->rhs(pb->inner, &shifted, m.after) == SENS_OK;
        for (size_t i = 0; i < pb->n; i++) OUT[i * L + l] += (m.after[i] - m.before[i]) / m.h[k0 + l];
    }
    if (!done) spoil(pb->n * L, OUT);
    free(m.value);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    const struct quotients *q = pb->data;
    for (size_t k = 0; k < K; k++) {
        const struct sens_at at = {t[k], X + k * pb->n, p};
        struct quotient_matrix m = {.value = NULL};
        if (form(pb, &q->by_p, true, &at, &m))
            add_transposed(&q->by_p, &m, L, W + k * pb->n * L, MU);
        else
            spoil(pb->np * L, MU);
        free(m.value);
    }
}

/* ---- the initial state --------------------------------------------------------------------------------------- */

/* Room, the steps, and x0(p) in m->before; to be freed: m->value. false: no memory. */
static bool begin_x0(const struct sens_problem *pb, const struct grouping *by, const double *p,
                     struct quotient_matrix *m)
{
    if (!allocate(by, 0, m)) return false;
    choose_steps(by, p, m);
    pb->inner->type->x0(pb->inner, p, m->before);
    return true;
}

/* m->after = dx0/dp_k */
static void form_x0_column(const struct sens_problem *pb, const struct grouping *by, const double *p,
                           size_t k, const struct quotient_matrix *m)
{
    shift(by, p, k, m);
    pb->inner->type->x0(pb->inner, m->z, m->after);
    for (size_t i = 0; i < by->n; i++) m->after[i] = (m->after[i] - m->before[i]) / m->h[k];
}

static void x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W, double *MU)
{
    const struct grouping by = {.n = pb->n, .columns = pb->np, .groups = pb->np};
    struct quotient_matrix m = {.value = NULL};
    if (!begin_x0(pb, &by, p, &m)) {
        spoil(pb->np * L, MU);
        return;
    }
    for (size_t k = 0; k < by.columns; k++) {
        form_x0_column(pb, &by, p, k, &m);
        for (size_t i = 0; i < by.n; i++)
            for (size_t l = 0; l < L; l++) MU[k * L + l] += m.after[i] * W[i * L + l];
    }
    free(m.value);
}

static void x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L, double *OUT)
{
    const struct grouping by = {.n = pb->n, .columns = pb->np, .groups = pb->np};
    struct quotient_matrix m = {.value = NULL};
    if (!begin_x0(pb, &by, p, &m)) {
        spoil(pb->n * L, OUT);
        return;
    }
    for (size_t l = 0; l < L; l++) {
        form_x0_column(pb, &by, p, k0 + l, &m);
        for (size_t i = 0; i < by.n; i++) OUT[i * L + l] += m.after[i];
    }
    free(m.value);
}

/* ---- groups -------------------------------------------------------------------------------------------------- */

/* Rows of a pattern become columns. */
sens_status differences_transpose(struct sens_ctx *ctx, const struct sens_pattern *from,
                                  struct sens_pattern *to)
{
    size_t *start = SENS_NEW(ctx, size_t, from->cols + 2),
           *col = SENS_NEW(ctx, size_t, from->start[from->rows]);
    if (!start || !col) return SENS_NO_MEMORY;
    for (size_t e = 0; e < from->start[from->rows]; e++) start[from->col[e] + 2]++;
    for (size_t c = 0; c < from->cols; c++) start[c + 1] += start[c];
    for (size_t r = 0; r < from->rows; r++)
        for (size_t e = from->start[r]; e < from->start[r + 1]; e++) col[start[from->col[e] + 1]++] = r;
    *to = (struct sens_pattern){.rows = from->cols, .cols = from->rows, .start = start, .col = col};
    return SENS_OK;
}

sens_status differences_groups(struct sens_ctx *ctx, const struct sens_pattern *rows,
                               const struct sens_pattern *columns, size_t *group, size_t *groups)
{
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    size_t *taken =
        SENS_NEW(ctx, size_t, columns->rows + 1); /* by group: 1 + the last column it is closed to */
    if (!taken) return SENS_NO_MEMORY;
    *groups = 0;
    for (size_t j = 0; j < columns->rows; j++) {
        for (size_t e = columns->start[j]; e < columns->start[j + 1]; e++)
            for (size_t r = columns->col[e], k = rows->start[r]; k < rows->start[r + 1] && rows->col[k] < j;
                 k++)
                taken[group[rows->col[k]]] = j + 1;
        group[j] = 0;
        while (group[j] < *groups && taken[group[j]] == j + 1) group[j]++;
        if (group[j] == *groups) ++*groups;
    }
    sens_arena_rewind(&ctx->arena, mark);
    return SENS_OK;
}

static sens_status colour(struct sens_ctx *ctx, const struct sens_pattern *rows,
                          const struct sens_pattern *columns, struct grouping *by)
{
    size_t *group = SENS_NEW(ctx, size_t, by->columns);
    if (!group) return SENS_NO_MEMORY;
    by->group = group;
    by->start = columns->start;
    by->row = columns->col;
    return differences_groups(ctx, rows, columns, group, &by->groups);
}

static sens_status group_x(struct sens_ctx *ctx, const struct graph *f, struct quotients *q)
{
    struct derive_entries entries;
    struct sens_pattern columns;
    sens_status status = derive_jacobian(f, q->by_x.columns, &entries);
    if (status != SENS_OK) return status;
    status = differences_transpose(ctx, &entries.pattern, &columns);
    if (status == SENS_OK) status = colour(ctx, &entries.pattern, &columns, &q->by_x);
    derive_entries_destroy(&entries);
    return status;
}

static sens_status group_p(struct sens_ctx *ctx, const struct graph *f, struct quotients *q)
{
    struct derive_entries entries;
    struct sens_pattern rows, columns;
    sens_status status = derive_jacobian_p(f, q->by_p.columns, &entries);
    if (status != SENS_OK) return status;
    status = differences_transpose(ctx, &entries.pattern, &rows);
    if (status == SENS_OK) status = differences_transpose(ctx, &rows, &columns); /* a copy that stays */
    if (status == SENS_OK) status = colour(ctx, &rows, &columns, &q->by_p);
    derive_entries_destroy(&entries);
    return status;
}

/* Where f can be recorded and has but one path; else columns stay alone. */
static sens_status find_groups(struct sens_ctx *ctx, struct quotients *q)
{
    const struct sens_problem *inner = &q->room.inner;
    const struct sens_at at = {inner->t0, inner->x0, inner->p};
    const struct recording *source;
    struct bench_error error;
    if (recording_create(ctx, inner, NULL, &source) != SENS_OK) return SENS_OK;
    struct graph *f = graph_create();
    if (!f) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    if (recording_rhs(source, &at, f, &error) == SENS_OK && f->n_guards == 0) {
        status = group_x(ctx, f, q);
        if (status == SENS_OK && inner->np > 0) status = group_p(ctx, f, q);
    }
    graph_destroy(f);
    return status;
}

/* What they cost is told by the calls of rhs, which are counted. */
static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    struct sens_operations inner;
    sens_problem_operations(pb->inner, &inner);
    *ops = (struct sens_operations){inner.rhs, NAN, NAN, NAN, NAN, 0};
}

sens_status differences_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                             struct sens_problem *wrapped)
{
    static const struct sens_problem_decoration nothing = {.another = false};
    struct quotients *q = SENS_NEW(ctx, struct quotients, 1);
    struct sens_problem made;
    if (!q) return SENS_NO_MEMORY;
    sens_problem_decorate(request->inner, &nothing, q, &q->room, &made);
    q->by_x = (struct grouping){.n = made.n, .columns = made.n, .groups = made.n};
    q->by_p = (struct grouping){.n = made.n, .columns = made.np, .groups = made.np};
    const sens_status status = find_groups(ctx, q);
    if (status != SENS_OK) return status;
    struct sens_problem_type *type = &q->room.type;
    type->vjp = vjp;
    type->jvp = jvp;
    type->jvp_p_cols = jvp_p_cols;
    type->vjp_p_batch = vjp_p_batch;
    type->operations = operations;
    if (type->x0 && !type->x0_vjp) type->x0_vjp = x0_vjp, type->x0_jvp_cols = x0_jvp_cols;
    type->rhs_t = NULL;
    type->hvp = NULL;
    made.structure = NULL;
    *wrapped = made;
    return SENS_OK;
}
