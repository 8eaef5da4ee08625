/* cost.equal, states that are equal; and cost.zero: d phi_c/d x_i, d g_c/d x_i at x_i = a, where the one-sided
 * quotients (phi(a + d) - phi(a))/d settle: a = 0, and a number that an option has by default, as a setpoint is;
 * and the derivatives by p and all other x_k at x_i = 0, against differences that stay there. */
#include <math.h>

#include "cost_terms.h"

/* ---- a state that is 0 --------------------------------------------------------------------------------- */

enum {
    MOST_OPTIONS = 4,
    MOST_STATES = 16,
    MOST_PLANES = 3,
    SIDES = 2,
    DISTANCES = 2,
    AROUND = SIDES * DISTANCES
};
/* Of the size of the state; a quotient that grows by no more than GROWTH from the one to the other does not go to
 * infinity: that of sqrt(d) grows by 30. */
static const double DISTANCE[DISTANCES] = {1e-3, 1e-6}, GROWTH = 3, EDGE = 100;

static double *values_at(const struct term *term, const double *p, double *x, size_t i, double to)
{
    x[i] = to;
    return term_part(term, PART_VALUE, (struct place){x, p});
}

/* Does functional c have slopes on both sides? */
static bool has_slopes(size_t c, const double *here, double *const around[AROUND], double size)
{
    for (int side = 0; side < SIDES; side++) {
        double quotient[DISTANCES];
        for (int k = 0; k < DISTANCES; k++)
            quotient[k] = fabs(around[side * DISTANCES + k][c] - here[c]) / (DISTANCE[k] * size);
        if (!(quotient[1] <= GROWTH * quotient[0] + DBL_EPSILON * fabs(here[c]) / (DISTANCE[1] * size)))
            return false;
    }
    return true;
}

/* State i of the place is made `to`. */
static void note_at(const struct term *term, struct place place, size_t i, double to, struct worst *worst)
{
    struct verify *v = term->at->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const size_t m = term->at->cost.m;
    const double size = to != 0 ? fabs(to) : place.x[i] == 0 ? 1 : fabs(place.x[i]);
    double *const x = verify_copy(v, term->at->cost.n, place.x), *around[AROUND];
    char name[VERIFY_NAME];
    for (int k = 0; k < AROUND; k++) {
        const double distance = DISTANCE[k % DISTANCES] * size;
        around[k] = values_at(term, place.p, x, i, to + (k < DISTANCES ? distance : -distance));
    }
    const double *const here = values_at(term, place.p, x, i, to);
    const double *const D = term_part(term, PART_DX, (struct place){x, place.p});
    term_name(term, PART_DX, name);
    for (size_t c = 0; c < m; c++)
        if (has_slopes(c, here, around, size))
            worst_note(worst, isfinite(D[i * m + c]) ? 0 : INFINITY, 0,
                       "%s at x_%zu = %.6g, functional %zu of %zu: %g, where the value is %.6g and has "
                       "slopes on both sides",
                       name, i, to, c, m, D[i * m + c], here[c]);
    sens_arena_rewind(&v->ctx.arena, mark);
}

/* At 0, and at the defaults of options that are real numbers. */
static void note_state(const struct term *term, struct place place, size_t i, struct worst *worst)
{
    const struct sens_option *const table = term->at->v->cost->options;
    note_at(term, place, i, 0, worst);
    for (size_t k = 0; k < sens_option_count(table) && k < MOST_OPTIONS; k++)
        if (table[k].kind == SENS_OPT_REAL && table[k].fallback != 0)
            note_at(term, place, i, table[k].fallback, worst);
}

/* Along the plane x_i = 0. What is wrong beside it, too, is not the zero's fault: cost.places says so. The plane
 * may lie at the edge of what the problem is made for, where differences are poor; a product that takes 0 apart
 * is wrong by as much as itself. */
static void note_plane(const struct term *term, struct place place, size_t i, struct worst *worst)
{
    struct verify *v = term->at->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    double *const x = verify_copy(v, term->at->cost.n, place.x);
    x[i] = 0;
    for (enum part part = PART_DX; part <= PART_DP; part++) {
        struct worst here = {.count = 0}, beside = {.count = 0};
        cost_note_line(&here, term, part, (struct place){x, place.p});
        if (!worst_passes(&here)) cost_note_line(&beside, term, part, place);
        if (here.count && worst_passes(&beside))
            worst_note(worst, here.value, EDGE * here.bound, "x_%zu = 0: %s", i, here.where);
    }
    sens_arena_rewind(&v->ctx.arena, mark);
}

static void note_planes(const struct term *term, struct place place, struct worst *worst)
{
    const size_t n = term->at->cost.n, planes = n < MOST_PLANES ? n : MOST_PLANES;
    for (size_t q = 0; q < planes; q++)
        note_plane(term, place, planes > 1 ? q * (n - 1) / (planes - 1) : 0, worst);
}

/* ---- states that are equal ----------------------------------------------------------------------------- */

/* Of the states' size; slopes that differ by less than SMOOTH from one side to the other are those of a function that
 * has a derivative, and a derivative that is off by more than OFF of it is another's. */
