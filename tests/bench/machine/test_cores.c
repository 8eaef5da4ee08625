/* Cells go to the least busy of the cores that the process was given. Each part has a process of its own, since the
 * cores are found once. */
#define _GNU_SOURCE

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"
#include "processors.h"
#include "seconds.h"
#include "testing.h"

enum { PASSED, FAILED, UNDECIDED, COMPETITORS = 3, TRIES = 12 };

/* What the part says, in a process of its own. */
static int apart(int (*part)(void))
{
    const pid_t child = fork();
    int how = 0;
    assert_true(child >= 0);
    if (child == 0) _exit(part());
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

static size_t last_of(const cpu_set_t *set)
{
    size_t i = CPU_SETSIZE - 1;
    while (i > 0 && !CPU_ISSET(i, set)) i--;
    return i;
}

/* As taskset -c N does: nothing but that one, whatever is least busy. */
static int obeys_mask(void)
{
    cpu_set_t given, one, now;
    if (sched_getaffinity(0, sizeof given, &given) != 0) return UNDECIDED;
    size_t first = 0;
    while (!CPU_ISSET(first, &given)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return UNDECIDED;
    if (machine_cores() != 1) return FAILED;
    machine_seek_quiet();
    if (!machine_pin() || sched_getaffinity(0, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &one))
        return FAILED;
    for (int worker = 0; worker < 3; worker++) {
        machine_bind(worker);
        if (sched_getaffinity(0, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &one)) return FAILED;
    }
    return PASSED;
}

static void masks_are_obeyed(void **state)
{
    (void)state;
    assert_int_not_equal(apart(obeys_mask), FAILED);
}

/* ---- of made-up loads ---------------------------------------------------------------------------------- */

enum { UNITS = 1024 };
static struct processor_time start_of[UNITS], end_of[UNITS];

/* Where a cell goes after a second in which the processors of `busy` were never idle, and the others always. */
static bool goes_elsewhere(const cpu_set_t *busy, cpu_set_t *now)
{
    for (size_t i = 0; i < UNITS; i++) {
        const bool is_busy = i < CPU_SETSIZE && CPU_ISSET(i, busy);
        start_of[i] = (struct processor_time){7, 0};
        end_of[i] = (struct processor_time){is_busy ? 7 : 8, 0};
    }
    cpu_set_t both;
    const struct processor_times before = {.count = UNITS, .of = start_of},
                                 after = {.count = UNITS, .of = end_of};
    machine_rank(&before, &after, 1);
    if (!machine_pin() || sched_getaffinity(0, sizeof *now, now) != 0) return false;
    CPU_AND(&both, now, busy);
    return CPU_COUNT(&both) == 0;
}

/* From the core that a cell would have, to another, and back when that one is the busy one. */
static int avoids_busy(void)
{
    cpu_set_t quiet, first, second, third;
    if (machine_cores() < 2) return UNDECIDED;
    CPU_ZERO(&quiet);
    if (!goes_elsewhere(&quiet, &first) || !goes_elsewhere(&first, &second)) return FAILED;
    if (!goes_elsewhere(&second, &third) || !goes_elsewhere(&quiet, &third)) return FAILED;
    return CPU_EQUAL(&first, &third) ? PASSED : FAILED; /* all alike: as at first */
}

static void made_up_loads(void **state)
{
    (void)state;
    assert_int_not_equal(apart(avoids_busy), FAILED);
}

/* ---- of competitors ------------------------------------------------------------------------------------ */

static void compete(const cpu_set_t *where, pid_t competitor[COMPETITORS])
{
    for (int i = 0; i < COMPETITORS; i++) {
        competitor[i] = fork();
        if (competitor[i] != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sched_setaffinity(0, sizeof *where, where);
        for (volatile unsigned long turn = 0;; turn = turn + 1) continue;
    }
}

/* Whether another processor was idle for half of the time, while the busy one was not at all. */
static bool is_decided(const cpu_set_t *given, const cpu_set_t *busy, const struct processor_times *before,
                       const struct processor_times *after, double elapsed)
{
    bool other = false, none = true;
    for (size_t i = 0; i < before->count && i < after->count && i < CPU_SETSIZE; i++) {
        const double idle = (after->of[i].idle - before->of[i].idle) / elapsed;
        if (CPU_ISSET(i, busy))
            none = none && idle < 0.05;
        else
            other = other || (CPU_ISSET(i, given) && idle > 0.5);
    }
    return other && none;
}

/* Competitors on the core that would be taken: then another one is, wherever another one was free. */
static int avoids_competitors(void)
{
    cpu_set_t given, busy, now;
    pid_t competitor[COMPETITORS];
    struct processor_times before = {.of = NULL}, after = {.of = NULL};
    if (machine_cores() < 2 || sched_getaffinity(0, sizeof given, &given) != 0) return UNDECIDED;
    const pid_t asked = fork();
    if (asked == 0) { /* which one that is */
        machine_pin();
        sched_getaffinity(0, sizeof busy, &busy);
        _exit((int)last_of(&busy));
    }
    int how = 0, verdict = UNDECIDED;
    if (asked < 0 || waitpid(asked, &how, 0) != asked || !WIFEXITED(how)) return FAILED;
    CPU_ZERO(&busy);
    CPU_SET((size_t)WEXITSTATUS(how), &busy);
    compete(&busy, competitor);
    for (int k = 0; k < TRIES && verdict == UNDECIDED; k++) {
        const double start = seconds_now();
        processor_times_read("/proc", &before);
        machine_seek_quiet();
        processor_times_read("/proc", &after);
        if (is_decided(&given, &busy, &before, &after, seconds_now() - start)) verdict = PASSED;
    }
    for (int i = 0; i < COMPETITORS; i++) kill(competitor[i], SIGKILL), waitpid(competitor[i], NULL, 0);
    processor_times_free(&before);
    processor_times_free(&after);
    if (verdict == UNDECIDED) return verdict;
    machine_pin();
    sched_getaffinity(0, sizeof now, &now);
    return CPU_ISSET(last_of(&busy), &now) ? FAILED : PASSED;
}

static void competitors_are_avoided(void **state)
{
    (void)state;
    const int verdict = apart(avoids_competitors);
    if (verdict == UNDECIDED) skip(); /* one core alone, or others keep all of them busy */
    assert_int_equal(verdict, PASSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_obeyed),
        cmocka_unit_test(made_up_loads),
        cmocka_unit_test(competitors_are_avoided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
