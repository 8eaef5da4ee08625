/* methods/peers/adolc/adolc_tape.h - right-hand sides taped by ADOL-C, and products by vector forward and
 * reverse sweeps.
 *
 * Two tapes for each, as the library's users do (PETSc, src/ts/tutorials/autodiff): one whose independents
 * are the state, one whose independents are the parameters; what is left are the tape's parameters, set
 * before a sweep. Tapes are global to the library: they are shared, kept, and used by one
 * thread at a time. */
#ifndef ADOLC_TAPE_H
#define ADOLC_TAPE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many forms the right-hand side of the problem of this name has here; 0: it is not known. */
unsigned adolc_forms(const char *problem);

/* The right-hand side in double; false where the form has no such sizes. */
bool adolc_rhs(const char *problem, unsigned form, size_t n, size_t np, double t, const double *x,
               const double *p, double *dx);

struct adolc_tapes;

/* Taped at (t, x, p), once for each size. NULL: no memory, or it would not fit the library's buffers. */
struct adolc_tapes *adolc_tapes_get(const char *problem, unsigned form, size_t n, size_t np, double t,
                                    const double *x, const double *p);

/* As the slots of sens_problem_type; NaN where the library reports a failure. */
void adolc_vjp(struct adolc_tapes *tapes, double t, const double *x, const double *p, size_t L,
               const double *W /*[n][L]*/, double *OUT /*[n][L]*/);
void adolc_jvp(struct adolc_tapes *tapes, double t, const double *x, const double *p, size_t L,
               const double *V /*[n][L]*/, double *OUT /*[n][L]*/);
void adolc_vjp_p(struct adolc_tapes *tapes, double t, const double *x, const double *p, size_t L,
                 const double *W /*[n][L]*/, double *MU /*[np][L], +=*/);
void adolc_jvp_p_cols(struct adolc_tapes *tapes, double t, const double *x, const double *p, size_t k0,
                      size_t L, double *OUT /*[n][L], +=*/);

#ifdef __cplusplus
}
#endif

#endif
