/* A step controller by what every norm and every law has to be, whatever its formula.
 *
 *     norm     the state may come in pieces; each component counts; a larger estimate, a tighter rtol or atol makes it
 *              no smaller; states and atol scaled together by 2^k leave it as it is, and so do other signs of all
 *              that a component has, and another unit of time: h 2^k, f 2^-k
 *     factor   < 1 above 1, so that a rejected step shrinks, whatever came before it; > 1 where the error is next to
 *              nothing; no larger for a larger error; the same for the same memory
 *     steps    where err = (h / h0)^k, they become such that err is at most 1, and h at least h0 / 3
 *
 * The laws of the program's own are repeated step by step (steps.law); of a module's nobody knows the formula. */
#include <string.h>

#include "scene.h"

enum { COMPONENTS = 7 };
static const double RTOL = 1e-4;

struct vectors { /* [COMPONENTS] */
    double y[COMPONENTS], f[COMPONENTS], y1[COMPONENTS], e[COMPONENTS];
};

static struct vectors draw_vectors(struct verify *v)
{
    struct vectors made;
    for (int i = 0; i < COMPONENTS; i++) {
        made.y[i] = verify_uniform(v, 0.5, 2) * (i % 2 ? -1 : 1);
        made.f[i] = verify_uniform(v, -1, 1);
        made.y1[i] = made.y[i] * verify_uniform(v, 0.9, 1.1);
        made.e[i] = RTOL * verify_uniform(v, 0.2, 2) * (i % 3 ? -1 : 1);
    }
    return made;
}

static const double STEP = 0.1;

/* The norm of a step h of the state in two pieces, the first with `split` components. */
static double norm_of_step(const struct sens_controller *control, const struct vectors *at, double h,
                           double rtol, double atol, size_t split)
{
    struct sens_error_norm norm = {.tested = 0};
    for (size_t k = 0; k < 2; k++) {
        const size_t from = k ? split : 0, count = k ? COMPONENTS - split : split;
        const struct sens_ode_part piece = {count, rtol, atol, true};
        const struct sens_trial trial = {h, at->y + from, at->f + from, at->y1 + from, at->e + from, NULL};
        if (count) control->add(&piece, &trial, &norm);
    }
    return control->norm(&norm);
}

static double norm_of(const struct sens_controller *control, const struct vectors *at, double rtol,
                      double atol, size_t split)
{
    return norm_of_step(control, at, STEP, rtol, atol, split);
}

/* ---- controller.norm ------------------------------------------------------------------------------------ */

static void note_pieces(struct worst *worst, const struct sens_controller *control, const struct vectors *at,
                        double atol)
{
    const double whole = norm_of(control, at, RTOL, atol, COMPONENTS);
    worst_note(worst, isfinite(whole) && whole > 0 ? 0 : INFINITY, 0, "the norm of an estimate is %g", whole);
    for (size_t split = 1; split < COMPONENTS; split++) {
        const double two = norm_of(control, at, RTOL, atol, split);
        worst_note(worst, fabs(two - whole), 16 * DBL_EPSILON * whole,
                   "in pieces of %zu and %zu: %.17g is not %.17g", split, COMPONENTS - split, two, whole);
    }
}

/* One that is a thousand times what is allowed, beside others that are zero. */
static void note_each(struct worst *worst, const struct sens_controller *control, const struct vectors *at,
                      double atol)
{
    for (int i = 0; i < COMPONENTS; i++) {
        struct vectors one = *at;
        memset(one.e, 0, sizeof one.e);
        one.e[i] = 1000 * (atol + RTOL * (fabs(at->y[i]) + fabs(at->y1[i])));
        const double norm = norm_of(control, &one, RTOL, atol, COMPONENTS);
        worst_note(worst, norm > 1 ? 0 : 1, 0,
                   "an error of 1000 times what is allowed in component %d has norm %g", i, norm);
    }
}

static void note_larger(struct worst *worst, double larger, double smaller, bool strict, const char *what)
{
    const double slack = strict ? -1e-6 : 16 * DBL_EPSILON;
    worst_note(worst, larger >= smaller * (1 - slack) ? 0 : 1, 0, "%s: from %.10g to %.10g", what, smaller,
               larger);
}

