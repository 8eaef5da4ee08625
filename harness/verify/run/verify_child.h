/* harness/verify/run/verify_child.h - both ends of the pipe between a unit's process and the runner. */
#ifndef VERIFY_CHILD_H
#define VERIFY_CHILD_H

#include "check.h"
#include "process.h"
#include "verify_runner.h"

enum { CHILD_MESSAGE = 1 }; /* the one kind of message */
struct child_message {
    int is_end;         /* 1, the last one: status; 0: result */
    sens_status status; /* of verify_run_unit */
    struct verify_result result;
};

struct child_inbox { /* the parent's end, after child_receive: */
    bool has_result; /* a result has been completed */
    bool said_end;   /* and this is the status */
    sens_status status;
    bool garbled; /* what came was none of our messages */
};

struct child_task {
    const struct runner_task *task;
    const struct verify_unit *unit;
};
/* In the child, a process_work: self is a struct child_task; runs the unit and sends its results. */
void child_run(void *self, int descriptor);

/* Reads what is there, at most one message. false: nothing more will come. */
bool child_receive(struct process *process, struct child_inbox *inbox, struct verify_result *result);

/* Makes of any bytes a result that can be reported: texts end and are of printable ASCII, weights are in
 * [0, 1]. */
void child_clean(struct verify_result *result);

#endif
