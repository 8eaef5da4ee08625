/* A df/dx that is declared constant: jacobian(t, x, p) = jacobian(t0, x0, p), whatever t and x. */
#include "structure.h"

void structure_check_constant(const struct subject *declared, const struct points *points)
{
    const struct sens_problem *const pb = declared->pb;
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(declared, "structure.constant");
    for (int k = 0; k < points->count; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&declared->v->ctx.arena);
        const struct sens_at *const at = &points->at[k], nominal = {pb->t0, pb->x0, at->p};
        const struct linear here = linear_at(declared, PRODUCT_JVP, at),
                            there = linear_at(declared, PRODUCT_JVP, &nominal);
        const struct sample sample = sample_create(declared, PRODUCT_JVP);
        structure_note_entries(&worst, &there, &here, &sample, at->t,
                               "jacobian there, at the nominal t and x");
        structure_note_vectors(&worst, &there, &here, at->t, "jacobian there, at the nominal t and x");
        sens_arena_rewind(&declared->v->ctx.arena, mark);
    }
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_not_constant, 1);
    verify_close(declared->v, &result);
}
