/* A task on a test bed: created with defaults, solved, its outputs guarded, kept and compared. */
#include "bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "guard.h"

enum { MAX_STEPS = 20000 };

/* ---- outputs ------------------------------------------------------------------------------------------- */

struct sens_part_shape bed_part(const struct bed *bed, enum sens_part part)
{
    return sens_part_shape(part, bed->problem.n, bed->problem.np, bed->cost.m);
}

size_t bed_count(const struct bed *bed, enum sens_part part)
{
    const struct sens_part_shape shape = bed_part(bed, part);
    return shape.rows * shape.cols;
}

static struct sens_out arrays(const struct bed *bed, unsigned parts)
{
    struct sens_out made = {.x = NULL};
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (parts >> k & 1 && sens_task_asks(&bed->task, k))
            made.part[k] = guard_create(bed->v, bed_count(bed, k));
    return made;
}

struct sens_out bed_outputs(const struct bed *bed)
{
    return arrays(bed, ~0u);
}

struct sens_out bed_shape(const struct bed *bed)
{
    return arrays(bed, SENS_IN_FIRST);
}

struct sens_out bed_keep(const struct bed *bed)
{
    const struct sens_out copy = bed_outputs(bed);
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (copy.part[k] && bed->out.part[k])
            memcpy(copy.part[k], bed->out.part[k], bed_count(bed, k) * sizeof *copy.part[k]);
    return copy;
}

bool bed_canaries_alive(const struct bed *bed)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (guard_breaches(bed_count(bed, k), bed->out.part[k]) > 0) return false;
    return true;
}

static void fill_with_nan(struct bed *bed)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        for (size_t q = 0; bed->out.part[k] && q < bed_count(bed, k); q++) bed->out.part[k][q] = NAN;
}

/* ---- the accepted steps -------------------------------------------------------------------------------- */

void grid_free(struct grid *grid)
{
    free(grid->t);
    free(grid->h);
    free(grid->t1);
    free(grid->part);
    *grid = (struct grid){.steps = 0};
}

bool grid_same(const struct grid *a, const struct grid *b)
{
    if (a->steps != b->steps) return false;
    for (long k = 0; k < a->steps; k++)
        if (a->t[k] != b->t[k] || a->h[k] != b->h[k] || (a->part && b->part && a->part[k] != b->part[k]))
            return false;
    return true;
}

static bool grow(struct grid *grid)
{
    const size_t steps = (size_t)grid->steps + 1;
    return array_grow(&grid->t, steps, &grid->room[0], sizeof *grid->t) &&
           array_grow(&grid->h, steps, &grid->room[1], sizeof *grid->h) &&
           array_grow(&grid->t1, steps, &grid->room[2], sizeof *grid->t1);
}

bool grid_append(struct grid *grid, double t, double h, double t1)
{
    if (!grow(grid)) return false;
    grid->t[grid->steps] = t;
    grid->h[grid->steps] = h;
    grid->t1[grid->steps++] = t1;
    return true;
}

/* Of the last step. */
static bool note_part(struct grid *grid, const struct sens_tableau *part)
{
    const size_t size = sizeof *grid->part; // NOLINT(bugprone-sizeof-expression): of a pointer
    if (!array_grow(&grid->part, (size_t)grid->steps, &grid->room[3], size)) return false;
    grid->part[grid->steps - 1] = part;
    return true;
}

static void hear_part(void *self, const struct sens_tableau *part)
{
    ((struct bed *)self)->part = part;
}

