/* What a method makes of a failure: a status, or the right result by other steps, and never another number.
 *
 * The problem's callbacks fail at a chosen call, once or from then on (decorate_inject). A fatal status must
 * end the solve; a recoverable one and a number that is not finite may be answered by a smaller step where
 * steps are adapted, and the result is then held to what the method has to get. */
#include <stdio.h>
#include <string.h>

#include "decorate.h"
#include "failures.h"
#include "fpstate.h"
#include "trial.h"

/* ---- a method on a problem that can fail --------------------------------------------------------------- */

static bool solve_healthy(struct fragile *f)
{
    struct bed_state state = {.ready = false};
    bool solved = bed_prepare(&f->bed, &state) == SENS_OK;
    f->requests = state.ctx.arena.allocations;
    f->bytes = state.ctx.arena.bytes;
    memcpy(f->in_prepare, f->injection.calls, sizeof f->in_prepare);
    solved = solved && bed_run(&f->bed, &state) == SENS_OK;
    memcpy(f->in_all, f->injection.calls, sizeof f->in_all);
    f->work = f->bed.work;
    f->healthy = bed_keep(&f->bed);
    bed_release(&f->bed, &state);
    return solved;
}

struct sens_out failures_allow_steps(const struct fragile *f, double tolerances)
{
    const struct bed *const bed = &f->bed;
    const bool quotient = bed->method->derivative == SENS_DERIVATIVE_DIFFERENCE;
    const double each = tolerances * (bed->task.rtol + bed->task.atol);
    struct sens_out apart = bed_shape(bed);
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = bed_part(bed, k);
        const double most = each * out_norm(bed, &f->healthy, NULL, 1u << k);
        for (size_t q = 0; apart.part[k] && q < shape.rows * shape.cols; q++)
            apart.part[k][q] = quotient && shape.wrt ? INFINITY : most;
    }
    return apart;
}

/* Is the healthy result the exact one, to a few tolerances? One that is not moves with the steps. */
static bool is_sound(struct fragile *f)
{
    const struct sens_out apart = failures_allow_steps(f, FAILURES_OTHER_STEPS / 2);
    return !trial_pattern(&f->bed, &f->healthy, &f->exact.value, &apart).any;
}

/* false: the method does not take the controller, or does not solve the probe. */
static bool fragile_create(struct verify *v, const char *controller, struct fragile *f)
{
    struct scene_settings settings = trial_settings(v, 2);
    struct sens_problem problem;
    settings.n = settings.np = 2;
    settings.tol = v->seed ? 0 : 1e-5;
    settings.controller = controller;
    *f = (struct fragile){.made = false};
    if (!scene_create(v, &settings, &f->scene)) return false;
    decorate_inject(v, &f->scene.bed.problem, &f->injection, &problem);
    trial_decorated(&f->scene, &problem, &f->scene.bed.cost, &f->bed);
    if (v->method->caps & SENS_CAP_THREADS) f->bed.task.threads = 1;
    f->made = solve_healthy(f);
    f->expects = f->made && !bed_is_fixed(&f->scene.bed) && trial_right(&f->scene) &&
                 expected_declared(&f->scene.bed, &f->expected) == SENS_OK;
    const unsigned caps = f->bed.method->caps;
    f->exact_known = f->made && !bed_is_fixed(&f->scene.bed) && caps & SENS_CAP_TOLERANCE &&
                     !(f->expects && caps & SENS_CAP_CONTROLLER) && /* asked for of steps of its own */
                     expected_exact(&f->scene.bed, &f->exact) == SENS_OK;
    f->sound = !f->expects && f->exact_known && is_sound(f);
    return f->made;
}

static void fragile_free(struct fragile *f)
{
    bed_free(&f->bed);
    scene_free(&f->scene);
}

static const char *how_name(enum inject_how how)
{
    static const char *const name[] = {"a recoverable status", "a fatal status", "NaN", "infinity"};
    return name[how];
}

static const char *place_name(enum inject_where where)
{
    static const char *const name[] = {"rhs", "vjp", "jvp", "vjp_p_batch", "jvp_p_cols"};
    return name[where];
}

/* A call that fails. */
struct call {
    enum inject_where where;
    enum inject_how how;
    unsigned long at;
    bool stays;          /* all behind it, too */
    const double *point; /* [1 + n] t and x of it; NULL: its number tells it */
};

/* t and x of the call: a single call of rhs fails with all others at its point, for a method may solve more than
 * once. */
