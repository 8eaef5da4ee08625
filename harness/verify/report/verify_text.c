/* The report for people: a line for each check and module; then, for each module that fails, the evidence and
 * the probable causes; then the counts. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "streams.h"
#include "verify_report.h"

/* ---- one line a check ---------------------------------------------------------------------------------- */

struct widths {
    int module, check;
};

static struct widths measure(const struct verify_report *report)
{
    struct widths widths = {0, 0};
    for (size_t i = 0; i < report->lines; i++) {
        const int module = (int)strlen(report->line[i].module), check = (int)strlen(report->line[i].check);
        if (module > widths.module) widths.module = module;
        if (check > widths.check) widths.check = check;
    }
    return widths;
}

static void write_case(FILE *out, const struct verify_result *result)
{
    fprintf(out, "      %-5s %s", verdict_word(result->verdict), result->subject);
    if (!isnan(result->value)) fprintf(out, ": found %.3g, allowed %.3g", result->value, result->bound);
    if (result->text[0]) fprintf(out, ": %s", result->text);
    fputc('\n', out);
}

static void write_cases(FILE *out, const struct verify_report *report, const struct report_line *line)
{
    for (size_t i = 0; i < report->results; i++)
        if (report_line_has(line, report->result[i])) write_case(out, report->result[i]);
}

static void write_lines(FILE *out, const struct verify_report *report, bool verbose)
{
    const struct widths widths = measure(report);
    char summary[REPORT_SUMMARY];
    for (size_t i = 0; i < report->lines; i++) {
        const struct report_line *line = &report->line[i];
        report_line_summary(line, summary);
        fprintf(out, "%-5s %-*s  %-*s  %s\n", verdict_word(report_line_verdict(line)), widths.module,
                line->module, widths.check, line->check, summary);
        if (verbose) write_cases(out, report, line);
    }
}

/* ---- what went wrong, and why -------------------------------------------------------------------------- */

/* The first few failures of a check; the others differ in their subjects. */
static void write_failures(FILE *out, const struct verify_report *report, const struct report_line *line)
{
    enum { SHOWN = 3 };
    size_t count = 0;
    for (size_t i = 0; i < report->results; i++) {
        const struct verify_result *result = report->result[i];
        if (result->verdict != VERIFY_FAIL || !report_line_has(line, result) || count++ >= SHOWN) continue;
        fprintf(out, "  %s, %s\n      %s\n", result->check, result->subject, result->text);
    }
    if (count > SHOWN) fprintf(out, "  %s fails %zu times more; -v lists all\n", line->check, count - SHOWN);
}

static void write_causes(FILE *out, const struct ranked_module *module)
{
    if (module->unmade == module->failures) {
        fputs("  required and could not be made; nothing was found wrong\n", out);
        return;
    }
    fprintf(out, "  probable causes%s\n", module->causes ? ", best first:" : ": none stands out");
    for (size_t i = 0; i < module->causes && i < RANKING_SHOWN; i++)
        fprintf(out, "    %zu. %s (%s, score %.2f)\n", i + 1, cause_sentence(module->cause[i].name),
                module->cause[i].name, module->cause[i].score);
}

static void write_module(FILE *out, const struct verify_report *report, const struct ranked_module *module)
{
    fprintf(out, "\n%s: %zu failure%s\n", module->module, module->failures, module->failures == 1 ? "" : "s");
    for (size_t i = 0; i < report->lines; i++)
        if (strcmp(report->line[i].module, module->module) == 0)
            write_failures(out, report, &report->line[i]);
    write_causes(out, module);
}

static void write_totals(FILE *out, const struct verify_report *report)
{
    const struct runner_task *task = report->task;
    const size_t left = task->plan->count - report_units_run(report);
    fprintf(out,
            "\n%zu passed, %zu failed, %zu skipped, %zu known limits; %.1f s (isa %s, %s, seed %lu%s%s)\n",
            report->count[VERIFY_PASS], report->count[VERIFY_FAIL], report->count[VERIFY_SKIP],
            report->count[VERIFY_LIMIT], report->seconds, task->reg->isa, task->quick ? "quick" : "full",
            task->seed, task->given && task->given[0] ? ", " : "", task->given ? task->given : "");
    if (!report->interrupted) return;
    fprintf(out, "interrupted: %zu of %zu units were not run to their end\n", left, task->plan->count);
    const size_t support = report_support_run(report);
    if (support)
        fprintf(
            out,
            "  %zu of those that were check problems on which the named modules are tried: of these, only "
            "failures are listed\n",
            support);
}

/* A method, say, of which the plan has only what it does on problems took part because of these: what it
 * passes there says little of it. Writes "on decay alone: " for such a module, else nothing. */
static void write_aside(FILE *out, const struct verify_plan *plan, const char *module)
{
    const struct sens_problem_type *problem = NULL;
    bool several = false;
    if (strncmp(module, "method ", 7) != 0 && strncmp(module, "provider ", 9) != 0) return;
    for (size_t u = 0; u < plan->count; u++) {
        const struct verify_unit *unit = &plan->unit[u].unit;
        char name[VERIFY_NAME];
        verify_unit_module(unit, name);
        if (!unit->problem && strcmp(name, module) == 0) return;
        if (!unit->problem || plan->unit[u].support) continue;
        several = several || (problem && problem != unit->problem);
        problem = unit->problem;
    }
    if (problem) fprintf(out, "on %s alone: ", several ? "these problems" : problem->name);
}

