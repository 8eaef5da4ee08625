/* Time to accuracy: how long each implementation takes until the error of its gradient is 1e-4, 1e-6, 1e-8 or
 * 1e-10, from its own curve of times and errors over the tolerances or steps (summary_curves.c). Any sweep
 * that varies them has its tables. */
#include <math.h>
#include <string.h>

#include "summary.h"

#include "append.h"
#include "json.h"

static const char *const goal_name[GOALS] = {"1e-4", "1e-6", "1e-8", "1e-10"};
static const char ours[] = "discrete_adjoint";

static bool same(const struct record *a, const struct record *b, enum record_column column)
{
    return strcmp(a->text[column], b->text[column]) == 0;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* What else the cells of a curve asked for, where another curve of the task has the same name: " lanes=1". */
static void append_pairs(const struct accuracy *accuracy, const struct accuracy_curve *curve,
                         char text[SUMMARY_TEXT])
{
    char pair[SUMMARY_TEXT], name[SUMMARY_TEXT], other_name[SUMMARY_TEXT];
    const struct record *row = curve->row;
    bool alone = true;
    row_series(row, name);
    for (size_t i = 0; i < accuracy->curves && alone; i++) {
        const struct record *other = accuracy->curve[i].row;
        row_series(other, other_name);
        alone = other == row || !accuracy_same_task(accuracy, row, other) || !same(row, other, COL_method) ||
                strcmp(name, other_name) != 0;
    }
    for (const char *at = row->text[COL_cell]; !alone && accuracy_next_pair(row, PAIRS_OF_CURVE, &at, pair);)
        append(text, SUMMARY_TEXT, " %s", pair);
}

/* With what became of its cells, where not all fared alike: "cvodes_forward: outside (timeout 3 of 10)". */
static void name_curve(const struct accuracy *accuracy, const struct accuracy_curve *curve,
                       char text[SUMMARY_TEXT])
{
    char series[SUMMARY_TEXT];
    row_series(curve->row, series);
    snprintf(text, SUMMARY_TEXT, "%.100s%s%.500s", curve->row->text[COL_method], series[0] ? ": " : "",
             series);
    append_pairs(accuracy, curve, text);
    if (curve->failure[0].count == curve->rows) return;
    for (size_t i = 0; i < ACCURACY_STATUSES && curve->failure[i].name; i++)
        append(text, SUMMARY_TEXT, "%s%.40s %zu of %zu", i ? ", " : " (", curve->failure[i].name,
               curve->failure[i].count, curve->rows);
    if (curve->failure[0].name) append(text, SUMMARY_TEXT, ")");
}

static void print_task(const struct summary *summary, const struct record *row, FILE *out)
{
    fprintf(out, "\n**%s**", row->text[COL_problem]);
    if (isfinite(row->number[COL_n])) fprintf(out, ", %.0f states", row->number[COL_n]);
    if (isfinite(row->number[COL_np])) fprintf(out, ", %.0f parameters", row->number[COL_np]);
    if (row->text[COL_cost][0]) fprintf(out, ", cost %s", row->text[COL_cost]);
    fprintf(out, ", wrt %s, %s", row->text[COL_wrt], row_track(row));
    char pair[SUMMARY_TEXT];
    for (const char *at = row->text[COL_cell]; accuracy_next_pair(row, PAIRS_OF_TASK, &at, pair);)
        fprintf(out, ", %s", pair);
    if (!summary_is_together(summary, row)) fprintf(out, "; sweep %s", row->text[COL_sweep]);
    fputs("\n\n| implementation |", out);
    for (int g = 0; g < GOALS; g++) fprintf(out, " %s |", goal_name[g]);
    fputs("\n|---|", out);
    for (int g = 0; g < GOALS; g++) fputs("--:|", out);
    fputc('\n', out);
}

/* The least time of ours, measured at the goal or beyond it. *beyond: where it was not at the goal, so that
 * it is a bound. */
static double best_of_ours(const struct accuracy *accuracy, const struct record *task, int g, bool *beyond)
{
    double best = accuracy_best(accuracy, task, ours, g);
    *beyond = false;
    for (size_t i = 0; i < accuracy->curves; i++) {
        const struct accuracy_curve *curve = &accuracy->curve[i];
        if (strcmp(curve->row->text[COL_method], ours) != 0 ||
            !accuracy_same_task(accuracy, curve->row, task))
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
    name_curve(accuracy, curve, name);
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
        if (!accuracy_is_refused(row)) continue;
        refused_method(row, name);
        const struct record *first = NULL;
        size_t start = 0;
        *cells = 0;
        for (const struct record *other; (other = summary_next(summary, &any, &start));) {
            if (!accuracy_is_refused(other) || !same(row, other, COL_status)) continue;
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

/* Has one of the curves that measure the task of curve i a time, or a status? */
static bool task_tells(const struct accuracy *accuracy, size_t i)
{
    for (size_t k = 0; k < accuracy->curves; k++) {
        const struct accuracy_curve *curve = &accuracy->curve[k];
        if (accuracy_same_task(accuracy, accuracy->curve[i].row, curve->row) &&
            (curve->count > 0 || curve->failure[0].name))
            return true;
    }
    return false;
}

/* Sweeps that are of errors or counts alone, or whose errors are not known; each once. */
static void print_untold(const struct accuracy *accuracy, FILE *out)
{
    const char *last = NULL;
    for (size_t i = 0; i < accuracy->curves; i++) {
        const char *const sweep = accuracy->curve[i].row->text[COL_sweep];
        if (task_tells(accuracy, i) || (last && strcmp(last, sweep) == 0)) continue;
        fprintf(out, "%s%s", last ? ", " : "\nWithout times, or without errors, and so not here: ", sweep);
        last = sweep;
    }
    if (last) fputs(".\n", out);
}

void summary_print_accuracy(const struct summary *summary, FILE *out)
{
    struct accuracy accuracy;
    fputs("\n## Time to accuracy\n\n", out);
    if (!accuracy_read(summary, false, &accuracy)) {
        fputs("No memory for the curves.\n", out);
        return;
    }
    if (accuracy.curves == 0)
        fputs("No sweep in which a method solves one task at several tolerances or steps.\n", out);
    else
        fprintf(
            out,
            "Seconds until the error of the gradient is what the column says, and in brackets how many "
            "times as\n"
            "long as the fastest curve of %s: read off each implementation's own lower envelope of time\n"
            "against error, between two tolerances by a line through the logarithms; where the fastest of "
            "all is\n"
            "exact enough, its time. < t: even the loosest tolerance is more exact than that, and the "
            "fastest\n"
            "takes t; a ratio by such a time is a bound as well. -: the curve does not come to it. A word: "
            "what\n"
            "became of all its cells. A table that names a sweep is of its rows alone; the others are of all "
            "sweeps\n"
            "that measure the same tasks.\n",
            ours);
    for (size_t i = 0; i < accuracy.curves; i++) {
        const struct accuracy_curve *curve = &accuracy.curve[i];
        if (!task_tells(&accuracy, i)) continue;
        if (i == 0 || !accuracy_same_task(&accuracy, curve[-1].row, curve->row))
            print_task(summary, curve->row, out);
        print_curve(&accuracy, curve, out);
    }
    print_untold(&accuracy, out);
    print_refused(summary, out);
    accuracy_free(&accuracy);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *curve_json(const struct accuracy *accuracy, const struct accuracy_curve *curve)
{
    char series[SUMMARY_TEXT];
    const struct record *row = curve->row;
    json_t *item = json_object(), *seconds = json_object(), *ratio = json_object(), *at_most = json_object(),
           *failed = json_object();
    row_series(row, series);
    json_object_set_new(item, "problem", json_of_text(row->text[COL_problem]));
    json_object_set_new(item, "n", json_of_number(row->number[COL_n]));
    json_object_set_new(item, "cost", json_of_text(row->text[COL_cost]));
    json_object_set_new(item, "wrt", json_of_text(row->text[COL_wrt]));
    json_object_set_new(item, "track", json_of_text(row_track(row)));
    json_object_set_new(item, "method", json_of_text(row->text[COL_method]));
    json_object_set_new(item, "series", json_of_text(series));
    json_object_set_new(item, "sweep",
                        json_string(summary_is_together(accuracy->summary, row) ? "" : row->text[COL_sweep]));
    json_object_set_new(item, "cell", json_of_text(row->text[COL_cell]));
    json_object_set_new(item, "vjp", json_of_text(row->text[COL_vjp]));
    json_object_set_new(item, "status",
                        json_string(curve->count || !curve->failure[0].name ? "ok" : curve->failure[0].name));
    json_object_set_new(item, "cells", json_integer((json_int_t)curve->rows));
    for (size_t i = 0; i < ACCURACY_STATUSES && curve->failure[i].name; i++)
        json_object_set_new(failed, curve->failure[i].name,
                            json_integer((json_int_t)curve->failure[i].count));
    json_object_set_new(item, "failed", failed);
    for (int g = 0; g < GOALS; g++) {
        const double best = accuracy_best(accuracy, row, ours, g);
        json_object_set_new(seconds, goal_name[g], json_of_number(curve->reached[g]));
        json_object_set_new(at_most, goal_name[g], json_of_number(curve->at_most[g]));
        json_object_set_new(ratio, goal_name[g], json_of_number(curve->reached[g] / best));
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
    json_object_set_new(item, "method", json_of_text(name));
    json_object_set_new(item, "status", json_of_text(row->text[COL_status]));
    json_object_set_new(item, "cells", json_integer((json_int_t)cells));
    json_object_set_new(item, "message", json_of_text(row->text[COL_message]));
    return item;
}

json_t *summary_accuracy_json(const struct summary *summary)
{
    struct accuracy accuracy;
    json_t *list = json_array();
    if (!accuracy_read(summary, false, &accuracy)) return list;
    for (size_t i = 0; i < accuracy.curves; i++)
        json_array_append_new(list, curve_json(&accuracy, &accuracy.curve[i]));
    size_t cursor = 0, cells = 0;
    for (const struct record *row; (row = next_refused(summary, &cursor, &cells));)
        json_array_append_new(list, refused_json(row, cells));
    accuracy_free(&accuracy);
    return list;
}