static void find_point(struct fragile *f, unsigned long at, double *point /*[1 + n]*/)
{
    f->injection = (struct injection){.where = INJECT_RHS, .at = at, .found = point};
    bed_solve(&f->bed);
}

/* Solves once with the failure, and heals the problem again. */
static void solve_failing(struct fragile *f, const struct call *call)
{
    f->injection = (struct injection){.where = call->where,
                                      .how = call->how,
                                      .at = call->at,
                                      .stays = call->stays,
                                      .point = call->stays ? NULL : call->point};
    bed_solve(&f->bed);
    f->injection.at = 0, f->injection.point = NULL;
}

/* A result that was returned with success: with a fixed step there is no other than the healthy one; else
 * what it has to be, on the steps that the method reports now where it is the derivative of those. */
static void note_success(struct fragile *f, enum inject_where where, const char *what, struct worst *worst)
{
    const struct grid none = {.steps = 0};
    const struct sens_out nothing = trial_nothing(&f->bed);
    const bool held =
        f->sound && where == INJECT_RHS; /* an infinite entry of a matrix may be a pivot, and leave 0 */
    const struct sens_out other_steps = held ? failures_allow_steps(f, FAILURES_OTHER_STEPS) : nothing;
    if (bed_is_fixed(&f->scene.bed))
        trial_compare(worst, &f->bed, &f->healthy, &nothing, what);
    else if (f->expects)
        trial_compare_anew(worst, &f->bed, &none, &f->expected.value, &f->expected.bound, what);
    else if (!out_finite(&f->bed, &f->bed.out))
        worst_note(worst, INFINITY, 0, "%s not finite", what);
    else if (held)
        trial_compare(worst, &f->bed, &f->healthy, &other_steps, what);
    else
        worst_note(worst, 0, 0, "%s", what);
}

/* ---- calls that fail ----------------------------------------------------------------------------------- */

struct found {
    struct worst worst;
    struct worst swallowed, masked; /* of statuses; of numbers that are not finite */
};

static bool has_to_fail(const struct fragile *f, enum inject_how how, bool stays)
{
    return how == INJECT_FATAL || (how == INJECT_RECOVERABLE && (stays || bed_is_fixed(&f->scene.bed)));
}

static void fail_once(struct fragile *f, const struct call *call, struct found *found)
{
    const enum inject_where where = call->where;
    const enum inject_how how = call->how;
    struct worst *const kind = how <= INJECT_FATAL ? &found->swallowed : &found->masked;
    struct worst one = {.count = 0};
    char what[128];
    solve_failing(f, call);
    const unsigned long calls = f->injection.calls[where];
    snprintf(what, sizeof what, "%s gives %s %s call %lu (prepare makes %lu of %lu), %s steps: success,",
             place_name(where), how_name(how), call->stays ? "from" : "at", call->at, f->in_prepare[where],
             f->in_all[where], bed_is_fixed(&f->scene.bed) ? "fixed" : "adaptive");
    if (sens_status_class(f->bed.status) == SENS_CLASS_HARNESS)
        worst_note(&one, INFINITY, 0, "%s gives %s: the method says %s, which is for the harness to say,",
                   place_name(where), how_name(how), sens_status_name(f->bed.status));
    else if (how == INJECT_FATAL && calls > call->at)
        worst_note(&one, INFINITY, 0,
                   "%s gives a fatal status at call %lu, and is called %lu times more:", place_name(where),
                   call->at, calls - call->at);
    else if (f->bed.status != SENS_OK)
        worst_note(&one, 0, 0, "%s", what);
    else if (has_to_fail(f, how, call->stays))
        worst_note(&one, INFINITY, 0, "%s where a status is due", what);
    else
        note_success(f, where, what, &one);
    worst_note(kind, one.value, one.bound, "%s", one.where);
    worst_note(&found->worst, one.value, one.bound, "%s", one.where);
}

enum { CALLS = 14 };

/* First, last and in between, of prepare and of run; and some one after the other, which are all stages of a step. */
static int choose_calls(const struct fragile *f, enum inject_where where, unsigned long call[CALLS])
{
    const unsigned long p = f->in_prepare[where], all = f->in_all[where], third = p + (all - p) / 3;
    const unsigned long wanted[CALLS] = {1,         2,         p / 2,         p,         p + 1,
                                         p + 2,     third,     third + 1,     third + 2, third + 3,
                                         third + 4, third + 5, (p + all) / 2, all};
    int count = 0;
    for (int k = 0; k < CALLS; k++)
        if (wanted[k] >= 1 && wanted[k] <= all && (count == 0 || wanted[k] > call[count - 1]))
            call[count++] = wanted[k];
    return count;
}

