/* What is run, in which order, and what follows from it, see advise.h. */
#include "advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ask.h"
#include "machine.h"
#include "progress.h"

static const char *const modes[] = {"discrete_tangent", "discrete_adjoint"};
static const struct scheme {
    const char *tableau;
    bool implicit;
} schemes[ADVISE_SCHEMES] = {{"dopri5", false}, {"dop853", false}, {"radau_iia5", true}, {"rodas4", true}};

/* A Rosenbrock step needs second derivatives, which not every module has; then the other is the second. */
static const struct scheme references[] = {{"radau_iia5", true}, {"rodas4", true}, {"sdirk4a", true}};

enum { RUNGS = 5 }; /* of one scheme at most */
static const double loosest = 1e-2, tightest = 1e-13;
static const double reference_tol[2] = {1e-12, 1e-11};
static const double known_to = 0.1; /* of the wanted error */
static const double apart = 1.5; /* numbers of operations leave out what a method adds around the products */

size_t advise_runs(void)
{
    return sizeof references / sizeof references[0] + ADVISE_SCHEMES * RUNGS + 1;
}

struct measuring {
    const struct advise_request *request;
    struct advice *advice;
    struct ask ask;
    struct progress progress;
    struct bench_error *error;
};

static bool out_of_time(const struct measuring *me)
{
    return progress_elapsed(&me->progress) > me->request->seconds;
}

/* The new row; NULL: interrupted, with a message. */
static const struct advise_row *run(struct measuring *me, const char *method, const struct scheme *scheme,
                                    double tol)
{
    char text[96];
    struct advise_row *const row = &me->advice->row[me->advice->rows];
    snprintf(text, sizeof text, "%s %s tol=%.0e", method, scheme->tableau, tol);
    progress_step(&me->progress, text);
    ask_run(&me->ask, method, scheme->tableau, tol, row);
    row->implicit = scheme->implicit;
    me->advice->rows++;
    if (strcmp(row->status, sens_status_name(SENS_INTERRUPTED)) != 0) return row;
    bench_refuse(me->error, "interrupted");
    return NULL;
}

static bool reaches(const struct measuring *me, const struct advise_row *row)
{
    return row->error <= me->request->error;
}

/* Up or down the tolerances to the loosest that reaches the error. */
static sens_status climb(struct measuring *me, size_t s)
{
    struct advice *const advice = me->advice;
    const char *const method = modes[advice->adjoint_first];
    double tol = fmin(loosest, pow(10, floor(log10(me->request->error) + 0.5))), factor = 0;
    for (int rung = 0; rung < RUNGS && tol <= loosest && tol >= tightest; rung++, tol *= factor) {
        if (out_of_time(me)) {
            advice->complete = false;
            return SENS_OK;
        }
        const struct advise_row *const row = run(me, method, &schemes[s], tol);
        if (!row) return SENS_INTERRUPTED;
        const bool good = reaches(me, row);
        if (good) advice->scheme[s] = advice->rows - 1;
        if (isnan(row->error) || (factor == 0.1 && good) || (factor == 10 && !good)) return SENS_OK;
        factor = good ? 10 : 0.1;
    }
    return SENS_OK;
}

static void choose(struct advice *advice)
{
    for (size_t s = 0; s < ADVISE_SCHEMES; s++) {
        const size_t row = advice->scheme[s];
        if (row < ADVISE_ROWS &&
            (advice->best == ADVISE_ROWS || advice->row[row].cost < advice->row[advice->best].cost))
            advice->best = row;
    }
}

/* The gradient by the first of these schemes that has one. */
static sens_status refer(struct measuring *me, size_t count, const struct scheme *scheme, double tol)
{
    for (size_t i = 0; i < count; i++) {
        const struct advise_row *const row = run(me, modes[me->advice->adjoint_first], &scheme[i], tol);
        if (!row) return SENS_INTERRUPTED;
        if (strcmp(row->status, "ok") == 0) return SENS_OK;
        bench_refuse(me->error, "advise: no reference: %s tol=%g: %s: %s", row->tableau, tol, row->status,
                     row->message);
    }
    return SENS_NOT_REACHED;
}

static sens_status make_reference(struct measuring *me, double *reference)
{
    struct advice *const advice = me->advice;
    sens_status status = refer(me, 1, references, reference_tol[0]);
    if (status == SENS_OK) {
        memcpy(reference, me->ask.gradient, me->ask.length * sizeof *reference);
        status = refer(me, 2, references + 1, reference_tol[1]);
    }
    advice->rows = 0; /* of the reference: no candidates */
    if (status != SENS_OK) return status;
    advice->known = ask_distance(me->ask.length, me->ask.gradient, reference);
    me->ask.reference = reference;
    if (advice->known <= known_to * me->request->error) return SENS_OK;
    bench_refuse(
        me->error,
        "advise: the gradient is known to %.1e alone, from two schemes at small tolerances: errors of %.1e "
        "cannot be told",
        advice->known, me->request->error);
    return SENS_NOT_REACHED;
}

