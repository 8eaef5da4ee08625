/* A unit's process, and what it says. Results are plain data of one program, but of a process that may have
 * overwritten its own memory: the parent takes nothing in them on trust. */
#include "verify_child.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "isolate.h"

/* ---- the child ----------------------------------------------------------------------------------------- */

/* Padding is sent too, so that all bytes are set. */
static void emit(void *self, const struct verify_result *result)
{
    struct child_message message;
    memset(&message, 0, sizeof message);
    memcpy(&message.result, result, sizeof *result);
    isolate_send(*(const int *)self, &message, sizeof message);
}

void child_run(int descriptor, const struct runner_task *task, const struct verify_unit *unit)
{
    struct verify v = {.reg = task->reg,
                       .quick = task->quick,
                       .seed = task->seed,
                       .method_glob = task->method_glob,
                       .ctx = {.arena = {.limit = (size_t)task->memory_limit}},
                       .emit = emit,
                       .self = &descriptor};
    struct child_message last;
    memset(&last, 0, sizeof last);
    last.is_end = 1;
    dup2(STDERR_FILENO, STDOUT_FILENO); /* what a module prints is no part of the report */
    last.status = verify_run_unit(unit, &v);
    isolate_send(descriptor, &last, sizeof last);
    _exit(EXIT_OK);
}

/* ---- the parent ---------------------------------------------------------------------------------------- */

/* A terminated text of printable ASCII, which every format of the report can hold. */
static void clean(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~') *c = *c == '\n' || *c == '\t' ? ' ' : '?';
}

void child_clean(struct verify_result *result)
{
    const bool known =
        result->verdict == VERIFY_PASS || result->verdict == VERIFY_SKIP || result->verdict == VERIFY_LIMIT;
    clean(result->check, sizeof result->check);
    clean(result->module, sizeof result->module);
    clean(result->subject, sizeof result->subject);
    clean(result->text, sizeof result->text);
    if (!known) result->verdict = VERIFY_FAIL;
    if (result->blames < 0 || result->blames > VERIFY_BLAMES) result->blames = 0;
    for (int i = 0; i < result->blames; i++) {
        struct verify_blame *blame = &result->blame[i];
        clean(blame->cause, sizeof blame->cause);
        if (!(blame->weight >= 0 && blame->weight <= 1)) blame->weight = 0;
    }
}

bool child_receive(int descriptor, struct child_inbox *inbox, struct verify_result *result)
{
    char *const bytes = (char *)&inbox->message;
    const ssize_t got = read(descriptor, bytes + inbox->filled, sizeof inbox->message - inbox->filled);
    inbox->has_result = false;
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    inbox->filled += (size_t)got;
    if (inbox->filled < sizeof inbox->message) return true;
    inbox->filled = 0;
    inbox->said_end = inbox->message.is_end != 0;
    inbox->status = inbox->message.status;
    if (inbox->said_end) return false;
    *result = inbox->message.result;
    child_clean(result);
    inbox->has_result = true;
    return true;
}