static void note_laws_of_norm(struct worst *worst, const struct sens_controller *control,
                              const struct vectors *at)
{
    static const double scale = 0x1p20;
    const double atol = RTOL, norm = norm_of(control, at, RTOL, atol, COMPONENTS);
    struct vectors other = *at;
    for (int i = 0; i < COMPONENTS; i++) other.e[i] *= 2;
    note_larger(worst, norm_of(control, &other, RTOL, atol, COMPONENTS), norm, true, "twice the estimate");
    note_larger(worst, norm, norm_of(control, at, 4 * RTOL, atol, COMPONENTS), true, "a fourth of rtol");
    note_larger(worst, norm, norm_of(control, at, RTOL, 4 * atol, COMPONENTS), true, "a fourth of atol");
    for (int i = 0; i < COMPONENTS; i++) {
        other = *at;
        other.e[i] *= 2;
        note_larger(worst, norm_of(control, &other, RTOL, atol, COMPONENTS), norm, false,
                    "one entry twice as large");
    }
    for (int i = 0; i < COMPONENTS; i++)
        other.y[i] = at->y[i] * scale, other.f[i] = at->f[i] * scale, other.y1[i] = at->y1[i] * scale,
        other.e[i] = at->e[i] * scale;
    const double scaled = norm_of(control, &other, RTOL, atol * scale, COMPONENTS);
    worst_note(worst, fabs(scaled - norm), 16 * DBL_EPSILON * norm,
               "scaled by 2^20 with atol: %.17g is not %.17g", scaled, norm);
}

/* -x in place of x for one component after the other, then for all. */
static void note_signs(struct worst *worst, const struct sens_controller *control, const struct vectors *at)
{
    const double norm = norm_of(control, at, RTOL, RTOL, COMPONENTS);
    struct vectors other = *at;
    for (int i = 0; i < COMPONENTS; i++) {
        other.y[i] = -at->y[i], other.f[i] = -at->f[i], other.y1[i] = -at->y1[i], other.e[i] = -at->e[i];
        const double turned = norm_of(control, &other, RTOL, RTOL, COMPONENTS);
        worst_note(worst, fabs(turned - norm), 16 * DBL_EPSILON * norm,
                   "components 0 to %d with the other sign: %.17g is not %.17g", i, turned, norm);
    }
}

/* Seconds in place of hours: the estimate is of the state, and has no unit of time. */
static void note_time(struct worst *worst, const struct sens_controller *control, const struct vectors *at)
{
    enum { UNIT = 12 };
    const double norm = norm_of(control, at, RTOL, RTOL, COMPONENTS);
    struct vectors other = *at;
    for (int i = 0; i < COMPONENTS; i++) other.f[i] = ldexp(at->f[i], -UNIT);
    const double slow = norm_of_step(control, &other, ldexp(STEP, UNIT), RTOL, RTOL, COMPONENTS);
    worst_note(worst, fabs(slow - norm), 16 * DBL_EPSILON * norm,
               "with a unit of time that is smaller by 2^%d: %.17g is not %.17g", UNIT, slow, norm);
}

/* Nothing is left of an estimate that is far below what is allowed. */
static void note_small(struct worst *worst, const struct sens_controller *control, const struct vectors *at)
{
    struct vectors none = *at;
    memset(none.e, 0, sizeof none.e);
    const double zero = norm_of(control, &none, RTOL, RTOL, COMPONENTS);
    worst_note(worst, fabs(zero), 0, "an estimate of zero has the norm");
    for (int i = 0; i < COMPONENTS; i++) none.e[i] = 1e-3 * RTOL;
    const double small = norm_of(control, &none, RTOL, RTOL, COMPONENTS);
    worst_note(worst, small, 1,
               "an estimate of a thousandth of what is allowed, in all components, has the norm");
}

