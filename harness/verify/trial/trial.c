/* Tasks for one method, the bounds that its kind sets, and the patterns of a difference. */
#include "trial.h"

#include <string.h>

enum { FIXED_STEPS = 32 };

/* ---- tasks --------------------------------------------------------------------------------------------- */

struct scene_settings trial_settings(struct verify *v, size_t m)
{
    struct scene_settings s = {.tableau = "cash_karp",
                               .controller = "odeint",
                               .steps = FIXED_STEPS,
                               .n = 4,
                               .np = 5,
                               .m = m,
                               .x0_depends = true,
                               .parts = PROBE_AT_T0 | PROBE_BETWEEN | PROBE_AT_T1 | PROBE_RUNNING |
                                        PROBE_EXPLICIT};
    if (v->seed) {
        s.n = (size_t)verify_integer(v, 1, 6);
        s.np = (size_t)verify_integer(v, 1, 7);
        s.x0_depends = verify_integer(v, 0, 3) > 0;
    }
    if (v->method->derivative == SENS_DERIVATIVE_DIFFERENCE) s.controller = "fixed";
    if (v->method->derivative == SENS_DERIVATIVE_CONTINUOUS) {
        s.tableau = "dopri5";
        s.tol = v->seed ? pow(10, verify_uniform(v, -11, -9)) : 1e-10;
    }
    return s;
}

struct scene_settings trial_open_settings(struct verify *v, size_t m)
{
    struct scene_settings s = trial_settings(v, m);
    if (!(v->method->caps & SENS_CAP_TABLEAU)) s.tableau = NULL;
    if (!(v->method->caps & SENS_CAP_CONTROLLER)) s.controller = NULL;
    return s;
}

struct scene_settings trial_fixed_settings(struct verify *v, size_t m)
{
    struct scene_settings s = trial_settings(v, m);
    s.controller = "fixed";
    return s;
}

void trial_decorated(const struct scene *scene, const struct sens_problem *problem,
                     const struct sens_cost *cost, struct bed *bed)
{
    bed_create(scene->bed.v, problem, cost, scene->bed.method, bed);
    bed->task = scene->bed.task;
}

/* ---- bounds -------------------------------------------------------------------------------------------- */

bool trial_right(struct scene *scene)
{
    struct expected expected;
    if (bed_solve(&scene->bed) != SENS_OK || expected_declared(&scene->bed, &expected) != SENS_OK)
        return false;
    return !trial_pattern(&scene->bed, &scene->bed.out, &expected.value, &expected.bound).any;
}

void trial_skip(const struct bed *bed, struct verify_result *result)
{
    if (bed->status != SENS_OK)
        verify_skip(result, "the method does not solve the probe: %s: %s", sens_status_name(bed->status),
                    bed->message);
    else
        verify_skip(result,
                    "what it may be off by on the probe is not known: its tableau or its steps are its own, "
                    "or the harness's own solve fails");
}

sens_status trial_apart(struct scene *scene, struct sens_out *apart)
{
    struct sens_out allowed;
    const sens_status status = expected_allowed(&scene->bed, &allowed);
    *apart = bed_shape(&scene->bed);
    out_add(&scene->bed, apart, 2, &allowed);
    return status;
}

/* Relative to the gradient. A discrete derivative is the same number however it is computed, up to rounding, and a
 * quotient whatever else is asked for: this is above the rounding of the one, and far below the error of the other. */
static const double SAME = 1e-9;

void trial_digits(const struct bed *bed, const struct sens_out *right, struct sens_out *apart)
{
    *apart = bed_shape(bed);
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = bed_part(bed, k);
        const double most = (SAME + bed->work.residual) * out_norm(bed, right, NULL, 1u << k);
        for (size_t q = 0; apart->part[k] && q < shape.rows * shape.cols; q++) apart->part[k][q] = most;
    }
}

/* Where the map is the method's own, the harness cannot tell what rounding does to it. */
sens_status trial_same(struct scene *scene, struct sens_out *apart)
{
    const struct bed *bed = &scene->bed;
    const sens_status status = trial_apart(scene, apart);
    if (status == SENS_OK || bed->method->derivative != SENS_DERIVATIVE_DISCRETE || expected_rebuilds(bed))
        return status;
    trial_digits(bed, &bed->out, apart);
    return SENS_OK;
}