/* The modules of this level, "problem decay, glv; method cfsa", on lines of their own; none: no line. */
static void write_level(FILE *out, const struct verify_report *report, const char *words)
{
    const char *last = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *names = open_memstream(&text, &size);
    for (size_t i = 0; names && i < report->lines; i++) {
        const char *const module = report->line[i].module;
        const struct report_level level = report_level_of(report, module);
        const size_t kind = strcspn(module, " ");
        if (!report_begins(report, i) || strcmp(report_level_words(&level), words) != 0) continue;
        const bool same = last && strncmp(last, module, kind + 1) == 0;
        fputs(!last ? "" : same ? ", " : "; ", names);
        if (!same && !level.failed) write_aside(names, report->task->plan, module);
        fputs(same ? module + kind + 1 : module, names);
        last = module;
    }
    if (names) fclose(names);
    if (last && text) {
        fprintf(out, "%s%s:\n", strcmp(words, "failed") == 0 ? "" : "checked ", words);
        write_paragraph(out, "  ", text);
    }
    free(text);
}

static void write_levels(FILE *out, const struct verify_report *report)
{
    static const char *const order[] = {"to rounding", "to the tolerance", "not at all", "failed"};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) write_level(out, report, order[k]);
}

static void add_name(FILE *out, const char *kind, const char *name, bool first)
{
    fprintf(out, "%s%s", first ? kind : ", ", name);
}

/* What is looked at only where it is named, and was not. */
static void write_left(FILE *out, const struct verify_report *report)
{
    const struct verify_choice *choice = &report->task->plan->choice;
    const struct sens_registry *reg = report->task->reg;
    size_t problems = 0, providers = 0, size = 0;
    char *text = NULL;
    if (!reg->problems) return;
    FILE *names = open_memstream(&text, &size);
    for (size_t i = 0; names && reg->problems[i]; i++)
        if (plan_leaves(choice, reg->problems[i], NULL))
            add_name(names, "problem ", reg->problems[i]->name, problems++ == 0);
    for (size_t i = 0; names && reg->providers && reg->providers[i]; i++)
        if (plan_leaves(choice, NULL, reg->providers[i]))
            add_name(names, problems ? "; provider " : "provider ", reg->providers[i]->name,
                     providers++ == 0);
    if (names) fclose(names);
    if (problems + providers > 0 && text) {
        fputs("left out, because they are not named:\n", out);
        write_paragraph(out, "  ", text);
    }
    free(text);
}

/* "method x: 3 failures are limits it declares", a line each. */
static void write_declared(FILE *out, const struct verify_report *report)
{
    for (size_t i = 0; i < report->lines; i++) {
        const struct report_level level = report_level_of(report, report->line[i].module);
        if (!report_begins(report, i) || level.declared == 0) continue;
        if (level.declared == 1)
            fprintf(out, "%s: 1 failure is a limit it declares\n", level.module);
        else
            fprintf(out, "%s: %zu failures are limits it declares\n", level.module, level.declared);
    }
}

void verify_write_text(FILE *out, const struct verify_report *report, bool verbose)
{
    write_lines(out, report, verbose);
    for (size_t i = 0; i < report->ranking.count; i++) write_module(out, report, &report->ranking.module[i]);
    write_totals(out, report);
    write_levels(out, report);
    write_left(out, report);
    write_declared(out, report);
}

/* ---- --list and --explain ------------------------------------------------------------------------------ */

void verify_write_check(FILE *out, const struct verify_check *check)
{
    fprintf(out, "%s\n", check->id);
    write_paragraph(out, "  ", check->summary);
    fputs("\nBound\n", out);
    write_paragraph(out, "  ", check->bound);
    fputs("\nExplanation\n", out);
    write_paragraph(out, "  ", check->explanation);
}

void verify_write_cause(FILE *out, const char *name)
{
    fprintf(out, "%s, a probable cause\n", name);
    write_paragraph(out, "  ", cause_sentence(name));
}

static const char *kind_text(enum verify_kind kind)
{
    static const char *const text[] = {
        [VERIFY_PROBLEM] = "a problem's callbacks, before any solve",
        [VERIFY_COST] = "a cost's callbacks",
        [VERIFY_METHOD] = "a method on problems of the harness's own",
        [VERIFY_TABLEAU] = "a tableau",
        [VERIFY_CONTROLLER] = "a step controller",
        [VERIFY_PAIR] = "a method on a problem",
        [VERIFY_CROSS] = "all methods on a problem, against one another",
        [VERIFY_PROVIDER] = "a provider of products",
        [VERIFY_WRAPPED] = "a problem, as a provider wraps it",
        [VERIFY_QUOTIENTS] = "a problem, as a provider of difference quotients wraps it",
    };
    return text[kind];
}

static bool is_listed(const char *check_glob, const struct verify_check *check)
{
    return !check_glob || fnmatch(check_glob, check->id, 0) == 0;
}

static void write_group(FILE *out, const struct verify_group *group, const char *check_glob)
{
    bool begun = false;
    for (const struct verify_check *check = group->checks; check->id; check++) {
        if (!is_listed(check_glob, check)) continue;
        if (!begun) fprintf(out, "%s: %s\n", group->name, kind_text(group->kind));
        begun = true;
        fprintf(out, "  %-26s %s\n", check->id, check->summary);
    }
}

void verify_write_list(FILE *out, const char *check_glob)
{
    for (size_t g = 0; verify_groups[g]; g++) write_group(out, verify_groups[g], check_glob);
    if (!is_listed(check_glob, &plan_completes)) return;
    fprintf(out, "every group\n  %-26s %s\n", plan_completes.id, plan_completes.summary);
}
