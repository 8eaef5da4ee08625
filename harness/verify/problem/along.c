/* A problem along its solution: at many places, closely one after the other, so that what holds nearly
 * everywhere is found where it does not.
 *
 * The harness's own steps lead from t0 to t1. At each place the products are compared with one central
 * difference along one direction, and with one another: a few calls, and a rough idea of what differs. The
 * places that differ most are then looked at as in reach.places, with measured bounds; nothing is judged by
 * the rough comparison. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "reach.h"
#include "scene.h"

enum { QUICK_PLACES = 1000, PLACES = 10000, MOST_STEPS = 20000, WORST = 3, LANES = 3 };
static const double TOL = 1e-6, BUMP = 1e-5, NEAR = 0x1p-30;
/* What is thought of as different at first sight: a difference quotient, a transposed product. */
static const double SLOPE_DIFFERS = 1e-5, TRANSPOSE_DIFFERS = 1e-9;

struct place { /* kept to be looked at */
    double ratio;
    struct sens_at at;
};

struct walk {
    const struct subject *subject;
    struct sens_at at;                       /* the place at hand */
    double *f, *near, *again, *plus, *minus; /* [n] slopes there, beside it, and there once more */
    double *x, *p;                           /* [n], [np] beside */
    const double *dx, *dp, *w;               /* directions, a cotangent */
    double *Jdx, *P, *JTw, *FTw;             /* [n], [n] J dx + F dp, [n], [np] */
    struct place slope[WORST], transpose[WORST];
    struct worst pure;
    long *flat, *sloped; /* [n] places at which f does not move, though J says so; of how many */
    sens_status status;
    double end;   /* where the walk ended */
    double *last; /* [n] the state there */
};

/* ---- one place ----------------------------------------------------------------------------------------- */

static void beside(struct walk *walk, double amount)
{
    const struct sens_problem *pb = walk->subject->pb;
    for (size_t i = 0; i < pb->n; i++) walk->x[i] = walk->at.x[i] + amount * walk->dx[i];
    for (size_t k = 0; k < pb->np; k++) walk->p[k] = walk->at.p[k] + amount * walk->dp[k];
}

static bool slope_beside(struct walk *walk, double amount, double *f)
{
    const struct sens_problem *pb = walk->subject->pb;
    beside(walk, amount);
    return pb->type->rhs(pb, &(struct sens_at){walk->at.t, walk->x, walk->p}, f) == SENS_OK;
}

static void keep(struct walk *walk, struct place *worst, double ratio)
{
    const struct sens_problem *pb = walk->subject->pb;
    int least = 0;
    for (int k = 1; k < WORST; k++)
        if (worst[k].ratio < worst[least].ratio) least = k;
    if (!(ratio > fmax(worst[least].ratio, 1))) return;
    worst[least].ratio = ratio;
    worst[least].at.t = walk->at.t;
    memcpy((double *)worst[least].at.x, walk->at.x, pb->n * sizeof *walk->at.x);
}

/* Does f stay as it is, to the last bit, where J says that it moves by many roundings? */
static void look_for_stairs(struct walk *walk)
{
    for (size_t i = 0; i < walk->subject->pb->n; i++) {
        if (!(fabs(NEAR * walk->P[i]) > 256 * DBL_EPSILON * fabs(walk->f[i]))) continue;
        walk->sloped[i]++;
        walk->flat[i] += walk->near[i] == walk->f[i];
    }
}

/* J dx + F dp against a central difference: the largest part of what would be different. */
static double slope_ratio(struct walk *walk)
{
    double most = 0;
    if (!slope_beside(walk, BUMP, walk->plus) || !slope_beside(walk, -BUMP, walk->minus)) return 0;
    for (size_t i = 0; i < walk->subject->pb->n; i++) {
        const double D = (walk->plus[i] - walk->minus[i]) / (2 * BUMP), P = walk->P[i];
        const double noise = 64 * DBL_EPSILON * (fabs(walk->plus[i]) + fabs(walk->minus[i])) / BUMP;
        const double ratio = fabs(D - P) / (SLOPE_DIFFERS * (fabs(D) + fabs(P)) + noise + DBL_MIN);
        if (isfinite(D)) most = isfinite(ratio) ? fmax(most, ratio) : INFINITY;
    }
    return most;
}

/* w (J dx + F dp) against (J^T w) dx + (F^T w) dp. */
static double transpose_ratio(struct walk *walk)
{
    const struct sens_problem *pb = walk->subject->pb;
    double difference = 0, size = DBL_MIN;
    for (size_t i = 0; i < pb->n; i++) {
        difference += walk->w[i] * walk->P[i] - walk->JTw[i] * walk->dx[i];
        size += fabs(walk->w[i] * walk->P[i]) + fabs(walk->JTw[i] * walk->dx[i]);
    }
    for (size_t k = 0; k < pb->np; k++) {
        difference -= walk->FTw[k] * walk->dp[k];
        size += fabs(walk->FTw[k] * walk->dp[k]);
    }
    const double ratio = fabs(difference) / (TRANSPOSE_DIFFERS * size);
    return isfinite(ratio) ? ratio : INFINITY;
}

