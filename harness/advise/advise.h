/* harness/advise/advise.h - which scheme, mode and tolerance to take for a problem at a wanted accuracy.
 *
 * The gradient is computed twice, by two implicit schemes at small tolerances: the reference, known to the distance of
 * the two. Then every scheme is run in one mode at the tolerance that is the wanted error, and at smaller ones until
 * its error is no larger than that, or at larger ones as long as it is not; the discrete modes have the same error, so
 * that the cheapest scheme is run in the other mode at its tolerance alone. Each run is in a process of its own. */
#ifndef ADVISE_ADVISE_H
#define ADVISE_ADVISE_H

#include "cell.h"
#include "record.h"

enum advise_unit { ADVISE_SECONDS, ADVISE_OPERATIONS };

struct advise_request {
    const struct spec *spec; /* problem and whatever else is given; neither method, tableau nor tolerance */
    double error;            /* wanted, relative to the gradient */
    double seconds;          /* that it may take, about */
    enum advise_unit unit;
};

struct advise_row { /* one run */
    const char *method, *tableau;
    bool implicit;
    double tol, error; /* error NaN: it failed */
    long steps;
    double cost, lo, hi; /* in the unit, with the interval of the median of times */
    double state;        /* part of the cost that is the state's alone; of an adjoint */
    char status[32], message[160];
};

enum { ADVISE_ROWS = 64, ADVISE_SCHEMES = 4 };
struct advice {
    struct advise_row row[ADVISE_ROWS];
    size_t rows;
    double known;      /* distance of the two references */
    double columns, m; /* P: derivatives with respect to so many numbers, of m outputs */
    size_t n;
    bool adjoint_first; /* the mode in which the schemes were run */
    bool complete;      /* all was measured that should have been */
    /* Rows, ADVISE_ROWS: none. */
    size_t scheme
        [ADVISE_SCHEMES]; /* of each scheme the loosest tolerance that reaches the error, in this mode */
    size_t best;          /* the cheapest of these */
    size_t other;         /* the same in the other mode */
};

/* Runs at most, told before anything is run. */
size_t advise_runs(void);

/* Measures. SENS_BAD_INPUT, SENS_NO_MEMORY, SENS_UNSUPPORTED; SENS_NOT_REACHED where the reference is not known to a
 * tenth of the wanted error, or no scheme reaches it; SENS_INTERRUPTED; with a message. Rows stand in any case. */
sens_status advise_measure(const struct advise_request *request, struct advice *advice,
                           struct bench_error *error);

/* Are the costs of two rows farther apart than their intervals, or operations than a half, since they leave out what a
 * method adds around the products? */
bool advise_apart(enum advise_unit unit, const struct advise_row *a, const struct advise_row *b);

/* What the mode turns on, from a run of each: forward costs state + P b, adjoint state + m d. NaN: not known. */
struct advise_crossover {
    double columns; /* P at which both cost the same, m as here */
    double outputs; /* m, P as here */
    double states;  /* n, where P grows as n does */
};
struct advise_crossover advise_crossover(const struct advice *advice);

#endif
