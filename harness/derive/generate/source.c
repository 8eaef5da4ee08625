/* derive/generate/source.c - all products of a right-hand side, one function after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "generate.h"
#include "product.h"
#include "products.h"
#include "structure.h"

static const char *const names[GENERATE_PRODUCTS] = {
    [GENERATE_RHS] = "sens_generated_rhs",
    [GENERATE_RHS_T] = "sens_generated_rhs_t",
    [GENERATE_VJP] = "sens_generated_vjp",
    [GENERATE_VJP_P] = "sens_generated_vjp_p",
    [GENERATE_JVP] = "sens_generated_jvp",
    [GENERATE_JVP_P] = "sens_generated_jvp_p",
    [GENERATE_HVP] = "sens_generated_hvp",
    [GENERATE_JACOBIAN] = "sens_generated_jacobian",
    [GENERATE_JACOBIAN_P] = "sens_generated_jacobian_p",
};

const char *generate_function_name(enum generate_product product)
{
    return names[product];
}

struct source {
    const struct graph *f;
    size_t n, np;
    struct text text;
    struct generate_found *found;
    struct generate_count *count;   /* of the product that is being written */
    struct derive_entries jacobian; /* kept for those that are derived from it; all zero: not made */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- one product: a static function for all outputs, and that of the interface around it ---------------- */

static sens_status write_scalars(struct source *s, const struct graph *graph, enum generate_product which,
                                 size_t first, size_t count)
{
    const struct frame frame = {.name = names[which]};
    const sens_status status = product_write(&s->text, &frame, graph, first, count, s->count);
    text_add(&s->text,
             "void %s(double t, const double *x, const double *p, double *OUT)\n"
             "{\n    core_%s(t, x, p, OUT);\n}\n\n",
             names[which], names[which]);
    return status;
}

/* The vector of the caller is W, DX or DP. */
static sens_status write_lanes(struct source *s, const struct graph *graph, enum generate_product which,
                               enum graph_op vector)
{
    const struct frame frame = {.name = names[which], .lanes = true, .adds = which == GENERATE_VJP_P};
    const sens_status status = product_write(&s->text, &frame, graph, 0, graph->n_outputs, s->count);
    text_add(&s->text,
             "void %s(double t, const double *x, const double *p, size_t L, const double *V, double *OUT)\n"
             "{\n    core_%s(t, x, p, L, %s, NULL, %s, %s, OUT);\n}\n\n",
             names[which], names[which], vector == GRAPH_W ? "V" : "NULL", vector == GRAPH_DX ? "V" : "NULL",
             vector == GRAPH_DP ? "V" : "NULL");
    return status;
}

/* ---- the products -------------------------------------------------------------------------------------- */

static sens_status write_rhs(struct source *s)
{
    return write_scalars(s, s->f, GENERATE_RHS, 0, s->n);
}

/* A graph that was made for one product, written and destroyed. */
static sens_status write_made(struct source *s, sens_status status, struct graph *graph,
                              enum generate_product which, enum graph_op vector)
{
    if (status == SENS_OK)
        status = vector == GRAPH_CONSTANT ? write_scalars(s, graph, which, 0, s->n)
                                          : write_lanes(s, graph, which, vector);
    graph_destroy(graph);
    return status;
}

static sens_status write_rhs_t(struct source *s)
{
    struct graph *graph;
    const sens_status status = derive_rhs_t(s->f, &graph);
    return write_made(s, status, graph, GENERATE_RHS_T, GRAPH_CONSTANT);
}

static sens_status write_vjp(struct source *s)
{
    struct graph *graph;
    const sens_status status = derive_vjp(s->f, s->n, &graph);
    return write_made(s, status, graph, GENERATE_VJP, GRAPH_W);
}

static sens_status write_vjp_p(struct source *s)
{
    struct graph *graph;
    const sens_status status = derive_vjp_p(s->f, s->np, &graph);
    return write_made(s, status, graph, GENERATE_VJP_P, GRAPH_W);
}

static sens_status write_jvp(struct source *s)
{
    struct graph *graph;
    const sens_status status = derive_along(s->f, DERIVE_X, &graph);
    return write_made(s, status, graph, GENERATE_JVP, GRAPH_DX);
}

static sens_status write_jvp_p(struct source *s)
{
    struct graph *graph;
    const sens_status status = derive_along(s->f, DERIVE_P, &graph);
    return write_made(s, status, graph, GENERATE_JVP_P, GRAPH_DP);
}

/* Appends the outputs of the full matrix, row by row, 0 where the pattern has no entry. */
static void fill_holes(struct derive_entries *entries)
{
    const struct sens_pattern *pattern = &entries->pattern;
    for (size_t r = 0; r < pattern->rows; r++) {
        size_t e = pattern->start[r];
        for (size_t c = 0; c < pattern->cols; c++) {
            const bool is_entry = e < pattern->start[r + 1] && pattern->col[e] == c;
            graph_add_output(entries->graph, is_entry ? entries->graph->output[e] : GRAPH_ZERO);
            e += is_entry;
        }
    }
}

