/* The operations of a sweep are counted, in place of a limit on time: vectors multiplied, Jacobians formed, lanes
 * without an output; by how the work is cut up (test_grid.c: that changes no number). */
#include "grid_support.h"

struct expected {
    const char *tableau;
    size_t stages, live; /* live: those that an output depends on */
};
static const struct expected tableaux[] = {{"cash_karp", 6, 6}, {"dopri5", 7, 6}, {"rk4", 4, 4}};

/* Lanes of the block that begins with `rest` outputs left: a whole one, and a last one is rounded up to four lanes
 * only, unless a stage of the problem passes in registers (n <= 8). Where the problem has structure, and four lanes are
 * less than a block, one output beyond a multiple of eight is a block of its own from 16 states on. */
static size_t block_lanes(const struct sens_problem *pb, size_t rest, size_t L)
{
    const size_t beyond = rest % 8, four = (rest + 3) / 4 * 4, singles = pb->n >= 16;
    if (rest >= L || pb->n <= 8) return L;
    if (pb->structure && L > 4 && beyond > 0 && beyond <= singles) return rest > beyond ? rest - beyond : 1;
    return four < L ? four : L;
}

/* How a share of the outputs is cut up, and its time in lanes: a single one takes as long as three. */
struct share {
    size_t blocks, lanes, time;
};

static struct share cut(const struct sens_problem *pb, size_t outputs, size_t L)
{
    struct share share = {.blocks = 0};
    for (; share.lanes < outputs; share.blocks++) {
        const size_t taken = block_lanes(pb, outputs - share.lanes, L), four = (taken + 3) / 4 * 4;
        share.lanes += taken;
        share.time += taken == 1 ? 3 : four;
    }
    return share;
}

/* Where a Jacobian is formed, the outputs are shared out by four, so that a share may end inside a block, or one by
 * one where that leaves less to the thread that has most. */
static size_t unit_of(const struct sens_problem *pb, size_t m, size_t L, size_t workers)
{
    const size_t by_one = (m + workers - 1) / workers, by_four = ((m + 3) / 4 + workers - 1) / workers * 4;
    if (L <= 4) return L;
    return pb->n >= 16 && cut(pb, by_one, L).time < cut(pb, by_four < m ? by_four : m, L).time ? 1 : 4;
}

/* Groups of blocks, of all threads together: all blocks of a thread, or each alone. */
static size_t groups_of(const struct sens_problem *pb, size_t m, size_t L, size_t workers, bool one_block)
{
    const size_t unit = unit_of(pb, m, L, workers), units = (m + unit - 1) / unit;
    size_t groups = 0;
    for (size_t w = 0; w < workers; w++) {
        const size_t first = (units * w + workers - 1) / workers * unit;
        const size_t last = w + 1 < workers ? (units * (w + 1) + workers - 1) / workers * unit : m;
        groups += one_block ? cut(pb, last - first, L).blocks : 1;
    }
    return groups;
}

/* Is df/dx taken as diag(d) + diag(s) M? Not where the stages of a step are taken together. */
static bool coupled(const struct sens_problem *pb)
{
    return sens_structure_of(pb)->coupling && pb->n > 8;
}

/* One Jacobian for each stage point and group of blocks, on every thread. Of a coupled problem one for each
 * thread, M, and d in its place: once a point for all groups, unless checkpoints are to save memory. */
static void require_formed(const struct solve *s, size_t points, bool keep, bool one_block)
{
    const size_t workers = (size_t)s->work.threads;
    const struct sens_problem *const pb = &s->cell.problem;
    const size_t groups = groups_of(pb, s->cell.cost.m, (size_t)s->work.lanes, workers, one_block);
    if (coupled(pb)) {
        assert_int_equal(s->counts.jacobian, workers);
        assert_int_equal(s->diagonals, points * (keep ? 1 : groups));
    } else {
        assert_int_equal(s->counts.jacobian, points * groups);
        assert_int_equal(s->diagonals, 0);
    }
}

/* Each vector once, and what is formed. */
static void require_adjoint_counts(int n, const struct expected *rk, struct choice choice, bool one_block)
{
    static struct solve s;
    choice.tableau = rk->tableau;
    choice.cache = one_block;
    solve("discrete_adjoint", n, choice, &s);
    const size_t points = STEPS * rk->live, m = s.cell.cost.m, L = (size_t)s.work.lanes;
    const size_t workers = (size_t)s.work.threads, carried = m + s.work.idle_vjp / points;
    if (workers == 1) assert_int_equal(carried, cut(&s.cell.problem, m, L).lanes);
    assert_true(carried - m <= workers * (L - 1) && s.work.idle_vjp % points == 0);
    assert_int_equal(s.work.idle_vjp_p, s.work.idle_vjp);
    if (s.cell.problem.structure) {
        assert_int_equal(s.work.vjp, points * carried);
        assert_int_equal(s.work.vjp_p, points * carried);
        assert_int_equal(s.counts.vjp + s.counts.vjp_p, 0);
        require_formed(&s, points, !choice.ckpt, one_block);
    } else {
        assert_int_equal(s.counts.vjp, points * carried);
        assert_int_equal(s.counts.vjp_p, points * carried);
        assert_int_equal(s.work.vjp + s.work.vjp_p + s.counts.jacobian + s.diagonals, 0);
    }
    assert_int_equal(s.counts.jvp + s.counts.jvp_p + s.work.jvp + s.work.jvp_p, 0);
    solve_free(&s);
}

