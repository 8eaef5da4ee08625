/* harness/analyse/fit/fits.h - questions that data answer: the fitted parameters, and their profiles. */
#ifndef FIT_FITS_H
#define FIT_FITS_H

#include "fit_model.h"
#include "tables.h"

struct fit_question {
    const char *name, *summary;
    const char *takes; /* flags that not all questions of data take; NULL: none */
    /* Nothing is written where there is no answer: a status with a message. Afterwards r, J and the parameters of
     * the model are those of the fit. */
    sens_status (*answer)(struct sens_ctx *ctx, struct fit_model *model, struct tables *tables,
                          struct bench_error *error);
};
const struct fit_question *fit_questions(void); /* ends with name == NULL */

#endif
