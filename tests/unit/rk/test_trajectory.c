/* The trajectory: the same bits whatever is kept, the cost of a solve against independent sums, stops,
 * readers. */
#include <stdlib.h>

#include "testing.h"
#include "trajectory_support.h"

/* ---- the same bits ------------------------------------------------------------------------------------- */

static void assert_same_step(struct sens_traj *one, struct sens_traj *other, long k, int stages)
{
    struct sens_step a, b;
    assert_int_equal(sens_traj_load(one, k, &a), SENS_OK);
    assert_int_equal(sens_traj_load(other, k, &b), SENS_OK);
    assert_int_equal(a.k, k);
    assert_true(a.k == b.k && a.t == b.t && a.h == b.h && a.t1 == b.t1 && a.stop == b.stop);
    assert_memory_equal(a.y, b.y, N * sizeof(double));
    assert_memory_equal(a.y, a.Y, N * sizeof(double));
    assert_memory_equal(a.Y, b.Y, (size_t)stages * N * sizeof(double));
}

static void check_policy(const struct sens_tableau *tableau, bool fixed, long ckpt)
{
    const int stages = tableau->stages;
    struct trajectory_bed all, some;
    struct sens_traj *reader = NULL;
    bed_open(&all, tableau, fixed, 0);
    bed_open(&some, tableau, fixed, ckpt);
    const long steps = sens_traj_steps(all.traj);
    assert_int_equal(sens_traj_steps(some.traj), steps);
    assert_memory_equal(some.G, all.G, sizeof all.G);
    assert_memory_equal(some.x1, all.x1, sizeof all.x1);
    assert_int_equal(sens_traj_reader(&some.ctx, some.traj, &reader), SENS_OK);
    for (long k = steps - 1; k >= 0; k--) assert_same_step(all.traj, some.traj, k, stages);
    for (long k = 0; k < steps; k++) assert_same_step(all.traj, reader, k, stages);
    srand(1);
    for (int k = 0; k < 40; k++) {
        assert_same_step(all.traj, some.traj, rand() % steps, stages);
        assert_same_step(all.traj, reader, rand() % steps, stages);
    }
    bed_close(&some);
    bed_close(&all);
}

static void test_policies(void **state)
{
    (void)state;
    const long policy[] = {1, 2, 3, 7, 1000};
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++)
        for (size_t q = 0; q < sizeof policy / sizeof policy[0]; q++) {
            check_policy(tableaux[i], true, policy[q]);
            if (tableaux[i]->e) check_policy(tableaux[i], false, policy[q]);
        }
}

/* What a trajectory returns is what the solver showed its watcher. */
struct seen {
    struct sens_traj *traj;
    int stages;
    long steps;
};

static sens_status compare_with_solve(void *self, const struct sens_step *step)
{
    struct seen *seen = self;
    struct sens_step kept;
    assert_int_equal(sens_traj_load(seen->traj, step->k, &kept), SENS_OK);
    assert_true(kept.t == step->t && kept.h == step->h && kept.t1 == step->t1 && kept.stop == step->stop);
    assert_memory_equal(kept.Y, step->Y, (size_t)seen->stages * N * sizeof(double));
    seen->steps++;
    return SENS_OK;
}

static void test_same_as_solve(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++)
        for (long ckpt = 0; ckpt < 5; ckpt++) {
            struct trajectory_bed bed;
            struct sens_ode_part whole;
            struct sens_ode ode;
            struct sens_solver *solver = NULL;
            double x[N];
            bed_open(&bed, tableaux[i], !tableaux[i]->e, ckpt);
            const struct sens_solver_settings settings = {bed.task.tableau, bed.task.controller, bed.task.dt,
                                                          100000};
            sens_problem_ode(&bed.task, NULL, &whole, &ode);
            assert_int_equal(sens_solver_create(&bed.ctx, &ode, &settings, &solver), SENS_OK);
            struct seen seen = {bed.traj, tableaux[i]->stages, 0};
            const struct sens_step_watcher watcher = {compare_with_solve, &seen};
            assert_int_equal(
                sens_solver_solve(&bed.ctx, solver, 0, x0, bed.stops.n, bed.stops.t, &watcher, x, NULL),
                SENS_OK);
            assert_int_equal(seen.steps, sens_traj_steps(bed.traj));
            assert_memory_equal(x, bed.x1, sizeof x);

            const struct sens_grid grid = sens_traj_grid(bed.traj);
            seen.steps = 0;
            assert_int_equal(sens_solver_replay(&bed.ctx, solver, x0, &grid, &watcher, x), SENS_OK);
            assert_int_equal(seen.steps, sens_traj_steps(bed.traj));
            assert_memory_equal(x, bed.x1, sizeof x);
            bed_close(&bed);
        }
}

