/* harness/analyse/question/questions.h - what may be asked of S(t); each question writes tables. */
#ifndef ANALYSE_QUESTIONS_H
#define ANALYSE_QUESTIONS_H

#include "analysis.h"
#include "tables.h"

struct question {
    const char *name, *summary;
    bool needs_sigma;
    const char *takes; /* flags that not all questions of S(t) take, "--scale --subsets"; NULL: none */
    /* Scratch memory from the arena. A status with a message where there is no answer. */
    sens_status (*answer)(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                          struct bench_error *error);
};
const struct question *questions(void); /* ends with name == NULL; the first is the default */

sens_status question_sensitivities(struct sens_ctx *ctx, const struct analysis *analysis,
                                   struct tables *tables, struct bench_error *error);
sens_status question_identifiability(struct sens_ctx *ctx, const struct analysis *analysis,
                                     struct tables *tables, struct bench_error *error);
sens_status question_uncertainty(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                                 struct bench_error *error);
sens_status question_subsets(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                             struct bench_error *error);
sens_status question_ranking(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                             struct bench_error *error);
sens_status question_invariants(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                                struct bench_error *error);

#endif