static const double NEAR = 1e-5, SMOOTH = 1e-3, OFF = 1e-2;
/* Of what is near 1, as a loss that has saturated, nothing is left in a smaller change. */
static const double LEAST = 1e-13;

/* What a few roundings of the place do to the values: the largest of some. */
static double *noise_of(const struct term *term, struct place place, const double *here)
{
    enum { SHAKES = 4 };
    struct verify *v = term->at->v;
    const size_t m = term->at->cost.m;
    double *const noise = verify_array(v, m);
    for (int k = 0; k < SHAKES; k++) {
        const struct place beside = {cost_moved(v, term->at->cost.n, place.x, NULL, 0, true), place.p};
        const double *const other = term_part(term, PART_VALUE, beside);
        for (size_t c = 0; c < m; c++) noise[c] = fmax(noise[c], fabs(other[c] - here[c]));
    }
    return noise;
}

/* Along a random direction from the place. */
static void note_slope(const struct term *term, struct place place, size_t i, size_t j, struct worst *worst)
{
    struct verify *v = term->at->v;
    const size_t n = term->at->cost.n, m = term->at->cost.m;
    const double *const way = cost_direction(v, n, place.x);
    const double *const here = term_part(term, PART_VALUE, place), *const D = term_part(term, PART_DX, place);
    const double *const above =
        term_part(term, PART_VALUE, (struct place){cost_moved(v, n, place.x, way, NEAR, false), place.p});
    const double *const below =
        term_part(term, PART_VALUE, (struct place){cost_moved(v, n, place.x, way, -NEAR, false), place.p});
    const double *const noise = noise_of(term, place, here);
    for (size_t c = 0; c < m; c++) {
        const double up = (above[c] - here[c]) / NEAR, down = (here[c] - below[c]) / NEAR;
        const double rounding = 64 * (DBL_EPSILON * fabs(here[c]) + noise[c]) / NEAR,
                     size = fmax(fabs(up), fabs(down));
        double slope = 0, terms = 0;
        for (size_t q = 0; q < n; q++) slope += D[q * m + c] * way[q], terms += fabs(D[q * m + c] * way[q]);
        if (!(fabs(up - down) <= SMOOTH * size + rounding) || size * NEAR < LEAST) continue;
        worst_note(worst, fabs(slope - (up + down) / 2), OFF * fmax(size, terms) + rounding,
                   "x_%zu = x_%zu, functional %zu: the slope is %.6g, and %.6g by the derivative", i, j, c,
                   (up + down) / 2, slope);
    }
}

/* States 0 and 1, and the first and the last one. */
static void note_equal(const struct term *term, struct place place, struct worst *worst)
{
    const size_t n = term->at->cost.n, others[] = {1, n - 1};
    for (size_t k = 0; k < 2 && others[k] < n && (k == 0 || others[k] > 1); k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&term->at->v->ctx.arena);
        double *const x = verify_copy(term->at->v, n, place.x);
        x[others[k]] = x[0];
        note_slope(term, (struct place){x, place.p}, 0, others[k], worst);
        sens_arena_rewind(&term->at->v->ctx.arena, mark);
    }
}

/* Is phi_dx or g_dx wrong where no two states are equal? */
static bool is_wrong_anyway(const struct cost_case *at, struct place place)
{
    struct term term[MOST_TERMS];
    for (size_t k = 0, terms = cost_terms(at, term); k < terms; k++)
        if (cost_is_wrong(&term[k], PART_DX, place)) return true;
    return false;
}

void cost_check_equal(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.equal", at->v->module, at->label);
    struct worst worst = {.count = 0};
    struct term term[MOST_TERMS];
    const struct place place = cost_place(at, 1);
    for (size_t k = 0, terms = at->cost.n > 1 ? cost_terms(at, term) : 0; k < terms; k++)
        note_equal(&term[k], place, &worst);
    verify_judge_or(&result, &worst, "one state, or no value is smooth where two are equal");
    if (result.verdict == VERIFY_FAIL)
        verify_blame(&result, CAUSE_branch, is_wrong_anyway(at, place) ? 0.1 : 0.97);
    verify_close(at->v, &result);
}

/* ---- the checks ---------------------------------------------------------------------------------------- */

void cost_check_zero(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.zero", at->v->module, at->label);
    struct worst worst = {.count = 0};
    struct term term[MOST_TERMS];
    const struct place place = cost_place(at, 1);
    const size_t n = at->cost.n, states = n < MOST_STATES ? n : MOST_STATES;
    for (size_t k = 0, terms = cost_terms(at, term); k < terms; k++) {
        for (size_t q = 0; q < states; q++) note_state(&term[k], place, q * n / states, &worst);
        note_planes(&term[k], place, &worst);
    }
    verify_judge_or(&result, &worst, "no value has slopes on both sides of a state that is 0");
    if (result.verdict == VERIFY_FAIL) verify_blame(&result, CAUSE_exact_zero, 0.97);
    verify_close(at->v, &result);
}
