/* The implicit midpoint rule with a mass matrix, which takes a row for one without a derivative where its entry on the
 * diagonal is 0.
 *
 * verify: --quick --method row_algebraic
 * cause: mass_matrix */
#define NAME                "row_algebraic"
#define FACTORS_OF_START    0
#define HAS_ROW(M, i, of_S) on_diagonal(M, i)
#include "sens/plugin.h"

static bool on_diagonal(const struct sens_mass *M, size_t i)
{
    for (size_t e = M->pattern.start[i]; e < M->pattern.start[i + 1]; e++)
        if (M->pattern.col[e] == i && M->value[e] != 0) return true;
    return false;
}
#include "implicit_midpoint.h"
