/* Graphs of right-hand sides to generate code for, the code compiled by the system's compiler, and the comparison
 * of what it computes with graph_evaluate in long double. */
#ifndef GENERATE_SUPPORT_H
#define GENERATE_SUPPORT_H

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "generate.h"
#include "products.h"
#include "testing.h"

/* ---- the compiler -------------------------------------------------------------------------------------- */

enum { NO_COMPILER = 77 };

struct code { /* loaded */
    void *library;
    double seconds; /* that the compiler took */
    size_t length;  /* of the source */
    struct generate_found found;
};

static inline bool have_compiler(const char *compiler)
{
    char command[128];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler);
    return system(command) == 0;
}

static inline double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Everything that is not standard or not clean in the text is an error. */
static inline void compile_and_load(const char *source, const char *compiler, struct code *code)
{
    char folder[] = "/tmp/sens_generated_XXXXXX", command[512], path[64], library[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/code.c", folder);
    snprintf(library, sizeof library, "%s/code.so", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(source, file);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command,
             "%s -shared -fPIC -march=native -Wall -Werror -Wno-psabi -Wno-unknown-warning-option "
             "-Wno-aggressive-loop-optimizations -ffp-contract=fast -fno-math-errno "
             "-fno-trapping-math -o %s %s -lm",
             compiler, library, path);
    const double start = seconds_now();
    if (system(command) != 0) fail_msg("%s: the generated code does not compile: %s", compiler, path);
    code->seconds = seconds_now() - start;
    code->length = strlen(source);
    code->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(code->library);
    if (!getenv("SENS_KEEP")) unlink(path), unlink(library), rmdir(folder);
}

static inline void generate_and_load(const struct graph *f, size_t n, size_t np, unsigned widest,
                                     const char *compiler, struct code *code)
{
    char *source;
    *code = (struct code){.library = NULL};
    assert_int_equal(
        generate_source(f, n, np, GENERATE_ALL, GENERATE_ALL_CALLS, widest, &source, &code->found), SENS_OK);
    compile_and_load(source, compiler, code);
    free(source);
}

static inline void unload(struct code *code)
{
    dlclose(code->library);
    generate_found_release(&code->found);
}

static inline void *function_of(const struct code *code, enum generate_product product)
{
    void *symbol = dlsym(code->library, generate_function_name(product));
    assert_non_null(symbol);
    return symbol;
}

/* ---- random points ------------------------------------------------------------------------------------- */

struct point { /* the same numbers in both precisions */
    size_t n, np, L;
    double t, *x, *p, *W, *dt, *dx, *dp;
};

static inline double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static inline double *drawn(size_t count, double from, double to, uint64_t *seed)
{
    double *v = malloc((count + 1) * sizeof *v);
    assert_non_null(v);
    for (size_t k = 0; k < count; k++) v[k] = from + (to - from) * uniform(seed);
    return v;
}

/* x and p are positive, so that roots and logarithms exist. */
static inline struct point draw_point(size_t n, size_t np, size_t L, uint64_t *seed)
{
    struct point at = {.n = n, .np = np, .L = L, .t = uniform(seed)};
    at.x = drawn(n, 0.2, 1.2, seed);
    at.p = drawn(np, 0.2, 1.2, seed);
    at.W = drawn(n * L, -1, 1, seed);
    at.dt = drawn(L, -1, 1, seed);
    at.dx = drawn(n * L, -1, 1, seed);
    at.dp = drawn(np * L, -1, 1, seed);
    return at;
}

static inline void free_point(struct point *at)
{
    free(at->x), free(at->p), free(at->W), free(at->dt), free(at->dx), free(at->dp);
}

/* ---- the oracle ---------------------------------------------------------------------------------------- */

/* The outputs of a graph at a point, for lane l, and the size of their terms: the value of the same graph with
 * every sum and product of absolute values, by which rounding is bounded. */
struct oracle {
    long double *value, *size; /* [n_outputs] */
};

static inline long double operate_on_sizes(const struct graph *g, size_t k, const long double *value,
                                           const long double *size)
{
    const struct graph_operation *node = &g->node[k];
    if (graph_operands(node->op) == 0) return fabsl(value[k]);
    switch (node->op) {
    case GRAPH_ADD:
    case GRAPH_SUB:
        return size[node->a] + size[node->b];
    case GRAPH_NEG:
        return size[node->a];
    case GRAPH_MUL:
        return size[node->a] * size[node->b];
    case GRAPH_DIV:
        return size[node->a] / fabsl(value[node->b]) * (size[node->b] / fabsl(value[node->b]));
    case GRAPH_SELECT:
        return value[node->a] != 0 ? size[node->b] : size[node->c];
    case GRAPH_SIN:
    case GRAPH_COS:
    case GRAPH_TANH:
    case GRAPH_FABS:
        return fabsl(value[k]) + size[node->a]; /* their slope is at most 1 */
    default: { /* another function: of its value, and its condition times the size of the argument */
        const long double a = value[node->a], relative = a != 0 ? size[node->a] / fabsl(a) : 1;
        return (fabsl(value[k]) + size[node->a]) * (1 + relative);
    }
    }
}

static inline long double *widened(const double *v, size_t count, size_t L, size_t l)
{
    long double *wide = malloc((count + 1) * sizeof *wide);
    assert_non_null(wide);
    for (size_t k = 0; k < count; k++) wide[k] = v[k * L + l];
    return wide;
}

static inline struct oracle evaluate(const struct graph *g, const struct point *at, size_t l)
{
    long double *x = widened(at->x, at->n, 1, 0), *p = widened(at->p, at->np, 1, 0),
                *w = widened(at->W, at->n, at->L, l), *dx = widened(at->dx, at->n, at->L, l),
                *dp = widened(at->dp, at->np, at->L, l);
    const struct graph_point point = {at->t, x, p, w, at->dt[l], dx, dp};
    long double *value = malloc(g->n_nodes * sizeof *value), *size = malloc(g->n_nodes * sizeof *size);
    struct oracle oracle = {malloc((g->n_outputs + 1) * sizeof *oracle.value),
                            malloc((g->n_outputs + 1) * sizeof *oracle.size)};
    assert_true(value && size && oracle.value && oracle.size);
    graph_evaluate(g, &point, value);
    for (size_t k = 0; k < g->n_nodes; k++) size[k] = operate_on_sizes(g, k, value, size);
    for (size_t i = 0; i < g->n_outputs; i++) {
        oracle.value[i] = value[g->output[i]];
        oracle.size[i] = size[g->output[i]];
    }
    free(x), free(p), free(w), free(dx), free(dp), free(value), free(size);
    return oracle;
}

static inline void free_oracle(struct oracle *oracle)
{
    free(oracle->value), free(oracle->size);
}

/* 1e-13 of the size of the terms: hundreds of roundings. */
static const long double GENERATED_TOLERANCE = 1e-13L;

/* got[i * step] + before = value[i] */
static inline void assert_outputs(const char *what, const struct oracle *expected, size_t first, size_t count,
                                  const double *got, size_t step, long double before)
{
    for (size_t i = 0; i < count; i++) {
        const long double off = fabsl(got[i * step] - before - expected->value[first + i]);
        const long double bound = GENERATED_TOLERANCE * (expected->size[first + i] + fabsl(before));
        if (!(off <= bound))
            fail_msg("%s: entry %zu is %.17g, not %.17Lg; terms of size %.3Lg", what, i, got[i * step],
                     expected->value[first + i] + before, expected->size[first + i]);
    }
}

/* ---- every product at a point -------------------------------------------------------------------------- */

struct graphs { /* of the products, to compare with */
    struct graph *rhs_t, *vjp, *vjp_p, *jvp, *jvp_p, *hvp;
    struct derive_entries jacobian, jacobian_p;
};

static inline struct graphs derive_all(const struct graph *f, size_t n, size_t np)
{
    struct graphs g = {.rhs_t = NULL};
    assert_int_equal(derive_rhs_t(f, &g.rhs_t), SENS_OK);
    assert_int_equal(derive_vjp(f, n, &g.vjp), SENS_OK);
    assert_int_equal(derive_vjp_p(f, np, &g.vjp_p), SENS_OK);
    assert_int_equal(derive_along(f, DERIVE_X, &g.jvp), SENS_OK);
    assert_int_equal(derive_along(f, DERIVE_P, &g.jvp_p), SENS_OK);
    assert_int_equal(derive_hvp(f, n, np, DERIVE_T | DERIVE_X | DERIVE_P, &g.hvp), SENS_OK);
    assert_int_equal(derive_jacobian(f, n, &g.jacobian), SENS_OK);
    assert_int_equal(derive_jacobian_p(f, np, &g.jacobian_p), SENS_OK);
    return g;
}

static inline void free_all(struct graphs *g)
{
    graph_destroy(g->rhs_t), graph_destroy(g->vjp), graph_destroy(g->vjp_p), graph_destroy(g->jvp);
    graph_destroy(g->jvp_p), graph_destroy(g->hvp);
    derive_entries_destroy(&g->jacobian), derive_entries_destroy(&g->jacobian_p);
}

static inline void check_scalars(const struct code *code, enum generate_product which, const struct graph *g,
                                 const struct point *at)
{
    generated_numbers *generated;
    void *symbol = function_of(code, which);
    memcpy(&generated, &symbol, sizeof generated);
    double *got = malloc((g->n_outputs + 1) * sizeof *got);
    struct oracle expected = evaluate(g, at, 0);
    assert_non_null(got);
    generated(at->t, at->x, at->p, got);
    assert_outputs(generate_function_name(which), &expected, 0, g->n_outputs, got, 1, 0);
    free_oracle(&expected);
    free(got);
}

/* Dense or by the pattern. */
static inline void check_entries(const struct code *code, enum generate_product which,
                                 const struct derive_entries *entries, const struct sens_pattern *sparse,
                                 const struct point *at)
{
    const struct sens_pattern *pattern = &entries->pattern;
    const size_t all = pattern->rows * pattern->cols;
    generated_numbers *generated;
    void *symbol = function_of(code, which);
    memcpy(&generated, &symbol, sizeof generated);
    double *got = malloc((all + 1) * sizeof *got), *dense = calloc(all + 1, sizeof *dense);
    struct oracle expected = evaluate(entries->graph, at, 0);
    assert_true(got && dense);
    generated(at->t, at->x, at->p, got);
    for (size_t r = 0; r < pattern->rows; r++)
        for (size_t e = pattern->start[r]; e < pattern->start[r + 1]; e++) {
            const size_t place = r * pattern->cols + pattern->col[e];
            dense[place] = sparse ? got[e] : got[place];
            assert_outputs(generate_function_name(which), &expected, e, 1, &dense[place], 1, 0);
            if (!sparse) got[place] = 0;
        }
    for (size_t k = 0; got && !sparse && k < all; k++) assert_true(got[k] == 0);
    free_oracle(&expected);
    free(got), free(dense);
}

enum { BEFORE = 2 }; /* what is added to */

static inline double *filled(size_t count, double value)
{
    double *v = malloc((count + 1) * sizeof *v);
    assert_non_null(v);
    for (size_t k = 0; k < count; k++) v[k] = value;
    v[count] = 77; /* nothing is written past the end */
    return v;
}

/* Of large graphs not every lane is looked at: 7 is a step that meets all places in blocks of 16, 8 and 4. */
static inline size_t lane_step(const struct graph *g)
{
    return g->n_nodes > 3000 ? 7 : 1;
}

static inline void check_lanes(const struct code *code, enum generate_product which, const struct graph *g,
                               const struct point *at, const double *V)
{
    generated_lanes *generated;
    void *symbol = function_of(code, which);
    memcpy(&generated, &symbol, sizeof generated);
    const bool adds = which == GENERATE_VJP_P;
    double *got = filled(g->n_outputs * at->L, BEFORE);
    generated(at->t, at->x, at->p, at->L, V, got);
    for (size_t l = 0; l < at->L; l += lane_step(g)) {
        struct oracle expected = evaluate(g, at, l);
        assert_outputs(generate_function_name(which), &expected, 0, g->n_outputs, got + l, at->L,
                       adds ? BEFORE : 0);
        free_oracle(&expected);
    }
    assert_true(got[g->n_outputs * at->L] == 77);
    free(got);
}

/* With the parts of the direction that `parts` names. */
static inline void check_hvp(const struct code *code, const struct graph *g, const struct point *all,
                             unsigned parts)
{
    generated_hvp *generated;
    void *symbol = function_of(code, GENERATE_HVP);
    memcpy(&generated, &symbol, sizeof generated);
    const size_t n = all->n, np = all->np, L = all->L;
    struct point at = *all;
    double *OUT = filled(n * L, BEFORE), *MU = filled(np * L, BEFORE), *none = filled((n + np + 1) * L, 0);
    const bool with_t = parts & DERIVE_T, with_x = parts & DERIVE_X, with_p = parts & DERIVE_P;
    const struct sens_direction along = {with_t ? at.dt : NULL, with_x ? at.dx : NULL, with_p ? at.dp : NULL};
    generated(at.t, at.x, at.p, L, &along, at.W, OUT, parts == DERIVE_X ? NULL : MU);
    if (!with_t) at.dt = none;
    if (!with_x) at.dx = none;
    if (!with_p) at.dp = none;
    for (size_t l = 0; l < L; l += lane_step(g)) {
        struct oracle expected = evaluate(g, &at, l);
        assert_outputs("hvp, OUT", &expected, 0, n, OUT + l, L, 0);
        if (parts != DERIVE_X) assert_outputs("hvp, MU", &expected, n, np, MU + l, L, BEFORE);
        free_oracle(&expected);
    }
    assert_true(OUT[n * L] == 77 && MU[np * L] == 77);
    free(OUT), free(MU), free(none);
}

/* All products at `points` random points for each L. */
static inline void check_code(const struct code *code, const struct graph *f, size_t n, size_t np,
                              size_t points, uint64_t seed)
{
    static const size_t lanes[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 0};
    struct graphs g = derive_all(f, n, np);
    for (size_t k = 0; k < points * (sizeof lanes / sizeof *lanes); k++) {
        struct point at = draw_point(n, np, lanes[k % (sizeof lanes / sizeof *lanes)], &seed);
        if (at.L == 0) { /* nothing is read or written */
            free_point(&at);
            continue;
        }
        check_scalars(code, GENERATE_RHS, f, &at);
        check_scalars(code, GENERATE_RHS_T, g.rhs_t, &at);
        check_lanes(code, GENERATE_VJP, g.vjp, &at, at.W);
        check_lanes(code, GENERATE_VJP_P, g.vjp_p, &at, at.W);
        check_lanes(code, GENERATE_JVP, g.jvp, &at, at.dx);
        check_lanes(code, GENERATE_JVP_P, g.jvp_p, &at, at.dp);
        check_entries(code, GENERATE_JACOBIAN, &g.jacobian, code->found.sparsity, &at);
        check_entries(code, GENERATE_JACOBIAN_P, &g.jacobian_p, code->found.sparsity_p, &at);
        static const unsigned parts[] = {DERIVE_X, DERIVE_T | DERIVE_X, DERIVE_X | DERIVE_P, 7, DERIVE_P, 0};
        check_hvp(code, g.hvp, &at, parts[k % 6]);
        free_point(&at);
    }
    free_all(&g);
}

#endif