static void fail_everywhere(struct fragile *f, enum inject_where where, enum inject_how first,
                            struct found *found)
{
    double *const point = where == INJECT_RHS ? verify_array(f->bed.v, 1 + f->bed.problem.n) : NULL;
    unsigned long at[CALLS];
    const int count = choose_calls(f, where, at);
    for (int k = 0; k < count; k++) {
        if (point) find_point(f, at[k], point);
        for (enum inject_how how = first; how <= INJECT_INFINITY; how++)
            for (int stays = 0; stays < 2; stays++)
                fail_once(f, &(struct call){where, how, at[k], stays, point}, found);
    }
}

static void check_rhs(struct verify *v, struct fragile way[2])
{
    struct found found = {.worst = {.count = 0}};
    struct verify_result result = verify_open("fail.rhs", v->module, "probe, adaptive and fixed steps");
    (void)v;
    for (int k = 0; k < 2; k++)
        if (way[k].made) fail_everywhere(&way[k], INJECT_RHS, INJECT_RECOVERABLE, &found);
    verify_judge(&result, &found.worst);
    verify_blame(&result, CAUSE_failure_swallowed, worst_passes(&found.swallowed) ? 0.7 : 0.95);
    verify_blame(&result, CAUSE_nan_masked, worst_passes(&found.masked) ? 0.2 : 0.9);
    verify_blame(&result, CAUSE_limit_ignored, 0.2);
    verify_close(v, &result);
}

static void check_products(struct verify *v, struct fragile way[2])
{
    static const enum inject_where place[] = {INJECT_VJP, INJECT_JVP, INJECT_VJP_P, INJECT_JVP_P};
    struct found found = {.worst = {.count = 0}};
    struct verify_result result = verify_open("fail.products", v->module, "probe, adaptive and fixed steps");
    for (int k = 0; k < 2; k++)
        for (int q = 0; q < 4 && way[k].made; q++) fail_everywhere(&way[k], place[q], INJECT_NAN, &found);
    if (found.worst.count > 0)
        verify_judge(&result, &found.worst);
    else
        verify_skip(&result, "the method uses no product of the problem");
    verify_blame(&result, CAUSE_nan_masked, 0.95);
    verify_blame(&result, CAUSE_failure_swallowed, 0.5);
    verify_blame(&result, CAUSE_limit_ignored, 0.2);
    verify_close(v, &result);
}

/* ---- after a failure ----------------------------------------------------------------------------------- */

/* Fails in the middle of the next run of the state, if `where` is called in runs at all. */
static bool fail_next_run(struct fragile *f, struct bed_state *state, enum inject_where where,
                          enum inject_how how)
{
    const unsigned long in_run = f->in_all[where] - f->in_prepare[where];
    if (in_run == 0) return false;
    f->injection.where = where;
    f->injection.how = how;
    f->injection.stays = false;
    f->injection.at = f->injection.calls[where] + in_run / 2 + 1;
    bed_run(&f->bed, state);
    f->injection.at = 0;
    return true;
}

static void recover(struct fragile *f, struct worst *worst, struct worst *environment)
{
    struct bed_state state = {.ready = false};
    const struct fp_state before = fp_state_read();
    f->injection = (struct injection){.at = 0};
    bool solved = bed_prepare(&f->bed, &state) == SENS_OK && bed_run(&f->bed, &state) == SENS_OK;
    const struct sens_out first = bed_keep(&f->bed), nothing = trial_nothing(&f->bed);
    for (enum inject_where where = INJECT_RHS; where < INJECT_PLACES && solved; where++) {
        char what[64], difference[160];
        if (!fail_next_run(f, &state, where, where == INJECT_RHS ? INJECT_FATAL : INJECT_NAN)) continue;
        bed_run(&f->bed, &state);
        snprintf(what, sizeof what, "after a failure of %s:", place_name(where));
        trial_compare(worst, &f->bed, &first, &nothing, what);
        const struct fp_state after = fp_state_read();
        fp_state_difference(&before, &after, difference);
        worst_note(environment, difference[0] ? 1 : 0, 0, "%s", difference);
        fp_state_restore(&before);
    }
    bed_release(&f->bed, &state);
}

