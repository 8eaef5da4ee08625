/* What a problem's callbacks do besides computing: to their inputs, to the memory round their outputs, to one
 * another, to the processor. */
#include <string.h>

#include "calls.h"
#include "decorate.h"
#include "fpstate.h"
#include "guard.h"

static const struct verify_check checks[] = {
    {.id = "rhs.status",
     .summary = "rhs succeeds with finite values at the nominal point, and never with others",
     .bound = "none",
     .explanation =
         "rhs is evaluated at the nominal parameters and initial state, at t0 and in the middle of the "
         "interval, where it must succeed, and at perturbed points, where it may refuse with a status, "
         "though not with one that is said of a cell from outside (sens/status.h). Success with a value that "
         "is not finite is a failure: a solver would have to find out by itself. Look for a division, a "
         "logarithm or a power that needs a guard, or for an output that is not filled."},
    {.id = "rhs.pure",
     .summary = "rhs gives the same bits for the same input, whatever was called before",
     .bound = "none: equal bits; a few roundings away, a thousandth of the largest number",
     .explanation =
         "rhs is evaluated at seven points that share some of t, x and p, or the sum of x, then again in "
         "another order, from one and the same buffer, with calls of the other callbacks in between, and "
         "at points that differ from one of these by 1e-11 in t, x or p, right after a call at that one. "
         "A difference means that it keeps something from call to call, such as a cache that is keyed on "
         "an address or on t alone. So does a value that is far from that at inputs a few roundings away: "
         "p is no key of a cache. The inputs must be left as they are. In every other round the "
         "instance's own p, the nominal one, holds other numbers: parameters are to be read at the point "
         "that is asked for, at->p, and nowhere else, or no derivative with respect to them is right."},
    {.id = "parameters.read",
     .summary = "every parameter moves the right-hand side or the initial state",
     .bound = "none: any bit",
     .explanation =
         "Each parameter of at->p is changed in turn, at seven points; f or x0 must change at one of them. A "
         "parameter that moves nothing is no failure, since an option may have switched off its term; but "
         "its derivative is 0 by every method, and no other check can tell whether that is meant. Look for "
         "numbers that create made of the nominal parameters, which rhs then reads in place of at->p. What "
         "moves nothing is looked at again behind calls at 64 other points: other bits there are those of an "
         "f that is remembered by a key without that parameter, and this fails."},
    {.id = "products.pure",
     .summary = "the products, x0 and the declared structure give the same bits for the same input",
     .bound = "none: equal bits",
     .explanation =
         "As rhs.pure, for jvp, vjp, jvp_p_cols, vjp_p_batch, x0, x0_vjp and x0_jvp_cols, and for jacobian, "
         "jacobian_p, outer, coupling and diagonal where the problem declares them."},
    {.id = "memory.guards",
     .summary = "no callback writes outside its output",
     .bound = "none: equal bits of the guards",
     .explanation =
         "Every output lies between guards, and every callback is called with 0, 1, 3, 8 and 9 lanes, and "
         "batches of 0, 1 and 3 points. A guard that has changed means a write past either end: look at "
         "loops over lanes that run in whole vectors, and at what L = 0 or K = 0 does. Reads past the end "
         "need a build with an address sanitiser."},
    {.id = "output.overwrite",
     .summary = "rhs, jvp, vjp, x0 and the declared structure overwrite what their output held",
     .bound = "none: equal bits",
     .explanation =
         "Each is called with an output of zeros, of random numbers and of NaN; the results must be the "
         "same. A result that contains what was there before has been added to it, or an entry has been "
         "left out."},
    {.id = "output.accumulate",
     .summary = "vjp_p_batch, jvp_p_cols, x0_vjp and x0_jvp_cols add to what their output held",
     .bound = "rounding of the sum, measured at shaken inputs",
     .explanation =
         "Each is called with an output of zeros and of random numbers; the results must differ by those "
         "numbers. Methods rely on it to add up stages, steps and batches."},
    {.id = "fp.environment",
     .summary = "no callback changes the floating-point environment",
     .bound = "none: the same rounding mode, masks and flush modes",
     .explanation =
         "The rounding mode and the control bits of the floating-point units are read before and after every "
         "callback. A change would alter the results of everything that runs later in this thread. Look for "
         "calls of fesetround or of intrinsics, and for libraries that set a mode when they start."},
    {.id = NULL}};

/* ---- status -------------------------------------------------------------------------------------------- */

