/* A scheme that takes each step by one of two formulas, an explicit and a diagonally implicit one, and says of each
 * accepted step by which (scheme.h, `part`): what is differentiated is what was done.
 *
 * Explicit to implicit (Hairer & Wanner, Solving ODEs II, IV.2): the last two stages are both at the end of the step,
 *
 *     h |lambda| ~ h |K_s - K_{s-1}| / |Y_s - Y_{s-1}|
 *
 * estimates the dominant eigenvalue of df/dx without an evaluation of f. An explicit formula on a stiff problem takes
 * steps at its boundary of stability, on the negative real axis 3.31 for Dormand and Prince's. Where h |lambda| is
 * above 3.25 in 15 steps, without 6 in a row between that are not, the next step is implicit.
 *
 * Back: the matrix of an implicit step holds J = df/dx, and every norm of J bounds its spectral radius. Where
 *
 *     h max_i (1 / w_i) sum_j |J_ij| w_j <= 2.6
 *
 * in 5 steps in a row, explicit steps of that length are stable, too. In both, |.| is relative to w_i = atol + rtol
 * |y_i|, what the error test allows: so neither depends on the units of the states. */
#include <string.h>
#include <tgmath.h>

#include "dirk.h"
#include "rules.h"

enum { EXPLICIT, IMPLICIT, STIFF_STEPS = 15, CALM_STEPS = 6, SMOOTH_STEPS = 5 };
static const sens_real BOUNDARY = SENS_C(3.25), WELL_WITHIN = SENS_C(2.6);

struct switched {
    struct sens_scheme scheme;
    struct sens_scheme *part[2];
    int now;         /* the part whose state is the current one */
    bool told;       /* steps are given: nothing is judged */
    int stiff, calm; /* explicit steps beyond the boundary; within, since the last one beyond */
    int smooth;      /* implicit steps in a row that explicit ones could have taken */
    sens_real *w;    /* [n] */
    const struct sens_followers *who; /* NULL: nothing goes along */
};

/* ---- the part at work ------------------------------------------------------------------------------------ */

/* What the part did since the last call becomes the scheme's own account. */
static void take_account(struct switched *sw)
{
    struct sens_scheme_work *all = &sw->scheme.did, *did = &sw->part[sw->now]->did;
    all->slopes += did->slopes;
    all->factorisations += did->factorisations;
    all->solves += did->solves;
    all->newton += did->newton;
    all->residual += did->residual;
    *did = (struct sens_scheme_work){.slopes = 0};
}

/* The current state, and the trial at hand, are the part's. */
static void show(struct switched *sw)
{
    const struct sens_scheme *part = sw->part[sw->now];
    struct sens_scheme *scheme = &sw->scheme;
    scheme->part = part->with.tableau;
    scheme->t = part->t;
    scheme->Y = part->Y;
    scheme->K = part->K;
    scheme->y1 = part->y1;
    scheme->z = part->z;
    scheme->z1 = part->z1;
}

/* What goes along becomes that of the part at work. */
static void hand_over(const struct switched *sw)
{
    const struct sens_followers *const who = sw->who;
    sens_real *const z = sw->part[sw->now]->z;
    if (who && z != sw->scheme.z) memcpy(z, sw->scheme.z, who->offset[who->blocks] * sizeof *z);
}

/* The current state of one part becomes that of the other, in the same place. */
static void change(struct switched *sw)
{
    const struct sens_scheme *from = sw->part[sw->now];
    sw->now = sw->now == EXPLICIT ? IMPLICIT : EXPLICIT;
    hand_over(sw);
    sw->part[sw->now]->type->start(sw->part[sw->now], from->t, from->Y, from->Y);
    sw->stiff = sw->calm = sw->smooth = 0;
    show(sw);
}

/* ---- judgement -------------------------------------------------------------------------------------------- */

static void find_weights(struct switched *sw)
{
    const struct sens_ode *ode = sw->scheme.with.ode;
    size_t end = 0;
    for (size_t k = 0, q = 0; k < ode->n_parts; k++)
        for (end += ode->part[k].count; q < end; q++)
            sw->w[q] = ode->part[k].atol + ode->part[k].rtol * fabs(sw->scheme.y1[q]);
}

/* |K_s - K_{s-1}| / |Y_s - Y_{s-1}|; 0 where the states are the same. */
static sens_real rate_of_stages(const struct switched *sw)
{
    const struct sens_scheme *scheme = &sw->scheme;
    const size_t n = scheme->with.ode->n, last = (size_t)(scheme->with.tableau->stages - 1) * n;
    const sens_real *Y = scheme->Y + last, *K = scheme->K + last;
    sens_real slopes = 0, states = 0;
    for (size_t q = 0; q < n; q++) {
        if (sw->w[q] == 0) continue;
        const sens_real slope = (K[q] - K[q - n]) / sw->w[q], state = (Y[q] - Y[q - n]) / sw->w[q];
        slopes += slope * slope;
        states += state * state;
    }
    return states > 0 ? sqrt(slopes / states) : 0;
}

/* Row i of (1 / w_i) |J_ij| w_j, summed. */
static sens_real row_sum(const struct switched *sw, const struct sens_stage_matrix *matrix, size_t i)
{
    const struct sens_pattern *pattern = matrix->J->pattern;
    const size_t n = sw->scheme.with.ode->n;
    const size_t first = pattern ? pattern->start[i] : i * n,
                 end = pattern ? pattern->start[i + 1] : first + n;
    sens_real sum = 0;
    for (size_t e = first; e < end; e++)
        sum += fabs(matrix->value[e]) * sw->w[pattern ? pattern->col[e] : e - first];
    return sum == 0 ? 0 : sum / sw->w[i]; /* infinite where no error is allowed */
}

