/* The implicit midpoint rule, whose tangent leaves out the entries of df/dx that are 0 where the solve begins: right
 * where all are there from the start.
 *
 * verify: --quick --method entries_at_first
 * cause: matrix_entries */
#define NAME             "entries_at_first"
#define FACTORS_OF_START 0
#define TANGENT_FACTORS  factors_of_entries
#include "implicit_midpoint.h"

static void factors_of_entries(struct state *st, const struct sens_at *at, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_at start = {pb->t0, pb->x0, pb->p};
    const size_t n = st->n;
    memset(st->own.unit, 0, n * n * sizeof *st->own.unit);
    for (size_t i = 0; i < n; i++) st->own.unit[i * n + i] = 1;
    pb->type->jvp(pb, at, n, st->own.unit, st->own.LU);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) st->own.before[i] = i == j;
        pb->type->jvp(pb, &start, 1, st->own.before, st->own.K);
        for (size_t i = 0; i < n; i++)
            if (st->own.K[i] == 0) st->own.LU[i * n + j] = 0;
    }
    for (size_t e = 0; e < n * n; e++) st->own.LU[e] = st->own.unit[e] - h / 2 * st->own.LU[e];
    eliminate(st);
}
