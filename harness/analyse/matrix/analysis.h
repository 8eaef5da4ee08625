/* harness/analyse/matrix/analysis.h - S(t) = dx/dp on a grid of times, twice: what every question is answered from.
 *
 * Each number that is told has an interval: the same is computed again at a hundredth of the tolerance, and the value
 * at the tolerance is given plus or minus the distance between the two. */
#ifndef ANALYSE_ANALYSIS_H
#define ANALYSE_ANALYSIS_H

#include "cell.h"
#include "grid.h"
#include "labels.h"

enum { ANALYSIS_CLOSER = 100 }; /* the second solve has a tolerance so many times smaller */

struct solution {
    sens_real *x; /* [times][n] */
    sens_real *S; /* [times][n][np] dx/dp, total */
};

enum scale {
    SCALE_USUAL,
    SCALE_VALUE,
    SCALE_LARGEST
}; /* see scaled_units; SCALE_USUAL: as the question has it */

struct data_error { /* standard deviation of what is measured of a state */
    double value;   /* 0: not given */
    bool relative;  /* a part of the largest |x_i| of all times */
};

struct analysis { /* memory of the arena */
    const struct cell *cell;
    size_t n, np;
    struct grid grid;
    const sens_real *p; /* [np] */
    struct labels labels;
    struct selection states, parameters; /* which of them are looked at */
    enum scale scale;
    double subsets;           /* at most so many of the parameters are looked at */
    struct data_error *sigma; /* [n]; NULL: not given */
    struct solution at_tol, closer;
    size_t bytes_traj; /* of the closer solve */
};

struct analysis_request { /* texts as given; NULL: not given */
    const char *times, *states, *parameters, *sigma;
    enum scale scale;
    double subsets;
    size_t memory; /* bytes that all of it may take */
};

/* Names, grid and choices: all but the solves. *cell is the caller's, its cost and the end of its interval become
 * those of the grid. SENS_BAD_INPUT, SENS_UNSUPPORTED, SENS_NO_MEMORY with a message. */
sens_status analysis_plan(struct sens_ctx *ctx, struct cell *cell, const struct analysis_request *request,
                          struct analysis *analysis, struct bench_error *error);

/* Bytes of results that the solves will fill, known before them. */
double analysis_bytes(const struct analysis *analysis);

/* Both solves. The statuses of methods, with a message; SENS_NO_MEMORY where the request allows too little. */
sens_status analysis_solve(struct sens_ctx *ctx, struct analysis *analysis, struct bench_error *error);

/* One solve more with these parameters p [np] at the closer tolerance: x [times][n] alone. Memory of the arena. */
sens_status analysis_states_at(struct sens_ctx *ctx, const struct analysis *analysis, const sens_real *p,
                               sens_real *x, struct bench_error *error);

/* Can an analysis be made with the settings of the cell? SENS_UNSUPPORTED with a message. */
sens_status analysis_check(const struct cell *cell, struct bench_error *error);

/* One run of a task; scratch memory of the method is given back. The statuses of methods, with a message in ctx where
 * there is one. */
sens_status analysis_run(struct sens_ctx *ctx, const struct sens_task *task, const struct sens_out *out,
                         struct sens_work *work);

/* None of the numbers is infinite or NaN. */
bool analysis_all_finite(size_t count, const sens_real *number);

/* S_ik(t_j) = dx_i/dp_k. */
static inline double solution_slope(const struct analysis *analysis, const struct solution *solution,
                                    size_t j, size_t i, size_t k)
{
    return (double)solution->S[(j * analysis->n + i) * analysis->np + k];
}

/* x_i(t_j) of a solution. */
static inline double solution_state(const struct analysis *analysis, const struct solution *solution,
                                    size_t j, size_t i)
{
    return (double)solution->x[j * analysis->n + i];
}

#endif
