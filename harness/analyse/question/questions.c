/* The questions in one table. */
#include "questions.h"

static const struct question all[] = {
    {"sensitivities", "S(t) = dx/dp at each time: raw, and without units", false, NULL,
     question_sensitivities},
    {"ranking", "which parameter matters most: for each state, for all, at each time", false, "--scale",
     question_ranking},
    {"invariants", "sums of states that stay as they are, and whether S keeps them", false, NULL,
     question_invariants},
    {"identifiability", "which parameters can be told apart, and which only count together", false,
     "--scale --subsets", question_identifiability},
    {"subsets", "collinearity and information of every subset of parameters", false, "--scale --subsets",
     question_subsets},
    {"uncertainty", "how exactly data would determine the parameters, and bands of all states", true, NULL,
     question_uncertainty},
    {.name = NULL},
};

const struct question *questions(void)
{
    return all;
}
