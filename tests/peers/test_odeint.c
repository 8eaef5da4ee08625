/* Our Cash-Karp and Dormand-Prince pairs with the controller odeint take the steps that Boost.Numeric.Odeint
 * takes: as many, as many rejected trials before each, and the same t and h to rounding.
 *
 * The two sum the stages in different orders, so what rounding does has to be known. It is measured: odeint
 * runs again on a right-hand side whose every argument and value is off by one unit in the last place, up or
 * down at random. Our steps may differ from odeint's by FACTOR times the largest effect of PROBES such runs.
 * Where a probe itself changes a verdict or a step by more than DECIDED nothing can be said: another rule
 * (safety, exponent, threshold) may change no more than that. It happens to a stiff problem on the boundary
 * of stability, where rounding is amplified from step to step, so every case is compared in two ways:
 *
 *     free      one solve of each from t0 to t1
 *     stepwise  odeint restarted from every step of ours: nothing is amplified */
#include "method/support.h"
#include "peers/odeint.h"

enum { STEPS = 20000, PROBES = 8, FACTOR = 16 };
static const double DECIDED = 1e-3, FIRST_TRIAL = 1e-3;

/* ---- our solve ----------------------------------------------------------------------------------------- */

struct solve {
    struct method_bed bed;
    enum odeint_pair pair;
    const struct sens_tableau *tableau;
    long calls, calls_before; /* of the right-hand side: in all, and before the current step */
    long steps;
    double t[STEPS], h[STEPS];
    long rejects[STEPS];
    double *x;           /* [STEPS][n] */
    unsigned long noise; /* state of the generator of signs; 0: no noise */
    double *noisy;       /* [n] */
};

static sens_status counted_f(void *self, double t, const double *x, double *dx)
{
    struct solve *solve = self;
    const struct sens_problem *pb = &solve->bed.problem;
    const struct sens_at at = {t, x, pb->p};
    solve->calls++;
    return pb->type->rhs(pb, &at, dx);
}

/* A trial evaluates every stage but the first, whose slope belongs to the step unless the last
 * one left it. */
static sens_status note_step(void *self, const struct sens_step *step)
{
    struct solve *solve = self;
    const size_t n = solve->bed.problem.n;
    const long first = solve->tableau->fsal && step->k > 0 ? 0 : 1, trial = solve->tableau->stages - 1;
    const long calls = solve->calls - solve->calls_before - first;
    if (step->k >= STEPS || calls % trial != 0) return SENS_BAD_INPUT;
    solve->calls_before = solve->calls;
    solve->steps = step->k + 1;
    solve->t[step->k] = step->t;
    solve->h[step->k] = step->h;
    solve->rejects[step->k] = calls / trial - 1;
    memcpy(solve->x + (size_t)step->k * n, step->y, n * sizeof *step->y);
    return SENS_OK;
}

/* ---- odeint's ------------------------------------------------------------------------------------------ */

/* x off by one unit or so in the last place. */
static double nudged(struct solve *solve, double x)
{
    solve->noise = solve->noise * 6364136223846793005UL + 1442695040888963407UL;
    return x * (1 + ((solve->noise >> 33) & 1 ? DBL_EPSILON : -DBL_EPSILON));
}

static void plain_f(void *self, double t, const double *x, double *dx)
{
    struct solve *solve = self;
    const struct sens_problem *pb = &solve->bed.problem;
    struct sens_at at = {t, x, pb->p};
    if (solve->noise) {
        for (size_t i = 0; i < pb->n; i++) solve->noisy[i] = nudged(solve, x[i]);
        at.x = solve->noisy;
    }
    assert_int_equal(pb->type->rhs(pb, &at, dx), SENS_OK);
    for (size_t i = 0; solve->noise && i < pb->n; i++) dx[i] = nudged(solve, dx[i]);
}

static struct odeint_system odeint_of(struct solve *solve)
{
    const struct sens_task *task = &solve->bed.task;
    return (struct odeint_system){
        .n = solve->bed.problem.n, .f = plain_f, .self = solve, .rtol = task->rtol, .atol = task->atol};
}

/* ---- differences --------------------------------------------------------------------------------------- */

