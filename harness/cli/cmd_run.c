/* sensbench run: one cell, in this process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "closer.h"
#include "exit_codes.h"
#include "machine.h"
#include "measure.h"
#include "run_report.h"
#include "streams.h"

struct run {
    struct cli_arguments *arguments;
    const char *dump;
    bool json, tsv, once;
    struct sens_ctx ctx;
    struct cell cell;
    struct record *rec;
    struct sens_out out;
    struct labels labels; /* after a run that succeeded */
    struct closer closer; /* the same, where there is no truth */
    bool estimated;
    struct bench_error error;
};

static const struct measure_options timed = {.warmups = 1, .samples = 11, .sample_budget = 0.3};
static const struct measure_options once = {.samples = 0}; /* results, errors and counts alone */

/* Asked before the work: can the file be written? It is left as it is. Behind a link to nothing it is the
 * file that was made, and not the link, that goes again. */
static bool check_dump(struct run *run)
{
    if (!run->dump) return true;
    const bool there = access(run->dump, F_OK) == 0;
    FILE *file = fopen(run->dump, "a");
    if (!file) return bench_refuse(&run->error, "--dump %s: %s", run->dump, strerror(errno));
    fclose(file);
    char *made = there ? NULL : realpath(run->dump, NULL);
    if (made) unlink(made);
    free(made);
    return true;
}

static bool read_request(struct run *run, const struct cli_command *command)
{
    run->dump = cli_flag(command, run->arguments, "--dump");
    run->json = cli_flag(command, run->arguments, "--json");
    run->tsv = cli_flag(command, run->arguments, "--tsv");
    run->once = cli_flag(command, run->arguments, "--once");
    if (run->json && run->tsv) return bench_refuse(&run->error, "run: --json or --tsv, not both");
    return cli_take_names(command, run->arguments, &run->error) && check_dump(run);
}

static void write_json(struct run *run, const struct labels *labels)
{
    json_t *const object = record_json(run->rec);
    json_object_set_new(object, "result", report_json(&run->cell, labels, &run->out));
    if (run->estimated && !run->closer.same)
        json_object_set_new(object, "estimate",
                            json_pack("{s:o,s:o,s:o}", "rtol", json_of_number(run->closer.rtol), "x",
                                      json_of_number(run->closer.x), "gradient",
                                      json_of_number(run->closer.gradient)));
    json_dumpf(object, our_stdout(), JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(object);
    say("\n");
}

static void write_record(struct run *run, const struct labels *labels)
{
    char *identity = spec_identity(&run->arguments->spec);
    snprintf(run->rec->text[COL_cell], RECORD_TEXT, "%s", identity ? identity : "");
    free(identity);
    if (run->tsv) {
        record_write_header(our_stdout());
        record_write_row(our_stdout(), run->rec);
    }
    if (run->json) write_json(run, labels);
}

/* A solve that succeeded on steps which its gradient does not allow: said, and kept in the row. */
static void warn_of_rest(struct run *run)
{
    char *const message = run->rec->text[COL_message];
    if (frozen_at_rest(&run->ctx, &run->cell, message, RECORD_TEXT)) complain_line("warning: %s", message);
}

/* Where there is no truth to take errors against. */
static void estimate(struct run *run)
{
    char *const message = run->rec->text[COL_message];
    static const char text[] =
        "stability sets the steps, and not the tolerance: %.0f, and %.0f at a hundredth of it; "
        "an implicit tableau takes fewer (tableau=auto, radau_iia5)";
    if (run->once || run->cell.truth == TRUTH_NONE || strcmp(run->rec->text[COL_truth], "none") != 0) return;
    run->estimated = closer_solve(&run->ctx, &run->cell, run->rec, &run->out, &run->closer);
    if (!run->closer.stability || message[0]) return;
    snprintf(message, RECORD_TEXT, text, run->rec->number[COL_steps], run->closer.steps);
    complain_line("warning: %s", message);
}

/* What is wrong with the products may be why a solve failed. */
static void warn_of_products(struct run *run)
{
    char *const message = run->rec->text[COL_message];
    char found[RECORD_TEXT];
    if (!declared_jacobian_is_wrong(&run->ctx, &run->cell, found, sizeof found)) return;
    complain_line("warning: %s", found);
    if (!message[0]) snprintf(message, RECORD_TEXT, "%s", found);
}

/* After the run: the memory of names is not in its row. */
static sens_status find_labels(struct run *run)
{
    const sens_status status = labels_find(&run->ctx, &run->cell.problem, &run->labels);
    if (status != SENS_OK)
        snprintf(run->rec->text[COL_message], RECORD_TEXT, "names of states and parameters: %s",
                 sens_status_name(status));
    return status;
}

/* A failed solve is said, and no number of it is shown. */
static int report(struct run *run, sens_status status)
{
    if (status == SENS_OK) warn_of_rest(run);
    if (status == SENS_OK) estimate(run);
    warn_of_products(run);
    if (status == SENS_OK) status = find_labels(run);
    if (run->json || run->tsv) write_record(run, status == SENS_OK ? &run->labels : NULL);
    if (status != SENS_OK) {
        if (!run->json && !run->tsv) say("status     %s\n", sens_status_name(status));
        bench_refuse(&run->error, "%s: %s", sens_status_name(status), run->rec->text[COL_message]);
        return cli_complain(&run->error, cli_exit_code(status));
    }
    if (!run->json && !run->tsv)
        report_print(&run->cell, &run->labels, &run->out, run->rec, run->estimated ? &run->closer : NULL);
    if (run->dump && !report_dump(run->dump, &run->cell, &run->labels, &run->out, &run->error))
        return cli_complain(&run->error, EXIT_CHECK);
    return EXIT_OK;
}

static int execute(struct run *run, const struct cli_command *command)
{
    if (!read_request(run, command)) return cli_complain(&run->error, EXIT_USAGE);
    machine_prepare(&run->ctx, true);
    sens_status status = cell_resolve(&run->ctx, &run->arguments->spec, &run->cell, &run->error);
    if (status != SENS_OK) return cli_complain(&run->error, cli_exit_code(status));
    if (!run->once && measure_has_threads(&run->cell)) machine_seek_quiet();
    status = measure_cell(&run->ctx, &run->cell, run->once ? &once : &timed, run->rec, &run->out);
    return report(run, status);
}

int cmd_run(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct run *run = calloc(1, sizeof *run);
    if (run) run->rec = record_create();
    if (!run || !run->rec) {
        free(run);
        return EXIT_SOLVER;
    }
    run->arguments = arguments;
    const int code = execute(run, command);
    sens_arena_release(&run->ctx.arena);
    free(run->rec);
    free(run);
    return code;
}
