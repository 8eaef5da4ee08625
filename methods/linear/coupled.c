/* The system of coupled stages, see coupled.h. */
#include "coupled.h"

#include <string.h>
#include <tgmath.h>

#include "lane_vectors.h"
#include "pattern.h"
#include "residual.h"
#include "rules.h"

static void release(void *system)
{
    sens_shifted_release(system);
}

/* Row r of stage i: row r of J in the columns of each stage. Its entries begin at stages times those before. */
static sens_status repeat_pattern(struct sens_ctx *ctx, const struct sens_pattern *one, size_t stages,
                                  struct sens_pattern *whole)
{
    const size_t n = one->rows, entries = sens_pattern_entries(one);
    size_t *start = SENS_NEW(ctx, size_t, stages * n + 1);
    size_t *col = SENS_NEW(ctx, size_t, stages * stages * entries);
    if (!start || !col) return SENS_NO_MEMORY;
    for (size_t i = 0, end = 0; i < stages; i++)
        for (size_t r = 0; r < n; r++) {
            for (size_t j = 0; j < stages; j++)
                for (size_t e = one->start[r]; e < one->start[r + 1]; e++) col[end++] = j * n + one->col[e];
            start[i * n + r + 1] = end;
        }
    *whole = (struct sens_pattern){.rows = stages * n, .cols = stages * n, .start = start, .col = col};
    return SENS_OK;
}

/* The matrix of `one` on the diagonal. */
static sens_status repeat_mass(struct sens_ctx *ctx, const struct sens_mass *one, size_t stages,
                               struct sens_mass *whole)
{
    const size_t n = one->pattern.rows, entries = sens_pattern_entries(&one->pattern);
    size_t *start = SENS_NEW(ctx, size_t, stages * n + 1);
    size_t *col = SENS_NEW(ctx, size_t, stages * entries);
    sens_real *value = SENS_NEW(ctx, sens_real, stages * entries);
    if (!start || !col || !value) return SENS_NO_MEMORY;
    for (size_t i = 0; i < stages; i++) {
        for (size_t r = 0; r < n; r++) start[i * n + r + 1] = i * entries + one->pattern.start[r + 1];
        for (size_t e = 0; e < entries; e++) {
            col[i * entries + e] = i * n + one->pattern.col[e];
            value[i * entries + e] = one->value[e];
        }
    }
    *whole = (struct sens_mass){{.rows = stages * n, .cols = stages * n, .start = start, .col = col}, value};
    return SENS_OK;
}

sens_status sens_coupled_create(struct sens_ctx *ctx, const struct sens_problem *pb, enum sens_product by,
                                size_t stages, struct sens_coupled *coupled)
{
    *coupled = (struct sens_coupled){.n = pb->n, .stages = stages};
    sens_status status = sens_jacobian_create(ctx, pb, by, NULL, &coupled->J);
    if (status != SENS_OK) return status;
    const struct sens_pattern *const pattern = coupled->J->pattern;
    const size_t entries = coupled->J->entries;
    coupled->J_value = SENS_NEW(ctx, sens_real, stages * entries);
    coupled->value = SENS_NEW(ctx, sens_real, stages * stages * entries);
    if (!coupled->J_value || !coupled->value) return SENS_NO_MEMORY;
    if (pattern) status = repeat_pattern(ctx, pattern, stages, &coupled->whole);
    if (status == SENS_OK && pb->mass) status = repeat_mass(ctx, pb->mass, stages, &coupled->mass);
    coupled->unit = pb->mass ? SENS_NEW(ctx, sens_real, stages * pb->n) : NULL;
    if (pb->mass && !coupled->unit) return SENS_NO_MEMORY;
    if (status == SENS_OK)
        status = sens_shifted_create_mass(
            ctx, stages * pb->n, pb->mass ? &coupled->mass : NULL, pattern ? &coupled->whole : NULL,
            by == SENS_VJP ? SENS_SHIFTED_TURNED : SENS_SHIFTED_PLAIN, true, &coupled->system);
    if (!coupled->system) return status;
    const sens_status attached = sens_arena_attach(&ctx->arena, release, coupled->system);
    if (attached != SENS_OK) sens_shifted_release(coupled->system);
    return status != SENS_OK ? status : attached;
}

/* Row r of stage i, whose `count` entries in the columns of one stage begin at e of J. */
static sens_real *write_row(const struct sens_coupled *coupled, const sens_real *a, size_t e, size_t count,
                            sens_real *to)
{
    for (size_t j = 0; j < coupled->stages; j++)
        for (size_t k = 0; k < count; k++) *to++ = a[j] * coupled->J_value[j * coupled->J->entries + e + k];
    return to;
}

