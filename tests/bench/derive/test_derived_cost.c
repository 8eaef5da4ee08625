/* Gradients of costs that come from their recorded functions: of every cost of the program on every problem, at drawn
 * points, against those that it has by hand, against the graph of the gradient in extended precision, and against
 * difference quotients of the recorded value in extended precision. A difference is compared with the size of the
 * terms. */
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

enum { POINTS = 300, LANES = 5, EXTENDED_POINTS = 20, LINES = 5 };
static const long double CLOSE = 1e-13L;
/* All costs are quadratic at most, so that central quotients leave nothing out: rounding, 2^-64 of the terms, by a
 * step of 2^-18, and some of them. */
static const long double QUOTIENT = 1e-13L;

struct comparison {
    struct sens_ctx *ctx;
    struct sens_problem problem;
    struct sens_cost own, derived;
    const struct recording *source;
    double *x, *p, *W, *by_tape, *by_hand;
    unsigned long seed;
    long double worst, worst_quotient;
    size_t compared;
};

struct term { /* phi of observation j, or w g */
    bool running;
    size_t j;
    double w;
};

/* ---- what is compared --------------------------------------------------------------------------------------- */

static void add_gradient(const struct sens_cost *cost, const struct term *term, bool of_p,
                         const struct sens_at *at, size_t c0, double *out)
{
    const struct sens_cost_type *type = cost->type;
    if (term->running && of_p && type->g_dp) type->g_dp(cost, at, term->w, c0, LANES, out);
    if (term->running && !of_p) type->g_dx(cost, at, term->w, c0, LANES, out);
    if (!term->running && of_p && type->phi_dp) type->phi_dp(cost, term->j, at->x, at->p, c0, LANES, out);
    if (!term->running && !of_p) type->phi_dx(cost, term->j, at->x, at->p, c0, LANES, out);
}

static void draw_point(struct comparison *c)
{
    const struct sens_problem *pb = &c->problem;
    for (size_t i = 0; i < pb->n; i++)
        c->x[i] = pb->x0[i] * (1 + 0.3 * (double)uniform(&c->seed)) + 0.1 * (double)uniform(&c->seed);
    for (size_t j = 0; j < pb->np; j++) c->p[j] = pb->p[j] * (1 + 0.3 * (double)uniform(&c->seed));
}

/* Lanes c0 ... of both, which are added to what is there: the lanes past the last output stay as they are. */
static void compare_lanes(struct comparison *c, struct oracle *o, const struct term *term, bool of_p,
                          const struct sens_at *at, size_t c0)
{
    const size_t rows = of_p ? c->own.np : c->own.n, m = c->own.m;
    for (size_t k = 0; k < rows * LANES; k++) c->by_tape[k] = c->by_hand[k] = k % LANES + c0 < m ? 0 : 7;
    add_gradient(&c->derived, term, of_p, at, c0, c->by_tape);
    add_gradient(&c->own, term, of_p, at, c0, c->by_hand);
    for (size_t l = 0; l < LANES; l++) {
        memset(c->W, 0, m * LANES * sizeof *c->W);
        if (c0 + l < m) c->W[(c0 + l) * LANES + l] = term->w;
        oracle_at(o, at, LANES, c->W, l);
        for (size_t i = 0; i < rows; i++) {
            const long double exact = o->value[o->g->output[i]], size = o->size[o->g->output[i]];
            const double tape = c->by_tape[i * LANES + l], hand = c->by_hand[i * LANES + l];
            assert_true(isfinite(tape));
            if (c0 + l >= m) assert_true(tape == 7 && hand == 7);
            if (c0 + l >= m) continue;
            if (size == 0) assert_true(tape == 0 && hand == 0);
            if (size > 0)
                c->worst =
                    fmaxl(c->worst, fmaxl(fabsl(tape - exact), fabsl((long double)tape - hand)) / size);
            c->compared++;
        }
    }
}

/* ---- difference quotients ------------------------------------------------------------------------------------ */

