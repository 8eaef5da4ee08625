/* Time to accuracy: how long each implementation takes until the error of its gradient is 1e-4, 1e-6, 1e-8 or
 * 1e-10, from its own curve of times and errors over the tolerances.
 *
 * Of a curve count the points that no other one beats in both error and time (the lower envelope). Between
 * the two around a goal e, log t = log t_a + (log t_b - log t_a) (log e - log e_a) / (log e_b - log e_a), and
 * outside of them nothing is known: no extrapolation. A curve whose points are all more exact than the goal
 * has a bound: the time of its fastest point. (The profile, plots/profile.awk, takes the bound for the time.)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

const double accuracy_goal[GOALS] = {1e-4, 1e-6, 1e-8, 1e-10};
static const char *const goal_name[GOALS] = {"1e-4", "1e-6", "1e-8", "1e-10"};
static const char ours[] = "discrete_adjoint";

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

/* From the loosest goal's side: the point with the least error above, or at, the goal that no point with a
 * smaller error is as fast as; likewise below. */
double accuracy_seconds(size_t count, double error[], double seconds[], double goal)
{
    double above = NAN, above_seconds = NAN, below = NAN, below_seconds = NAN;
    for (size_t i = 0; i < count; i++)
        if (!(error[i] > 0 && seconds[i] > 0)) return NAN;
    sort_points(count, error, seconds);
    double fastest = INFINITY; /* of the points so far, which have smaller errors */
    for (size_t i = 0; i < count; i++) {
        if (seconds[i] >= fastest) continue; /* beaten in both */
        fastest = seconds[i];
        if (error[i] == goal) return seconds[i];
        if (error[i] < goal) below = error[i], below_seconds = seconds[i];
        if (error[i] > goal && isnan(above)) above = error[i], above_seconds = seconds[i];
    }
    if (isnan(above) || isnan(below)) return NAN;
    return below_seconds * pow(above_seconds / below_seconds, log(goal / below) / log(above / below));
}

/* ---- curves -------------------------------------------------------------------------------------------- */

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

bool accuracy_same_task(const struct record *a, const struct record *b)
{
    const double n = a->number[COL_n], other = b->number[COL_n];
    return same(a, b, COL_problem) && same(a, b, COL_cost) && same(a, b, COL_wrt) &&
           (n == other || (isnan(n) && isnan(other))) && strcmp(row_track(a), row_track(b)) == 0;
}

static bool same_curve(const struct record *a, const struct record *b)
{
    char series[SUMMARY_TEXT], other[SUMMARY_TEXT];
    row_series(a, series);
    row_series(b, other);
    return accuracy_same_task(a, b) && same(a, b, COL_method) && same(a, b, COL_vjp) &&
           strcmp(series, other) == 0;
}

bool accuracy_is_refused(const struct record *row)
{
    return !row_ok(row) && !row->text[COL_wrt][0];
}

static bool is_wanted(const struct record *row)
{
    const char *sweep = row->text[COL_sweep];
    return strcmp(sweep, "fig2") == 0 || strcmp(sweep, "fig4") == 0 || strncmp(sweep, "peers-", 6) == 0;
}

/* A new curve stands behind the last one of its task. */
static struct accuracy_curve *add_curve(struct accuracy *accuracy, const struct record *row)
{
    struct accuracy_curve *curve = realloc(accuracy->curve, (accuracy->curves + 1) * sizeof *curve);
    if (!curve) return NULL;
    accuracy->curve = curve;
    size_t at = accuracy->curves;
    while (at > 0 && !accuracy_same_task(curve[at - 1].row, row)) at--;
    if (at == 0) at = accuracy->curves; /* the first of its task */
    memmove(&curve[at + 1], &curve[at], (accuracy->curves - at) * sizeof *curve);
    curve[at] = (struct accuracy_curve){.row = row};
    accuracy->curves++;
    return &curve[at];
}

static struct accuracy_curve *find_curve(struct accuracy *accuracy, const struct record *row)
{
    for (size_t i = 0; i < accuracy->curves; i++)
        if (same_curve(accuracy->curve[i].row, row)) return &accuracy->curve[i];
    return add_curve(accuracy, row);
}

