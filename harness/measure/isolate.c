/* A cell in a child process of its own: a crash, a hang or exhausted memory becomes a status in the record.
 * The last message counts; one that says that it is the last ends the child at once. */
#include "isolate.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "measure.h"
#include "process.h"
#include "seconds.h"

enum message_kind { MESSAGE_NONE, MESSAGE_REPORT, MESSAGE_DONE, MESSAGE_REFUSED };
static const double patience = 2; /* seconds for a process that has closed its end to be gone */

struct isolate_link {
    int socket;
};

/* ---- the child ----------------------------------------------------------------------------------------- */

struct task { /* allocated before the work can exhaust memory */
    const struct isolate_work *work;
    const struct measure_options *options;
    struct record *rec;
    struct record_image image;
    struct bench_error error;
};

static void send_record(int socket, enum message_kind kind, const struct record *rec,
                        struct record_image *image)
{
    record_pack(rec, image);
    process_send(socket, (int)kind, image, sizeof *image);
}

void isolate_report(struct isolate_link *link, const struct record *rec)
{
    struct record_image *image = malloc(sizeof *image);
    if (image) send_record(link->socket, MESSAGE_REPORT, rec, image);
    free(image);
}

static void run_child(void *self, int socket)
{
    struct task *task = self;
    struct isolate_link link = {socket};
    struct record *rec = task->rec;
    if (!task->work->run(task->work->self, &link, rec, &task->error)) {
        process_send(socket, MESSAGE_REFUSED, &task->error, sizeof task->error);
        return;
    }
    if (task->options->memory_limit > 0 &&
        strcmp(rec->text[COL_status], sens_status_name(SENS_NO_MEMORY)) == 0) {
        char why[RECORD_TEXT];
        snprintf(why, sizeof why, "%s", rec->text[COL_message]);
        record_set_status(rec, SENS_MEMORY_LIMIT, why);
    }
    send_record(socket, MESSAGE_DONE, rec, &task->image);
}

/* ---- the parent ---------------------------------------------------------------------------------------- */

/* A message that can be nothing but what the child was to send; else MESSAGE_NONE. */
static enum message_kind take(int kind, const void *bytes, size_t size, struct record *rec,
                              struct bench_error *error)
{
    if (kind == MESSAGE_REFUSED && size == sizeof *error) {
        memcpy(error, bytes, sizeof *error);
        error->text[sizeof error->text - 1] = error->shown[sizeof error->shown - 1] = '\0';
        return MESSAGE_REFUSED;
    }
    const bool is_record = kind == MESSAGE_REPORT || kind == MESSAGE_DONE;
    if (!is_record || size != sizeof(struct record_image) || !record_unpack(bytes, rec)) return MESSAGE_NONE;
    return kind == MESSAGE_DONE && !rec->text[COL_status][0] ? MESSAGE_NONE : (enum message_kind)kind;
}

struct outcome {
    sens_status status;     /* of the supervision: SENS_CRASHED where nothing more came */
    enum message_kind last; /* of the messages taken */
    bool garbled;
};

/* Follows the child until it has said its last word, is gone or talks nonsense, its time is up, or this
 * process is told to stop. */
static struct outcome follow(struct process *process, int signals, double timeout, struct record *rec,
                             struct bench_error *error)
{
    const double deadline = timeout > 0 ? seconds_now() + timeout : INFINITY;
    struct outcome outcome = {.last = MESSAGE_NONE};
    for (;;) {
        int kind;
        size_t size;
        const void *bytes;
        outcome.status = process_wait(&process, 1, signals, deadline);
        if (outcome.status != SENS_OK) return outcome;
        const enum process_news news = process_hear(process, &kind, &bytes, &size);
        if (news == PROCESS_MESSAGE) outcome.last = take(kind, bytes, size, rec, error);
        outcome.garbled =
            news == PROCESS_GARBLED || (news == PROCESS_MESSAGE && outcome.last == MESSAGE_NONE);
        if (outcome.last == MESSAGE_DONE || outcome.last == MESSAGE_REFUSED) return outcome;
        if (news != PROCESS_GONE && !outcome.garbled) continue;
        outcome.status = SENS_CRASHED;
        return outcome;
    }
}