static sens_status measure(struct measuring *me)
{
    struct advice *const advice = me->advice;
    sens_status status = SENS_OK;
    for (size_t s = 0; s < ADVISE_SCHEMES && status == SENS_OK; s++) status = climb(me, s);
    if (status != SENS_OK) return status;
    choose(advice);
    if (advice->best == ADVISE_ROWS) {
        bench_refuse(me->error, "advise: no scheme comes down to an error of %g%s", me->request->error,
                     advice->complete ? "" : " in the time given: --seconds");
        return SENS_NOT_REACHED;
    }
    const struct advise_row *const best = &advice->row[advice->best];
    const struct scheme scheme = {best->tableau, best->implicit};
    if (!run(me, modes[!advice->adjoint_first], &scheme, best->tol)) return SENS_INTERRUPTED;
    if (reaches(me, &advice->row[advice->rows - 1])) advice->other = advice->rows - 1;
    return SENS_OK;
}

static sens_status check_operations(const struct measuring *me, const struct cell *cell)
{
    if (me->request->unit != ADVISE_OPERATIONS) return SENS_OK;
    if (isnan(cell->operations.rhs))
        bench_refuse(me->error,
                     "advise: --by operations: the right-hand side does not say its own; --by time");
    else if (sens_structure_of(&cell->problem)->sparsity)
        bench_refuse(me->error, "advise: --by operations: those of sparse systems are not known; --by time");
    else
        return SENS_OK;
    return SENS_UNSUPPORTED;
}

/* Sizes, from the cell in the mode that the schemes are run in; it is the adjoint where there are fewer outputs. */
static sens_status plan(struct sens_ctx *ctx, struct measuring *me)
{
    struct spec spec = {.count = 0};
    struct cell *const cell = SENS_NEW(ctx, struct cell, 1);
    bench_refuse(me->error, "advise: %s", sens_status_message(SENS_NO_MEMORY));
    if (!cell || !spec_copy(&spec, me->request->spec)) return SENS_NO_MEMORY;
    sens_status status = spec_set(&spec, "method", modes[0], "advise", me->error)
                             ? cell_resolve(ctx, &spec, cell, me->error)
                             : SENS_BAD_INPUT;
    if (status == SENS_OK) status = check_operations(me, cell);
    if (status == SENS_OK) {
        const unsigned wrt = sens_parts_wrt(cell->task.parts);
        const size_t columns =
            (wrt & SENS_WRT_P ? cell->problem.np : 0) + (wrt & SENS_WRT_X0 ? cell->problem.n : 0);
        me->ask.length = columns * cell->cost.m;
        me->advice->columns = (double)columns;
        me->advice->m = (double)cell->cost.m;
        me->advice->n = cell->problem.n;
        me->advice->adjoint_first = cell->cost.m < columns;
    }
    spec_free(&spec);
    return status;
}

sens_status advise_measure(const struct advise_request *request, struct advice *advice,
                           struct bench_error *error)
{
    struct sens_ctx ctx = {.now = NULL};
    struct measuring me = {.request = request,
                           .advice = advice,
                           .ask = {.request = request, .timeout = request->seconds / 4},
                           .error = error};
    *advice = (struct advice){.complete = true, .best = ADVISE_ROWS, .other = ADVISE_ROWS};
    for (size_t s = 0; s < ADVISE_SCHEMES; s++) advice->scheme[s] = ADVISE_ROWS;
    machine_prepare(&ctx, true);
    sens_status status = plan(&ctx, &me);
    const size_t bytes = me.ask.length * sizeof(double);
    double *const reference =
        status == SENS_OK ? sens_arena_alloc(&ctx.arena, me.ask.length, sizeof(double)) : NULL;
    if (status == SENS_OK) {
        me.ask.gradient = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (me.ask.gradient == MAP_FAILED) me.ask.gradient = NULL;
        if (!reference || !me.ask.gradient) status = SENS_NO_MEMORY;
    }
    if (status == SENS_OK && request->unit == ADVISE_SECONDS) machine_seek_quiet();
    progress_start(&me.progress, advise_runs(), request->seconds);
    if (status == SENS_OK) status = make_reference(&me, reference);
    if (status == SENS_OK) status = measure(&me);
    progress_end(&me.progress);
    if (me.ask.gradient) munmap(me.ask.gradient, bytes);
    sens_arena_release(&ctx.arena);
    return status;
}

bool advise_apart(enum advise_unit unit, const struct advise_row *a, const struct advise_row *b)
{
    if (unit == ADVISE_OPERATIONS) return fmax(a->cost, b->cost) > apart * fmin(a->cost, b->cost);
    return a->hi < b->lo || b->hi < a->lo;
}

struct advise_crossover advise_crossover(const struct advice *advice)
{
    struct advise_crossover found = {NAN, NAN, NAN};
    if (advice->other == ADVISE_ROWS) return found;
    const struct advise_row *const first = &advice->row[advice->best], *const other =
                                                                           &advice->row[advice->other];
    const struct advise_row *const adjoint = advice->adjoint_first ? first : other;
    const struct advise_row *const tangent = advice->adjoint_first ? other : first;
    const double column = (tangent->cost - adjoint->state) / advice->columns;
    const double output = (adjoint->cost - adjoint->state) / advice->m;
    if (!(column > 0) || !(output > 0)) return found;
    found.columns = advice->m * output / column;
    found.outputs = advice->columns * column / output;
    found.states = (double)advice->n * found.columns / advice->columns;
    return found;
}