static void check_norm(struct verify *v)
{
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("controller.norm", v->module, "estimates drawn at random");
    for (int k = 0; k < 8; k++) {
        const struct vectors at = draw_vectors(v);
        note_pieces(&worst, v->controller, &at, RTOL);
        note_each(&worst, v->controller, &at, RTOL);
        note_laws_of_norm(&worst, v->controller, &at);
        note_signs(&worst, v->controller, &at);
        note_time(&worst, v->controller, &at);
        note_small(&worst, v->controller, &at);
    }
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_controller_norm, 1);
    verify_close(v, &result);
}

/* ---- controller.factor ---------------------------------------------------------------------------------- */

static double factor_of(const struct sens_controller *control, const struct sens_controller_memory *memory,
                        double err, const struct sens_tableau *tb)
{
    struct sens_controller_memory own = *memory;
    return control->factor(&own, 1, err, tb);
}

static void note_factor(struct worst *worst, const struct sens_controller *control,
                        const struct sens_tableau *tb)
{
    static const struct sens_controller_memory first = {.rejected = false};
    const struct sens_controller_memory memories[] = {first, {2, 0.5, false}, {0.1, 1e-3, true}};
    double before = INFINITY;
    for (int k = -40; k <= 24; k++) {
        const double err = pow(10, k / 4.0 + 0.01), factor = factor_of(control, &first, err, tb);
        worst_note(worst, isfinite(factor) && factor > 0 ? 0 : INFINITY, 0,
                   "%s: the factor for an error of %g is %g", tb->name, err, factor);
        worst_note(worst, factor <= before * (1 + 16 * DBL_EPSILON) ? 0 : 1, 0,
                   "%s: an error of %g gives a larger factor than a smaller one: %g", tb->name, err, factor);
        before = err < 1 && err * 1.8 > 1 ? INFINITY : factor; /* a law may be another for what is rejected */
        for (int q = 0; q < 3 && err > 1; q++) {
            const double shrink = factor_of(control, &memories[q], err, tb);
            worst_note(worst, shrink < 1 ? 0 : 1, 0, "%s: a step rejected with an error of %g grows by %g",
                       tb->name, err, shrink);
        }
        worst_note(worst, factor == factor_of(control, &first, err, tb) ? 0 : 1, 0,
                   "%s: an error of %g gives another factor the second time", tb->name, err);
    }
    const double zero = factor_of(control, &first, 0, tb), small = factor_of(control, &first, 1e-8, tb);
    worst_note(worst, zero >= 1 && isfinite(zero) ? 0 : 1, 0, "%s: the factor for no error at all is %g",
               tb->name, zero);
    worst_note(worst, small > 1 ? 0 : 1, 0, "%s: the factor for an error of 1e-8 is %g", tb->name, small);
}

/* After a first trial, in the memory that the law itself leaves: a step that is rejected shrinks, and the error that is
 * kept is that of the last accepted step (sens_controller_memory). */
static void note_history(struct worst *worst, const struct sens_controller *control,
                         const struct sens_tableau *tb)
{
    static const double before[] = {1e-3, 0.5, 1.5, 50, 1e4}, after[] = {1.01, 1.1, 2, 50};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        struct sens_controller_memory first = {.rejected = false};
        control->factor(&first, 1, before[i], tb);
        worst_note(worst, before[i] > 1 ? fabs(first.err_old) : 0, 0,
                   "%s: of a first trial, rejected with an error of %g, the error is kept as an accepted one",
                   tb->name, before[i]);
        for (size_t k = 0; k < sizeof after / sizeof *after; k++) {
            struct sens_controller_memory memory = first;
            const double factor = control->factor(&memory, 1, after[k], tb);
            worst_note(worst, factor < 1 ? 0 : 1, 0,
                       "%s: after a trial with an error of %g, one rejected with %g grows by %g", tb->name,
                       before[i], after[k], factor);
            worst_note(worst, fabs(memory.err_old - first.err_old), 0,
                       "%s: the error of a rejected trial, %g after %g, is kept as that of an accepted step",
                       tb->name, after[k], before[i]);
        }
    }
}

/* ---- controller.steps ----------------------------------------------------------------------------------- */

