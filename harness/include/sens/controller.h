/* sens/controller.h - step-size controllers: the norm of an estimated error, and the factor it puts on h. */
#ifndef SENS_CONTROLLER_H
#define SENS_CONTROLLER_H

#include "sens/tableau.h"

/* A part of a state with its own tolerances in the error test. */
struct sens_ode_part {
    size_t count;
    sens_real rtol, atol;
    bool tested; /* false: carried along, outside the error test */
};

/* What the controller remembers from step to step; zeroed at the start of a solve. */
struct sens_controller_memory {
    sens_real h_old;   /* the last accepted step (gustafsson); 0: none yet */
    sens_real err_old; /* its error (hairer-pi, gustafsson), not below a limit of theirs; 0: none yet */
    bool rejected;     /* the last trial was rejected */
};

/* A candidate step with its error estimates: all [n], as far as the last tested part of the state. */
struct sens_trial {
    sens_real h;
    const sens_real *y, *f; /* state and slope at the step's start */
    const sens_real *y1;    /* the candidate */
    const sens_real *e;     /* the estimate; of a Runge-Kutta pair h sum (b_i - bhat_i) K_i */
    const sens_real *e3; /* the tableau's third-order estimate; NULL unless uses_e3 and the tableau has one */
};

/* What the error norm is made of, zeroed before the first piece of a state. */
struct sens_error_norm {
    size_t tested;       /* components */
    sens_real top;       /* the largest of their ratios */
    sens_real sum, sum3; /* of their squares, in the estimates e and e3 */
    bool has_e3;
};

struct sens_controller {
    const char *name, *summary;
    bool adaptive; /* false: the fixed step, and none of the functions below */
    bool uses_e3;
    /* The scaled error norm, <= 1 to accept, of a state seen in pieces: each is added, with the vectors of
     * the trial beginning where it does; then the whole is read off. */
    void (*add)(const struct sens_ode_part *piece, const struct sens_trial *trial,
                struct sens_error_norm *norm);
    sens_real (*norm)(const struct sens_error_norm *norm);
    /* The factor on h after a trial of this length with this error norm. Updates the memory. */
    sens_real (*factor)(struct sens_controller_memory *memory, sens_real h, sens_real err,
                        const struct sens_tableau *tableau);
};

#endif
