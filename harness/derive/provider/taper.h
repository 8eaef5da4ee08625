/* derive/provider/taper.h - derivative products by the tape of another library (methods/peers).
 *
 * The program records the right-hand side, and x0(p), as graphs (derive/graph), looks up which recording is right at
 * a point, and records anew where none is. The library makes a tape of a graph and sweeps over it. C++ may include
 * this header. */
#ifndef DERIVE_TAPER_H
#define DERIVE_TAPER_H

#include "graph.h"

struct sens_ctx;
struct sens_problem;
struct sens_provider_account;
struct sens_provider_request;

struct taped_point {
    double t;
    const double *x, *p; /* [n], [np] */
};

struct taped_function { /* f(t, x, p), m = graph->n_outputs; the graph stays as long as its tapes */
    const struct graph *graph;
    size_t n, np; /* n = 0: there is no x */
};

/* Each function may be called from any thread. A sweep returns SENS_OK, or
 *     SENS_OUT_OF_DOMAIN   a guard does not hold at the point, and nothing is written; guards are not looked at
 *                          where `unguarded`
 *     SENS_UNSUPPORTED     the library refuses
 *     SENS_NO_MEMORY */
struct taper {
    bool (*lacks)(enum graph_op op); /* an operation that it does not have; NULL: it has all */
    /* A tape of f whose independents are x, or (by_p) p; what is left of t, x and p is set for each sweep. at: where f
     * was recorded. SENS_NO_MEMORY; SENS_UNSUPPORTED. */
    sens_status (*create)(const struct taped_function *f, bool by_p, const struct taped_point *at,
                          void **tape);
    void (*destroy)(void *tape);
    /* OUT [inputs][L] = (+= where add) (df/d inputs)^T W [m][L] */
    sens_status (*reverse)(void *tape, const struct taped_point *at, bool unguarded, size_t L,
                           const double *W, bool add, double *OUT);
    /* OUT [m][L] = (df/d inputs) V [inputs][L] */
    sens_status (*forward)(void *tape, const struct taped_point *at, bool unguarded, size_t L,
                           const double *V, double *OUT);
};

/* For a provider that is a library: as `wrap` and `account` of sens/provider.h do. */
sens_status taped_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                       const struct taper *taper, struct sens_problem *wrapped);
void taped_account(const struct sens_problem *wrapped, struct sens_provider_account *account);

#endif
