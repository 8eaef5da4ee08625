/* What a method refuses to go without. */
#include "offers.h"

#include <stdio.h>

#include "bed.h"

static const double LOOSE = 1e-4;

/* Without a trace in what the unit draws and counts. */
static sens_status try_with(struct verify *v, const struct probe_settings *settings, unsigned offers,
                            char message[sizeof v->refused])
{
    const struct verify_tried tried = v->tried;
    const bool reintegrates = v->reintegrates;
    const unsigned long seed = v->seed;
    struct sens_problem problem;
    struct sens_cost cost;
    struct bed bed;
    v->seed = 0;
    probe_problem_with(v, settings, offers, &problem);
    probe_cost(v, &problem, 1, probe_parts_for(v->method), &cost);
    bed_create(v, &problem, &cost, v->method, &bed);
    bed_tolerance(&bed, LOOSE);
    const sens_status status = bed_solve(&bed);
    bed_free(&bed);
    v->seed = seed, v->tried = tried, v->reintegrates = reintegrates;
    snprintf(message, sizeof v->refused, "%s", bed.message);
    return status;
}

unsigned offers_wanted(struct verify *v, const struct probe_settings *settings)
{
    static const unsigned more[] = {VERIFY_HVP, VERIFY_RHS_T, VERIFY_RHS_T | VERIFY_HVP};
    if (!v->method || v->offers_found) return v->offers;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct probe_settings forced = *settings;
    char message[sizeof v->refused];
    forced.autonomous = false;
    v->offers_found = true;
    bool refused = try_with(v, &forced, 0, v->refused) == SENS_UNSUPPORTED;
    for (size_t k = 0; refused && k < sizeof more / sizeof *more; k++) {
        refused = try_with(v, &forced, more[k], message) == SENS_UNSUPPORTED;
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
