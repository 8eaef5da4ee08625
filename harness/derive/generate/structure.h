/* derive/generate/structure.h - what struct sens_structure declares, found in the entries of the Jacobians.
 *
 *     outer products    df_i/dp_(first + i cols + j) = s_i phi_j, in blocks that cover all parameters, nothing else
 *     coupling          df/dx = diag(d) + diag(s) M with these s, and an M that depends on p alone */
#ifndef DERIVE_STRUCTURE_H
#define DERIVE_STRUCTURE_H

#include "products.h"

enum structure_part {
    STRUCTURE_S,        /* s [n] */
    STRUCTURE_PHI,      /* the columns of all blocks */
    STRUCTURE_COUPLING, /* M [n][n] */
    STRUCTURE_DIAGONAL, /* d [n] */
    STRUCTURE_PARTS
};

struct structure {
    size_t n_blocks; /* of outer products; 0: there are none, and no coupling */
    struct sens_outer *blocks;
    struct graph *part[STRUCTURE_PARTS]; /* of numbers; NULL: not found */
};

/* The structure of f(t, x [n], p [np]) with n outputs, of the path that was recorded. Coupling is looked for beside
 * outer products, and only where more than half of df/dx are entries. All is NULL where nothing is found, or on
 * failure. SENS_NO_MEMORY. */
sens_status structure_find(const struct graph *f, size_t n, size_t np, struct structure *structure);
void structure_release(struct structure *structure); /* all zero: nothing is done */

/* Does no output depend on t or x? */
bool structure_is_constant(const struct graph *graph, size_t outputs, bool *constant);

#endif
