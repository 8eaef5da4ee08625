/* derive/generate/structure.h - what struct sens_structure declares, found in the entries of the Jacobians. */
#ifndef DERIVE_STRUCTURE_H
#define DERIVE_STRUCTURE_H

#include "products.h"

/* Outer products: df_i/dp_(first + i cols + j) = s_i phi_j in blocks that cover all parameters, nothing else. Their
 * factors are appended to the outputs of the graph of (df/dp)^T: s [n], then phi, the columns of all blocks. */
struct structure_outer {
    size_t n_blocks, columns;
    struct sens_outer *blocks; /* for the caller to free */
    graph_node *s;             /* [n] nodes of the graph of (df/dp)^T; likewise */
};

/* n_blocks = 0: there are none. SENS_NO_MEMORY. */
sens_status structure_find_outer(struct derive_entries *jacobian_p, size_t n, struct structure_outer *outer);

/* df/dx = diag(d) + diag(s) M with these s and an M that depends on p alone; *found tells whether it is so. M [n][n]
 * and then d [n] are appended to the outputs of the graph of df/dx. SENS_NO_MEMORY. */
sens_status structure_find_coupling(struct derive_entries *jacobian, const struct derive_entries *jacobian_p,
                                    const graph_node *s, size_t n, bool *found);

/* Does no output depend on t or x? */
bool structure_is_constant(const struct graph *graph, size_t outputs, bool *constant);

#endif