/* The product of a vector in the last of LANES lanes, all of which hold it: what is done for one lane alone
 * is compared with what is done for several. */
static void apply_in_lanes(const struct linear *map, const double *from, double *to)
{
    struct verify *v = map->v;
    double *V = verify_array(v, map->in * LANES), *OUT = verify_array(v, map->out * LANES);
    for (size_t q = 0; q < map->in * LANES; q++) V[q] = from[q / LANES];
    linear_apply(map, LANES, V, OUT);
    for (size_t i = 0; i < map->out; i++) to[i] = OUT[i * LANES + LANES - 1];
}

static void multiply(struct walk *walk)
{
    const struct subject *subject = walk->subject;
    const struct sens_problem *pb = subject->pb;
    const struct linear jvp = linear_at(subject, PRODUCT_JVP, &walk->at),
                        vjp = linear_at(subject, PRODUCT_VJP, &walk->at),
                        jvp_p = linear_at(subject, PRODUCT_JVP_P, &walk->at),
                        vjp_p = linear_at(subject, PRODUCT_VJP_P, &walk->at);
    linear_apply(&jvp, 1, walk->dx, walk->Jdx);
    apply_in_lanes(&vjp, walk->w, walk->JTw);
    memset(walk->P, 0, pb->n * sizeof *walk->P);
    if (pb->np) linear_apply(&jvp_p, 1, walk->dp, walk->P);
    if (pb->np) apply_in_lanes(&vjp_p, walk->w, walk->FTw);
    for (size_t i = 0; i < pb->n; i++) walk->P[i] += walk->Jdx[i];
}

/* f there, beside it, and there again: what was called before makes no difference. */
static bool call_again(struct walk *walk)
{
    const struct sens_problem *pb = walk->subject->pb;
    if (pb->type->rhs(pb, &walk->at, walk->f) != SENS_OK || !slope_beside(walk, NEAR, walk->near) ||
        pb->type->rhs(pb, &walk->at, walk->again) != SENS_OK)
        return false;
    for (size_t i = 0; i < pb->n; i++)
        worst_note(&walk->pure, same_numbers(1, &walk->f[i], &walk->again[i]) ? 0 : 1, 0,
                   "t = %.6g, component %zu: %.17g, and after a call beside it %.17g", walk->at.t, i,
                   walk->f[i], walk->again[i]);
    return true;
}

static void visit(struct walk *walk)
{
    const struct subject *subject = walk->subject;
    const struct sens_problem *pb = subject->pb;
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    walk->dx = subject_direction(subject, pb->n, walk->at.x);
    walk->dp = subject_direction(subject, pb->np, walk->at.p);
    walk->w = verify_random(subject->v, pb->n);
    if (call_again(walk)) {
        multiply(walk);
        look_for_stairs(walk);
        keep(walk, walk->slope, slope_ratio(walk));
        keep(walk, walk->transpose, transpose_ratio(walk));
    }
    sens_arena_rewind(&subject->v->ctx.arena, mark);
}

/* ---- from t0 to t1 ------------------------------------------------------------------------------------- */

/* Visits the places up to the end of step k, from its beginning x. */
static int visit_step(struct walk *walk, const struct sens_tableau *tb, const struct grid *grid, long k,
                      const double *x, struct rk_step *step, int place, int places)
{
    const struct subject *subject = walk->subject;
    const struct sens_problem *pb = subject->pb;
    for (; place < places; place++) {
        const double t = pb->t0 + (walk->end - pb->t0) * (place + 0.5) / places;
        if (t >= grid->t1[k]) break;
        if (rk_step(pb, tb, grid->t[k], t - grid->t[k], x, step) != SENS_OK) continue;
        walk->at = (struct sens_at){t, step->x1, pb->p};
        visit(walk);
    }
    return place;
}

static void follow(struct walk *walk, const struct sens_tableau *tb, const struct grid *grid)
{
    const struct subject *subject = walk->subject;
    const struct sens_problem *pb = subject->pb;
    const int places = subject->v->quick ? QUICK_PLACES : PLACES;
    struct rk_step step = rk_step_create(subject->v, tb, pb->n);
    double *const x = walk->last;
    sens_problem_x0(pb, pb->p, x);
    int place = 0;
    for (long k = 0; k < grid->steps; k++) {
        place = visit_step(walk, tb, grid, k, x, &step, place, places);
        if (rk_step(pb, tb, grid->t[k], grid->h[k], x, &step) != SENS_OK) return;
        memcpy(x, step.x1, pb->n * sizeof *x);
    }
}

