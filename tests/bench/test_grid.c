/* How the work is cut up changes nothing: glv of several sizes in every instruction set, for lanes, threads
 * and batches, with declared structure and without. Built without contraction all have the bits of one lane
 * on one thread; else each is within rounding of it. The operations of a sweep are counted, in place of a
 * limit on time: vectors multiplied, Jacobians formed.
 *
 * The steps are fixed, so that every copy of the program differentiates the same map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum { STEPS = 4, CORES = 4 }; /* of T = 0.4; CORES: what `threads = auto` may use */

struct choice { /* values of keys; NULL: not given */
    const char *isa, *lanes, *threads, *batch, *structure, *tableau;
    size_t cache; /* bytes that a core calls its own, 0: not known. One: no two blocks travel together */
};

struct solve {
    struct sens_ctx ctx;
    struct cell cell;
    struct sens_counts counts;
    struct sens_problem counted;
    struct sens_out out;
    struct sens_work work;
};

static void set(struct spec *spec, const char *key, const char *value)
{
    struct bench_error error;
    if (value && !spec_set(spec, key, value, "test", &error)) fail_msg("%s", error.text);
}

/* Solves twice; counted are the calls of the second run. */
static void solve(const char *method, int n, struct choice choice, struct solve *s)
{
    char species[16];
    struct spec spec = {.count = 0};
    struct bench_error error;
    void *state = NULL;
    *s = (struct solve){.ctx = {.cores = CORES, .cache = {.l2 = choice.cache, .l3 = choice.cache}}};
    snprintf(species, sizeof species, "%d", n);
    set(&spec, "problem", "glv"), set(&spec, "cost", "identity"), set(&spec, "method", method);
    set(&spec, "n", species), set(&spec, "T", "0.4"), set(&spec, "controller", "fixed"),
        set(&spec, "dt", "0.1");
    set(&spec, "isa", choice.isa ? choice.isa : "baseline"), set(&spec, "structure", choice.structure);
    set(&spec, "lanes", choice.lanes), set(&spec, "threads", choice.threads),
        set(&spec, "batch", choice.batch);
    set(&spec, "tableau", choice.tableau ? choice.tableau : "cash_karp");
    if (cell_resolve(&s->ctx, &spec, &s->cell, &error) != SENS_OK) fail_msg("%s", error.text);
    struct sens_task task = s->cell.task;
    task.problem = &s->counted;
    assert_int_equal(sens_counted_create(&s->ctx, &s->cell.problem, &s->counts, &s->counted), SENS_OK);
    assert_int_equal(cell_out_create(&s->ctx, &s->cell, &s->out), SENS_OK);
    assert_int_equal(s->cell.method->prepare(&s->ctx, &task, &state), SENS_OK);
    for (int run = 0; run < 2; run++) { /* the second finds what the first has left in its work space */
        s->counts = (struct sens_counts){0};
        assert_int_equal(s->cell.method->run(&s->ctx, state, &s->out, &s->work), SENS_OK);
    }
    if (s->cell.method->release) s->cell.method->release(state);
    assert_int_equal(s->work.steps, STEPS);
    spec_free(&spec);
}

static void solve_free(struct solve *s)
{
    sens_arena_release(&s->ctx.arena);
}

/* ---- the numbers --------------------------------------------------------------------------------------- */

/* Rounding: each of the steps adds the roundings of its stages, whose sums have n terms and a few more, and
 * |J| h < 1 carries them on without growth, in units of the largest entry. */
static void compare_rows(const struct solve *a, const struct solve *b, const double *x, const double *y,
                         size_t count, const char *what, const char *text)
{
#ifdef SENS_TEST_REPRO
    if (memcmp(x, y, count * sizeof *x) != 0) fail_msg("%s: %s has other bits", text, what);
#endif
    const double terms = STEPS * a->cell.task.tableau->stages * (double)(b->cell.problem.n + 8);
    double size = 0, difference = 0;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fabs(x[i]));
        difference = fmax(difference, fabs(x[i] - y[i]));
        if (!isfinite(x[i]) || !isfinite(y[i])) fail_msg("%s: %s is not finite", text, what);
    }
    if (!(size > 0) || !(difference <= terms * DBL_EPSILON * size))
        fail_msg("%s: %s is off by %g of %g, more than %g eps", text, what, difference, size, terms);
}

