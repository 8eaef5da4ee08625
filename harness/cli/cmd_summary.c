/* sensbench summary: times to an accuracy, the figures that are there, and what the rows say of the paper. */
#include <getopt.h>
#include <glob.h>

#include "exit_codes.h"

#include "cli.h"
#include "paper.h"
#include "streams.h"

static const char usage[] =
    "usage: sensbench summary RESULTS... [--json | --profile]\n"
    "\n"
    "Reads result files, or of a folder the newest result file in it and in each folder below, and prints "
    "how "
    "long each\n"
    "implementation takes to an accuracy, in any sweep, and the figures found in RESULTS/figures. Of the "
    "sweeps "
    "of\n"
    "arXiv 2410.01911: Tables 1-3 with our numbers and the predictions of the closed forms, how fast the "
    "discrete\n"
    "adjoint is and how near to the machine's peak, and for each published statement whether the rows "
    "reproduce "
    "it,\n"
    "with the numbers. Nothing is run.\n"
    "\n"
    "  --json             one object: files, accuracy, figures, tables, performance, statements\n"
    "  --profile          the performance profile of all rows together, tab-separated: in what share of the "
    "cases a\n"
    "                     method is within a factor of the fastest one\n"
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

/* ---- text ---------------------------------------------------------------------------------------------- */

static bool print_text(const struct summary *summary, const glob_t *figures)
{
    say("# Summary\n\nFrom:\n");
    for (size_t i = 0; i < summary->tables; i++)
        say("- %s (%zu rows)\n", summary->table[i].path, summary->table[i].rows);
    summary_print_accuracy(summary, our_stdout());
    summary_print_products(summary, our_stdout());
    say("\n## Figures\n\n");
    for (size_t i = 0; i < figures->gl_pathc; i++) say("- %s\n", figures->gl_pathv[i]);
    if (figures->gl_pathc == 0) say("None rendered yet (make figures).\n");
    return paper_print(summary, our_stdout());
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static bool print_json(const struct summary *summary, const glob_t *figures)
{
    json_t *object = json_object(), *files = json_array(), *pictures = json_array();
    for (size_t i = 0; i < summary->tables; i++)
        json_array_append_new(files, json_string(summary->table[i].path));
    for (size_t i = 0; i < figures->gl_pathc; i++)
        json_array_append_new(pictures, json_string(figures->gl_pathv[i]));
    json_object_set_new(object, "schema", json_string("sens-summary/1"));
    json_object_set_new(object, "files", files);
    json_object_set_new(object, "accuracy", summary_accuracy_json(summary));
    json_object_set_new(object, "figures", pictures);
    const bool holds = paper_json(summary, object);
    json_dumpf(object, our_stdout(), JSON_INDENT(2));
    fputc('\n', our_stdout());
    json_decref(object);
    return holds;
}

/* ---- command ------------------------------------------------------------------------------------------- */

enum form { TEXT, JSON, PROFILE };

static int summarise(size_t count, char **word, enum form form, struct summary *summary,
                     struct bench_error *error)
{
    glob_t figures;
    for (size_t i = 0; i < count; i++)
        if (!summary_load(summary, word[i], error)) return complain(error);
    if (form == PROFILE) {
        if (summary_print_profile(summary, our_stdout())) return EXIT_OK;
        bench_refuse(error, "summary: no memory for the profile");
        return complain(error);
    }
    if (!find_figures(count, word, &figures)) {
        bench_refuse(error, "summary: no memory for the list of figures");
        return complain(error);
    }
    const bool holds = form == JSON ? print_json(summary, &figures) : print_text(summary, &figures);
    globfree(&figures);
    return holds ? EXIT_OK : EXIT_CHECK;
}

int cmd_summary(int argc, char **argv)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"profile", no_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct bench_error error = {.text = ""};
    enum form form = TEXT;
    optind = 0; /* getopt remembers; start over */
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(usage, our_stdout());
            return EXIT_OK;
        }
        if (option == '?') {
            bench_refuse(&error, "summary: unknown option '%s'; see sensbench summary --help",
                         argv[optind - 1]);
            return complain(&error);
        }
        form = option == 'j' ? JSON : PROFILE;
    }
    if (optind >= argc) {
        bench_refuse(&error, "summary: no results given; see sensbench summary --help");
        return complain(&error);
    }
    struct summary summary = {.together = paper_compares};
    const int code = summarise((size_t)(argc - optind), argv + optind, form, &summary, &error);
    summary_free(&summary);
    return code;
}
