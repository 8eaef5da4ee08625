/* harness/analyse/fit/fit_model.h - residuals of a model against data, and their Jacobian, at any parameters.
 *
 * The fitted parameters are those chosen, all others stay. A coordinate q_k is the parameter itself, or its logarithm,
 * p = exp(q), where the fit is in logarithms. */
#ifndef FIT_MODEL_H
#define FIT_MODEL_H

#include "experiments.h"
#include "labels.h"
#include "measurements.h"

/* Residuals, in standard deviations of the data, are below it: the sum of their squares is a number. */
#define FIT_RESIDUAL_MOST 1e100

/* Of the variance of the data: a change of chi2 that is none. */
#define FIT_NOTHING 1e-10

struct fit_part { /* an experiment: rows first ... first + data.count of r and J */
    struct cell *cell;
    double number; /* of the experiment; 0: it is the only one */
    struct measurements data;
    size_t first;
};

struct fit_model {     /* memory of the arena */
    struct cell *cell; /* of the first part: names, shapes and settings are those of all */
    size_t parts;
    struct fit_part *part; /* [parts] */
    size_t measurements;   /* m, of all parts */
    bool sigma_known;      /* of all parts, or of none */
    struct labels labels;
    size_t count;        /* fitted parameters */
    const size_t *index; /* [count] which of p they are */
    bool log;
    double level;      /* of the intervals, 0.95 */
    double range;      /* a profile goes so far: to p/range and range p */
    double *at;        /* [count] coordinates of r and J below; NaN before there are any */
    sens_real *p;      /* [np] the same as parameters, beside those of the first experiment */
    sens_real *part_p; /* [np] beside those of another one */
    sens_real *r;      /* [m] residuals */
    sens_real *drdp;   /* [m][np] */
    sens_real *x0, *x;
    size_t solves, failures;
};

struct fit_request { /* texts as given; NULL: not given */
    const char *parameters, *level, *range;
    bool log;
    size_t memory; /* bytes */
};

/* Reads the data of each cell, whose cost was cost=tracking and becomes the residuals. SENS_BAD_INPUT,
 * SENS_UNSUPPORTED, SENS_NO_MEMORY with a message. */
sens_status fit_model_create(struct sens_ctx *ctx, const struct experiments *experiments,
                             const struct fit_request *request, struct fit_model *model,
                             struct bench_error *error);

/* Measurement e of all, and the part that it is in. */
const struct measured *fit_model_measurement(const struct fit_model *model, size_t e,
                                             const struct fit_part **part);

/* Where the fit starts: coordinates [count] of the parameters of the problem. */
void fit_model_start(const struct fit_model *model, double *q);

/* r and J at q, with one solve unless they stand there already. A status of the method with a message in ctx; r and J
 * are then none. */
sens_status fit_model_at(struct sens_ctx *ctx, struct fit_model *model, const double *q);

/* The parameter at coordinate q. */
double fit_model_parameter(const struct fit_model *model, double q);

/* dr_e/dq_k where r and J stand. */
double fit_model_slope(const struct fit_model *model, size_t e, size_t k);

/* chi2 = sum r_e^2 where they stand. */
double fit_model_chi2(const struct fit_model *model);

/* Degrees of freedom: the sum of the weights, each of which counts a measurement as so many, less the parameters that
 * the data determine. */
double fit_model_freedom(const struct fit_model *model, size_t determined);

/* The variance that chi2 counts in: 1 where standard deviations of the data are known, else chi2 by those. */
double fit_model_variance(const struct fit_model *model, double chi2, size_t determined);

/* What errors of rtol in the solution leave in chi2. */
double fit_model_noise(const struct fit_model *model);

/* Has the parameter no effect where r and J stand, as a rate that is fast beside all others, or one whose logarithm has
 * run off to 0? One unit of its logarithm, or as much as it is itself, and 1 at least, would change chi2 by nothing, or
 * the residuals by no more than errors of rtol do. What J says of it is then rounding, and no way to go. */
bool fit_model_silent(const struct fit_model *model, size_t k);

/* The name of a state, or n + number of a quantity. */
const char *fit_model_measured(const struct fit_model *model, size_t of);

static inline const char *fit_model_name(const struct fit_model *model, size_t k)
{
    return model->labels.parameter[model->index[k]];
}

#endif
