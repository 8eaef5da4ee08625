/* harness/analyse/fit/fit_model.h - residuals of a model against data, and their Jacobian, at any parameters.
 *
 * The fitted parameters are those chosen, all others stay. A coordinate q_k is the parameter itself, or its logarithm,
 * p = exp(q), where the fit is in logarithms. */
#ifndef FIT_MODEL_H
#define FIT_MODEL_H

#include "cell.h"
#include "labels.h"
#include "measurements.h"

struct fit_model { /* memory of the arena */
    struct cell *cell;
    struct measurements data;
    struct labels labels;
    size_t count;        /* fitted parameters */
    const size_t *index; /* [count] which of p they are */
    bool log;
    double level;    /* of the intervals, 0.95 */
    double range;    /* a profile goes so far: to p/range and range p */
    double *at;      /* [count] coordinates of r and J below; NaN before there are any */
    sens_real *p;    /* [np] the same as parameters */
    sens_real *r;    /* [m] residuals */
    sens_real *drdp; /* [m][np] */
    sens_real *x0, *x;
    size_t solves, failures;
};

struct fit_request { /* texts as given; NULL: not given */
    const char *parameters, *level, *range;
    bool log;
    size_t memory; /* bytes */
};

/* Reads the data of the cell, whose cost was cost=tracking and becomes the residuals. SENS_BAD_INPUT, SENS_UNSUPPORTED,
 * SENS_NO_MEMORY with a message. */
sens_status fit_model_create(struct sens_ctx *ctx, struct cell *cell, const struct fit_request *request,
                             struct fit_model *model, struct bench_error *error);

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

/* The variance that chi2 counts in: 1 where standard deviations of the data are known, else chi2 / (m - count). */
double fit_model_variance(const struct fit_model *model, double chi2);

static inline const char *fit_model_name(const struct fit_model *model, size_t k)
{
    return model->labels.parameter[model->index[k]];
}

#endif
