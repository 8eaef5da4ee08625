/* The engine of a sweep: shuffled order, one child process a cell, one flushed row a cell. The order is
 * shuffled so that a slow spell of the machine spreads over all curves instead of bending one. */
#include "sweep.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "exit_codes.h"
#include "machine.h"
#include "process.h"
#include "progress.h"
#include "result_file.h"
#include "streams.h"

struct engine {
    const struct sweep *sweep;
    struct result_file result;
    struct progress progress;
    double budget;
    size_t *order;
    struct record *rec;
    size_t kept, failed, left; /* rows found, rows that are failures, cells for which no time was left */
    size_t disturbed;          /* cells that have no row, through no fault of theirs */
};

/* A drift of the machine must not look like an effect of an axis; where nothing is timed, the file decides, which may
 * put first what takes long. */
size_t *sweep_order(const struct sweep *sweep)
{
    size_t *order = malloc(sweep->count * sizeof *order);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (order && rng) {
        for (size_t i = 0; i < sweep->count; i++) order[i] = i;
        gsl_rng_set(rng, sweep->seed);
        if (sweep->measure.samples > 0) gsl_ran_shuffle(rng, order, sweep->count, sizeof *order);
    }
    if (rng) gsl_rng_free(rng);
    return order;
}

/* A row says in which file of a sweep its key stands, and not in whose folder: rows are handed on. */
static void leave_out_folder(const struct spec *spec, char *message)
{
    for (size_t i = 0; i < spec->count; i++) {
        const char *const origin = spec->pair[i].origin, *const slash = strrchr(origin, '/');
        const size_t folder = slash ? (size_t)(slash + 1 - origin) : 0;
        if (folder == 0 || strncmp(message, origin, folder) != 0) continue;
        memmove(message, message + folder, strlen(message + folder) + 1);
        return;
    }
}

/* Measures one cell into engine->rec. A cell that passed the check of the whole sweep may still turn bad,
 * say when its file of parameters is gone: that is a row as well. */
static void measure(struct engine *engine, size_t sequence, const char *identity)
{
    const struct sweep *sweep = engine->sweep;
    struct record *rec = engine->rec;
    struct bench_error error;
    const struct spec *spec = &sweep->cell[engine->order[sequence]];
    if (!isolate_cell(spec, &sweep->measure, rec, &error)) {
        record_clear(rec);
        record_set_status(rec, SENS_BAD_INPUT, error.text);
    }
    leave_out_folder(spec, rec->text[COL_message]);
    snprintf(rec->text[COL_cell], RECORD_TEXT, "%s", identity);
    sweep_inputs_write(&engine->result.inputs, spec, rec->text[COL_given], RECORD_TEXT);
    snprintf(rec->text[COL_sweep], RECORD_TEXT, "%s", sweep->name);
    rec->number[COL_sequence] = (double)sequence;
}

/* Before the first cell, and after one whose times others disturbed: they may be gone, or elsewhere. */
static void seek_quiet(const struct sweep *sweep)
{
    if (sweep->measure.pin && sweep->measure.samples > 0) machine_seek_quiet();
}

static bool has_status(const struct record *rec, sens_status status)
{
    return strcmp(rec->text[COL_status], sens_status_name(status)) == 0;
}

/* A cell that was interrupted or disturbed leaves no row: nothing is known of it. EXIT_OK to go on. */
static int keep_row(struct engine *engine, struct bench_error *error)
{
    if (has_status(engine->rec, SENS_INTERRUPTED)) return EXIT_INTERRUPTED;
    if (has_status(engine->rec, SENS_DISTURBED)) {
        engine->disturbed++;
        return EXIT_OK;
    }
    if (!has_status(engine->rec, SENS_OK)) engine->failed++;
    return result_file_add(&engine->result, engine->rec, error) ? EXIT_OK : EXIT_CHECK;
}

