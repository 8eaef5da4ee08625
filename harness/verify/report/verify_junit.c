/* The report as JUnit XML: a suite for each module, a case for each of its checks. */
#include <string.h>

#include "verify_report.h"

/* Text of printable characters, as content or as the value of an attribute. */
static void write_escaped(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*c, out);
        }
    }
}

static void write_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    write_escaped(out, value);
    fputc('"', out);
}

struct suite {
    const char *module;
    size_t tests, failures, skipped;
    double seconds; /* of the units whose module it is */
};

static struct suite sum_up(const struct verify_report *report, const char *module)
{
    struct suite suite = {.module = module};
    for (size_t i = 0; i < report->lines; i++) {
        if (strcmp(report->line[i].module, module) != 0) continue;
        const enum verify_verdict verdict = report_line_verdict(&report->line[i]);
        suite.tests++;
        suite.failures += verdict == VERIFY_FAIL;
        suite.skipped += verdict == VERIFY_SKIP || verdict == VERIFY_LIMIT;
    }
    for (size_t u = 0; u < report->task->plan->count; u++) {
        char owner[VERIFY_NAME];
        verify_unit_module(&report->task->plan->unit[u].unit, owner);
        if (strcmp(owner, module) == 0) suite.seconds += report->unit[u].seconds;
    }
    return suite;
}

static void write_failure(FILE *out, const struct verify_report *report, const struct report_line *line)
{
    const struct ranked_module *causes = report_causes(report, line->module);
    fputs("      <failure type=\"verify\"", out);
    write_attribute(out, "message", line->first[VERIFY_FAIL]->text);
    fputs(">", out);
    for (size_t i = 0; i < report->results; i++) {
        const struct verify_result *result = report->result[i];
        if (result->verdict != VERIFY_FAIL || !report_line_has(line, result)) continue;
        write_escaped(out, result->subject);
        fputs(": ", out);
        write_escaped(out, result->text);
        fputc('\n', out);
    }
    for (size_t i = 0; i < causes->causes && i < RANKING_SHOWN; i++) {
        fprintf(out, "probable cause %zu: ", i + 1);
        write_escaped(out, cause_sentence(causes->cause[i].name));
        fputc('\n', out);
    }
    fputs("</failure>\n", out);
}

static void write_case(FILE *out, const struct verify_report *report, const struct report_line *line)
{
    const enum verify_verdict verdict = report_line_verdict(line);
    char summary[REPORT_SUMMARY];
    fputs("    <testcase", out);
    write_attribute(out, "classname", line->module);
    write_attribute(out, "name", line->check);
    if (verdict == VERIFY_PASS) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    if (verdict == VERIFY_FAIL) {
        write_failure(out, report, line);
    } else {
        report_line_summary(line, summary);
        fputs("      <skipped", out);
        write_attribute(out, "message", summary);
        fputs("/>\n", out);
    }
    fputs("    </testcase>\n", out);
}

static void write_suite(FILE *out, const struct verify_report *report, const char *module)
{
    const struct suite suite = sum_up(report, module);
    const struct report_level level = report_level_of(report, module);
    fputs("  <testsuite", out);
    write_attribute(out, "name", module);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n", suite.tests,
            suite.failures, suite.skipped, suite.seconds);
    fprintf(out, "    <properties>\n      <property name=\"level\" value=\"%s\"/>\n    </properties>\n",
            report_level_name(&level));
    for (size_t i = 0; i < report->lines; i++)
        if (strcmp(report->line[i].module, module) == 0) write_case(out, report, &report->line[i]);
    fputs("  </testsuite>\n", out);
}

/* A run that did not come to its end must not pass for a good one. */
static void write_interruption(FILE *out)
{
    fputs("  <testsuite name=\"interruption\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n"
          "    <testcase classname=\"interruption\" name=\"run\">\n"
          "      <error type=\"verify\" message=\"interrupted before all units were run\"/>\n"
          "    </testcase>\n"
          "  </testsuite>\n",
          out);
}

void verify_write_junit(FILE *out, const struct verify_report *report)
{
    struct suite all = {.tests = 0};
    for (size_t i = 0; i < report->lines; i++) {
        if (!report_begins(report, i)) continue;
        const struct suite suite = sum_up(report, report->line[i].module);
        all.tests += suite.tests;
        all.failures += suite.failures;
        all.skipped += suite.skipped;
    }
    const size_t errors = report->interrupted ? 1 : 0;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out,
            "<testsuites name=\"sensbench verify\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
            "skipped=\"%zu\" time=\"%.3f\">\n",
            all.tests + errors, all.failures, errors, all.skipped, report->seconds);
    for (size_t i = 0; i < report->lines; i++)
        if (report_begins(report, i)) write_suite(out, report, report->line[i].module);
    if (report->interrupted) write_interruption(out);
    fputs("</testsuites>\n", out);
}
