/* methods/linear/shifted.h - systems with M = alpha I - beta J, factored once and solved for many vectors; of a problem
 * with a mass matrix, which then stands in the place of I, too.
 *
 *     M X = B   or   M^T X = B,    X, B [n][L]: L right-hand sides, the lane index contiguous, X over B
 *
 * An implicit step has alpha = 1, beta = h gamma; where the increments are the unknowns alpha = 1 / (h
 * gamma), beta = 1. One interface for four kernels:
 *
 *     lapack   dense. M by rows is M^T by columns, which dgetrf factorises as P L U; and B [n][L] by rows is
 *              B^T, L x n, by columns. M X = B is thus X^T (P L U) = B^T: two triangular solves from the
 *              right (dtrsm) and exchanges of rows of X, in place. The transposed system takes the same
 *              factors the other way round. Nothing is copied.
 *     klu      sparse (SuiteSparse). The pattern by rows is that of M^T by columns. KLU's own solves take four
 *              right-hand sides at a time, one after the other; ours take eight lanes side by side through its
 *              factors (klu_solve.h).
 *     umfpack  sparse (SuiteSparse), columns that look alike in dense blocks, ordered by METIS: for grids. From four
 *              lanes on, or where many solves are to be expected, they go side by side through a copy of its factors
 *              (umfpack_solve.h).
 *     own      dense, by rows, with partial pivoting: for extended precision, which the libraries lack, for
 *              systems so small that a call costs as much as the arithmetic, and where a library is missing.
 *              A lane has the same bits alone and among others; the libraries do not promise that. All four
 *              repeat their bits.
 *
 * Fully implicit formulas have complex shifts, alpha + i imaginary. M is complex then, vectors are [n][2][L], the
 * real lanes first, and each kernel has its complex twin (zgetrf and ztrsm; klu_z, umfpack_zi). Transposed stays
 * transposed: M^T X = B, without conjugation.
 *
 * Memory is the arena's, but for sparse factors: the library takes those at each factorisation, and
 * sens_shifted_release gives them back. One thread each. */
#ifndef SENS_SHIFTED_H
#define SENS_SHIFTED_H

#include "sens/method.h"

struct sens_shift { /* M = (identity + i imaginary) I - jacobian J */
    sens_real identity, jacobian;
    sens_real imaginary; /* 0 where the system is real */
};

struct sens_shifted;

/* For J given as sens_jacobian_at does: with a pattern its values, which has to stay, else [n][n] by rows.
 * SENS_KERNEL_AUTO: ctx->linear; where that is AUTO, too, klu for a pattern, or umfpack where its factors take many
 * operations an entry; without one own for few unknowns, else lapack; own where that one is not there.
 * SENS_NO_MEMORY; SENS_UNAVAILABLE: a kernel that was named is not built in, cannot be loaded, or
 * lacks this precision;
 * SENS_UNSUPPORTED: too large for the indices of the library, or a sparse kernel was named and there is no pattern.
 * Whatever the status, sens_shifted_release is
 * due unless *made is NULL. */
sens_status sens_shifted_create(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                                enum sens_kernel_choice choice, struct sens_shifted **made);
/* The same, for who solves M^T X = B for many lanes: sparse factors are then read in the order that is fast for it, as
 * they are for M X = B otherwise. */
sens_status sens_shifted_create_turned(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                                       enum sens_kernel_choice choice, struct sens_shifted **made);
/* The same for complex shifts: every X is [n][2][L]. */
sens_status sens_shifted_create_complex(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                                        enum sens_kernel_choice choice, struct sens_shifted **made);
enum sens_shifted_kind { SENS_SHIFTED_PLAIN, SENS_SHIFTED_TURNED, SENS_SHIFTED_COMPLEX };

/* One of the three, with a mass matrix in the place of I, which has to stay: M = alpha mass - beta J. NULL: I. Rows of
 * a dense M are scaled where there is one, or where `scaled` says so. */
sens_status sens_shifted_create_mass(struct sens_ctx *ctx, size_t n, const struct sens_mass *mass,
                                     const struct sens_pattern *pattern, enum sens_shifted_kind kind,
                                     bool scaled, struct sens_shifted **made);
void sens_shifted_release(struct sens_shifted *shifted);

/* Another of the same systems, for factors of its own: the same kernel and pattern, turned or not. Where both are
 * alike in this, too, what they work in is shared: they are one thread's. As sens_shifted_create. */
sens_status sens_shifted_like(struct sens_ctx *ctx, const struct sens_shifted *shifted, bool turned,
                              struct sens_shifted **made);

/* Eight vectors or more will be solved for with factors of each kind that it takes, be it one by one. A kernel may then
 * spend as long on them as a few solves take, for each of them to be faster. */
void sens_shifted_expect_many(struct sens_shifted *shifted);

/* Until it factorises again, or borrows from another, `shifted` solves with the factors of `lender`, of which it may
 * be another, or which was made of the same pattern; turned or not is the lender's. These are only read: many threads
 * may borrow from one. */
void sens_shifted_borrow(struct sens_shifted *shifted, const struct sens_shifted *lender);

/* Of the factors at hand, in bytes. */
size_t sens_shifted_bytes(const struct sens_shifted *shifted);

/* Is M kept by columns (sens_shifted_create_turned)? Never where it is dense. */
bool sens_shifted_turned(const struct sens_shifted *shifted);

/* "lapack", "klu", "umfpack", "own". */
const char *sens_shifted_kernel(const struct sens_shifted *shifted);

/* The factors of M. SENS_NONFINITE, SENS_SINGULAR (a pivot is exactly 0): recoverable, another shift may
 * help; SENS_NO_MEMORY. There are no factors then, and nothing may be solved. */
sens_status sens_shifted_factor(struct sens_shifted *shifted, struct sens_shift shift,
                                const sens_real *value);

/* X [n][L], or [n][2][L], = M^-1 X, or M^-T X. X may overflow where M is nearly singular: look whether it is finite. */
void sens_shifted_solve(struct sens_shifted *shifted, bool transposed, size_t L, sens_real *X);

/* Is det M < 0, by the factors at hand? M real. As beta goes from 0 to where it is, alpha > 0, real eigenvalues of
 * alpha I - beta J go through 0 one by one, pairs past it: an odd number of them is below 0 then. */
bool sens_shifted_negative(const struct sens_shifted *shifted);

/* Adds the factorisations, the factors that were borrowed in their place, and the vectors solved for, since the
 * last call to *work, and forgets them. */
void sens_shifted_count(struct sens_shifted *shifted, struct sens_work *work);

#endif
