/* Does the closed form satisfy the equations? M z' = F(t, z) by extrapolated differences in t, and z(t0). M is applied
 * to x and to each column of S and S0; it is the identity where the problem has none. */
#include <string.h>

#include "exact.h"

enum { TIMES = 3, SHAKES = 4, SHAKES_TOGETHER = 2 };
/* The equations of one part of z = [x | S | S0] fail. */
struct failed {
    bool x, derivative, start;
};

/* ---- right sides --------------------------------------------------------------------------------------- */

/* OUT [n][cols] = J block, plus f_p where it is S. By one lane and one column, each on an output of zeros, so
 * that the closed form is not blamed for the handling of blocks and outputs. */
static void variational(const struct form *form, const struct sens_at *at, size_t cols, bool is_S,
                        const double *block, double *out)
{
    const struct linear J = linear_at(form->subject, PRODUCT_JVP, at);
    const struct linear F = linear_at(form->subject, PRODUCT_JVP_P, at);
    const struct sens_arena_mark mark = sens_arena_mark(&form->subject->v->ctx.arena);
    const size_t n = form->pb.n;
    double *column = verify_array(form->subject->v, n), *image = verify_array(form->subject->v, n);
    double *explicit = verify_array(form->subject->v, n), *unit = verify_array(form->subject->v, form->pb.np);
    for (size_t c = 0; c < cols; c++) {
        for (size_t i = 0; i < n; i++) column[i] = block[i * cols + c];
        linear_apply(&J, 1, column, image);
        if (is_S) unit[c] = 1, linear_apply(&F, 1, unit, explicit), unit[c] = 0;
        for (size_t i = 0; i < n; i++) out[i * cols + c] = image[i] + explicit[i];
    }
    sens_arena_rewind(&form->subject->v->ctx.arena, mark);
}

/* OUT = [f | J S + f_p | J S0] at z; false: rhs has no value there. */
static bool right_side(const struct form *form, double t, const double *p, const double *z, double *out)
{
    const struct sens_problem *pb = &form->pb;
    const size_t n = pb->n, np = form->with_S ? pb->np : 0;
    const struct sens_at at = {t, z, p};
    if (pb->type->rhs(pb, &at, out) != SENS_OK) return false;
    variational(form, &at, np, true, z + n, out + n);
    if (form->with_S0) variational(form, &at, n, false, z + n + n * np, out + n + n * np);
    return true;
}

/* z a few roundings off: by chance, or all by the same. Where x is an equilibrium but for rounding, f is 0 at one value
 * of it, which chance may hit each time. */
static const double *shaken_state(struct verify *v, size_t count, const double *z, int shake)
{
    if (shake < SHAKES) return verify_shaken(v, count, z);
    double *const made = verify_copy(v, count, z);
    for (size_t q = 0; q < count; q++) made[q] *= 1 + (shake == SHAKES ? 4 : -4) * DBL_EPSILON;
    return made;
}

/* What rounding in z, t and p does to the right sides. */
static void right_spread(const struct form *form, double t, const double *p, const double *right,
                         double *spread)
{
    const size_t count = form_size(form);
    double *z = verify_array(form->subject->v, count), *moved = verify_array(form->subject->v, count);
    for (int k = 0; k < SHAKES + SHAKES_TOGETHER; k++) {
        if (!form_shaken(form, t, p, z)) continue;
        if (!right_side(form, t, p, shaken_state(form->subject->v, count, z, k), moved)) continue;
        for (size_t q = 0; q < count; q++) spread[q] = fmax(spread[q], fabs(moved[q] - right[q]));
    }
}

/* ---- slopes in time ------------------------------------------------------------------------------------ */

struct passage { /* z along time */
    const struct form *form;
    double t;
    const double *p;
};

static bool passage_value(const void *self, double s, bool shaken, double *out)
{
    const struct passage *at = self;
    return shaken ? form_shaken(at->form, at->t + s, at->p, out)
                  : form_value(at->form, at->t + s, at->p, out);
}