/* sum_c w_c F_c(x + s dx, p + s dp) of the recorded value, and the size of what is summed. */
static long double moved(const struct graph *f, const struct oracle *o, const struct sens_at *at,
                         const long double *direction, bool of_p, long double s, long double *size)
{
    long double sum = 0, *x = numbers(o->n, sizeof *x), *p = numbers(o->np, sizeof *p);
    long double *value = numbers(f->n_nodes, sizeof *value);
    for (size_t i = 0; i < o->n; i++) x[i] = at->x[i] + (of_p ? 0 : s * direction[i]);
    for (size_t j = 0; j < o->np; j++) p[j] = at->p[j] + (of_p ? s * direction[j] : 0);
    graph_evaluate(f, &(struct graph_point){.t = at->t, .x = x, .p = p}, value);
    for (size_t c = 0; c < o->m; c++) sum += o->w[c] * value[f->output[c]];
    for (size_t c = 0; c < o->m; c++) *size += fabsl(o->w[c] * value[f->output[c]]);
    free(x), free(p), free(value);
    return sum;
}

/* The gradient of a weighted sum of all outputs along a direction. */
static void compare_quotient(struct comparison *c, const struct graph *f, struct oracle *o, bool of_p,
                             const struct sens_at *at)
{
    static const long double h = 0x1p-18L;
    const size_t rows = of_p ? c->own.np : c->own.n;
    long double *direction = numbers(rows, sizeof *direction), along = 0, size = 0;
    for (size_t k = 0; k < c->own.m * LANES; k++) c->W[k] = (double)uniform(&c->seed);
    for (size_t i = 0; i < rows; i++)
        direction[i] = uniform(&c->seed) * (fabsl((of_p ? at->p : at->x)[i]) + 0.1L);
    oracle_at(o, at, LANES, c->W, 0);
    for (size_t i = 0; i < rows; i++) {
        along += direction[i] * o->value[o->g->output[i]];
        size += fabsl(direction[i]) * o->size[o->g->output[i]];
    }
    const long double up = moved(f, o, at, direction, of_p, h, &size),
                      down = moved(f, o, at, direction, of_p, -h, &size);
    if (size > 0) c->worst_quotient = fmaxl(c->worst_quotient, fabsl((up - down) / (2 * h) - along) / size);
    free(direction);
}

/* ---- all costs ----------------------------------------------------------------------------------------------- */

static void compare_part(struct comparison *c, const struct graph *f, const struct term *term, bool of_p)
{
    const double t0 = c->problem.t0, t1 = c->problem.t1;
    struct graph *g = NULL;
    assert_int_equal(of_p ? derive_vjp_p(f, c->own.np, &g) : derive_vjp(f, c->own.n, &g), SENS_OK);
    struct oracle o = oracle_create(g, c->own.n, c->own.np, c->own.m);
    for (int k = 0; k < POINTS; k++) {
        draw_point(c);
        const double t = term->running ? t0 + (t1 - t0) * k / POINTS : c->own.t_obs[term->j];
        const struct sens_at at = {t, c->x, c->p};
        const size_t blocks = k < EXTENDED_POINTS ? c->own.m + 2 : 1;
        for (size_t b = 0; b < blocks; b++)
            compare_lanes(c, &o, term, of_p, &at, blocks > 1 ? b : (size_t)k % c->own.m);
        if (k < LINES) compare_quotient(c, f, &o, of_p, &at);
    }
    oracle_free(&o);
    graph_destroy(g);
}

static void compare_term(struct comparison *c, const struct term *term)
{
    const struct sens_problem *pb = &c->problem;
    const struct sens_at nominal = {pb->t0, pb->x0, pb->p};
    struct bench_error error;
    struct graph *f = graph_create();
    assert_non_null(f);
    assert_int_equal(term->running ? recording_g(c->source, &nominal, f, &error)
                                   : recording_phi(c->source, term->j, pb->x0, pb->p, f, &error),
                     SENS_OK);
    for (int of_p = 0; of_p < (pb->np ? 2 : 1); of_p++) compare_part(c, f, term, of_p);
    graph_destroy(f);
}

