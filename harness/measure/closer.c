/* A cell again at a hundredth of its tolerance: how far its results move is about their error, for that of the second
 * solve is far smaller. And where the tolerance sets the steps of an explicit scheme of order p, there are 100^(1/p)
 * times as many then; where stability sets them, there are as many as before. */
#include "closer.h"

#include <math.h>
#include <stdlib.h>

enum { TIMES_CLOSER = 100, STEPS_AT_LEAST = 50 };
static const double longest = 20;      /* seconds that the second solve may take */
static const double hardly_more = 1.1; /* times the steps; the least order of 100^(1/p) is 12: 1.47 */

struct moved {
    double off, size; /* sums of squares */
};

static void add(struct moved *moved, size_t count, const sens_real *at_tol, const sens_real *closer)
{
    for (size_t i = 0; i < count; i++) {
        const double d = (double)at_tol[i] - (double)closer[i];
        moved->off += d * d;
        moved->size += (double)closer[i] * (double)closer[i];
    }
}

static double relative(const struct moved *moved)
{
    return moved->size > 0 ? sqrt(moved->off / moved->size) : moved->off > 0 ? INFINITY : 0;
}

static void compare(const struct cell *cell, const struct sens_out *at_tol, const struct sens_out *closer,
                    struct closer *made)
{
    struct moved state = {0, 0}, gradient = {0, 0};
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(cell, k);
        if (!at_tol->part[k] || !closer->part[k]) continue;
        if (k == SENS_PART_X) add(&state, shape.rows * shape.cols, at_tol->part[k], closer->part[k]);
        if (shape.wrt) add(&gradient, shape.rows * shape.cols, at_tol->part[k], closer->part[k]);
    }
    made->x = relative(&state);
    made->gradient = relative(&gradient);
    made->same = state.off == 0 && gradient.off == 0;
}

/* How many times as long the second solve takes, about. */
static double times_as_long(const struct cell *cell)
{
    const int order = cell->task.tableau ? cell->task.tableau->order : 0;
    return pow(TIMES_CLOSER, 1.0 / (order > 0 ? order : 5));
}

/* tolerance: room for those of components */
static struct cell closer_cell(const struct cell *cell, struct sens_ode_part *tolerance)
{
    struct cell made = *cell;
    made.task.rtol /= TIMES_CLOSER;
    made.task.atol /= TIMES_CLOSER;
    for (size_t i = 0; i < cell->task.n_tolerances; i++) {
        tolerance[i] = cell->task.tolerance[i];
        tolerance[i].rtol /= TIMES_CLOSER;
        tolerance[i].atol /= TIMES_CLOSER;
    }
    if (cell->task.n_tolerances) made.task.tolerance = tolerance;
    return made;
}

bool closer_solve(struct sens_ctx *ctx, const struct cell *cell, const struct record *rec,
                  const struct sens_out *out, struct closer *closer)
{
    static const struct measure_options bare = {.bare = true};
    const double *const number = rec->number;
    *closer = (struct closer){.x = NAN, .gradient = NAN, .rtol = (double)cell->task.rtol / TIMES_CLOSER};
    if (!(cell->method->caps & SENS_CAP_TOLERANCE) || cell_is_fixed(cell) || cell->product != TIMED_RUN)
        return false;
    if (number[COL_t_total_s] * times_as_long(cell) > longest) return false;
    struct sens_ode_part *const tolerance = SENS_NEW(ctx, struct sens_ode_part, cell->task.n_tolerances);
    struct record *const second = record_create();
    if (!tolerance || !second) {
        free(second);
        return false;
    }
    const struct cell again = closer_cell(cell, tolerance);
    struct sens_out found;
    const bool ok = measure_cell(ctx, &again, &bare, second, &found) == SENS_OK;
    if (ok) compare(cell, out, &found, closer);
    if (ok) closer->steps = second->number[COL_steps];
    free(second);
    const struct sens_tableau *const tableau = cell->task.tableau;
    closer->stability = ok && tableau && tableau->family == SENS_FAMILY_EXPLICIT &&
                        number[COL_steps] >= STEPS_AT_LEAST &&
                        closer->steps < hardly_more * number[COL_steps];
    return ok;
}
