/* The questions in one table. */
#include "questions.h"

static const struct question all[] = {
    {"sensitivities", "S(t) = dx/dp at each time: raw, and without units", question_sensitivities},
    {"ranking", "which parameter matters most: for each state, for all, at each time", question_ranking},
    {"invariants", "sums of states that stay as they are, and whether S keeps them", question_invariants},
    {"identifiability", "which parameters can be told apart, and which only count together",
     question_identifiability},
    {"subsets", "collinearity and information of every subset of parameters", question_subsets},
    {.name = NULL},
};

const struct question *questions(void)
{
    return all;
}
