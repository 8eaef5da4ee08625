/* derive/generate/straight.c - what is the same for all lanes once, then the lanes in blocks of the widest vector, and
 * of 4, 2 and 1 where these are shorter. */
#include "straight.h"

#include <stdio.h>
#include <stdlib.h>

#include "generate.h"

enum { NAME_ROOM = 64 };

struct writer {
    struct text *text;
    const struct frame *frame;
    const struct graph *graph;
    const bool *needed, *in_lanes;
};

/* needed [n_nodes]: what these outputs need. */
static void find_needed(const struct graph *graph, size_t first, size_t count, bool *needed)
{
    for (size_t k = 0; k < graph->n_nodes; k++) needed[k] = false;
    for (size_t i = 0; i < count; i++) needed[graph->output[first + i]] = true;
    for (size_t k = graph->n_nodes; k-- > 0;) {
        const unsigned operands = needed[k] ? graph_operands(graph->node[k].op) : 0;
        for (unsigned which = 0; which < operands; which++)
            needed[graph_operand(&graph->node[k], which)] = true;
    }
}

/* Lanes may be multiplied with each other (a product of second order), divided by scalars and selected by
 * scalars. */
static bool allowed(const struct graph_operation *node, const bool *in_lanes)
{
    if (node->op == GRAPH_DIV) return !in_lanes[node->b];
    if (node->op == GRAPH_SELECT) return !in_lanes[node->a];
    return frame_is_linear(node->op);
}

/* in_lanes [n_nodes]: what depends on a leaf in lanes. false: an operation on lanes is not linear. */
static bool find_lanes(const struct graph *graph, const bool *needed, bool *in_lanes)
{
    bool right = true;
    for (size_t k = 0; k < graph->n_nodes; k++) {
        const struct graph_operation *node = &graph->node[k];
        const unsigned operands = graph_operands(node->op);
        in_lanes[k] = operands == 0 && frame_in_lanes(node->op);
        for (unsigned which = 0; which < operands; which++)
            in_lanes[k] = in_lanes[k] || in_lanes[graph_operand(node, which)];
        if (needed[k] && operands > 0 && in_lanes[k] && !allowed(node, in_lanes)) right = false;
    }
    return right;
}

/* What stands for a node in an expression. width: lanes of the block; not used for scalars. */
static void operand_name(const struct writer *w, graph_node k, unsigned width, char name[NAME_ROOM])
{
    const struct graph_operation *node = &w->graph->node[k];
    long double value;
    if (graph_is_constant(w->graph, k, &value)) {
        struct text number = {.at = NULL};
        text_add_number(&number, value);
        char *taken = text_take(&number);
        snprintf(name, NAME_ROOM, "%s", taken ? taken : "");
        if (!taken) w->text->failed = true;
        free(taken);
    } else if (node->op == GRAPH_T)
        snprintf(name, NAME_ROOM, "t");
    else if (frame_in_lanes(node->op))
        snprintf(name, NAME_ROOM, "GET%u(%s + %u * L + l)", width, frame_array(node->op), (unsigned)node->a);
    else if (graph_operands(node->op) == 0)
        snprintf(name, NAME_ROOM, "%s[%u]", frame_array(node->op), (unsigned)node->a);
    else
        snprintf(name, NAME_ROOM, "v%u", (unsigned)k);
}

/* Both sides of a select in lanes have to be vectors of one type, aligned or not. */
static void widen(const struct writer *w, graph_node side, unsigned width, char name[NAME_ROOM])
{
    char given[NAME_ROOM];
    snprintf(given, sizeof given, "%s", name);
    snprintf(name, NAME_ROOM, w->in_lanes[side] ? "(lanes%u)%.40s" : "((lanes%u){0} + %.40s)", width, given);
}

