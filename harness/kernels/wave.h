/* kernels/wave.h - a polynomial of a sparse matrix on a grid, times many vectors in lanes:
 *
 *     out = sum_k r_k A^k lambda,   k = 0 ... degree,
 *
 * by Horner's rule: u_(d-1) = r_(d-1) lambda + r_d A lambda, u_k = r_k lambda + A u_(k+1), out = u_0. With A = h J^T
 * and r the stability polynomial, this is a step of an explicit formula for the cotangents of a linear system (Hairer &
 * Wanner II, IV.2).
 *
 * Where the rows of A reach no farther than some neighbours, u_k needs of u_(k+1) only what lies near. So the rows are
 * cut into chunks, and a front goes over them once: when u_(d-1) is found of chunk T, u_k is of chunk T - (d - 1 - k).
 * Of each three chunks are there at a time, in a ring; lambda and out alone are read and written as a whole (skewed
 * tiles of space and time: Wonnacott, Int. J. Parallel Program. 30 (2002) 181). Power by power, each vector would go
 * through the second-level cache several times. */
#ifndef SENS_WAVE_H
#define SENS_WAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "sens/real.h"

enum { SENS_WAVE_ENTRIES = 32, SENS_WAVE_DEGREE = 16 }; /* of a row, and of a polynomial, at most */

/* An entry of a row: the row that it multiplies, by the chunk it is in less that of its own, and its place in there,
 * for the first row of a piece; later rows of the piece have it as many rows behind. */
struct sens_wave_entry {
    int chunk;  /* -1, 0, 1 */
    size_t row; /* in it */
    sens_real value;
};

/* Consecutive rows of a chunk whose entries are alike: the same values, as far from the diagonal. */
struct sens_wave_piece {
    size_t row, count; /* the first, in its chunk */
    size_t entries;
    /* The first entries are the row before, itself unless all values are 1, and the row behind: what is read of u for
     * one row serves its neighbours. */
    bool line;
    const struct sens_wave_entry *entry; /* [entries] */
};

struct sens_wave_matrix {
    size_t n, chunk, chunks; /* rows; of a chunk, the last of which may be shorter */
    bool ones;               /* all values are 1 */
    const size_t *first;     /* [chunks + 1] number of a chunk's first piece */
    const struct sens_wave_piece *piece;
};

/* Lanes that a step is best taken with, where there are as many vectors: two vectors of the processor for each row,
 * or one where the rings would not stay in a first-level cache of l1 bytes (0: not known); 0: any. */
size_t sens_wave_lanes(size_t chunk, size_t degree, size_t l1);

/* Numbers that it works with, for vectors in L lanes. */
size_t sens_wave_room(const struct sens_wave_matrix *A, size_t degree, size_t L);

/* lambda and out [n][L], the same or apart; r [degree + 1], degree of 1 ... SENS_WAVE_DEGREE. */
void sens_lanes_wave(const struct sens_wave_matrix *A, size_t degree, const sens_real *r, size_t L,
                     sens_real *room, const sens_real *lambda, sens_real *out);

#endif
