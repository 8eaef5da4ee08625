/* methods/linear/mass.h - the mass matrix of M x' = f(t, x, p), see sens/problem.h, and
 *
 *     A = M, its rows of zeros replaced by those of -df/dx at (t0, x0),
 *
 * the limit of M - h gamma df/dx for h gamma -> 0, each algebraic row divided by h gamma. A is nonsingular where the
 * problem has an index of 0 (M nonsingular) or 1. It gives x' where M alone does not: the algebraic equations hold
 * along the solution, so that A x' is f in the differential rows and df_i/dt in the others. */
#ifndef SENS_MASS_H
#define SENS_MASS_H

#include "stage_matrix.h"

struct sens_mass_matrix {
    struct sens_stage_matrix A; /* with its factors */
    size_t algebraic;           /* rows of M that are 0 */
    bool negative;              /* det A < 0 */
};

/* Of a problem with a mass matrix. Memory from the arena. SENS_SINGULAR, with a message: A is, to rounding.
 * SENS_BAD_INPUT, with a message: x0 does not satisfy an algebraic equation, by more than the square root of rounding
 * as a part of x0. SENS_NO_MEMORY, SENS_UNSUPPORTED, a status of f. */
sens_status sens_mass_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                    struct sens_mass_matrix *mass);

/* Is row i of M 0? */
bool sens_mass_row_zero(const struct sens_mass *mass, size_t i);
/* The columns that are 0, in column [n]; how many. */
size_t sens_mass_open_columns(const struct sens_mass *mass, size_t *column);

/* out = M x or M^T x, [n][L]. */
void sens_mass_multiply(const struct sens_mass *mass, bool transposed, size_t L, const sens_real *x,
                        sens_real *out);

/* f [n] becomes x' of the problem, without what df/dt does in the algebraic equations: for a first step. */
void sens_mass_rate(const struct sens_mass_matrix *mass, sens_real *f);

#endif
