/* Steps of the followers of a system, see followers.h. For block b of z, with the leader's stage states
 * known,
 *
 *     Z_i = z + h sum_{j<i} a_ij K_j,   K_i = F(t_i, Y_i, Z_i),   z1 = z + h sum_i b_i K_i,
 *     e = h sum_i (b_i - bhat_i) K_i,
 *
 * and the block's part of the error norm. Candidates are kept beside the states until the whole step is
 * accepted or not. The slope at the end of a step of an FSAL pair is kept for the next one. Zero weights are
 * left out of the sums: a slope that matters reaches z1 or e with another weight. */
#include "explicit.h"
#include "kernels.h"

struct row { /* a sum of slopes; its vectors are those of the block at hand */
    struct sens_terms terms;
    const sens_real **v;
};

struct sens_follow {
    const struct sens_followers *who;
    const struct sens_tableau *tableau;
    const struct sens_controller *controller;
    size_t size, largest; /* all numbers; numbers of the largest block */
    bool tested;
    sens_real *z, *z1;     /* [size] state, candidate: the scheme's */
    sens_real *k, *k1;     /* [size] FSAL: slopes at z and z1; else NULL */
    bool k_known;          /* k is the slope at z */
    sens_real *Z;          /* [largest] one stage state */
    sens_real *K;          /* [stages][largest] */
    sens_real *e, *e3;     /* [largest]; NULL where there is no estimate */
    sens_real **slope;     /* [stages] slopes of the block at hand */
    struct row *a;         /* [stages] */
    struct row b, we, we3; /* the candidate and the estimates */
};

/* ---- creation ------------------------------------------------------------------------------------------ */

static void find_vectors(const struct sens_follow *fo, const struct row *row)
{
    for (int j = 0; j < row->terms.terms; j++) row->v[j] = fo->slope[row->terms.stage[j]];
}

/* The vectors of all sums, when those of the slopes have changed. */
static void find_all_vectors(const struct sens_follow *fo)
{
    for (int i = 0; i < fo->tableau->stages; i++) find_vectors(fo, &fo->a[i]);
    find_vectors(fo, &fo->b), find_vectors(fo, &fo->we), find_vectors(fo, &fo->we3);
}

static sens_status create_row(struct sens_ctx *ctx, int count, const sens_real *weight, struct row *row)
{
    row->v = SENS_NEW(ctx, const sens_real *, (size_t)count + 1);
    return row->v ? sens_terms_create(ctx, count, weight, &row->terms) : SENS_NO_MEMORY;
}

static sens_status create_rows(struct sens_ctx *ctx, struct sens_follow *fo)
{
    const struct sens_tableau *tb = fo->tableau;
    fo->a = SENS_NEW(ctx, struct row, (size_t)tb->stages);
    if (!fo->a) return SENS_NO_MEMORY;
    sens_status status = create_row(ctx, tb->stages, tb->b, &fo->b);
    for (int i = 0; i < tb->stages && status == SENS_OK; i++)
        status = create_row(ctx, i, tb->a + i * (tb->stages + tb->extra_stages), &fo->a[i]);
    if (status == SENS_OK && fo->tested) status = create_row(ctx, tb->stages, tb->e, &fo->we);
    if (status == SENS_OK && fo->tested && tb->e3) status = create_row(ctx, tb->stages, tb->e3, &fo->we3);
    if (status == SENS_OK) find_all_vectors(fo);
    return status;
}

static bool create_vectors(struct sens_ctx *ctx, struct sens_follow *fo)
{
    const struct sens_tableau *tb = fo->tableau;
    const size_t stages = (size_t)tb->stages;
    const bool needs_e3 = fo->tested && fo->controller->uses_e3 && tb->e3;
    fo->z = SENS_NEW(ctx, sens_real, fo->size);
    fo->z1 = SENS_NEW(ctx, sens_real, fo->size);
    fo->k = tb->fsal ? SENS_NEW(ctx, sens_real, fo->size) : NULL;
    fo->k1 = tb->fsal ? SENS_NEW(ctx, sens_real, fo->size) : NULL;
    fo->Z = SENS_NEW(ctx, sens_real, fo->largest);
    fo->K = SENS_NEW(ctx, sens_real, stages * fo->largest);
    fo->e = fo->tested ? SENS_NEW(ctx, sens_real, fo->largest) : NULL;
    fo->e3 = needs_e3 ? SENS_NEW(ctx, sens_real, fo->largest) : NULL;
    fo->slope = SENS_NEW(ctx, sens_real *, stages);
    for (size_t i = 0; fo->K && fo->slope && i < stages; i++) fo->slope[i] = fo->K + i * fo->largest;
    return fo->z && fo->z1 && (!tb->fsal || (fo->k && fo->k1)) && fo->Z && fo->K && (fo->e || !fo->tested) &&
           (fo->e3 || !needs_e3) && fo->slope;
}

sens_status sens_follow_create(struct sens_ctx *ctx, struct sens_explicit *ex,
                               const struct sens_followers *followers)
{
    struct sens_follow *fo = SENS_NEW(ctx, struct sens_follow, 1);
    if (!fo) return SENS_NO_MEMORY;
    *fo = (struct sens_follow){
        .who = followers,
        .tableau = ex->scheme.with.tableau,
        .controller = ex->scheme.with.controller,
        .size = followers->offset[followers->blocks],
    };
    fo->tested = followers->part.tested && fo->controller->adaptive && fo->tableau->e;
    for (size_t b = 0; b < followers->blocks; b++) {
        const size_t size = followers->offset[b + 1] - followers->offset[b];
        if (size > fo->largest) fo->largest = size;
    }
    if (!create_vectors(ctx, fo)) return SENS_NO_MEMORY;
    ex->follow = fo;
    ex->scheme.z = fo->z;
    return create_rows(ctx, fo);
}