static void try_rhs(struct verify_result *result, const struct subject *subject, const struct sens_at *at,
                    bool nominal)
{
    double *dx = verify_array(subject->v, subject->pb->n);
    const sens_status status = subject->pb->type->rhs(subject->pb, at, dx);
    if (status != SENS_OK && nominal)
        verify_fail(result, "%s at the nominal point, t = %.4g", sens_status_name(status), at->t);
    if (sens_status_class(status) == SENS_CLASS_HARNESS)
        verify_fail(result, "%s at t = %.4g: this is for the harness to say", sens_status_name(status),
                    at->t);
    for (size_t i = 0; status == SENS_OK && i < subject->pb->n; i++) {
        if (isfinite(dx[i])) continue;
        verify_fail(result, "success, but component %zu is %g at t = %.4g", i, dx[i], at->t);
        return;
    }
}

static void check_status(const struct subject *subject)
{
    const struct sens_problem *pb = subject->pb;
    struct verify_result result = subject_open(subject, "rhs.status");
    try_rhs(&result, subject, &(struct sens_at){pb->t0, pb->x0, pb->p}, true);
    for (int k = 0; k < 4; k++) {
        const struct sens_at at = instance_point(subject->v, pb, k);
        try_rhs(&result, subject, &at, k == 0);
    }
    if (result.verdict == VERIFY_FAIL) verify_blame(&result, CAUSE_rhs_itself, 0.9);
    verify_close(subject->v, &result);
}

/* ---- purity -------------------------------------------------------------------------------------------- */

enum { MIXTURES = 7, ROUNDS = 3, LANES = 3, BATCH = 2, ELSEWHERE = 64, QUICK_ELSEWHERE = 12 };

struct history { /* first results, [MIXTURES][CALLS] */
    struct inputs in[MIXTURES];
    double *first[MIXTURES][CALLS];
    const double *nominal; /* p of the instance then */
    struct inputs
        elsewhere[ELSEWHERE]; /* more points than a cache of points near each other has places for */
    int others;               /* of them */
};

/* Two states that differ, of one sign or of any, one of which is less than `most` times the other; false: there are
 * none. */
static bool find_two(size_t n, const double *x, bool one_sign, double most, size_t *one, size_t *other)
{
    for (size_t i = 0; i + 1 < n; i++)
        for (size_t j = i + 1; j < n && j < i + 8; j++) {
            const double ratio = x[j] / x[i], size = fabs(ratio);
            if (!(size > 1 / most && size < most) || ratio == 1 || (one_sign && ratio < 0)) continue;
            *one = i, *other = j;
            return true;
        }
    return false;
}

/* Points that have t, x or p in common: whatever a cache is keyed on, one pair has the same key. Then states whose sum,
 * exact in numbers of single precision, or whose every symmetric function is that of the first. */
static void mix(const struct subject *subject, struct history *history)
{
    struct inputs *in = history->in;
    size_t one, other;
    history->others = subject->v->quick ? QUICK_ELSEWHERE : ELSEWHERE;
    for (int k = 0; k < history->others; k++) history->elsewhere[k] = inputs_create(subject, BATCH, LANES);
    in[0] = inputs_create(subject, BATCH, LANES);
    in[1] = inputs_create(subject, BATCH, LANES);
    in[1].t_way = in[0].t_way, in[1].p_way = in[0].p_way;
    for (size_t q = 0; q < BATCH * subject->pb->n; q++) in[0].X[q] = (double)(float)in[0].X[q];
    for (int k = 2; k < MIXTURES; k++) in[k] = inputs_copy(subject, &in[0]);
    memcpy(in[2].X, in[1].X, BATCH * subject->pb->n * sizeof *in[2].X);
    memcpy(in[3].p, in[1].p, subject->pb->np * sizeof *in[3].p);
    memcpy(in[4].t, in[1].t, BATCH * sizeof *in[4].t);
    const double *const x = in[0].X;
    if (find_two(subject->pb->n, x, true, 10, &one, &other)) in[5].X[one] = x[other], in[5].X[other] = x[one];
    if (!find_two(subject->pb->n, x, false, 1e3, &one, &other)) return;
    const double shift = fmin(fabs(x[one]), fabs(x[other])) / 16;
    in[6].X[one] += shift, in[6].X[other] -= shift;
}

struct purity_record {
    struct worst worst;
    bool impure, changed;
    bool elsewhere; /* impure where the instance's own p is another, too */
};

/* Notes for callbacks in [from, to). */
struct scope {
    enum callback from, to;
};

static void repeat(const struct subject *subject, const struct history *history, int k, enum callback c,
                   const struct inputs *in, const struct scope *scope, struct purity_record *record)
{
    const size_t count = call_size(subject, c, in);
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    double *out = verify_array(subject->v, count);
    const bool noted = c >= scope->from && c < scope->to;
    call_make(subject, c, in, out);
    const bool same = same_numbers(count, out, history->first[k][c]);
    const bool kept = inputs_same(subject, in, &history->in[k]);
    if (noted) {
        worst_note(&record->worst, same ? 0 : 1, 0, "%s gives other bits for the same input%s", call_name(c),
                   history->nominal == subject->pb->p ? "" : ", where the instance's own p has changed");
        worst_note(&record->worst, kept ? 0 : 1, 0, "%s changes its input", call_name(c));
        record->impure = record->impure || (!same && history->nominal == subject->pb->p);
        record->elsewhere = record->elsewhere || (!same && history->nominal != subject->pb->p);
        record->changed = record->changed || !kept;
    }
    sens_arena_rewind(&subject->v->ctx.arena, mark);
}

