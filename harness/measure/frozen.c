/* The distance from the frozen-grid discrete derivative: ||D - D_tangent||_F / ||D_tangent||_F, where
 * D_tangent is the derivative of the discrete map on the nominal run's accepted steps, by the discrete
 * tangent. A method that differentiates that map agrees to rounding; one that solves other equations, or
 * steps on another grid (sensitivities inside the error test), differs by its own error. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"

enum { FROZEN_COLUMNS = 64 };

struct frozen {
    size_t total;   /* columns of the derivatives asked for */
    size_t count;   /* columns compared */
    size_t *col;    /* [count]: k < np is p_k, np + i is x0_i */
    sens_real *OUT; /* [m][count] */
    struct sens_arena_mark mark;
};

/* Seconds that the tangent would take: each of its right-hand sides is followed by one product per column,
 * and a product with a vector costs about what a right-hand side costs. */
static double estimate(const struct operation_counts *counts, double seconds, size_t columns)
{
    const double products = counts->rhs + counts->vjp + counts->jvp + counts->jvp_p + counts->vjp_p;
    return products > 0 ? seconds / products * counts->rhs * (1.0 + 2.0 * (double)columns) : 0.0;
}

/* The columns asked for: parameters, initial states, or both; all of them or a seeded sample in increasing
 * order. */
static bool choose_columns(struct sens_ctx *ctx, const struct cell *cell, struct frozen *frozen)
{
    const size_t first = cell->task.parts & SENS_IN_DGDP ? 0 : cell->problem.np;
    const size_t last =
        cell->task.parts & SENS_IN_DGDX0 ? cell->problem.np + cell->problem.n : cell->problem.np;
    frozen->total = last > first ? last - first : 0;
    frozen->count = frozen->total < FROZEN_COLUMNS ? frozen->total : FROZEN_COLUMNS;
    size_t *const all = SENS_NEW(ctx, size_t, frozen->total);
    frozen->col = SENS_NEW(ctx, size_t, frozen->count);
    frozen->OUT = SENS_NEW(ctx, sens_real, cell->cost.m * frozen->count);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    const bool ok = frozen->total > 0 && all && frozen->col && frozen->OUT && rng;
    for (size_t k = 0; ok && k < frozen->total; k++) all[k] = first + k;
    if (ok) {
        gsl_rng_set(rng, cell->seed);
        gsl_ran_choose(rng, frozen->col, frozen->count, all, frozen->total, sizeof *all);
    }
    if (rng) gsl_rng_free(rng);
    return ok;
}

static double difference(const struct cell *cell, const struct frozen *frozen, const struct sens_out *out)
{
    const size_t n = cell->problem.n, np = cell->problem.np;
    double off = 0, size = 0;
    for (size_t c = 0; c < cell->cost.m; c++)
        for (size_t j = 0; j < frozen->count; j++) {
            const size_t k = frozen->col[j];
            const double expected = frozen->OUT[c * frozen->count + j];
            const double found = k < np ? out->dGdp[c * np + k] : out->dGdx0[c * n + (k - np)];
            off = hypot(off, found - expected);
            size = hypot(size, expected);
        }
    return size > 0 ? off / size : off;
}

/* Is sens_test, an option that several of our methods have, at this choice? */
static bool chooses(const struct cell *cell, const char *choice)
{
    const int i = sens_option_find(cell->method->options, "sens_test");
    if (i < 0 || cell->method->options[i].kind != SENS_OPT_CHOICE) return false;
    return strcmp(cell->method->options[i].choices[(int)cell->task.option[i].number], choice) == 0;
}

/* Does the error test of this cell's own steps see the tangent, as it does in a discrete method with
 * sens_test = inside? */
static bool cell_tests_tangent(const struct cell *cell)
{
    return cell->method->derivative == SENS_DERIVATIVE_DISCRETE && chooses(cell, "inside");
}

/* ---- a state that says nothing ------------------------------------------------------------------------- */

/* Steps so much longer have local errors of the tangent 1e4 and more times larger, with a pair of
 * fourth order and above. */
static const double TELLING = 10;

/* A solve whose steps do not get to the end; others were refused, or had no memory, and tell nothing. */
static bool ends_early(sens_status status)
{
    return status == SENS_STEP_LIMIT || status == SENS_STEP_UNDERFLOW || status == SENS_DIVERGED;
}

/* The steps of the state, and how its tangent fares. false: both are as they should be, or it is not known. */
static bool tangent_differs(struct sens_ctx *ctx, const struct cell *cell, char *message, size_t size)
{
    long state = -1, tested; /* state stays so where not even the state gets to the end */
    const sens_status status = cell->variant->tangent_steps(ctx, &cell->task, &state, &tested);
    const char *const plural = state == 1 ? "" : "s";
    if (state >= 0 && ends_early(status))
        snprintf(message, size, "%ld step%s where its tangent does not get to the end (%s)", state, plural,
                 sens_status_name(status));
    else if (status == SENS_OK && (double)tested > TELLING * (double)state)
        snprintf(message, size, "%ld step%s where its tangent needs %ld", state, plural, tested);
    else
        return false;
    return true;
}

bool frozen_at_rest(struct sens_ctx *ctx, const struct cell *cell, char *message, size_t size)
{
    const unsigned grid = SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER;
    const bool state_alone =
        cell->method->derivative != SENS_DERIVATIVE_CONTINUOUS || chooses(cell, "outside");
    char steps[RECORD_TEXT];
    if ((cell->method->caps & grid) != grid || !state_alone || cell_tests_tangent(cell)) return false;
    if (!tangent_differs(ctx, cell, steps, sizeof steps)) return false;
    const bool offered = sens_option_find(cell->method->options, "sens_test") >= 0;
    snprintf(message, size,
             "the state says nothing of its derivative: the error test sees the state alone, which takes %s; "
             "the gradient may be wrong%s",
             steps, offered ? "; sens_test=inside tests the tangent, too" : "");
    return true;
}

/* ---- the distance -------------------------------------------------------------------------------------- */

double frozen_difference(struct sens_ctx *ctx, const struct cell *cell, const struct operation_counts *counts,
                         double seconds, double limit, const struct sens_out *out)
{
    const unsigned grid = SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER;
    if ((cell->method->caps & grid) != grid) return NAN; /* the method's grid is not one of ours */
    struct frozen frozen = {.mark = sens_arena_mark(&ctx->arena)};
    double result = NAN;
    if (choose_columns(ctx, cell, &frozen) && estimate(counts, seconds, frozen.count) <= limit &&
        cell->variant->tangent_columns(ctx, &cell->task, cell_tests_tangent(cell), frozen.count, frozen.col,
                                       frozen.OUT) == SENS_OK)
        result = difference(cell, &frozen, out);
    sens_arena_rewind(&ctx->arena, frozen.mark);
    return result;
}
