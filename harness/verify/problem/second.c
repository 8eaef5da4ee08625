/* df/dt and second derivatives, where a problem offers them, against differences:
 *
 *     rhs_t = d/ds f(t + s, x, p)
 *     hvp   = d/ds of (df/dx)^T w and of (df/dp)^T w at (t, x, p) + s (tau, v, q)
 *
 * The products whose derivative hvp is have checks of their own, against rhs alone. */
#include <string.h>

#include "calls.h"
#include "products.h"

static const struct verify_check checks[] = {
    {.id = "products.rhs_t",
     .summary = "rhs_t gives df/dt as differences of rhs have it",
     .bound = "truncation and rounding of extrapolated central differences, estimated for each component",
     .explanation =
         "df/dt is formed by rhs_t and, from rhs alone, by central differences in t that are extrapolated to "
         "step 0, at the nominal point, at perturbed ones and on the solution. The state is held: a term "
         "that enters through x does not belong into df/dt. Asked of problems that offer rhs_t, and "
         "of those that are declared autonomous: their f must be the same at all times."},
    {.id = "products.hvp",
     .summary = "hvp gives the second derivatives as differences of vjp and vjp_p_batch have them",
     .bound = "truncation and rounding of extrapolated central differences, and rounding of hvp, for each "
              "component",
     .explanation =
         "For lanes with directions (tau, v, q) and vectors w of their own, hvp is compared with differences "
         "of (df/dx)^T w and (df/dp)^T w along the line (t, x, p) + s (tau, v, q), which have passed checks "
         "of their own. Parts of the direction that are NULL must count as 0, whichever they are, and MU "
         "that is NULL must change nothing else. The failure names the part: states, OUT, or parameters, MU; "
         "look at the mixed derivatives by x and p, and by t. Asked of problems that offer hvp."},
    {.id = NULL}};

enum { LANES = 3, SHAKES = 3, PAIRS = 16, PARTS_OF_INTERVAL = 16, OTHER_TIMES = 4 };

/* The step in t to begin with. */
static double time_step(const struct sens_problem *pb)
{
    return (pb->t1 - pb->t0) / PARTS_OF_INTERVAL;
}

static struct sens_at shaken_point(const struct subject *subject, const struct sens_at *at)
{
    return (struct sens_at){*verify_shaken(subject->v, 1, &at->t),
                            verify_shaken(subject->v, subject->pb->n, at->x),
                            verify_shaken(subject->v, subject->pb->np, at->p)};
}

struct lanes { /* of directions and vectors */
    double *t, *x, *p, *W;
};

/* The vectors as well: a sum whose terms cancel loses digits that are those of its terms. */
static struct lanes shaken_lanes(const struct subject *subject, const struct lanes *lanes)
{
    const size_t n = subject->pb->n * LANES, np = subject->pb->np * LANES;
    struct verify *v = subject->v;
    return (struct lanes){verify_shaken(v, LANES, lanes->t), verify_shaken(v, n, lanes->x),
                          verify_shaken(v, np, lanes->p), verify_shaken(v, n, lanes->W)};
}

static void raise_to(size_t count, const double *still, const double *moved, double *bound)
{
    for (size_t q = 0; q < count; q++)
        bound[q] = fmax(bound[q],
                        4 * fabs(moved[q] - still[q]) + 16 * DBL_EPSILON * fabs(still[q]) + UNDERFLOW_LOSS);
}

/* ---- df/dt --------------------------------------------------------------------------------------------- */

static void note_rhs_t(struct worst *worst, const struct subject *subject, const struct sens_at *at)
{
    const struct sens_problem *pb = subject->pb;
    struct verify *v = subject->v;
    const size_t n = pb->n;
    const double step = time_step(pb);
    double *got = verify_array(v, n), *moved = verify_array(v, n), *rounding = verify_array(v, n);
    double *slope = verify_array(v, n), *bound = verify_array(v, n);
    struct line line;
    line_create(subject, at, NULL, NULL, &line);
    line.dt = step;
    line_slope(&line, slope, bound);
    pb->type->rhs_t(pb, at, got);
    for (int k = 0; k < SHAKES; k++) {
        const struct sens_at near = shaken_point(subject, at);
        pb->type->rhs_t(pb, &near, moved);
        raise_to(n, got, moved, rounding);
    }
    for (size_t i = 0; i < n; i++)
        if (isfinite(bound[i]))
            worst_note(worst, fabs(got[i] - slope[i] / step), bound[i] / step + rounding[i],
                       "df_%zu/dt at t = %.4g", i, at->t);
}

