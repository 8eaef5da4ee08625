/* What is expected by the kind that a method declares, on which steps, and the arithmetic of bounds. */
#include "expected_support.h"

/* ---- kinds --------------------------------------------------------------------------------------------- */

static void same(const struct sens_out *a, const struct sens_out *b)
{
    assert_memory_equal(a->x, b->x, N * sizeof *a->x);
    assert_memory_equal(a->G, b->G, M * sizeof *a->G);
    assert_memory_equal(a->dGdp, b->dGdp, M * NP * sizeof *a->dGdp);
    assert_memory_equal(a->dGdx0, b->dGdx0, M * N * sizeof *a->dGdx0);
}

static void discrete_is_the_map_to_rounding(void **state)
{
    struct fixture f;
    struct expected declared, map;
    struct sens_out allowed;
    (void)state;
    fixture_create(&f, &discrete_method, 8);
    assert_int_equal(expected_map(&f.bed, &f.grid, &map), SENS_OK);
    assert_int_equal(expected_declared(&f.bed, &declared), SENS_OK);
    assert_int_equal(expected_allowed(&f.bed, &allowed), SENS_OK);
    same(&declared.value, &map.value);
    same(&declared.bound, &map.bound);
    same(&allowed, &map.bound);
    fixture_free(&f);
}

static void difference_is_the_map_to_quotients(void **state)
{
    struct fixture f;
    struct expected declared, map;
    (void)state;
    fixture_create(&f, &difference_method, 8);
    assert_int_equal(expected_map(&f.bed, &f.grid, &map), SENS_OK);
    assert_int_equal(expected_declared(&f.bed, &declared), SENS_OK);
    same(&declared.value, &map.value);
    assert_int_equal(expected_allow_quotient(&f.bed, &f.grid, &map), SENS_OK);
    same(&declared.bound, &map.bound);
    fixture_free(&f);
}

static void continuous_is_exact_to_the_tolerance(void **state)
{
    struct fixture f;
    struct expected declared, exact;
    struct sens_out allowed;
    const struct known known = closed_form(0);
    (void)state;
    fixture_create(&f, &continuous_method, 0);
    assert_int_equal(expected_exact(&f.bed, &exact), SENS_OK);
    assert_int_equal(expected_declared(&f.bed, &declared), SENS_OK);
    assert_int_equal(expected_allowed(&f.bed, &allowed), SENS_OK);
    assert_known(&declared.value, &known, &exact.bound);
    out_add(&f.bed, &exact.bound, 1, &allowed);
    same(&declared.bound, &exact.bound);
    for (size_t q = 0; q < N; q++) assert_true(allowed.x[q] > 8 * f.bed.task.rtol * fabs(known.x[q]));
    fixture_free(&f);
}

/* Where the steps are not known, or no tolerance is heeded, nothing is expected. */
static void nothing_without_steps(void **state)
{
    struct fixture f;
    struct expected expected;
    struct sens_out allowed;
    (void)state;
    fixture_create(&f, &discrete_method, 0);
    assert_false(expected_rebuilds(&f.bed));
    assert_int_equal(expected_declared(&f.bed, &expected), SENS_UNSUPPORTED);
    assert_int_equal(expected_allowed(&f.bed, &allowed), SENS_UNSUPPORTED);
    assert_int_equal(expected_reported_map(&f.bed, &expected), SENS_UNSUPPORTED);
    assert_true(grid_append(&f.bed.grid, 0, LENGTH, LENGTH)); /* as if it were reported */
    assert_true(expected_rebuilds(&f.bed));
    assert_int_equal(expected_reported_map(&f.bed, &expected), SENS_OK);
    struct sens_method_type own_tableau = discrete_method;
    own_tableau.caps &= ~(unsigned)SENS_CAP_TABLEAU;
    f.bed.method = &own_tableau;
    assert_false(expected_rebuilds(&f.bed));
    assert_int_equal(expected_reported_map(&f.bed, &expected), SENS_UNSUPPORTED);
    fixture_free(&f);
    fixture_create(&f, &continuous_method, 8);
    assert_int_equal(expected_declared(&f.bed, &expected), SENS_UNSUPPORTED);
    fixture_free(&f);
}

/* ---- steps --------------------------------------------------------------------------------------------- */

static void assert_grid(const struct grid *grid, long steps, double t1)
{
    assert_int_equal(grid->steps, steps);
    for (long k = 0; k < steps; k++) {
        assert_true(grid->t[k] == (k ? grid->t1[k - 1] : 0));
        assert_true(fabs(grid->t[k] + grid->h[k] - grid->t1[k]) <= 4 * DBL_EPSILON * t1);
        assert_true(grid->h[k] > 0);
    }
    assert_true(grid->t1[steps - 1] == t1);
}

