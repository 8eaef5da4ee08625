/* A run in a child process, see ask.h. */
#include "ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isolate.h"
#include "machine.h"

enum { SAMPLES = 9 };

struct work {
    const struct ask *ask;
    const struct spec *spec;
    const struct measure_options *options;
};

double ask_distance(size_t length, const double *a, const double *b)
{
    double apart = 0, size = 0;
    for (size_t i = 0; i < length; i++) {
        apart = hypot(apart, a[i] - b[i]);
        size = hypot(size, b[i]);
    }
    return apart / size;
}

/* The gradient, one part after the other, to where the parent sees it. */
static void hand_over(const struct cell *cell, const struct sens_out *out, double *gradient)
{
    static const enum sens_part parts[] = {SENS_PART_DGDP, SENS_PART_DGDX0};
    for (size_t i = 0; i < 2; i++) {
        const struct sens_part_shape shape = cell_part(cell, parts[i]);
        const sens_real *const part = out->part[parts[i]];
        for (size_t e = 0; part && e < shape.rows * shape.cols; e++) *gradient++ = (double)part[e];
    }
}

/* Of a fully implicit step half of the matrices are complex, of which an operation is four of real numbers. */
static double real_systems(const struct cell *cell)
{
    return cell->task.tableau->family == SENS_FAMILY_FIRK ? (1 + 4) / 2.0 : 1;
}

/* What a vector costs: as the problem says, or what derived products cost at most (Griewank and Walther, Evaluating
 * Derivatives, 2008, section 4): forwards 2.5 right-hand sides, in reverse 4. */
static double each(double known, double bound, const struct sens_operations *operations)
{
    return isnan(known) ? bound * operations->rhs : known;
}

/* Operations of the problem's functions and, dense, of linear systems; *state: without the reverse sweep's products. */
static double operations(const struct cell *cell, const struct record *rec, double *state)
{
    const double forwards = 2.5, reverse = 4, n = (double)cell->problem.n, *const count = rec->number;
    const struct sens_operations *const of = &cell->operations;
    const double systems = count[COL_n_factor] * 2 / 3 * n * n * n + count[COL_n_solve] * 2 * n * n;
    *state = count[COL_n_rhs] * of->rhs + count[COL_n_jvp] * each(of->jvp, forwards, of) +
             count[COL_n_jvp_p] * each(of->jvp_p, forwards, of) + real_systems(cell) * systems;
    return *state + count[COL_n_vjp] * each(of->vjp, reverse, of) +
           count[COL_n_vjp_p] * each(of->vjp_p, reverse, of);
}

/* Costs stand in the columns of times, whatever their unit. */
static bool run_child(void *self, struct isolate_link *link, struct record *rec, struct bench_error *error)
{
    const struct work *const work = self;
    struct sens_ctx ctx = {.now = NULL};
    struct cell cell;
    struct sens_out out;
    machine_prepare(&ctx, true);
    const sens_status status = cell_resolve(&ctx, work->spec, &cell, error);
    if (status == SENS_BAD_INPUT) return false;
    if (status != SENS_OK) {
        record_set_status(rec, status, error->text);
        return true;
    }
    isolate_report(link, rec);
    measure_place(&cell);
    if (measure_cell(&ctx, &cell, work->options, rec, &out) == SENS_OK) {
        double *const cost = rec->number;
        hand_over(&cell, &out, work->ask->gradient);
        if (work->ask->request->unit == ADVISE_OPERATIONS)
            cost[COL_t_total_s] = cost[COL_t_lo_wide_s] = cost[COL_t_hi_wide_s] =
                operations(&cell, rec, &cost[COL_t_forward_s]);
    }
    sens_arena_release(&ctx.arena);
    return true;
}

static void read_row(const struct ask *ask, const struct record *rec, struct advise_row *row)
{
    snprintf(row->status, sizeof row->status, "%s", rec->text[COL_status]);
    snprintf(row->message, sizeof row->message, "%s", rec->text[COL_message]);
    row->error = row->cost = row->lo = row->hi = row->state = NAN;
    if (strcmp(row->status, "ok") != 0) return;
    row->steps = (long)rec->number[COL_steps];
    row->cost = rec->number[COL_t_total_s];
    row->lo = rec->number[COL_t_lo_wide_s];
    row->hi = rec->number[COL_t_hi_wide_s];
    row->state = rec->number[COL_t_forward_s];
    if (ask->reference) row->error = ask_distance(ask->length, ask->gradient, ask->reference);
}

static bool make_spec(const struct ask *ask, const struct advise_row *row, struct spec *spec,
                      struct bench_error *error)
{
    char tol[32];
    snprintf(tol, sizeof tol, "%.0e", row->tol);
    return spec_copy(spec, ask->request->spec) && spec_set(spec, "method", row->method, "advise", error) &&
           spec_set(spec, "tableau", row->tableau, "advise", error) &&
           spec_set(spec, "tol", tol, "advise", error) && spec_set(spec, "truth", "none", "advise", error);
}

void ask_run(const struct ask *ask, const char *method, const char *tableau, double tol,
             struct advise_row *row)
{
    const bool timed = ask->request->unit == ADVISE_SECONDS;
    const struct measure_options options = {.warmups = timed,
                                            .samples = timed ? SAMPLES : 0,
                                            .sample_budget = ask->timeout / 10,
                                            .timeout = ask->timeout,
                                            .pin = true,
                                            .bare = true};
    struct spec spec = {.count = 0};
    struct work self = {ask, &spec, &options};
    const struct isolate_work work = {run_child, &self};
    struct record *const rec = record_create();
    *row = (struct advise_row){
        .method = method, .tableau = tableau, .tol = tol, .error = NAN, .cost = NAN, .status = "no_memory"};
    struct bench_error error;
    bench_refuse(&error, "%s", sens_status_message(SENS_NO_MEMORY));
    const bool good = rec && make_spec(ask, row, &spec, &error) && isolate_call(&work, &options, rec, &error);
    if (rec && !good) record_set_status(rec, SENS_BAD_INPUT, error.text);
    if (rec) read_row(ask, rec, row);
    spec_free(&spec);
    free(rec);
}
