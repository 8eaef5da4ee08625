/* Products by the tape at 10,000 drawn points of every problem: against the graph of the product in extended
 * precision, and against what the problem computes itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"
#include "products.h"
#include "providers.h"
#include "random_graph.h"
#include "recording.h"
#include "terms_support.h"
#include "testing.h"

enum { POINTS = 10000, LANES = 3, EXTENDED_POINTS = 200 };
static const long double CLOSE = 1e-13L;

/* ---- a problem ------------------------------------------------------------------------------------------- */

struct comparison {
    struct sens_problem own, tape;
    double *x, *p, *W, *by_tape, *by_hand;
    long double worst;
};

static void draw_point(struct comparison *c, unsigned long *seed)
{
    const struct sens_problem *pb = &c->own;
    for (size_t i = 0; i < pb->n; i++)
        c->x[i] = pb->x0[i] * (1 + 0.3 * (double)uniform(seed)) + 0.1 * (double)uniform(seed);
    for (size_t j = 0; j < pb->np; j++) c->p[j] = pb->p[j] * (1 + 0.3 * (double)uniform(seed));
    for (size_t k = 0; k < pb->n * LANES; k++) c->W[k] = (double)uniform(seed);
}

/* (df/dx)^T W or, of_p, (df/dp)^T W */
static void product(const struct sens_problem *pb, bool of_p, const struct sens_at *at, const double *W,
                    double *out)
{
    memset(out, 0, (of_p ? pb->np : pb->n) * LANES * sizeof *out);
    if (of_p)
        pb->type->vjp_p_batch(pb, 1, &at->t, at->x, at->p, LANES, W, out);
    else
        pb->type->vjp(pb, at, LANES, W, out);
}

static void compare_at(struct comparison *c, struct oracle *o, bool of_p, const struct sens_at *at,
                       bool extended)
{
    const size_t count = o->g->n_outputs;
    product(&c->tape, of_p, at, c->W, c->by_tape);
    product(&c->own, of_p, at, c->W, c->by_hand);
    for (size_t l = 0; l < (extended ? LANES : 1); l++) {
        oracle_at(o, at, LANES, c->W, l);
        for (size_t k = 0; k < count; k++) {
            const long double exact = o->value[o->g->output[k]], size = o->size[o->g->output[k]];
            const double tape = c->by_tape[k * LANES + l], hand = c->by_hand[k * LANES + l];
            if (!isfinite(exact) || !isfinite(hand)) continue;
            assert_true(isfinite(tape));
            if (size == 0) assert_true(tape == 0);
            if (size > 0)
                c->worst =
                    fmaxl(c->worst, fmaxl(fabsl(tape - exact), fabsl((long double)tape - hand)) / size);
        }
    }
}

static void compare_products(struct comparison *c, struct oracle *o, bool of_p)
{
    unsigned long seed = 5;
    for (int k = 0; k < POINTS; k++) {
        draw_point(c, &seed);
        const double t = c->own.t0 + (c->own.t1 - c->own.t0) * k / POINTS;
        const struct sens_at at = {t, c->x, c->p};
        compare_at(c, o, of_p, &at, k < EXTENDED_POINTS);
    }
}

static void check_problem(struct sens_ctx *ctx, const struct sens_problem_type *type,
                          struct sens_value *value)
{
    const struct sens_provider_request request = {.variant = variant_all()[0], .threads = 1};
    struct comparison c = {.worst = 0};
    struct sens_provider_request on = request;
    const struct recording *source;
    struct bench_error error;
    struct graph *g = NULL;
    assert_int_equal(sens_problem_create(ctx, type, value, &c.own), SENS_OK);
    on.inner = &c.own;
    assert_int_equal(find_provider("tape")->wrap(ctx, &on, &c.tape), SENS_OK);
    assert_int_equal(recording_create(ctx, &c.own, NULL, &source), SENS_OK);
    const size_t larger = c.own.n > c.own.np ? c.own.n : c.own.np;
    c.x = numbers(c.own.n, sizeof(double));
    c.p = numbers(c.own.np, sizeof(double));
    c.W = numbers(c.own.n * LANES, sizeof(double));
    c.by_tape = numbers(larger * LANES, sizeof(double));
    c.by_hand = numbers(larger * LANES, sizeof(double));
    const struct sens_at nominal = {c.own.t0, c.own.x0, c.own.p};
    struct graph *f = graph_create();
    assert_non_null(f);
    assert_int_equal(recording_rhs(source, &nominal, f, &error), SENS_OK);
    for (int of_p = 0; of_p < (c.own.np ? 2 : 1); of_p++) {
        assert_int_equal(of_p ? derive_vjp_p(f, c.own.np, &g) : derive_vjp(f, c.own.n, &g), SENS_OK);
        struct oracle o = oracle_create(g, c.own.n, c.own.np, c.own.n);
        compare_products(&c, &o, of_p);
        oracle_free(&o);
        graph_destroy(g);
    }
    graph_destroy(f);
    print_message("%-12s n = %4zu: %.1Le of the size of the terms\n", type->name, c.own.n, c.worst);
    assert_true(c.worst <= CLOSE);
    double *const all[] = {c.x, c.p, c.W, c.by_tape, c.by_hand};
    for (size_t k = 0; k < 5; k++) free(all[k]);
}

/* Grids and crowds as small as they can show all kinds of rows. */
static void make_small(const struct sens_option *options, struct sens_value *value)
{
    static const char *const names[] = {"mx", "my", "m", "n"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const int at = sens_option_find(options, names[k]);
        if (at >= 0 && value[at].number > 6) value[at].number = 6;
    }
}

static void test_all_problems(void **state)
{
    struct sens_ctx ctx = {.now = NULL};
    (void)state;
    for (const struct sens_problem_type *const *type = variant_all()[0]->problems; *type; type++) {
        const struct sens_arena_mark mark = sens_arena_mark(&ctx.arena);
        struct sens_value *value = numbers(sens_option_count((*type)->options), sizeof *value);
        sens_option_defaults((*type)->options, value);
        make_small((*type)->options, value);
        if ((*type)->vjp) check_problem(&ctx, *type, value);
        free(value);
        sens_arena_rewind(&ctx.arena, mark);
    }
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_problems)};
    if (!providers_add(derive_providers)) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
