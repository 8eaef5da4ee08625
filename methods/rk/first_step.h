/* methods/rk/first_step.h - the first trial step of a solve (Hairer, Norsett, Wanner, Solving
 * ODEs I, II.4). */
#ifndef SENS_FIRST_STEP_H
#define SENS_FIRST_STEP_H

#include "scheme.h"

struct sens_first_step { /* what it works on and with */
    const struct sens_ode *ode;
    const struct sens_followers *followers; /* that are tested with the state; NULL: none */
    sens_real *y_euler, *f_euler;           /* [n] */
    sens_real *Z, *F, *F_euler;             /* each as large as the largest block of the followers */
};

/* Memory from the arena. SENS_NO_MEMORY. */
sens_status sens_first_step_create(struct sens_ctx *ctx, const struct sens_ode *ode,
                                   struct sens_first_step *first);
sens_status sens_first_step_follow(struct sens_ctx *ctx, const struct sens_followers *followers,
                                   struct sens_first_step *first);

/* *step, signed, from the scheme's current state with its slope f, without evaluating f past t_end. Fails
 * with a fatal status of f only. */
sens_status sens_first_step_find(const struct sens_first_step *first, struct sens_scheme *scheme,
                                 const sens_real *f, sens_real t_end, sens_real *step);

#endif
