/* sens/registry.h - everything that one compiled variant offers.
 *
 * The numerical sources are compiled once per instruction set; each copy keeps its symbols to itself and
 * shows only its registry. The tables come from the sens_add_* lines of CMake and end with NULL. */
#ifndef SENS_REGISTRY_H
#define SENS_REGISTRY_H

#include "sens/cost.h"
#include "sens/method.h"
#include "sens/peak.h"
#include "sens/problem.h"
#include "sens/provider.h"
#include "sens/tableau.h"
#include "sens/tape.h"

struct sens_registry {
    const char *isa; /* baseline, avx2, avx512 */
    const struct sens_problem_type *const *problems;
    const struct sens_cost_type *const *costs;
    const struct sens_method_type *const *methods;
    const struct sens_tableau *const *tableaux; /* explicit ones, and those of loaded modules */
    const struct sens_tableau *const *implicit_tableaux;
    /* The tableau `theta` with a theta of its own, in (0, 1], and a name of at most 63 characters, from the arena.
     * SENS_BAD_INPUT, SENS_NO_MEMORY. */
    sens_status (*theta_tableau)(struct sens_ctx *ctx, double theta, const char *name,
                                 const struct sens_tableau **tableau);
    const struct sens_controller *const *controllers;
    const struct sens_ckpt_policy *const *ckpt_policies;
    const struct sens_provider *const *providers; /* of loaded modules; NULL: none */

    /* Selected columns of the frozen-grid discrete derivative, by the discrete tangent; `tested`: with the
     * tangent in the error test (the option sens_test = inside of the discrete methods). Column k < np is
     * dG/dp_k, column np + i is dG/dx0_i. OUT [m][n_cols]. Allocates from the arena. Any status, after which
     * OUT may be partly overwritten. */
    sens_status (*tangent_columns)(struct sens_ctx *ctx, const struct sens_task *task, bool tested,
                                   size_t n_cols, const size_t *col, sens_real *OUT);
    /* Accepted steps of the task's own solve with the state alone in the error test, and with the tangent. */
    sens_status (*tangent_steps)(struct sens_ctx *ctx, const struct sens_task *task, long *state,
                                 long *tested);

    const struct sens_tape_functions *tape;  /* runs programs of derivative products, by lanes */
    const struct sens_problem_type *written; /* the functions of a problem that is given as operations */
    const struct sens_cost_type *own;        /* and its cost, in the table of costs where there is one */
    const struct sens_peak *peak;            /* the most that this instruction set lets a core do */
};

/* For problems without products of their own; NULL: there is none. */
static inline const struct sens_provider *sens_registry_deriver(const struct sens_registry *reg)
{
    const struct sens_provider *best = NULL;
    for (size_t i = 0; reg->providers && reg->providers[i]; i++)
        if (reg->providers[i]->rank > (best ? best->rank : 0)) best = reg->providers[i];
    return best;
}

const struct sens_registry *sens_registry_baseline(void);
#ifdef SENS_HAVE_AVX2
const struct sens_registry *sens_registry_avx2(void);
#endif
#ifdef SENS_HAVE_AVX512
const struct sens_registry *sens_registry_avx512(void);
#endif

#endif
