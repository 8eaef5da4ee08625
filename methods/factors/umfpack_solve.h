/* methods/factors/umfpack_solve.h - triangular solves with UMFPACK's factors, for lanes that lie side by side.
 *
 *     P R A Q = L U,     A X = B   or   A^T X = B,     X, B [n][L], complex [n][2][L], X over B
 *
 * where R is diagonal and P and Q are permutations (Davis, ACM Trans. Math. Softw. 30 (2004) 196). UMFPACK keeps its
 * factors in a form of its own, and solves with them for one vector after the other. It hands out a copy, L by rows and
 * U by columns: through that all lanes go together, both ways. The copy costs as much as four or five of UMFPACK's own
 * solves, so that few lanes are better off with these. A single lane takes half of the time that it takes there, and
 * goes this way where many solves follow one factorisation (sens_shifted_expect_many). */
#ifndef SENS_UMFPACK_SOLVE_H
#define SENS_UMFPACK_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <umfpack.h>

struct run;

struct sens_umfpack_copy { /* all 0: of nothing, without memory */
    bool is_complex;
    int n, room[2]; /* entries of L and of U that there is memory for */
    int *start[2]; /* [n + 1] of the rows of L, of the columns of U; the last entry of each is its diagonal */
    int *index[2];
    double *value[2];            /* complex: pairs */
    int *first_run[2], rooms[2]; /* [n + 1] of those of a row or column; runs that there is memory for */
    struct run *run[2];          /* the same rows once more (lane_runs.h), without the diagonal */
    int *P, *Q;                  /* [n] */
    double *R;                   /* [n] by which rows are multiplied */
};

struct sens_umfpack_reader { /* functions of the library */
    __typeof__(umfpack_di_get_lunz) *sizes;
    __typeof__(umfpack_di_get_numeric) *read;
    __typeof__(umfpack_zi_get_numeric) *complex_read; /* NULL: the factors are real */
};

/* Makes the copy; memory of the one before is used again. false: no memory, and there is no copy. */
bool sens_umfpack_copy(struct sens_umfpack_copy *copy, const struct sens_umfpack_reader *reader,
                       void *numeric);
void sens_umfpack_copy_free(struct sens_umfpack_copy *copy);

/* X [n][L], room [n][SENS_COLUMN_LANES]; complex X [n][2][L], room [n][2][SENS_COLUMN_LANES]. Both are the caller's. */
void sens_umfpack_solve(const struct sens_umfpack_copy *copy, bool transposed, size_t L, double *room,
                        double *X);

#endif
