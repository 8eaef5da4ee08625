/* How the work is cut up changes nothing: glv of several sizes in every instruction set, for lanes, threads
 * and batches, with declared structure and without. Built without contraction all have the bits of one lane
 * on one thread; else each is within rounding of it. The operations of a sweep are counted, in place of a
 * limit on time: vectors multiplied, Jacobians formed.
 *
 * The sizes lie on both sides of where the adjoint goes another way: steps as a whole up to 8 states, the
 * coupling matrix from 9 on.
 *
 * The steps are fixed, so that every copy of the program differentiates the same map. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "cell.h"
#include "counted.h"
#include "modules.h"
#include "testing.h"

/* Of T = 0.4; CORES: what `threads = auto` may use; VECTOR: bytes, the widest that `lanes = auto` goes by. */
enum { STEPS = 4, CORES = 4, VECTOR = 64 };

struct choice { /* values of keys; NULL: not given */
    const char *isa, *lanes, *threads, *batch, *structure, *tableau, *ckpt, *wrt, *cost, *m;
    size_t cache; /* bytes that a core calls its own, 0: not known. One: no two blocks travel together */
};

struct solve {
    struct sens_ctx ctx;
    struct cell cell;
    struct sens_counts counts;
    unsigned long diagonals; /* calls of `diagonal` */
    struct sens_problem counted;
    struct sens_structure structure; /* of it */
    struct sens_out out;
    struct sens_work work;
};

static void set(struct spec *spec, const char *key, const char *value)
{
    struct bench_error error;
    if (value && !spec_set(spec, key, value, "test", &error)) fail_msg("%s", error.text);
}

/* Calls of `diagonal` are counted on top of what the decorator counts. */
static const struct sens_structure *decorated;
static atomic_ulong diagonals;

static void diagonal(const struct sens_problem *pb, const struct sens_at *at, sens_real *d)
{
    atomic_fetch_add(&diagonals, 1);
    decorated->diagonal(pb, at, d);
}

static void count_diagonals(struct solve *s)
{
    decorated = s->counted.structure;
    if (!decorated) return;
    s->structure = *decorated;
    if (decorated->diagonal) s->structure.diagonal = diagonal;
    s->counted.structure = &s->structure;
}

/* Solves twice; counted are the calls of the second run. */
static void solve(const char *method, int n, struct choice choice, struct solve *s)
{
    char species[16];
    struct spec spec = {.count = 0};
    struct bench_error error;
    void *state = NULL;
    *s = (struct solve){
        .ctx = {.cores = CORES, .cache = {.l2 = choice.cache, .l3 = choice.cache}, .vector = VECTOR}};
    snprintf(species, sizeof species, "%d", n);
    set(&spec, "problem", "glv"), set(&spec, "cost", choice.cost ? choice.cost : "identity"),
        set(&spec, "method", method);
    set(&spec, "n", species), set(&spec, "T", "0.4"), set(&spec, "controller", "fixed"),
        set(&spec, "dt", "0.1");
    set(&spec, "isa", choice.isa ? choice.isa : "baseline"), set(&spec, "structure", choice.structure);
    set(&spec, "lanes", choice.lanes), set(&spec, "threads", choice.threads),
        set(&spec, "batch", choice.batch);
    set(&spec, "tableau", choice.tableau ? choice.tableau : "cash_karp");
    set(&spec, "ckpt", choice.ckpt), set(&spec, "wrt", choice.wrt), set(&spec, "m", choice.m);
    if (cell_resolve(&s->ctx, &spec, &s->cell, &error) != SENS_OK) fail_msg("%s", error.text);
    struct sens_task task = s->cell.task;
    task.problem = &s->counted;
    assert_int_equal(sens_counted_create(&s->ctx, &s->cell.problem, &s->counts, &s->counted), SENS_OK);
    count_diagonals(s);
    assert_int_equal(cell_out_create(&s->ctx, &s->cell, &s->out), SENS_OK);
    assert_int_equal(s->cell.method->prepare(&s->ctx, &task, &state), SENS_OK);
    for (int run = 0; run < 2; run++) { /* the second finds what the first has left in its work space */
        s->counts = (struct sens_counts){0}, diagonals = 0;
        assert_int_equal(s->cell.method->run(&s->ctx, state, &s->out, &s->work), SENS_OK);
    }
    if (s->cell.method->release) s->cell.method->release(state);
    s->diagonals = diagonals;
    assert_int_equal(s->work.steps, STEPS);
    spec_free(&spec);
}

