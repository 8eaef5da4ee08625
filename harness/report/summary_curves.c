/* Curves of time against error, one for each implementation and task: of which rows they are, and when they
 * come to an accuracy.
 *
 * Of a curve count the points that no other one beats in both error and time (the lower envelope). Between
 * the two around a goal e, log t = log t_a + (log t_b - log t_a) (log e - log e_a) / (log e_b - log e_a).
 * Where the fastest of all points is exact enough, its time is the time. Where none is, the goal is not
 * reached: no extrapolation. A curve whose points are all more exact than the goal has a bound: a looser
 * tolerance might be faster than its fastest point. (The profile, summary_profile.c, takes it for the time.)
 *
 * Rows of sweeps that measure the same tasks may be taken together (summary.together). Those of any other sweep
 * are a set of their own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"

#include "array.h"
#include "spec.h"
#include "summary.h"

static const double accuracy_goal[GOALS] = {1e-4, 1e-6, 1e-8, 1e-10};

/* ---- one curve ----------------------------------------------------------------------------------------- */

/* Ascending in the error; of equal errors the fastest first. Few: by insertion. */
static void sort_points(size_t count, double error[], double seconds[])
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            const double e = error[j], t = seconds[j];
            if (error[j - 1] < e || (error[j - 1] == e && seconds[j - 1] <= t)) break;
            error[j] = error[j - 1], seconds[j] = seconds[j - 1];
            error[j - 1] = e, seconds[j - 1] = t;
        }
}