static void check_recovery(struct verify *v, struct fragile way[2])
{
    struct worst worst = {.count = 0}, environment = {.count = 0};
    struct verify_result after = verify_open("fail.after", v->module, "probe, adaptive and fixed steps");
    struct verify_result fp = verify_open("fp.run", v->module, "probe, healthy and failing runs");
    for (int k = 0; k < 2; k++)
        if (way[k].made) recover(&way[k], &worst, &environment);
    verify_judge(&after, &worst);
    verify_blame(&after, CAUSE_stale_workspace, 0.9);
    verify_blame(&after, CAUSE_dirty_buffer, 0.5);
    verify_close(v, &after);
    verify_judge(&fp, &environment);
    verify_blame(&fp, CAUSE_fp_environment, 1);
    verify_close(v, &fp);
}

/* Memory comes last: a request that is not checked ends the process. */
static void run(struct verify *v)
{
    struct fragile way[2];
    fragile_create(v, "odeint", &way[0]);
    fragile_create(v, "fixed", &way[1]);
    check_rhs(v, way);
    check_products(v, way);
    failures_check_limits(v, way);
    check_recovery(v, way);
    failures_check_memory(v, way);
    fragile_free(&way[0]);
    fragile_free(&way[1]);
}

static const struct verify_check checks[] = {
    {.id = "fail.rhs",
     .summary = "a right-hand side that fails gives a status, or the right result by other steps",
     .bound = "a status; for a success, what the method has to get, by its kind",
     .explanation =
         "rhs returns a recoverable status, a fatal one, NaN or infinity at its first, second, a middle and "
         "its last call, in prepare and in run, once and from then on, with adaptive and with fixed steps. A "
         "fatal status must end the solve, and rhs is not called again; a recoverable one must end it where "
         "the step is fixed or the failure stays. Where a smaller step helps, the result must be right. A "
         "success with anything else reports the numbers of another solve: look for a status that is not "
         "passed on. Nor is a status that is said of a process from outside (class harness in "
         "sens/status.h) a method's to give."},
    {.id = "fail.products",
     .summary = "a product that is not finite gives a status, or the right result by other steps",
     .bound = "a status; for a success, what the method has to get, by its kind",
     .explanation =
         "One number of what vjp, jvp, vjp_p_batch or jvp_p_cols writes is NaN or infinite, at the first, "
         "second, a middle and the last call, once and from then on. Products cannot report a failure, so "
         "the method has to look at its results. A finite gradient that is wrong means that NaN was lost in "
         "a comparison or a maximum; NaN in a gradient returned with success, that nobody looked."},
    {.id = "fail.limit",
     .summary = "a solve that cannot be finished is not reported as finished",
     .bound =
         "a status other than success; for one with steps of its own and fewer of them, the right result",
     .explanation =
         "max_steps is 3, then half of the trials that are made; the tolerance is one that no double can "
         "meet; the fixed step does not divide the interval. A method that reports success returns the "
         "state of an earlier time as the final one, ignores the limit or ignores the tolerance. One with "
         "steps of its own may finish with fewer: it tells of no more than max_steps trials each way, "
         "reaches t1, and returns another result that is right (to its own bound, or to 50 tolerances "
         "where none is known). Its error is at most 8 times the larger of the tolerance and the error of "
         "the full solve. With a thousandth of the tolerance and as few steps it ends with a status, or "
         "with an error of at most a quarter of that (or 8 times the smaller tolerance): a method that "
         "loosens its tolerance until the steps suffice does neither."},
    {.id = "fail.after",
     .summary = "a state that has failed is as good as new",
     .bound = "0: the same bits as before the failure",
     .explanation =
         "A state is run, made to fail in the middle of a run by rhs and by each product, and run again "
         "without failure. The results must have the same bits. What a failed run leaves behind (a count of "
         "collected points, a sum, a flag) must be reset at the start of the next one."},
    {.id = "fp.run",
     .summary = "the floating-point environment is left as it was found",
     .bound = "0 differences of rounding, masks, flush-to-zero and precision",
     .explanation = "Rounding direction, exception masks, flush-to-zero and x87 precision are read before "
                    "prepare and after runs that succeed and fail. A change of them silently changes the "
                    "results of everything that the process computes later."},
    {.id = "fail.memory",
     .summary = "memory that is refused in prepare gives SENS_NO_MEMORY",
     .bound = "that status",
     .explanation =
         "prepare is called with an arena that refuses its 1st, 2nd, ... last request (a sample of them in a "
         "quick run) and all later ones, and with arenas that hold a part of the bytes, and grant a small "
         "request after they have refused a large one. A crash of this group without a result of this check "
         "is the use of a request that was not compared with NULL."},
    {.id = NULL}};

const struct verify_group verify_failures = {
    .name = "failures", .kind = VERIFY_METHOD, .checks = checks, .run = run};