/* ---- the numbers --------------------------------------------------------------------------------------- */

#ifdef SENS_TEST_REPRO
static const bool repro = true;
#else
static const bool repro = false;
#endif

/* Rounding: each of the steps adds the roundings of its stages, whose sums have n terms and a few more, and
 * |J| h < 1 carries them on without growth, in units of the largest entry. y NULL: not asked for. */
static void compare_rows(const struct solve *a, const double *x, const double *y, size_t count, bool bits,
                         const char *what, const char *text)
{
    if (!y) return;
    if (repro && bits && memcmp(x, y, count * sizeof *x) != 0) fail_msg("%s: %s has other bits", text, what);
    const double terms = STEPS * a->cell.task.tableau->stages * (double)(a->cell.problem.n + 8);
    double size = 0, difference = 0;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fabs(x[i]));
        difference = fmax(difference, fabs(x[i] - y[i]));
        if (!isfinite(x[i]) || !isfinite(y[i])) fail_msg("%s: %s is not finite", text, what);
    }
    if (!(size > 0) || !(difference <= terms * DBL_EPSILON * size))
        fail_msg("%s: %s is off by %g of %g, more than %g eps", text, what, difference, size, terms);
}

/* bits: in preset repro the two have the same. */
static void compare(const struct solve *a, const struct solve *b, bool bits, const char *text)
{
    const size_t n = a->cell.problem.n, np = a->cell.problem.np, m = a->cell.cost.m;
    compare_rows(a, a->out.x, b->out.x, n, bits, "x", text);
    compare_rows(a, a->out.G, b->out.G, m, bits, "G", text);
    compare_rows(a, a->out.dGdx0, b->out.dGdx0, m * n, bits, "dG/dx0", text);
    compare_rows(a, a->out.dGdp, b->out.dGdp, m * np, bits, "dG/dp", text);
}

static const int sizes[] = {2, 3, 5, 8, 9, 11, 12, 13, 17, 20, 50};
static const char *const structures[] = {"auto", "none"};
static const char *const lanes[] = {"auto", "1", "2", "3", "4", "5", "8", "16", "32"};
static const char *const threads[] = {"auto", "1", "2", "3"};
static const char *const batches[] = {"auto", "6", "7", "64", "1000"};
enum { SIZES = 11, STRUCTURES = 2, LANES = 9, THREADS = 4, BATCHES = 5 };

static const char *shown(const char *value)
{
    return value ? value : "-";
}

static void require_equal(const char *method, int n, struct choice choice, const struct solve *first,
                          bool bits)
{
    static struct solve s;
    char text[256];
    snprintf(text, sizeof text,
             "%s, n = %d, isa=%s structure=%s lanes=%s threads=%s batch=%s ckpt=%s wrt=%s cost=%s cache=%zu",
             method, n, shown(choice.isa), shown(choice.structure), shown(choice.lanes),
             shown(choice.threads), shown(choice.batch), shown(choice.ckpt), shown(choice.wrt),
             shown(choice.cost), choice.cache);
    solve(method, n, choice, &s);
    compare(first, &s, bits, text);
    sens_arena_release(&s.ctx.arena);
}

