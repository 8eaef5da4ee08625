/* Fingerprints of problems and costs: the same for every instruction set, another one for
 * another constant. */
#include "cell_support.h"

#include <math.h>

#include "fingerprint.h"
#include "modules.h"

static struct fingerprint print, other;
static struct bench_error difference;

static void make(struct fixture *fx, struct fingerprint *to)
{
    assert_int_equal(fingerprint_make(&fx->ctx, &fx->cell, to), SENS_OK);
}

static bool same(struct fixture *fx)
{
    make(fx, &other);
    return fingerprint_same(&other, &print, &difference);
}

/* How far b is from a, by the size of the numbers of the same kind: the bound is 1e-12 of it. */
static double distance(const struct fingerprint_numbers *a, const struct fingerprint_numbers *b)
{
    double worst = 0;
    assert_int_equal(a->count, b->count);
    for (size_t k = 0; k < a->count; k++) {
        double size = 0;
        for (size_t i = k % a->width; i < a->count; i += a->width) size = fmax(size, a->size[i]);
        if (a->value[k] != b->value[k]) worst = fmax(worst, fabs(a->value[k] - b->value[k]) / size);
    }
    return worst;
}

/* Every problem with every cost, by every instruction set that runs here: a hundredth of the
 * bound at most. */
static void instruction_sets_agree(void **state)
{
    (void)state;
    const struct sens_registry *const *variant = variant_all();
    for (size_t p = 0; variant[0]->problems[p]; p++)
        for (size_t c = 0; variant[0]->costs[c]; c++)
            for (size_t v = 0; variant[v]; v++) {
                struct fixture fx;
                char words[256];
                snprintf(words, sizeof words, "problem=%s cost=%s isa=%s", variant[0]->problems[p]->name,
                         variant[0]->costs[c]->name, variant[v]->isa);
                if (!variant_supported(variant[v]) || resolve(&fx, words) != SENS_OK) continue;
                make(&fx, v ? &other : &print);
                if (v && !fingerprint_same(&other, &print, &difference))
                    fail_msg("%s: %s", words, difference.text);
                for (int part = 0; v && part < FINGERPRINT_PARTS; part++) {
                    const double off = distance(&print.part[part], &other.part[part]);
                    if (off > 1e-14) fail_msg("%s: %s is off by %g", words, fingerprint_part_name[part], off);
                }
                release(&fx);
            }
}

static const struct sens_problem_type *original;
static size_t component;
static double factor;

static sens_status scaled_rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const sens_status status = original->rhs(pb, at, dx);
    dx[component] *= factor;
    return status;
}

/* One component of f, wrong in the tenth digit, for every problem; not one that rounding moves. */
static void an_altered_component_is_seen(void **state)
{
    (void)state;
    const struct sens_problem_type *const *type = variant_all()[0]->problems;
    for (; *type; type++) {
        struct fixture fx;
        char words[128];
        snprintf(words, sizeof words, "problem=%s", (*type)->name);
        assert_int_equal(resolve(&fx, words), SENS_OK);
        make(&fx, &print);
        original = fx.cell.problem.type;
        struct sens_problem_type altered = *original;
        altered.rhs = scaled_rhs;
        fx.cell.problem.type = &altered;
        for (component = 0; component < fx.cell.problem.n; component++) {
            factor = 1 + 1e-10;
            if (same(&fx)) fail_msg("%s: component %zu", (*type)->name, component);
            assert_non_null(strstr(difference.text, "of f is"));
            factor = 1 + 1e-15;
            if (!same(&fx)) fail_msg("%s: %s", (*type)->name, difference.text);
        }
        release(&fx);
    }
}

/* A right-hand side that fails at a probe is that of a problem that does; not the same as one
 * that does not. */
static void a_failure_is_part_of_it(void **state)
{
    (void)state;
    struct fixture fx;
    assert_int_equal(resolve(&fx, "problem=vdp"), SENS_OK);
    original = fx.cell.problem.type;
    struct sens_problem_type altered = *original;
    altered.rhs = scaled_rhs;
    fx.cell.problem.type = &altered;
    component = 1;
    factor = NAN;
    make(&fx, &print);
    assert_true(same(&fx));
    factor = 1;
    assert_false(same(&fx));
    release(&fx);
}

static void assert_another(const char *words, const char *altered, const char *part)
{
    struct fixture fx;
    assert_int_equal(resolve(&fx, words), SENS_OK);
    make(&fx, &print);
    release(&fx);
    assert_int_equal(resolve(&fx, altered), SENS_OK);
    if (same(&fx) || !strstr(difference.text, part)) fail_msg("%s: '%s'", altered, difference.text);
    release(&fx);
}

/* The last digits of each thing that a solution depends on beside f. */
static void every_other_input_is_seen(void **state)
{
    (void)state;
    assert_another("problem=vdp t1=1", "problem=vdp t1=1.00000000001", "of t is");
    assert_another("problem=vdp", "problem=vdp eps=0.00100000001", "of p is");
    assert_another("problem=decay", "problem=decay cost=running", "t is 2 numbers, stored are 3");
    assert_another("problem=glv n=40", "problem=glv n=40 seed=2", "of p is");
    struct fixture fx;
    assert_int_equal(resolve(&fx, "problem=vdp"), SENS_OK);
    make(&fx, &print);
    struct sens_problem *pb = &fx.cell.problem;
    sens_real x0[2] = {pb->x0[0], pb->x0[1] * (1 + 1e-11)};
    pb->x0 = x0;
    assert_false(same(&fx));
    assert_non_null(strstr(difference.text, "of x0 is"));
    release(&fx);
}

/* Of 1640 parameters one in the middle, and two that changed places: no sum hides them. */
static void a_folded_vector_hides_nothing(void **state)
{
    (void)state;
    enum { AT = 777 };
    struct fixture fx;
    assert_int_equal(resolve(&fx, "problem=glv n=40"), SENS_OK);
    make(&fx, &print);
    struct sens_problem *pb = &fx.cell.problem;
    sens_real *p = sens_arena_alloc(&fx.ctx.arena, pb->np, sizeof *p);
    assert_non_null(p);
    memcpy(p, pb->p, pb->np * sizeof *p);
    pb->p = p;
    assert_true(same(&fx));
    const sens_real kept = p[AT];
    p[AT] += fabs(kept) * 1e-8;
    assert_false(same(&fx));
    p[AT] = p[AT + FINGERPRINT_FOLD];
    p[AT + FINGERPRINT_FOLD] = kept;
    assert_false(same(&fx));
    release(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_agree),        cmocka_unit_test(an_altered_component_is_seen),
        cmocka_unit_test(a_failure_is_part_of_it),       cmocka_unit_test(every_other_input_is_seen),
        cmocka_unit_test(a_folded_vector_hides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
