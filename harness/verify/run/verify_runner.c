/* The parent: starts units in the plan's order while there are free places, listens to all pipes and to its
 * own signals, and watches the clocks of each child. */
#include "verify_runner.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "machine.h"
#include "process.h"
#include "progress.h"
#include "seconds.h"
#include "verify_child.h"

struct child {
    struct process process; /* pid 0: the place is free */
    size_t index;           /* in the plan */
    double start;
    struct child_inbox inbox;
};

/* Seconds for a process that has said its last word to be gone. */
static const double patience = 2;
/* Wall time that a unit may take, in its limit of processor time; seconds between two looks at the latter. */
static const double PATIENT = 10, LOOK_AGAIN = 0.05;

struct runner {
    const struct runner_task *task;
    struct runner_unit *unit;
    struct child *child;      /* [jobs] */
    struct process **process; /* [jobs], theirs */
    pid_t *living;            /* [jobs] */
    struct process_kin kin;   /* the children that were there before */
    size_t running, next;
    int signals;
    struct progress progress;
    sens_status status; /* not SENS_OK: stop */
};

/* ---- results ------------------------------------------------------------------------------------------- */

static const struct verify_unit *unit_of(const struct runner *runner, size_t index)
{
    return &runner->task->plan->unit[index].unit;
}

/* Without memory the run stops: a report with gaps could pass for a good one. */
static void keep(struct runner *runner, size_t index, const struct verify_result *result)
{
    struct runner_unit *unit = &runner->unit[index];
    if (array_grow(&unit->result, unit->results + 1, &unit->capacity, sizeof *unit->result))
        unit->result[unit->results++] = *result;
    else
        runner->status = SENS_NO_MEMORY;
}

static bool has_failure(const struct runner_unit *unit)
{
    for (size_t i = 0; i < unit->results; i++)
        if (unit->result[i].verdict == VERIFY_FAIL) return true;
    return false;
}

static struct verify_result completes(const struct runner *runner, size_t index, enum verify_verdict verdict,
                                      const char *text)
{
    struct verify_result result = {.verdict = verdict, .value = NAN, .bound = NAN};
    snprintf(result.check, sizeof result.check, "%s", plan_completes.id);
    verify_unit_module(unit_of(runner, index), result.module);
    plan_subject(unit_of(runner, index), result.subject);
    snprintf(result.text, sizeof result.text, "%s", text);
    child_clean(&result);
    return result;
}

/* The unit did not come to its end, for which the module is to blame with this weight (0: not at all). */
static void keep_failure(struct runner *runner, size_t index, const char *text, enum cause cause,
                         double weight)
{
    struct verify_result result = completes(runner, index, VERIFY_FAIL, text);
    if (weight > 0) verify_blame(&result, cause, weight);
    keep(runner, index, &result);
}

/* ---- did the unit say all it had to? ------------------------------------------------------------------- */

static bool has_result(const struct runner_unit *unit, size_t results, const char *check)
{
    for (size_t i = 0; i < results; i++)
        if (strcmp(unit->result[i].check, check) == 0) return true;
    return false;
}

static bool has_check(const struct verify_group *group, const char *id)
{
    for (const struct verify_check *check = group->checks; check->id; check++)
        if (strcmp(check->id, id) == 0) return true;
    return false;
}

static void compare_with_checks(struct runner *runner, size_t index)
{
    const struct verify_group *group = unit_of(runner, index)->group;
    const struct runner_unit *unit = &runner->unit[index];
    const size_t results = unit->results;
    char text[VERIFY_TEXT];
    for (const struct verify_check *check = group->checks; check->id; check++) {
        if (has_result(unit, results, check->id)) continue;
        snprintf(text, sizeof text, "no result for check %s", check->id);
        keep_failure(runner, index, text, CAUSE_crash, 0);
    }
    for (size_t i = 0; i < results; i++) {
        const char *const id = unit->result[i].check;
        if (has_check(group, id)) continue;
        snprintf(text, sizeof text, "a result for %s, which is no check of the group", id);
        keep_failure(runner, index, text, CAUSE_crash, 0);
    }
    if (unit->results > results) return;
    const struct verify_result pass = completes(runner, index, VERIFY_PASS, "");
    keep(runner, index, &pass);
}

