/* J as numbers, see jacobian.h. */
#include "jacobian.h"

#include <string.h>

#include "pattern.h"

/* Of these, whole vectors of any instruction set; more would only take memory. */
enum { MOST_VECTORS = 32 };

static enum sens_route choose_route(bool declared, const struct sens_pattern *pattern)
{
    if (declared) return pattern ? SENS_ROUTE_SPARSE : SENS_ROUTE_DENSE;
    return pattern ? SENS_ROUTE_COLOURED : SENS_ROUTE_UNITS;
}

/* vjp shows rows of J side by side: they are coloured as columns of J^T. */
static sens_status colour(struct sens_ctx *ctx, struct sens_jacobian *J, size_t *to)
{
    struct sens_pattern transposed;
    size_t *place;
    if (J->by == SENS_JVP) return sens_pattern_colour(ctx, J->pattern, to, &J->colours);
    const sens_status status = sens_pattern_transpose(ctx, J->pattern, &transposed, &place);
    return status == SENS_OK ? sens_pattern_colour(ctx, &transposed, to, &J->colours) : status;
}

/* The vectors from `first` on, so many of them. */
static void write_seed(const struct sens_jacobian *J, size_t first, size_t width)
{
    memset(J->seed, 0, J->pb->n * width * sizeof *J->seed);
    for (size_t i = 0; i < J->pb->n; i++)
        if (J->colour[i] >= first && J->colour[i] < first + width)
            J->seed[i * width + J->colour[i] - first] = 1;
}

static sens_status prepare_products(struct sens_ctx *ctx, struct sens_jacobian *J)
{
    const size_t n = J->pb->n;
    size_t *const chosen = SENS_NEW(ctx, size_t, n);
    if (!chosen) return SENS_NO_MEMORY;
    J->colour = chosen;
    J->colours = n;
    for (size_t i = 0; i < n; i++) chosen[i] = i;
    if (J->pattern && colour(ctx, J, chosen) != SENS_OK) return SENS_NO_MEMORY;
    J->block = J->colours < MOST_VECTORS ? J->colours : MOST_VECTORS;
    J->seed = SENS_NEW(ctx, sens_real, n * J->block);
    J->product = SENS_NEW(ctx, sens_real, n * J->block);
    if (!J->seed || !J->product) return SENS_NO_MEMORY;
    write_seed(J, 0, J->block);
    return SENS_OK;
}

sens_status sens_jacobian_create(struct sens_ctx *ctx, const struct sens_problem *pb, enum sens_product by,
                                 const struct sens_pattern *found, struct sens_jacobian **made)
{
    struct sens_jacobian *const J = SENS_NEW(ctx, struct sens_jacobian, 1);
    if (!J) return SENS_NO_MEMORY;
    const struct sens_structure *const structure = sens_structure_of(pb);
    const struct sens_pattern *pattern = structure->sparsity;
    if (!pattern && !structure->jacobian) pattern = found;
    *J = (struct sens_jacobian){.pb = pb, .by = by, .pattern = pattern};
    J->route = choose_route(structure->jacobian, pattern);
    J->entries = pattern ? sens_pattern_entries(pattern) : pb->n * pb->n;
    *made = J;
    return sens_jacobian_declared(J) ? SENS_OK : prepare_products(ctx, J);
}

/* Row i of J in block `first`, from J V: column j is in the lane of its colour. */
static void take_columns(const struct sens_jacobian *J, size_t i, size_t first, size_t width,
                         sens_real *value)
{
    const sens_real *const row = J->product + i * width;
    if (!J->pattern) {
        memcpy(value + i * J->pb->n + first, row, width * sizeof *row);
        return;
    }
    for (size_t e = J->pattern->start[i]; e < J->pattern->start[i + 1]; e++) {
        const size_t c = J->colour[J->pattern->col[e]];
        if (c >= first && c < first + width) value[e] = row[c - first];
    }
}

/* Row i of J, from J^T W: all of it is in the one lane of its colour. */
static void take_row(const struct sens_jacobian *J, size_t i, size_t first, size_t width, sens_real *value)
{
    const size_t n = J->pb->n;
    if (J->colour[i] < first || J->colour[i] >= first + width) return;
    const sens_real *const lane = J->product + J->colour[i] - first;
    if (!J->pattern)
        for (size_t j = 0; j < n; j++) value[i * n + j] = lane[j * width];
    else
        for (size_t e = J->pattern->start[i]; e < J->pattern->start[i + 1]; e++)
            value[e] = lane[J->pattern->col[e] * width];
}

void sens_jacobian_at(struct sens_jacobian *J, const struct sens_at *at, sens_real *value)
{
    const struct sens_problem *const pb = J->pb;
    if (sens_jacobian_declared(J)) {
        pb->structure->jacobian(pb, at, value);
        return;
    }
    const bool vjp = J->by == SENS_VJP;
    for (size_t first = 0; first < J->colours; first += J->block) {
        const size_t left = J->colours - first, width = left < J->block ? left : J->block;
        if (J->colours > J->block) write_seed(J, first, width);
        (vjp ? pb->type->vjp : pb->type->jvp)(pb, at, width, J->seed, J->product);
        for (size_t i = 0; i < pb->n; i++) (vjp ? take_row : take_columns)(J, i, first, width, value);
    }
}