/* slope and bound [n][cols] become M slope and |M| bound; the rounding of the sums is in the bound (NULL: none). */
static void multiply_by_mass(const struct form *form, size_t cols, double *slope, double *bound)
{
    const struct sens_mass *const mass = form->pb.mass;
    const struct sens_pattern *const rows = &mass->pattern;
    const struct sens_arena_mark mark = sens_arena_mark(&form->subject->v->ctx.arena);
    const size_t n = form->pb.n;
    const double *const v = verify_copy(form->subject->v, n * cols, slope);
    const double *const b = bound ? verify_copy(form->subject->v, n * cols, bound) : NULL;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < cols; c++) {
            double sum = 0, doubt = 0;
            for (size_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
                const size_t q = rows->col[e] * cols + c;
                sum += mass->value[e] * v[q];
                if (b) doubt += fabs(mass->value[e]) * (b[q] + 8 * DBL_EPSILON * fabs(v[q]));
            }
            slope[i * cols + c] = sum;
            if (bound) bound[i * cols + c] = doubt;
        }
    sens_arena_rewind(&form->subject->v->ctx.arena, mark);
}

static void multiply_parts(const struct form *form, double *slope, double *bound)
{
    const size_t n = form->pb.n, np = form->with_S ? form->pb.np : 0, S0 = n + n * np;
    if (!form->pb.mass) return;
    multiply_by_mass(form, 1, slope, bound);
    multiply_by_mass(form, np, slope + n, bound + n);
    if (form->with_S0) multiply_by_mass(form, n, slope + S0, bound + S0);
}

/* Which part of z entry q is in, and where. */
static const char *part_of(const struct form *form, size_t q, size_t *row, size_t *col)
{
    const size_t n = form->pb.n, np = form->with_S ? form->pb.np : 0;
    *row = q, *col = 0;
    if (q < n || n == 0) return "x";
    const bool in_S = np > 0 && q < n + n * np;
    const size_t width = in_S ? np : n, first = in_S ? n : n + n * np;
    *row = (q - first) / width, *col = (q - first) % width;
    return in_S ? "S" : "S0";
}

static void note_slopes(struct worst *worst, const struct form *form, double t, const double *p, double h0,
                        struct failed *failed)
{
    struct verify *v = form->subject->v;
    const size_t count = form_size(form);
    const struct passage passage = {form, t, p};
    const struct curve curve = {v, count, passage_value, &passage, false, NULL, 0};
    double *z = verify_array(v, count), *right = verify_array(v, count), *spread = verify_array(v, count);
    double *slope = verify_array(v, count), *bound = verify_array(v, count);
    if (!form_value(form, t, p, z) || !right_side(form, t, p, z, right)) return;
    right_spread(form, t, p, right, spread);
    curve_slope(&curve, h0, slope, bound);
    multiply_parts(form, slope, bound);
    for (size_t q = 0; q < count; q++) {
        size_t row, col;
        const double limit = bound[q] + 8 * spread[q] + 32 * DBL_EPSILON * fabs(right[q]);
        const char *const part = part_of(form, q, &row, &col);
        if (!isfinite(bound[q])) continue;
        worst_note(worst, fabs(slope[q] - right[q]), limit,
                   "%sd%s[%zu][%zu]/dt at t = %.4g: %.10g is not %.10g", form->pb.mass ? "M " : "", part, row,
                   col, t, slope[q], right[q]);
        if (fabs(slope[q] - right[q]) <= limit) continue;
        *(q < form->pb.n ? &failed->x : &failed->derivative) = true;
    }
}

/* ---- the start ----------------------------------------------------------------------------------------- */

/* What an algebraic equation makes of the other states is not what x0 was: it is M S0 that is M at t0. */
static void multiply_S0(const struct form *form, double *z)
{
    const size_t n = form->pb.n, np = form->with_S ? form->pb.np : 0;
    if (form->pb.mass && form->with_S0) multiply_by_mass(form, n, z + n + n * np, NULL);
}

/* size [count]: of each number of z, at t0 and a part of the interval later. A form may add numbers of that size, and
 * take them away again. */
static void start_sizes(const struct form *form, const double *p, const double *z, double *size)
{
    static const double LATER = 0.15;
    const struct sens_problem *const pb = &form->pb;
    const size_t count = form_size(form);
    double *const later = verify_array(form->subject->v, count);
    const bool known = form_value(form, pb->t0 + LATER * (pb->t1 - pb->t0), p, later);
    if (known) multiply_S0(form, later);
    for (size_t q = 0; q < count; q++) size[q] = known ? fmax(fabs(z[q]), fabs(later[q])) : fabs(z[q]);
}