void sens_coupled_at(struct sens_coupled *coupled, const struct sens_at *at)
{
    for (size_t j = 0; j < coupled->stages; j++)
        sens_jacobian_at(coupled->J, &at[j], coupled->J_value + j * coupled->J->entries);
}

sens_status sens_coupled_factor(struct sens_coupled *coupled, sens_real h, const sens_real *a)
{
    const struct sens_pattern *const pattern = coupled->J->pattern;
    const size_t n = coupled->n, stages = coupled->stages;
    sens_real *to = coupled->value;
    for (size_t i = 0; i < stages; i++)
        for (size_t r = 0; r < n; r++) {
            const size_t e = pattern ? pattern->start[r] : r * n;
            const size_t count = pattern ? pattern->start[r + 1] - e : n;
            to = write_row(coupled, a + i * stages, e, count, to);
        }
    return sens_shifted_factor(coupled->system, (struct sens_shift){1, h, 0}, coupled->value);
}

/* ---- products with M ----------------------------------------------------------------------------------- */

/* Terms, [.][L], and their sizes where these are wanted; elsewhere NULL. */
struct sum {
    sens_real *value, *size;
};

ALWAYS_INLINE struct sum sum_from(const struct sum *sum, bool sizes, size_t place)
{
    return (struct sum){sum->value + place, sizes ? sum->size + place : NULL};
}

ALWAYS_INLINE void clear(bool sizes, size_t count, struct sum sum)
{
    memset(sum.value, 0, count * sizeof *sum.value);
    if (sizes) memset(sum.size, 0, count * sizeof *sum.size);
}

/* OUT += w J_j V, or w J_j^T V; V, OUT [n][L]; V_sizes: V, or the sizes of its terms. */
ALWAYS_INLINE void add_product(const struct sens_coupled *coupled, size_t j, bool transposed, sens_real w,
                               size_t L, const sens_real *V, const sens_real *V_sizes, struct sum OUT)
{
    const struct sens_pattern *const pattern = coupled->J->pattern;
    const size_t n = coupled->n;
    const sens_real *const value = coupled->J_value + j * coupled->J->entries;
    for (size_t r = 0; r < n; r++) {
        const size_t first = pattern ? pattern->start[r] : r * n;
        const size_t end = pattern ? pattern->start[r + 1] : (r + 1) * n;
        for (size_t e = first; e < end; e++) {
            const size_t c = pattern ? pattern->col[e] : e - first;
            const size_t to = (transposed ? c : r) * L, from = (transposed ? r : c) * L;
            lanes_add(L, w * value[e], V + from, OUT.value + to);
            if (OUT.size) lanes_add_sizes(L, w * value[e], V_sizes + from, OUT.size + to);
        }
    }
}

/* OUT_i += h J_i^T sum_j a_ji X_j, of M^T X; work [n][L]. */
ALWAYS_INLINE void add_transposed(const struct sens_coupled *coupled, const struct sens_coupled_solution *of,
                                  size_t i, bool sizes, size_t L, struct sum work, struct sum OUT)
{
    const size_t size = coupled->n * L, s = coupled->stages;
    lanes_weigh(size, s, of->a + i, s, of->X, work.value, work.size);
    add_product(coupled, i, true, of->h, L, work.value, work.size, sum_from(&OUT, sizes, i * size));
}

/* OUT_j += h a_ji J_i X_i for all j, of M X; work [n][L]. */
ALWAYS_INLINE void add_plain(const struct sens_coupled *coupled, const struct sens_coupled_solution *of,
                             size_t i, bool sizes, size_t L, struct sum work, struct sum OUT)
{
    const size_t size = coupled->n * L, s = coupled->stages;
    clear(sizes, size, work);
    add_product(coupled, i, false, of->h, L, of->X + i * size, of->X + i * size, work);
    for (size_t j = 0; j < s; j++) {
        const sens_real w = of->a[j * s + i];
        const struct sum OUT_j = sum_from(&OUT, sizes, j * size);
        lanes_add(size, w, work.value, OUT_j.value);
        if (sizes) lanes_add_sizes(size, w, work.size, OUT_j.size);
    }
}

