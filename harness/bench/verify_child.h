/* harness/bench/verify_child.h - both ends of the pipe between a unit's process and the runner. */
#ifndef VERIFY_CHILD_H
#define VERIFY_CHILD_H

#include "check.h"
#include "verify_runner.h"

struct child_message {
    int is_end;         /* 1, the last one: status; 0: result */
    sens_status status; /* of verify_run_unit */
    struct verify_result result;
};

struct child_inbox { /* the parent's end */
    size_t filled;
    struct child_message message;
    bool has_result; /* after child_receive: a result has been completed */
    bool said_end;
    sens_status status;
};

/* In the child: runs the unit, sends its results and ends the process. */
_Noreturn void child_run(int descriptor, const struct runner_task *task, const struct verify_unit *unit);

/* Reads what is there, at most one message. false: nothing more will come. */
bool child_receive(int descriptor, struct child_inbox *inbox, struct verify_result *result);

/* Makes of any bytes a result that can be reported: texts end and are of printable ASCII, weights are in
 * [0, 1]. */
void child_clean(struct verify_result *result);

#endif
