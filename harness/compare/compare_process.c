/* The process of a contender. Parent and child talk over one socket: the child says first what it is, then
 * whether it is ready; from then on a byte from the parent asks for a sample. The end of the stream ends the
 * child. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "machine.h"

#include "compare.h"
#include "exit_codes.h"
#include "seconds.h"

struct answer { /* about the contender */
    sens_status status;
    int repeat;
    struct calibration found;
    char message[COMPARE_TEXT];
    struct record_image rec;
};

enum { PARTS = 3 };
enum { ANSWER = 1, TURN };        /* kinds of message */
static const double patience = 2; /* seconds for a process that has been told to end */

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
static void do_part(int part, const struct compare_subject *subject, double memory_limit, struct record *rec,
                    struct answer *answer)
{
    sens_status status = SENS_OK;
    if (part == 0) status = subject->describe(subject->self, rec, answer->message);
    if (part == 1) status = subject->calibrate(subject->self, &answer->found, answer->message);
    if (part == 2) status = subject->prepare(subject->self, rec, &answer->repeat, answer->message);
    record_pack(rec, &answer->rec);
    answer->status = name_limit(status, memory_limit);
}

struct service {
    const struct compare_subject *subject;
    double memory_limit;
};

static void serve(void *self, int descriptor)
{
    const struct service *service = self;
    const struct compare_subject *subject = service->subject;
    const double memory_limit = service->memory_limit;
    struct answer *answer = calloc(1, sizeof *answer); /* before the work can exhaust memory */
    struct record *rec = record_create();
    if (!answer || !rec) _exit(EXIT_CHECK);
    for (int part = 0; part < PARTS && answer->status == SENS_OK; part++) {
        if (part == 1 && !subject->calibrate) continue;
        do_part(part, subject, memory_limit, rec, answer);
        process_send(descriptor, ANSWER, answer, sizeof *answer);
    }
    while (answer->status == SENS_OK && is_asked(descriptor)) {
        struct turn turn;
        memset(&turn, 0, sizeof turn); /* it crosses a process: no uninitialised byte may leave */
        answer->status = subject->sample(subject->self, &turn.sample, turn.message);
        turn.status = answer->status;
        process_send(descriptor, TURN, &turn, sizeof turn);
    }
    if (subject->release) subject->release(subject->self);
    free(rec);
    free(answer);
}

/* ---- the parent ---------------------------------------------------------------------------------------- */

/* A message of this kind and size. SENS_CRASHED: none came, and none will. */
static sens_status receive(struct process *process, int signals, double timeout, int wanted, void *message,
                           size_t whole)
{
    const double deadline = timeout > 0 ? seconds_now() + timeout : INFINITY;
    for (;;) {
        int kind;
        size_t size;
        const void *bytes;
        const sens_status status = process_wait(&process, 1, signals, deadline);
        if (status != SENS_OK) return status;
        const enum process_news news = process_hear(process, &kind, &bytes, &size);
        if (news == PROCESS_SILENT) continue;
        if (news != PROCESS_MESSAGE || kind != wanted || size != whole) return SENS_CRASHED;
        memcpy(message, bytes, size);
        return SENS_OK;
    }
}

static bool ends(const char message[COMPARE_TEXT])
{
    return memchr(message, '\0', COMPARE_TEXT) != NULL;
}

/* Nothing that a process sends is taken on trust: it may have overwritten its own memory. */
static bool is_sound(const struct answer *answer)
{
    const struct calibration *found = &answer->found;
    return ends(answer->message) && answer->repeat >= 0 && found->rung >= -1 &&
           found->rung <= RUNG_TIGHTEST && found->best_rung >= -1 && found->best_rung <= RUNG_TIGHTEST;
}

static bool is_sound_turn(const struct turn *turn)
{
    return ends(turn->message) &&
           (turn->status != SENS_OK || (isfinite(turn->sample.total) && turn->sample.total >= 0));
}

/* Ends the process; returns how it ended. One that works on is killed. */
static int end_process(struct contender *contender, bool at_once)
{
    if (contender->process.pid > 0) shutdown(contender->process.socket, SHUT_WR);
    return process_end(&contender->process, at_once ? 0 : patience);
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
    const int how = process_end(&contender->process, status == SENS_CRASHED ? patience : 0);
    if (status == SENS_TIMEOUT) snprintf(text, sizeof text, "stopped after %g s", timeout);
    if (status == SENS_CRASHED) process_describe_death(&contender->process, how, text, sizeof text);
    if (status == SENS_CRASHED && process_killed_from_outside(&contender->process, how))
        status = SENS_DISTURBED;
    if (status == SENS_CRASHED && contender->process.ran_out) status = SENS_MEMORY_LIMIT;
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
static sens_status hear_parts(struct contender *contender, const struct compare_options *options, int signals,
                              struct answer *answer)
{
    for (int part = 0; part < PARTS; part++) {
        if (part == 1 && !contender->subject.calibrate) continue;
        const double begin = seconds_now();
        sens_status heard =
            receive(&contender->process, signals, options->timeout, ANSWER, answer, sizeof *answer);
        if (heard == SENS_INTERRUPTED) return heard;
        if (heard == SENS_OK && !(is_sound(answer) && record_unpack(&answer->rec, contender->rec)))
            heard = SENS_CRASHED;
        if (heard != SENS_OK) {
            give_up(contender, heard, options->timeout);
            return heard;
        }
        if (part == 1) learn(contender, &answer->found, seconds_now() - begin);
        if (answer->status == SENS_OK) continue;
        end_process(contender, false);
        compare_fail(contender, answer->status, answer->message);
        return answer->status;
    }
    contender->repeat = answer->repeat;
    contender->status = SENS_OK;
    return SENS_OK;
}

/* An interruption leaves the record of the process before, of which samples are there. */
static sens_status hear(struct contender *contender, const struct compare_options *options, int signals,
                        struct answer *answer)
{
    struct record_image *const before = malloc(sizeof *before);
    if (before) record_pack(contender->rec, before);
    const sens_status status = hear_parts(contender, options, signals, answer);
    if (before && status == SENS_INTERRUPTED) record_unpack(before, contender->rec);
    free(before);
    return status;
}

sens_status compare_start(struct contender *contender, const struct compare_options *options, int signals)
{
    struct answer *answer = calloc(1, sizeof *answer);
    sens_status status = SENS_DISTURBED;
    struct service service = {&contender->subject, options->memory_limit};
    if (answer && process_start(&contender->process, options->memory_limit, sizeof *answer, serve, &service))
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
    do sent = send(contender->process.socket, &word, 1, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    sens_status heard = SENS_CRASHED;
    if (sent == 1) heard = receive(&contender->process, signals, options->timeout, TURN, &turn, sizeof turn);
    if (heard == SENS_INTERRUPTED) return heard;
    if (heard == SENS_OK && !is_sound_turn(&turn)) heard = SENS_CRASHED;
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
