/* A group as a table for people, as rows and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#include "compare.h"
#include "json.h"

/* ---- for people ---------------------------------------------------------------------------------------- */

static const char *name_of(const struct compare_group *group, size_t index)
{
    return index == 0 ? "(base)" : group->contender[index].changes;
}

static int name_width(const struct compare_group *group)
{
    size_t width = 9;
    for (size_t i = 0; i < group->contenders; i++) {
        const size_t length = strlen(name_of(group, i));
        if (length > width) width = length;
    }
    return (int)(width < 48 ? width : 48);
}

/* A number in `width` columns, '-' where there is none. */
static void put(FILE *out, int width, const char *format, double number)
{
    char text[64] = "-";
    if (isfinite(number)) snprintf(text, sizeof text, format, number);
    fprintf(out, " %*s", width, text);
}

static void print_times(FILE *out, const struct compare_group *group, int width)
{
    const char *interval = group->rounds < 6 ? "range" : "95 % interval"; /* see stats.h */
    fprintf(out, "  #  %-*s %9s  %-21s %9s %8s  %-17s  %s\n", width, "contender", "seconds", interval,
            "fastest", "t/base", interval, "min ... max");
    for (size_t i = 0; i < group->contenders; i++) {
        const struct contender *contender = &group->contender[i];
        const double *number = contender->rec->number;
        const struct compare_ratio *ratio = &contender->ratio;
        fprintf(out, "%3zu  %-*.*s", i, width, width, name_of(group, i));
        if (contender->status != SENS_OK) {
            fprintf(out, " %s: %s\n", sens_status_name(contender->status), contender->rec->text[COL_message]);
            continue;
        }
        fprintf(out, " %9.3e  %9.3e ... %8.3e %9.3e", number[COL_t_total_s], number[COL_t_lo_s],
                number[COL_t_hi_s], number[COL_t_min_s]);
        if (i > 0 && ratio->count > 0)
            fprintf(out, " %8.4g  %6.4g ... %6.4g  %6.4g ... %.4g", ratio->median, ratio->lo, ratio->hi,
                    ratio->min, ratio->max);
        fputc('\n', out);
    }
}

static void print_work(FILE *out, const struct compare_group *group, int width)
{
    fprintf(out, "  #  %-*s %8s %8s %8s %6s %7s %5s %7s %5s %-8s %8s %6s %8s %6s\n", width, "contender",
            "tol", "err_x", "err_grad", "steps", "rejects", "lanes", "threads", "batch", "isa", "GFLOP/s",
            "share", "reverse", "share");
    for (size_t i = 0; i < group->contenders; i++) {
        const struct contender *contender = &group->contender[i];
        const double *number = contender->rec->number;
        if (contender->status != SENS_OK) continue;
        fprintf(out, "%3zu  %-*.*s", i, width, width, name_of(group, i));
        put(out, 8, "%.2e", number[COL_rtol]);
        put(out, 8, "%.2e", number[COL_err_x]);
        put(out, 8, "%.2e", number[COL_err_grad]);
        put(out, 6, "%.0f", number[COL_steps]);
        put(out, 7, "%.0f", number[COL_rejects]);
        put(out, 5, "%.0f", number[COL_lanes]);
        put(out, 7, "%.0f", number[COL_threads]);
        put(out, 5, "%.0f", number[COL_batch]);
        fprintf(out, " %-8s", contender->rec->text[COL_isa]);
        put(out, 8, "%.3g", number[COL_gflops]);
        put(out, 6, "%.3f", number[COL_share]);
        put(out, 8, "%.3g", number[COL_gflops_reverse]);
        put(out, 6, "%.3f", number[COL_share_reverse]);
        fputc('\n', out);
    }
}

/* Alone on its core, a contender of one thread has all of its time. */
static void print_disturbance(FILE *out, const struct compare_group *group)
{
    const double alone = 0.95;
    double least = 1;
    for (size_t i = 0; i < group->contenders; i++) {
        const struct contender *contender = &group->contender[i];
        const bool single = !(contender->rec->number[COL_threads] > 1);
        if (contender->status == SENS_OK && single && contender->cpu < least) least = contender->cpu;
    }
    if (least < alone)
        fprintf(out, "disturbed: others had the core for %.0f %% of the time; compare the fastest ones\n",
                100 * (1 - least));
}

