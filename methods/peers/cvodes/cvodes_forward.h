/* methods/peers/cvodes/cvodes_forward.h - the state of cvodes_forward, and its callbacks
 * (cvodes_slopes.c). */
#ifndef SENS_PEERS_CVODES_FORWARD_H
#define SENS_PEERS_CVODES_FORWARD_H

#include "cvodes.h"
#include "gradient.h"

struct cvodes_forward {
    struct cvodes cv; /* first: CVODES hands its address to all callbacks, which may take it for the whole */
    size_t np, ns;    /* directions: parameters, and all of them; initial states follow the parameters */
    N_Vector *S;      /* [ns] */
    N_Vector g;       /* [m] running cost; NULL where there is none */
    N_Vector *g_S;    /* [ns] of [m] its derivatives */
    sens_real *dG;    /* [ns][m] */
    sens_real *G;     /* [m] */
    sens_real *pbar;  /* [ns] */
    int *plist;       /* [ns] */
    struct sens_gradient gradient;
    unsigned parts;   /* CVODES_ */
    bool quad_inside; /* running cost in the error test */
    bool quadratures; /* a running cost by CVODES' quadratures */
    size_t declared;  /* vectors multiplied with the declared Jacobian in this run */
};

/* CVODES' callbacks: slopes of all sensitivities, or of one. */
int cvodes_all_slopes(int ns, realtype t, N_Vector x, N_Vector dx, N_Vector *S, N_Vector *dS, void *self,
                      N_Vector tmp1, N_Vector tmp2);
int cvodes_one_slope(int ns, realtype t, N_Vector x, N_Vector dx, int k, N_Vector S, N_Vector dS, void *self,
                     N_Vector tmp1, N_Vector tmp2);
/* Slopes of the derivatives of running costs. */
int cvodes_cost_slopes(int ns, realtype t, N_Vector x, N_Vector *S, N_Vector dg, N_Vector *dg_S, void *self,
                       N_Vector tmp1, N_Vector tmp2);
/* Error weights of the state with running costs after it; CVODES uses them for sensitivities too. */
int cvodes_weights(N_Vector x, N_Vector weight, void *self);

/* to [m] += the product of fw->gradient with direction k. */
void cvodes_add_gradient(const struct cvodes_forward *fw, size_t k, N_Vector S, sens_real *to);

#endif
