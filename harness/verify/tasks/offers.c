/* What a method refuses to go without. */
#include "offers.h"

#include <stdio.h>

#include "bed.h"

static const double LOOSE = 1e-4;

/* On a small probe, and without a trace in what the unit draws and counts. */
static sens_status try_with(struct verify *v, unsigned offers)
{
    static const struct probe_settings small = {.n = 4, .np = 5, .t0 = 0.25, .t1 = 2};
    const struct verify_tried tried = v->tried;
    const bool reintegrates = v->reintegrates;
    const unsigned long seed = v->seed;
    struct sens_problem problem;
    struct sens_cost cost;
    struct bed bed;
    v->seed = 0;
    probe_problem_with(v, &small, offers, &problem);
    probe_cost(v, &problem, 1, probe_parts_for(v->method), &cost);
    bed_create(v, &problem, &cost, v->method, &bed);
    bed_tolerance(&bed, LOOSE);
    const sens_status status = bed_solve(&bed);
    bed_free(&bed);
    v->seed = seed, v->tried = tried, v->reintegrates = reintegrates;
    if (offers == 0) snprintf(v->refused, sizeof v->refused, "%s", bed.message);
    return status;
}

unsigned offers_wanted(struct verify *v)
{
    static const unsigned more[] = {VERIFY_HVP, VERIFY_RHS_T, VERIFY_RHS_T | VERIFY_HVP};
    if (!v->method || v->offers_found) return v->offers;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    v->offers_found = true;
    bool refused = try_with(v, 0) == SENS_UNSUPPORTED;
    for (size_t k = 0; refused && k < sizeof more / sizeof *more; k++) {
        refused = try_with(v, more[k]) == SENS_UNSUPPORTED;
        if (!refused) v->offers = more[k];
    }
    sens_arena_rewind(&v->ctx.arena, mark);
    return v->offers;
}

const char *offers_words(unsigned offers)
{
    static const char *const words[] = {"", "rhs_t", "hvp", "rhs_t, hvp"};
    return words[offers & (VERIFY_RHS_T | VERIFY_HVP)];
}
