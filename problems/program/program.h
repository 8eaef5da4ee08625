/* problems/program/program.h - a problem whose functions are lists of operations, and not compiled.
 *
 * What is here has no numbers of the working precision: the program writes the lists once, and every variant,
 * extended precision included, makes its own problem of them. The functions are sens_problem_written, whose
 * type->model says where the lists are from, and sens_cost_own, the costs that come with such a problem. */
#ifndef PROGRAM_PROGRAM_H
#define PROGRAM_PROGRAM_H

#include "graph.h"
#include "sens/cost.h"

enum { PROGRAM_ON_T = 1, PROGRAM_ON_X = 2, PROGRAM_ON_P = 4 };

struct program_operation {
    unsigned char op;   /* enum graph_op */
    unsigned char on;   /* the leaves that it depends on */
    graph_node a, b, c; /* operands, before it; of CONSTANT, a is its place among the constants */
};

struct program { /* memory is the arena's of whoever asked for it */
    size_t count;
    const struct program_operation *operation; /* [count] */
    size_t constants;
    const long double *constant; /* [constants] */
    size_t outputs;
    const graph_node *output; /* [outputs] */
};

struct program_equations { /* of a model with given options; derive/model/equations.h says it as formulas */
    size_t n, np;
    double t0, t1;
    const double *p, *x0; /* [np], [n] nominal */
    bool x0_depends;
    struct program f, initial;           /* [n] outputs each */
    const size_t *mass_start, *mass_col; /* of M, by rows as in a sens_pattern */
    const double *mass;                  /* its entries; NULL: I */
    bool split;                          /* f has an implicit part: see implicit of the model */
    size_t m, n_obs;
    const double *t_obs;       /* [n_obs] */
    bool at_end;               /* the last observation is at the end of the interval */
    const struct program *phi; /* [n_obs] of m outputs */
    struct program g;          /* m outputs; none: no integrals */
};

struct program_known { /* what a publication says of the state at the end; memory is the arena's */
    double *value;     /* [n] */
    double *unit;      /* [n] of the last digit printed; 0: nothing is said of this state */
};

struct program_names { /* memory is the arena's */
    const char *const *state, *const *parameter;
    size_t quantities;
    const char *const *quantity; /* [quantities] */
};

struct sens_model {
    /* What its equations have for f_I where f is split: write alone is there, whose f is f_I. NULL: of this itself. */
    const struct sens_model *implicit;
    /* The equations for these values of the options, in the order of type->options, from ctx's arena.
     * SENS_BAD_INPUT with a message; SENS_NO_MEMORY. */
    sens_status (*write)(struct sens_ctx *ctx, const struct sens_model *model,
                         const struct sens_value *option, struct program_equations *equations);
    /* The values of publication `number`, from 0; option, given as the defaults, becomes what they hold for. NULL:
     * there are none; SENS_UNSUPPORTED: no more. Else as write. */
    sens_status (*known)(struct sens_ctx *ctx, const struct sens_model *model, size_t number,
                         struct sens_value *option, struct program_known *known);
    /* h: the quantities of these numbers, `count` outputs. Else as write. */
    sens_status (*observed)(struct sens_ctx *ctx, const struct sens_model *model,
                            const struct sens_value *option, size_t count, const size_t *quantity,
                            struct program *h);
    /* The names of states [n] and parameters [np], and of quantities by their numbers, as the file gives them, elements
     * as c[2,1], from ctx's arena. Else as write. */
    sens_status (*names)(struct sens_ctx *ctx, const struct sens_model *model,
                         const struct sens_value *option, struct program_names *names);
};

#endif
