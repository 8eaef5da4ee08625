/* What a measurement says of methods whose behaviour is known, because they are made here: honest ones,
 * and ones with the mistakes that a harness must catch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"
#include "measure.h"
#include "seconds.h"
#include "testing.h"

/* ---- methods of the test ------------------------------------------------------------------------------- */

enum mischief { HONEST, ACCUMULATES, SAYS_NAN, FAILS_LATER, SLEEPS };

struct fake {
    const struct sens_task *task;
    enum mischief mischief;
    int runs;
};

/* What outlives a cell: prepared and not yet released states, and runs. */
static struct {
    int states, runs;
} tally;

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct fake *fake = SENS_NEW(ctx, struct fake, 1);
    if (!fake) return SENS_NO_MEMORY;
    const struct sens_problem *pb = task->problem;
    sens_real *dx = SENS_NEW(ctx, sens_real, pb->n);
    if (!dx) return SENS_NO_MEMORY;
    pb->type->rhs(pb, &(struct sens_at){pb->t0, pb->x0, pb->p}, dx); /* must not be counted */
    fake->task = task;
    fake->mischief = (enum mischief)task->option[0].number;
    tally.states++;
    *state = fake;
    return SENS_OK;
}

static void sleep_milliseconds(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* Seven right-hand sides and one product with three vectors, for dGdp = 1, 2, ... */
static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct fake *fake = state;
    const struct sens_problem *pb = fake->task->problem;
    const struct sens_at at = {pb->t0, pb->x0, pb->p};
    sens_real dx[8], W[24] = {1}, product[24];
    fake->runs++;
    tally.runs++;
    for (int i = 0; i < 7; i++) pb->type->rhs(pb, &at, dx);
    pb->type->vjp(pb, &at, 3, W, product);
    if (fake->mischief == FAILS_LATER && fake->runs == 2) return sens_fail(ctx, SENS_STEP_LIMIT, "tired");
    if (fake->mischief == SLEEPS) sleep_milliseconds(3);
    for (size_t i = 0; i < pb->n; i++) out->G[i] = out->x[i] = 1;
    for (size_t i = 0; i < pb->n * pb->np; i++)
        out->dGdp[i] = (fake->mischief == ACCUMULATES && fake->runs > 1 ? out->dGdp[i] : 0) + (double)(i + 1);
    if (fake->mischief == SAYS_NAN) out->dGdp[0] = NAN;
    *work = (struct sens_work){.steps = 11,
                               .rejects = 2,
                               .t_forward = 0.25,
                               .t_reverse = 0.5,
                               .lanes = 3,
                               .threads = 1,
                               .vjp = 40, /* as if multiplied through declared structure */
                               .vjp_p = 50};
    return SENS_OK;
}

static void release(void *state)
{
    (void)state;
    tally.states--;
}

static const struct sens_option fake_options[] = {
    {.name = "mischief",
     .kind = SENS_OPT_INT,
     .fallback = HONEST,
     .min = HONEST,
     .max = SLEEPS,
     .help = "kind"},
    SENS_OPTIONS_END,
};

static const struct sens_method_type fake_method = {
    .name = "fake",
    .summary = "does what the test says",
    .options = fake_options,
    .prepare = prepare,
    .run = run,
    .release = release,
};

/* ---- cells --------------------------------------------------------------------------------------------- */

static struct sens_ctx ctx;
static struct record *rec;
static struct cell cell;

static void resolve(const char *problem, const char *method)
{
    struct spec spec = {.count = 0};
    struct bench_error error = {.text = ""};
    sens_arena_release(&ctx.arena);
    ctx = (struct sens_ctx){.now = seconds_now};
    assert_true(spec_set(&spec, "problem", problem, "test", &error));
    assert_true(spec_set(&spec, "method", method, "test", &error));
    assert_true(spec_set(&spec, "tol", "1e-6", "test", &error));
    if (cell_resolve(&ctx, &spec, &cell, &error) != SENS_OK) fail_msg("%s", error.text);
    spec_free(&spec);
}

static sens_status measure_fake(enum mischief mischief, struct measure_options options)
{
    static struct sens_value value;
    resolve("decay", "discrete_adjoint");
    value = (struct sens_value){.number = mischief};
    cell.method = &fake_method;
    cell.method_value = &value;
    cell.task.option = &value;
    cell.task.parts = SENS_IN_DGDP;
    tally.states = tally.runs = 0;
    const sens_status status = measure_cell(&ctx, &cell, &options, rec, NULL);
    assert_int_equal(tally.states, 0); /* every prepared state was released */
    return status;
}

static int make_record(void **state)
{
    (void)state;
    rec = record_create();
    return rec ? 0 : -1;
}

