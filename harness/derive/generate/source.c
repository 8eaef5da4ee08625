/* derive/generate/source.c - all products of a right-hand side, one function after the other. */
#include <stdio.h>
#include <stdlib.h>

#include "generate.h"
#include "product.h"
#include "products.h"
#include "seconds.h"
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
    [GENERATE_S] = "sens_generated_s",
    [GENERATE_PHI] = "sens_generated_phi",
    [GENERATE_COUPLING] = "sens_generated_coupling",
    [GENERATE_DIAGONAL] = "sens_generated_diagonal",
};

const char *generate_function_name(enum generate_product product)
{
    return names[product];
}

struct source {
    const struct graph *f;
    size_t n, np;
    unsigned calls, widest;
    struct text text;
    struct generate_found *found;
    struct generate_count *count; /* of the product that is being written */
    struct structure structure;   /* once one of its parts is wanted */
    bool looked;                  /* for it */
};

/* The number of lanes as C: that of all calls where they have the same, so that loops over lanes are unrolled. */
static const char *lanes_text(unsigned calls)
{
    switch (calls & (GENERATE_BLOCKS | GENERATE_ONE_LANE)) {
    case GENERATE_ONE_LANE:
        return "1";
    case 2:
        return "2";
    case 4:
        return "4";
    case 8:
        return "8";
    default:
        return "L"; /* of 16 any multiple */
    }
}

/* ---- one product: a static function for all outputs, and that of the interface around it ---------------- */

static sens_status write_scalars(struct source *s, const struct graph *graph, enum generate_product which,
                                 size_t first, size_t count)
{
    const struct frame frame = {.name = names[which], .widest = s->widest};
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
    const struct frame frame = {.name = names[which],
                                .lanes = true,
                                .adds = which == GENERATE_VJP_P,
                                .calls = s->calls,
                                .widest = s->widest};
    const sens_status status = product_write(&s->text, &frame, graph, 0, graph->n_outputs, s->count);
    text_add(&s->text,
             "void %s(double t, const double *x, const double *p, size_t L, const double *V, double *OUT)\n"
             "{\n    (void)L;\n    core_%s(t, x, p, %s, %s, NULL, %s, %s, OUT);\n}\n\n",
             names[which], names[which], lanes_text(s->calls), vector == GRAPH_W ? "V" : "NULL",
             vector == GRAPH_DX ? "V" : "NULL", vector == GRAPH_DP ? "V" : "NULL");
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
    struct derive_entries entries = {.graph = NULL};
    sens_status status = derive_jacobian(s->f, s->n, &entries);
    if (status == SENS_OK &&
        !structure_is_constant(entries.graph, entries.graph->n_outputs, &s->found->constant_jacobian))
        status = SENS_NO_MEMORY;
    if (status == SENS_OK) status = write_entries(s, &entries, GENERATE_JACOBIAN, &s->found->sparsity);
    derive_entries_destroy(&entries);
    return status;
}

static sens_status write_jacobian_p(struct source *s)
{
    struct derive_entries entries = {.graph = NULL};
    sens_status status = derive_jacobian_p(s->f, s->np, &entries);
    if (status == SENS_OK) status = write_entries(s, &entries, GENERATE_JACOBIAN_P, &s->found->sparsity_p);
    derive_entries_destroy(&entries);
    return status;
}

/* ---- structure ----------------------------------------------------------------------------------------- */

/* The blocks are handed over to what was found. */
static sens_status look_for_structure(struct source *s)
{
    if (s->looked) return SENS_OK;
    s->looked = true;
    const sens_status status = structure_find(s->f, s->n, s->np, &s->structure);
    s->found->n_blocks = s->structure.n_blocks;
    s->found->blocks = s->structure.blocks;
    s->found->coupling = s->structure.part[STRUCTURE_COUPLING];
    s->structure.blocks = NULL;
    return status;
}

static sens_status write_structure(struct source *s, enum structure_part part, enum generate_product which)
{
    const sens_status status = look_for_structure(s);
    const struct graph *graph = s->structure.part[part];
    return status == SENS_OK && graph ? write_scalars(s, graph, which, 0, graph->n_outputs) : status;
}