static bool add_point(struct accuracy_curve *curve, double error, double seconds)
{
    if (curve->count == curve->room) {
        const size_t room = curve->room ? 2 * curve->room : 16;
        double *more = realloc(curve->error, room * sizeof *more);
        if (!more) return false;
        curve->error = more;
        more = realloc(curve->seconds, room * sizeof *more);
        if (!more) return false;
        curve->seconds = more;
        curve->room = room;
    }
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
    if (!row_ok(row)) {
        count_failure(curve, row->text[COL_status]);
        return true;
    }
    const double error = row->number[COL_err_grad], seconds = row->number[COL_t_total_s];
    return !(error > 0 && seconds > 0) || add_point(curve, error, seconds);
}

static void reach_goals(struct accuracy_curve *curve)
{
    double largest = NAN, fastest = NAN;
    for (size_t i = 0; i < curve->count; i++) {
        largest = fmax(largest, curve->error[i]); /* a NaN gives way */
        fastest = fmin(fastest, curve->seconds[i]);
    }
    for (int g = 0; g < GOALS; g++) {
        curve->reached[g] = accuracy_seconds(curve->count, curve->error, curve->seconds, accuracy_goal[g]);
        curve->at_most[g] = largest < accuracy_goal[g] ? fastest : NAN;
    }
}

bool accuracy_read(const struct summary *summary, struct accuracy *accuracy)
{
    static const struct row_query any = {.sweep = NULL};
    size_t cursor = 0;
    *accuracy = (struct accuracy){.curves = 0};
    for (const struct record *row; (row = summary_next(summary, &any, &cursor));) {
        if (!is_wanted(row) || accuracy_is_refused(row) || add_row(accuracy, row)) continue;
        accuracy_free(accuracy);
        return false;
    }
    for (size_t i = 0; i < accuracy->curves; i++) reach_goals(&accuracy->curve[i]);
    return true;
}

void accuracy_free(struct accuracy *accuracy)
{
    for (size_t i = 0; i < accuracy->curves; i++) {
        free(accuracy->curve[i].error);
        free(accuracy->curve[i].seconds);
    }
    free(accuracy->curve);
    *accuracy = (struct accuracy){.curves = 0};
}

