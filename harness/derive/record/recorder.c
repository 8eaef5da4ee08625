/* harness/derive/record/recorder.c - see recorder.h. */
#include "recorder.h"

#include <math.h>
#include <stdio.h> /* snprintf */
#include <stdlib.h>
#include <string.h>

#include "place.h"

/* The one thing here that is not handed on by arguments: the functions below are called by compilers, who
 * have none to spare for it. One a thread. */
static _Thread_local struct recorder *active;

static const uint64_t TAG = (UINT64_C(1) << 47) - 1;

static struct record_words words_of(const struct recorder *recorder, graph_node node)
{
    return (struct record_words){.low = RECORD_MAGIC | node, .high = RECORD_NAN | recorder->tag};
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

/* As much as the graph has. */
static bool make_room(struct recorder *recorder)
{
    const size_t wanted = recorder->graph->node_room;
    if (wanted <= recorder->room) return true;
    double *larger = realloc(recorder->value, wanted * sizeof *larger);
    if (!larger) {
        recorder->status = SENS_NO_MEMORY;
        return false;
    }
    recorder->value = larger;
    recorder->room = wanted;
    return true;
}

static double constant_value(const struct graph *graph, graph_node node)
{
    long double value = 0;
    graph_is_constant(graph, node, &value);
    return (double)value;
}

/* The value of a node, in double: graph_operate, the most frequent operations without a call. */
static double node_value(const struct recorder *recorder, graph_node k)
{
    const struct graph_operation *node = &recorder->graph->node[k];
    const double *value = recorder->value;
    switch (node->op) {
    case GRAPH_CONSTANT:
        return constant_value(recorder->graph, k);
    case GRAPH_ADD:
        return value[node->a] + value[node->b];
    case GRAPH_SUB:
        return value[node->a] - value[node->b];
    case GRAPH_MUL:
        return value[node->a] * value[node->b];
    case GRAPH_DIV:
        return value[node->a] / value[node->b];
    default:
        return (double)graph_operate(node->op, value[node->a], value[node->b], value[node->c]);
    }
}

/* Gives the nodes that are new, constants and operations, their values; the first whose operation is not
 * finite, or n_nodes. A constant may be infinite: something to compare with. */
static graph_node settle(struct recorder *recorder)
{
    const struct graph *graph = recorder->graph;
    if (!make_room(recorder)) return (graph_node)recorder->valued;
    for (; recorder->valued < graph->n_nodes; recorder->valued++) {
        const graph_node k = (graph_node)recorder->valued;
        recorder->value[k] = node_value(recorder, k);
        if (!isfinite(recorder->value[k]) && graph->node[k].op != GRAPH_CONSTANT) break;
    }
    return (graph_node)recorder->valued;
}

/* Tells the recordings of a thread, and those of several, apart. */
static uint64_t next_tag(void)
{
    static _Thread_local uint64_t count;
    return (++count * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)&count) & TAG;
}

bool recorder_begin(struct recorder *recorder, struct graph *graph, struct bench_error *error)
{
    *recorder = (struct recorder){.graph = graph, .tag = next_tag(), .error = error};
    if (settle(recorder) < graph->n_nodes) return false;
    active = recorder;
    return true;
}

void recorder_end(struct recorder *recorder)
{
    if (active == recorder) active = NULL;
    free(recorder->value);
    recorder->value = NULL;
}

record_number recorder_leaf(struct recorder *recorder, enum graph_op leaf, size_t index, double value)
{
    const graph_node node = graph_leaf(recorder->graph, leaf, index);
    if (graph_status(recorder->graph) != SENS_OK) recorder->status = graph_status(recorder->graph);
    if (recorder->status == SENS_OK && make_room(recorder)) {
        recorder->value[node] = value;
        recorder->valued = recorder->graph->n_nodes;
    }
    return record_of_words(words_of(recorder, node));
}

/* ---- failures ------------------------------------------------------------------------------------------ */

static void leave(struct recorder *recorder, sens_status status)
{
    recorder->status = status;
    longjmp(recorder->escape, 1);
}

void recorder_refuse(const void *caller, const char *what)
{
    char place[PLACE_TEXT];
    if (!active) return;
    bench_refuse(active->error, "%s: %s", place_of(caller, place), what);
    leave(active, SENS_UNSUPPORTED);
}

/* "pow(0, 0.5)" */
static const char *operation_text(const struct recorder *recorder, graph_node node, char text[128])
{
    const struct graph_operation *operation = &recorder->graph->node[node];
    const unsigned operands = graph_operands(operation->op);
    size_t length = (size_t)snprintf(text, 128, "%s(", graph_op_name(operation->op));
    for (unsigned k = 0; k < operands && length < 128; k++)
        length +=
            (size_t)snprintf(text + length, 128 - length, "%s%.9g%s", k ? ", " : "",
                             recorder->value[graph_operand(operation, k)], k + 1 == operands ? ")" : "");
    return text;
}