/* spread = max(spread, |a - b|), componentwise. */
static void spread_grow(double *spread, size_t count, const double *a, const double *b)
{
    for (size_t i = 0; i < count; i++) spread[i] = fmax(spread[i], fabs(a[i] - b[i]));
}

/* What rounding in p does to z(t0): terms of a closed form that cancel there are seen by it. false: no values. */
static bool spread_at_start(const struct form *form, const double *p, const double *z, double *spread)
{
    struct verify *const v = form->subject->v;
    double *const moved = verify_array(v, form_size(form));
    bool any = false;
    for (int k = 0; k < SHAKES; k++) {
        if (!form_value(form, form->pb.t0, verify_shaken(v, form->pb.np, p), moved)) continue;
        any = true;
        multiply_S0(form, moved);
        spread_grow(spread, form_size(form), moved, z);
    }
    return any;
}

/* What rounding in t and p, or in t alone, does to z right behind t0. Values there are held against each other and not
 * against z(t0): a form with a value of its own at t0 would widen its bound by its error. false: no values. */
static bool spread_behind_start(const struct form *form, const double *p, double *spread)
{
    struct verify *const v = form->subject->v;
    const struct sens_problem *const pb = &form->pb;
    const size_t count = form_size(form);
    const double ulps = 4 * DBL_EPSILON * fmax(pb->t1 - pb->t0, fabs(pb->t0));
    double *const moved = verify_array(v, count), *const first = verify_array(v, count);
    bool any = false;
    for (int k = 0; k < SHAKES; k++) {
        const double t = pb->t0 + verify_uniform(v, 0, ulps);
        const double *const q = k < SHAKES - SHAKES_TOGETHER ? verify_shaken(v, pb->np, p) : p;
        if (!form_value(form, t, q, moved)) continue;
        multiply_S0(form, moved);
        if (!any) memcpy(first, moved, count * sizeof *first);
        spread_grow(spread, count, moved, first);
        any = true;
    }
    return any;
}

/* Of a number's size: where exponents near 1 stand in a denominator, five digits of sixteen are lost. */
static const double FORM_ROUNDING = 2e-11;

static void note_start(struct worst *worst, const struct form *form, const double *p, struct failed *failed)
{
    struct verify *v = form->subject->v;
    const struct sens_problem *pb = &form->pb;
    const size_t n = pb->n, np = form->with_S ? pb->np : 0, count = form_size(form);
    double *z = verify_array(v, count), *want = verify_array(v, count), *spread = verify_array(v, count);
    double *const size = verify_array(v, count);
    if (!form_value(form, pb->t0, p, z)) return;
    sens_problem_x0(pb, p, want);
    if (np && sens_problem_x0_depends(pb) && pb->type->x0_jvp_cols)
        pb->type->x0_jvp_cols(pb, p, 0, np, want + n);
    for (size_t i = 0; form->with_S0 && i < n; i++) want[n + n * np + i * n + i] = 1;
    multiply_S0(form, z), multiply_S0(form, want);
    const bool at_start = spread_at_start(form, p, z, spread);
    if (!spread_behind_start(form, p, spread) && !at_start) return;
    start_sizes(form, p, z, size);
    for (size_t q = 0; q < count; q++) {
        size_t row, col;
        const char *const part = part_of(form, q, &row, &col);
        const double unit =
            part[0] == 'S' && part[1] ? 64 * DBL_EPSILON : 0; /* of modes that add up to 1, or 0 */
        const double bound = FORM_ROUNDING * fmax(size[q], fabs(want[q])) + 16 * spread[q] + unit;
        worst_note(worst, fabs(z[q] - want[q]), bound, "%s[%zu][%zu] at t0: %.10g is not %.10g", part, row,
                   col, z[q], want[q]);
        if (!(fabs(z[q] - want[q]) <= bound)) failed->start = true;
    }
}

/* ---- the check ----------------------------------------------------------------------------------------- */