static sens_status write_s(struct source *s)
{
    return write_structure(s, STRUCTURE_S, GENERATE_S);
}

static sens_status write_phi(struct source *s)
{
    return write_structure(s, STRUCTURE_PHI, GENERATE_PHI);
}

static sens_status write_coupling(struct source *s)
{
    return write_structure(s, STRUCTURE_COUPLING, GENERATE_COUPLING);
}

static sens_status write_diagonal(struct source *s)
{
    return write_structure(s, STRUCTURE_DIAGONAL, GENERATE_DIAGONAL);
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
        if (k > 0 && !(s->calls & GENERATE_MU)) continue;
        if (adds && is_zero(graph, first, count)) continue;
        snprintf(name, sizeof name, "hvp_%s_%s", part->name, k == 0 ? "OUT" : "MU");
        const struct frame frame = {
            .name = name, .lanes = true, .adds = adds, .calls = s->calls, .widest = s->widest};
        status = product_write(&s->text, &frame, graph, first, count, s->count);
        text_add(calls, "    if (v->%s%s) core_%s(t, x, p, %s, W, v->t, v->x, v->p, %s);\n", part->name,
                 k == 0 ? "" : " && MU", name, lanes_text(s->calls), k == 0 ? "OUT" : "MU");
    }
    graph_destroy(graph);
    return status;
}

static sens_status write_hvp(struct source *s)
{
    struct text calls = {.at = NULL};
    sens_status status = SENS_OK;
    for (size_t k = 0; status == SENS_OK && k < sizeof parts / sizeof *parts; k++)
        if (s->calls & GENERATE_ALONG * parts[k].part) status = write_part(s, &parts[k], &calls);
    char *taken = text_take(&calls);
    text_add(&s->text,
             "struct direction {\n    const double *t, *x, *p;\n};\n"
             "void sens_generated_hvp(double t, const double *x, const double *p, size_t L,\n"
             "    const struct direction *v, const double *W, double *OUT, double *MU)\n"
             "{\n    (void)t, (void)x, (void)p, (void)W, (void)MU;\n"
             "    for (size_t k = 0; !v->x && k < %zu * L; k++) OUT[k] = 0;\n%s}\n\n",
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
    [GENERATE_S] = write_s,
    [GENERATE_PHI] = write_phi,
    [GENERATE_COUPLING] = write_coupling,
    [GENERATE_DIAGONAL] = write_diagonal,
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

/* The text, if all went well; else NULL. */
static sens_status hand_over(struct text *text, sens_status status, char **source)
{
    char *const taken = text_take(text);
    *source = status == SENS_OK ? taken : NULL;
    if (status != SENS_OK) free(taken);
    return status == SENS_OK && !taken ? SENS_NO_MEMORY : status;
}

sens_status generate_source(const struct graph *f, size_t n, size_t np, unsigned wanted, unsigned calls,
                            unsigned widest, char **source, struct generate_found *found)
{
    struct source s = {.f = f, .n = n, .np = np, .calls = calls, .widest = widest, .found = found};
    sens_status status = graph_status(f);
    *source = NULL;
    *found = (struct generate_found){.n_blocks = 0};
    if (status == SENS_OK && !is_right_hand_side(f, n, np)) status = SENS_UNSUPPORTED;
    frame_prelude(&s.text);
    for (int which = 0; status == SENS_OK && which < GENERATE_PRODUCTS; which++) {
        const double start = seconds_now();
        if (!(wanted >> which & 1)) continue;
        s.count = &found->count[which];
        status = writers[which](&s);
        s.count->seconds = seconds_now() - start;
    }
    structure_release(&s.structure);
    status = hand_over(&s.text, status, source);
    if (status != SENS_OK) generate_found_release(found);
    return status;
}

sens_status generate_numbers(const struct graph *graph, enum generate_product which, unsigned widest,
                             char **source, struct generate_count *count)
{
    const double start = seconds_now();
    struct source s = {.widest = widest, .count = count};
    *count = (struct generate_count){.seconds = 0};
    frame_prelude(&s.text);
    const sens_status status = write_scalars(&s, graph, which, 0, graph->n_outputs);
    count->seconds = seconds_now() - start;
    return hand_over(&s.text, status, source);
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