struct sens_out trial_nothing(const struct bed *bed)
{
    return bed_outputs(bed); /* memory of the arena is zero */
}

void trial_compare(struct worst *worst, const struct bed *bed, const struct sens_out *right,
                   const struct sens_out *bound, const char *what)
{
    if (bed->status == SENS_OK)
        out_compare(worst, bed, &bed->out, right, bound, what);
    else
        worst_note(worst, INFINITY, 0, "%s: %s %s", what, sens_status_name(bed->status), bed->message);
}

void trial_compare_anew(struct worst *worst, const struct bed *bed, const struct grid *steps,
                        const struct sens_out *right, const struct sens_out *bound, const char *what)
{
    const bool of_a_map = bed->method->derivative != SENS_DERIVATIVE_CONTINUOUS;
    const bool others =
        of_a_map && bed->status == SENS_OK && bed->grid.steps > 0 && !grid_same(&bed->grid, steps);
    struct expected own;
    if (!others || !(bed->method->caps & SENS_CAP_TABLEAU))
        trial_compare(worst, bed, right, bound, what);
    else if (expected_declared(bed, &own) == SENS_OK)
        trial_compare(worst, bed, &own.value, &own.bound, what);
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

static bool near(double a, double b, double bound)
{
    return fabs(a - b) <= bound;
}

static double largest_of(size_t count, const double *v)
{
    double largest = 0;
    for (size_t q = 0; q < count; q++) largest = fmax(largest, fabs(v[q]));
    return largest;
}

/* Adds array k; true when it differs. */
static bool add_array(struct pattern *pattern, size_t count, const double *got, const double *right,
                      const double *bound)
{
    const double largest = largest_of(count, right);
    bool differs = false;
    for (size_t q = 0; q < count; q++) {
        if (near(got[q], right[q], bound[q])) continue;
        const double relative = largest > 0 ? fabs(got[q] - right[q]) / largest : INFINITY;
        differs = true;
        if (!near(got[q], 2 * right[q], 3 * bound[q] + 1e-12 * fabs(right[q]))) pattern->doubled = false;
        if (isfinite(got[q]) && got[q] != 0) pattern->unset = false;
        pattern->relative = isfinite(relative) ? fmax(pattern->relative, relative) : INFINITY;
    }
    return differs;
}

struct pattern trial_pattern(const struct bed *bed, const struct sens_out *got, const struct sens_out *right,
                             const struct sens_out *bound)
{
    struct pattern pattern = {.doubled = true, .unset = true};
    unsigned differs = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const double *const a = got->part[k], *const b = right->part[k], *const limit = bound->part[k];
        if (a && b && limit && add_array(&pattern, bed_count(bed, k), a, b, limit)) differs |= 1u << k;
    }
    pattern.results = differs & SENS_IN_STATE;
    pattern.parameters = sens_parts_wrt(differs) & SENS_WRT_P;
    pattern.states = sens_parts_wrt(differs) & SENS_WRT_X0;
    pattern.any = pattern.results || pattern.parameters || pattern.states;
    if (!pattern.any) pattern.doubled = pattern.unset = false;
    return pattern;
}

void trial_merge(struct pattern *all, const struct pattern *one)
{
    if (!one->any) return;
    all->doubled = one->doubled && (all->doubled || !all->any);
    all->unset = one->unset && (all->unset || !all->any);
    all->any = true;
    all->parameters |= one->parameters;
    all->states |= one->states;
    all->results |= one->results;
    all->relative = fmax(all->relative, one->relative);
}

/* ---- rows of the gradient ------------------------------------------------------------------------------ */

struct rows {
    const struct bed *bed;
    const struct sens_out *got, *right, *bound;
};

/* Entry k of row c: parameters, then initial states; 0 for a part that was not asked for. */
static double entry(const struct bed *bed, const struct sens_out *out, size_t c, size_t k)
{
    const size_t n = bed->problem.n, np = bed->problem.np;
    if (k < np) return out->dGdp ? out->dGdp[c * np + k] : 0;
    return out->dGdx0 ? out->dGdx0[c * n + (k - np)] : 0;
}