static sens_real bound_of_rates(const struct switched *sw)
{
    const struct sens_dirk *dirk = (const struct sens_dirk *)sw->part[IMPLICIT];
    sens_real largest = 0;
    for (size_t i = 0; i < sw->scheme.with.ode->n; i++)
        largest = sens_larger(row_sum(sw, &dirk->matrix, i), largest);
    return largest;
}

/* Of the step h that is about to be accepted: is the next one for the other part? */
static bool is_due(struct switched *sw, sens_real h)
{
    find_weights(sw);
    if (sw->now == IMPLICIT) {
        sw->smooth = fabs(h) * bound_of_rates(sw) <= WELL_WITHIN ? sw->smooth + 1 : 0;
        return sw->smooth >= SMOOTH_STEPS;
    }
    if (fabs(h) * rate_of_stages(sw) > BOUNDARY)
        sw->stiff++, sw->calm = 0;
    else if (++sw->calm >= CALM_STEPS)
        sw->stiff = 0;
    return sw->stiff >= STIFF_STEPS;
}

/* ---- creation --------------------------------------------------------------------------------------------- */

static sens_status create(struct sens_ctx *ctx, const struct sens_scheme_setup *setup,
                          struct sens_scheme **scheme)
{
    const struct sens_tableau *tb = setup->tableau;
    if (setup->controller && !setup->controller->adaptive)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "tableau %s: whether to switch shows in steps that are chosen by their "
                         "error; name one of %s and %s for given steps",
                         tb->name, tb->part[0]->name, tb->part[1]->name);
    if (!setup->ode->problem)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "tableau %s: its implicit part solves for a problem's own state, not for "
                         "a system made of it",
                         tb->name);
    struct switched *sw = SENS_NEW(ctx, struct switched, 1);
    if (!sw) return SENS_NO_MEMORY;
    *sw = (struct switched){.scheme = {.type = &sens_scheme_switched, .with = *setup}};
    sw->w = SENS_NEW(ctx, sens_real, setup->ode->n);
    if (!sw->w) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (int k = 0; k < 2 && status == SENS_OK; k++) {
        const struct sens_scheme_setup one = {setup->ode, tb->part[k], setup->controller};
        status = sens_scheme_create(ctx, &one, &sw->part[k]);
    }
    if (status != SENS_OK) return status;
    sw->scheme.stage_size = sw->part[EXPLICIT]->stage_size;
    sw->scheme.bytes = sw->part[EXPLICIT]->bytes + sw->part[IMPLICIT]->bytes;
    sw->scheme.part = tb->part[EXPLICIT];
    *scheme = &sw->scheme;
    return SENS_OK;
}

/* ---- as in scheme.h --------------------------------------------------------------------------------------- */

static sens_status follow(struct sens_ctx *ctx, struct sens_scheme *scheme,
                          const struct sens_followers *followers)
{
    struct switched *sw = (struct switched *)scheme;
    sens_status status = SENS_OK;
    for (int k = 0; k < 2 && status == SENS_OK; k++)
        status = sw->part[k]->type->follow(ctx, sw->part[k], followers);
    sw->who = followers;
    show(sw);
    return status;
}

static void start(struct sens_scheme *scheme, sens_real t, const sens_real *y, sens_real *place)
{
    struct switched *sw = (struct switched *)scheme;
    sw->now = EXPLICIT;
    hand_over(sw);
    sw->told = false;
    sw->stiff = sw->calm = sw->smooth = 0;
    sw->part[EXPLICIT]->type->start(sw->part[EXPLICIT], t, y, place);
    show(sw);
}

static sens_status slope(struct sens_scheme *scheme, const sens_real **f)
{
    struct switched *sw = (struct switched *)scheme;
    struct sens_scheme *part = sw->part[sw->now];
    const sens_status status = part->type->slope(part, f);
    take_account(sw);
    return status;
}

static sens_status try_step(struct sens_scheme *scheme, sens_real h, sens_real *err)
{
    struct switched *sw = (struct switched *)scheme;
    struct sens_scheme *part = sw->part[sw->now];
    const sens_status status = part->type->try(part, h, err);
    take_account(sw);
    show(sw);
    return status;
}

static void accept(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *place)
{
    struct switched *sw = (struct switched *)scheme;
    struct sens_scheme *part = sw->part[sw->now];
    const bool due = !sw->told && is_due(sw, h);
    scheme->did.steps_implicit += sw->now == IMPLICIT;
    part->type->accept(part, h, t1, place);
    take_account(sw);
    show(sw);
    if (due) change(sw);
}

static sens_status restage(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *next)
{
    struct switched *sw = (struct switched *)scheme;
    struct sens_scheme *part = sw->part[sw->now];
    const sens_status status = part->type->restage(part, h, t1, next);
    take_account(sw);
    show(sw);
    return status;
}

static void take(struct sens_scheme *scheme, const struct sens_tableau *part)
{
    struct switched *sw = (struct switched *)scheme;
    sw->told = true;
    if (sw->part[sw->now]->with.tableau != part) change(sw);
}

const struct sens_scheme_type sens_scheme_switched = {
    .create = create,
    .follow = follow,
    .start = start,
    .slope = slope,
    .try = try_step,
    .accept = accept,
    .restage = restage,
    .take = take,
    .dense = &sens_scheme_cubic,
};