/* A problem that calls itself autonomous: f is the same at other times, bit for bit. The ends may be whole periods
 * apart. */
static void note_still(struct worst *worst, const struct subject *subject, const struct sens_at *at)
{
    const struct sens_problem *pb = subject->pb;
    double *here = verify_array(subject->v, pb->n), *there = verify_array(subject->v, pb->n);
    const double first = at->t < (pb->t0 + pb->t1) / 2 ? pb->t1 : pb->t0;
    if (pb->type->rhs(pb, at, here) != SENS_OK) return;
    for (int k = 0; k < OTHER_TIMES; k++) {
        const double t = k == 0 ? first : verify_uniform(subject->v, pb->t0, pb->t1);
        if (pb->type->rhs(pb, &(struct sens_at){t, at->x, at->p}, there) != SENS_OK) continue;
        for (size_t i = 0; i < pb->n; i++)
            worst_note(worst, fabs(here[i] - there[i]), 0, "f_%zu at t = %.4g and %.4g, declared autonomous",
                       i, at->t, t);
    }
}

/* ---- second derivatives -------------------------------------------------------------------------------- */

static struct lanes lanes_create(const struct subject *subject, const struct sens_at *at)
{
    const size_t n = subject->pb->n, np = subject->pb->np;
    struct verify *v = subject->v;
    const struct lanes made = {verify_array(v, LANES), verify_array(v, n * LANES),
                               verify_array(v, np * LANES), verify_random(v, n * LANES)};
    for (size_t l = 0; l < LANES; l++) {
        const double *x = subject_direction(subject, n, at->x), *p = subject_direction(subject, np, at->p);
        made.t[l] = time_step(subject->pb) * verify_uniform(v, -1, 1);
        for (size_t i = 0; i < n; i++) made.x[i * LANES + l] = x[i];
        for (size_t k = 0; k < np; k++) made.p[k * LANES + l] = p[k];
    }
    return made;
}

/* OUT [n][LANES], and MU [np][LANES] behind it. */
static void apply(const struct subject *subject, const struct sens_at *at, const struct lanes *lanes,
                  double *result)
{
    const struct sens_problem *pb = subject->pb;
    const struct sens_direction along = {lanes->t, lanes->x, lanes->p};
    double *MU = result + pb->n * LANES;
    memset(MU, 0, pb->np * LANES * sizeof *MU);
    pb->type->hvp(pb, at, LANES, &along, lanes->W, result, MU);
}

static double *column(struct verify *v, size_t count, size_t l, const double *from)
{
    double *made = verify_array(v, count);
    for (size_t q = 0; q < count; q++) made[q] = from[q * LANES + l];
    return made;
}

static void note_lane(struct worst *worst, const struct subject *subject, const struct sens_at *at,
                      const struct lanes *lanes, size_t l, const double *got, const double *rounding)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n, np = subject->pb->np;
    double *slope = verify_array(v, n + np), *bound = verify_array(v, n + np);
    struct line line;
    line_create(subject, at, column(v, n, l, lanes->x), column(v, np, l, lanes->p), &line);
    line.dt = lanes->t[l];
    line.w = column(v, n, l, lanes->W);
    line_slope(&line, slope, bound);
    for (size_t q = 0; q < n + np; q++)
        if (isfinite(bound[q]))
            worst_note(worst, fabs(got[q * LANES + l] - slope[q]), bound[q] + rounding[q * LANES + l],
                       "%s_%zu, lane %zu at t = %.4g", q < n ? "OUT" : "MU", q < n ? q : q - n, l, at->t);
}