/* Do the products agree with rhs? If they do not, the closed form has a witness against one of them. */
static bool products_agree(const struct subject *subject, struct suspicion *suspicion)
{
    for (int k = 0; k < 2; k++) {
        const struct sens_at at = subject_point(subject, 1);
        suspicion_look(suspicion, subject, PRODUCT_JVP, &at);
        if (subject->pb->np > 0) suspicion_look(suspicion, subject, PRODUCT_JVP_P, &at);
    }
    return suspicion->places == 0;
}

/* Only the values at t0 are wrong: is it x0 and its derivative that do not fit? */
static void blame_start(struct verify_result *result, const struct subject *subject)
{
    struct suspicion suspicion = {.places = 0};
    const struct sens_at at = subject_point(subject, 1);
    const bool depends = sens_problem_x0_depends(subject->pb) && subject->pb->type->x0_jvp_cols;
    const bool wrong = depends && suspicion_look(&suspicion, subject, PRODUCT_X0_JVP, &at);
    suspicion_tell(&suspicion, result);
    verify_blame(result, CAUSE_closed_form_wrong, wrong ? 0.2 : 0.8);
    if (depends) verify_blame(result, CAUSE_initial_products, 0.6);
}

static void blame(struct verify_result *result, const struct subject *subject, const struct failed *failed)
{
    struct suspicion suspicion = {.places = 0};
    if (!failed->x && !failed->derivative) {
        blame_start(result, subject);
        return;
    }
    const bool agree = products_agree(subject, &suspicion);
    if (failed->x) {
        verify_blame(result, CAUSE_closed_form_wrong, agree ? 0.8 : 0.5);
        verify_blame(result, CAUSE_rhs_itself, agree ? 0.6 : 0.9);
    } else {
        suspicion_tell(&suspicion, result);
        verify_blame(result, CAUSE_closed_form_wrong, agree ? 1 : 0.2);
    }
}

/* Where parameters number k are looked at, in shares of the interval: not at an end, near the beginning, where forms
 * have a branch of their own, and anywhere. */
static double quick_place(struct verify *v, int k)
{
    const double usual = 0.15, nearest = 1e-3;
    if (k == 0) return usual;
    return k == 1 ? nearest * pow(usual / nearest, verify_uniform(v, 0, 1))
                  : verify_uniform(v, usual, 1 - usual);
}

/* Number k of the parameters, at times inside the interval, so that differences stay in it. */
static void note_parameters(struct worst *worst, const struct subject *subject, int k, const double *p,
                            struct failed *failed)
{
    static const double place[TIMES] = {0.15, 0.5, 0.85};
    const struct sens_problem *pb = subject->pb;
    const double span = pb->t1 - pb->t0;
    const struct sens_exact_query query = {.level = SENS_EXACT_ODE, .t = pb->t0 + span / 2};
    struct form form;
    if (!form_create(subject, &query, p, &form)) return;
    const double drawn = quick_place(subject->v, k);
    note_slopes(worst, &form, pb->t0 + span * drawn, p, fmin(0.1, drawn / 2) * span, failed);
    for (int i = 0; i < TIMES && !subject->v->quick; i++)
        note_slopes(worst, &form, pb->t0 + span * place[i], p, 0.1 * span, failed);
    note_start(worst, &form, p, failed);
}

bool exact_check_equation(const struct subject *subject, const char *check)
{
    struct verify *v = subject->v;
    const struct sens_problem *pb = subject->pb;
    struct worst worst = {.count = 0};
    struct failed failed = {false, false, false};
    double *scaled = verify_copy(v, pb->np, pb->p);
    const double factor = verify_uniform(v, 0.9, 1.1);
    for (size_t k = 0; k < pb->np; k++) scaled[k] *= factor;
    note_parameters(&worst, subject, 0, pb->p, &failed);
    note_parameters(&worst, subject, 1, scaled, &failed); /* where p must keep its proportions */
    note_parameters(&worst, subject, 2, verify_perturbed(v, pb->np, pb->p, 0.05), &failed);
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, &worst);
    if (worst.count == 0) verify_say(&result, "this instance has no closed form of the ODE");
    if (result.verdict == VERIFY_FAIL) blame(&result, subject, &failed);
    verify_close(v, &result);
    return result.verdict != VERIFY_FAIL;
}
