/* The questions in one table. */
#include "questions.h"

static const struct question all[] = {
    {"sensitivities", "S(t) = dx/dp at each time: raw, and without units", question_sensitivities},
    {.name = NULL},
};

const struct question *questions(void)
{
    return all;
}
