/* A cell in a child process of its own: a crash, a hang or exhausted memory becomes a status in the
 * record. The child sends messages over a pipe; the last complete one counts. The parent waits for the
 * pipe, for its own signals (through a descriptor, so that no handler and no global is needed) and for the
 * time limit. */
#include "isolate.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

enum message_kind { MESSAGE_NONE, MESSAGE_REPORT, MESSAGE_DONE, MESSAGE_REFUSED };

struct message {
    enum message_kind kind;
    struct bench_error error;
    struct record rec;
};

struct isolate_link {
    int descriptor;
};

/* ---- the child ----------------------------------------------------------------------------------------- */

void isolate_send(int descriptor, const void *bytes, size_t size)
{
    const char *byte = bytes;
    for (size_t left = size; left > 0;) {
        const ssize_t sent = write(descriptor, byte, left);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) _exit(EXIT_CHECK);
        byte += sent;
        left -= (size_t)sent;
    }
}

static struct message *message_create(enum message_kind kind, const struct record *rec)
{
    struct message *message = calloc(1, sizeof *message);
    if (!message) return NULL;
    message->kind = kind;
    message->rec = *rec;
    return message;
}

void isolate_report(struct isolate_link *link, const struct record *rec)
{
    struct message *message = message_create(MESSAGE_REPORT, rec);
    if (message) isolate_send(link->descriptor, message, sizeof *message);
    free(message);
}

void isolate_enter_child(pid_t parent, double memory_limit)
{
    sigset_t none;
    sigemptyset(&none);
    const int ordinary[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof ordinary / sizeof ordinary[0]; i++) signal(ordinary[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0,
            0); /* the terminal's Ctrl-C reaches the parent only, which then stops the child's whole group */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_CHECK); /* the parent died before prctl */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)memory_limit; /* their shadow memory needs terabytes of address space */
#else
    const rlim_t bytes = (rlim_t)memory_limit;
    if (bytes > 0) setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
#endif
}

static _Noreturn void run_child(int descriptor, const struct isolate_work *work,
                                const struct measure_options *options)
{
    struct isolate_link link = {descriptor};
    struct message *last = calloc(1, sizeof *last); /* before the work can exhaust memory */
    if (!last) _exit(EXIT_CHECK);
    record_clear(&last->rec);
    last->kind = work->run(work->self, &link, &last->rec, &last->error) ? MESSAGE_DONE : MESSAGE_REFUSED;
    if (options->memory_limit > 0 &&
        strcmp(last->rec.text[COL_status], sens_status_name(SENS_NO_MEMORY)) == 0) {
        char why[RECORD_TEXT];
        snprintf(why, sizeof why, "%s", last->rec.text[COL_message]);
        record_set_status(&last->rec, SENS_MEMORY_LIMIT, why);
    }
    isolate_send(descriptor, last, sizeof *last);
    _exit(EXIT_OK);
}

/* ---- the parent ---------------------------------------------------------------------------------------- */