static void hear_step(void *self, double t, double h, double t1)
{
    struct bed *bed = self;
    if (!grid_append(&bed->grid, t, h, t1) || (bed->part && !note_part(&bed->grid, bed->part)))
        bed->status = SENS_NO_MEMORY;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static const void *find(const void *table, const char *name)
{
    const char *const *const *entry = table; /* each begins with its name */
    while (*entry && strcmp(**entry, name) != 0) entry++;
    return *entry;
}

const struct sens_tableau *verify_formula(const struct verify *v, const char *name)
{
    const struct sens_tableau *const found = find(v->reg->tableaux, name);
    return found ? found : find(v->reg->implicit_tableaux, name);
}

const struct sens_tableau *bed_pair(const struct bed *bed)
{
    const struct sens_tableau *const tableau = bed->task.tableau;
    const bool takes = bed->method->caps & SENS_CAP_TABLEAU && tableau->e;
    return takes && tableau->family == SENS_FAMILY_EXPLICIT ? tableau : verify_formula(bed->v, "cash_karp");
}

bool bed_tableau(struct bed *bed, const char *name)
{
    const struct sens_tableau *found = verify_formula(bed->v, name);
    if (!found || !(bed->method->caps & SENS_CAP_TABLEAU)) return false;
    if (found->family != SENS_FAMILY_EXPLICIT && !(bed->method->caps & SENS_CAP_IMPLICIT)) return false;
    bed->task.tableau = found;
    return true;
}

bool bed_controller(struct bed *bed, const char *name)
{
    const struct sens_controller *found = find(bed->v->reg->controllers, name);
    if (!found || !(bed->method->caps & SENS_CAP_CONTROLLER)) return false;
    bed->task.controller = found;
    return true;
}

struct sens_ckpt bed_every(const struct verify *v, long k)
{
    return (struct sens_ckpt){k > 0 ? find(v->reg->ckpt_policies, "every") : NULL, k};
}

bool bed_fixed(struct bed *bed, const char *tableau, long steps)
{
    if (!bed_tableau(bed, tableau) || !bed_controller(bed, "fixed")) return false;
    bed->task.dt = (bed->problem.t1 - bed->problem.t0) / (double)steps;
    return true;
}

bool bed_is_fixed(const struct bed *bed)
{
    return (bed->method->caps & SENS_CAP_CONTROLLER) && !bed->task.controller->adaptive;
}

double verify_state_unit(struct verify *v, const struct sens_problem *problem)
{
    static const double SMALL = 1e-3; /* above it every atol in use is far below the state */
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    double *const x0 = verify_array(v, problem->n), largest = 0;
    sens_problem_x0(problem, problem->p, x0);
    for (size_t i = 0; i < problem->n; i++) largest = fmax(largest, fabs(x0[i]));
    sens_arena_rewind(&v->ctx.arena, mark);
    return largest > 0 && largest < SMALL ? largest : 1;
}

void bed_tolerance(struct bed *bed, double tol)
{
    bed->task.rtol = tol;
    bed->task.atol = tol * bed->unit;
}

void bed_create(struct verify *v, const struct sens_problem *problem, const struct sens_cost *cost,
                const struct sens_method_type *method, struct bed *bed)
{
    const double tol = v->seed ? pow(10, verify_uniform(v, -9, -5)) : 1e-7;
    const unsigned by = (problem->np ? SENS_WRT_P : 0u) | (problem->type->many_states ? 0u : SENS_WRT_X0);
    *bed = (struct bed){.v = v, .problem = *problem, .cost = *cost, .method = method};
    bed->option = verify_memory(v, sens_option_count(method->options), sizeof *bed->option);
    sens_option_defaults(method->options, bed->option);
    bed->task = (struct sens_task){.method = method,
                                   .problem = &bed->problem,
                                   .cost = &bed->cost,
                                   .tableau = verify_formula(v, problem->mass ? "sdirk4a" : "cash_karp"),
                                   .controller = find(v->reg->controllers, "odeint"),
                                   .max_steps = MAX_STEPS,
                                   .parts = sens_method_parts(method, by),
                                   .option = bed->option};
    bed->unit = verify_state_unit(v, problem);
    bed_tolerance(bed, tol);
    bed->out = bed_outputs(bed);
}

void bed_free(struct bed *bed)
{
    grid_free(&bed->grid);
}

/* ---- solving ------------------------------------------------------------------------------------------- */

sens_status bed_prepare(struct bed *bed, struct bed_state *state)
{
    bed->task.listener = (struct sens_listener){hear_step, bed, hear_part};
    bed->task.problem = &bed->problem;
    bed->task.cost = &bed->cost;
    state->ctx.cache = bed->cache;
    state->ctx.vector = bed->vector;
    state->ctx.now = bed->now;
    fill_with_nan(bed);
    if (bed->problem.mass && !(bed->method->caps & SENS_CAP_MASS))
        return bed->status = sens_fail(&state->ctx, SENS_UNSUPPORTED, "the problem has a mass matrix");
    bed->status = bed->method->prepare(&state->ctx, &bed->task, &state->state);
    state->ready = bed->status == SENS_OK;
    return bed->status;
}

static void note_tried(const struct bed *bed)
{
    struct verify_tried *const tried = &bed->v->tried;
    const struct sens_work *work = &bed->work;
    const double value[TRIED_AXES] = {
        [TRIED_N] = (double)bed->problem.n,
        [TRIED_NP] = (double)bed->problem.np,
        [TRIED_M] = (double)bed->cost.m,
        [TRIED_STEPS] = (double)work->steps,
        [TRIED_OBSERVATIONS] = (double)bed->cost.n_obs,
        [TRIED_LANES] = work->lanes,
        [TRIED_THREADS] = work->threads,
        [TRIED_RTOL] = bed->task.rtol,
        [TRIED_ATOL] = bed->task.atol,
        [TRIED_T0] = bed->problem.t0,
        [TRIED_LENGTH] = bed->problem.t1 - bed->problem.t0,
    };
    for (int k = 0; k < TRIED_AXES; k++) {
        tried->least[k] = tried->tasks ? fmin(tried->least[k], value[k]) : value[k];
        tried->most[k] = tried->tasks ? fmax(tried->most[k], value[k]) : value[k];
    }
    tried->tasks++;
}

sens_status bed_run(struct bed *bed, struct bed_state *state)
{
    fill_with_nan(bed);
    bed->grid.steps = 0;
    bed->part = NULL;
    bed->work = (struct sens_work){.steps = 0};
    bed->status = SENS_OK;
    const sens_status status = bed->method->run(&state->ctx, state->state, &bed->out, &bed->work);
    if (status == SENS_OK && bed->work.steps_reverse > 0 && bed->work.bytes_traj == 0)
        bed->v->reintegrates = true;
    if (status != SENS_OK) bed->status = status; /* else that of the listener */
    if (bed->status == SENS_OK) note_tried(bed);
    return bed->status;
}

void bed_release(struct bed *bed, struct bed_state *state)
{
    if (state->ready && bed->method->release) bed->method->release(state->state);
    memcpy(bed->message, state->ctx.message, sizeof bed->message);
    sens_arena_release(&state->ctx.arena);
}

struct visitor {
    void (*visit)(void *self, struct bed *bed, int number);
    void *self;
};

static sens_status solve(struct bed *bed, int runs, const struct visitor *visitor)
{
    struct bed_state state = {.ready = false};
    sens_status status = bed_prepare(bed, &state);
    for (int k = 0; k < runs && status == SENS_OK; k++) {
        status = bed_run(bed, &state);
        if (visitor->visit) visitor->visit(visitor->self, bed, k);
    }
    bed_release(bed, &state);
    return status;
}

sens_status bed_solve(struct bed *bed)
{
    const struct visitor nobody = {NULL, NULL};
    return solve(bed, 1, &nobody);
}

sens_status bed_solve_repeatedly(struct bed *bed, int runs,
                                 void (*visit)(void *self, struct bed *bed, int number), void *self)
{
    const struct visitor visitor = {visit, self};
    return solve(bed, runs, &visitor);
}

long bed_error_test(const struct bed *bed, size_t i, const char *choice)
{
    const struct sens_option *const option = &bed->method->options[i];
    long outside = -1, found = -1;
    for (long c = 0; option->kind == SENS_OPT_CHOICE && option->choices[c]; c++) {
        if (strcmp(option->choices[c], "outside") == 0) outside = c;
        if (strcmp(option->choices[c], choice) == 0) found = c;
    }
    return outside >= 0 ? found : -1;
}

void bed_subject(const struct bed *bed, const char *instance, char subject[VERIFY_SUBJECT])
{
    const unsigned caps = bed->method->caps;
    const bool fixed = bed_is_fixed(bed);
    const char *const tableau = caps & SENS_CAP_TABLEAU ? bed->task.tableau->name : "own steps";
    /* The steps of a discrete method are those of the state, unless it says otherwise. */
    const char *const unusual = bed->method->derivative == SENS_DERIVATIVE_DISCRETE ? "inside" : "outside";
    const char *const controller = caps & SENS_CAP_CONTROLLER ? bed->task.controller->name : "";
    snprintf(subject, VERIFY_SUBJECT, "%s, cost %s m=%zu, %s %s %s %.3g", instance, bed->cost.type->name,
             bed->cost.m, tableau, controller, fixed ? "dt" : "tol", fixed ? bed->task.dt : bed->task.rtol);
    verify_name_held(bed->v, bed->method->options, ", ", VERIFY_SUBJECT, subject);
    for (size_t i = 0; i < sens_option_count(bed->method->options); i++) {
        const struct sens_option *const option = &bed->method->options[i];
        const size_t used = strlen(subject);
        if (bed_error_test(bed, i, unusual) == (long)bed->option[i].number)
            snprintf(subject + used, VERIFY_SUBJECT - used, ", %s=%s", option->name, unusual);
        if (strcmp(option->name, "factors") == 0 && bed->option[i].number != option->fallback)
            snprintf(subject + used, VERIFY_SUBJECT - used, ", factors=%s",
                     option->choices[(size_t)bed->option[i].number]);
    }
}

/* ---- comparison ---------------------------------------------------------------------------------------- */

struct sens_out out_only(const struct sens_out *out, unsigned parts)
{
    struct sens_out only = {.x = NULL};
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (parts >> k & 1) only.part[k] = out->part[k];
    return only;
}

void out_compare(struct worst *worst, const struct bed *bed, const struct sens_out *a,
                 const struct sens_out *b, const struct sens_out *bound, const char *what)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = bed_part(bed, k);
        const double *const got = a->part[k], *const right = b->part[k], *const limit = bound->part[k];
        for (size_t q = 0; got && right && limit && q < shape.rows * shape.cols; q++)
            worst_note_in(worst, 1u << k, fabs(got[q] - right[q]), limit[q],
                          "%s %s[%zu][%zu]: %.10g is not %.10g", what, shape.title, q / shape.cols,
                          q % shape.cols, got[q], right[q]);
    }
}