/* A matrix of which at most half are entries is sparse: its pattern is handed over to what was found. */
static sens_status write_entries(struct source *s, struct derive_entries *entries,
                                 enum generate_product which, struct sens_pattern **sparse)
{
    const struct sens_pattern *pattern = &entries->pattern;
    const size_t given = pattern->start[pattern->rows], all = pattern->rows * pattern->cols;
    if (given > all / 2) {
        const size_t first = entries->graph->n_outputs;
        fill_holes(entries);
        return write_scalars(s, entries->graph, which, first, all);
    }
    *sparse = malloc(sizeof **sparse);
    if (!*sparse) return SENS_NO_MEMORY;
    **sparse = *pattern;
    entries->pattern = (struct sens_pattern){.rows = 0};
    return write_scalars(s, entries->graph, which, 0, given);
}

static sens_status write_jacobian(struct source *s)
{
    sens_status status = derive_jacobian(s->f, s->n, &s->jacobian);
    if (status != SENS_OK) return status;
    const size_t entries = s->jacobian.graph->n_outputs;
    if (!structure_is_constant(s->jacobian.graph, entries, &s->found->constant_jacobian))
        return SENS_NO_MEMORY;
    return write_entries(s, &s->jacobian, GENERATE_JACOBIAN, &s->found->sparsity);
}

/* Two arrays that follow each other among the outputs: a function for each, `name` calls both. */
static sens_status write_two(struct source *s, const struct graph *graph, const char *name, size_t first,
                             const size_t count[2])
{
    struct generate_count not_counted = {0, 0, 0};
    sens_status status = SENS_OK;
    for (size_t k = 0; status == SENS_OK && k < 2; k++) {
        char core[32];
        snprintf(core, sizeof core, "%s_%zu", name, k);
        const struct frame frame = {.name = core};
        status = product_write(&s->text, &frame, graph, first, count[k], &not_counted);
        first += count[k];
    }
    return status;
}

static sens_status write_coupling(struct source *s, const struct derive_entries *jacobian_p,
                                  const graph_node *factor)
{
    const struct graph *graph = s->jacobian.graph;
    const size_t first = graph ? graph->n_outputs : 0, count[2] = {s->n * s->n, s->n};
    if (!graph || s->found->sparsity) return SENS_OK;
    sens_status status = structure_find_coupling(&s->jacobian, jacobian_p, factor, s->n, &s->found->coupling);
    if (status != SENS_OK || !s->found->coupling) return status;
    status = write_two(s, graph, "coupling", first, count);
    text_add(&s->text, "void sens_generated_coupling(const double *p, double *M)\n{\n    core_coupling_0(0, "
                       "NULL, p, M);\n}\n\n"
                       "void sens_generated_diagonal(double t, const double *x, const double *p, double *d)\n"
                       "{\n    core_coupling_1(t, x, p, d);\n}\n\n");
    return status;
}

static sens_status write_outer(struct source *s, struct derive_entries *entries)
{
    struct structure_outer outer;
    const size_t first = entries->graph->n_outputs;
    sens_status status = structure_find_outer(entries, s->n, &outer);
    if (status != SENS_OK || outer.n_blocks == 0) return status;
    const size_t count[2] = {s->n, outer.columns};
    status = write_two(s, entries->graph, "outer", first, count);
    text_add(&s->text,
             "void sens_generated_outer(double t, const double *x, const double *p, double *s, double *phi)\n"
             "{\n    core_outer_0(t, x, p, s);\n    core_outer_1(t, x, p, phi);\n}\n\n");
    s->found->n_blocks = outer.n_blocks;
    s->found->blocks = outer.blocks;
    if (status == SENS_OK) status = write_coupling(s, entries, outer.s);
    free(outer.s);
    return status;
}

static sens_status write_jacobian_p(struct source *s)
{
    struct derive_entries entries = {.graph = NULL};
    sens_status status = derive_jacobian_p(s->f, s->np, &entries);
    if (status == SENS_OK) status = write_outer(s, &entries);
    if (status == SENS_OK) status = write_entries(s, &entries, GENERATE_JACOBIAN_P, &s->found->sparsity_p);
    derive_entries_destroy(&entries);
    return status;
}

/* ---- second order: linear in the direction, so that each part of it has functions of its own ------------- */

static const struct part {
    unsigned part;
    const char *name;
} parts[] = {{DERIVE_X, "x"}, {DERIVE_T, "t"}, {DERIVE_P, "p"}};

