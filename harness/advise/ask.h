/* harness/advise/ask.h - one run in a process of its own, its gradient held against a reference. */
#ifndef ADVISE_ASK_H
#define ADVISE_ASK_H

#include "advise.h"

struct ask {
    const struct advise_request *request;
    double timeout;    /* seconds of one run */
    size_t length;     /* numbers in the gradient */
    double *reference; /* [length], NULL: none yet */
    double *gradient;  /* [length], shared with the process: what came out */
};

/* Fills the row, a failure and a cell that is refused included. */
void ask_run(const struct ask *ask, const char *method, const char *tableau, double tol,
             struct advise_row *row);

/* |a - b| / |b| over so many numbers. */
double ask_distance(size_t length, const double *a, const double *b);

#endif