struct verdict {
    bool decided; /* rounding alone changes nothing */
    bool equal;
};

/* Accepted steps of a log, with the rejected trials before each. */
struct path {
    long steps;
    double h[STEPS];
    long rejects[STEPS];
};

static void read_path(const struct odeint_log *log, struct path *path)
{
    long rejects = 0;
    path->steps = 0;
    for (size_t i = 0; i < log->count; i++) {
        if (!log->trial[i].accepted) {
            rejects++;
            continue;
        }
        assert_true(path->steps < STEPS);
        path->h[path->steps] = log->trial[i].h;
        path->rejects[path->steps++] = rejects;
        rejects = 0;
    }
}

/* The largest relative difference of h; HUGE_VAL where the steps are not as many, or not as often rejected.
 * The last step is what the others leave of the interval: it has to be there, and that is all. */
static double path_difference(long steps, const double *h, const long *rejects, const struct path *path)
{
    double most = 0;
    if (steps != path->steps) return HUGE_VAL;
    for (long k = 0; k < steps; k++) {
        if (rejects[k] != path->rejects[k]) return HUGE_VAL;
        if (k + 1 < steps) most = fmax(most, fabs(h[k] / path->h[k] - 1));
    }
    return most;
}

static struct odeint_trial trials[2 * STEPS];

static void integrate(struct solve *solve, unsigned long noise, struct path *path)
{
    const struct odeint_system system = odeint_of(solve);
    const struct sens_problem *pb = &solve->bed.problem;
    struct odeint_log log = {.limit = 2 * STEPS, .trial = trials};
    double *x = malloc(pb->n * sizeof *x);
    assert_non_null(x);
    memcpy(x, pb->x0, pb->n * sizeof *x);
    solve->noise = noise;
    assert_true(odeint_integrate(solve->pair, &system, pb->t0, pb->t1, FIRST_TRIAL, x, &log));
    read_path(&log, path);
    free(x);
}

static struct verdict compare_free(struct solve *solve)
{
    static struct path plain, probe;
    double noise = 4 * DBL_EPSILON;
    integrate(solve, 0, &plain);
    for (unsigned long k = 1; k <= PROBES; k++) {
        integrate(solve, k, &probe);
        noise = fmax(noise, path_difference(probe.steps, probe.h, probe.rejects, &plain));
    }
    const double difference = path_difference(solve->steps, solve->h, solve->rejects, &plain);
    return (struct verdict){.decided = noise * FACTOR <= DECIDED, .equal = difference <= noise * FACTOR};
}

/* Step k from our state, then the step after it from our next state with the trial step that odeint chose. */
struct restart {
    bool accepted; /* step k, at once */
    long rejects;  /* before the step after it */
    double h;      /* of that */
    double *x;     /* [n] after step k */
};

static void restart(struct solve *solve, long k, unsigned long noise, struct restart *result)
{
    const struct odeint_system system = odeint_of(solve);
    const size_t n = system.n;
    const double t1 = solve->bed.problem.t1, after = solve->t[k + 1];
    struct odeint_log log = {.limit = 2 * STEPS, .trial = trials};
    double *x = malloc(n * sizeof *x);
    assert_non_null(x);
    solve->noise = noise;
    memcpy(result->x, solve->x + (size_t)k * n, n * sizeof *x);
    assert_true(odeint_step(solve->pair, &system, solve->t[k], solve->h[k], result->x, &log));
    result->accepted = log.count == 1;
    const double next = fmin(trials[log.count - 1].next, t1 - after); /* as integrate_adaptive does */
    memcpy(x, solve->x + (size_t)(k + 1) * n, n * sizeof *x);
    assert_true(odeint_step(solve->pair, &system, after, next, x, &log));
    result->rejects = (long)log.count - 1;
    result->h = trials[log.count - 1].h;
    free(x);
}

/* Of h, and of the state in units of its tolerance; HUGE_VAL for another verdict. */
static double restart_difference(const struct solve *solve, const struct restart *a, const struct restart *b)
{
    const struct sens_task *task = &solve->bed.task;
    double state = 0;
    if (a->accepted != b->accepted || a->rejects != b->rejects) return HUGE_VAL;
    for (size_t i = 0; i < solve->bed.problem.n; i++)
        state = fmax(state, fabs(a->x[i] - b->x[i]) / (task->atol + task->rtol * fabs(b->x[i])));
    return fmax(state, fabs(a->h - b->h) / b->h);
}

