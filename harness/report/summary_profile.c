/* Performance profile of Dolan and More (Math. Program. 91 (2002) 201).
 *
 * A case is a task and an accuracy. The time of a method in it is that of its fastest curve (summary_curves.c); where
 * every point of a curve is more exact than asked for, that of its fastest point. A method that does not reach the
 * accuracy, fails, or was not run has no time. The ratio of a method is its time by the best of the case; cases that no
 * method reaches are left out. Tracks apart.
 *
 * Written: lines `step track method ratio share`, each the share of cases within this ratio, from 1 to the largest of
 * any method; and lines `reached track method reached all missing`: cases reached, of all, and those not run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

enum { PROFILE_GOALS = 3 }; /* 1e-4, 1e-6, 1e-8 */

struct share { /* of one method in one track */
    const char *track, *method;
    double *ratio;                /* [reached], ascending */
    size_t reached, all, missing; /* cases */
};

static bool any_row(const struct record *row)
{
    (void)row;
    return true;
}

static bool is_of(const struct accuracy_curve *curve, const char *track, const char *method)
{
    return strcmp(row_track(curve->row), track) == 0 && strcmp(curve->row->text[COL_method], method) == 0;
}

/* Whether the method could be tried at all: it may have failed, but it was there. */
static bool was_run(const struct accuracy_curve *curve)
{
    size_t tried = curve->rows;
    for (size_t i = 0; i < ACCURACY_STATUSES && curve->failure[i].name; i++)
        if (strcmp(curve->failure[i].name, "unavailable") == 0 ||
            strcmp(curve->failure[i].name, "unsupported") == 0)
            tried -= curve->failure[i].count;
    return tried > 0;
}

/* One past the last curve of a task that begins at first. */
static size_t task_end(const struct accuracy *accuracy, size_t first)
{
    size_t end = first;
    while (end < accuracy->curves &&
           accuracy_same_task(accuracy, accuracy->curve[first].row, accuracy->curve[end].row))
        end++;
    return end;
}

static int compare_numbers(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The cases of a task: the best of all, and of the method. */
static void add_task(const struct accuracy *accuracy, size_t first, size_t end, struct share *share)
{
    for (int g = 0; g < PROFILE_GOALS; g++) {
        double best = NAN, own = NAN;
        bool run = false;
        for (size_t i = first; i < end; i++) {
            const struct accuracy_curve *curve = &accuracy->curve[i];
            const double seconds = fmin(curve->reached[g], curve->at_most[g]); /* one of them is a NaN */
            best = fmin(best, seconds);
            if (!is_of(curve, share->track, share->method)) continue;
            own = fmin(own, seconds);
            run = run || was_run(curve);
        }
        if (isnan(best)) continue;
        share->all++;
        share->missing += !run;
        if (!isnan(own)) share->ratio[share->reached++] = own / best;
    }
}

/* The share of the method of a curve, where that is the first of them with a point. ratio: room for all
 * cases. */
static bool find_share(const struct accuracy *accuracy, size_t at, double ratio[], struct share *share)
{
    const struct record *row = accuracy->curve[at].row;
    *share = (struct share){.track = row_track(row), .method = row->text[COL_method], .ratio = ratio};
    if (accuracy->curve[at].count == 0) return false;
    for (size_t i = 0; i < at; i++)
        if (accuracy->curve[i].count > 0 && is_of(&accuracy->curve[i], share->track, share->method))
            return false;
    for (size_t first = 0, end; first < accuracy->curves; first = end) {
        end = task_end(accuracy, first);
        if (strcmp(row_track(accuracy->curve[first].row), share->track) == 0)
            add_task(accuracy, first, end, share);
    }
    qsort(ratio, share->reached, sizeof *ratio, compare_numbers);
    return share->all > 0;
}

static void print_share(const struct share *share, double longest, FILE *out)
{
    const double all = (double)share->all;
    size_t i = 0;
    while (i < share->reached && share->ratio[i] == 1) i++;
    fprintf(out, "step\t%s\t%s\t1\t%.6g\n", share->track, share->method, (double)i / all);
    for (; i < share->reached; i++)
        fprintf(out, "step\t%s\t%s\t%.6g\t%.6g\n", share->track, share->method, share->ratio[i],
                (double)(i + 1) / all);
    fprintf(out, "step\t%s\t%s\t%.6g\t%.6g\n", share->track, share->method, longest,
            (double)share->reached / all);
    fprintf(out, "reached\t%s\t%s\t%zu\t%zu\t%zu\n", share->track, share->method, share->reached, share->all,
            share->missing);
}

bool summary_print_profile(const struct summary *summary, FILE *out)
{
    const struct summary together = {.table = summary->table, .tables = summary->tables, .together = any_row};
    struct accuracy accuracy;
    struct share share;
    double longest = 1;
    if (!accuracy_read(&together, true, &accuracy)) return false;
    double *ratio = calloc(accuracy.curves * PROFILE_GOALS + 1, sizeof *ratio);
    if (!ratio) return accuracy_free(&accuracy), false;
    for (size_t i = 0; i < accuracy.curves; i++)
        if (find_share(&accuracy, i, ratio, &share) && share.reached > 0)
            longest = fmax(longest, share.ratio[share.reached - 1]);
    fputs("row\ttrack\tmethod\tratio\tshare\n", out);
    for (size_t i = 0; i < accuracy.curves; i++)
        if (find_share(&accuracy, i, ratio, &share)) print_share(&share, longest, out);
    free(ratio);
    accuracy_free(&accuracy);
    return true;
}