static bool is_zero(const struct graph *graph, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        if (graph->output[i] != GRAPH_ZERO) return false;
    return true;
}

/* The functions of one part, and in *calls what calls them. */
static sens_status write_part(struct source *s, const struct part *part, struct text *calls)
{
    struct graph *graph;
    sens_status status = derive_hvp(s->f, s->n, s->np, part->part, &graph);
    for (size_t k = 0; status == SENS_OK && k < 2; k++) {
        const size_t first = k == 0 ? 0 : s->n, count = k == 0 ? s->n : s->np;
        const bool adds = k > 0 || part->part != DERIVE_X;
        char name[32];
        if (adds && is_zero(graph, first, count)) continue;
        snprintf(name, sizeof name, "hvp_%s_%s", part->name, k == 0 ? "OUT" : "MU");
        const struct frame frame = {.name = name, .lanes = true, .adds = adds};
        status = product_write(&s->text, &frame, graph, first, count, s->count);
        text_add(calls, "    if (d%s%s) core_%s(t, x, p, L, W, dt, dx, dp, %s);\n", part->name,
                 k == 0 ? "" : " && MU", name, k == 0 ? "OUT" : "MU");
    }
    graph_destroy(graph);
    return status;
}

static sens_status write_hvp(struct source *s)
{
    struct text calls = {.at = NULL};
    sens_status status = SENS_OK;
    for (size_t k = 0; status == SENS_OK && k < sizeof parts / sizeof *parts; k++)
        status = write_part(s, &parts[k], &calls);
    char *taken = text_take(&calls);
    text_add(
        &s->text,
        "void sens_generated_hvp(double t, const double *x, const double *p, size_t L, const double *dt,\n"
        "    const double *dx, const double *dp, const double *W, double *OUT, double *MU)\n"
        "{\n    (void)t, (void)x, (void)p, (void)dt, (void)dp, (void)W, (void)MU;\n"
        "    for (size_t k = 0; !dx && k < %zu * L; k++) OUT[k] = 0;\n%s}\n\n",
        s->n, taken ? taken : "");
    if (status == SENS_OK && !taken) status = SENS_NO_MEMORY;
    free(taken);
    return status;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static sens_status (*const writers[GENERATE_PRODUCTS])(struct source *) = {
    [GENERATE_RHS] = write_rhs,
    [GENERATE_RHS_T] = write_rhs_t,
    [GENERATE_VJP] = write_vjp,
    [GENERATE_VJP_P] = write_vjp_p,
    [GENERATE_JVP] = write_jvp,
    [GENERATE_JVP_P] = write_jvp_p,
    [GENERATE_HVP] = write_hvp,
    [GENERATE_JACOBIAN] = write_jacobian,
    [GENERATE_JACOBIAN_P] = write_jacobian_p,
};

/* Leaves of f: t, x_i with i < n, p_j with j < np, constants. */
static bool is_right_hand_side(const struct graph *f, size_t n, size_t np)
{
    for (size_t k = 0; k < f->n_nodes; k++) {
        const struct graph_operation *node = &f->node[k];
        if (graph_operands(node->op) > 0) continue;
        if (frame_in_lanes(node->op)) return false;
        if (node->op == GRAPH_X && node->a >= n) return false;
        if (node->op == GRAPH_P && node->a >= np) return false;
    }
    return f->n_outputs == n;
}

sens_status generate_source(const struct graph *f, size_t n, size_t np, unsigned wanted, char **source,
                            struct generate_found *found)
{
    struct source s = {.f = f, .n = n, .np = np, .found = found};
    sens_status status = graph_status(f);
    *source = NULL;
    *found = (struct generate_found){.n_blocks = 0};
    if (status == SENS_OK && !is_right_hand_side(f, n, np)) status = SENS_UNSUPPORTED;
    frame_prelude(&s.text);
    for (int which = 0; status == SENS_OK && which < GENERATE_PRODUCTS; which++) {
        const double start = now();
        if (!(wanted >> which & 1)) continue;
        s.count = &found->count[which];
        status = writers[which](&s);
        s.count->seconds = now() - start;
    }
    derive_entries_destroy(&s.jacobian);
    char *text = text_take(&s.text);
    if (status == SENS_OK && text) {
        *source = text;
        return SENS_OK;
    }
    free(text);
    generate_found_release(found);
    return status != SENS_OK ? status : SENS_NO_MEMORY;
}

static void release_pattern(struct sens_pattern *pattern)
{
    struct derive_entries entries = {.graph = NULL};
    if (!pattern) return;
    entries.pattern = *pattern;
    derive_entries_destroy(&entries);
    free(pattern);
}

void generate_found_release(struct generate_found *found)
{
    release_pattern(found->sparsity);
    release_pattern(found->sparsity_p);
    free(found->blocks);
    *found = (struct generate_found){.n_blocks = 0};
}