static int release_memory(void **state)
{
    (void)state;
    sens_arena_release(&ctx.arena);
    free(rec);
    return 0;
}

static void one_run_is_counted(void **state)
{
    (void)state;
    assert_int_equal(measure_fake(HONEST, (struct measure_options){.warmups = 4}), SENS_OK);
    assert_string_equal(rec->text[COL_status], "ok");
    assert_string_equal(rec->text[COL_method], "fake");
    assert_string_equal(rec->text[COL_tableau], ""); /* it takes no notice of one */
    assert_true(rec->number[COL_n_rhs] == 7 && rec->number[COL_n_vjp] == 3 + 40 &&
                rec->number[COL_n_jvp] == 0);
    assert_true(rec->number[COL_n_vjp_p] == 50 && rec->number[COL_n_jacobian] == 0);
    /* y' = -k y: one multiplication, two operations of a vector of the parameter product, and one of J^T w */
    assert_true(rec->number[COL_flops] == 7 + 43 + 50 * 2);
    assert_true(isnan(rec->number[COL_gflops]) &&
                isnan(rec->number[COL_peak_gflops])); /* nothing was timed */
    assert_string_equal(rec->text[COL_structure], "none");
    assert_true(rec->number[COL_steps] == 11 && rec->number[COL_rejects] == 2 && rec->number[COL_lanes] == 3);
    assert_true(rec->number[COL_samples] == 0 && isnan(rec->number[COL_t_total_s])); /* none asked for */
    assert_int_equal(tally.runs, 1 + 4);
    assert_true(rec->number[COL_rss_bytes] > 1e5);
    assert_true(isnan(rec->number[COL_err_frozen]));
}

static void short_runs_are_batched(void **state)
{
    (void)state;
    assert_int_equal(measure_fake(HONEST, (struct measure_options){.samples = 5, .sample_budget = 60}),
                     SENS_OK);
    assert_true(rec->number[COL_samples] == 5);
    assert_true(tally.runs > 100);                     /* a run takes far less than a hundredth of 1 ms x 5 */
    assert_true(rec->number[COL_t_total_s] < 1e-4);    /* seconds of one run, not of a batch */
    assert_true(rec->number[COL_t_forward_s] == 0.25); /* what the method says, averaged over powers of two */
    assert_true(rec->number[COL_t_reverse_s] == 0.5);
    assert_true(rec->number[COL_gflops] == rec->number[COL_flops] / rec->number[COL_t_total_s] / 1e9);
    assert_true(rec->number[COL_gflops_reverse] == (43.0 + 50 * 2) / 0.5 / 1e9);
    assert_true(rec->number[COL_peak_gflops] > 0);
    assert_true(rec->number[COL_share] == rec->number[COL_gflops] / rec->number[COL_peak_gflops]);
    assert_true(rec->number[COL_t_min_s] <= rec->number[COL_t_lo_s]);
    assert_true(rec->number[COL_t_lo_s] <= rec->number[COL_t_total_s]);
    assert_true(rec->number[COL_t_total_s] <= rec->number[COL_t_hi_s]);
}

static void long_runs_are_single(void **state)
{
    (void)state;
    assert_int_equal(
        measure_fake(SLEEPS, (struct measure_options){.samples = 4, .sample_budget = 60, .warmups = 2}),
        SENS_OK);
    assert_true(rec->number[COL_samples] == 4);
    assert_true(rec->number[COL_t_min_s] >= 3e-3); /* the sleep */
    assert_true(tally.runs >= 1 + 2 + 4); /* more where others disturbed some: those are taken again */
    /* longer than the whole budget: the first timed run is the sample */
    assert_int_equal(measure_fake(SLEEPS, (struct measure_options){.samples = 4, .sample_budget = 1e-3}),
                     SENS_OK);
    assert_true(rec->number[COL_samples] == 1);
    assert_int_equal(tally.runs, 1 + 1);
}

static void mistakes_are_caught(void **state)
{
    (void)state;
    const struct measure_options options = {.samples = 3, .sample_budget = 1};
    assert_int_equal(measure_fake(ACCUMULATES, options), SENS_NOT_REPEATABLE);
    assert_string_equal(rec->text[COL_status], "not_repeatable");
    assert_true(isnan(rec->number[COL_n_rhs]) && isnan(rec->number[COL_t_total_s]));
    assert_int_equal(measure_fake(SAYS_NAN, options), SENS_NONFINITE);
    assert_string_equal(rec->text[COL_status], "nonfinite");
    assert_non_null(strstr(rec->text[COL_message], "dGdp[0]"));
    assert_int_equal(measure_fake(FAILS_LATER, (struct measure_options){.warmups = 3}), SENS_STEP_LIMIT);
    assert_string_equal(rec->text[COL_message], "tired");
}

