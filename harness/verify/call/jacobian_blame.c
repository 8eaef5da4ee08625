/* Which fault explains a product that disagrees with its reference: every hypothesis is put to the numbers.
 *
 * M is the product's matrix and R the reference. M = c R, M = R^T, M = R at another time or at the nominal
 * point, M equal to the partner's matrix (jvp and vjp), f_i and its two rows off by one factor; else the
 * pattern of the wrong entries. */
#include <stdio.h>
#include <string.h>

#include "jacobian.h"

struct place {
    const struct subject *subject;
    enum product product;
    struct sens_at at;
    struct reference right;
    double *got, *tol; /* [rows][cols] of the sample of `right` */
    struct suspicion *suspicion;
};

static void suspect(const struct place *place, enum cause cause, double weight)
{
    double *const known = &place->suspicion->weight[cause];
    *known = fmax(*known, weight);
}

static bool of_states(enum product product)
{
    return product == PRODUCT_JVP || product == PRODUCT_VJP;
}

static bool of_initial(enum product product)
{
    return product == PRODUCT_X0_JVP || product == PRODUCT_X0_VJP;
}

static size_t entries(const struct place *place)
{
    return place->right.sample.rows * place->right.sample.cols;
}

static bool is_wrong(const struct place *place, size_t q)
{
    const double tol = place->tol[q];
    return isfinite(tol) && !(fabs(place->got[q] - place->right.d[q]) <= tol);
}

/* Is what the product gives `factor` b within (1 + |factor|) tol in every entry, where that is much less than
 * the error to be explained? */
static bool explains(const struct place *place, double factor, const double *b, const double *tol)
{
    for (size_t q = 0; q < entries(place); q++) {
        const double limit = (1 + fabs(factor)) * tol[q];
        if (!isfinite(place->tol[q])) continue;
        if (!(fabs(place->got[q] - factor * b[q]) <= limit)) return false;
        if (is_wrong(place, q) && !(limit < 0.3 * fabs(place->got[q] - place->right.d[q]))) return false;
    }
    return true;
}

/* Fills what is compared: the product's matrix, its reference, and the bound. */
static void compare(struct place *place)
{
    const struct linear map = linear_at(place->subject, place->product, &place->at);
    const struct sample *sample = &place->right.sample;
    place->right = reference_create(place->subject, place->product, &place->at, sample);
    place->got = linear_matrix(&map, sample);
    place->tol = linear_matrix_rounding(&map, sample, place->got);
    for (size_t q = 0; q < entries(place); q++) place->tol[q] += place->right.bound[q];
}

static struct place place_create(const struct subject *subject, enum product product,
                                 const struct sens_at *at, const struct sample *sample,
                                 struct suspicion *suspicion)
{
    struct place place = {subject, product, *at, {.sample = *sample}, NULL, NULL, suspicion};
    compare(&place);
    return place;
}

/* ---- where the wrong entries are ----------------------------------------------------------------------- */

struct pattern {
    size_t wrong, rows, cols; /* entries, rows and columns with wrong ones */
    size_t worst, row, col;   /* entry with the largest error over its bound */
};

static struct pattern pattern_of(const struct place *place)
{
    const size_t rows = place->right.sample.rows, cols = place->right.sample.cols;
    struct pattern found = {0, 0, 0, 0, 0, 0};
    double most = -1;
    for (size_t r = 0; r < rows; r++) {
        size_t wrong = 0;
        for (size_t q = r * cols; q < (r + 1) * cols; q++) {
            if (!is_wrong(place, q)) continue;
            wrong++;
            const double error = fabs(place->got[q] - place->right.d[q]) / place->tol[q];
            if (!(error <= most)) most = error, found.worst = q, found.row = r, found.col = q - r * cols;
        }
        found.wrong += wrong, found.rows += wrong > 0;
    }
    for (size_t c = 0; c < cols; c++) {
        bool wrong = false;
        for (size_t r = 0; r < rows; r++) wrong = wrong || is_wrong(place, r * cols + c);
        found.cols += wrong;
    }
    return found;
}

