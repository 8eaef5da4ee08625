/* methods/linear/kernel.h - what a kernel of shifted.h is: one file each, one line in shifted.c. */
#ifndef SENS_KERNEL_H
#define SENS_KERNEL_H

#include <pthread.h>

#include "shifted.h"

struct sens_kernel {
    const char *name;
    bool sparse; /* M holds the values of a pattern; else [n][n] by rows */
    /* What the first factorisation needs; *ctx for messages. SENS_UNAVAILABLE: its library cannot be loaded. */
    sens_status (*create)(struct sens_ctx *ctx, struct sens_shifted *shifted);
    /* The same beside another, whose `own` is there to be shared. NULL: create does. */
    sens_status (*create_like)(struct sens_ctx *ctx, struct sens_shifted *shifted, const void *other);
    sens_status (*factor)(struct sens_shifted *shifted); /* of M, which it may overwrite */
    void (*solve)(struct sens_shifted *shifted, bool transposed, size_t L, sens_real *X);
    bool (*negative)(const struct sens_shifted *shifted); /* det M < 0; NULL where M is complex */
    size_t (*bytes)(const struct sens_shifted *shifted);  /* of its factors; NULL: M, and n pivots */
    void (*release)(struct sens_shifted *shifted);        /* NULL: the arena does */
};

struct sens_shifted {
    const struct sens_kernel *kernel;
    enum sens_kernel_choice choice;
    size_t n, entries;                  /* of J, as given */
    const struct sens_pattern *pattern; /* of J; NULL: dense */
    const size_t *place;                /* [entries] of J's values in M; NULL: the same order */
    const struct sens_mass *mass;       /* in the place of I; NULL: I */
    const size_t *mass_place;           /* of its values in M */
    struct sens_pattern filled;         /* sparse: of M, with the whole diagonal */
    bool is_complex;                    /* M and vectors are */
    bool turned;                        /* sparse: M is kept by columns, and filled is its transpose */
    bool many;                          /* vectors are to be expected (sens_shifted_expect_many) */
    size_t size;                        /* entries of M */
    sens_real *M;                       /* [size]; complex: [size][2], real and imaginary part */
    sens_real *row_scale;              /* [n] powers of 2, of a dense M with a mass matrix; NULL: all are 1 */
    void *own;                         /* the kernel's */
    const struct sens_shifted *lender; /* whose factors are solved with; NULL: its own */
    long factorisations, borrowings, solves;
};

extern const struct sens_kernel sens_kernel_own, sens_kernel_own_complex;
#ifndef SENS_EXTENDED
#ifdef SENS_LAPACK_LIBRARY
#define SENS_KERNEL_HAS_LAPACK 1
extern const struct sens_kernel sens_kernel_lapack, sens_kernel_lapack_complex;
#endif
#ifdef SENS_KLU_LIBRARY
#define SENS_KERNEL_HAS_KLU 1
extern const struct sens_kernel sens_kernel_klu, sens_kernel_klu_complex;

/* Operations an entry of KLU's factors of such a matrix, by its analysis. Memory from the arena. SENS_NO_MEMORY;
 * SENS_UNAVAILABLE; SENS_UNSUPPORTED: too large. */
sens_status sens_kernel_klu_work(struct sens_ctx *ctx, const struct sens_pattern *pattern, double *an_entry);
#endif
#ifdef SENS_UMFPACK_LIBRARY
#define SENS_KERNEL_HAS_UMFPACK 1
extern const struct sens_kernel sens_kernel_umfpack, sens_kernel_umfpack_complex;
#endif
#endif

static inline const struct sens_shifted *sens_kernel_factors(const struct sens_shifted *shifted)
{
    return shifted->lender ? shifted->lender : shifted;
}

/* A function of a library, or of one that it is built on. The first call loads the library, which then stays:
 * a program that solves no such system does not pay for it. *place is a pointer to the function; false: it is
 * not there, and *place is left alone. */
bool sens_kernel_function(const char *library, const char *name, void *place);

#ifndef SENS_EXTENDED
struct sens_kernel_name { /* a function, and the pointer to it that is wanted */
    const char *name;
    void *place;
};

/* Functions of a library that calls BLAS, which is to take no threads of its own: a cell's threads are the harness's
 * to count. *alone: to be held while one of them runs, or NULL. An OpenBLAS that was built without threads works in
 * one buffer for all its callers: two threads at once would get the numbers of each other. */
bool sens_kernel_blas_functions(const char *library, size_t count, const struct sens_kernel_name *wanted,
                                pthread_mutex_t **alone);

/* Around a call. */
static inline void sens_kernel_enter(pthread_mutex_t *alone)
{
    if (alone) pthread_mutex_lock(alone);
}

static inline void sens_kernel_leave(pthread_mutex_t *alone)
{
    if (alone) pthread_mutex_unlock(alone);
}
#endif

/* For a library that wants complex numbers as pairs: lanes first ... first + count of X [n][2][L] become so many
 * columns of pairs, pair i of column c at pairs + 2 (i down + c right), and back. */
struct sens_kernel_pairs {
    size_t n, L, first, count, down, right;
};
void sens_kernel_to_pairs(const struct sens_kernel_pairs *how, const sens_real *X, sens_real *pairs);
void sens_kernel_from_pairs(const struct sens_kernel_pairs *how, const sens_real *pairs, sens_real *X);

/* Rows a and b of X [n][L] change places. */
static inline void sens_kernel_exchange(size_t L, sens_real *X, size_t a, size_t b)
{
    sens_real *const p = X + a * L, *const q = X + b * L;
    for (size_t l = 0; a != b && l < L; l++) {
        const sens_real kept = p[l];
        p[l] = q[l];
        q[l] = kept;
    }
}

#endif
