/* Names and sentences of the probable causes. */
#include "causes.h"

#include <string.h>

static const struct {
    const char *name, *sentence;
} causes[] = {
#define VERIFY_CAUSE_ROW(id, sentence) {#id, sentence},
    VERIFY_CAUSE_LIST(VERIFY_CAUSE_ROW)
#undef VERIFY_CAUSE_ROW
};

const char *cause_name(enum cause cause)
{
    return causes[cause].name;
}

bool cause_is_general(enum cause cause)
{
    return cause == CAUSE_derivative_not_solver || cause == CAUSE_solver_not_derivative ||
           cause == CAUSE_gradient_factor || cause == CAUSE_kind_misdeclared;
}

const char *cause_sentence(const char *name)
{
    for (int i = 0; i < CAUSE_COUNT; i++)
        if (strcmp(causes[i].name, name) == 0) return causes[i].sentence;
    return NULL;
}

/* What a method must take notice of to have the cause; 0: nothing. */
static unsigned needs(enum cause cause)
{
    switch (cause) {
    case CAUSE_controller_norm:
    case CAUSE_controller_law:
        return SENS_CAP_CONTROLLER;
    case CAUSE_checkpoint:
        return SENS_CAP_CKPT;
    case CAUSE_data_race:
        return SENS_CAP_THREADS;
    case CAUSE_missing_running_cost:
    case CAUSE_quadrature_weights:
    case CAUSE_quadrature_state:
        return SENS_CAP_RUNNING_COST;
    case CAUSE_observation_t0:
    case CAUSE_observation_between:
        return SENS_CAP_OBSERVATIONS;
    default:
        return 0;
    }
}

static enum cause find(const char *name)
{
    int i = 0;
    while (i < CAUSE_COUNT && strcmp(causes[i].name, name) != 0) i++;
    return (enum cause)i;
}

bool cause_possible(const char *name, const struct sens_method_type *method, bool reintegrates)
{
    if (!method) return true;
    const enum cause cause = find(name);
    const bool continuous = method->derivative == SENS_DERIVATIVE_CONTINUOUS;
    if (cause == CAUSE_unstable_reverse) return continuous && reintegrates;
    if (cause == CAUSE_outside_test) return continuous;
    return (needs(cause) & ~method->caps) == 0;
}
