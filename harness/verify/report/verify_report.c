/* Results of all units put together: one line a check and module, whatever the number of subjects. */
#include "verify_report.h"

#include <stdlib.h>
#include <string.h>

/* ---- putting together ---------------------------------------------------------------------------------- */

static size_t total_results(const struct verify_report *report)
{
    size_t count = 0;
    for (size_t u = 0; u < report->task->plan->count; u++) count += report->unit[u].results;
    return count;
}

static void collect(const struct verify_choice *choice, struct verify_report *report)
{
    const struct verify_plan *plan = report->task->plan;
    for (size_t u = 0; u < plan->count; u++)
        for (size_t i = 0; i < report->unit[u].results; i++) {
            const struct verify_result *result = &report->unit[u].result[i];
            if (plan_shows(&plan->unit[u], choice, result)) report->result[report->results++] = result;
        }
}

bool report_line_has(const struct report_line *line, const struct verify_result *result)
{
    return strcmp(line->check, result->check) == 0 && strcmp(line->module, result->module) == 0;
}

/* Of the check of this name, in whatever group of the plan. */
static enum verify_level level_of_check(const struct verify_report *report, const char *id)
{
    const struct verify_plan *plan = report->task->plan;
    for (size_t u = 0; u < plan->count; u++) {
        const struct verify_check *check = plan->unit[u].unit.group->checks;
        for (; check && check->id; check++)
            if (strcmp(check->id, id) == 0) return check->level;
    }
    return VERIFY_UNLEVELLED;
}

static struct report_line *add_line(struct verify_report *report, const struct verify_result *result)
{
    const bool completes = strcmp(result->check, plan_completes.id) == 0;
    size_t first = 0;
    while (first < report->lines && strcmp(report->line[first].module, result->module) != 0) first++;
    struct report_line *line = &report->line[report->lines++];
    *line = (struct report_line){.module = result->module,
                                 .check = result->check,
                                 .level = level_of_check(report, result->check),
                                 .worst = NAN,
                                 .place = 2 * first + completes};
    return line;
}

static struct report_line *find_line(struct verify_report *report, const struct verify_result *result)
{
    for (size_t i = 0; i < report->lines; i++)
        if (report_line_has(&report->line[i], result)) return &report->line[i];
    return add_line(report, result);
}

static double fraction(const struct verify_result *result)
{
    if (isnan(result->value)) return NAN;
    return result->value > 0 ? result->value / result->bound : 0;
}

static void add_to_line(struct report_line *line, const struct verify_result *result)
{
    line->count[result->verdict]++;
    line->declared += result->declared;
    if (!line->first[result->verdict]) line->first[result->verdict] = result;
    if (result->verdict == VERIFY_PASS) line->worst = fmax(line->worst, fraction(result));
}

/* Counts places: there are some hundred lines. */
static bool sort_lines(struct verify_report *report)
{
    struct report_line *sorted = calloc(report->lines + 1, sizeof *sorted);
    if (!sorted) return false;
    for (size_t i = 0; i < report->lines; i++) {
        const size_t place = report->line[i].place;
        size_t before = 0;
        for (size_t k = 0; k < report->lines; k++)
            before += report->line[k].place < place || (report->line[k].place == place && k < i);
        sorted[before] = report->line[i];
    }
    free(report->line);
    report->line = sorted;
    return true;
}

bool verify_report_create(const struct verify_choice *choice, struct verify_report *report)
{
    const size_t most = total_results(report) + 1;
    report->results = report->lines = 0;
    report->result = calloc(most, sizeof(const struct verify_result *));
    report->line = calloc(most, sizeof *report->line);
    if (!report->result || !report->line) return verify_report_free(report), false;
    collect(choice, report);
    for (size_t i = 0; i < report->results; i++) {
        add_to_line(find_line(report, report->result[i]), report->result[i]);
        report->count[report->result[i]->verdict]++;
    }
    if (sort_lines(report) && ranking_create(report->results, report->result, &report->ranking)) return true;
    return verify_report_free(report), false;
}

