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
