/* sensbench summary: Tables 1-3, the speed of the adjoint, times to accuracy, the figures that are there, and
 * a verdict on each published statement. */
#include <getopt.h>
#include <glob.h>
#include <string.h>

#include "exit_codes.h"

#include "cli.h"
#include "streams.h"
#include "summary.h"

static const char usage[] =
    "usage: sensbench summary RESULTS... [--json]\n"
    "\n"
    "Reads result files, or of a folder the newest result file in it and in each folder below, and prints "
    "Tables 1-3 of\n"
    "arXiv 2410.01911 with our numbers and the predictions of the closed forms, how fast the discrete\n"
    "adjoint is and how near to the machine's peak, in any sweep, how long each implementation takes to an\n"
    "accuracy, the figures found in RESULTS/figures, and, where a sweep of the paper is among the results, "
    "for\n"
    "each published statement whether the rows reproduce it, with the numbers. Nothing is run.\n"
    "\n"
    "  --json             one object: files, tables, performance, accuracy, figures, statements\n"
    "\n"
    "Exit codes: 0 summarised, whatever the verdicts (a statement that is not reproduced is a finding),\n"
    "1 an error differs from its closed form, so that the program itself is wrong, 2 bad input.\n";

static int complain(const struct bench_error *error)
{
    complain_line("%s", error->text);
    return EXIT_USAGE;
}

/* Pictures beside the results, in the order of their names. */
static bool find_figures(size_t count, char **word, glob_t *found)
{
    *found = (glob_t){.gl_pathc = 0};
    int flags = 0;
    for (size_t i = 0; i < count; i++) {
        char pattern[4096];
        const int length = snprintf(pattern, sizeof pattern, "%s/figures/*.[sp][vn]g", word[i]);
        if (length < 0 || length >= (int)sizeof pattern) continue;
        if (glob(pattern, flags, NULL, found) == GLOB_NOSPACE) return false;
        flags = GLOB_APPEND;
    }
    return true;
}

/* Whether a sweep of the paper or of the comparisons with peers is there; of any other, no statement speaks.
 */
static bool has_published(const struct summary *summary)
{
    static const char *const sweeps[] = {"table1", "table2", "table3",    "fig2", "fig3",
                                         "fig4",   "fig5",   "tolerance", NULL};
    static const struct row_query any = {.sweep = NULL};
    size_t cursor = 0;
    for (const struct record *row; (row = summary_next(summary, &any, &cursor));) {
        if (accuracy_is_published(row)) return true;
        for (size_t i = 0; sweeps[i]; i++)
            if (strcmp(row->text[COL_sweep], sweeps[i]) == 0) return true;
    }
    return false;
}

/* A closed form is the one thing that may not come out otherwise. */
static bool required_hold(const struct summary *summary)
{
    for (size_t i = 0; i < summary->statements; i++)
        if (summary->statement[i].required && summary->statement[i].verdict == VERDICT_NOT_REPRODUCED)
            return false;
    return true;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static void print_statements(const struct summary *summary)
{
    size_t count[3] = {0};
    if (summary->statements == 0) return;
    say("\n## Published statements\n\n");
    for (size_t i = 0; i < summary->statements; i++) {
        const struct statement *statement = &summary->statement[i];
        count[statement->verdict]++;
        say("- %s: %s.\n  %s%s: %s\n", statement->section, statement->text, verdict_name(statement->verdict),
            statement->required && statement->verdict == VERDICT_NOT_REPRODUCED ? " (REQUIRED)" : "",
            statement->number);
    }
    say("\n%zu reproduced, %zu not reproduced, %zu not testable.\n", count[VERDICT_REPRODUCED],
        count[VERDICT_NOT_REPRODUCED], count[VERDICT_NOT_TESTABLE]);
}

static void print_text(const struct summary *summary, const glob_t *figures)
{
    say("# Summary\n\nFrom:\n");
    for (size_t i = 0; i < summary->tables; i++)
        say("- %s (%zu rows)\n", summary->table[i].path, summary->table[i].rows);
    summary_print_tables(summary, our_stdout());
    summary_print_performance(summary, our_stdout());
    summary_print_accuracy(summary, our_stdout());
    say("\n## Figures\n\n");
    for (size_t i = 0; i < figures->gl_pathc; i++) say("- %s\n", figures->gl_pathv[i]);
    if (figures->gl_pathc == 0) say("None rendered yet (make figures).\n");
    print_statements(summary);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void print_json(const struct summary *summary, const glob_t *figures)
{
    json_t *object = json_object(), *files = json_array(), *pictures = json_array(),
           *statements = json_array();
    for (size_t i = 0; i < summary->tables; i++)
        json_array_append_new(files, json_string(summary->table[i].path));
    for (size_t i = 0; i < figures->gl_pathc; i++)
        json_array_append_new(pictures, json_string(figures->gl_pathv[i]));
    for (size_t i = 0; i < summary->statements; i++) {
        const struct statement *statement = &summary->statement[i];
        json_t *item = json_object();
        json_object_set_new(item, "section", json_string(statement->section));
        json_object_set_new(item, "statement", json_string(statement->text));
        json_object_set_new(item, "verdict", json_string(verdict_name(statement->verdict)));
        json_object_set_new(item, "number", json_string(statement->number));
        json_object_set_new(item, "required", json_boolean(statement->required));
        json_array_append_new(statements, item);
    }
    json_object_set_new(object, "schema", json_string("sens-summary/1"));
    json_object_set_new(object, "files", files);
    json_object_set_new(object, "tables", summary_tables_json(summary));
    json_object_set_new(object, "performance", summary_performance_json(summary));
    json_object_set_new(object, "accuracy", summary_accuracy_json(summary));
    json_object_set_new(object, "figures", pictures);
    json_object_set_new(object, "statements", statements);
    json_dumpf(object, our_stdout(), JSON_INDENT(2));
    fputc('\n', our_stdout());
    json_decref(object);
}

/* ---- command ------------------------------------------------------------------------------------------- */

static int summarise(size_t count, char **word, bool json, struct summary *summary, struct bench_error *error)
{
    glob_t figures;
    for (size_t i = 0; i < count; i++)
        if (!summary_load(summary, word[i], error)) return complain(error);
    if (!find_figures(count, word, &figures)) {
        bench_refuse(error, "summary: no memory for the list of figures");
        return complain(error);
    }
    if (has_published(summary)) {
        summary_judge_heat(summary);
        summary_judge_vdp(summary);
        summary_judge_glv(summary);
        summary_judge_peers(summary);
    }
    if (json)
        print_json(summary, &figures);
    else
        print_text(summary, &figures);
    globfree(&figures);
    return required_hold(summary) ? EXIT_OK : EXIT_CHECK;
}

int cmd_summary(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    struct bench_error error = {""};
    bool json = false;
    optind = 0; /* getopt remembers; start over */
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(usage, our_stdout());
            return EXIT_OK;
        }
        if (option != 'j') {
            bench_refuse(&error, "summary: unknown option '%s'; see sensbench summary --help",
                         argv[optind - 1]);
            return complain(&error);
        }
        json = true;
    }
    if (optind >= argc) {
        bench_refuse(&error, "summary: no results given; see sensbench summary --help");
        return complain(&error);
    }
    struct summary summary = {.tables = 0};
    const int code = summarise((size_t)(argc - optind), argv + optind, json, &summary, &error);
    summary_free(&summary);
    return code;
}
