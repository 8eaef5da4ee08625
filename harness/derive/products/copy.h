/* derive/products/copy.h - nodes of one graph in another. */
#ifndef DERIVE_COPY_H
#define DERIVE_COPY_H

#include "graph.h"

/* All nodes and guards of f, no outputs; place [f->n_nodes] is filled. */
void copy_all(struct graph *into, const struct graph *f, graph_node *place);

/* *taken: a graph of its own for outputs [first, first + count), without what they do not need. */
sens_status copy_outputs(const struct graph *from, size_t first, size_t count, struct graph **taken);

/* The nodes go that neither an output nor a guard needs. */
sens_status keep_needed(struct graph *graph);

/* *product is *whole without the nodes that neither an output nor a guard needs; NULL after a failure, and *whole is
 * destroyed. */
sens_status copy_needed(struct graph *whole, struct graph **product);

#endif