static struct walk walk_create(const struct subject *subject)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n, np = subject->pb->np;
    struct walk walk = {.subject = subject, .end = subject->pb->t0};
    double **const of_n[] = {&walk.f, &walk.near, &walk.again, &walk.plus, &walk.minus,
                             &walk.x, &walk.Jdx,  &walk.P,     &walk.JTw,  &walk.last};
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++) *of_n[k] = verify_array(v, n);
    walk.p = verify_array(v, np), walk.FTw = verify_array(v, np);
    walk.flat = verify_memory(v, n, sizeof *walk.flat),
    walk.sloped = verify_memory(v, n, sizeof *walk.sloped);
    for (int k = 0; k < WORST; k++)
        walk.slope[k].at = walk.transpose[k].at = (struct sens_at){subject->pb->t0, NULL, subject->pb->p};
    for (int k = 0; k < WORST; k++)
        walk.slope[k].at.x = verify_array(v, n), walk.transpose[k].at.x = verify_array(v, n);
    return walk;
}

static void take(struct walk *walk)
{
    const struct subject *subject = walk->subject;
    const struct sens_tableau *tb = verify_formula(subject->v, "cash_karp");
    const struct sens_cost none = {.n_obs = 0};
    struct grid grid = {.steps = 0};
    walk->status = SENS_UNAVAILABLE;
    if (!tb) return;
    walk->status = oracle_steps(subject->v, subject->pb, &none, tb, TOL, MOST_STEPS, &grid);
    if (grid.steps > 0) walk->end = grid.t1[grid.steps - 1];
    if (grid.steps >= MOST_STEPS) walk->status = SENS_UNSUPPORTED; /* stiff: no fault of rhs */
    follow(walk, tb, &grid);
    grid_free(&grid);
}

/* ---- lanes ----------------------------------------------------------------------------------------------- */

/* One vector in several lanes gives what it gives alone. */
static void note_lanes(struct worst *worst, const struct subject *subject, const struct sens_at *at)
{
    static const enum product product[] = {PRODUCT_JVP, PRODUCT_VJP, PRODUCT_VJP_P};
    struct verify *v = subject->v;
    for (size_t k = 0; k < (subject->pb->np ? 3 : 2); k++) {
        const struct linear map = linear_at(subject, product[k], at);
        const double *V = verify_random(v, map.in);
        double *one = verify_array(v, map.out), *several = verify_array(v, map.out);
        double *most = verify_array(v, map.in);
        for (size_t q = 0; q < map.in; q++) most[q] = fabs(V[q]);
        linear_apply(&map, 1, V, one);
        apply_in_lanes(&map, V, several);
        const double *bound = linear_rounding(&map, most);
        for (size_t i = 0; i < map.out; i++)
            worst_note(worst, fabs(several[i] - one[i]), bound[i], "%s in %d lanes and in one, entry %zu",
                       linear_name(map.product), LANES, i);
    }
}

/* ---- judgement ----------------------------------------------------------------------------------------- */

/* Of states that are not about to be infinite: has rhs no value there, nor a little later? */
static bool has_no_values(const struct walk *walk)
{
    static const double LATER = 1e-7, LARGE = 1e6;
    const struct sens_problem *pb = walk->subject->pb;
    double size = 0, first = 0;
    for (size_t i = 0; i < pb->n; i++)
        size = fmax(size, fabs(walk->last[i])), first = fmax(first, fabs(pb->x0[i]));
    const struct sens_at here = {walk->end, walk->last, pb->p},
                         later = {walk->end + LATER * (pb->t1 - pb->t0), walk->last, pb->p};
    if (!(size <= LARGE * (1 + first))) return false;
    return !subject_usable(walk->subject, &here) || !subject_usable(walk->subject, &later);
}

static void judge_values(const struct walk *walk)
{
    const struct subject *subject = walk->subject;
    struct verify_result result = subject_open(subject, "along.values");
    const bool fatal = sens_fatal(walk->status) && walk->status != SENS_STEP_LIMIT &&
                       walk->status != SENS_UNSUPPORTED && walk->status != SENS_UNAVAILABLE &&
                       walk->status != SENS_NO_MEMORY;
    if (walk->status == SENS_OK)
        result.verdict = VERIFY_PASS;
    else if (fatal)
        verify_fail(&result, "rhs ends the solution with %s behind t = %.10g, where it is to go to %.10g",
                    sens_status_name(walk->status), walk->end, subject->pb->t1);
    else if (walk->status == SENS_STEP_LIMIT && has_no_values(walk))
        verify_fail(&result, "rhs has no values behind t = %.10g, and the solution is to go to %.10g",
                    walk->end, subject->pb->t1);
    else
        verify_skip(&result, "followed to t = %.6g alone, of %.6g: explicit steps end there", walk->end,
                    subject->pb->t1);
    verify_blame(&result, CAUSE_no_values, 1);
    verify_close(subject->v, &result);
}

