/* Difference quotients of whole solves, column by column over the parameters and initial states q_k:
 *
 *     forward   (G(q + h e_k) - G(q)) / h               error  h/2 |G''| + noise/h
 *     central   (G(q + h e_k) - G(q - h e_k)) / (2h)    error  h^2/6 |G'''| + noise/h
 *
 * The noise is the rounding of a solve on the frozen grid of the nominal run, where G is a smooth function of
 * q. On its own adaptive grid each perturbed solve may take other steps, and the noise is of the size of the
 * tolerance. A parameter moves the initial state with it where x0 depends on p. */
#include <string.h>
#include <tgmath.h>

#include "cost_sum.h"
#include "linear_option.h"
#include "rules.h"
#include "solver.h"

enum scheme { SCHEME_FORWARD, SCHEME_CENTRAL };
enum bump_kind { BUMP_RELATIVE, BUMP_ABSOLUTE };
enum grid_kind { GRID_OWN, GRID_FROZEN };

struct difference {
    const struct sens_task *task;
    enum scheme scheme;
    enum bump_kind bump_kind;
    enum grid_kind grid_kind;
    sens_real bump;
    size_t n, np, m;
    sens_real *p, *x0;                /* [np], [n]: the point at which G is evaluated */
    sens_real *x1;                    /* [n] */
    sens_real *G, *G_above, *G_below; /* [m] */
    struct sens_ode_part whole;
    struct sens_ode ode;
    struct sens_solver_settings settings;
    struct sens_solver *solver;
    struct sens_stops stops;
    struct sens_cost_sum cost;
    struct sens_grid grid; /* of the nominal solve; empty unless it is frozen */
};

/* ---- one evaluation of G ------------------------------------------------------------------------------- */

static sens_status solve(struct sens_ctx *ctx, struct difference *fd, const struct sens_step_watcher *watcher,
                         sens_real *G, struct sens_solver_stats *stats)
{
    const struct sens_problem *pb = fd->task->problem;
    fd->cost.G = G;
    sens_cost_sum_start(&fd->cost, fd->x0);
    return sens_solver_solve(ctx, fd->solver, pb->t0, fd->x0, fd->stops.n, fd->stops.t, watcher, fd->x1,
                             stats);
}

static sens_status perturbed_solve(struct sens_ctx *ctx, struct difference *fd, sens_real *G)
{
    const struct sens_step_watcher watcher = {sens_cost_sum_step, &fd->cost};
    if (fd->grid_kind == GRID_OWN) return solve(ctx, fd, &watcher, G, NULL);
    fd->cost.G = G;
    sens_cost_sum_start(&fd->cost, fd->x0);
    return sens_solver_replay(ctx, fd->solver, fd->x0, &fd->grid, &watcher, fd->x1);
}

static sens_status record_step(void *self, const struct sens_step *step)
{
    struct difference *fd = self;
    const sens_status status = sens_grid_keep(&fd->grid, step);
    return status == SENS_OK ? sens_cost_sum_step(&fd->cost, step) : status;
}

static sens_status nominal_solve(struct sens_ctx *ctx, struct difference *fd, struct sens_solver_stats *stats)
{
    const struct sens_problem *pb = fd->task->problem;
    const struct sens_step_watcher recorder = {record_step, fd}, summer = {sens_cost_sum_step, &fd->cost};
    memcpy(fd->p, pb->p, fd->np * sizeof *fd->p);
    sens_problem_x0(pb, fd->p, fd->x0);
    if (fd->grid_kind == GRID_OWN) return solve(ctx, fd, &summer, fd->G, stats);
    const sens_status status = solve(ctx, fd, &recorder, fd->G, stats);
    return sens_grid_check(ctx, &fd->grid, status, stats->steps);
}

/* ---- one column: q_k is p_k for k < np, x0_(k - np) after that ----------------------------------------- */

static sens_real get(const struct difference *fd, size_t k)
{
    return k < fd->np ? fd->p[k] : fd->x0[k - fd->np];
}