static void adjoint_counts(void **state)
{
    static const struct choice kinds[] = {
        {.structure = "auto"}, {.structure = "auto", .ckpt = "2"}, {.structure = "none"}};
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t l = 0; l < LANES; l++)
                for (size_t t = 1; t < THREADS; t++)
                    for (size_t q = 0; q < 6; q++) {
                        struct choice choice = kinds[q / 2];
                        choice.lanes = lanes[l], choice.threads = threads[t];
                        require_adjoint_counts(sizes[i], &tableaux[k], choice, q % 2);
                    }
}

/* The tangent forms J once a stage and step, for all directions. */
static void tangent_counts(void **state)
{
    static struct solve s;
    (void)state;
    for (size_t i = 0; i + 1 < SIZES; i++)
        for (size_t l = 0; l < LANES; l++)
            for (size_t q = 0; q < STRUCTURES; q++) {
                solve("discrete_tangent", sizes[i],
                      (struct choice){.lanes = lanes[l], .structure = structures[q]}, &s);
                const size_t points = STEPS * 6, n = s.cell.problem.n, np = s.cell.problem.np;
                const bool structured = s.cell.problem.structure;
                const size_t vectors = structured ? s.work.jvp : s.counts.jvp;
                assert_int_equal(vectors, points * (n + np) + s.work.idle_jvp);
                assert_true(s.work.idle_jvp <= points * (size_t)(s.work.lanes - 1));
                assert_int_equal(structured ? s.work.jvp_p : s.counts.jvp_p, points * np);
                assert_int_equal(s.counts.jacobian, structured ? points : 0);
                solve_free(&s);
            }
}

struct lanes_case {
    const char *isa;
    size_t vector; /* bytes that are multiplied whole */
    int n, m;      /* states and outputs */
    const char *structure;
    int lanes, idle; /* that auto takes; of all blocks, those that have nothing to carry */
};

static void check_lanes(const struct lanes_case *expected)
{
    static struct solve s;
    char m[16];
    snprintf(m, sizeof m, "%d", expected->m);
    solve("discrete_adjoint", expected->n,
          (struct choice){.isa = expected->isa,
                          .threads = "1",
                          .vector = expected->vector,
                          .structure = expected->structure,
                          .cost = "terminal",
                          .m = m},
          &s);
    if (s.work.lanes != expected->lanes || s.work.idle_vjp != STEPS * 6 * (size_t)expected->idle)
        fail_msg("isa=%s, %zu bytes, n = %d, m = %d: %d lanes, %g idle", expected->isa, expected->vector,
                 expected->n, expected->m, s.work.lanes, (double)s.work.idle_vjp / (STEPS * 6));
    solve_free(&s);
}

/* On both sides of each bound: 8 states up to which one output is a block of four, 16 from which wide lanes and one
 * output beyond a block pay, 32 to 64 where two do. */
static void auto_lanes(void **state)
{
    static const struct lanes_case cases[] = {
        {"avx512", 64, 12, 12, NULL, 12, 0},    {"avx512", 64, 13, 13, NULL, 16, 3},
        {"avx512", 64, 15, 17, NULL, 8, 3},     {"avx512", 64, 16, 17, NULL, 16, 0},
        {"avx512", 64, 20, 20, NULL, 16, 0},    {"avx512", 64, 50, 50, NULL, 16, 0},
        {"avx512", 64, 50, 50, "none", 8, 2},   {"avx512", 64, 31, 10, NULL, 12, 2},
        {"avx512", 64, 32, 10, NULL, 8, 0},     {"avx512", 64, 64, 10, NULL, 8, 0},
        {"avx512", 64, 65, 10, NULL, 12, 2},    {"avx512", 64, 65, 65, NULL, 16, 0},
        {"avx512", 32, 17, 17, NULL, 8, 0},     {"avx512", 32, 20, 20, NULL, 8, 0},
        {"avx512", 32, 50, 50, NULL, 8, 2},     {"avx2", 64, 50, 50, NULL, 8, 2},
        {"avx2", 32, 17, 17, NULL, 8, 0},       {"avx2", 32, 5, 5, NULL, 8, 3},
        {"baseline", 16, 50, 50, NULL, 8, 2},   {"baseline", 16, 15, 9, NULL, 12, 3},
        {"baseline", 16, 16, 9, NULL, 8, 0},    {"baseline", 16, 16, 10, NULL, 12, 2},
        {"baseline", 16, 16, 9, "none", 12, 3}, {"avx2", 32, 8, 1, NULL, 4, 3},
        {"avx2", 32, 9, 1, NULL, 1, 0},         {"avx2", 32, 8, 1, "none", 1, 0},
        {"avx2", 32, 9, 2, NULL, 4, 2},
    };
    struct bench_error error;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sens_registry *variant = variant_find(cases[i].isa, &error);
        if (variant && variant_supported(variant)) check_lanes(&cases[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_counts),
        cmocka_unit_test(tangent_counts),
        cmocka_unit_test(auto_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
