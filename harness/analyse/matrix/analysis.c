/* The two solves that an analysis is made of, see analysis.h. */
#include "analysis.h"

#include <math.h>
#include <string.h>

#include "data_error.h"
#include "measure.h"
#include "snapshots.h"

/* ---- the plan ------------------------------------------------------------------------------------------ */

sens_status analysis_check(const struct cell *cell, struct bench_error *error)
{
    const unsigned needed = SENS_CAP_OBSERVATIONS;
    if ((cell->method->caps & needed) != needed)
        bench_refuse(error, "method=%s: it cannot do observations before t1", cell->method->name);
    else if (!(cell->task.parts & SENS_IN_DGDP))
        bench_refuse(error, "wrt: an analysis is of derivatives with respect to the parameters");
    else if (cell->product != TIMED_RUN)
        bench_refuse(error, "product: an analysis times nothing");
    else if (!(cell->method->caps & SENS_CAP_TOLERANCE) ||
             ((cell->method->caps & SENS_CAP_CONTROLLER) && !cell->task.controller->adaptive))
        bench_refuse(error,
                     "controller: the intervals of an analysis come from the tolerance: steps have to follow "
                     "one");
    else if (cell->task.n_tolerances)
        bench_refuse(error, "rtol, atol: an analysis takes a number for each, no file");
    else
        return SENS_OK;
    return SENS_UNSUPPORTED;
}

static sens_status set_cost(struct sens_ctx *ctx, struct cell *cell, const struct grid *grid)
{
    cell->problem.t1 = grid->t[grid->times - 1];
    cell->task.parts = SENS_IN_STATE | SENS_IN_DGDP;
    return snapshots_create(ctx, &cell->problem, grid->times, grid->t, &cell->cost);
}

double analysis_bytes(const struct analysis *analysis)
{
    const double numbers = (double)analysis->grid.times * (double)analysis->n * (double)(analysis->np + 1);
    return 2 * numbers * (double)sizeof(sens_real);
}

sens_status analysis_plan(struct sens_ctx *ctx, struct cell *cell, const struct analysis_request *request,
                          struct analysis *analysis, struct bench_error *error)
{
    struct analysis made = {.cell = cell,
                            .n = cell->problem.n,
                            .np = cell->problem.np,
                            .p = cell->problem.p,
                            .scale = request->scale,
                            .subsets = request->subsets};
    sens_status status = analysis_check(cell, error);
    if (status == SENS_OK) status = grid_read(ctx, request->times, &cell->problem, &made.grid, error);
    if (status != SENS_OK) return status;
    bench_refuse(error, "names: %s", sens_status_message(SENS_NO_MEMORY));
    status = labels_find(ctx, &cell->problem, &made.labels);
    if (status == SENS_OK)
        status =
            labels_select(ctx, "--states", request->states, made.n, made.labels.state, &made.states, error);
    if (status == SENS_OK)
        status = labels_select(ctx, "--parameters", request->parameters, made.np, made.labels.parameter,
                               &made.parameters, error);
    if (status == SENS_OK && request->sigma) status = data_error_read(ctx, request->sigma, &made, error);
    if (status == SENS_OK) status = set_cost(ctx, cell, &made.grid);
    if (status != SENS_OK) return status;
    ctx->arena.limit = request->memory;
    *analysis = made;
    return SENS_OK;
}

/* ---- the solves ---------------------------------------------------------------------------------------- */

bool analysis_all_finite(size_t count, const sens_real *number)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(number[i])) return false;
    return true;
}

sens_status analysis_run(struct sens_ctx *ctx, const struct sens_task *task, const struct sens_out *out,
                         struct sens_work *work)
{
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    const struct fp_state before = fp_state_read();
    void *state = NULL;
    ctx->message[0] = '\0';
    sens_status status = task->method->prepare(ctx, task, &state);
    if (status == SENS_OK) {
        status = task->method->run(ctx, state, out, work);
        if (task->method->release) task->method->release(state);
    }
    const sens_status clean = measure_check_fp(ctx, &before);
    if (status == SENS_OK) status = clean;
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}

