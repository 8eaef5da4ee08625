/* problems/program/written.h - the instance of a problem of lists of operations, for its costs. */
#ifndef PROGRAM_WRITTEN_H
#define PROGRAM_WRITTEN_H

#include "evaluate.h"

struct written {
    struct program_equations equations;
    struct evaluation f, initial, g, *phi; /* phi [n_obs] */
    struct evaluation_scratch *scratch;
};

extern const struct sens_problem_type sens_problem_written;
extern const struct sens_cost_type sens_cost_own;

#endif