/* Rows of two models under one name would look like one. */
static bool check_given(const struct engine *engine, size_t sequence, struct bench_error *error)
{
    const struct sweep_input *const changed =
        sweep_inputs_changed(&engine->result.inputs, &engine->sweep->cell[engine->order[sequence]]);
    return !changed ||
           bench_refuse(
               error,
               "sweep %s: %s has changed while the sweep was running (%s=%s); the rows before are kept: "
               "with the file as it was, --resume goes on",
               engine->sweep->name, changed->file, changed->key, changed->value);
}

/* One that failed for the file that it is given is no row either. */
static int measure_and_keep(struct engine *engine, size_t sequence, const char *identity,
                            struct bench_error *error)
{
    if (!check_given(engine, sequence, error)) return EXIT_CHECK;
    measure(engine, sequence, identity);
    if (has_status(engine->rec, SENS_DISTURBED)) measure(engine, sequence, identity);
    return check_given(engine, sequence, error) ? keep_row(engine, error) : EXIT_CHECK;
}

static int run_cell(struct engine *engine, size_t sequence, struct bench_error *error)
{
    char *identity = spec_identity(&engine->sweep->cell[engine->order[sequence]]);
    int code = EXIT_OK;
    if (!identity) {
        bench_refuse(error, "no memory");
        code = EXIT_CHECK;
    } else if (result_file_has(&engine->result, identity)) {
        engine->kept++;
        engine->progress.total--;
    } else if (engine->budget > 0 && progress_elapsed(&engine->progress) >= engine->budget) {
        engine->left++;
    } else {
        progress_step(&engine->progress, identity);
        code = measure_and_keep(engine, sequence, identity, error);
        if (engine->rec->number[COL_samples_disturbed] > 0) seek_quiet(engine->sweep);
    }
    free(identity);
    return code;
}

static int run_cells(struct engine *engine, struct bench_error *error)
{
    sigset_t former;
    int code = EXIT_OK;
    process_block_signals(&former); /* an interruption between two cells is noticed by the next one */
    progress_start(&engine->progress, engine->sweep->count, engine->budget);
    for (size_t i = 0; code == EXIT_OK && i < engine->sweep->count; i++) code = run_cell(engine, i, error);
    progress_end(&engine->progress);
    if (code != EXIT_INTERRUPTED) /* else the signal is still pending, and would kill before the report */
        sigprocmask(SIG_SETMASK, &former, NULL);
    return code;
}

static void report(const struct engine *engine, int code)
{
    say("%s: %zu cells measured, %zu failed, %zu kept from before, %.1f s\n", engine->sweep->name,
        engine->progress.done - engine->disturbed - (code == EXIT_INTERRUPTED), engine->failed, engine->kept,
        progress_elapsed(&engine->progress));
    say("%s\n", engine->result.path);
    fflush(our_stdout());
    if (engine->left > 0)
        complain_line("sweep %s: budget of %g s used up, %zu cells not run; --resume goes on",
                      engine->sweep->name, engine->budget, engine->left);
    if (code == EXIT_INTERRUPTED)
        complain_line("sweep %s: interrupted; --resume goes on", engine->sweep->name);
}

int sweep_execute(const struct sweep *sweep, const struct sweep_run *run, struct bench_error *error)
{
    struct engine engine = {.sweep = sweep, .budget = run->budget >= 0 ? run->budget : sweep->budget};
    engine.order = sweep_order(sweep);
    engine.rec = record_create();
    int code = EXIT_CHECK;
    /* The peak of the machine, which the file begins with, is of that core, or of the first sweep's. */
    seek_quiet(sweep);
    if (!engine.order || !engine.rec) {
        bench_refuse(error, "no memory for %zu cells", sweep->count);
    } else if (!result_file_open(sweep, run, &engine.result, error)) {
        code = EXIT_USAGE;
    } else {
        code = run_cells(&engine, error);
        if (code != EXIT_CHECK) report(&engine, code);
        if (code == EXIT_OK && engine.disturbed > 0) {
            bench_refuse(error,
                         "sweep %s: %zu cells have no row: their processes could not be started, or were "
                         "killed from outside, twice; --resume takes them again",
                         sweep->name, engine.disturbed);
            code = EXIT_SOLVER;
        }
        result_file_close(&engine.result);
    }
    free(engine.order);
    free(engine.rec);
    return code;
}