/* One wrong entry, column or row stands out where there are others; it says little where there are none. */
static void weigh_pattern(const struct place *place, const struct pattern *found)
{
    const bool states = of_states(place->product);
    const enum cause entry = states ? CAUSE_jacobian_entry : CAUSE_parameter_entry;
    if (of_initial(place->product)) {
        suspect(place, CAUSE_initial_products, 0.95);
        return;
    }
    const double alone = place->right.sample.cols > 1 ? 1 : 0.6;
    suspect(place, entry, found->wrong == 1 ? alone : found->cols == 1 && !states ? alone : 0.3);
    const bool row = found->wrong > 1 && place->right.sample.rows > 1;
    if (found->rows == 1) suspect(place, CAUSE_jacobian_row, row ? 0.95 : 0.4);
}

static void tell_pattern(const struct place *place, const struct pattern *found)
{
    const struct sample *sample = &place->right.sample;
    const size_t q = found->worst, i = sample->row[found->row], j = sample->col[found->col];
    const double got = place->got[q], right = place->right.d[q];
    snprintf(place->suspicion->words, sizeof place->suspicion->words,
             "%s: %zu of %zu entries wrong, in %zu row(s) and %zu column(s); d%s_%zu/d%s_%zu is %.8g, "
             "differences of %s give %.8g, ratio %.6g",
             linear_name(place->product), found->wrong, entries(place), found->rows, found->cols,
             of_initial(place->product) ? "x0" : "f", i, of_states(place->product) ? "x" : "p", j, got,
             of_initial(place->product) ? "x0" : "rhs", right, got / right);
}

/* ---- the whole matrix ---------------------------------------------------------------------------------- */

static void weigh_factor(const struct place *place, const struct pattern *found)
{
    double above = 0, below = 0;
    for (size_t q = 0; q < entries(place); q++) {
        if (!isfinite(place->tol[q])) continue;
        above += place->got[q] * place->right.d[q], below += place->right.d[q] * place->right.d[q];
    }
    const double c = below > 0 ? above / below : 0,
                 ratio = place->got[found->worst] / place->right.d[found->worst];
    if (found->wrong == 1 && fabs(ratio + 1) < 1e-6) suspect(place, CAUSE_product_sign, 0.6);
    if (!explains(place, c, place->right.d, place->tol)) return;
    if (fabs(c + 1) < 1e-6)
        suspect(place, CAUSE_product_sign, 1);
    else
        suspect(place, CAUSE_product_factor, found->wrong > 1 ? 1 : 0.5);
}

static void weigh_transposed(const struct place *place)
{
    const size_t n = place->right.sample.rows;
    struct verify *v = place->subject->v;
    if (!of_states(place->product) || n != place->subject->pb->n || n != place->right.sample.cols) return;
    double *transposed = verify_array(v, n * n), *tol = verify_array(v, n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            transposed[i * n + j] = place->right.d[j * n + i];
            tol[i * n + j] = place->tol[i * n + j] + place->right.bound[j * n + i];
        }
    if (explains(place, 1, transposed, tol)) suspect(place, CAUSE_jacobian_transposed, 1);
}

/* Is a column by itself right where it is the first of all, and every other one in the block of all columns, which
 * begins there? Then columns are counted from where a block begins. */
static bool right_from_first(const struct place *place)
{
    const struct sens_problem *pb = place->subject->pb;
    const struct sample *sample = &place->right.sample;
    for (size_t q = 0; q < entries(place); q++)
        if (is_wrong(place, q) && sample->col[q % sample->cols] == 0) return false;
    double *const block = verify_array(place->subject->v, pb->n * pb->np);
    if (of_initial(place->product))
        pb->type->x0_jvp_cols(pb, place->at.p, 0, pb->np, block);
    else
        pb->type->jvp_p_cols(pb, &place->at, 0, pb->np, block);
    for (size_t q = 0; q < entries(place); q++) {
        const size_t i = sample->row[q / sample->cols], k = sample->col[q % sample->cols];
        if (is_wrong(place, q) && !(fabs(block[i * pb->np + k] - place->right.d[q]) <= place->tol[q]))
            return false;
    }
    return true;
}