static double relative(double difference, double size)
{
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

struct distance out_distance(const struct bed *bed, const struct sens_out *a, const struct sens_out *b)
{
    double difference = 0, size = 0;
    struct distance distance = {.gradient = NAN};
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const bool both = a->part[k] && b->part[k];
        double difference_here = 0, size_here = 0;
        for (size_t q = 0; both && q < bed_count(bed, k); q++) {
            const double d = a->part[k][q] - b->part[k][q];
            difference_here += d * d;
            size_here += b->part[k][q] * b->part[k][q];
        }
        distance.part[k] = both ? relative(difference_here, size_here) : NAN;
        if (!sens_part_wrt(k)) continue;
        difference += difference_here;
        size += size_here;
    }
    distance.gradient = relative(difference, size);
    return distance;
}

double out_norm(const struct bed *bed, const struct sens_out *a, const struct sens_out *b, unsigned parts)
{
    double sum = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const double *const of = a->part[k], *const from = b ? b->part[k] : NULL;
        if (!(parts >> k & 1) || !of || (b && !from)) continue;
        for (size_t q = 0; q < bed_count(bed, k); q++) sum += pow(of[q] - (from ? from[q] : 0), 2);
    }
    return sqrt(sum);
}

void out_add(const struct bed *bed, struct sens_out *to, double weight, const struct sens_out *from)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        for (size_t q = 0; to->part[k] && from->part[k] && q < bed_count(bed, k); q++)
            to->part[k][q] += weight * from->part[k][q];
}

void out_add_apart(const struct bed *bed, struct sens_out *to, double weight, const struct sens_out *a,
                   const struct sens_out *b)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        for (size_t q = 0; to->part[k] && a->part[k] && b->part[k] && q < bed_count(bed, k); q++)
            to->part[k][q] += weight * fabs(a->part[k][q] - b->part[k][q]);
}

bool out_finite(const struct bed *bed, const struct sens_out *a)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        for (size_t q = 0; a->part[k] && q < bed_count(bed, k); q++)
            if (!isfinite(a->part[k][q])) return false;
    return true;
}