static void compare_cost(struct comparison *c, const struct sens_cost_type *type,
                         const struct sens_value *value)
{
    const struct sens_provider_request request = {
        .inner = &c->problem, .variant = variant_all()[0], .threads = 1};
    assert_int_equal(sens_cost_create(c->ctx, type, value, &c->problem, &c->own), SENS_OK);
    assert_int_equal(find_provider("tape")->wrap_cost(c->ctx, &request, &c->own, &c->derived), SENS_OK);
    assert_int_equal(recording_create_cost(c->ctx, &c->problem, &c->own, &c->source), SENS_OK);
    const size_t rows = c->own.n > c->own.np ? c->own.n : c->own.np;
    c->x = numbers(c->own.n, sizeof(double));
    c->p = numbers(c->own.np, sizeof(double));
    c->W = numbers(c->own.m * LANES, sizeof(double));
    c->by_tape = numbers(rows * LANES, sizeof(double));
    c->by_hand = numbers(rows * LANES, sizeof(double));
    for (size_t j = 0; j<c->own.n_obs; j += c->own.n_obs> 1 ? c->own.n_obs - 1 : 1)
        compare_term(c, &(struct term){.j = j, .w = 1});
    if (type->g) compare_term(c, &(struct term){.running = true, .w = -0.75});
    double *const all[] = {c->x, c->p, c->W, c->by_tape, c->by_hand};
    for (size_t k = 0; k < 5; k++) free(all[k]);
}

/* Grids and crowds as small as they can show all kinds of rows. */
static struct sens_value *small_options(struct sens_ctx *ctx, const struct sens_option *options)
{
    static const char *const names[] = {"mx", "my", "m", "n", "side"};
    struct sens_value *value = SENS_NEW(ctx, struct sens_value, sens_option_count(options));
    assert_non_null(value);
    sens_option_defaults(options, value);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const int at = sens_option_find(options, names[k]);
        if (at >= 0 && value[at].number > 6) value[at].number = 6;
    }
    return value;
}

/* Its defaults, or 11 outputs and all weights there are; no choice among the data of a file, for there is none. */
static struct sens_value *cost_options(struct sens_ctx *ctx, const struct sens_option *options, bool varied)
{
    struct sens_value *value = SENS_NEW(ctx, struct sens_value, sens_option_count(options));
    assert_non_null(value);
    sens_option_defaults(options, value);
    for (size_t k = 0; varied && k < sens_option_count(options); k++) {
        if (options[k].kind == SENS_OPT_INT && strcmp(options[k].name, "experiment") != 0)
            value[k].number = 11;
        if (options[k].kind == SENS_OPT_REAL) value[k].number = 0.5;
    }
    return value;
}

static void compare_on(struct sens_ctx *ctx, const struct sens_cost_type *cost,
                       const struct sens_problem_type *type, struct comparison *sum)
{
    for (int varied = 0; varied < 2; varied++) {
        struct comparison c = {.ctx = ctx, .seed = 3};
        assert_int_equal(sens_problem_create(ctx, type, small_options(ctx, type->options), &c.problem),
                         SENS_OK);
        compare_cost(&c, cost, cost_options(ctx, cost->options, varied));
        sum->worst = fmaxl(sum->worst, c.worst);
        sum->worst_quotient = fmaxl(sum->worst_quotient, c.worst_quotient);
        sum->compared += c.compared;
    }
}

static void test_all_costs(void **state)
{
    const struct sens_registry *reg = variant_all()[0];
    struct sens_ctx ctx = {.now = NULL};
    (void)state;
    for (const struct sens_cost_type *const *cost = reg->costs; *cost; cost++) {
        struct comparison sum = {.compared = 0};
        for (const struct sens_problem_type *const *type = reg->problems; *type; type++) {
            const struct sens_arena_mark mark = sens_arena_mark(&ctx.arena);
            compare_on(&ctx, *cost, *type, &sum);
            sens_arena_rewind(&ctx.arena, mark);
        }
        print_message("%-9s %8zu numbers: %.1Le of the size of the terms, quotients %.1Le\n", (*cost)->name,
                      sum.compared, sum.worst, sum.worst_quotient);
        assert_true(sum.compared > 0);
        assert_true(sum.worst <= CLOSE);
        assert_true(sum.worst_quotient <= QUOTIENT);
    }
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_costs)};
    if (!providers_add(derive_providers)) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
