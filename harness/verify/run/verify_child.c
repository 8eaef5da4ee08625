/* A unit's process, and what it says. Results are plain data of one program, but of a process that may have
 * overwritten its own memory: the parent takes nothing in them on trust. */
#include "verify_child.h"

#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "process.h"

/* ---- the child ----------------------------------------------------------------------------------------- */

/* Padding is sent too, so that all bytes are set. */
static void emit(void *self, const struct verify_result *result)
{
    struct child_message message;
    memset(&message, 0, sizeof message);
    memcpy(&message.result, result, sizeof *result);
    process_send(*(const int *)self, CHILD_MESSAGE, &message, sizeof message);
}

void child_run(void *self, int descriptor)
{
    const struct child_task *child = self;
    const struct runner_task *task = child->task;
    struct verify v = {.reg = task->reg,
                       .groups = verify_groups,
                       .quick = task->quick,
                       .seed = task->seed,
                       .method_glob = task->method_glob,
                       .problem_glob = task->problem_glob,
                       .held = task->held,
                       .ctx = {.arena = {.limit = (size_t)task->memory_limit}},
                       .emit = emit,
                       .self = &descriptor};
    struct child_message last;
    memset(&last, 0, sizeof last);
    last.is_end = 1;
    dup2(STDERR_FILENO, STDOUT_FILENO); /* what a module prints is no part of the report */
    last.status = verify_run_unit(child->unit, &v);
    process_send(descriptor, CHILD_MESSAGE, &last, sizeof last);
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

bool child_receive(struct process *process, struct child_inbox *inbox, struct verify_result *result)
{
    int kind;
    size_t size;
    const void *bytes;
    struct child_message message;
    inbox->has_result = false;
    const enum process_news news = process_hear(process, &kind, &bytes, &size);
    if (news == PROCESS_SILENT) return true;
    inbox->garbled = news == PROCESS_GARBLED ||
                     (news == PROCESS_MESSAGE && (kind != CHILD_MESSAGE || size != sizeof message));
    if (news != PROCESS_MESSAGE || inbox->garbled) return false;
    memcpy(&message, bytes, sizeof message);
    inbox->said_end = message.is_end != 0;
    inbox->status = message.status;
    if (inbox->said_end) return false;
    *result = message.result;
    child_clean(result);
    inbox->has_result = true;
    return true;
}