/* The child has ended. */
static void conclude(struct runner *runner, const struct child *child, int how)
{
    const struct child_inbox *inbox = &child->inbox;
    char text[VERIFY_TEXT];
    if (inbox->garbled) {
        keep_failure(runner, child->index, "what its process sent is damaged", CAUSE_crash, 1);
    } else if (!inbox->said_end) {
        process_describe_death(&child->process, how, text, sizeof text);
        keep_failure(runner, child->index, text, CAUSE_crash, 1);
    } else if (inbox->status != SENS_OK) {
        snprintf(text, sizeof text, "%s: %s", sens_status_name(inbox->status),
                 sens_status_message(inbox->status));
        keep_failure(runner, child->index, text, CAUSE_crash, 0);
    } else if (how != 0) {
        snprintf(text, sizeof text, "all checks were made, but the process ended with code %d",
                 WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how));
        keep_failure(runner, child->index, text, CAUSE_crash, 0.5);
    } else {
        compare_with_checks(runner, child->index);
    }
}

/* ---- children ------------------------------------------------------------------------------------------ */

static void release(struct runner *runner, struct child *child, enum runner_state state)
{
    struct runner_unit *unit = &runner->unit[child->index];
    size_t living = 0;
    for (size_t i = 0; i < runner->task->jobs; i++)
        if (runner->child[i].process.pid > 0) runner->living[living++] = runner->child[i].process.pid;
    process_end_orphans(&runner->kin, living, runner->living);
    unit->seconds = seconds_now() - child->start;
    unit->state = state;
    runner->running--;
}

/* Its stream has ended. One that has closed its end without a word may still live. */
static void bury(struct runner *runner, struct child *child)
{
    conclude(runner, child, process_end(&child->process, child->inbox.garbled ? 0 : patience));
    release(runner, child, RUNNER_DONE);
}

static void stop(struct runner *runner, struct child *child, const char *text, enum cause cause,
                 double weight)
{
    process_end(&child->process, 0);
    if (text) keep_failure(runner, child->index, text, cause, weight);
    release(runner, child, text ? RUNNER_DONE : RUNNER_WAITING);
}

static bool start_child(struct runner *runner, struct child *child, size_t index)
{
    struct child_task task = {runner->task, unit_of(runner, index)};
    *child = (struct child){.index = index, .start = seconds_now()};
    if (!process_start(&child->process, runner->task->memory_limit, sizeof(struct child_message), child_run,
                       &task))
        return false;
    runner->unit[index].state = RUNNER_RUNNING;
    runner->running++;
    return true;
}

/* ---- whose turn is it ---------------------------------------------------------------------------------- */

enum turn { TURN_RUN, TURN_WAIT, TURN_SKIP };

/* A pair waits for the units of its problem, and is skipped when one of them has a failure. */
static enum turn turn_of(const struct runner *runner, size_t index)
{
    const struct verify_unit *unit = unit_of(runner, index);
    enum turn turn = TURN_RUN;
    for (size_t i = 0; i < index && plan_needs_trust(unit); i++) {
        if (!plan_vouches(unit_of(runner, i), unit)) continue;
        if (has_failure(&runner->unit[i])) return TURN_SKIP;
        if (runner->unit[i].state == RUNNER_RUNNING) turn = TURN_WAIT;
    }
    return turn;
}

static void skip(struct runner *runner, size_t index)
{
    char text[VERIFY_TEXT];
    snprintf(text, sizeof text, "problem %s fails its own checks", unit_of(runner, index)->problem->name);
    const struct verify_result result = completes(runner, index, VERIFY_SKIP, text);
    keep(runner, index, &result);
    runner->unit[index].state = RUNNER_SKIPPED;
}

static struct child *free_place(struct runner *runner)
{
    for (size_t i = 0; i < runner->task->jobs; i++)
        if (runner->child[i].process.pid == 0) return &runner->child[i];
    return NULL;
}

static void show(struct runner *runner, size_t index)
{
    char name[VERIFY_SUBJECT], text[2 * VERIFY_SUBJECT];
    verify_unit_name(unit_of(runner, index), name);
    snprintf(text, sizeof text, "%s: %s", unit_of(runner, index)->group->name, name);
    progress_step(&runner->progress, text);
}

/* Where no process can be made while others run, one of them may make room when it ends. */
static void start_units(struct runner *runner)
{
    struct child *place;
    while (runner->next < runner->task->plan->count && (place = free_place(runner)) != NULL) {
        const size_t index = runner->next;
        const enum turn turn = turn_of(runner, index);
        if (turn == TURN_WAIT) return;
        if (turn == TURN_SKIP) {
            skip(runner, index);
        } else if (!start_child(runner, place, index)) {
            if (runner->running > 0) return;
            keep_failure(runner, index, "no process could be started for it", CAUSE_crash, 0);
            runner->unit[index].state = RUNNER_DONE;
        }
        show(runner, index);
        runner->next++;
    }
}