/* rounding [n + np][LANES] is raised to what shaken inputs show of `got`, OUT and then MU. */
static void raise_by_shakes(const struct subject *subject, const struct sens_at *at,
                            const struct lanes *lanes, const double *got, double *rounding)
{
    const size_t count = (subject->pb->n + subject->pb->np) * LANES;
    double *moved = verify_array(subject->v, count);
    for (int k = 0; k < SHAKES; k++) {
        const struct sens_at near = shaken_point(subject, at);
        const struct lanes beside = shaken_lanes(subject, lanes);
        apply(subject, &near, &beside, moved);
        raise_to(count, got, moved, rounding);
    }
}

/* And to what points beside do. */
static void raise_by_bend(const struct subject *subject, const struct sens_at *at, const struct lanes *lanes,
                          const double *got, double *rounding)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n, np = subject->pb->np, count = (n + np) * LANES;
    double *const more = verify_array(v, count), *const less = verify_array(v, count);
    for (int k = 0; k < PAIRS; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        const double *x[2], *p[2];
        verify_beside(v, n, at->x, x);
        verify_beside(v, np, at->p, p);
        apply(subject, &(struct sens_at){at->t, x[0], p[0]}, lanes, more);
        apply(subject, &(struct sens_at){at->t, x[1], p[1]}, lanes, less);
        for (size_t q = 0; q < count; q++)
            rounding[q] = fmax(rounding[q], 2 * fabs(more[q] + less[q] - 2 * got[q]));
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

enum { WITH_T = 1, WITH_X = 2, WITH_P = 4, WITH_ALL = 7 };

static bool within(size_t count, const double *got, const double *wanted, const double *rounding)
{
    for (size_t q = 0; q < count; q++)
        if (!(fabs(got[q] - wanted[q]) <= rounding[q])) return false;
    return true;
}

static void note_same(struct worst *worst, size_t count, const double *got, const double *wanted,
                      const double *rounding, const char *what, const struct sens_at *at)
{
    for (size_t q = 0; q < count; q++)
        worst_note(worst, got[q] == wanted[q] ? 0 : fabs(got[q] - wanted[q]), rounding[q], "%s at t = %.4g",
                   what, at->t);
}

/* Parts of the direction that are NULL are as if they were 0, and MU that is NULL changes nothing: but for
 * rounding, where other sums are formed then. */
static void note_without(struct worst *worst, const struct subject *subject, const struct sens_at *at,
                         const struct lanes *lanes, unsigned with)
{
    const struct sens_problem *pb = subject->pb;
    struct verify *v = subject->v;
    const size_t n = pb->n, np = pb->np, count = (n + np) * LANES;
    const struct sens_direction some = {with & WITH_T ? lanes->t : NULL, with & WITH_X ? lanes->x : NULL,
                                        with & WITH_P ? lanes->p : NULL};
    struct lanes zeroed = *lanes;
    double *zeros = verify_array(v, count), *rounding = verify_array(v, count);
    double *got = verify_array(v, count), *OUT = verify_array(v, n * LANES);
    char what[64];
    if (!some.t) zeroed.t = verify_array(v, LANES);
    if (!some.x) zeroed.x = verify_array(v, n * LANES);
    if (!some.p) zeroed.p = verify_array(v, np * LANES);
    apply(subject, at, &zeroed, zeros);
    raise_by_shakes(subject, at, &zeroed, zeros, rounding);
    pb->type->hvp(pb, at, LANES, &some, lanes->W, got, got + n * LANES);
    pb->type->hvp(pb, at, LANES, &some, lanes->W, OUT, NULL);
    if (!within(count, got, zeros, rounding) || !within(n * LANES, OUT, zeros, rounding))
        raise_by_bend(subject, at, &zeroed, zeros, rounding);
    snprintf(what, sizeof what, "without %s%s%s of the direction", some.t ? "" : "t", some.x ? "" : "x",
             some.p ? "" : "p");
    note_same(worst, count, got, zeros, rounding, what, at);
    note_same(worst, n * LANES, OUT, zeros, rounding, "OUT where MU is NULL,", at);
}

/* The values alone; `far`: what is not finite says nothing, as options may be as far as numbers go. */
static void note_values(struct worst *worst, const struct subject *subject, const struct sens_at *at,
                        const struct lanes *lanes, bool far)
{
    struct verify *v = subject->v;
    const size_t count = (subject->pb->n + subject->pb->np) * LANES;
    double *got = verify_array(v, count), *rounding = verify_array(v, count), sum = 0;
    apply(subject, at, lanes, got);
    raise_by_shakes(subject, at, lanes, got, rounding);
    for (size_t q = 0; q < count && far; q++) sum += fabs(got[q]) + rounding[q];
    for (size_t l = 0; l < LANES && isfinite(sum); l++)
        note_lane(worst, subject, at, lanes, l, got, rounding);
}

static void note_hvp(struct worst *worst, const struct subject *subject, const struct sens_at *at)
{
    const struct lanes lanes = lanes_create(subject, at);
    note_values(worst, subject, at, &lanes, false);
    for (unsigned with = 0; with < WITH_ALL; with++) note_without(worst, subject, at, &lanes, with);
}

/* Derived products have df/dt whatever the problem declares, and methods go by what it declares. */
static void note_time(struct worst *worst, const struct subject *subject, const struct sens_at *at)
{
    if (subject->pb->type->autonomous) note_still(worst, subject, at);
    if (call_applies(subject, CALL_RHS_T)) note_rhs_t(worst, subject, at);
}

static enum cause time_cause(const struct subject *subject, const struct sens_at *at)
{
    struct worst still = {.count = 0};
    if (subject->pb->type->autonomous) note_still(&still, subject, at);
    return still.count > 0 && !worst_passes(&still) ? CAUSE_not_autonomous : CAUSE_time_derivative;
}

enum cause second_note(struct worst *worst, const struct subject *subject, const struct sens_at *at)
{
    note_time(worst, subject, at);
    if (!worst_passes(worst)) return time_cause(subject, at);
    if (!call_applies(subject, CALL_HVP)) return CAUSE_second_derivative;
    const struct lanes lanes = lanes_create(subject, at);
    note_values(worst, subject, at, &lanes, true);
    return CAUSE_second_derivative;
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void check(const struct subject *subject, const char *id, enum cause cause,
                  void (*note)(struct worst *worst, const struct subject *subject, const struct sens_at *at))
{
    struct worst worst = {.count = 0};
    const struct points points = points_create(subject);
    for (int k = 0; k < points.count; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        note(&worst, subject, &points.at[k]);
        sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
    struct verify_result result = subject_open(subject, id);
    verify_judge(&result, &worst);
    if (result.verdict == VERIFY_FAIL) verify_blame(&result, cause, 0.9);
    verify_close(subject->v, &result);
}

static void look(struct subject *subject)
{
    const struct sens_at at = subject_point(subject, 0);
    if (call_applies(subject, CALL_RHS_T) || subject->pb->type->autonomous)
        check(subject, "products.rhs_t", time_cause(subject, &at), note_time);
    else
        subject_skip(subject, "products.rhs_t", "no df/dt is offered");
    if (call_applies(subject, CALL_HVP))
        check(subject, "products.hvp", CAUSE_second_derivative, note_hvp);
    else
        subject_skip(subject, "products.hvp", "no second derivatives are offered");
}

/* Sizes past a vector's and a tile's length, with a rest for each; the bumps of a provider take their time. */
static void run(struct verify *v)
{
    subject_each(v, checks, look);
    if (v->provider || !v->problem->hvp) return;
    subject_with_size(v, v->seed ? (size_t)verify_integer(v, 34, 64) : 37, look);
    if (!v->quick) subject_with_size(v, (size_t)verify_integer(v, 65, 150), look);
}

const struct verify_group verify_second = {
    .name = "second", .kind = VERIFY_PROBLEM, .checks = checks, .run = run, .wraps = true};