static void refuse_value(struct recorder *recorder, graph_node node, const void *caller)
{
    char place[PLACE_TEXT], text[128];
    bench_refuse(recorder->error, "%s: %s is not finite, at the point of the recording",
                 place_of(caller, place), operation_text(recorder, node, text));
    leave(recorder, SENS_NONFINITE);
}

static void refuse_slope(struct recorder *recorder, graph_node node, const void *caller)
{
    char place[PLACE_TEXT], text[128];
    bench_refuse(recorder->error, "%s: the derivative of %s is not finite", place_of(caller, place),
                 operation_text(recorder, node, text));
    leave(recorder, SENS_NONFINITE);
}

/* After every change of the graph. */
static void settle_or_leave(struct recorder *recorder, const void *caller)
{
    if (graph_status(recorder->graph) != SENS_OK) leave(recorder, graph_status(recorder->graph));
    if (recorder->valued == recorder->graph->n_nodes) return;
    const graph_node node = settle(recorder);
    if (recorder->status != SENS_OK) leave(recorder, recorder->status);
    if (node < recorder->graph->n_nodes) refuse_value(recorder, node, caller);
}

/* ---- operations ---------------------------------------------------------------------------------------- */

graph_node recorder_node(struct recorder *recorder, record_number number)
{
    const struct record_words words = record_words(number);
    if (!recorder_is_node(number)) return graph_constant(recorder->graph, (long double)number);
    const graph_node node = (graph_node)words.low;
    return words.high & RECORD_SIGN ? graph_apply(recorder->graph, GRAPH_NEG, node, 0, 0) : node;
}

bool recorder_owns(const struct recorder *recorder, record_number number)
{
    return !recorder_is_node(number) || (record_words(number).high & TAG) == recorder->tag;
}

/* A number of an earlier recording (kept in memory that outlived it) is none of this one. */
static void check_tag(const struct recorder *recorder, struct record_words words, const void *caller)
{
    if ((words.high & TAG) != recorder->tag)
        recorder_refuse(caller, "a number that was left in memory by another call");
}

static graph_node operand(struct recorder *recorder, record_number number, const void *caller)
{
    if (recorder_is_node(number)) check_tag(recorder, record_words(number), caller);
    return recorder_node(recorder, number);
}

/* The same without its sign. */
static graph_node operand_plain(struct recorder *recorder, struct record_words words, const void *caller)
{
    if (!record_words_are_node(words))
        return graph_constant(recorder->graph, (long double)record_of_words(words));
    check_tag(recorder, words, caller);
    return (graph_node)words.low;
}

/* A constant stays one. */
static struct record_words result(struct recorder *recorder, graph_node node, const void *caller)
{
    long double constant;
    settle_or_leave(recorder, caller);
    if (recorder->slopes && graph_lacks_slope(recorder->graph, node, recorder->value))
        refuse_slope(recorder, node, caller);
    if (recorder->graph->node[node].op != GRAPH_CONSTANT) return words_of(recorder, node);
    graph_is_constant(recorder->graph, node, &constant);
    return record_words(constant);
}

static const record_number NOT_RECORDING = NAN;

record_number recorder_apply(enum graph_op op, record_number a, record_number b, record_number c,
                             const void *caller)
{
    struct recorder *const recorder = active;
    if (!recorder) return NOT_RECORDING;
    const graph_node x = operand(recorder, a, caller);
    const graph_node y = graph_operands(op) > 1 ? operand(recorder, b, caller) : 0;
    const graph_node z = graph_operands(op) > 2 ? operand(recorder, c, caller) : 0;
    settle_or_leave(recorder, caller);
    return record_of_words(result(recorder, graph_apply(recorder->graph, op, x, y, z), caller));
}

struct record_words recorder_apply_plain(enum graph_op op, struct record_words a, struct record_words b,
                                         const void *caller)
{
    struct recorder *const recorder = active;
    if (!recorder) return record_words(NOT_RECORDING);
    const graph_node x = operand_plain(recorder, a, caller), y = operand_plain(recorder, b, caller);
    settle_or_leave(recorder, caller);
    return result(recorder, graph_apply(recorder->graph, op, x, y, 0), caller);
}

bool recorder_compare(enum graph_comparison comparison, record_number a, record_number b, const void *caller)
{
    struct recorder *const recorder = active;
    if (!recorder) return false;
    const graph_node x = operand(recorder, a, caller), y = operand(recorder, b, caller);
    settle_or_leave(recorder, caller);
    const bool held = graph_holds(comparison, recorder->value[x], recorder->value[y]);
    graph_add_guard(recorder->graph, comparison, x, y, held);
    settle_or_leave(recorder, caller);
    return held;
}