/* Less those that whoever started this program wants ignored (nohup, background jobs). */
static void interrupting_signals(sigset_t *set)
{
    const int candidate[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof candidate / sizeof candidate[0]; i++) {
        struct sigaction action;
        if (sigaction(candidate[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(set, candidate[i]);
    }
}

void isolate_block_signals(void *former)
{
    sigset_t set;
    interrupting_signals(&set);
    sigprocmask(SIG_BLOCK, &set, former);
}

int isolate_signals(void)
{
    sigset_t set;
    interrupting_signals(&set);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Reads what is there; keeps the last complete message. false at the end of the stream. */
static bool receive(int descriptor, struct message *partial, size_t *filled, struct message *last)
{
    const ssize_t got = read(descriptor, (char *)partial + *filled, sizeof *partial - *filled);
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    *filled += (size_t)got;
    if (*filled == sizeof *partial) {
        *last = *partial;
        *filled = 0;
    }
    return true;
}

static int milliseconds_until(double deadline)
{
    if (isinf(deadline)) return -1;
    const double left = 1e3 * (deadline - machine_now());
    return left <= 0 ? 0 : left < 1e9 ? (int)left + 1 : 1000000000;
}

/* Follows the child until its stream ends, its time is up or this process is told to stop. buffer: for a
 * message on its way. */
static sens_status follow(int descriptor, int signals, double timeout, struct message *buffer,
                          struct message *last)
{
    const double deadline = timeout > 0 ? machine_now() + timeout : INFINITY;
    struct pollfd watch[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    for (size_t filled = 0;;) {
        const int ready = poll(watch, 2, milliseconds_until(deadline));
        if (ready < 0 && errno != EINTR) return SENS_IO_ERROR;
        if (ready == 0) return SENS_TIMEOUT;
        if (ready > 0 && watch[1].revents) return SENS_INTERRUPTED;
        if (ready > 0 && watch[0].revents && !receive(descriptor, buffer, &filled, last)) return SENS_OK;
    }
}

void isolate_describe_death(int how, char *text, size_t size)
{
    if (WIFSIGNALED(how))
        snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
    else
        snprintf(text, size, "the process ended with code %d before it had a result", WEXITSTATUS(how));
}

static void judge(sens_status outcome, int how, double timeout, struct message *last)
{
    char text[RECORD_TEXT] = "";
    if (last->kind == MESSAGE_DONE || last->kind == MESSAGE_REFUSED) return;
    if (outcome == SENS_TIMEOUT) snprintf(text, sizeof text, "stopped after %g s", timeout);
    if (outcome == SENS_OK) isolate_describe_death(how, text, sizeof text);
    record_set_status(&last->rec, outcome == SENS_OK ? SENS_CRASHED : outcome, text);
}

static void supervise(pid_t child, int descriptor, const struct measure_options *options,
                      struct message *buffer, struct message *last)
{
    const int signals = isolate_signals();
    const sens_status outcome =
        signals < 0 ? SENS_IO_ERROR : follow(descriptor, signals, options->timeout, buffer, last);
    if (signals >= 0) close(signals);
    int how = 0;
    if (outcome != SENS_OK) kill(-child, SIGKILL);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) continue;
    if (outcome == SENS_INTERRUPTED) last->kind = MESSAGE_NONE; /* a result that came too late */
    judge(outcome, how, options->timeout, last);
}

/* Starts the child; -1 when that fails. *descriptor is the parent's end of the pipe. */
static pid_t start(const struct isolate_work *work, const struct measure_options *options, int *descriptor)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    const pid_t parent = getpid();
    fflush(NULL); /* what is buffered is written once, here */
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        isolate_enter_child(parent, options->memory_limit);
        run_child(ends[1], work, options);
    }
    close(ends[1]);
    if (child < 0)
        close(ends[0]);
    else
        setpgid(child, child); /* whoever comes first */
    *descriptor = ends[0];
    return child;
}

bool isolate_call(const struct isolate_work *work, const struct measure_options *options, struct record *rec,
                  struct bench_error *error)
{
    record_clear(rec);
    struct message *last = message_create(MESSAGE_NONE, rec), *buffer = message_create(MESSAGE_NONE, rec);
    sigset_t former;
    isolate_block_signals(&former);
    int descriptor = -1;
    const pid_t child = last && buffer ? start(work, options, &descriptor) : -1;
    if (child > 0) {
        supervise(child, descriptor, options, buffer, last);
        close(descriptor);
        *rec = last->rec;
    } else {
        record_set_status(rec, SENS_NO_MEMORY, "no process could be started for the cell");
    }
    sigprocmask(SIG_SETMASK, &former, NULL);
    const bool refused = child > 0 && last->kind == MESSAGE_REFUSED;
    if (refused) *error = last->error;
    free(last);
    free(buffer);
    return !refused;
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
    if (work->options->pin) machine_place(&cell);
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
