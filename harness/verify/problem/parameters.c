/* parameters.read: does f, or the initial state, follow each parameter in at->p? */
#include "calls.h"

/* Any bit of f, or of the initial state where it depends on p, at parameters p instead of those of `in`. */
static bool moves(const struct subject *subject, const struct inputs *in, const double *p)
{
    struct inputs changed = *in;
    bool any = false;
    changed.p = (double *)p;
    for (int c = 0; c < CALLS && !any; c++) {
        if (c != CALL_RHS && c != CALL_X0) continue;
        if (!call_applies(subject, (enum callback)c)) continue;
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        const size_t count = call_size(subject, (enum callback)c, in);
        double *before = verify_array(subject->v, count), *after = verify_array(subject->v, count);
        call_make(subject, (enum callback)c, in, before);
        call_make(subject, (enum callback)c, &changed, after);
        any = !same_numbers(count, before, after);
        sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
    return any;
}

static double moved_parameter(double p)
{
    return 1.25 * p + (p == 0);
}

static bool is_read(const struct subject *subject, size_t k)
{
    enum { POINTS = 7 };
    bool read = false;
    for (int point = 0; point < POINTS && !read; point++) {
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        const struct inputs in = inputs_create(subject, 1, 1);
        double *p = verify_copy(subject->v, subject->pb->np, in.p);
        p[k] = moved_parameter(p[k]);
        read = moves(subject, &in, p);
        sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
    return read;
}

/* f at parameters of which one differs, right behind those of which it does not, and behind other points: other bits
 * where a key of what is remembered leaves that parameter out. */
static bool is_forgotten(const struct subject *subject, size_t k)
{
    enum { LANES = 1, OTHERS = 64 };
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    const struct inputs in = inputs_create(subject, 1, LANES);
    struct inputs changed = inputs_copy(subject, &in);
    const size_t count = call_size(subject, CALL_RHS, &in);
    double *const behind = verify_array(subject->v, count), *const alone = verify_array(subject->v, count);
    changed.p[k] = moved_parameter(in.p[k]);
    call_make(subject, CALL_RHS, &in, behind);
    call_make(subject, CALL_RHS, &changed, behind);
    for (int q = 0; q < OTHERS; q++) {
        const struct inputs other = inputs_create(subject, 1, LANES);
        call_make(subject, CALL_RHS, &other, alone);
    }
    call_make(subject, CALL_RHS, &changed, alone);
    const bool same = same_numbers(count, behind, alone);
    sens_arena_rewind(&subject->v->ctx.arena, mark);
    return !same;
}

void parameters_check_read(const struct subject *subject, const char *check)
{
    struct verify_result result = subject_open(subject, check);
    size_t unread = 0, first = 0, forgotten = subject->pb->np;
    for (size_t k = subject->pb->np; k-- > 0;) {
        if (is_read(subject, k)) continue;
        unread++, first = k;
        if (is_forgotten(subject, k)) forgotten = k;
    }
    if (forgotten < subject->pb->np) {
        verify_fail(&result,
                    "after a call at the same t, x and other parameters, rhs at another p_%zu gives what it "
                    "does not give "
                    "later: is its result kept by a key without p_%zu?",
                    forgotten, forgotten);
        verify_blame(&result, CAUSE_impure, 1);
    } else if (unread)
        verify_skip(&result,
                    "%zu of %zu parameters, p_%zu the first, move neither f nor x0: does rhs read them "
                    "elsewhere than in at->p?",
                    unread, subject->pb->np, first);
    verify_close(subject->v, &result);
}