static bool meets(const struct grid *grid, double t)
{
    for (long k = 0; k < grid->steps; k++)
        if (grid->t1[k] == t) return true;
    return false;
}

/* On the observations exactly, also on one that is no multiple of a step, or nearer than half of one. */
static void equal_steps_meet_observations(void **state)
{
    const double even[] = {0, 3 * LENGTH / 8, 5 * LENGTH / 8}, odd[] = {0.01, 0.61803398875 * LENGTH, LENGTH};
    struct fixture f;
    struct grid grid;
    (void)state;
    fixture_create(&f, &discrete_method, 0);
    f.bed.cost.n_obs = 3;
    f.bed.cost.t_obs = even;
    assert_true(expected_equal_steps(&f.bed, 24, &grid));
    assert_grid(&grid, 24, LENGTH);
    for (long k = 0; k < 24; k++) assert_true(fabs(grid.h[k] - LENGTH / 24) <= 1e-15);
    assert_true(meets(&grid, even[1]) && meets(&grid, even[2]));
    grid_free(&grid);
    f.bed.cost.t_obs = odd;
    assert_true(expected_equal_steps(&f.bed, 8, &grid));
    assert_grid(&grid, 1 + 5 + 3, LENGTH);
    assert_true(meets(&grid, odd[0]) && meets(&grid, odd[1]));
    grid_free(&grid);
    fixture_free(&f);
}

static void grid_is_reported_or_fixed_or_adaptive(void **state)
{
    struct fixture f;
    struct grid grid, again;
    (void)state;
    fixture_create(&f, &discrete_method, 10);
    assert_true(expected_grid(&f.bed, &grid));
    assert_true(grid_same(&grid, &f.grid));
    grid_free(&grid);
    assert_true(grid_append(&f.bed.grid, 0, 1, 1) && grid_append(&f.bed.grid, 1, LENGTH - 1, LENGTH));
    assert_true(expected_grid(&f.bed, &grid));
    assert_true(grid_same(&grid, &f.bed.grid));
    grid_free(&grid);
    fixture_free(&f);
    fixture_create(&f, &discrete_method, 0);
    assert_true(expected_grid(&f.bed, &grid));
    f.bed.task.rtol = f.bed.task.atol = f.bed.task.rtol / 1000;
    assert_true(expected_grid(&f.bed, &again));
    assert_grid(&grid, grid.steps, LENGTH);
    assert_true(again.steps > 2 * grid.steps);
    grid_free(&grid);
    grid_free(&again);
    f.bed.task.max_steps = 3;
    assert_false(expected_grid(&f.bed, &grid));
    assert_int_equal(grid.steps, 0);
    fixture_free(&f);
}

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

static void bounds_are_compared(void **state)
{
    struct fixture f;
    struct worst worst = {.count = 0};
    (void)state;
    fixture_create(&f, &discrete_method, 0);
    struct expected e = expected_zero(&f.bed);
    struct sens_out got = bed_shape(&f.bed);
    e.why = "made up";
    assert_true(expected_weakness(&f.bed, &e) == 0);
    e.bound.dGdx0[3] = 6;
    assert_true(isinf(expected_weakness(&f.bed, &e)));
    e.bound.dGdp[1] = 8;
    e.bound.x[0] = 1e9; /* no part of the gradient */
    e.value.dGdp[0] = -3;
    e.value.dGdx0[0] = 4;
    assert_true(expected_weakness(&f.bed, &e) == 2); /* sqrt(36 + 64) / 5 */
    const struct expected s = expected_state(&e), g = expected_gradient(&e);
    expected_compare(&worst, &f.bed, &got, &s);
    assert_true(worst.count == N + M && worst_passes(&worst));
    expected_compare(&worst, &f.bed, &got, &g);
    assert_true(worst.count == N + M + M * NP + M * N && !worst_passes(&worst));
    assert_non_null(strstr(worst.where, "made up: dG/d"));
    got.dGdp[0] = -3;
    got.dGdx0[0] = 4;
    got.dGdx0[3] = -6;
    worst = (struct worst){.count = 0};
    expected_compare(&worst, &f.bed, &got, &e);
    assert_true(worst_passes(&worst) && worst.value == worst.bound);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(discrete_is_the_map_to_rounding),
                                       cmocka_unit_test(difference_is_the_map_to_quotients),
                                       cmocka_unit_test(continuous_is_exact_to_the_tolerance),
                                       cmocka_unit_test(nothing_without_steps),
                                       cmocka_unit_test(equal_steps_meet_observations),
                                       cmocka_unit_test(grid_is_reported_or_fixed_or_adaptive),
                                       cmocka_unit_test(bounds_are_compared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