/* ---- listening ----------------------------------------------------------------------------------------- */

static void take_results(struct runner *runner, struct child *child)
{
    enum { RESULTS_MAX = 20000 };
    struct verify_result result;
    if (!child_receive(&child->process, &child->inbox, &result)) {
        bury(runner, child);
        return;
    }
    if (!child->inbox.has_result) return;
    keep(runner, child->index, &result);
    if (runner->unit[child->index].results == RESULTS_MAX)
        stop(runner, child, "more results than any group has", CAUSE_crash, 0);
}

/* Processor time and not wall time: on a machine that is busy with other things a good unit waits for long.
 * One that sleeps or waits for itself uses none, and is given up after PATIENT times as much wall time. */
static void stop_late_ones(struct runner *runner)
{
    const double limit = runner->task->timeout;
    char text[VERIFY_TEXT];
    for (size_t i = 0; i < runner->task->jobs; i++) {
        struct child *child = &runner->child[i];
        if (child->process.pid == 0) continue;
        if (machine_processor_time(child->process.pid) >= limit)
            snprintf(text, sizeof text,
                     "still running after %g s of processor time, and stopped; --timeout gives it more",
                     limit);
        else if (seconds_now() >= child->start + PATIENT * limit)
            snprintf(text, sizeof text,
                     "still there after %g s with less than %g s of processor time, and stopped",
                     PATIENT * limit, limit);
        else
            continue;
        stop(runner, child, text, CAUSE_no_return, 0.6);
    }
}

/* When a child can be late at the earliest: of its processor time it uses at most a second in a second and
 * thread, and what it uses with more threads is seen a little later. */
static double first_deadline(const struct runner *runner)
{
    const double limit = runner->task->timeout, now = seconds_now();
    double first = INFINITY;
    for (size_t i = 0; i < runner->task->jobs; i++) {
        const struct child *child = &runner->child[i];
        if (child->process.pid == 0) continue;
        const double left = limit - machine_processor_time(child->process.pid);
        first = fmin(first, fmin(now + fmax(left, LOOK_AGAIN), child->start + PATIENT * limit));
    }
    return first;
}

static void listen_once(struct runner *runner)
{
    const size_t jobs = runner->task->jobs;
    const sens_status status = process_wait(runner->process, jobs, runner->signals, first_deadline(runner));
    if (status != SENS_TIMEOUT) runner->status = status;
    for (size_t i = 0; status == SENS_OK && i < jobs; i++)
        if (runner->status == SENS_OK && runner->child[i].process.pid)
            take_results(runner, &runner->child[i]);
    if (runner->status == SENS_OK) stop_late_ones(runner);
}

/* ---- the run ------------------------------------------------------------------------------------------- */

static void run_all(struct runner *runner)
{
    progress_start(&runner->progress, runner->task->plan->count, 0);
    for (;;) {
        start_units(runner);
        if (runner->running == 0 || runner->status != SENS_OK) break;
        listen_once(runner);
    }
    for (size_t i = 0; i < runner->task->jobs; i++)
        if (runner->child[i].process.pid) stop(runner, &runner->child[i], NULL, CAUSE_crash, 0);
    progress_end(&runner->progress);
}

sens_status runner_run(const struct runner_task *task, struct runner_unit *unit)
{
    struct runner runner = {.task = task,
                            .unit = unit,
                            .child = calloc(task->jobs, sizeof *runner.child),
                            .process = calloc(task->jobs, sizeof(void *)),
                            .living = calloc(task->jobs, sizeof *runner.living),
                            .status = SENS_OK};
    sigset_t former;
    process_kin(&runner.kin);
    process_block_signals(&former);
    runner.signals = process_signals();
    const bool allocated = runner.child && runner.process && runner.living;
    for (size_t i = 0; allocated && i < task->jobs; i++) runner.process[i] = &runner.child[i].process;
    if (!allocated)
        runner.status = SENS_NO_MEMORY;
    else if (runner.signals < 0)
        runner.status = SENS_IO_ERROR;
    else
        run_all(&runner);
    if (runner.signals >= 0) close(runner.signals);
    if (runner.status != SENS_INTERRUPTED) /* else the signal is pending, and would kill before the report */
        sigprocmask(SIG_SETMASK, &former, NULL);
    free(runner.child);
    free(runner.process);
    free(runner.living);
    return runner.status;
}

void runner_free(size_t count, struct runner_unit *unit)
{
    for (size_t i = 0; unit && i < count; i++) free(unit[i].result);
}
