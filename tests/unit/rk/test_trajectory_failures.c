/* The trajectory's memory, and the ways in which it can fail. */
#include "testing.h"
#include "trajectory_support.h"

/* ---- memory and failures ------------------------------------------------------------------------------- */

/* The bytes told are those of the arrays, and all of them lie in the arena. */
static void test_bytes(void **state)
{
    (void)state;
    const size_t real = sizeof(double), stages = 4;
    for (long ckpt = 0; ckpt < 200; ckpt += 9) {
        struct trajectory_bed bed;
        bed_open(&bed, tableau_named("rk4"), true, ckpt);
        const size_t steps = (size_t)sens_traj_steps(bed.traj), every = (size_t)ckpt;
        assert_int_equal(steps, 80);
        const size_t kept = ckpt ? (steps + every - 1) / every * N : steps * stages * N;
        const size_t window = ckpt ? ((every < steps ? every : steps) + 1) * stages * N : 0;
        assert_int_equal(sens_traj_bytes(bed.traj),
                         (kept + window + 2 * steps + 1) * real + steps * sizeof(long));
        assert_true(sens_traj_bytes(bed.traj) <= bed.ctx.arena.bytes);
        bed_close(&bed);
    }
}

static void test_no_allocation_in_solve(void **state)
{
    (void)state;
    for (long ckpt = 0; ckpt < 3; ckpt++) {
        struct trajectory_bed bed;
        struct sens_step step;
        bed_open(&bed, tableau_named("cash_karp"), false, ckpt);
        const size_t allocations = bed.ctx.arena.allocations;
        assert_int_equal(bed_solve(&bed, x0, p0), SENS_OK);
        for (long k = 0; k < sens_traj_steps(bed.traj); k++)
            assert_int_equal(sens_traj_load(bed.traj, k, &step), SENS_OK);
        assert_int_equal(bed.ctx.arena.allocations, allocations);
        bed_close(&bed);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    for (long ckpt = 0; ckpt < 2; ckpt++) {
        struct trajectory_bed bed;
        bed_set(&bed, tableau_named("cash_karp"), false, ckpt);
        assert_int_equal(bed_create(&bed), SENS_OK);
        const size_t needed = bed.ctx.arena.allocations;
        bed_close(&bed);
        for (size_t k = 1; k <= needed; k++) {
            bed_set(&bed, tableau_named("cash_karp"), false, ckpt);
            bed.ctx.arena.fail_at = k;
            assert_int_equal(bed_create(&bed), SENS_NO_MEMORY);
            assert_null(bed.traj);
            bed_close(&bed);
        }
    }
}

/* Other parameters take another number of steps: refused, outputs untouched, nothing to be read; the nominal
 * ones work again afterwards. */
static void test_not_repeatable(void **state)
{
    (void)state;
    const double fast[NP] = {7, 0.25}, slow[NP] = {0, 0};
    for (long ckpt = 0; ckpt < 3; ckpt++) {
        struct trajectory_bed bed;
        struct sens_step step;
        bed_open(&bed, tableau_named("cash_karp"), false, ckpt);
        double x[N], G[M];
        memcpy(x, bed.x1, sizeof x);
        memcpy(G, bed.G, sizeof G);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(bed_solve(&bed, x0, k ? slow : fast), SENS_NOT_REPEATABLE);
            assert_memory_equal(bed.x1, x, sizeof x);
            assert_memory_equal(bed.G, G, sizeof G);
            assert_int_equal(sens_traj_load(bed.traj, 0, &step), SENS_BAD_INPUT);
        }
        assert_int_equal(bed_solve(&bed, x0, p0), SENS_OK);
        assert_memory_equal(bed.x1, x, sizeof x);
        assert_memory_equal(bed.G, G, sizeof G);
        bed_close(&bed);
    }
}

static void test_load_refusals(void **state)
{
    (void)state;
    struct trajectory_bed bed;
    struct sens_step step;
    bed_set(&bed, tableau_named("cash_karp"), false, 2);
    assert_int_equal(bed_create(&bed), SENS_OK);
    assert_int_equal(sens_traj_load(bed.traj, 0, &step), SENS_BAD_INPUT); /* nothing recorded yet */
    assert_int_equal(bed_solve(&bed, x0, p0), SENS_OK);
    assert_int_equal(sens_traj_load(bed.traj, -1, &step), SENS_BAD_INPUT);
    assert_int_equal(sens_traj_load(bed.traj, sens_traj_steps(bed.traj), &step), SENS_BAD_INPUT);
    bed_close(&bed);
    bed_set(&bed, tableau_named("cash_karp"), false, -1);
    assert_int_equal(bed_create(&bed), SENS_BAD_INPUT);
    bed_close(&bed);
}

/* The statuses of a solve come through sens_traj_create and sens_traj_solve. */
static void test_solve_failures(void **state)
{
    (void)state;
    struct trajectory_bed bed;
    bed_set(&bed, tableau_named("cash_karp"), false, 0);
    bed.task.max_steps = 3;
    assert_int_equal(bed_create(&bed), SENS_STEP_LIMIT);
    bed_close(&bed);
    bed_set(&bed, tableau_named("rk4"), true, 0);
    bed.task.dt = 0.07;
    assert_int_equal(bed_create(&bed), SENS_DT_MISFIT);
    bed_close(&bed);
    bed_set(&bed, tableau_named("rk4"), true, 0);
    bed.task.controller = controller_named("odeint");
    assert_int_equal(bed_create(&bed), SENS_UNSUPPORTED);
    bed_close(&bed);

    long calls_left = 1000000;
    bed_set(&bed, tableau_named("cash_karp"), false, 0);
    bed.problem.data = &calls_left;
    assert_int_equal(bed_create(&bed), SENS_OK);
    bed.x1[0] = bed.G[1] = -7;
    calls_left = 20;
    assert_int_equal(bed_solve(&bed, x0, p0), SENS_RHS_FAILED);
    assert_true(bed.x1[0] == -7 && bed.G[1] == -7);
    bed_close(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_no_allocation_in_solve),
        cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_not_repeatable),
        cmocka_unit_test(test_load_refusals), cmocka_unit_test(test_solve_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
