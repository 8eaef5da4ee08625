/* How the work is cut up changes nothing: glv of several sizes in every instruction set, for lanes, threads
 * and batches, with declared structure and without. Built without contraction all have the bits of one lane
 * on one thread; else each is within rounding of it. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "grid_support.h"

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
    solve_free(&s);
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
        solve_free(&first);
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
    solve_free(&first);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupled_grid), cmocka_unit_test(structures_agree), cmocka_unit_test(adjoint_grid),
        cmocka_unit_test(tangent_grid), cmocka_unit_test(cfsa_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