static void set(struct difference *fd, size_t k, sens_real value)
{
    if (k >= fd->np) {
        fd->x0[k - fd->np] = value;
        return;
    }
    fd->p[k] = value;
    sens_problem_x0(fd->task->problem, fd->p, fd->x0);
}

/* The quotient of column k goes to to[c * stride], c < m. The divisor is the distance of the two numbers
 * really used. */
static sens_status column(struct sens_ctx *ctx, struct difference *fd, size_t k, sens_real *to, size_t stride)
{
    const bool central = fd->scheme == SCHEME_CENTRAL;
    const sens_real q = get(fd, k);
    const sens_real step = fd->bump * (fd->bump_kind == BUMP_RELATIVE && q != 0 ? fabs(q) : 1);
    const sens_real above = q + step, below = central ? q - step : q;
    const sens_real *G_below = central ? fd->G_below : fd->G;
    if (!(above > below))
        return sens_fail(ctx, SENS_BAD_INPUT, "bump = %Lg is lost in rounding", (long double)fd->bump);
    set(fd, k, above);
    sens_status status = perturbed_solve(ctx, fd, fd->G_above);
    if (status == SENS_OK && central) {
        set(fd, k, below);
        status = perturbed_solve(ctx, fd, fd->G_below);
    }
    set(fd, k, q);
    for (size_t c = 0; c < fd->m && status == SENS_OK; c++) {
        to[c * stride] = (fd->G_above[c] - G_below[c]) / (above - below);
        if (!isfinite(to[c * stride])) status = SENS_DIVERGED;
    }
    return status;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct difference *fd = state;
    const unsigned parts = fd->task->parts;
    struct sens_solver_stats stats;
    struct sens_work before = {.steps = 0}, nominal = {.steps = 0};
    const double begin = sens_now(ctx);
    sens_scheme_count(sens_solver_scheme(fd->solver), &before);
    sens_status status = nominal_solve(ctx, fd, &stats);
    sens_scheme_count(sens_solver_scheme(fd->solver), &nominal);
    if (status == SENS_OK && !sens_finite(fd->m, fd->G)) status = SENS_DIVERGED;
    if (status != SENS_OK) return status;
    memcpy(out->x, fd->x1, fd->n * sizeof *out->x);
    memcpy(out->G, fd->G, fd->m * sizeof *out->G);
    for (size_t k = 0; k < fd->np && (parts & SENS_IN_DGDP) && status == SENS_OK; k++)
        status = column(ctx, fd, k, out->dGdp + k, fd->np);
    for (size_t i = 0; i < fd->n && (parts & SENS_IN_DGDX0) && status == SENS_OK; i++)
        status = column(ctx, fd, fd->np + i, out->dGdx0 + i, fd->n);
    if (status != SENS_OK) return status;
    *work = (struct sens_work){
        .steps = stats.steps,
        .rejects = stats.rejects,
        .t_forward = sens_now(ctx) - begin,
        .bytes_traj = (size_t)fd->grid.n_steps * (2 * sizeof(sens_real) + sizeof(long)),
        .lanes = 1,
        .threads = 1,
    };
    sens_scheme_count(sens_solver_scheme(fd->solver), work);
    work->steps_implicit = nominal.steps_implicit;
    work->factorisations += nominal.factorisations;
    work->solves += nominal.solves;
    work->newton += nominal.newton;
    work->residual = nominal.residual; /* of the state that is reported */
    return SENS_OK;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

enum { OPT_SCHEME, OPT_BUMP_KIND, OPT_BUMP, OPT_GRID, OPT_LINEAR };
static const struct sens_option options[] = {
    {.name = "scheme",
     .kind = SENS_OPT_CHOICE,
     .fallback = SCHEME_FORWARD,
     .choices = (const char *const[]){"forward", "central", NULL},
     .help = "one-sided or two-sided difference"},
    {.name = "bump_kind",
     .kind = SENS_OPT_CHOICE,
     .fallback = BUMP_RELATIVE,
     .choices = (const char *const[]){"relative", "absolute", NULL},
     .help = "relative: bump times the size of what is perturbed, or bump itself where that is 0"},
    {.name = "bump",
     .kind = SENS_OPT_REAL,
     .fallback = 0,
     .min = 0,
     .max = 1,
     .help = "size of the perturbation; 0: eps^(1/2) forward, eps^(1/3) central"},
    {.name = "grid",
     .kind = SENS_OPT_CHOICE,
     .fallback = GRID_OWN,
     .choices = (const char *const[]){"own", "frozen", NULL},
     .help = "perturbed solves choose their own steps, or repeat those of the nominal solve"},
    [OPT_LINEAR] = SENS_LINEAR_OPTION,
    SENS_OPTIONS_END,
};

static void read_options(struct difference *fd, const struct sens_value *value)
{
    fd->scheme = (enum scheme)value[OPT_SCHEME].number;
    fd->bump_kind = (enum bump_kind)value[OPT_BUMP_KIND].number;
    fd->grid_kind = (enum grid_kind)value[OPT_GRID].number;
    fd->bump = value[OPT_BUMP].number;
    if (fd->bump == 0) fd->bump = fd->scheme == SCHEME_FORWARD ? sqrt(SENS_EPSILON) : cbrt(SENS_EPSILON);
}

static sens_status allocate(struct sens_ctx *ctx, struct difference *fd)
{
    fd->p = SENS_NEW(ctx, sens_real, fd->np);
    fd->x0 = SENS_NEW(ctx, sens_real, fd->n);
    fd->x1 = SENS_NEW(ctx, sens_real, fd->n);
    fd->G = SENS_NEW(ctx, sens_real, fd->m);
    fd->G_above = SENS_NEW(ctx, sens_real, fd->m);
    fd->G_below = SENS_NEW(ctx, sens_real, fd->m);
    const bool complete = fd->p && fd->x0 && fd->x1 && fd->G && fd->G_above && fd->G_below;
    return complete ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status create_grid(struct sens_ctx *ctx, struct difference *fd)
{
    const struct sens_problem *pb = fd->task->problem;
    long steps;
    memcpy(fd->p, pb->p, fd->np * sizeof *fd->p);
    sens_problem_x0(pb, fd->p, fd->x0);
    sens_status status = sens_solver_count(ctx, fd->solver, pb->t0, fd->x0, &fd->stops, fd->x1, &steps);
    if (status == SENS_OK) status = sens_grid_create(ctx, steps, true, &fd->grid);
    return status == SENS_OK ? sens_grid_parts(ctx, fd->task->tableau, &fd->grid) : status;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct difference *fd = SENS_NEW(ctx, struct difference, 1);
    if (!fd) return SENS_NO_MEMORY;
    *fd =
        (struct difference){.task = task, .n = task->problem->n, .np = task->problem->np, .m = task->cost->m};
    read_options(fd, task->option);
    ctx->linear = (enum sens_kernel_choice)task->option[OPT_LINEAR].number;
    sens_status status = allocate(ctx, fd);
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &fd->stops);
    if (status != SENS_OK) return status;
    fd->cost = (struct sens_cost_sum){
        .cost = task->cost, .tableau = task->tableau, .stops = &fd->stops, .p = fd->p, .n_state = fd->n};
    fd->settings = sens_solver_settings(task);
    sens_problem_ode(task, fd->p, &fd->whole, &fd->ode);
    status = sens_cost_sum_prepare(ctx, &fd->cost);
    if (status == SENS_OK) status = sens_solver_create(ctx, &fd->ode, &fd->settings, &fd->solver);
    if (status == SENS_OK && fd->grid_kind == GRID_FROZEN) status = create_grid(ctx, fd);
    if (status == SENS_OK) *state = fd;
    return status;
}

SENS_METHOD(finite_difference) = {
    .name = "finite_difference",
    .summary = "difference quotients of whole solves, forward or central, each on its own grid or on the "
               "nominal one",
    .reference = "Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.6",
    .derivative = SENS_DERIVATIVE_DIFFERENCE,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_COMPONENTS | SENS_CAP_TABLEAU | SENS_CAP_IMPLICIT | SENS_CAP_MASS |
            SENS_CAP_CONTROLLER | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
};
