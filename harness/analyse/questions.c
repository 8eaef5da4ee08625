/* The questions in one table. */
#include "questions.h"

static const struct question all[] = {
    {"sensitivities", "S(t) = dx/dp at each time: raw, and without units", question_sensitivities},
    {"ranking", "which parameter matters most: for each state, for all, at each time", question_ranking},
    {"invariants", "sums of states that stay as they are, and whether S keeps them", question_invariants},
    {.name = NULL},
};

const struct question *questions(void)
{
    return all;
}