void compare_print(FILE *out, const struct compare_group *group)
{
    const int width = name_width(group);
    const char *base = group->contender[0].rec->text[COL_cell];
    fprintf(out, "%sbase: %s\n", group->index ? "\n" : "", base);
    if (isfinite(group->target))
        fprintf(out, "equal errors: each with the loosest tol whose gradient error is at most %g\n",
                group->target);
    fprintf(out, "%zu rounds\n", group->rounds);
    print_times(out, group, width);
    print_work(out, group, width);
    print_disturbance(out, group);
    fflush(out);
}

/* ---- for machines -------------------------------------------------------------------------------------- */

static void compared_numbers(const struct compare_group *group, size_t i, double number[COMPARED_NUMBERS])
{
    const struct contender *contender = &group->contender[i];
    const struct compare_ratio *ratio = &contender->ratio;
    number[COMPARED_group] = (double)group->index;
    number[COMPARED_contender] = (double)i;
    number[COMPARED_rounds] = (double)group->rounds;
    number[COMPARED_repeat] = (double)contender->repeat;
    number[COMPARED_pairs] = (double)ratio->count;
    number[COMPARED_ratio] = ratio->median;
    number[COMPARED_ratio_lo] = ratio->lo;
    number[COMPARED_ratio_hi] = ratio->hi;
    number[COMPARED_ratio_min] = ratio->min;
    number[COMPARED_ratio_max] = ratio->max;
    number[COMPARED_cpu] = contender->cpu;
    number[COMPARED_error] = group->target;
    number[COMPARED_best_error] = contender->found.best;
    number[COMPARED_tried] = (double)contender->found.tried;
}

/* The machine as in the file of a sweep, whose first two lines make way for our own. */
bool compare_tsv_header(FILE *out)
{
    char *prelude = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&prelude, &size);
    if (!memory) return false;
    machine_write_prelude(memory, "compare");
    const bool whole = fclose(memory) == 0;
    const char *rest = whole ? strstr(prelude, "#! date:") : NULL;
    fprintf(out, "#! schema: sens-compare/1\n%s", rest ? rest : "");
    for (int c = 0; c < COMPARED_COUNT; c++) fprintf(out, "%s\t", compared_name[c]);
    record_write_header(out);
    free(prelude);
    return rest && fflush(out) == 0 && !ferror(out);
}

static void write_number(FILE *out, double number)
{
    fprintf(out, isfinite(number) ? "%.17g\t" : "nan\t", number);
}

void compare_tsv_rows(FILE *out, const struct compare_group *group)
{
    for (size_t i = 0; i < group->contenders; i++) {
        const struct contender *contender = &group->contender[i];
        double number[COMPARED_NUMBERS];
        compared_numbers(group, i, number);
        for (int c = 0; c < COMPARED_NUMBERS; c++) write_number(out, number[c]);
        record_write_text(out, group->keys);
        fputc('\t', out);
        record_write_text(out, contender->changes);
        fputc('\t', out);
        record_write_row(out, contender->rec);
    }
}

static json_t *describe(const struct compare_group *group, size_t i)
{
    const struct contender *contender = &group->contender[i];
    double number[COMPARED_NUMBERS];
    json_t *object = json_object();
    compared_numbers(group, i, number);
    for (int c = 0; c < COMPARED_NUMBERS; c++)
        json_object_set_new(object, compared_name[c], json_of_number(number[c]));
    json_object_set_new(object, "changes", json_of_text(contender->changes));
    json_object_set_new(object, "record", record_json(contender->rec));
    return object;
}

void compare_json(FILE *out, const struct compare_group *group)
{
    json_t *contenders = json_array();
    for (size_t i = 0; i < group->contenders; i++) json_array_append_new(contenders, describe(group, i));
    json_t *object =
        json_pack("{s:I, s:o, s:I, s:o}", "group", (json_int_t)group->index, "keys",
                  json_of_text(group->keys), "rounds", (json_int_t)group->rounds, "contenders", contenders);
    json_dumpf(object, out, JSON_COMPACT);
    json_decref(object);
    fflush(out);
}
