/* derive/generate/product.c - which of the two forms a product is written in. */
#include "product.h"

#include "loops.h"
#include "straight.h"

sens_status product_write(struct text *text, const struct frame *frame, const struct graph *graph,
                          size_t first, size_t count, struct generate_count *counted)
{
    struct rolled *rolled;
    sens_status status = roll_graph(graph, first, count, frame->adds, &rolled);
    if (status != SENS_OK) return status;
    const size_t most = frame->lanes ? PRODUCT_SMALL : PRODUCT_SMALL_NUMBERS;
    const bool small = rolled->operations <= most && count <= most;
    counted->operations += rolled->operations;
    counted->operators += small ? rolled->operations : rolled->n_operators;
    if (small)
        status = straight_write(text, frame, graph, first, count);
    else
        status = loops_write(text, frame, rolled);
    roll_destroy(rolled);
    return status;
}