static void compare(const struct solve *a, const struct solve *b, const char *text)
{
    const size_t n = a->cell.problem.n, np = a->cell.problem.np, m = a->cell.cost.m;
    compare_rows(a, b, a->out.x, b->out.x, n, "x", text);
    compare_rows(a, b, a->out.G, b->out.G, m, "G", text);
    compare_rows(a, b, a->out.dGdx0, b->out.dGdx0, m * n, "dG/dx0", text);
    compare_rows(a, b, a->out.dGdp, b->out.dGdp, m * np, "dG/dp", text);
}

static const int sizes[] = {2, 3, 5, 8, 9, 13, 20, 50};
static const char *const structures[] = {"auto", "none"};
static const char *const lanes[] = {"auto", "1", "2", "3", "4", "5", "8", "16", "32"};
static const char *const threads[] = {"auto", "1", "2", "3"};
static const char *const batches[] = {"auto", "6", "7", "64", "1000"};
enum { SIZES = 8, STRUCTURES = 2, LANES = 9, THREADS = 4, BATCHES = 5 };

static void require_same(const char *method, int n, struct choice choice, const struct solve *first)
{
    static struct solve s;
    char text[256];
    snprintf(text, sizeof text, "%s, n = %d, isa=%s structure=%s lanes=%s threads=%s batch=%s cache=%zu",
             method, n, choice.isa, choice.structure, choice.lanes, choice.threads ? choice.threads : "-",
             choice.batch ? choice.batch : "-", choice.cache);
    solve(method, n, choice, &s);
    compare(first, &s, text);
    solve_free(&s);
}

/* Every batch where the problem is small; where it is large, only with a few of the others. */
static void vary_batch(const char *method, int n, struct choice choice, size_t l, size_t t,
                       const struct solve *first)
{
    const size_t all = n <= 9 || (l % 3 == 0 && t % 2 == 0) ? BATCHES : 1;
    for (size_t b = 0; b < all; b++) {
        choice.batch = batches[b];
        require_same(method, n, choice, first);
    }
}

static void vary_cut(const char *method, int n, struct choice choice, unsigned caps,
                     const struct solve *first)
{
    const bool forward = !(caps & SENS_CAP_THREADS); /* n + np directions, in place of n outputs */
    for (size_t l = 0; l < LANES; l += forward && n > 20 ? 5 : 1) {
        choice.lanes = lanes[l];
        choice.cache = l % 2;
        for (size_t t = 0; t < (caps & SENS_CAP_THREADS ? THREADS : 1); t++) {
            choice.threads = caps & SENS_CAP_THREADS ? threads[t] : NULL;
            if (caps & SENS_CAP_BATCH)
                vary_batch(method, n, choice, l, t, first);
            else
                require_same(method, n, choice, first);
        }
    }
}

static void require_grid(const char *method, int n, const char *structure)
{
    static struct solve first;
    const unsigned caps = find_method(variant_all()[0], method)->caps;
    const struct choice plain = {
        .lanes = "1", .threads = caps & SENS_CAP_THREADS ? "1" : NULL, .structure = structure};
    solve(method, n, plain, &first);
    for (size_t v = 0; variant_all()[v]; v++)
        if (variant_supported(variant_all()[v])) {
            const struct choice choice = {.isa = variant_all()[v]->isa, .structure = structure};
            vary_cut(method, n, choice, caps, &first);
        }
    solve_free(&first);
}

/* The largest size is left to the adjoint: it has thousands of directions. */
static void grid_of(const char *method, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < STRUCTURES; s++) require_grid(method, sizes[i], structures[s]);
}

