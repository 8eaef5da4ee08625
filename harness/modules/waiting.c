/* Problems that are read when they are asked for. */
#include <string.h>

#include "modules.h"
#include "variants.h"

static struct waiting_problem *first; /* what has been loaded belongs to the process */

void problem_wait(struct waiting_problem *problem)
{
    struct waiting_problem **end = &first;
    while (*end) end = &(*end)->next;
    *end = problem;
}

struct waiting_problem *waiting_problems(void)
{
    return first;
}

bool waiting_read(struct waiting_problem *problem, struct bench_error *error)
{
    if (problem->state == PROBLEM_WAITS)
        problem->state = problem->read(problem, &problem->refusal) ? PROBLEM_READ : PROBLEM_REFUSED;
    if (problem->state == PROBLEM_REFUSED) *error = problem->refusal;
    return problem->state == PROBLEM_READ;
}

bool problem_read(const char *name, struct bench_error *error)
{
    for (struct waiting_problem *problem = first; problem; problem = problem->next)
        if (strcmp(problem->name, name) == 0 && !waiting_read(problem, error)) return false;
    return true;
}

const char *problem_given(const char *name)
{
    for (const struct waiting_problem *problem = first; problem; problem = problem->next)
        if (strcmp(problem->name, name) == 0) return problem->given;
    return NULL;
}

bool problem_known(const char *name)
{
    for (const struct waiting_problem *problem = first; problem; problem = problem->next)
        if (strcmp(problem->name, name) == 0) return true;
    return find_problem(variant_tables(), name) != NULL;
}
