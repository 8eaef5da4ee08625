/* Places of a problem looked at roughly, and the worst of them closely; see along.h. */
#include "along.h"

#include <float.h>
#include <string.h>

enum { LANES = 3 };
static const double BUMP = 1e-5, NEAR = 0x1p-30;
/* What is thought of as different at first sight: a difference quotient, a transposed product. */
static const double SLOPE_DIFFERS = 1e-5, TRANSPOSE_DIFFERS = 1e-9;

struct walk walk_create(const struct subject *subject)
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
    for (int k = 0; k < WALK_WORST; k++) {
        walk.slope[k].at = (struct sens_at){0, verify_array(v, n), verify_array(v, np)};
        walk.transpose[k].at = (struct sens_at){0, verify_array(v, n), verify_array(v, np)};
    }
    return walk;
}

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
    for (int k = 1; k < WALK_WORST; k++)
        if (worst[k].ratio < worst[least].ratio) least = k;
    if (!(ratio > fmax(worst[least].ratio, 1))) return;
    worst[least].ratio = ratio;
    worst[least].at.t = walk->at.t;
    memcpy((double *)worst[least].at.x, walk->at.x, pb->n * sizeof *walk->at.x);
    memcpy((double *)worst[least].at.p, walk->at.p, pb->np * sizeof *walk->at.p);
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
        const double ratio = fabs(D - P) / (SLOPE_DIFFERS * (fabs(D) + fabs(P)) + noise + UNDERFLOW_LOSS);
        if (walk->far && !isfinite(P)) return 0;
        if (isfinite(D)) most = isfinite(ratio) ? fmax(most, ratio) : INFINITY;
    }
    return most;
}

/* w (J dx + F dp) against (J^T w) dx + (F^T w) dp. */
static double transpose_ratio(struct walk *walk)
{
    const struct sens_problem *pb = walk->subject->pb;
    double difference = 0, size = UNDERFLOW_LOSS;
    for (size_t i = 0; i < pb->n; i++) {
        difference += walk->w[i] * walk->P[i] - walk->JTw[i] * walk->dx[i];
        size += fabs(walk->w[i] * walk->P[i]) + fabs(walk->JTw[i] * walk->dx[i]);
    }
    for (size_t k = 0; k < pb->np; k++) {
        difference -= walk->FTw[k] * walk->dp[k];
        size += fabs(walk->FTw[k] * walk->dp[k]);
    }
    const double ratio = fabs(difference) / (TRANSPOSE_DIFFERS * size);
    if (walk->far && !isfinite(difference)) return 0;
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

void walk_visit(struct walk *walk)
{
    const struct subject *subject = walk->subject;
    const struct sens_problem *pb = subject->pb;
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    walk->dx = subject_direction(subject, pb->n, walk->at.x);
    walk->dp = subject_direction(subject, pb->np, walk->at.p);
    walk->w = verify_random(subject->v, pb->n);
    if (call_again(walk)) {
        walk->visited++;
        multiply(walk);
        look_for_stairs(walk);
        keep(walk, walk->slope, slope_ratio(walk));
        keep(walk, walk->transpose, transpose_ratio(walk));
    }
    sens_arena_rewind(&subject->v->ctx.arena, mark);
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

/* Is it wrong beside the place as well? Where a singularity is nearer than any step of the differences they tell
 * nothing, and a thousandth away it is not so near. */
static bool is_wrong_beside(const struct subject *subject, const struct sens_at *at)
{
    static const double ASIDE = 1e-3;
    const struct sens_problem *pb = subject->pb;
    for (int k = 0; k < 2; k++) {
        const struct sens_at beside = {at->t, verify_perturbed(subject->v, pb->n, at->x, ASIDE),
                                       verify_perturbed(subject->v, pb->np, at->p, ASIDE)};
        if (subject_usable(subject, &beside) && reach_right_at(subject, &beside)) return false;
    }
    return true;
}

void walk_judge_products(const struct walk *walk, struct verify_result *result)
{
    const struct subject *subject = walk->subject;
    const struct reach_bases bases = {1, {subject->pb->x0}};
    struct worst worst = {.count = 0};
    bool blamed = false;
    for (int k = 0; k < 2 * WALK_WORST; k++) {
        const struct place *place = k < WALK_WORST ? &walk->slope[k] : &walk->transpose[k - WALK_WORST];
        struct worst here = {.count = 0}, lanes = {.count = 0};
        if (place->ratio == 0 || !subject_usable(subject, &place->at)) continue;
        note_lanes(&lanes, subject, &place->at);
        reach_note_place(&here, subject, &place->at);
        if (walk->far && !worst_passes(&here) && !is_wrong_beside(subject, &place->at)) continue;
        if (!worst_passes(&lanes)) {
            worst_note(&worst, lanes.value, lanes.bound, "t = %.6g: %s", place->at.t, lanes.where);
            verify_blame(result, CAUSE_lane_mixed, 0.9);
            verify_blame(result, CAUSE_branch, 0.8);
        }
        if (here.count) worst_note(&worst, here.value, here.bound, "t = %.6g: %s", place->at.t, here.where);
        if (blamed || worst_passes(&here)) continue;
        reach_blame_place(subject, &bases, &place->at, false, result);
        blamed = true;
    }
    if (walk->visited == 0) {
        verify_skip(result,
                    walk->far ? "rhs has values at none of the places drawn"
                              : "explicit steps do not follow its solution: %s",
                    sens_status_name(walk->status));
        return;
    }
    if (worst.count == 0) worst_note(&worst, 0, 0, "nothing differs at first sight");
    verify_judge(result, &worst);
}