double accuracy_seconds(size_t count, double error[], double seconds[], double goal, bool *bound)
{
    double below = NAN, below_seconds = NAN; /* the fastest of those that are exact enough */
    *bound = false;
    for (size_t i = 0; i < count; i++)
        if (!(error[i] > 0 && seconds[i] > 0)) return NAN;
    sort_points(count, error, seconds);
    for (size_t i = 0; i < count; i++) {
        if (seconds[i] >= below_seconds) continue; /* beaten in both */
        if (error[i] > goal && isnan(below)) return NAN;
        if (error[i] > goal)
            return below_seconds * pow(seconds[i] / below_seconds, log(goal / below) / log(error[i] / below));
        below = error[i];
        below_seconds = seconds[i];
    }
    *bound = count > 0 && error[count - 1] < goal;
    return below_seconds;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

const char *row_track(const struct record *row)
{
    return row->text[COL_track][0] ? row->text[COL_track] : "natural";
}

void row_series(const struct record *row, char text[SUMMARY_TEXT])
{
    const char *series = row->text[COL_series][0] ? row->text[COL_series] : row->text[COL_tableau];
    snprintf(text, SUMMARY_TEXT, "%.*s", SUMMARY_TEXT - 1, series);
}

static bool same(const struct record *a, const struct record *b, enum record_column column)
{
    return strcmp(a->text[column], b->text[column]) == 0;
}

/* ---- what a cell asked for ----------------------------------------------------------------------------- */

/* Moves points along a curve, or has no effect on them, or is told by a column of the row. */
static bool is_told_elsewhere(const char *key, const char *value)
{
    static const char *const elsewhere[] = {"tol",         "rtol",    "atol", "dt",    "max_steps",
                                            "sample_seed", "problem", "n",    "cost",  "wrt",
                                            "method",      "tableau", "vjp",  "track", NULL};
    for (size_t i = 0; elsewhere[i]; i++)
        if (strcmp(key, elsewhere[i]) == 0) return true;
    return strcmp(key, "truth") == 0 && strcmp(value, "pde") != 0 && strcmp(value, "discrete") != 0;
}

static bool has_option(const struct sens_option *table, const char *key)
{
    return table && sens_option_find(table, key) >= 0;
}

/* What is solved, and what is taken for its truth: not how. Of modules that are not loaded here it is not
 * known whose an option is. */
static bool is_of_task(const struct record *row, const char *key)
{
    static const char *const of_task[] = {"t1", "params", "x0", "truth", NULL};
    const struct sens_registry *reg = variant_all()[0];
    struct bench_error unreadable; /* then it is one that is not loaded */
    problem_read(row->text[COL_problem], &unreadable);
    const struct sens_problem_type *problem = find_problem(reg, row->text[COL_problem]);
    const struct sens_cost_type *cost = find_cost(reg, row->text[COL_cost]);
    const struct sens_method_type *method = find_method(reg, row->text[COL_method]);
    for (size_t i = 0; of_task[i]; i++)
        if (strcmp(key, of_task[i]) == 0) return true;
    for (const struct bench_key *other = bench_keys(); other->name; other++)
        if (strcmp(key, other->name) == 0) return false;
    if (strncmp(key, "problem.", 8) == 0 || strncmp(key, "cost.", 5) == 0) return true;
    if ((problem && has_option(problem->options, key)) || (cost && has_option(cost->options, key)))
        return true;
    return !problem && !(method && has_option(method->options, key));
}

bool accuracy_next_pair(const struct record *row, enum accuracy_pairs which, const char **at,
                        char pair[SUMMARY_TEXT])
{
    while (**at) {
        char key[SUMMARY_TEXT];
        const size_t length = strcspn(*at, " ");
        snprintf(pair, SUMMARY_TEXT, "%.*s", (int)length, *at);
        *at += length + strspn(*at + length, " ");
        const size_t split = strcspn(pair, "=");
        snprintf(key, sizeof key, "%.*s", (int)split, pair);
        if (is_told_elsewhere(key, pair + split + (pair[split] == '='))) continue;
        if (is_of_task(row, key) == (which == PAIRS_OF_TASK)) return true;
    }
    return false;
}

/* The pairs of a cell stand in the order of their keys. */
static bool same_pairs(const struct record *a, const struct record *b, enum accuracy_pairs which)
{
    const char *a_at = a->text[COL_cell], *b_at = b->text[COL_cell];
    char pair[SUMMARY_TEXT], other[SUMMARY_TEXT];
    if (!*a_at || !*b_at) return true; /* it does not say */
    for (;;) {
        const bool more = accuracy_next_pair(a, which, &a_at, pair);
        if (more != accuracy_next_pair(b, which, &b_at, other)) return false;
        if (!more || strcmp(pair, other) != 0) return !more;
    }
}

/* ---- curves -------------------------------------------------------------------------------------------- */

bool summary_is_together(const struct summary *summary, const struct record *row)
{
    return summary->together && summary->together(row);
}

static bool same_set(const struct summary *summary, const struct record *a, const struct record *b)
{
    return summary_is_together(summary, a) ? summary_is_together(summary, b) : same(a, b, COL_sweep);
}

bool accuracy_same_task(const struct accuracy *accuracy, const struct record *a, const struct record *b)
{
    const double n = a->number[COL_n], other = b->number[COL_n];
    return same(a, b, COL_problem) && same(a, b, COL_cost) && same(a, b, COL_wrt) &&
           (n == other || (isnan(n) && isnan(other))) && strcmp(row_track(a), row_track(b)) == 0 &&
           same_set(accuracy->summary, a, b) && same_pairs(a, b, PAIRS_OF_TASK);
}

static bool same_curve(const struct accuracy *accuracy, const struct record *a, const struct record *b)
{
    char series[SUMMARY_TEXT], other[SUMMARY_TEXT];
    row_series(a, series);
    row_series(b, other);
    return accuracy_same_task(accuracy, a, b) && same(a, b, COL_method) && same(a, b, COL_vjp) &&
           strcmp(series, other) == 0 && same_pairs(a, b, PAIRS_OF_CURVE);
}

bool accuracy_is_refused(const struct record *row)
{
    return !row_ok(row) && !row->text[COL_wrt][0];
}

/* A new curve stands behind the last one of its task. */
static struct accuracy_curve *add_curve(struct accuracy *accuracy, const struct record *row)
{
    struct accuracy_curve *curve = realloc(accuracy->curve, (accuracy->curves + 1) * sizeof *curve);
    if (!curve) return NULL;
    accuracy->curve = curve;
    size_t at = accuracy->curves;
    while (at > 0 && !accuracy_same_task(accuracy, curve[at - 1].row, row)) at--;
    if (at == 0) at = accuracy->curves; /* the first of its task */
    memmove(&curve[at + 1], &curve[at], (accuracy->curves - at) * sizeof *curve);
    curve[at] = (struct accuracy_curve){.row = row};
    accuracy->curves++;
    return &curve[at];
}

static struct accuracy_curve *find_curve(struct accuracy *accuracy, const struct record *row)
{
    for (size_t i = 0; i < accuracy->curves; i++)
        if (same_curve(accuracy, accuracy->curve[i].row, row)) return &accuracy->curve[i];
    return add_curve(accuracy, row);
}

static bool add_point(struct accuracy_curve *curve, double error, double seconds)
{
    if (!array_grow(&curve->error, curve->count + 1, &curve->error_room, sizeof *curve->error) ||
        !array_grow(&curve->seconds, curve->count + 1, &curve->seconds_room, sizeof *curve->seconds))
        return false;
    curve->error[curve->count] = error;
    curve->seconds[curve->count++] = seconds;
    return true;
}

/* There are fewer statuses than places; were there more, the last place would count the rest. */
static void count_failure(struct accuracy_curve *curve, const char *status)
{
    size_t at = 0;
    while (at + 1 < ACCURACY_STATUSES && curve->failure[at].name &&
           strcmp(curve->failure[at].name, status) != 0)
        at++;
    if (!curve->failure[at].name) curve->failure[at].name = status;
    curve->failure[at].count++;
}

static bool add_row(struct accuracy *accuracy, const struct record *row)
{
    struct accuracy_curve *curve = find_curve(accuracy, row);
    if (!curve) return false;
    curve->rows++;
    if (!row->text[COL_cell][0] || !same(row, curve->row, COL_cell)) curve->varied = true;
    if (!row_ok(row)) {
        count_failure(curve, row->text[COL_status]);
        return true;
    }
    const double error = row->number[COL_err_grad], seconds = row->number[COL_t_total_s];
    return !(error > 0 && seconds > 0) || add_point(curve, error, seconds);
}

static void reach_goals(struct accuracy_curve *curve)
{
    for (int g = 0; g < GOALS; g++) {
        bool bound;
        const double seconds =
            accuracy_seconds(curve->count, curve->error, curve->seconds, accuracy_goal[g], &bound);
        curve->reached[g] = bound ? NAN : seconds;
        curve->at_most[g] = bound ? seconds : NAN;
    }
}

static void free_curve(struct accuracy_curve *curve)
{
    free(curve->error);
    free(curve->seconds);
}

/* A task that each method solved once has points, and no curves. */
static void drop_points(struct accuracy *accuracy)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < accuracy->curves; first = end) {
        struct accuracy_curve *curve = accuracy->curve;
        bool varied = false;
        for (end = first;
             end < accuracy->curves && accuracy_same_task(accuracy, curve[first].row, curve[end].row); end++)
            varied = varied || curve[end].varied;
        for (size_t i = first; i < end; i++)
            if (varied)
                curve[kept++] = curve[i];
            else
                free_curve(&curve[i]);
    }
    accuracy->curves = kept;
}