/* Every column the same as column 0: the first column asked for is ignored. */
static void weigh_offset(const struct place *place)
{
    const struct sample *sample = &place->right.sample;
    if (of_states(place->product) || !linear_forward(place->product) || sample->cols < 2) return;
    if (right_from_first(place)) suspect(place, CAUSE_lane_offset, 1);
    const struct linear map = linear_at(place->subject, place->product, &place->at);
    size_t zero = 0;
    const struct sample first = {sample->rows, 1, sample->row, &zero};
    const double *column = linear_matrix(&map, &first);
    for (size_t q = 0; q < entries(place); q++)
        if (place->got[q] != column[q / sample->cols]) return;
    suspect(place, CAUSE_lane_offset, 1);
}

/* ---- another time, another point ----------------------------------------------------------------------- */

static bool explained_at(const struct place *place, const struct sens_at *other)
{
    const struct reference there =
        reference_create(place->subject, place->product, other, &place->right.sample);
    double *tol = verify_array(place->subject->v, entries(place));
    for (size_t q = 0; q < entries(place); q++)
        tol[q] = place->tol[q] - place->right.bound[q] + there.bound[q];
    return explains(place, 1, there.d, tol);
}

static void weigh_time(const struct place *place)
{
    const struct sens_problem *pb = place->subject->pb;
    const double time[] = {pb->t0, 0, (pb->t0 + pb->t1) / 2, pb->t1, place->at.t - pb->t0, 1};
    for (size_t k = 0; k < sizeof time / sizeof *time && !of_initial(place->product); k++)
        if (time[k] != place->at.t &&
            explained_at(place, &(struct sens_at){time[k], place->at.x, place->at.p}))
            suspect(place, CAUSE_product_time, 1);
}

static void weigh_point(const struct place *place)
{
    const struct sens_problem *pb = place->subject->pb;
    const struct sens_at at = place->at;
    const struct sens_at nominal[] = {{at.t, pb->x0, at.p}, {at.t, at.x, pb->p}, {at.t, pb->x0, pb->p}};
    for (size_t k = 0; k < sizeof nominal / sizeof *nominal; k++)
        if (explained_at(place, &nominal[k])) suspect(place, CAUSE_product_point, 1);
}

/* ---- pieces -------------------------------------------------------------------------------------------- */

/* Right at the same time for other states and parameters, where the entry is something: what is wrong by a
 * formula is wrong at almost every point. Points without a symmetry, about the nominal one and about this. */
static void weigh_branch(const struct place *place, const struct pattern *found)
{
    enum { OTHERS = 6 };
    static const double factor[OTHERS] = {1, 1, 0.3, -1, 3, -3};
    const struct subject *subject = place->subject;
    const struct sens_problem *pb = subject->pb;
    struct suspicion unused = {.places = 0};
    struct verify *v = subject->v;
    for (int k = 0; k < OTHERS && !of_initial(place->product); k++) {
        double *const x = verify_perturbed(v, pb->n, k % 2 ? place->at.x : pb->x0, 0.1);
        for (size_t i = 0; i < pb->n; i++) x[i] *= factor[k];
        const double *const p = k % 2 ? place->at.p : verify_perturbed(v, pb->np, pb->p, 0.05);
        const struct sens_at at = {place->at.t, x, p};
        if (!subject_usable(subject, &at)) continue;
        const struct place other = place_create(subject, place->product, &at, &place->right.sample, &unused);
        const size_t q = found->worst;
        if (!isfinite(other.tol[q]) || is_wrong(&other, q) || !(fabs(other.right.d[q]) > other.tol[q]))
            continue;
        suspect(place, CAUSE_branch, 0.93);
        return;
    }
}