static void statement(const struct writer *w, graph_node k, unsigned width)
{
    const struct graph_operation *node = &w->graph->node[k];
    char name[3][NAME_ROOM] = {"", "", ""};
    long double exponent;
    for (unsigned which = 0; which < graph_operands(node->op); which++)
        operand_name(w, graph_operand(node, which), width, name[which]);
    if (node->op == GRAPH_SELECT && w->in_lanes[k])
        widen(w, node->b, width, name[1]), widen(w, node->c, width, name[2]);
    if (w->in_lanes[k])
        text_add(w->text, "        const lanes%u v%u = ", width, (unsigned)k);
    else
        text_add(w->text, "    const double v%u = ", (unsigned)k);
    frame_operation(w->text, node->op, name[0], name[1], name[2],
                    graph_is_constant(w->graph, node->b, &exponent) ? &exponent : NULL);
    text_add(w->text, ";\n");
}

static void statements(const struct writer *w, bool in_lanes, unsigned width)
{
    for (size_t k = 0; k < w->graph->n_nodes; k++)
        if (w->needed[k] && w->in_lanes[k] == in_lanes && graph_operands(w->graph->node[k].op) > 0)
            statement(w, (graph_node)k, width);
}

static void scalar_outputs(const struct writer *w, size_t first, size_t count)
{
    const char *assign = w->frame->adds ? "+=" : "=";
    for (size_t i = 0; i < count; i++) {
        char name[NAME_ROOM];
        const graph_node k = w->graph->output[first + i];
        if (w->frame->adds && k == GRAPH_ZERO) continue;
        operand_name(w, k, 1, name);
        text_add(w->text, "    OUT[%zu] %s %s;\n", i, assign, name);
    }
}

/* A block of lanes: the step of the loop is its width. */
static void lane_block(const struct writer *w, unsigned width, size_t first, size_t count)
{
    const char *assign = w->frame->adds ? "+=" : "=";
    text_add(w->text, "    for (; l + %u <= L; l += %u) {\n", width, width);
    statements(w, true, width);
    for (size_t i = 0; i < count; i++) {
        char name[NAME_ROOM];
        const graph_node k = w->graph->output[first + i];
        if (w->frame->adds && k == GRAPH_ZERO) continue;
        operand_name(w, k, width, name);
        widen(w, k, width, name);
        text_add(w->text, "        PUT%u(OUT + %zu * L + l) %s %s;\n", width, i, assign, name);
    }
    text_add(w->text, "    }\n");
}

/* 16 lanes are two or more blocks of the widest, and a single lane is one of 1. */
static bool is_written(const struct writer *w, unsigned width)
{
    const unsigned calls = w->frame->calls, wider = GENERATE_BLOCKS & ~(2 * width - 1);
    return calls & width || (width == w->frame->widest && calls & wider) ||
           (width == 1 && calls & GENERATE_ONE_LANE);
}

static void write_function(const struct writer *w, size_t first, size_t count)
{
    frame_open(w->text, w->frame);
    statements(w, false, 1);
    if (!w->frame->lanes) scalar_outputs(w, first, count);
    if (w->frame->lanes) text_add(w->text, "    size_t l = 0;\n    (void)l;\n");
    for (unsigned width = w->frame->widest; w->frame->lanes && width >= 1; width /= 2)
        if (is_written(w, width)) lane_block(w, width, first, count);
    text_add(w->text, "}\n\n");
}

sens_status straight_write(struct text *text, const struct frame *frame, const struct graph *graph,
                           size_t first, size_t count)
{
    bool *needed = calloc(graph->n_nodes, sizeof *needed),
         *in_lanes = calloc(graph->n_nodes, sizeof *in_lanes);
    sens_status status = needed && in_lanes ? SENS_OK : SENS_NO_MEMORY;
    if (status == SENS_OK) {
        find_needed(graph, first, count, needed);
        if (!find_lanes(graph, needed, in_lanes)) status = SENS_UNSUPPORTED;
    }
    if (status == SENS_OK) {
        const struct writer w = {text, frame, graph, needed, in_lanes};
        write_function(&w, first, count);
        if (text->failed) status = SENS_NO_MEMORY;
    }
    free(needed);
    free(in_lanes);
    return status;
}
