/* sensbench summary: times to an accuracy, the figures that are there, and what the rows say of the paper. */
#include <glob.h>

#include "exit_codes.h"

#include "cli.h"
#include "json.h"
#include "paper.h"
#include "streams.h"

/* Pictures beside the results, in the order of their names. */
static bool find_figures(size_t count, const char *const *word, glob_t *found)
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
    paper_print_by_forward(summary, our_stdout());
    summary_print_disturbed(summary, our_stdout());
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
        json_array_append_new(files, json_of_text(summary->table[i].path));
    for (size_t i = 0; i < figures->gl_pathc; i++)
        json_array_append_new(pictures, json_of_text(figures->gl_pathv[i]));
    json_object_set_new(object, "schema", json_string("sens-summary/1"));
    json_object_set_new(object, "files", files);
    json_object_set_new(object, "accuracy", summary_accuracy_json(summary));
    json_object_set_new(object, "disturbed", summary_disturbed_json(summary));
    json_object_set_new(object, "figures", pictures);
    const bool holds = paper_json(summary, object);
    json_dumpf(object, our_stdout(), JSON_INDENT(2));
    fputc('\n', our_stdout());
    json_decref(object);
    return holds;
}

/* ---- command ------------------------------------------------------------------------------------------- */

static int summarise(const struct cli_command *command, const struct cli_arguments *arguments,
                     struct summary *summary, struct bench_error *error)
{
    glob_t figures;
    for (size_t i = 0; i < arguments->words; i++)
        if (!summary_load(summary, arguments->word[i], error)) return cli_complain(error, EXIT_USAGE);
    if (cli_flag(command, arguments, "--profile")) {
        if (summary_print_profile(summary, our_stdout())) return EXIT_OK;
        bench_refuse(error, "summary: no memory for the profile");
        return cli_complain(error, EXIT_USAGE);
    }
    if (!find_figures(arguments->words, arguments->word, &figures)) {
        bench_refuse(error, "summary: no memory for the list of figures");
        return cli_complain(error, EXIT_USAGE);
    }
    const bool json = cli_flag(command, arguments, "--json") != NULL;
    const bool holds = json ? print_json(summary, &figures) : print_text(summary, &figures);
    globfree(&figures);
    return holds ? EXIT_OK : EXIT_CHECK;
}

int cmd_summary(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct bench_error error = {.text = ""};
    struct summary summary = {.together = paper_compares};
    if (arguments->words == 0) {
        bench_refuse(&error, "summary: no results given; see sensbench summary --help");
        return cli_complain(&error, EXIT_USAGE);
    }
    const int code = summarise(command, arguments, &summary, &error);
    summary_free(&summary);
    return code;
}