void verify_report_free(struct verify_report *report)
{
    free(report->result);
    free(report->line);
    ranking_free(&report->ranking);
    report->result = NULL;
    report->line = NULL;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

const char *verdict_word(enum verify_verdict verdict)
{
    static const char *const word[VERDICTS] = {
        [VERIFY_PASS] = "pass", [VERIFY_FAIL] = "fail", [VERIFY_SKIP] = "skip", [VERIFY_LIMIT] = "limit"};
    return word[verdict];
}

enum verify_verdict report_line_verdict(const struct report_line *line)
{
    static const enum verify_verdict order[] = {VERIFY_FAIL, VERIFY_LIMIT, VERIFY_PASS};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (line->count[order[i]]) return order[i];
    return VERIFY_SKIP;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Appends to the summary, after "; " where it has begun. */
static void append(char summary[REPORT_SUMMARY], const char *text)
{
    const size_t used = strlen(summary);
    snprintf(summary + used, REPORT_SUMMARY - used, "%s%s", used ? "; " : "", text);
}

static void append_reason(const struct report_line *line, enum verify_verdict verdict, const char *what,
                          char summary[REPORT_SUMMARY])
{
    char text[VERIFY_TEXT + 64];
    if (line->count[verdict] == 0) return;
    const char *reason = line->first[verdict]->text;
    const char *const registered = strstr(reason, "known limit: ");
    if (verdict == VERIFY_LIMIT && registered) reason = registered + strlen("known limit: ");
    snprintf(text, sizeof text, "%zu %s%s: %s", line->count[verdict], what,
             verdict == VERIFY_LIMIT ? plural(line->count[verdict]) : "", reason);
    append(summary, text);
}

void report_line_summary(const struct report_line *line, char summary[REPORT_SUMMARY])
{
    const size_t passes = line->count[VERIFY_PASS], failures = line->count[VERIFY_FAIL];
    char text[128];
    summary[0] = '\0';
    if (failures) {
        snprintf(text, sizeof text, "%zu of %zu case%s fail", failures, failures + passes,
                 plural(failures + passes));
        append(summary, text);
    } else if (passes) {
        snprintf(text, sizeof text, "%zu case%s", passes, plural(passes));
        append(summary, text);
        if (!isnan(line->worst)) {
            const size_t used = strlen(summary);
            snprintf(summary + used, REPORT_SUMMARY - used, ", worst %.2g of its bound", line->worst);
        }
    }
    append_reason(line, VERIFY_LIMIT, "known limit", summary);
    append_reason(line, VERIFY_SKIP, "skipped", summary);
}

const struct ranked_module *report_causes(const struct verify_report *report, const char *module)
{
    for (size_t i = 0; i < report->ranking.count; i++)
        if (strcmp(report->ranking.module[i].module, module) == 0) return &report->ranking.module[i];
    return NULL;
}

bool report_begins(const struct verify_report *report, size_t line)
{
    return line == 0 || strcmp(report->line[line - 1].module, report->line[line].module) != 0;
}

struct report_level report_level_of(const struct verify_report *report, const char *module)
{
    struct report_level level = {.module = module};
    for (size_t i = 0; i < report->lines; i++) {
        const struct report_line *line = &report->line[i];
        if (strcmp(line->module, module) != 0) continue;
        if (line->count[VERIFY_FAIL]) level.failed = true;
        level.declared += line->declared;
        if (line->count[VERIFY_PASS] == 0 || line->level <= level.level) continue;
        level.level = line->level;
        level.check = line->check;
    }
    return level;
}

static const struct {
    const char *name, *words;
} levels[] = {[VERIFY_UNLEVELLED] = {"none", "not at all"},
              [VERIFY_TO_TOLERANCE] = {"tolerance", "to the tolerance"},
              [VERIFY_TO_ROUNDING] = {"rounding", "to rounding"}};

const char *report_level_words(const struct report_level *level)
{
    return level->failed ? "failed" : levels[level->level].words;
}

const char *report_level_name(const struct report_level *level)
{
    return level->failed ? "failed" : levels[level->level].name;
}

size_t report_units_run(const struct verify_report *report)
{
    size_t count = 0;
    for (size_t u = 0; u < report->task->plan->count; u++)
        count += report->unit[u].state == RUNNER_DONE || report->unit[u].state == RUNNER_SKIPPED;
    return count;
}

size_t report_support_run(const struct verify_report *report)
{
    size_t count = 0;
    for (size_t u = 0; u < report->task->plan->count; u++)
        count += report->task->plan->unit[u].support && report->unit[u].state == RUNNER_DONE;
    return count;
}
