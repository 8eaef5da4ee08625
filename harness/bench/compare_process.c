/* The process of a contender. Parent and child talk over one socket: the child says first what it is, then
 * whether it is ready; from then on a byte from the parent asks for a sample. The end of the stream ends the
 * child. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare.h"
#include "isolate.h"

struct answer { /* about the contender */
    sens_status status;
    int repeat;
    struct calibration found;
    char message[COMPARE_TEXT];
    struct record rec;
};

enum { PARTS = 3 };

struct turn { /* about one sample */
    sens_status status;
    char message[COMPARE_TEXT];
    struct compare_sample sample;
};

/* ---- the child ----------------------------------------------------------------------------------------- */

/* Running into the limit that was set is told apart from a machine without memory. */
static sens_status name_limit(sens_status status, double memory_limit)
{
    return status == SENS_NO_MEMORY && memory_limit > 0 ? SENS_MEMORY_LIMIT : status;
}

static bool is_asked(int descriptor)
{
    char word;
    ssize_t got;
    do got = read(descriptor, &word, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

/* One part of what hear() waits for: 0 what it is, 1 its tolerance, 2 whether it is ready. */
static void do_part(int part, const struct compare_subject *subject, double memory_limit,
                    struct answer *answer)
{
    sens_status status = SENS_OK;
    if (part == 0) status = subject->describe(subject->self, &answer->rec, answer->message);
    if (part == 1) status = subject->calibrate(subject->self, &answer->found, answer->message);
    if (part == 2) status = subject->prepare(subject->self, &answer->rec, &answer->repeat, answer->message);
    answer->status = name_limit(status, memory_limit);
}

static _Noreturn void serve(int descriptor, const struct compare_subject *subject, double memory_limit)
{
    struct answer *answer = calloc(1, sizeof *answer); /* before the work can exhaust memory */
    if (!answer) _exit(EXIT_CHECK);
    record_clear(&answer->rec);
    for (int part = 0; part < PARTS && answer->status == SENS_OK; part++) {
        if (part == 1 && !subject->calibrate) continue;
        do_part(part, subject, memory_limit, answer);
        isolate_send(descriptor, answer, sizeof *answer);
    }
    while (answer->status == SENS_OK && is_asked(descriptor)) {
        struct turn turn;
        memset(&turn, 0, sizeof turn); /* it crosses a process: no uninitialised byte may leave */
        answer->status = subject->sample(subject->self, &turn.sample, turn.message);
        turn.status = answer->status;
        isolate_send(descriptor, &turn, sizeof turn);
    }
    if (subject->release) subject->release(subject->self);
    free(answer);
    _exit(EXIT_OK);
}

/* ---- the parent ---------------------------------------------------------------------------------------- */

static int milliseconds_until(double deadline)
{
    if (isinf(deadline)) return -1;
    const double left = 1e3 * (deadline - machine_now());
    return left <= 0 ? 0 : left < 1e9 ? (int)left + 1 : 1000000000;
}

/* Reads size bytes. SENS_CRASHED: the stream ended before. */
static sens_status receive(int descriptor, int signals, double timeout, void *bytes, size_t size)
{
    const double deadline = timeout > 0 ? machine_now() + timeout : INFINITY;
    struct pollfd watch[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    for (size_t filled = 0; filled < size;) {
        const int ready = poll(watch, 2, milliseconds_until(deadline));
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0) return SENS_IO_ERROR;
        if (ready == 0) return SENS_TIMEOUT;
        if (watch[1].revents) return SENS_INTERRUPTED;
        const ssize_t got = read(descriptor, (char *)bytes + filled, size - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return SENS_CRASHED;
        filled += (size_t)got;
    }
    return SENS_OK;
}

/* Ends the process; returns how it ended. One that works on is killed. */
static int end_process(struct contender *contender, bool at_once)
{
    const double patience = 2;
    int how = 0;
    if (contender->pid <= 0) return how;
    shutdown(contender->descriptor, SHUT_WR); /* closing would not do: later children hold copies */
    struct pollfd gone = {.fd = contender->descriptor, .events = POLLIN};
    char rest;
    while (!at_once && poll(&gone, 1, (int)(1e3 * patience)) > 0 && read(gone.fd, &rest, 1) == 1) continue;
    kill(-contender->pid, SIGKILL); /* its group: whatever it has started */
    while (waitpid(contender->pid, &how, 0) < 0 && errno == EINTR) continue;
    close(contender->descriptor);
    contender->pid = 0;
    contender->descriptor = -1;
    return how;
}

void compare_stop(struct contender *contender, bool at_once)
{
    end_process(contender, at_once);
}

void compare_fail(struct contender *contender, sens_status status, const char *message)
{
    contender->status = status;
    record_set_status(contender->rec, status, message[0] ? message : sens_status_message(status));
}

/* Nothing more can be had from this process. */
static void give_up(struct contender *contender, sens_status status, double timeout)
{
    char text[COMPARE_TEXT] = "";
    int how = 0;
    if (status == SENS_CRASHED) /* it has closed its end: it is dead or dying, and how must be learnt */
        while (waitpid(contender->pid, &how, 0) < 0 && errno == EINTR) continue;
    if (status == SENS_CRASHED) {
        isolate_describe_death(how, text, sizeof text);
        close(contender->descriptor);
        contender->pid = 0;
        contender->descriptor = -1;
    }
    if (status == SENS_TIMEOUT) snprintf(text, sizeof text, "stopped after %g s", timeout);
    end_process(contender, true);
    compare_fail(contender, status, text);
}

/* What was found is for good; the time for it is told apart from that for getting ready. */
static void learn(struct contender *contender, const struct calibration *found, double seconds)
{
    contender->calibrating += seconds;
    if (found->tried == 0) return; /* known from an earlier process */
    contender->found = *found;
    if (contender->subject.learn) contender->subject.learn(contender->subject.self, found);
}

/* What it is, its tolerance and whether it is ready, one after the other. */
static sens_status hear(struct contender *contender, const struct compare_options *options, int signals,
                        struct answer *answer)
{
    for (int part = 0; part < PARTS; part++) {
        if (part == 1 && !contender->subject.calibrate) continue;
        const double begin = machine_now();
        const sens_status heard =
            receive(contender->descriptor, signals, options->timeout, answer, sizeof *answer);
        if (heard == SENS_INTERRUPTED) return heard;
        if (heard != SENS_OK) {
            give_up(contender, heard, options->timeout);
            return heard;
        }
        *contender->rec = answer->rec;
        if (part == 1) learn(contender, &answer->found, machine_now() - begin);
        if (answer->status == SENS_OK) continue;
        end_process(contender, false);
        compare_fail(contender, answer->status, answer->message);
        return answer->status;
    }
    contender->repeat = answer->repeat;
    contender->status = SENS_OK;
    return SENS_OK;
}

static bool start(struct contender *contender, const struct compare_options *options)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    const pid_t parent = getpid();
    fflush(NULL); /* what is buffered is written once, here */
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        isolate_enter_child(parent, options->memory_limit);
        serve(ends[1], &contender->subject, options->memory_limit);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    setpgid(pid, pid); /* whoever comes first */
    contender->pid = pid;
    contender->descriptor = ends[0];
    return true;
}

sens_status compare_start(struct contender *contender, const struct compare_options *options, int signals)
{
    struct answer *answer = calloc(1, sizeof *answer);
    sens_status status = SENS_NO_MEMORY;
    if (answer && start(contender, options))
        status = hear(contender, options, signals, answer);
    else
        compare_fail(contender, status, "no process could be started for the contender");
    free(answer);
    return status;
}

sens_status compare_ask(struct contender *contender, const struct compare_options *options, int signals,
                        struct compare_sample *sample)
{
    struct turn turn;
    const char word = 1;
    ssize_t sent;
    do sent = send(contender->descriptor, &word, 1, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    const sens_status heard =
        sent == 1 ? receive(contender->descriptor, signals, options->timeout, &turn, sizeof turn)
                  : SENS_CRASHED;
    if (heard == SENS_INTERRUPTED) return heard;
    if (heard != SENS_OK) {
        give_up(contender, heard, options->timeout);
        return heard;
    }
    if (turn.status == SENS_OK) {
        *sample = turn.sample;
        return SENS_OK;
    }
    end_process(contender, false);
    compare_fail(contender, turn.status, turn.message);
    return turn.status;
}
