/* harness/cell/resolve.h - whose every key of a spec is. */
#ifndef CELL_RESOLVE_H
#define CELL_RESOLVE_H

#include "cell.h"
#include "spec.h"
#include "values.h"

/* A plain key is the harness's, else an option of the first of problem, cost, method that has it;
 * `problem.KEY`, `cost.KEY` and `method.KEY` name the owner. */
enum resolve_owner { OWNER_PROBLEM, OWNER_COST, OWNER_METHOD, OWNERS };

struct resolve_table {
    const char *owner, *name; /* "problem", "glv" */
    const struct sens_option *options;
    struct sens_value *value;       /* [options]; defaults, then what was given */
    const struct spec_pair **given; /* [options]; NULL: not given */
};

struct resolution {
    struct sens_ctx *ctx;
    const struct spec *spec;
    struct cell *cell;
    struct bench_error *error;
    const struct sens_problem_type *problem;
    const struct sens_cost_type *cost;
    const struct sens_method_type *method;
    struct resolve_table table[OWNERS];
    bool check_only; /* products are not derived: nothing will be run */
};

/* Finds variant, problem, cost and method, and reads all options. SENS_BAD_INPUT, SENS_UNAVAILABLE,
 * SENS_NO_MEMORY. */
sens_status resolve_modules(struct resolution *re);

/* The pair of a harness key; NULL when it is not given. */
const struct spec_pair *resolve_given(const struct resolution *re, const char *key);

/* The value of a harness key, or of its fallback where it is not given (which then is a word or a number). */
bool resolve_value(const struct resolution *re, const char *name, struct key_value *value);

#endif
