/* fail.memory: requests to the arena that are refused. */
#include "failures.h"

static void refuse_memory(struct fragile *f, size_t fail_at, size_t limit, struct worst *worst)
{
    struct bed_state state = {.ready = false};
    state.ctx.arena.fail_at = fail_at;
    state.ctx.arena.limit = limit;
    f->injection = (struct injection){.at = 0};
    const sens_status status = bed_prepare(&f->bed, &state);
    worst_note(worst, status == SENS_NO_MEMORY ? 0 : INFINITY, 0,
               "request %zu of %zu refused, limit %zu of %zu bytes: %s", fail_at, f->requests, limit,
               f->bytes, sens_status_name(status));
    bed_release(&f->bed, &state);
}

/* A refused number of requests is followed by refusals alone, which may hide one that was not noticed; with
 * a limit of bytes, smaller requests after a large one are granted. */
void failures_check_memory(struct verify *v, struct fragile way[2])
{
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("fail.memory", v->module, "probe");
    struct fragile *f = way[0].made ? &way[0] : &way[1];
    enum { QUICK_REQUESTS = 400 }; /* that are refused; more than most methods make */
    const size_t stride = v->quick ? f->requests / QUICK_REQUESTS + 1 : 1, limits = v->quick ? 48 : 400;
    for (size_t fail_at = 1; f->made && fail_at <= f->requests; fail_at += stride)
        refuse_memory(f, fail_at, 0, &worst);
    if (f->made) refuse_memory(f, f->requests, 0, &worst);
    for (size_t k = 1; f->made && k < limits; k++) refuse_memory(f, 0, f->bytes * k / limits + 1, &worst);
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_allocation_unchecked, 0.95);
    verify_close(v, &result);
}