static void adjoint_grid(void **state)
{
    (void)state;
    grid_of("discrete_adjoint", SIZES);
}

static void tangent_grid(void **state)
{
    (void)state;
    grid_of("discrete_tangent", SIZES - 1);
}

static void cfsa_grid(void **state)
{
    (void)state;
    grid_of("cfsa", SIZES - 1);
}

/* ---- the operations ------------------------------------------------------------------------------------ */

struct expected {
    const char *tableau;
    size_t stages, live; /* live: those that an output depends on */
};
static const struct expected tableaux[] = {{"cash_karp", 6, 6}, {"dopri5", 7, 6}, {"rk4", 4, 4}};

/* Lanes that carry m outputs on one thread: whole blocks, the last of which is rounded up to four lanes only,
 * unless a stage of the problem passes in registers (n <= 8). */
static size_t lanes_carried(size_t n, size_t m, size_t L)
{
    const size_t rest = m % L, four = (rest + 3) / 4 * 4;
    return m - rest + (rest == 0 ? 0 : n > 8 && four < L ? four : L);
}

/* One Jacobian for each stage point and group of blocks, on every thread; each vector once. */
static void require_adjoint_counts(int n, const struct expected *rk, struct choice choice, bool one_block)
{
    static struct solve s;
    choice.tableau = rk->tableau;
    choice.cache = one_block;
    solve("discrete_adjoint", n, choice, &s);
    const size_t points = STEPS * rk->live, m = s.cell.cost.m, L = (size_t)s.work.lanes;
    const size_t workers = (size_t)s.work.threads, carried = m + s.work.idle_vjp / points;
    const size_t groups = one_block ? (m + L - 1) / L : workers; /* all blocks of a thread, or each alone */
    if (workers == 1) assert_int_equal(carried, lanes_carried(s.cell.problem.n, m, L));
    assert_true(carried - m <= workers * (L - 1) && s.work.idle_vjp % points == 0);
    assert_int_equal(s.work.idle_vjp_p, s.work.idle_vjp);
    if (s.cell.problem.type->jacobian) {
        assert_int_equal(s.work.vjp, points * carried);
        assert_int_equal(s.work.vjp_p, points * carried);
        assert_int_equal(s.counts.vjp + s.counts.vjp_p, 0);
        /* Shares of threads may end inside a block: each thread then has a block more. */
        assert_true(s.counts.jacobian >= points * groups);
        assert_true(s.counts.jacobian <= points * (groups + (one_block ? workers - 1 : 0)));
    } else {
        assert_int_equal(s.counts.vjp, points * carried);
        assert_int_equal(s.counts.vjp_p, points * carried);
        assert_int_equal(s.work.vjp + s.work.vjp_p + s.counts.jacobian, 0);
    }
    assert_int_equal(s.counts.jvp + s.counts.jvp_p + s.work.jvp + s.work.jvp_p, 0);
    solve_free(&s);
}

static void adjoint_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t l = 0; l < LANES; l++)
                for (size_t t = 1; t < THREADS; t++)
                    for (size_t q = 0; q < 2 * STRUCTURES; q++) {
                        const struct choice choice = {
                            .lanes = lanes[l], .threads = threads[t], .structure = structures[q / 2]};
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
                const bool structured = s.cell.problem.type->jacobian;
                const size_t vectors = structured ? s.work.jvp : s.counts.jvp;
                assert_int_equal(vectors, points * (n + np) + s.work.idle_jvp);
                assert_true(s.work.idle_jvp <= points * (size_t)(s.work.lanes - 1));
                assert_int_equal(structured ? s.work.jvp_p : s.counts.jvp_p, points * np);
                assert_int_equal(s.counts.jacobian, structured ? points : 0);
                solve_free(&s);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_counts), cmocka_unit_test(tangent_counts), cmocka_unit_test(adjoint_grid),
        cmocka_unit_test(tangent_grid),   cmocka_unit_test(cfsa_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
