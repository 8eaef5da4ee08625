/* methods/factors/klu_solve.h - triangular solves with KLU's factors, for lanes that lie side by side.
 *
 *     P (R \ A) Q = L U + F,     A X = B   or   A^T X = B,     X, B [n][W], X over B
 *
 * where R > 0 is diagonal, P and Q are permutations, L and U are block diagonal and F is above the blocks (Davis &
 * Natarajan, ACM Trans. Math. Softw. 37 (2010) 36). The factors are read where KLU keeps them, in packed columns:
 * nothing is copied or transposed, and all lanes go through them together, where klu_solve takes four columns at a
 * time. By columns, A X = B adds to the rows below a pivot, and A^T X = B gathers from them. The factors are only
 * read: many threads may share them. Complex ones the same, without conjugation, X [n][2][W], the real lanes first:
 * klu_z_solve works in room that belongs to the factors. */
#ifndef SENS_KLU_SOLVE_H
#define SENS_KLU_SOLVE_H

#include <klu.h>
#include <stdbool.h>
#include <stddef.h>

/* X [n][L], room [n][SENS_COLUMN_LANES]; complex X [n][2][L], room [n][2][SENS_COLUMN_LANES]. Both are the caller's. */
void sens_klu_solve(const klu_symbolic *symbolic, const klu_numeric *numeric, bool is_complex,
                    bool transposed, size_t L, double *room, double *X);

#endif