bool accuracy_read(const struct summary *summary, bool only_together, struct accuracy *accuracy)
{
    static const struct row_query any = {.sweep = NULL};
    size_t cursor = 0;
    *accuracy = (struct accuracy){.summary = summary};
    for (const struct record *row; (row = summary_next(summary, &any, &cursor));) {
        if (only_together && !summary_is_together(summary, row)) continue;
        if (accuracy_is_refused(row) || add_row(accuracy, row)) continue;
        accuracy_free(accuracy);
        return false;
    }
    drop_points(accuracy);
    for (size_t i = 0; i < accuracy->curves; i++) reach_goals(&accuracy->curve[i]);
    return true;
}

void accuracy_free(struct accuracy *accuracy)
{
    for (size_t i = 0; i < accuracy->curves; i++) free_curve(&accuracy->curve[i]);
    free(accuracy->curve);
    *accuracy = (struct accuracy){.curves = 0};
}

double accuracy_best(const struct accuracy *accuracy, const struct record *task, const char *method, int g)
{
    double best = NAN;
    for (size_t i = 0; i < accuracy->curves; i++) {
        const struct accuracy_curve *curve = &accuracy->curve[i];
        if (strcmp(curve->row->text[COL_method], method) == 0 &&
            accuracy_same_task(accuracy, curve->row, task))
            best = fmin(best, curve->reached[g]); /* a NaN gives way */
    }
    return best;
}
