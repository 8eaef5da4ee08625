/* Steps along a profile, and its crossing with the limit, see profile.h. */
#include "profile.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

enum { SHORTER_MOST = 8, CROSSING_STEPS = 40 };
static const double first_step = 0.1;    /* of the parameter, where its standard deviation is unknown */
static const double longer_below = 0.1;  /* of L: a smaller rise makes the next step longer */
static const double shorter_above = 1.5; /* of L: a larger one makes this step shorter */
static const double crossing_to = 1e-7;  /* of L */
static const double farthest =
    3; /* a step in logarithms goes so many times as far, and else to twice or half */
static const double least_step = 1e-6; /* of the parameter, on the way to 0 */
static const double apart_from = 1e-3; /* of L: below it two values of chi2 are of one minimum */

double profile_limit(const struct fit_model *model, double chi2, size_t determined)
{
    const double dof = fit_model_freedom(model, determined);
    if (model->sigma_known) return gsl_cdf_chisq_Pinv(model->level, 1);
    return fit_model_variance(model, chi2, determined) * gsl_cdf_fdist_Pinv(model->level, 1, dof);
}

struct walk {
    struct sens_ctx *ctx;
    struct fit_model *model;
    size_t k;
    double chi2, limit;
    const double *from;        /* [count] where the fit began */
    double *other;             /* [count] scratch */
    double round_zero;         /* how far a step may go there */
    double *q, *last, *before; /* [count] the point looked at, the last one kept, and the one before that */
};

/* The minimum at q_k = c from the last one, or from the line through the last two: parameters that only count together
 * are on it, and a parameter that is moved alone would leave the solution far behind. */
static sens_status minimise_from(struct walk *walk, double c, bool line, struct minimum *found)
{
    const size_t k = walk->k;
    const double *const last = walk->last, *const before = walk->before;
    const double along = line ? (c - last[k]) / (last[k] - before[k]) : 0;
    for (size_t j = 0; j < walk->model->count; j++) walk->q[j] = last[j] + along * (last[j] - before[j]);
    walk->q[k] = c;
    return minimise(walk->ctx, walk->model, k, walk->q, found);
}

/* A parameter without an effect stays where it is, also where it would be of use elsewhere: once more with those from
 * where the fit began, and the better one counts. */
static sens_status wake(struct walk *walk, struct minimum *found)
{
    struct fit_model *const model = walk->model;
    struct minimum again;
    bool moved = false;
    memcpy(walk->other, walk->q, model->count * sizeof *walk->q);
    for (size_t j = 0; j < model->count; j++) {
        if (j == walk->k || walk->q[j] == walk->from[j] || !fit_model_silent(model, j)) continue;
        walk->other[j] = walk->from[j];
        moved = true;
    }
    if (!moved) return SENS_OK;
    const sens_status status = minimise(walk->ctx, model, walk->k, walk->other, &again);
    if (status == SENS_NO_MEMORY) return status;
    if (status != SENS_OK || again.chi2 >= found->chi2) return fit_model_at(walk->ctx, model, walk->q);
    memcpy(walk->q, walk->other, model->count * sizeof *walk->q);
    *found = again;
    return SENS_OK;
}

/* PL at q_k = c. */
static sens_status look(struct walk *walk, double c, struct profile_point *point)
{
    struct minimum found;
    const struct fit_model *const model = walk->model;
    const bool line = walk->before[walk->k] != walk->last[walk->k];
    sens_status status = minimise_from(walk, c, line, &found);
    if (line && status != SENS_OK && status != SENS_NO_MEMORY) status = minimise_from(walk, c, false, &found);
    if (status == SENS_OK && found.chi2 - walk->chi2 > walk->limit) status = wake(walk, &found);
    if (status != SENS_OK) return status;
    *point = (struct profile_point){.q = c, .rise = found.chi2 - found.decrement - walk->chi2};
    for (size_t e = 0; e < model->measurements; e++)
        point->slope += 2 * (double)model->r[e] * fit_model_slope(model, e, walk->k);
    return SENS_OK;
}

static void keep(struct walk *walk, const struct profile_point *point, struct profile_side *side)
{
    double *const oldest = walk->before;
    walk->before = walk->last;
    walk->last = memcpy(oldest, walk->q, walk->model->count * sizeof *walk->q);
    side->point[side->count++] = *point;
}

/* sqrt(PL) = sqrt(L) between a kept point and one beyond L: Newton's steps, which are exact on a parabola, or the
 * middle where they leave the bracket. */
