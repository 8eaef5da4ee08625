/* derive/engine/layout.c - entries of a matrix in another order. */
#include "layout.h"

#include <stdint.h>
#include <stdlib.h>

static const size_t NOWHERE = SIZE_MAX;

/* Where an entry stands among the numbers of a matrix, all of it or the entries of a pattern; NOWHERE: it is 0. */
static size_t find_entry(const struct sens_pattern *pattern, size_t cols, size_t row, size_t col)
{
    if (!pattern) return row * cols + col;
    for (size_t e = pattern->start[row]; e < pattern->start[row + 1]; e++)
        if (pattern->col[e] == col) return e;
    return NOWHERE;
}

/* The C writes the whole matrix or the entries of its pattern, and so is it wanted, as the tape has it. */
bool layout_choose(enum product_kind kind, const struct function_shape *shape,
                   const struct generate_found *found, const struct sens_pattern *wanted,
                   struct layout *layout)
{
    const bool transposed = kind == PRODUCT_JACOBIAN_P;
    const struct sens_pattern *ours = transposed ? found->sparsity_p : found->sparsity;
    const size_t rows = transposed ? shape->np : shape->outputs;
    const size_t cols = transposed ? shape->outputs : shape->n;
    layout->written = ours ? ours->start[rows] : rows * cols;
    layout->entries = wanted ? wanted->start[rows] : rows * cols;
    if (!ours == !wanted) return layout->written == layout->entries;
    layout->from = malloc((layout->entries + 1) * sizeof *layout->from);
    for (size_t row = 0; layout->from && row < rows; row++)
        for (size_t c = 0; c < (wanted ? wanted->start[row + 1] - wanted->start[row] : cols); c++) {
            const size_t e = wanted ? wanted->start[row] + c : row * cols + c;
            layout->from[e] = find_entry(ours, cols, row, wanted ? wanted->col[e] : c);
        }
    return layout->from;
}

sens_status layout_run(const struct layout *layout, generated_numbers *function,
                       const struct sens_tape_call *on)
{
    double *written = malloc((layout->written + 1) * sizeof *written);
    if (!written) return SENS_NO_MEMORY;
    function(on->t[0], on->x, on->p, written);
    for (size_t e = 0; e < layout->entries; e++)
        on->out[e] = layout->from[e] == NOWHERE ? 0 : written[layout->from[e]];
    free(written);
    return SENS_OK;
}

void layout_release(struct layout *layout)
{
    free(layout->from);
    layout->from = NULL;
}