/* What is remembered by too little is the same each time, and far from what it is a few roundings away, where nothing
 * is remembered. */
static void note_beside(const struct subject *subject, const struct history *history, int k, enum callback c,
                        const struct scope *scope, struct purity_record *record)
{
    static const double FAR = 1e-3; /* of the largest number */
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    const struct inputs in = inputs_shaken(subject, &history->in[k]);
    const size_t count = call_size(subject, c, &in);
    const double *const first = history->first[k][c];
    double *const out = verify_array(subject->v, count), largest = 0, distance = 0;
    if (c >= scope->from && c < scope->to) {
        call_make(subject, c, &in, out);
        for (size_t q = 0; q < count; q++) {
            largest = fmax(largest, fmax(fabs(out[q]), fabs(first[q])));
            distance = fmax(distance, fabs(out[q] - first[q]));
        }
        if (isfinite(largest) && isfinite(distance))
            worst_note(&record->worst, distance, FAR * largest,
                       "%s behind calls at the same t, x or p is not what it is a few roundings away: off by",
                       call_name(c));
        record->impure = record->impure || distance > FAR * largest;
    }
    sens_arena_rewind(&subject->v->ctx.arena, mark);
}

/* Inputs that differ from `from` by far more than roundings and far less than any step, in states, times or parameters
 * alone. */
enum nearness { NEAR_X, NEAR_T, NEAR_P, NEARNESSES };

static struct inputs inputs_near(const struct subject *subject, const struct inputs *from, enum nearness what)
{
    static const double NEAR = 1e-11;
    struct inputs in = inputs_copy(subject, from);
    const struct sens_problem *const pb = subject->pb;
    for (size_t q = 0; what == NEAR_X && q < in.K * pb->n; q++) in.X[q] *= 1 + NEAR;
    for (size_t k = 0; what == NEAR_T && k < in.K; k++) in.t[k] += NEAR * (pb->t1 - pb->t0);
    for (size_t k = 0; what == NEAR_P && k < pb->np; k++) in.p[k] *= 1 + NEAR;
    return in;
}

/* Calls at so many other points that what was kept of earlier ones has had to go. */
static void make_elsewhere(const struct subject *subject, const struct history *history, enum callback c,
                           double *out)
{
    for (int k = 0; k < history->others; k++) call_make(subject, c, &history->elsewhere[k], out);
}

/* What takes a point for an earlier one when it is nearly so gives, behind that one, what is true there. */
static void note_near(const struct subject *subject, const struct history *history, enum callback c,
                      enum nearness what, struct purity_record *record)
{
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    const struct inputs *const point = &history->in[0];
    const struct inputs near = inputs_near(subject, point, what);
    const size_t count = call_size(subject, c, &near);
    double *const alone = verify_array(subject->v, count), *const behind = verify_array(subject->v, count);
    double *const other = verify_array(subject->v, count);
    make_elsewhere(subject, history, c, other);
    call_make(subject, c, &near, alone);
    make_elsewhere(subject, history, c, other); /* or the point would be taken for the near one */
    call_make(subject, c, point, other);
    call_make(subject, c, &near, behind);
    const bool same = same_numbers(count, alone, behind);
    worst_note(&record->worst, same ? 0 : 1, 0,
               "%s gives other bits for the same input right after a call at nearly the same input",
               call_name(c));
    record->impure = record->impure || !same;
    sens_arena_rewind(&subject->v->ctx.arena, mark);
}

static void overwrite(const struct subject *subject, struct inputs *to, const struct inputs *from)
{
    const size_t n = subject->pb->n, np = subject->pb->np;
    memcpy(to->t, from->t, from->room * sizeof *to->t);
    memcpy(to->X, from->X, from->room * n * sizeof *to->X);
    memcpy(to->W, from->W, from->room * n * from->L * sizeof *to->W);
    if (np) memcpy(to->p, from->p, np * sizeof *to->p);
}

/* The same instance with other numbers in its own p, inside of decorators, too. */
static const struct sens_problem *with_other_nominal(struct verify *v, const struct sens_problem *pb)
{
    struct sens_problem *made = verify_memory(v, 1, sizeof *made);
    *made = *pb;
    if (pb->np > 0) made->p = verify_perturbed(v, pb->np, pb->p, 0.5);
    if (pb->inner) made->inner = with_other_nominal(v, pb->inner);
    return made;
}