static sens_status cross(struct walk *walk, struct profile_point beyond, double inside,
                         struct profile_side *side)
{
    const double limit = walk->limit;
    double outside = beyond.q;
    for (int i = 0; i < CROSSING_STEPS && fabs(beyond.rise - limit) > crossing_to * limit; i++) {
        const double root = sqrt(fmax(beyond.rise, 0));
        double next = beyond.q - (root - sqrt(limit)) * 2 * root / beyond.slope;
        if (!(next > fmin(inside, outside) && next < fmax(inside, outside))) next = (inside + outside) / 2;
        const sens_status status = look(walk, next, &beyond);
        if (status == SENS_NO_MEMORY) return status;
        if (status != SENS_OK) { /* between two that came to an end */
            side->end = PROFILE_FAILED, side->status = status;
            return SENS_OK;
        }
        *(beyond.rise > limit ? &outside : &inside) = next;
    }
    if (fabs(beyond.rise - limit) > apart_from * limit) { /* a jump: the fit is caught in another minimum */
        side->end = PROFILE_FAILED, side->status = SENS_NOT_CONVERGED;
        return SENS_OK;
    }
    side->end = PROFILE_CROSSED;
    side->bound = beyond.q;
    if (side->count < PROFILE_POINTS) keep(walk, &beyond, side);
    return SENS_OK;
}

static sens_status better(struct sens_ctx *ctx, const struct walk *walk, const struct profile_point *point)
{
    return sens_fail(ctx, SENS_NOT_CONVERGED,
                     "the fit is not the best one: the profile of %s finds a chi2 that is smaller by %.3g at "
                     "%.6g; start there: params=FILE",
                     fit_model_name(walk->model, walk->k), -point->rise,
                     fit_model_parameter(walk->model, point->q));
}

/* The coordinate where the range ends, which is one round where the fit began, too: a parameter that ran off from there
 * may be bounded where nothing is to be seen any more from its end. */
static double far_end(const struct walk *walk, double sd, int sign)
{
    const double q = walk->last[walk->k], from = walk->from[walk->k], range = walk->model->range;
    const double outer = sign < 0 ? fmin(q, from) : fmax(q, from);
    if (walk->model->log) return outer + sign * log(range);
    const double unit = fmax(fmax(fabs(q), fabs(from)), isfinite(sd) ? sd : 0);
    return outer + sign * range * (unit > 0 ? unit : 1);
}

static double initial_step(const struct fit_model *model, double q, double sd)
{
    if (isfinite(sd) && sd > 0) return sd / 2;
    return model->log || q == 0 ? first_step : first_step * fabs(q);
}

/* Nothing is known of what lies within a step: none leaves out more than a factor of the parameter, but round 0. */
static double longest_step(const struct walk *walk, double at, int sign)
{
    if (walk->model->log) return log(farthest);
    return fmax(sign * at < 0 ? fabs(at) / 2 : fabs(at), walk->round_zero);
}

/* Beyond the limit, and falling: it was higher in between. */
static bool is_past_a_summit(const struct walk *walk, const struct profile_point *point, double step,
                             int sign)
{
    return point->rise > walk->limit && sign * point->slope * step < -apart_from * walk->limit;
}

static sens_status steps(struct walk *walk, double at, double step, double end, struct profile_side *side)
{
    const int sign = end < at ? -1 : 1;
    double rise = 0;
    for (int shorter = 0; side->count < PROFILE_POINTS && at != end;) {
        struct profile_point point;
        step = fmin(step, longest_step(walk, at, sign));
        const double next = sign * (at + sign * step - end) >= 0 ? end : at + sign * step;
        const sens_status status = look(walk, next, &point);
        if (status == SENS_NO_MEMORY) return status;
        if (status == SENS_OK && point.rise < -apart_from * walk->limit)
            return better(walk->ctx, walk, &point);
        const bool failed = status != SENS_OK;
        if ((failed || point.rise > walk->limit * shorter_above ||
             is_past_a_summit(walk, &point, step, sign)) &&
            ++shorter <= SHORTER_MOST) {
            step = fabs(next - at) / 4;
            continue;
        }
        if (failed) {
            side->end = PROFILE_FAILED, side->status = status;
            return SENS_OK;
        }
        if (point.rise > walk->limit) return cross(walk, point, at, side);
        keep(walk, &point, side);
        if (point.rise - rise < longer_below * walk->limit) step *= 2;
        at = next, rise = point.rise;
    }
    side->end = at == end ? PROFILE_OPEN : PROFILE_FAILED;
    side->status = SENS_STEP_LIMIT;
    return SENS_OK;
}

sens_status profile_walk(struct sens_ctx *ctx, struct fit_model *model, size_t k,
                         const struct profile_start *start, int sign, struct profile_side *side)
{
    struct walk walk = {.ctx = ctx,
                        .model = model,
                        .k = k,
                        .chi2 = start->chi2,
                        .limit = start->limit,
                        .from = start->from,
                        .other = SENS_NEW(ctx, double, model->count),
                        .q = SENS_NEW(ctx, double, model->count),
                        .last = SENS_NEW(ctx, double, model->count),
                        .before = SENS_NEW(ctx, double, model->count)};
    *side = (struct profile_side){.count = 0};
    if (!walk.other || !walk.q || !walk.last || !walk.before) return SENS_NO_MEMORY;
    memcpy(walk.last, start->q, model->count * sizeof *walk.last);
    memcpy(walk.before, start->q, model->count * sizeof *walk.before);
    const double at = start->q[k], first = initial_step(model, at, start->step);
    walk.round_zero = fmax(fabs(at), fabs(start->from[k])) * least_step;
    if (walk.round_zero == 0) walk.round_zero = first;
    return steps(&walk, at, first, far_end(&walk, start->step, sign), side);
}
