/* A df/dx that is declared constant: jacobian(t, x, p) = jacobian(t0, x0, p), whatever t and x. */
#include <math.h>

#include "structure.h"

/* With the point's parameters, at t and x beside the nominal ones; by single entries, too. */
static void note_place(struct worst *worst, const struct subject *declared, const struct sens_at *at,
                       bool entries)
{
    static const char *const by = "jacobian there, at the nominal t and x";
    const struct sens_problem *const pb = declared->pb;
    const struct sens_arena_mark mark = sens_arena_mark(&declared->v->ctx.arena);
    const struct sens_at nominal = {pb->t0, pb->x0, at->p};
    const struct linear here = linear_at(declared, PRODUCT_JVP, at),
                        there = linear_at(declared, PRODUCT_JVP, &nominal);
    if (entries) {
        const struct sample sample = sample_create(declared, PRODUCT_JVP);
        structure_note_entries(worst, &there, &here, &sample, at->t, by);
    }
    structure_note_vectors(worst, &there, &here, at->t, by);
    sens_arena_rewind(&declared->v->ctx.arena, mark);
}

/* Far from where a solution goes: of the other sign, tiny and huge, and drawn; at any time. Where f is not defined
 * nobody asks for df/dx. */
static void note_far_places(struct worst *worst, const struct subject *declared)
{
    static const double factor[] = {-1, 1e-2, -1e-2, 1e2, -1e2, 1e4, -1e4};
    enum { FACTORS = sizeof factor / sizeof *factor, DRAWN = 57 };
    const struct sens_problem *const pb = declared->pb;
    double *const x = verify_array(declared->v, pb->n);
    for (int k = 0; k < FACTORS + DRAWN; k++) {
        const double size = pow(10, verify_uniform(declared->v, -3, 3));
        const struct sens_at at = {pb->t0 + (pb->t1 - pb->t0) * verify_uniform(declared->v, 0, 1), x, pb->p};
        for (size_t i = 0; i < pb->n; i++)
            x[i] = k < FACTORS ? factor[k] * pb->x0[i] : size * verify_uniform(declared->v, -1, 1);
        if (subject_usable(declared, &at)) note_place(worst, declared, &at, false);
    }
}

void structure_check_constant(const struct subject *declared, const struct points *points)
{
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(declared, "structure.constant");
    for (int k = 0; k < points->count; k++) note_place(&worst, declared, &points->at[k], true);
    note_far_places(&worst, declared);
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_not_constant, 1);
    verify_close(declared->v, &result);
}