static void check_pure(const struct subject *subject, const char *check, struct scope scope)
{
    struct subject elsewhere = *subject;
    elsewhere.pb = with_other_nominal(subject->v, subject->pb);
    struct purity_record record = {.impure = false};
    struct history history;
    mix(subject, &history);
    history.nominal = subject->pb->p;
    for (int k = 0; k < MIXTURES; k++)
        for (int c = 0; c < CALLS; c++) {
            const struct inputs in = inputs_copy(subject, &history.in[k]);
            if (!call_applies(subject, (enum callback)c)) continue;
            history.first[k][c] = verify_array(subject->v, call_size(subject, (enum callback)c, &in));
            call_make(subject, (enum callback)c, &in, history.first[k][c]);
            note_beside(subject, &history, k, (enum callback)c, &scope, &record);
        }
    for (enum callback c = scope.from; c < scope.to; c++)
        for (int what = 0; what < NEARNESSES && call_applies(subject, c); what++)
            note_near(subject, &history, c, (enum nearness)what, &record);
    struct inputs shared = inputs_copy(subject, &history.in[0]);
    for (int round = 0; round < ROUNDS * MIXTURES; round++) {
        const int k = (round * (1 + round / MIXTURES) + 2) % MIXTURES;
        for (int c = CALLS - 1; c >= 0; c--) {
            overwrite(subject, &shared, &history.in[k]);
            if (call_applies(subject, (enum callback)c))
                repeat(round % 2 ? &elsewhere : subject, &history, k, (enum callback)c, &shared, &scope,
                       &record);
        }
    }
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, &record.worst);
    if (record.impure) verify_blame(&result, CAUSE_impure, record.changed ? 0.5 : 1);
    if (record.elsewhere && !record.impure) verify_blame(&result, CAUSE_nominal_read, 1);
    if (record.changed) verify_blame(&result, CAUSE_input_changed, 1);
    verify_close(subject->v, &result);
}

/* ---- guards -------------------------------------------------------------------------------------------- */

static void check_guards(const struct subject *subject)
{
    static const size_t lanes[] = {0, 1, 3, 8, 9}, points[] = {0, 1, 3};
    struct worst worst = {.count = 0};
    for (size_t q = 0; q < sizeof lanes / sizeof *lanes * (sizeof points / sizeof *points); q++) {
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        const struct inputs in = inputs_create(subject, points[q % 3], lanes[q / 3]);
        for (int c = 0; c < CALLS; c++) {
            if (!call_applies(subject, (enum callback)c)) continue;
            const size_t count = call_size(subject, (enum callback)c, &in);
            double *out = guard_create(subject->v, count);
            call_make(subject, (enum callback)c, &in, out);
            worst_note(&worst, (double)guard_breaches(count, out), 0,
                       "numbers changed outside the output of %s, L = %zu, K = %zu",
                       call_name((enum callback)c), in.L, in.K);
        }
        sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
    struct verify_result result = subject_open(subject, "memory.guards");
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_out_of_bounds, 1);
    verify_close(subject->v, &result);
}

/* ---- the floating-point environment -------------------------------------------------------------------- */

static void check_environment(const struct subject *subject)
{
    struct verify_result result = subject_open(subject, "fp.environment");
    const struct inputs in = inputs_create(subject, BATCH, LANES);
    for (int c = 0; c < CALLS; c++) {
        char text[160];
        if (!call_applies(subject, (enum callback)c)) continue;
        double *out = verify_array(subject->v, call_size(subject, (enum callback)c, &in));
        const struct fp_state before = fp_state_read();
        call_make(subject, (enum callback)c, &in, out);
        const struct fp_state after = fp_state_read();
        fp_state_restore(&before);
        fp_state_difference(&before, &after, text);
        if (text[0]) verify_fail(&result, "%s: %s", call_name((enum callback)c), text);
    }
    verify_blame(&result, CAUSE_fp_environment, 1);
    verify_close(subject->v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void look_at_calls(struct subject *subject)
{
    const struct scope rhs = {CALL_RHS, CALL_JVP}, products = {CALL_JVP, CALLS};
    check_environment(subject);
    check_status(subject);
    check_pure(subject, "rhs.pure", rhs);
    check_pure(subject, "products.pure", products);
    parameters_check_read(subject, "parameters.read");
    check_guards(subject);
    outputs_check_overwrite(subject, "output.overwrite");
    outputs_check_accumulate(subject, "output.accumulate");
}

static void look(struct subject *subject)
{
    subject_with_part(subject, look_at_calls);
}

static void run(struct verify *v)
{
    subject_each(v, checks, look);
}

const struct verify_group verify_purity = {
    .name = "purity", .kind = VERIFY_PROBLEM, .checks = checks, .run = run, .wraps = true};
