/* methods/grid/wave_matrix.h - the Jacobian of a problem on a grid, one sparse matrix J for all t and x, as a front
 * over the grid takes its transpose (kernels/wave.h): rows that reach no farther than some neighbours, and are alike
 * for many rows together. */
#ifndef SENS_WAVE_MATRIX_H
#define SENS_WAVE_MATRIX_H

#include <stdbool.h>

#include "sens/method.h"
#include "wave.h"

struct wave_matrix {
    const struct sens_problem *pb;
    struct sens_wave_matrix A;      /* of the parameters found last, in what is next */
    sens_real shift, scale;         /* J^T = shift I + scale A */
    size_t most;                    /* entries of a row of A, where these are 1: no eigenvalue is larger */
    sens_real *value, *turned;      /* [entries] of J, and of A */
    struct sens_pattern transposed; /* of J^T, and where a value of J is in there: */
    size_t *place;
    size_t *first;                 /* [chunks + 1] */
    struct sens_wave_piece *piece; /* [n] */
    struct sens_wave_entry *entry; /* [entries of J] */
};

/* Can df/dx of the problem be taken so, by what it declares? */
bool wave_matrix_suits(const struct sens_problem *pb);

/* Rows of a chunk; likewise. */
size_t wave_matrix_chunk(const struct sens_problem *pb);

/* For a problem that suits. Memory from the arena; SENS_NO_MEMORY. */
sens_status wave_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                               struct wave_matrix *matrix);

/* Of parameters p [np]. */
void wave_matrix_find(struct wave_matrix *matrix, const sens_real *p);

/* The polynomial sum_k r_k (h J^T)^k as one of A: q [degree + 1] from r [degree + 1]. Where the values of A are 1, q is
 * rounded so that it is as good as exact at the eigenvalue 0 of J^T, where that lies at an end of all or near one: slow
 * modes, of which a step leaves nearly all, see the same q in each step, and its rounding would add up. Reads shift,
 * scale, most and A.ones alone. */
void wave_matrix_polynomial(const struct wave_matrix *matrix, sens_real h, size_t degree,
                            const long double *r, sens_real *q);

/* OUT [n] += J V, V [n]. */
void wave_matrix_add_product(const struct wave_matrix *matrix, const sens_real *V, sens_real *OUT);

#endif
