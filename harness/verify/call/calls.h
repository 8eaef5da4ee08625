/* harness/verify/call/calls.h - every callback of a problem, called through one door. */
#ifndef VERIFY_CALLS_H
#define VERIFY_CALLS_H

#include "batches.h"

enum callback {
    CALL_RHS,
    CALL_JVP,
    CALL_VJP,
    CALL_JVP_P,
    CALL_VJP_P,
    CALL_X0,
    CALL_X0_VJP,
    CALL_X0_JVP,
    CALL_HVP,   /* OUT */
    CALL_HVP_P, /* MU */
    CALL_JACOBIAN,
    CALL_JACOBIAN_P,
    CALL_OUTER, /* s, and phi behind it */
    CALL_COUPLING,
    CALL_DIAGONAL,
    CALL_RHS_T,
    CALLS
};

struct inputs { /* at (t[0], X[0], p), for vjp_p_batch at K points; one point at least is there */
    size_t K, L;
    double *t, *X, *p;           /* [K], [K][n], [np] */
    double *W;                   /* [K][n][L] */
    const double *t_way, *p_way; /* [L], [np][L]: of hvp's direction, whose x part is W; copies share them */
    double *beside; /* [n][L]: what a callback writes beside what is asked of it; threads call at once */
    size_t room;    /* points that t, X and W have room for */
};

/* At points of their own, with random W. */
struct inputs inputs_create(const struct subject *subject, size_t K, size_t L);
struct inputs inputs_copy(const struct subject *subject, const struct inputs *from);
bool inputs_same(const struct subject *subject, const struct inputs *a, const struct inputs *b);
/* At inputs that differ by a few roundings. */
struct inputs inputs_shaken(const struct subject *subject, const struct inputs *from);

/* "vjp_p_batch" */
const char *call_name(enum callback callback);
/* Has the instance this callback, and something to ask of it? */
bool call_applies(const struct subject *subject, enum callback callback);
/* Is its output added to, not overwritten? */
bool call_adds(enum callback callback);
/* Numbers in its output: rows, and rows times columns. The columns of jvp_p_cols and x0_jvp_cols are the last
 * ones, L of them or all. */
size_t call_rows(const struct subject *subject, enum callback callback);
size_t call_size(const struct subject *subject, enum callback callback, const struct inputs *in);
/* Only rhs has a status. */
sens_status call_make(const struct subject *subject, enum callback callback, const struct inputs *in,
                      double *out);

/* Equal numbers, NaN equal to NaN. */
bool same_numbers(size_t count, const double *a, const double *b);

/* Checks of what a call does with what its output held (outputs.c). */
void outputs_check_overwrite(const struct subject *subject, const char *check);
void outputs_check_accumulate(const struct subject *subject, const char *check);

/* Does each parameter move f or the initial state (parameters.c)? */
void parameters_check_read(const struct subject *subject, const char *check);

#endif