/* ---- digits -------------------------------------------------------------------------------------------- */

/* The largest error; *size: the largest number of a row that has one. */
static double largest_error(const struct place *place, double *size)
{
    const size_t rows = place->right.sample.rows, cols = place->right.sample.cols;
    double most = 0;
    *size = INFINITY;
    for (size_t r = 0; r < rows; r++) {
        double of_row = 0, error = 0;
        for (size_t q = r * cols; q < (r + 1) * cols; q++) {
            of_row = fmax(of_row, fabs(place->right.d[q]));
            if (is_wrong(place, q)) error = fmax(error, fabs(place->got[q] - place->right.d[q]));
        }
        if (error > 0) *size = fmin(*size, of_row);
        most = fmax(most, error);
    }
    return most;
}

/* The largest of |M u + M w - M (u + w)| over a few vectors of size 1. */
static double defect(const struct place *place)
{
    enum { DRAWS = 3 };
    const struct linear map = linear_at(place->subject, place->product, &place->at);
    struct verify *v = map.v;
    double *sum = verify_array(v, map.in), most = 0;
    double *of_u = verify_array(v, map.out), *of_w = verify_array(v, map.out),
           *all = verify_array(v, map.out);
    for (int k = 0; k < DRAWS; k++) {
        const double *const u = verify_random(v, map.in), *const w = verify_random(v, map.in);
        for (size_t i = 0; i < map.in; i++) sum[i] = u[i] + w[i];
        linear_apply(&map, 1, u, of_u);
        linear_apply(&map, 1, w, of_w);
        linear_apply(&map, 1, sum, all);
        for (size_t i = 0; i < map.out; i++) most = fmax(most, fabs(of_u[i] + of_w[i] - all[i]));
    }
    return most;
}

/* A quotient's error is another for each vector, and does not add up; what has few digits is linear all the
 * same. A product of one number is a multiple of it either way. false: it is no quotient. */
static bool weigh_digits(const struct place *place)
{
    static const double half = 1e-4, part = 0.02, single_least = 1e-10, single_most = 1e-6;
    double size;
    const double error = largest_error(place, &size);
    if (!(error < half * size) || of_initial(place->product)) return false;
    const bool alone = place->right.sample.cols == 1, linear = !(defect(place) > part * error);
    if (alone || !linear) suspect(place, CAUSE_difference_quotient, alone ? 0.8 : 0.97);
    if (linear && error > single_least * size && error < single_most * size)
        suspect(place, CAUSE_single_precision, alone ? 0.8 : 0.92);
    return alone || !linear;
}

/* ---- the other products -------------------------------------------------------------------------------- */

static enum product partner_of(enum product product)
{
    static const enum product partner[] = {PRODUCT_VJP,   PRODUCT_JVP,    PRODUCT_VJP_P,
                                           PRODUCT_JVP_P, PRODUCT_X0_VJP, PRODUCT_X0_JVP};
    return partner[product];
}

static bool partner_agrees(const struct place *place)
{
    const struct linear map = linear_at(place->subject, partner_of(place->product), &place->at);
    const double *other = linear_matrix(&map, &place->right.sample);
    const double *tol = linear_matrix_rounding(&map, &place->right.sample, other);
    double *both = verify_array(place->subject->v, entries(place));
    for (size_t q = 0; q < entries(place); q++) both[q] = place->tol[q] - place->right.bound[q] + tol[q];
    return explains(place, 1, other, both);
}

static bool row_matches(size_t count, const double *a, double factor, const double *b, const double *tol)
{
    for (size_t q = 0; q < count; q++)
        if (isfinite(tol[q]) && !(fabs(a[q] - factor * b[q]) <= (1 + fabs(factor)) * tol[q])) return false;
    return true;
}