static void memory_is_no_crash(void **state)
{
    (void)state;
    const struct measure_options options = {.samples = 1, .sample_budget = 1};
    for (size_t fail = 1; fail < 200; fail++) {
        resolve("decay", "discrete_adjoint");
        ctx.arena.fail_at = ctx.arena.allocations + fail;
        const sens_status status = measure_cell(&ctx, &cell, &options, rec, NULL);
        assert_string_equal(rec->text[COL_status], sens_status_name(status));
        if (status == SENS_OK) return; /* fewer allocations than that */
        assert_int_equal(status, SENS_NO_MEMORY);
    }
    fail_msg("never enough memory");
}

/* ---- errors -------------------------------------------------------------------------------------------- */

/* y' = -k y: y = y0 e^(-kT), dy/dk = -T y. The errors of the record are those of the returned numbers, by
 * hand. */
static void errors_by_hand(void **state)
{
    (void)state;
    struct sens_out out;
    resolve("decay", "discrete_adjoint");
    cell.task.parts = SENS_IN_DGDP;
    assert_int_equal(measure_cell(&ctx, &cell, &(struct measure_options){.warmups = 1}, rec, &out), SENS_OK);
    const double T = cell.problem.t1 - cell.problem.t0, k = cell.problem.p[0];
    const double y = cell.problem.x0[0] * exp(-k * T), S = -T * y;
    /* absolute 1e-15: rounding of numbers of size one */
    assert_true(fabs(rec->number[COL_err_x_max] - fabs(out.x[0] - y)) < 1e-15);
    assert_true(fabs(rec->number[COL_err_grad_max] - fabs(out.dGdp[0] - S)) < 1e-15);
    assert_true(fabs(rec->number[COL_err_grad] - fabs(out.dGdp[0] / S - 1)) < 1e-14);
    assert_true(rec->number[COL_err_grad] > 1e-12 && rec->number[COL_err_grad] < 1e-4);
    assert_true(rec->number[COL_err_grad] == rec->number[COL_err_grad_ode]);
    assert_true(rec->number[COL_err_frozen] < 1e-13); /* the adjoint is the derivative of that very map */
    assert_string_equal(rec->text[COL_truth], "ode");
}

/* A level of truth that is asked for by name and is not there fails the cell; `auto` and `none` do not. */
static void truth_by_name(void **state)
{
    (void)state;
    const struct measure_options options = {.warmups = 1};
    resolve("decay", "discrete_adjoint");
    cell.truth = TRUTH_DISCRETE; /* of an adaptive grid there is none */
    assert_int_equal(measure_cell(&ctx, &cell, &options, rec, NULL), SENS_NO_TRUTH);
    resolve("decay", "discrete_adjoint");
    cell.truth = TRUTH_NONE;
    assert_int_equal(measure_cell(&ctx, &cell, &options, rec, NULL), SENS_OK);
    assert_string_equal(rec->text[COL_truth], "none");
    assert_true(isnan(rec->number[COL_err_grad]));
}

/* A copy of discrete_adjoint whose gradient is 1 % too large is 1 % away from the frozen-grid derivative. */
static const struct sens_method_type *honest;

static sens_status run_exaggerated(struct sens_ctx *own, void *state, const struct sens_out *out,
                                   struct sens_work *work)
{
    const sens_status status = honest->run(own, state, out, work);
    for (size_t i = 0; status == SENS_OK && i < cell.cost.m * cell.problem.np; i++) out->dGdp[i] *= 1.01;
    for (size_t i = 0; status == SENS_OK && i < cell.cost.m * cell.problem.n; i++) out->dGdx0[i] *= 1.01;
    return status;
}

static void frozen_difference_by_hand(void **state)
{
    (void)state;
    static const char *const problems[] = {"oscillator",
                                           "glv"}; /* few columns, and with np + n > 64 a sample */
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        resolve(problems[i], "discrete_adjoint");
        cell.task.parts = SENS_IN_GRADIENT;
        struct sens_method_type exaggerated = *cell.method;
        honest = cell.method;
        exaggerated.run = run_exaggerated;
        cell.method = &exaggerated;
        assert_int_equal(measure_cell(&ctx, &cell, &(struct measure_options){.warmups = 1}, rec, NULL),
                         SENS_OK);
        assert_true(fabs(rec->number[COL_err_frozen] - 0.01) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_is_counted),   cmocka_unit_test(short_runs_are_batched),
        cmocka_unit_test(long_runs_are_single), cmocka_unit_test(mistakes_are_caught),
        cmocka_unit_test(memory_is_no_crash),   cmocka_unit_test(errors_by_hand),
        cmocka_unit_test(truth_by_name),        cmocka_unit_test(frozen_difference_by_hand),
    };
    return cmocka_run_group_tests(tests, make_record, release_memory);
}