static struct verdict compare_step(struct solve *solve, long k, struct restart *plain, struct restart *probe)
{
    double noise = 4 * DBL_EPSILON * (1 + 1 / solve->bed.task.atol); /* of h and of a state of size 1 */
    const struct restart ours = {.accepted = true,
                                 .rejects = solve->rejects[k + 1],
                                 .h = solve->h[k + 1],
                                 .x = solve->x + (size_t)(k + 1) * solve->bed.problem.n};
    restart(solve, k, 0, plain);
    for (unsigned long j = 1; j <= PROBES; j++) {
        restart(solve, k, (unsigned long)k * PROBES + j, probe);
        noise = fmax(noise, restart_difference(solve, probe, plain));
    }
    return (struct verdict){.decided = noise * FACTOR <= DECIDED,
                            .equal = restart_difference(solve, &ours, plain) <= noise * FACTOR};
}

struct tally {
    long steps, decided, unequal; /* stepwise */
    struct verdict free;
};

static void compare(struct solve *solve, struct tally *tally)
{
    const size_t n = solve->bed.problem.n;
    struct restart plain = {.x = malloc(n * sizeof(double))}, probe = {.x = malloc(n * sizeof(double))};
    assert_true(plain.x && probe.x);
    *tally = (struct tally){.free = compare_free(solve)};
    for (long k = 0; k + 1 < solve->steps; k++) {
        const struct verdict verdict = compare_step(solve, k, &plain, &probe);
        tally->steps++;
        tally->decided += verdict.decided;
        tally->unequal += verdict.decided && !verdict.equal;
    }
    free(plain.x);
    free(probe.x);
}

/* ---- cases --------------------------------------------------------------------------------------------- */

static const struct problem_case {
    const char *name;
    double n;       /* option n; 0: it has none */
    double loosest; /* tolerance */
    double free;    /* loosest tolerance at which a free solve decides; 0: none need */
} cases[] = {
    {"glv", 2, 1e-4, 1},    {"glv", 5, 1e-4, 1},       {"glv", 20, 1e-4, 1},    {"oscillator", 0, 1e-4, 1},
    {"forced", 0, 1e-4, 1}, {"logistic", 0, 1e-4, 1},  {"heat", 6, 1e-4, 1e-8}, {"arenstorf", 0, 1e-4, 1},
    {"vdp", 0, 1e-4, 1e-8}, {"robertson", 0, 1e-6, 0},
};
enum { CASES = sizeof cases / sizeof *cases };
static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};

/* Our solve with a controller, which the caller may have bent. */
static struct solve *solve_case(const struct problem_case *c, enum odeint_pair pair, double tol,
                                const struct sens_controller *controller)
{
    struct solve *solve = calloc(1, sizeof *solve);
    assert_non_null(solve);
    if (c->n > 0)
        bed_create(&solve->bed, c->name, "identity", "n", c->n, NULL);
    else
        bed_create(&solve->bed, c->name, "identity", NULL);
    struct method_bed *bed = &solve->bed;
    const size_t n = bed->problem.n;
    solve->pair = pair;
    solve->tableau = named(bed->registry->tableaux, pair == ODEINT_DOPRI5 ? "dopri5" : "cash_karp");
    solve->x = malloc(STEPS * n * sizeof *solve->x);
    solve->noisy = malloc(n * sizeof *solve->noisy);
    assert_true(solve->x && solve->noisy);
    bed->task.rtol = bed->task.atol = tol;
    const struct sens_ode_part part = {.count = n, .rtol = tol, .atol = tol, .tested = true};
    const struct sens_ode ode = {.n = n, .f = counted_f, .self = solve, .n_parts = 1, .part = &part};
    const struct sens_solver_settings settings = {.tableau = solve->tableau,
                                                  .controller =
                                                      controller ? controller : bed->task.controller,
                                                  .dt = FIRST_TRIAL,
                                                  .max_steps = 2 * STEPS};
    const struct sens_step_watcher watcher = {note_step, solve};
    struct sens_solver *solver;
    assert_int_equal(sens_solver_create(&bed->ctx, &ode, &settings, &solver), SENS_OK);
    assert_int_equal(sens_solver_solve(&bed->ctx, solver, bed->problem.t0, bed->problem.x0, 1,
                                       &bed->problem.t1, &watcher, bed->out.x, NULL),
                     SENS_OK);
    return solve;
}

