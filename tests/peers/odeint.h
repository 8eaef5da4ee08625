/* tests/peers/odeint.h - Boost.Numeric.Odeint's controlled_runge_kutta with its default error checker and
 * step adjuster, for tests written in C. */
#ifndef ODEINT_H
#define ODEINT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum odeint_pair { ODEINT_CASH_KARP, ODEINT_DOPRI5 };

struct odeint_system {
    size_t n;
    void (*f)(void *self, double t, const double *x /*[n]*/, double *dx /*[n]*/);
    void *self;
    double rtol, atol;
};

/* A call of try_step: from t with h, the error that odeint found, its verdict, and the step it tries next. */
struct odeint_trial {
    double t, h, error, next;
    bool accepted;
};

struct odeint_log {
    size_t count, limit;
    struct odeint_trial *trial; /* [limit] */
};

/* integrate_adaptive from (t0, x) to t1 with the first trial step h; x [n] becomes the state at t1. false: an
 * exception, or more trials than the log holds. */
bool odeint_integrate(enum odeint_pair pair, const struct odeint_system *system, double t0, double t1,
                      double h, double *x, struct odeint_log *log);

/* try_step of a new stepper from (t, x), first with h, until it accepts. false: as above. */
bool odeint_step(enum odeint_pair pair, const struct odeint_system *system, double t, double h, double *x,
                 struct odeint_log *log);

#ifdef __cplusplus
}
#endif

#endif