static void judge_products(const struct walk *walk)
{
    const struct subject *subject = walk->subject;
    const struct reach_bases bases = {1, {subject->pb->x0}};
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(subject, "along.products");
    bool blamed = false;
    for (int k = 0; k < 2 * WORST; k++) {
        const struct place *place = k < WORST ? &walk->slope[k] : &walk->transpose[k - WORST];
        struct worst here = {.count = 0}, lanes = {.count = 0};
        if (place->ratio == 0 || !subject_usable(subject, &place->at)) continue;
        note_lanes(&lanes, subject, &place->at);
        reach_note_place(&here, subject, &place->at);
        if (!worst_passes(&lanes)) {
            worst_note(&worst, lanes.value, lanes.bound, "t = %.6g: %s", place->at.t, lanes.where);
            verify_blame(&result, CAUSE_lane_mixed, 0.9);
            verify_blame(&result, CAUSE_branch, 0.8);
        }
        if (here.count) worst_note(&worst, here.value, here.bound, "t = %.6g: %s", place->at.t, here.where);
        if (blamed || worst_passes(&here)) continue;
        reach_blame_place(subject, &bases, &place->at, false, &result);
        blamed = true;
    }
    if (worst.count == 0) worst_note(&worst, 0, 0, "nothing differs at first sight");
    verify_judge(&result, &worst);
    verify_close(subject->v, &result);
}

static void judge_calls(struct walk *walk)
{
    enum { SEVERAL = 20 };
    const struct subject *subject = walk->subject;
    struct verify_result result = subject_open(subject, "along.rhs");
    const bool pure = worst_passes(&walk->pure);
    verify_judge(&result, &walk->pure);
    if (!pure) verify_blame(&result, CAUSE_impure, 1);
    for (size_t i = 0; i < subject->pb->n; i++) {
        if (walk->sloped[i] < SEVERAL || 10 * walk->flat[i] < 9 * walk->sloped[i]) continue;
        verify_fail(
            &result,
            "component %zu of f stays the same, to the last bit, at %ld of %ld places where a step of 1e-10 "
            "has to move it",
            i, walk->flat[i], walk->sloped[i]);
        verify_blame(&result, CAUSE_single_precision, 1);
    }
    verify_close(subject->v, &result);
}

static void look(struct subject *subject)
{
    struct walk walk = walk_create(subject);
    take(&walk);
    judge_values(&walk);
    judge_calls(&walk);
    judge_products(&walk);
}

static const struct verify_check checks[] = {
    {.id = "along.values",
     .summary = "rhs has values wherever the solution goes, from t0 to t1",
     .bound = "none: it is so or not",
     .explanation =
         "The harness's own steps follow the solution. A failure is a right-hand side that ends it with a "
         "status, or that is no number behind some time although the state is not about to be infinite: no "
         "method can solve the problem, and none is to blame. A stiff problem, for which 20,000 explicit "
         "steps do not do, is followed as far as they go."},
    {.id = "along.rhs",
     .summary = "rhs gives the same bits whatever was called before, and moves with the state",
     .bound = "none: equal bits",
     .explanation =
         "At 1,000 places of the solution (10,000 in a full run) rhs is called, then a step of 1e-10 beside "
         "it, "
         "then there again: the first and the last must agree bit for bit. A failure is a number that is "
         "kept "
         "between calls, and taken for that of a point that is near. Where the Jacobian says that a "
         "component moves by many roundings along that step and it does not at nine places of ten, it is "
         "computed in single precision, or from large numbers that cancel."},
    {.id = "along.products",
     .summary = "the products agree with rhs at many places of the solution, close to one another",
     .bound = "as reach.places",
     .explanation =
         "At 1,000 places of the solution (10,000 in a full run) J v + f_p u is compared with one central "
         "difference, and with the transposed products, roughly. The places that differ most are then "
         "looked at as in reach.places, and these are judged. A failure is a derivative that is wrong in a "
         "narrow band of states or a narrow window of time, which a solve passes through: look at what is "
         "done there with an if, or at the entries of a table.",
     .level = VERIFY_TO_ROUNDING},
    {.id = NULL}};

static void run(struct verify *v)
{
    subject_each(v, checks, look);
}

const struct verify_group verify_along = {
    .name = "along", .kind = VERIFY_PROBLEM, .checks = checks, .run = run};