/* Row r of both matrices is the reference times one factor, which is not 1. */
static bool row_has_factor(const struct place *J, const struct place *F, size_t r)
{
    const size_t n = J->right.sample.cols, np = F->right.sample.cols;
    const double *R = J->right.d + r * n, *M = J->got + r * n;
    double above = 0, below = 0;
    for (size_t j = 0; j < n; j++) above += R[j] * M[j], below += R[j] * R[j];
    const double c = above / below;
    return row_matches(n, M, c, R, J->tol + r * n) &&
           row_matches(np, F->got + r * np, c, F->right.d + r * np, F->tol + r * np);
}

static bool row_wrong(const struct place *place, size_t r)
{
    const size_t cols = place->right.sample.cols;
    bool wrong = false;
    for (size_t q = r * cols; q < (r + 1) * cols; q++) wrong = wrong || is_wrong(place, q);
    return wrong;
}

/* The products agree with one another; does rhs stand alone? It does where f_i is off by a factor, and may do
 * where J and f_p are both wrong. */
static void weigh_rhs(const struct place *place)
{
    struct suspicion unused = {.places = 0};
    struct sample sample = sample_create(place->subject, PRODUCT_JVP_P);
    struct sample square = sample_create(place->subject, PRODUCT_JVP);
    sample.row = square.row; /* the same rows of both */
    const struct place J = place_create(place->subject, PRODUCT_JVP, &place->at, &square, &unused);
    const struct place F = place_create(place->subject, PRODUCT_JVP_P, &place->at, &sample, &unused);
    bool factors = true, in_J = false, in_F = false;
    for (size_t r = 0; r < square.rows; r++) {
        const bool wrong_J = row_wrong(&J, r), wrong_F = row_wrong(&F, r);
        in_J = in_J || wrong_J, in_F = in_F || wrong_F;
        if (wrong_J || wrong_F) factors = factors && row_has_factor(&J, &F, r);
    }
    const bool both = in_J && in_F && partner_agrees(&J) && partner_agrees(&F);
    suspect(place, CAUSE_rhs_itself, both ? (factors ? 0.97 : 0.85) : 0.3);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void weigh(const struct place *place)
{
    const struct pattern found = pattern_of(place);
    tell_pattern(place, &found);
    weigh_pattern(place, &found);
    weigh_factor(place, &found);
    weigh_transposed(place);
    weigh_offset(place);
    weigh_time(place);
    weigh_point(place);
    if (!weigh_digits(place)) weigh_branch(place, &found);
    if (!partner_agrees(place)) return;
    if (of_initial(place->product)) return;
    suspect(place, CAUSE_pair_agrees_wrongly, 0.9);
    weigh_rhs(place);
}

/* What explains all places: the least weight that a cause has at any of them. */
static void meet(struct suspicion *all, const struct suspicion *one)
{
    if (all->places == 0)
        *all = *one;
    else
        for (int c = 0; c < CAUSE_COUNT; c++) all->weight[c] = fmin(all->weight[c], one->weight[c]);
    all->places++;
}

bool suspicion_look(struct suspicion *suspicion, const struct subject *subject, enum product product,
                    const struct sens_at *at)
{
    struct suspicion one = {.places = 0};
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    const struct sample sample = sample_create(subject, product);
    const struct place place = place_create(subject, product, at, &sample, &one);
    bool wrong = false;
    for (size_t q = 0; q < entries(&place); q++) wrong = wrong || is_wrong(&place, q);
    if (wrong) weigh(&place);
    sens_arena_rewind(&subject->v->ctx.arena, mark);
    if (wrong) meet(suspicion, &one);
    return wrong;
}

bool suspicion_tell(const struct suspicion *suspicion, struct verify_result *result)
{
    if (suspicion->places == 0) return false;
    for (int c = 0; c < CAUSE_COUNT; c++) verify_blame(result, (enum cause)c, suspicion->weight[c]);
    verify_say(result, "%s", suspicion->words);
    return true;
}