/* Steps of a model problem whose error is (h / h0)^k, from a first h far off. */
static void note_steps(struct worst *worst, const struct sens_controller *control,
                       const struct sens_tableau *tb, double h)
{
    enum { TRIALS = 200, SETTLED = 100 };
    const int lower = tb->order < tb->order_hat ? tb->order : tb->order_hat, k = lower + 1;
    struct sens_controller_memory memory = {.rejected = false};
    int rejects = 0;
    double least = INFINITY;
    for (int trial = 0; trial < TRIALS; trial++) {
        const double err = pow(h, k), factor = control->factor(&memory, h, err, tb);
        if (trial >= SETTLED && err > 1) rejects++;
        if (trial >= SETTLED && err <= 1) least = fmin(least, h);
        h *= factor;
        worst_note(worst, isfinite(h) && h > 0 ? 0 : INFINITY, 0, "%s: a step of %g", tb->name, h);
    }
    worst_note(worst, rejects, (double)(TRIALS - SETTLED) / 2,
               "%s: rejected of the last %d trials of one size of error", tb->name, TRIALS - SETTLED);
    worst_note(worst, 1 / least, 3, "%s: the step that just passes, over the least that is accepted",
               tb->name);
}

static void check_law(struct verify *v, bool steps)
{
    static const double far[] = {1e-6, 0.5, 1e4};
    struct worst worst = {.count = 0};
    struct verify_result result =
        verify_open(steps ? "controller.steps" : "controller.factor", v->module, "each pair of the program");
    for (size_t i = 0; v->reg->tableaux[i]; i++) {
        const struct sens_tableau *const tb = v->reg->tableaux[i];
        if (!tb->e || tb->order_hat < 1) continue;
        if (!steps) note_factor(&worst, v->controller, tb);
        if (!steps) note_history(&worst, v->controller, tb);
        for (int k = 0; steps && k < 3; k++) note_steps(&worst, v->controller, tb, far[k]);
    }
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_controller_law, 1);
    verify_close(v, &result);
}

static void run(struct verify *v)
{
    check_norm(v);
    check_law(v, false);
    check_law(v, true);
}

static const struct verify_check checks[] = {
    {.id = "controller.norm",
     .summary = "the error norm sees every component, in pieces or whole, and follows both tolerances",
     .bound = "16 eps of the norm where two must be equal; else none",
     .explanation =
         "Estimates of seven components are drawn. Added in two pieces, at any place, they have the norm of "
         "the whole; an error of a thousand times what is allowed in one component alone is rejected; twice "
         "the estimate, a fourth of rtol or of atol makes the norm larger; states, estimate and atol scaled "
         "together by 2^20 leave it as it is; so do the other sign of all that a component has, and another "
         "unit of time (h 2^12, f 2^-12); zero has the norm zero. Look at what is done with the rest of a "
         "block of components, at a missing absolute value, at an estimate per unit of time, and at which "
         "numbers the scale is made of."},
    {.id = "controller.factor",
     .summary =
         "the factor on h shrinks a rejected step, grows one without error, and does not rise with the error",
     .bound = "none: it is so or not",
     .explanation =
         "For errors from 1e-10 to 1e6 and every pair of the program: the factor is a positive number; "
         "below 1 for an error above 1, also right after other rejections; above 1 for an error of 1e-8, "
         "and at least 1 for none; no larger for a larger error, among those accepted and among those "
         "rejected; and the same again for the same memory. After each of five first trials, accepted and "
         "rejected, a rejected one shrinks too, and leaves the error that is kept, that of the last "
         "accepted step (err_old), as it is."},
    {.id = "controller.steps",
     .summary = "steps under the controller settle where the error is just accepted",
     .bound = "at most every second trial rejected; no step below a third of the one that just passes",
     .explanation =
         "The error of a step is (h / h0)^k, with k as the pair has it, and nothing else. From a first step "
         "of 1e-6, 0.5 and 1e4 times h0 the last 100 of 200 trials are looked at: more rejections than "
         "acceptances, or steps far below what passes, cost time in every solve. Look at the exponent and at "
         "the limits.",
     .level = VERIFY_TO_TOLERANCE},
    {.id = NULL}};

const struct verify_group verify_controller = {
    .name = "controller", .kind = VERIFY_CONTROLLER, .checks = checks, .run = run};