/* OUT = B - X, or with the mass matrix of the stages in place of 1. */
ALWAYS_INLINE void start(const struct sens_coupled *coupled, const struct sens_coupled_solution *of,
                         bool sizes, size_t L, struct sum OUT)
{
    const size_t rows = coupled->stages * coupled->n;
    const struct sens_pattern *const pattern = &coupled->mass.pattern;
    const sens_real *const value = coupled->mass.value, own = value ? 0 : 1, *const X = of->X;
    for (size_t q = 0; q < rows * L; q++) OUT.value[q] = of->B[q] - own * X[q];
    for (size_t q = 0; sizes && q < rows * L; q++) OUT.size[q] = fabs(of->B[q]) + own * fabs(X[q]);
    for (size_t r = 0; value && r < rows; r++)
        for (size_t e = pattern->start[r]; e < pattern->start[r + 1]; e++) {
            const size_t c = pattern->col[e];
            const size_t to = (of->transposed ? c : r) * L, from = (of->transposed ? r : c) * L;
            lanes_add(L, -value[e], X + from, OUT.value + to);
            if (sizes) lanes_add_sizes(L, value[e], X + from, OUT.size + to);
        }
}

ALWAYS_INLINE void residual(size_t L, const struct sens_coupled *coupled,
                            const struct sens_coupled_solution *of, bool sizes, sens_real *work, struct sum R)
{
    const struct sum of_stage = {work, sizes ? work + coupled->n * L : NULL};
    start(coupled, of, sizes, L, R);
    for (size_t i = 0; i < coupled->stages; i++)
        if (of->transposed)
            add_transposed(coupled, of, i, sizes, L, of_stage, R);
        else
            add_plain(coupled, of, i, sizes, L, of_stage, R);
}

void sens_coupled_residual(const struct sens_coupled *coupled, const struct sens_coupled_solution *of,
                           sens_real *work, sens_real *R)
{
    residual(of->L, coupled, of, false, work, (struct sum){R, NULL});
}

/* With the usual numbers of lanes as constants. */
static void residual_and_sizes(const struct sens_coupled *coupled, const struct sens_coupled_solution *of,
                               sens_real *work, struct sum R)
{
    switch (of->L) {
        CASE(4, residual, coupled, of, true, work, R)
        CASE(8, residual, coupled, of, true, work, R)
    default:
        residual(of->L, coupled, of, true, work, R);
    }
}

/* The largest entry of row r of the J_j. */
static sens_real largest_of_row(const struct sens_coupled *coupled, size_t r)
{
    const struct sens_pattern *const pattern = coupled->J->pattern;
    const size_t n = coupled->n, s = coupled->stages, entries = coupled->J->entries;
    const size_t first = pattern ? pattern->start[r] : r * n,
                 end = pattern ? pattern->start[r + 1] : (r + 1) * n;
    sens_real value = 0;
    for (size_t j = 0; j < s; j++)
        for (size_t e = first; e < end; e++)
            value = sens_larger(fabs(coupled->J_value[j * entries + e]), value);
    return value;
}

/* coupled->unit: the largest entry of each row of M, or an upper bound of it; NULL where units cancel
 * (stage_matrix.c). */
static const sens_real *find_units(const struct sens_coupled *coupled, const struct sens_coupled_solution *of)
{
    const struct sens_mass *const mass = &coupled->mass;
    if (!mass->value || of->transposed) return NULL;
    sens_real weight = 0;
    for (size_t k = 0; k < coupled->stages * coupled->stages; k++)
        weight = sens_larger(fabs(of->h * of->a[k]), weight);
    for (size_t r = 0; r < coupled->n; r++) {
        const sens_real by_J = weight * largest_of_row(coupled, r);
        for (size_t i = r; i < coupled->stages * coupled->n; i += coupled->n) {
            sens_real largest = by_J;
            for (size_t e = mass->pattern.start[i]; e < mass->pattern.start[i + 1]; e++)
                largest = sens_larger(fabs(mass->value[e]), largest);
            coupled->unit[i] = largest == 0 ? 1 : largest;
        }
    }
    return coupled->unit;
}

bool sens_coupled_off(const struct sens_coupled *coupled, const struct sens_coupled_solution *of,
                      sens_real *work, sens_real *terms, sens_real *R)
{
    const size_t rows = coupled->stages * coupled->n,
                 mass = coupled->mass.value ? sens_pattern_entries(&coupled->mass.pattern) : 0;
    const sens_real entries =
        (sens_real)(coupled->stages * coupled->stages * coupled->J->entries + mass) / (sens_real)rows;
    residual_and_sizes(coupled, of, work, (struct sum){R, terms});
    return sens_residual_leave_off(rows, of->L, entries, find_units(coupled, of), terms, R);
}
