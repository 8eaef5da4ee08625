/* derive/generate/product.c - which of the two forms a product is written in. */
#include "product.h"

#include <stdlib.h>

#include "straight.h"

sens_status product_write(struct text *text, const struct frame *frame, const struct graph *graph,
                          size_t first, size_t count, struct generate_count *counted)
{
    bool *needed = calloc(graph->n_nodes, sizeof *needed);
    if (!needed) return SENS_NO_MEMORY;
    const size_t operations = straight_needed(graph, first, count, needed);
    free(needed);
    counted->operations += operations;
    counted->operators += operations;
    return straight_write(text, frame, graph, first, count);
}
