/* harness/cell/cell.h - a resolved cell: one problem, cost, task and method, that can be solved. */
#ifndef CELL_CELL_H
#define CELL_CELL_H

#include "sens/provider.h"
#include "sens/registry.h"
#include "spec.h"

enum bench_truth { TRUTH_AUTO, TRUTH_PDE, TRUTH_ODE, TRUTH_DISCRETE, TRUTH_REFERENCE, TRUTH_NONE };

/* What is timed: a whole run, or a product alone (measure/products.c). */
enum bench_product { TIMED_RUN, TIMED_VJP, TIMED_VJP_P, TIMED_JVP, TIMED_HVP };

struct cell {
    const struct sens_registry *variant;
    const struct sens_method_type *method;
    struct sens_problem problem;          /* with structure=none: one that declares nothing */
    struct sens_operations operations;    /* of the problem as it is, whatever it declares to the method */
    const struct sens_provider *provider; /* of its derivative products; NULL: the problem's own */
    bool asked_rhs, generated_rhs;        /* rhs=generated, and whether that is what runs */
    bool compiled_steps;                  /* engine=compiled */
    bool controlled;                      /* track */
    struct sens_cost cost;
    const struct sens_option *cost_option; /* of the type asked for: create may put another in its place */
    const struct sens_provider *deriver;   /* of the gradients of the cost; NULL: its own */
    struct sens_task task;
    struct sens_value *problem_value, *cost_value, *method_value; /* in the order of the option tables */
    struct sens_value *problem_used; /* problem_value, but what params, x0, t1 put in its place */
    char params_file[256], x0_file[256], rtol_file[256], atol_file[256]; /* "": from none */
    unsigned long seed; /* of the harness: sampled columns, shuffle; a problem's own seed is its option */
    enum bench_truth truth;
    enum bench_product product;
    char reference_key[256]; /* canonical "glv n=5 seed=1 ..." of problem + cost + t1; names the stored
                                reference.
                                         "" when params or x0 come from a file */
    char text[512];          /* problem=... method=... for people */
    char series[256]; /* which curve of its method: "dopri5,explicit", "cash_karp,vjp=adolc,controlled"; see
                         name_series */
};

/* Resolves every key, or refuses with the nearest valid name. Allocates from ctx->arena. Statuses other than
 * SENS_OK come with a message in *error; SENS_BAD_INPUT means exit 2, SENS_UNAVAILABLE exit 3. */
sens_status cell_resolve(struct sens_ctx *ctx, const struct spec *spec, struct cell *cell,
                         struct bench_error *error);

/* Whether it would, but for what deriving products finds out: that takes seconds where there are thousands of
 * states. */
sens_status cell_check(struct sens_ctx *ctx, const struct spec *spec, struct bench_error *error);

/* Equal steps, without tolerances. */
bool cell_is_fixed(const struct cell *cell);

/* Name and shape of a part of its results. */
struct sens_part_shape cell_part(const struct cell *cell, enum sens_part part);

/* Caller-owned results of a cell, allocated from the arena; the parts not asked for are NULL. */
sens_status cell_out_create(struct sens_ctx *ctx, const struct cell *cell, struct sens_out *out);

#endif