/* What the row says of a child that did not get to its end. */
static void judge(const struct outcome *outcome, const struct process *process, int how, double timeout,
                  struct record *rec)
{
    char text[RECORD_TEXT] = "";
    sens_status status = outcome->status;
    if (status == SENS_OK) return;
    if (status == SENS_TIMEOUT) snprintf(text, sizeof text, "stopped after %g s", timeout);
    if (status == SENS_CRASHED && outcome->garbled) {
        snprintf(text, sizeof text, "what its process sent is damaged");
    } else if (status == SENS_CRASHED) {
        process_describe_death(process, how, text, sizeof text);
        if (process_killed_from_outside(process, how)) status = SENS_DISTURBED;
        if (process->ran_out) status = SENS_MEMORY_LIMIT;
    }
    record_set_status(rec, status, text);
}

/* One that has closed its end is given time to die, so that the row can say of what. */
static struct outcome supervise(struct process *process, const struct measure_options *options,
                                struct record *rec, struct bench_error *error)
{
    const int signals = process_signals();
    struct outcome outcome = {.status = SENS_IO_ERROR};
    if (signals >= 0) outcome = follow(process, signals, options->timeout, rec, error);
    if (signals >= 0) close(signals);
    const bool may_tell = outcome.status == SENS_CRASHED && !outcome.garbled;
    const int how = process_end(process, may_tell ? patience : 0);
    judge(&outcome, process, how, options->timeout, rec);
    return outcome;
}

bool isolate_call(const struct isolate_work *work, const struct measure_options *options, struct record *rec,
                  struct bench_error *error)
{
    struct task *task = calloc(1, sizeof *task);
    struct process process;
    struct process_kin kin;
    struct outcome outcome = {.last = MESSAGE_NONE};
    sigset_t former;
    record_clear(rec);
    process_kin(&kin);
    process_block_signals(&former);
    if (task) *task = (struct task){.work = work, .options = options, .rec = rec};
    if (task && process_start(&process, options->memory_limit, sizeof(struct record_image), run_child, task))
        outcome = supervise(&process, options, rec, error);
    else
        record_set_status(rec, SENS_DISTURBED, "no process could be started for the cell");
    process_end_orphans(&kin, 0, NULL);
    sigprocmask(SIG_SETMASK, &former, NULL);
    free(task);
    return outcome.last != MESSAGE_REFUSED;
}

/* ---- a cell as the work -------------------------------------------------------------------------------- */

struct cell_work {
    const struct spec *spec;
    const struct measure_options *options;
};

static bool run_cell(void *self, struct isolate_link *link, struct record *rec, struct bench_error *error)
{
    const struct cell_work *work = self;
    struct sens_ctx ctx = {.now = NULL};
    struct cell cell;
    machine_prepare(&ctx, work->options->pin);
    if (work->options->memory_limit > 0) ctx.arena.limit = (size_t)work->options->memory_limit;
    const sens_status status = cell_resolve(&ctx, work->spec, &cell, error);
    if (status == SENS_BAD_INPUT) return false;
    if (status != SENS_OK) {
        record_set_status(rec, status, error->text);
        return true;
    }
    measure_describe(&cell, rec);
    isolate_report(link, rec);
    if (work->options->pin) measure_place(&cell);
    measure_cell(&ctx, &cell, work->options, rec, NULL);
    sens_arena_release(&ctx.arena);
    return true;
}

/* What is known of a cell even if its process never got as far as resolving it. */
static void name_cell(const struct spec *spec, struct record *rec)
{
    static const struct {
        int column;
        const char *key;
    } named[] = {{COL_problem, "problem"}, {COL_method, "method"}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        const char *value = spec_get(spec, named[i].key);
        if (!rec->text[named[i].column][0])
            snprintf(rec->text[named[i].column], RECORD_TEXT, "%s", value ? value : "");
    }
    snprintf(rec->text[COL_machine], RECORD_TEXT, "%s", machine_name());
    snprintf(rec->text[COL_git], RECORD_TEXT, "%s", machine_git());
    char *identity = spec_identity(spec);
    snprintf(rec->text[COL_cell], RECORD_TEXT, "%s", identity ? identity : "");
    free(identity);
}

bool isolate_cell(const struct spec *spec, const struct measure_options *options, struct record *rec,
                  struct bench_error *error)
{
    struct cell_work self = {spec, options};
    const struct isolate_work work = {run_cell, &self};
    if (!isolate_call(&work, options, rec, error)) return false;
    name_cell(spec, rec);
    return true;
}