double accuracy_best(const struct accuracy *accuracy, const struct record *task, const char *method,
                     const char *series, int g)
{
    double best = NAN;
    char text[SUMMARY_TEXT];
    for (size_t i = 0; i < accuracy->curves; i++) {
        const struct accuracy_curve *curve = &accuracy->curve[i];
        row_series(curve->row, text);
        if (strcmp(curve->row->text[COL_method], method) == 0 && accuracy_same_task(curve->row, task) &&
            (!series || strstr(text, series)))
            best = fmin(best, curve->reached[g]); /* a NaN gives way */
    }
    return best;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* With what became of its cells, where not all fared alike: "cvodes_forward: outside (timeout 3 of 10)". */
static void name_curve(const struct accuracy_curve *curve, char text[SUMMARY_TEXT])
{
    char series[SUMMARY_TEXT];
    row_series(curve->row, series);
    snprintf(text, SUMMARY_TEXT, "%.100s%s%.500s", curve->row->text[COL_method], series[0] ? ": " : "",
             series);
    if (curve->failure[0].count == curve->rows) return;
    size_t used = strlen(text);
    for (size_t i = 0; i < ACCURACY_STATUSES && curve->failure[i].name && used < SUMMARY_TEXT; i++)
        used += (size_t)snprintf(text + used, SUMMARY_TEXT - used, "%s%.40s %zu of %zu", i ? ", " : " (",
                                 curve->failure[i].name, curve->failure[i].count, curve->rows);
    if (curve->failure[0].name && used < SUMMARY_TEXT) snprintf(text + used, SUMMARY_TEXT - used, ")");
}

static void print_task(const struct record *row, FILE *out)
{
    fprintf(out, "\n**%s**", row->text[COL_problem]);
    if (isfinite(row->number[COL_n])) fprintf(out, ", %.0f states", row->number[COL_n]);
    if (isfinite(row->number[COL_np])) fprintf(out, ", %.0f parameters", row->number[COL_np]);
    if (row->text[COL_cost][0]) fprintf(out, ", cost %s", row->text[COL_cost]);
    fprintf(out, ", wrt %s, %s\n\n| implementation |", row->text[COL_wrt], row_track(row));
    for (int g = 0; g < GOALS; g++) fprintf(out, " %s |", goal_name[g]);
    fputs("\n|---|", out);
    for (int g = 0; g < GOALS; g++) fputs("--:|", out);
    fputc('\n', out);
}

/* The least time of ours, measured at the goal or beyond it. *beyond: where it was not at the goal, so that
 * it is a bound. */
static double best_of_ours(const struct accuracy *accuracy, const struct record *task, int g, bool *beyond)
{
    double best = accuracy_best(accuracy, task, ours, NULL, g);
    *beyond = false;
    for (size_t i = 0; i < accuracy->curves; i++) {
        const struct accuracy_curve *curve = &accuracy->curve[i];
        if (strcmp(curve->row->text[COL_method], ours) != 0 || !accuracy_same_task(curve->row, task))
            continue;
        if (isnan(curve->at_most[g]) || curve->at_most[g] >= best) continue;
        best = curve->at_most[g];
        *beyond = true;
    }
    return best;
}

static void print_goal(const struct accuracy *accuracy, const struct accuracy_curve *curve, int g, FILE *out)
{
    bool beyond;
    const double best = best_of_ours(accuracy, curve->row, g, &beyond);
    const bool bounded = isfinite(curve->at_most[g]);
    const double seconds = bounded ? curve->at_most[g] : curve->reached[g];
    if (curve->count == 0)
        fprintf(out, " %s |", curve->failure[0].name ? curve->failure[0].name : "no error");
    else if (!isfinite(seconds))
        fputs(" - |", out);
    else if (!isfinite(best) || (bounded && beyond)) /* of two bounds the quotient says nothing */
        fprintf(out, " %s%.3g s |", bounded ? "< " : "", seconds);
    else
        fprintf(out, " %s%.3g s (%s%.3g) |", bounded ? "< " : "", seconds,
                bounded  ? "< "
                : beyond ? "> "
                         : "",
                seconds / best);
}

static void print_curve(const struct accuracy *accuracy, const struct accuracy_curve *curve, FILE *out)
{
    char name[SUMMARY_TEXT];
    name_curve(curve, name);
    fprintf(out, "| %s |", name);
    for (int g = 0; g < GOALS; g++) print_goal(accuracy, curve, g, out);
    fputc('\n', out);
}

/* ---- cells that were refused --------------------------------------------------------------------------- */

/* The method; of a cell whose method was not found, from the identity "... method=NAME ...". */
static void refused_method(const struct record *row, char name[SUMMARY_TEXT])
{
    const char *found = row->text[COL_method][0] ? NULL : strstr(row->text[COL_cell], "method=");
    const char *text = found ? found + strlen("method=") : row->text[COL_method];
    snprintf(name, SUMMARY_TEXT, "%.*s", (int)strcspn(text, " "), text);
}

/* The next one that is the first of its method and status; *cells: of all of them. NULL after the last. */
static const struct record *next_refused(const struct summary *summary, size_t *cursor, size_t *cells)
{
    static const struct row_query any = {.sweep = NULL};
    char name[SUMMARY_TEXT], other_name[SUMMARY_TEXT];
    for (const struct record *row; (row = summary_next(summary, &any, cursor));) {
        if (!is_wanted(row) || !accuracy_is_refused(row)) continue;
        refused_method(row, name);
        const struct record *first = NULL;
        size_t start = 0;
        *cells = 0;
        for (const struct record *other; (other = summary_next(summary, &any, &start));) {
            if (!is_wanted(other) || !accuracy_is_refused(other) || !same(row, other, COL_status)) continue;
            refused_method(other, other_name);
            if (strcmp(name, other_name) != 0) continue;
            if (!first) first = other;
            ++*cells;
        }
        if (first == row) return row;
    }
    return NULL;
}

static void print_refused(const struct summary *summary, FILE *out)
{
    char name[SUMMARY_TEXT];
    size_t cursor = 0, cells = 0;
    bool any = false;
    for (const struct record *row; (row = next_refused(summary, &cursor, &cells)); any = true) {
        if (!any) fputs("\nNot available:\n\n", out);
        refused_method(row, name);
        fprintf(out, "- %s, %zu cells: %s: %s\n", name, cells, row->text[COL_status], row->text[COL_message]);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

void summary_print_accuracy(const struct summary *summary, FILE *out)
{
    struct accuracy accuracy;
    fputs("\n## Time to accuracy\n\n", out);
    if (!accuracy_read(summary, &accuracy)) {
        fputs("No memory for the curves.\n", out);
        return;
    }
    if (accuracy.curves == 0)
        fputs("No rows of the sweeps fig2, fig4 and peers-*.\n", out);
    else
        fprintf(out,
                "Seconds until the error of the gradient is what the column says, and in brackets how many "
                "times as\n"
                "long as the fastest curve of %s: read off each implementation's own lower envelope of time\n"
                "against error, between two tolerances by a line through the logarithms. < t: already the "
                "loosest\n"
                "tolerance is more exact than that, and the fastest takes t; a ratio by such a time is a "
                "bound as\n"
                "well. -: the curve does not come to it. A word: what became of all its cells.\n",
                ours);
    for (size_t i = 0; i < accuracy.curves; i++) {
        const struct accuracy_curve *curve = &accuracy.curve[i];
        if (i == 0 || !accuracy_same_task(curve[-1].row, curve->row)) print_task(curve->row, out);
        print_curve(&accuracy, curve, out);
    }
    print_refused(summary, out);
    accuracy_free(&accuracy);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *real_json(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *curve_json(const struct accuracy *accuracy, const struct accuracy_curve *curve)
{
    char series[SUMMARY_TEXT];
    const struct record *row = curve->row;
    json_t *item = json_object(), *seconds = json_object(), *ratio = json_object(), *at_most = json_object(),
           *failed = json_object();
    row_series(row, series);
    json_object_set_new(item, "problem", json_string(row->text[COL_problem]));
    json_object_set_new(item, "n", real_json(row->number[COL_n]));
    json_object_set_new(item, "cost", json_string(row->text[COL_cost]));
    json_object_set_new(item, "wrt", json_string(row->text[COL_wrt]));
    json_object_set_new(item, "track", json_string(row_track(row)));
    json_object_set_new(item, "method", json_string(row->text[COL_method]));
    json_object_set_new(item, "series", json_string(series));
    json_object_set_new(item, "vjp", json_string(row->text[COL_vjp]));
    json_object_set_new(item, "status",
                        json_string(curve->count || !curve->failure[0].name ? "ok" : curve->failure[0].name));
    json_object_set_new(item, "cells", json_integer((json_int_t)curve->rows));
    for (size_t i = 0; i < ACCURACY_STATUSES && curve->failure[i].name; i++)
        json_object_set_new(failed, curve->failure[i].name,
                            json_integer((json_int_t)curve->failure[i].count));
    json_object_set_new(item, "failed", failed);
    for (int g = 0; g < GOALS; g++) {
        const double best = accuracy_best(accuracy, row, ours, NULL, g);
        json_object_set_new(seconds, goal_name[g], real_json(curve->reached[g]));
        json_object_set_new(at_most, goal_name[g], real_json(curve->at_most[g]));
        json_object_set_new(ratio, goal_name[g], real_json(curve->reached[g] / best));
    }
    json_object_set_new(item, "seconds", seconds);
    json_object_set_new(item, "at_most", at_most);
    json_object_set_new(item, "ratio", ratio);
    return item;
}

/* Without a task: it is not known. */
static json_t *refused_json(const struct record *row, size_t cells)
{
    char name[SUMMARY_TEXT];
    json_t *item = json_object();
    refused_method(row, name);
    json_object_set_new(item, "method", json_string(name));
    json_object_set_new(item, "status", json_string(row->text[COL_status]));
    json_object_set_new(item, "cells", json_integer((json_int_t)cells));
    json_object_set_new(item, "message", json_string(row->text[COL_message]));
    return item;
}

json_t *summary_accuracy_json(const struct summary *summary)
{
    struct accuracy accuracy;
    json_t *list = json_array();
    if (!accuracy_read(summary, &accuracy)) return list;
    for (size_t i = 0; i < accuracy.curves; i++)
        json_array_append_new(list, curve_json(&accuracy, &accuracy.curve[i]));
    size_t cursor = 0, cells = 0;
    for (const struct record *row; (row = next_refused(summary, &cursor, &cells));)
        json_array_append_new(list, refused_json(row, cells));
    accuracy_free(&accuracy);
    return list;
}
