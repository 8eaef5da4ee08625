/* problems/glv_exact.h - what is known of generalised Lotka-Volterra systems (glv.c) in closed form: the
 * solution where the species live alone and alike, and relations that every derivative satisfies. */
#ifndef GLV_EXACT_H
#define GLV_EXACT_H

#include "sens/problem.h"

/* The slot `exact` of sens_problem_type. */
bool glv_exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
               sens_real *x, sens_real *S, sens_real *S0);

/* Ends with name == NULL. */
extern const struct sens_identity glv_identities[];

#endif