static sens_status solve(struct sens_ctx *ctx, const struct analysis *analysis, const struct sens_task *task,
                         struct solution *solution, struct sens_work *work)
{
    const size_t states = analysis->grid.times * analysis->n;
    const bool slopes = task->parts & SENS_IN_DGDP;
    struct sens_out out = {.x = SENS_NEW(ctx, sens_real, analysis->n), .G = solution->x, .dGdp = solution->S};
    if (!out.x) return SENS_NO_MEMORY;
    const sens_status status = analysis_run(ctx, task, &out, work);
    if (status != SENS_OK) return status;
    return analysis_all_finite(states, solution->x) &&
                   (!slopes || analysis_all_finite(states * analysis->np, solution->S))
               ? SENS_OK
               : SENS_NONFINITE;
}

static struct sens_task closer(const struct sens_task *task)
{
    struct sens_task made = *task;
    made.rtol /= ANALYSIS_CLOSER;
    made.atol /= ANALYSIS_CLOSER;
    return made;
}

static sens_status refuse(struct sens_ctx *ctx, const struct sens_task *task, sens_status status,
                          struct bench_error *error)
{
    if (status == SENS_NO_MEMORY && ctx->arena.limit)
        bench_refuse(error,
                     "no_memory: more than the %.0f MiB that --memory allows; fewer times, or ckpt=states",
                     (double)ctx->arena.limit / 1048576);
    else if (status != SENS_OK)
        bench_refuse(error, "%s: rtol = %g, atol = %g: %s", sens_status_name(status), (double)task->rtol,
                     (double)task->atol, ctx->message[0] ? ctx->message : sens_status_message(status));
    return status;
}

static sens_status allocate(struct sens_ctx *ctx, const struct analysis *analysis, struct solution *solution)
{
    const size_t states = analysis->grid.times * analysis->n;
    solution->x = SENS_NEW(ctx, sens_real, states);
    solution->S = solution->x ? SENS_NEW(ctx, sens_real, states * analysis->np) : NULL;
    return solution->S ? SENS_OK : SENS_NO_MEMORY;
}

sens_status analysis_solve(struct sens_ctx *ctx, struct analysis *analysis, struct bench_error *error)
{
    const struct sens_task *const task = &analysis->cell->task, second = closer(task);
    struct sens_work work = {.steps = 0};
    sens_status status = allocate(ctx, analysis, &analysis->at_tol);
    if (status == SENS_OK) status = allocate(ctx, analysis, &analysis->closer);
    if (status == SENS_OK) status = solve(ctx, analysis, task, &analysis->at_tol, &work);
    if (status != SENS_OK) return refuse(ctx, task, status, error);
    status = solve(ctx, analysis, &second, &analysis->closer, &work);
    analysis->bytes_traj = work.bytes_traj;
    return refuse(ctx, &second, status, error);
}

sens_status analysis_states_at(struct sens_ctx *ctx, const struct analysis *analysis, const sens_real *p,
                               sens_real *x, struct bench_error *error)
{
    struct sens_task task = closer(&analysis->cell->task);
    struct sens_problem moved = *task.problem;
    struct sens_work work;
    struct solution solution = {
        .x = x, .S = SENS_NEW(ctx, sens_real, analysis->grid.times * analysis->n * analysis->np)};
    sens_real *const x0 = SENS_NEW(ctx, sens_real, analysis->n);
    if (!x0 || !solution.S) return refuse(ctx, &task, SENS_NO_MEMORY, error);
    moved.p = p;
    sens_problem_x0(&moved, p, x0);
    moved.x0 = x0;
    task.problem = &moved;
    return refuse(ctx, &task, solve(ctx, analysis, &task, &solution, &work), error);
}
