/* harness/verify/decorate/decorate.h - problems and costs that behave as an inner one, but for one thing. Memory from
 * the unit's arena; the inner one must outlive them. */
#ifndef VERIFY_DECORATE_H
#define VERIFY_DECORATE_H

#include "cost_call.h"

/* f(t - shift, x, p) on [t0 + shift, t1 + shift]: the same solution, later. The cost moves along. */
void decorate_shift(struct verify *v, const struct sens_problem *inner, double shift,
                    struct sens_problem *problem);
void decorate_shift_cost(struct verify *v, const struct sens_cost *inner, double shift,
                         struct sens_cost *cost);
/* Parameters q_k = p_k 2^e_k: dG/dp_k = 2^e_k dG/dq_k, exactly. A cost that depends on p moves along. */
void decorate_scale(struct verify *v, const struct sens_problem *inner, const int *exponent,
                    struct sens_problem *problem);
void decorate_scale_cost(struct verify *v, const struct sens_cost *inner, const int *exponent,
                         struct sens_cost *cost);
/* 2^exponent G, exactly where nothing overflows or underflows. */
void decorate_multiply_cost(struct verify *v, const struct sens_cost *inner, int exponent,
                            struct sens_cost *cost);
/* Outputs first ... first + count - 1 alone, each computed with one lane, so that an output has the same bits
 * whatever others there are. m, n and np of the inner cost at most DECORATE_SELECT_MOST. */
enum { DECORATE_SELECT_MOST = 64 };
struct sens_cost decorate_select(struct verify *v, const struct sens_cost *inner, size_t first, size_t count);
/* The same outputs followed by `extra` that are zero whatever x and p: they must change nothing. */
void decorate_pad_cost(struct verify *v, const struct sens_cost *inner, size_t extra, struct sens_cost *cost);
/* `extra` more parameters on which nothing depends. A cost of the inner problem goes with it as it is. */
void decorate_pad_parameters(struct verify *v, const struct sens_problem *inner, size_t extra,
                             struct sens_problem *problem);
/* As sens_problem_decorate, without structure. */
void decorate_wrap(struct verify *v, const struct sens_problem *inner,
                   const struct sens_problem_decoration *with, const void *data,
                   struct sens_problem *problem);

/* The problem beside a faint copy of itself with parameters and states of its own,
 *     y' = f(t, y, p),    z' = d f(t, z / d, q),    d = 2^-100,
 * states (y, z), parameters (p, q). The copy's errors are far below any absolute tolerance: the steps are
 * those of y, and do not move with z or q. The cost is that of the copy, at (z / d, q). n and
 * np at most 32. */
enum { DECORATE_FAINT_MOST = 32 };
extern const double decorate_faintness; /* d */
void decorate_faint(struct verify *v, const struct sens_problem *inner, struct sens_problem *problem);
void decorate_faint_cost(struct verify *v, const struct sens_cost *inner, struct sens_cost *cost);

/* The linear part of the problem about x0 and p at t0, or (`moving`) about x0 (1 + sin(t) / 4) and p at every
 * t: linear in x and p, with one Jacobian or with one that depends on t alone. n and np at most
 * DECORATE_FAINT_MOST. */
void decorate_linear(struct verify *v, const struct sens_problem *inner, bool moving,
                     struct sens_problem *problem);

/* x' = M^-1 f of a problem with a mass matrix that is not singular; n and np at most DECORATE_FAINT_MOST. false: no
 * memory. */
bool decorate_solved(struct verify *v, const struct sens_problem *inner, struct sens_problem *problem);

/* Fault injection: call number `at` (1-based, over all calls of that callback; 0: never) and, where `stays`,
 * all later ones. Of rhs all calls at one point (t, x) of [1 + n] numbers, where it is given: a function fails where it
 * fails, however often it is asked. */
enum inject_where { INJECT_RHS, INJECT_VJP, INJECT_JVP, INJECT_VJP_P, INJECT_JVP_P, INJECT_PLACES };
enum inject_how { INJECT_RECOVERABLE, INJECT_FATAL, INJECT_NAN, INJECT_INFINITY };
struct injection {
    enum inject_where where;
    enum inject_how how; /* the first two for rhs only; the others spoil one number of the output */
    unsigned long at;
    bool stays;
    const double *point; /* of rhs; NULL: none */
    double *found;       /* likewise: where call `at` writes its point, and succeeds; NULL: it fails */
    unsigned long calls[INJECT_PLACES];   /* counted, whether injected or not; not thread-safe: threads = 1 */
    unsigned long vectors[INJECT_PLACES]; /* L a call, K L for vjp_p_batch, 1 for rhs */
};
void decorate_inject(struct verify *v, const struct sens_problem *inner, struct injection *injection,
                     struct sens_problem *problem);

#endif