void sens_follow_start(struct sens_follow *fo)
{
    fo->k_known = false;
}

/* ---- a trial step -------------------------------------------------------------------------------------- */

/* out = base + h sum_j w_j K_j; base NULL: without it. */
static void sum(size_t size, const sens_real *base, sens_real h, const struct row *row, sens_real *out)
{
    const struct sens_terms *terms = &row->terms;
    if (base)
        sens_lanes_combine_onto(size, terms->terms, h, terms->weight, row->v, base, out);
    else if (terms->terms > 0)
        sens_lanes_combine(size, terms->terms, h, terms->weight, row->v, out);
    else
        memset(out, 0, size * sizeof *out);
}

/* All stages of block b, and its candidate. */
static void advance_block(const struct sens_follow *fo, sens_real h, size_t b)
{
    const struct sens_followers *who = fo->who;
    const size_t offset = who->offset[b], size = who->offset[b + 1] - offset;
    const int stages = fo->tableau->stages, last = fo->tableau->fsal ? stages - 1 : stages;
    if (fo->k) {
        fo->slope[0] = fo->k + offset, fo->slope[last] = fo->k1 + offset;
        find_all_vectors(fo);
    }
    for (int i = 0; i < stages; i++) {
        sens_real *Z_i = i == 0 ? fo->z + offset : i == last ? fo->z1 + offset : fo->Z;
        if (i > 0) sum(size, fo->z + offset, h, &fo->a[i], Z_i);
        if (i > 0 || !fo->k_known) who->slope(who->self, i, b, Z_i, fo->slope[i]);
        if (who->look) who->look(who->self, i, b, Z_i);
    }
    if (last == stages) sum(size, fo->z + offset, h, &fo->b, fo->z1 + offset);
}

void sens_followers_add(const struct sens_followers *who, const struct sens_controller *controller, size_t b,
                        const struct sens_trial *trial, struct sens_error_norm *norm)
{
    struct sens_ode_part part = who->part;
    part.count = who->offset[b + 1] - who->offset[b];
    if (who->rows)
        sens_error_norm_add_parts(controller, who->rows, part.count / who->rows->n, trial, norm);
    else
        controller->add(&part, trial, norm);
    norm->tested -= part.count - who->count[b];
}

/* Adds the estimates of block b to the norm; false when they are not finite. */
static bool estimate_block(const struct sens_follow *fo, sens_real h, size_t b, struct sens_error_norm *norm)
{
    const size_t offset = fo->who->offset[b], size = fo->who->offset[b + 1] - offset;
    sum(size, NULL, h, &fo->we, fo->e);
    if (fo->e3) sum(size, NULL, h, &fo->we3, fo->e3);
    if (!sens_finite(size, fo->e)) return false;
    const struct sens_trial trial = {
        .h = h, .y = fo->z + offset, .f = fo->slope[0], .y1 = fo->z1 + offset, .e = fo->e, .e3 = fo->e3};
    sens_followers_add(fo->who, fo->controller, b, &trial, norm);
    return true;
}

/* All blocks over a step that is given, by their owner. */
static sens_status step_together(struct sens_explicit *ex, sens_real h)
{
    struct sens_follow *fo = ex->follow;
    const struct sens_followers *who = fo->who;
    const struct sens_step step = {.t = ex->scheme.t, .h = h, .t1 = ex->scheme.t + h, .Y = ex->scheme.Y};
    for (int i = 0; i < fo->tableau->stages; i++)
        who->at(who->self, i, sens_stage_time(fo->tableau, step.t, h, i),
                step.Y + (size_t)i * ex->scheme.with.ode->n);
    ex->scheme.z1 = fo->z1;
    return who->step(who->self, &step, fo->z, NULL, fo->z1, NULL);
}

sens_status sens_follow_try(struct sens_explicit *ex, sens_real h)
{
    struct sens_follow *fo = ex->follow;
    const struct sens_followers *who = fo->who;
    const sens_real t = ex->scheme.t, *Y = ex->scheme.Y;
    if (who->whole && !fo->tested) return step_together(ex, h);
    ex->norm = (struct sens_error_norm){0};
    for (int i = fo->k_known ? 1 : 0; i < fo->tableau->stages; i++)
        who->at(who->self, i, sens_stage_time(fo->tableau, t, h, i), Y + (size_t)i * ex->scheme.with.ode->n);
    if (who->begin) who->begin(who->self, t, h, Y);
    for (size_t b = 0; b < who->blocks; b++) {
        const size_t offset = who->offset[b], size = who->offset[b + 1] - offset;
        advance_block(fo, h, b);
        if (!sens_finite(size, fo->z1 + offset)) return SENS_NONFINITE;
        if (fo->tested && !estimate_block(fo, h, b, &ex->norm)) return SENS_NONFINITE;
    }
    if (fo->k) fo->k_known = true;
    ex->scheme.z1 = fo->z1;
    return SENS_OK;
}

static void swap(sens_real **a, sens_real **b)
{
    sens_real *const kept = *a;
    *a = *b;
    *b = kept;
}

void sens_follow_accept(struct sens_explicit *ex, bool k1_known)
{
    struct sens_follow *fo = ex->follow;
    swap(&fo->z, &fo->z1);
    swap(&fo->k, &fo->k1);
    fo->k_known = k1_known;
    ex->scheme.z = fo->z;
}
