/* An analysis of a problem by its name, for tests. */
#ifndef ANALYSIS_SUPPORT_H
#define ANALYSIS_SUPPORT_H

#include <stdio.h>
#include <string.h>

#include "analysis.h"
#include "dense.h"
#include "testing.h"

/* Without it, tests that factorise matrices are skipped. */
static inline bool has_lapack(void)
{
    struct sens_ctx ctx = {.cores = 1};
    double one[1] = {1}, value;
    const bool there = dense_svd(&ctx, 1, one, &value, NULL) != SENS_UNAVAILABLE;
    sens_arena_release(&ctx.arena);
    return there;
}

struct analysed {
    struct sens_ctx ctx;
    struct cell cell;
    struct spec spec;
    struct analysis analysis;
    struct bench_error error;
};

/* "key=value key=value ...", the problem among them, and the times. */
static inline sens_status analysed_plan(struct analysed *me, const char *keys, const char *times)
{
    char words[512], *rest = words;
    *me = (struct analysed){.spec = {.count = 0}};
    snprintf(words, sizeof words, "wrt=p truth=none%s%s %s",
             strstr(keys, "controller=") ? "" : " rtol=1e-8 atol=1e-12",
             strstr(keys, "method=") ? "" : " method=discrete_tangent tableau=radau_iia5", keys);
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *const value = strchr(word, '=');
        *value = '\0';
        if (!spec_set(&me->spec, word, value + 1, "test", &me->error)) fail_msg("%s", me->error.text);
    }
    if (cell_resolve(&me->ctx, &me->spec, &me->cell, &me->error) != SENS_OK) fail_msg("%s", me->error.text);
    const struct analysis_request request = {.times = times, .memory = (size_t)1 << 28};
    return analysis_plan(&me->ctx, &me->cell, &request, &me->analysis, &me->error);
}

static inline void analysed_solve(struct analysed *me, const char *keys, const char *times)
{
    sens_status status = analysed_plan(me, keys, times);
    if (status == SENS_OK) status = analysis_solve(&me->ctx, &me->analysis, &me->error);
    if (status != SENS_OK) fail_msg("%s", me->error.text);
}

static inline void analysed_end(struct analysed *me)
{
    sens_arena_release(&me->ctx.arena);
    spec_free(&me->spec);
}

#endif
