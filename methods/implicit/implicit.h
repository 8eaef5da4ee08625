/* methods/implicit/implicit.h - the current state of an implicit scheme, and what is known at it: the head of each
 * one's own struct, in the place of struct sens_scheme, with which it begins. */
#ifndef SENS_IMPLICIT_H
#define SENS_IMPLICIT_H

#include "scheme.h"

struct sens_implicit {
    struct sens_scheme scheme;
    sens_real *own_Y; /* [stage_size] where the stages are unless they are given a place */
    sens_real *f;     /* [n] the slope at the current state, if f_known */
    bool f_known;
    bool J_known; /* the scheme's matrix holds df/dx at the current state */
};

/* For a sens_scheme_type: `start`, and `slope`, which evaluates f once a state. */
void sens_implicit_start(struct sens_scheme *scheme, sens_real t, const sens_real *y, sens_real *place);
sens_status sens_implicit_slope(struct sens_scheme *scheme, const sens_real **f);

#endif