static void solve_free(struct solve *solve)
{
    bed_free(&solve->bed);
    free(solve->x);
    free(solve->noisy);
    free(solve);
}

static void check_case(const struct problem_case *c, enum odeint_pair pair, double tol)
{
    struct tally tally;
    struct solve *solve = solve_case(c, pair, tol, NULL);
    compare(solve, &tally);
    print_message("%-10s n=%-2zu %-9s tol=%.0e: %4ld steps, %4ld decided, %ld differ; free: %s\n", c->name,
                  solve->bed.problem.n, solve->tableau->name, tol, tally.steps, tally.decided, tally.unequal,
                  !tally.free.decided ? "undecided"
                  : tally.free.equal  ? "equal"
                                      : "DIFFERENT");
    assert_int_equal(tally.unequal, 0);
    assert_true(tally.decided >= tally.steps - tally.steps / 10);
    assert_true(tally.free.equal || !tally.free.decided);
    assert_true(tally.free.decided || tol > c->free);
    solve_free(solve);
}

static void check_pair(enum odeint_pair pair)
{
    for (size_t c = 0; c < CASES; c++)
        for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++)
            if (tolerances[k] <= cases[c].loosest) check_case(&cases[c], pair, tolerances[k]);
}

static void test_cash_karp(void **state)
{
    (void)state;
    check_pair(ODEINT_CASH_KARP);
}

static void test_dopri5(void **state)
{
    (void)state;
    check_pair(ODEINT_DOPRI5);
}

/* ---- a bent rule is seen ------------------------------------------------------------------------------- */

static double safety_bent(struct sens_controller_memory *memory, double h, double err,
                          const struct sens_tableau *tableau)
{
    const double factor = sens_controllers[0]->factor(memory, h, err, tableau);
    return factor == 1 ? factor : factor * (0.9001 / 0.9);
}

static double growth_bent(struct sens_controller_memory *memory, double h, double err,
                          const struct sens_tableau *tableau)
{
    struct sens_tableau bent = *tableau;
    bent.order = 4;
    return sens_controllers[0]->factor(memory, h, err, err < 0.5 ? &bent : tableau);
}

static double shrink_bent(struct sens_controller_memory *memory, double h, double err,
                          const struct sens_tableau *tableau)
{
    struct sens_tableau bent = *tableau;
    bent.order_hat = 5;
    return sens_controllers[0]->factor(memory, h, err, err > 1 ? &bent : tableau);
}

static double threshold_bent(struct sens_controller_memory *memory, double h, double err,
                             const struct sens_tableau *tableau)
{
    return sens_controllers[0]->factor(memory, h, err > 0.5 && err < 0.6 ? 0.4999 : err, tableau);
}

static void test_bent_rules(void **state)
{
    (void)state;
    static double (*const bent[])(struct sens_controller_memory *, double, double,
                                  const struct sens_tableau *) = {safety_bent, growth_bent, shrink_bent,
                                                                  threshold_bent};
    const struct problem_case orbit = {"arenstorf", 0, 1e-6, 1};
    assert_string_equal(sens_controllers[0]->name, "odeint");
    for (size_t k = 0; k < sizeof bent / sizeof *bent; k++)
        for (int pair = ODEINT_CASH_KARP; pair <= ODEINT_DOPRI5; pair++) {
            struct tally tally;
            struct sens_controller controller = *sens_controllers[0];
            controller.factor = bent[k];
            struct solve *solve = solve_case(&orbit, (enum odeint_pair)pair, orbit.loosest, &controller);
            compare(solve, &tally);
            assert_true(tally.unequal > 0);
            assert_true(tally.free.decided && !tally.free.equal);
            solve_free(solve);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cash_karp),
        cmocka_unit_test(test_dopri5),
        cmocka_unit_test(test_bent_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