/* A reader must notice that the trajectory was solved again. */
static void test_solved_again(void **state)
{
    (void)state;
    const double other_x0[N] = {1.5, 0.25};
    for (long ckpt = 0; ckpt < 4; ckpt++) {
        struct trajectory_bed bed, fresh;
        struct sens_traj *reader = NULL;
        struct sens_step step;
        bed_set(&bed, tableau_named("rk4"), true, ckpt);
        bed_set(&fresh, tableau_named("rk4"), true, 0);
        assert_int_equal(bed_create(&bed), SENS_OK);
        assert_int_equal(bed_create(&fresh), SENS_OK);
        assert_int_equal(sens_traj_reader(&bed.ctx, bed.traj, &reader), SENS_OK);
        assert_int_equal(bed_solve(&bed, x0, p0), SENS_OK);
        assert_int_equal(sens_traj_load(reader, 10, &step), SENS_OK);
        assert_int_equal(sens_traj_load(bed.traj, 10, &step), SENS_OK);
        assert_int_equal(bed_solve(&bed, other_x0, p0), SENS_OK);
        assert_int_equal(bed_solve(&fresh, other_x0, p0), SENS_OK);
        assert_memory_equal(bed.G, fresh.G, sizeof bed.G);
        for (long k = 10; k >= 7; k--) {
            assert_same_step(bed.traj, fresh.traj, k, 4);
            assert_same_step(reader, fresh.traj, k, 4);
        }
        bed_close(&bed);
        bed_close(&fresh);
    }
}

/* ---- the cost ------------------------------------------------------------------------------------------ */

/* The quadrature as further equations z' = g, outside the error test: the sum h b_i g is what the method
 * makes of them. Observations are added by hand at the states of the stops. */
static sens_status augmented_f(void *self, double t, const double *y, double *dy)
{
    const struct trajectory_bed *bed = self;
    const struct sens_at at = {t, y, p0};
    dy[N] = dy[N + 1] = 0;
    g(&bed->cost, &at, 1, dy + N);
    return rhs(&bed->problem, &at, dy);
}

struct observed {
    double G[M];
    long stops;
};

static sens_status observe(void *self, const struct sens_step *step)
{
    struct observed *observed = self;
    if (step->stop < 0) return SENS_OK;
    assert_true(step->t1 == t_obs[step->stop + 1]);
    phi(NULL, (size_t)step->stop + 1, step->y1, p0, observed->G);
    observed->stops++;
    return SENS_OK;
}

static void test_cost(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        struct trajectory_bed bed;
        bed_open(&bed, tableaux[i], !tableaux[i]->e, 0);
        const struct sens_ode_part part[] = {{N, 1e-6, 1e-6, true}, {M, 1, 1, false}};
        const struct sens_ode ode = {.n = N + M, .f = augmented_f, .self = &bed, .n_parts = 2, .part = part};
        const struct sens_solver_settings settings = {bed.task.tableau, bed.task.controller, bed.task.dt,
                                                      100000};
        struct sens_solver *solver = NULL;
        struct observed observed = {{0}, 0};
        const struct sens_step_watcher watcher = {observe, &observed};
        double y[N + M] = {x0[0], x0[1], 0, 0};
        /* the first step is chosen from the tested part, so the augmented solve takes the same steps */
        assert_int_equal(sens_solver_create(&bed.ctx, &ode, &settings, &solver), SENS_OK);
        phi(NULL, 0, x0, p0, observed.G);
        assert_int_equal(sens_solver_solve(&bed.ctx, solver, 0, y, 3, &t_obs[1], &watcher, y, NULL), SENS_OK);
        assert_int_equal(observed.stops, 3);
        assert_memory_equal(y, bed.x1, sizeof bed.x1);
        /* two orders of summation of at most a thousand terms of size 1 */
        for (int c = 0; c < M; c++) assert_true(fabs(bed.G[c] - observed.G[c] - y[N + c]) < 1e-12);
        bed_close(&bed);
    }
}

/* ---- stops --------------------------------------------------------------------------------------------- */

static void test_stops(void **state)
{
    (void)state;
    const struct {
        size_t n_obs;
        double t[3];
        size_t n;
        double stop[3];
        long obs[3], obs_at_t0;
    } known[] = {
        {0, {0}, 1, {2}, {-1}, -1},
        {1, {0}, 1, {2}, {-1}, 0},
        {1, {2}, 1, {2}, {0}, -1},
        {1, {0.5}, 2, {0.5, 2}, {0, -1}, -1},
        {2, {0, 2}, 1, {2}, {1}, 0},
        {3, {0, 1, 1.5}, 3, {1, 1.5, 2}, {1, 2, -1}, 0},
        {3, {0.5, 1, 2}, 3, {0.5, 1, 2}, {0, 1, 2}, -1},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct trajectory_bed bed;
        bed_set(&bed, tableau_named("rk4"), true, 0);
        bed.cost.n_obs = known[i].n_obs;
        bed.cost.t_obs = known[i].t;
        assert_int_equal(sens_stops_create(&bed.ctx, &bed.task, &bed.stops), SENS_OK);
        assert_int_equal(bed.stops.n, known[i].n);
        assert_int_equal(bed.stops.obs_at_t0, known[i].obs_at_t0);
        assert_memory_equal(bed.stops.t, known[i].stop, known[i].n * sizeof(double));
        assert_memory_equal(bed.stops.obs, known[i].obs, known[i].n * sizeof(long));
        bed_close(&bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies),     cmocka_unit_test(test_same_as_solve),
        cmocka_unit_test(test_solved_again), cmocka_unit_test(test_cost),
        cmocka_unit_test(test_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
