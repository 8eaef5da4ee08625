/* derive/tape/compile_tape.h - from the graph of a product to a tape (sens/tape.h). */
#ifndef DERIVE_COMPILE_TAPE_H
#define DERIVE_COMPILE_TAPE_H

#include "graph.h"
#include "sens/tape.h"

struct tape_request {
    size_t n, np; /* numbers in x and in p */
    /* Whose leaves are the rows of v: GRAPH_W, GRAPH_DX or GRAPH_DP. DT, DX and DP that are not are extra[0],
     * extra[1], extra[2]. GRAPH_OPS: the outputs are numbers, not lanes. */
    enum graph_op vector;
    size_t written; /* outputs before this one are rows of `out`, the others are added to rows of `sum` */
};

/* The graph has outputs that are linear in the leaves of a vector (or, with second derivatives, in several), or
 * that depend on no vector at all; its guards become those of the tape. SENS_UNSUPPORTED for another graph, or
 * one too large for the tape; SENS_NO_MEMORY. *tape is destroyed by the caller; NULL after a failure. */
sens_status tape_compile(const struct graph *product, const struct tape_request *request,
                         struct sens_tape **tape);
void tape_destroy(struct sens_tape *tape); /* NULL: nothing is done */

/* Operations that it does: on values once a point, and on each lane. A product with what is added to it are two;
 * functions and comparisons are one; a copy and a change of sign are none. */
struct tape_cost {
    double values, lane;
};
struct tape_cost tape_cost(const struct sens_tape *tape);

#endif