/* Is row c of the result row r of what is right, plus `weight` times its row s? */
static bool row_is(const struct rows *rows, size_t c, size_t r, double weight, size_t s)
{
    const size_t count = rows->bed->problem.n + rows->bed->problem.np;
    for (size_t k = 0; k < count; k++) {
        const double right = entry(rows->bed, rows->right, r, k) +
                             (weight != 0 ? weight * entry(rows->bed, rows->right, s, k) : 0);
        const double bound = entry(rows->bed, rows->bound, r, k) + entry(rows->bed, rows->bound, s, k);
        if (!near(entry(rows->bed, rows->got, c, k), right, bound)) return false;
    }
    return true;
}

static bool row_unset(const struct rows *rows, size_t c)
{
    const size_t count = rows->bed->problem.n + rows->bed->problem.np;
    for (size_t k = 0; k < count; k++) {
        const double value = entry(rows->bed, rows->got, c, k);
        if (isfinite(value) && value != 0) return false;
    }
    return true;
}

static bool row_of_another(const struct rows *rows, size_t c)
{
    for (size_t r = 0; r < rows->bed->cost.m; r++)
        if (r != c && row_is(rows, c, r, 0, r)) return true;
    return false;
}

static bool column_is_right(const struct rows *rows, size_t k)
{
    for (size_t c = 0; c < rows->bed->cost.m; c++)
        if (!near(entry(rows->bed, rows->got, c, k), entry(rows->bed, rows->right, c, k),
                  entry(rows->bed, rows->bound, c, k)))
            return false;
    return true;
}

/* Where the lanes are columns, of one part at a time: is none of the first L wrong in either? */
static bool first_columns_are_right(const struct rows *rows, size_t L)
{
    const size_t np = rows->bed->problem.np, count = np + rows->bed->problem.n;
    for (size_t k = 0; k < count; k++)
        if ((k < np ? k : k - np) < L && !column_is_right(rows, k)) return false;
    return true;
}

bool trial_first_alone(const struct bed *bed, const struct sens_out *got, const struct sens_out *right,
                       const struct sens_out *bound, size_t L)
{
    const struct rows rows = {bed, got, right, bound};
    for (size_t c = 0; c < bed->cost.m; c++)
        if (row_is(&rows, c, c, 0, c) != (c % L == 0)) return false;
    return true;
}

void trial_blame_rows(const struct bed *bed, const struct sens_out *got, const struct sens_out *right,
                      const struct sens_out *bound, size_t L, struct verify_result *result)
{
    const struct rows rows = {bed, got, right, bound};
    const size_t m = bed->cost.m, tail = L > 0 ? m % L : 0;
    size_t wrong = 0, first = m, unset = 0, moved = 0, added = 0;
    for (size_t c = 0; c < m; c++) {
        if (row_is(&rows, c, c, 0, c)) continue;
        if (wrong++ == 0) first = c;
        unset += row_unset(&rows, c);
        moved += row_of_another(&rows, c);
        added += L > 0 && c >= L && row_is(&rows, c, c, 1, c - L);
    }
    if (wrong == 0) return;
    verify_say(result, "%zu of %zu rows are wrong, from row %zu on, %zu lanes", wrong, m, first, L);
    verify_blame(result, CAUSE_lanes_lost, unset == wrong ? 0.95 : 0.2);
    verify_blame(result, CAUSE_lanes_shifted, moved > 0 && moved + unset >= wrong ? 0.95 : 0.15);
    verify_blame(result, CAUSE_stale_workspace, added == wrong ? 1 : L > 0 && first >= L ? 0.5 : 0.2);
    verify_blame(result, CAUSE_lane_tail, tail && first > 0 && first == m - tail ? 0.8 : 0.1);
    if (L > 0 && (first >= L || first_columns_are_right(&rows, L)))
        verify_blame(result, CAUSE_later_block, added == wrong ? 0.3 : 0.9);
    verify_blame(result, CAUSE_lane_mixed, 0.3);
}
