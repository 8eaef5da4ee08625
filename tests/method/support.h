/* tests/method/support.h - a task from names, solved once; for the tests that loop over the registry. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controllers.h"
#include "sens/registry.h"
#include "solver.h"
#include "testing.h"

/* Looks up a NULL-terminated table of pointers to structs whose first member is the name. */
static inline const void *named(const void *table, const char *name)
{
    const char *const *const *entry = table;
    while (*entry && strcmp(**entry, name) != 0) entry++;
    if (!*entry) fail_msg("no entry named %s", name);
    return *entry;
}

/* Every k-th state kept; 0: all stages. */
#define bed_every(bed, k)                                                                                    \
    ((struct sens_ckpt){(k) > 0 ? named((bed)->registry->ckpt_policies, "every") : NULL, (k)})

enum { MAX_OPTIONS = 32 };

struct method_bed { /* a test bed: everything of one task */
    const struct sens_registry *registry;
    struct sens_ctx ctx;
    struct sens_value problem_value[MAX_OPTIONS], cost_value[MAX_OPTIONS], method_value[MAX_OPTIONS];
    const struct sens_method_type *method;
    struct sens_problem problem;
    struct sens_cost cost;
    struct sens_task task;
    struct sens_out out;
    struct sens_work work;
};

/* Numbers of a part of the results. */
static inline size_t bed_count(const struct method_bed *bed, enum sens_part part)
{
    const struct sens_part_shape shape = sens_part_shape(part, bed->problem.n, bed->problem.np, bed->cost.m);
    return shape.rows * shape.cols;
}

/* name = value pairs, ending with NULL: bed_options(table, value, "n", 10.0, NULL). */
static inline void bed_options(const struct sens_option *table, struct sens_value *value, va_list pairs)
{
    sens_option_defaults(table, value);
    for (const char *name = va_arg(pairs, const char *); name; name = va_arg(pairs, const char *)) {
        const int index = sens_option_find(table, name);
        if (index < 0) fail_msg("no option named %s", name);
        value[index].number = va_arg(pairs, double);
    }
}

/* Problem and cost by name, the problem with the given options. Costs depend explicitly on the parameters
 * where they can (option rho), so that no test passes without phi_dp and g_dp. Tasks start with cash_karp,
 * odeint, tol 1e-8. */
static inline void bed_create(struct method_bed *bed, const char *problem, const char *cost, ...)
{
    *bed = (struct method_bed){.registry = sens_registry_baseline()};
    const struct sens_problem_type *type = named(bed->registry->problems, problem);
    const struct sens_cost_type *cost_type = named(bed->registry->costs, cost);
    va_list pairs;
    va_start(pairs, cost);
    bed_options(type->options, bed->problem_value, pairs);
    va_end(pairs);
    sens_option_defaults(cost_type->options, bed->cost_value);
    const int rho = sens_option_find(cost_type->options, "rho");
    if (rho >= 0) bed->cost_value[rho].number = 0.5;
    assert_int_equal(sens_problem_create(&bed->ctx, type, bed->problem_value, &bed->problem), SENS_OK);
    assert_int_equal(sens_cost_create(&bed->ctx, cost_type, bed->cost_value, &bed->problem, &bed->cost),
                     SENS_OK);
    bed->task = (struct sens_task){.problem = &bed->problem,
                                   .cost = &bed->cost,
                                   .tableau = named(bed->registry->tableaux, "cash_karp"),
                                   .controller = named(bed->registry->controllers, "odeint"),
                                   .rtol = 1e-8,
                                   .atol = 1e-8,
                                   .max_steps = 1000000,
                                   .parts = type->many_states ? SENS_IN_DGDP : SENS_IN_GRADIENT,
                                   .option = bed->method_value};
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (sens_task_asks(&bed->task, k))
            bed->out.part[k] = SENS_NEW(&bed->ctx, sens_real, bed_count(bed, k));
}

/* Runs the method with the given options, once. */
static inline sens_status bed_run(struct method_bed *bed, const char *method, ...)
{
    bed->method = named(bed->registry->methods, method);
    va_list pairs;
    va_start(pairs, method);
    bed_options(bed->method->options, bed->method_value, pairs);
    va_end(pairs);
    void *state = NULL;
    sens_status status = bed->method->prepare(&bed->ctx, &bed->task, &state);
    if (status != SENS_OK) return status;
    status = bed->method->run(&bed->ctx, state, &bed->out, &bed->work);
    if (bed->method->release) bed->method->release(state);
    return status;
}

static inline void bed_free(struct method_bed *bed)
{
    sens_arena_release(&bed->ctx.arena);
}

/* So many equal steps of the tableau. */
static inline void fix_steps(struct method_bed *bed, const struct sens_tableau *tableau, int steps)
{
    bed->task.tableau = tableau;
    bed->task.controller = named(bed->registry->controllers, "fixed");
    bed->task.dt = (bed->problem.t1 - bed->problem.t0) / steps;
}

/* A malloc'ed copy of the gradients, one after the other; *count its length. */
static inline sens_real *bed_gradient(const struct method_bed *bed, size_t *count)
{
    *count = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (sens_part_wrt(k) && bed->out.part[k]) *count += bed_count(bed, k);
    sens_real *const copy = malloc((*count + 1) * sizeof *copy), *to = copy;
    assert_non_null(copy);
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        if (!sens_part_wrt(k) || !bed->out.part[k]) continue;
        memcpy(to, bed->out.part[k], bed_count(bed, k) * sizeof *to);
        to += bed_count(bed, k);
    }
    return copy;
}

/* What a run gave; the gradient is the caller's to free. */
struct bed_solved {
    double *gradient;
    size_t count;
    struct sens_work work;
};

static inline struct bed_solved bed_solved(struct method_bed *bed, const char *method, const char *option,
                                           int value)
{
    struct bed_solved solved;
    assert_int_equal(bed_run(bed, method, option, (double)value, NULL), SENS_OK);
    solved.gradient = bed_gradient(bed, &solved.count);
    solved.work = bed->work;
    return solved;
}

/* |a - b|_2 / |b|_2 */
static inline double relative_error(size_t count, const sens_real *a, const sens_real *b)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

#endif