/* Every batch where the problem is small; where it is large, only with a few of the others. */
static void vary_batch(const char *method, int n, struct choice choice, size_t l, size_t t,
                       const struct solve *first)
{
    const size_t all = n <= 9 || (l % 3 == 0 && t % 2 == 0) ? BATCHES : 1;
    for (size_t b = 0; b < all; b++) {
        choice.batch = batches[b];
        require_equal(method, n, choice, first, true);
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
                require_equal(method, n, choice, first, true);
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
    sens_arena_release(&first.ctx.arena);
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

/* ---- the coupling matrix ------------------------------------------------------------------------------- */

static const char *const policies[] = {"stages", "1", "2"}; /* what is found at a point is kept, or is not */
static const char *const parts[] = {"auto", "p", "x0"};
enum { POLICIES = 3, PARTS = 3 };

/* From all blocks in one group to one in each, on shares of every thread. */
static void vary_groups(int n, struct choice choice, const struct solve *first)
{
    static const char *const few_lanes[] = {"1", "4", "5", "8", "16"};
    static const size_t caches[] = {0, 1, 1 << 18, 1 << 20};
    for (size_t l = 0; l < 5; l++)
        for (size_t t = 1; t < THREADS; t++)
            for (size_t k = 0; k < POLICIES; k++)
                for (size_t q = 0; q < 4; q++) {
                    choice.lanes = few_lanes[l], choice.threads = threads[t], choice.ckpt = policies[k];
                    choice.cache = caches[q], choice.wrt = parts[(l + t + k + q) % PARTS];
                    choice.batch = batches[(l + 2 * t + k + q) % BATCHES];
                    require_equal("discrete_adjoint", n, choice, first, true);
                }
}

static void coupled_grid(void **state)
{
    static const int coupled_sizes[] = {9, 12, 13, 20, 50};
    static struct solve first;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        const int n = coupled_sizes[i];
        solve("discrete_adjoint", n, (struct choice){.lanes = "1", .threads = "1"}, &first);
        for (size_t v = 0; variant_all()[v]; v++)
            if (variant_supported(variant_all()[v]))
                vary_groups(n, (struct choice){.isa = variant_all()[v]->isa}, &first);
        sens_arena_release(&first.ctx.arena);
    }
}

/* Structure and the problem's own products are two orders of the same sums. For three outputs no Jacobian is
 * formed from 9 states on, but their cotangents are scaled. */
static void require_structures_agree(int n, const char *cost, const char *m)
{
    static struct solve first;
    struct choice choice = {.structure = "none", .cost = cost, .m = m};
    solve("discrete_adjoint", n, choice, &first);
    choice.structure = "auto";
    for (size_t l = 0; l < LANES; l++)
        for (size_t k = 0; k < POLICIES; k++) {
            choice.lanes = lanes[l], choice.ckpt = policies[k];
            choice.wrt = parts[(l + k) % PARTS], choice.batch = batches[l % BATCHES];
            require_equal("discrete_adjoint", n, choice, &first, false);
        }
    sens_arena_release(&first.ctx.arena);
}

static void structures_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        require_structures_agree(sizes[i], "identity", NULL);
        require_structures_agree(sizes[i], "terminal", "3");
        require_structures_agree(sizes[i], "running", "5");
    }
}

/* ---- the operations ------------------------------------------------------------------------------------ */

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

/* How a share of the outputs is cut up, and its time in lanes: a single one takes half as long again. */
struct share {
    size_t blocks, lanes;
    double time;
};

static struct share cut(const struct sens_problem *pb, size_t outputs, size_t L)
{
    struct share share = {.blocks = 0};
    for (; share.lanes < outputs; share.blocks++) {
        const size_t taken = block_lanes(pb, outputs - share.lanes, L), four = (taken + 3) / 4 * 4;
        share.lanes += taken;
        share.time += taken == 1 ? 1.5 : (double)four;
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
    sens_arena_release(&s.ctx.arena);
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
                sens_arena_release(&s.ctx.arena);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_counts), cmocka_unit_test(coupled_grid), cmocka_unit_test(structures_agree),
        cmocka_unit_test(tangent_counts), cmocka_unit_test(adjoint_grid), cmocka_unit_test(tangent_grid),
        cmocka_unit_test(cfsa_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
