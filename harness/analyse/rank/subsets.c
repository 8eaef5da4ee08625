/* All subsets, depth first, see subsets.h. */
#include "subsets.h"

#include <gsl/gsl_linalg.h>
#include <math.h>

struct walk {
    const struct stacked *stacked;
    size_t cols, largest;
    double *column;                   /* [cols][cols]: column c of M, in the coordinates of Q */
    double *Q;                        /* [largest][cols] orthonormal vectors of the subset so far */
    double *T;                        /* [largest][largest] by rows: its triangle */
    double *log_det;                  /* [largest + 1] of the triangle of (M D)_K, of each size so far */
    size_t *chosen;                   /* [largest] */
    double *copy, *rotation, *values; /* for the singular values */
    void (*each)(void *self, const struct subset *subset);
    void *self;
};

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Column c becomes the last one of a subset of `size`, by modified Gram-Schmidt, whose triangle is as good as that of
 * reflections. */
static void append_column(struct walk *walk, size_t size, size_t c)
{
    const size_t cols = walk->cols, last = size - 1;
    double *const q = walk->Q + last * cols;
    for (size_t i = 0; i < cols; i++) q[i] = walk->column[c * cols + i];
    for (size_t r = 0; r < last; r++) {
        const double part = dot(cols, walk->Q + r * cols, q);
        for (size_t i = 0; i < cols; i++) q[i] -= part * walk->Q[r * cols + i];
        walk->T[r * walk->largest + last] = part;
    }
    const double left = sqrt(dot(cols, q, q));
    for (size_t i = 0; i < cols && left > 0; i++) q[i] /= left;
    walk->T[last * walk->largest + last] = left;
    walk->log_det[size] = walk->log_det[last] + log(left * walk->stacked->length[c]);
    walk->chosen[last] = c;
}

/* By one-sided Jacobi rotations, which find small values to as many digits as large ones. */
static double smallest_value(struct walk *walk, size_t size)
{
    gsl_matrix_view A = gsl_matrix_view_array(walk->copy, size, size);
    gsl_matrix_view V = gsl_matrix_view_array(walk->rotation, size, size);
    gsl_vector_view s = gsl_vector_view_array(walk->values, size);
    for (size_t r = 0; r < size; r++)
        for (size_t c = 0; c < size; c++)
            walk->copy[r * size + c] = r <= c ? walk->T[r * walk->largest + c] : 0;
    if (gsl_linalg_SV_decomp_jacobi(&A.matrix, &V.matrix, &s.vector) != 0) return NAN;
    return walk->values[size - 1];
}

static void report(struct walk *walk, size_t size)
{
    const double sigma = smallest_value(walk, size);
    const bool singular = sigma <= walk->stacked->noise;
    const struct subset subset = {.size = size,
                                  .column = walk->chosen,
                                  .gamma = singular ? INFINITY : 1 / sigma,
                                  .rho = singular ? 0 : exp(walk->log_det[size] / (double)size)};
    walk->each(walk->self, &subset);
}

/* The next subset after the one that stands, of which none has more than `largest` columns; its size, 0 after the last.
 */
static size_t next_subset(struct walk *walk, size_t size)
{
    if (size < walk->largest && walk->chosen[size - 1] + 1 < walk->cols) {
        append_column(walk, size + 1, walk->chosen[size - 1] + 1);
        return size + 1;
    }
    while (size > 0 && walk->chosen[size - 1] + 1 == walk->cols) size--;
    if (size > 0) append_column(walk, size, walk->chosen[size - 1] + 1);
    return size;
}

size_t subsets_size(size_t cols, double limit)
{
    double count = 0, of_size = (double)cols;
    for (size_t size = 2; size <= cols; size++) {
        of_size *= (double)(cols - size + 1) / (double)size;
        count += of_size;
        if (count > limit) return size == 2 ? 0 : size - 1;
    }
    return cols;
}

static sens_status allocate(struct sens_ctx *ctx, struct walk *walk)
{
    const size_t cols = walk->cols, largest = walk->largest;
    walk->column = SENS_NEW(ctx, double, cols *cols);
    walk->Q = SENS_NEW(ctx, double, largest *cols);
    walk->T = SENS_NEW(ctx, double, largest *largest);
    walk->log_det = SENS_NEW(ctx, double, largest + 1);
    walk->chosen = SENS_NEW(ctx, size_t, largest);
    walk->copy = SENS_NEW(ctx, double, largest *largest);
    walk->rotation = SENS_NEW(ctx, double, largest *largest);
    walk->values = SENS_NEW(ctx, double, largest);
    return walk->column && walk->Q && walk->T && walk->log_det && walk->chosen && walk->copy &&
                   walk->rotation && walk->values
               ? SENS_OK
               : SENS_NO_MEMORY;
}

sens_status subsets_visit(struct sens_ctx *ctx, const struct stacked *stacked,
                          const struct spectrum *spectrum, size_t largest,
                          void (*each)(void *self, const struct subset *subset), void *self)
{
    const size_t cols = stacked->cols;
    struct walk walk = {.stacked = stacked, .cols = cols, .largest = largest, .each = each, .self = self};
    if (largest < 2 || largest > cols) return SENS_OK;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    const sens_status status = allocate(ctx, &walk);
    if (status == SENS_OK) {
        for (size_t c = 0; c < cols; c++)
            for (size_t r = 0; r <= c; r++)
                walk.column[spectrum->order[c] * cols + r] = spectrum->R[r * cols + c];
        gsl_error_handler_t *const handler =
            gsl_set_error_handler_off(); /* the default one ends the program */
        append_column(&walk, 1, 0);
        for (size_t size = 1; size > 0; size = next_subset(&walk, size))
            if (size > 1) report(&walk, size);
        gsl_set_error_handler(handler);
    }
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}
