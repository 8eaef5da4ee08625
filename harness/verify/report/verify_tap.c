/* The report in the Test Anything Protocol, version 14: a test point for each check and module, failures with
 * a YAML block, skips and known limits as directives. */
#include <string.h>

#include "verify_report.h"

/* A description or a reason: '#' would begin a directive. */
static void write_plain(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '#' || *c == '\\') fputc('\\', out);
        fputc(*c, out);
    }
}

/* A double-quoted YAML scalar. */
static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', out);
        fputc(*c, out);
    }
    fputs("\"\n", out);
}

static void write_number(FILE *out, const char *name, double number)
{
    if (isnan(number))
        fprintf(out, "      %s: .nan\n", name);
    else if (isinf(number))
        fprintf(out, "      %s: %s.inf\n", name, number < 0 ? "-" : "");
    else
        fprintf(out, "      %s: %.6e\n", name, number);
}

static void write_failures(FILE *out, const struct verify_report *report, const struct report_line *line)
{
    fputs("  failures:\n", out);
    for (size_t i = 0; i < report->results; i++) {
        const struct verify_result *result = report->result[i];
        if (result->verdict != VERIFY_FAIL || !report_line_has(line, result)) continue;
        fputs("    - subject: ", out);
        write_quoted(out, result->subject);
        fputs("      evidence: ", out);
        write_quoted(out, result->text);
        write_number(out, "value", result->value);
        write_number(out, "bound", result->bound);
    }
}

static void write_causes(FILE *out, const struct ranked_module *module)
{
    fprintf(out, "  probable_causes:%s\n", module->causes ? "" : " []");
    for (size_t i = 0; i < module->causes && i < RANKING_SHOWN; i++) {
        fprintf(out, "    - cause: %s\n      score: %.3f\n      meaning: ", module->cause[i].name,
                module->cause[i].score);
        write_quoted(out, cause_sentence(module->cause[i].name));
    }
}

static void write_diagnostics(FILE *out, const struct verify_report *report, const struct report_line *line)
{
    fputs("  ---\n", out);
    write_failures(out, report, line);
    write_causes(out, report_causes(report, line->module));
    fputs("  ...\n", out);
}

/* A known limit is a test that does not pass, and is not expected to. */
static void write_point(FILE *out, const struct verify_report *report, size_t number)
{
    const struct report_line *line = &report->line[number];
    const enum verify_verdict verdict = report_line_verdict(line);
    char summary[REPORT_SUMMARY];
    report_line_summary(line, summary);
    fprintf(out, "%s %zu - ", verdict == VERIFY_FAIL || verdict == VERIFY_LIMIT ? "not ok" : "ok",
            number + 1);
    write_plain(out, line->module);
    fputs(": ", out);
    write_plain(out, line->check);
    if (verdict == VERIFY_SKIP || verdict == VERIFY_LIMIT)
        fputs(verdict == VERIFY_SKIP ? " # SKIP " : " # TODO ", out);
    else
        fputs(": ", out);
    write_plain(out, summary);
    fputc('\n', out);
    if (verdict == VERIFY_FAIL) write_diagnostics(out, report, line);
}

static void write_level(FILE *out, const struct verify_report *report, const char *module)
{
    const struct report_level level = report_level_of(report, module);
    fprintf(out, "# level %s: %s\n", report_level_name(&level), module);
}

void verify_write_tap(FILE *out, const struct verify_report *report)
{
    fprintf(out, "TAP version 14\n1..%zu\n", report->lines);
    for (size_t i = 0; i < report->lines; i++) write_point(out, report, i);
    fprintf(out, "# %zu passed, %zu failed, %zu skipped, %zu known limits; %.1f s\n",
            report->count[VERIFY_PASS], report->count[VERIFY_FAIL], report->count[VERIFY_SKIP],
            report->count[VERIFY_LIMIT], report->seconds);
    for (size_t i = 0; i < report->lines; i++)
        if (report_begins(report, i)) write_level(out, report, report->line[i].module);
    if (report->interrupted) fputs("Bail out! interrupted\n", out);
}
