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

static record_number number_of(const struct recorder *recorder, graph_node node)
{
    const struct record_words words = {.low = RECORD_MAGIC | node, .high = RECORD_NAN | recorder->tag};
    record_number number;
    memcpy(&number, &words, sizeof number);
    return number;
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

static bool make_room(struct recorder *recorder, size_t wanted)
{
    if (wanted <= recorder->room) return true;
    double *larger = realloc(recorder->value, 2 * wanted * sizeof *larger);
    if (!larger) {
        recorder->status = SENS_NO_MEMORY;
        return false;
    }
    recorder->value = larger;
    recorder->room = 2 * wanted;
    return true;
}

/* graph_operate in double; the most frequent ones without a call. */
static double operate(const struct graph_operation *node, const double *value)
{
    const double a = value[node->a], b = value[node->b];
    switch (node->op) {
    case GRAPH_ADD:
        return a + b;
    case GRAPH_SUB:
        return a - b;
    case GRAPH_MUL:
        return a * b;
    case GRAPH_DIV:
        return a / b;
    default:
        return (double)graph_operate(node->op, a, b, value[node->c]);
    }
}

static double constant_value(const struct graph *graph, graph_node node)
{
    long double value = 0;
    graph_is_constant(graph, node, &value);
    return (double)value;
}

/* Gives the nodes that are new their values; the first whose operation is not finite, or n_nodes. A constant
 * may be infinite: something to compare with. */
static graph_node settle(struct recorder *recorder)
{
    const struct graph *graph = recorder->graph;
    if (!make_room(recorder, graph->n_nodes)) return (graph_node)recorder->valued;
    for (; recorder->valued < graph->n_nodes; recorder->valued++) {
        const graph_node k = (graph_node)recorder->valued;
        const struct graph_operation *node = &graph->node[k];
        if (graph_operands(node->op) == 0) {
            recorder->value[k] = constant_value(graph, k);
            continue;
        }
        recorder->value[k] = operate(node, recorder->value);
        if (!isfinite(recorder->value[k])) break;
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
    if (recorder->status == SENS_OK && make_room(recorder, recorder->graph->n_nodes)) {
        recorder->value[node] = value;
        recorder->valued = recorder->graph->n_nodes;
    }
    return number_of(recorder, node);
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

static void refuse_value(struct recorder *recorder, graph_node node, const void *caller)
{
    const struct graph_operation *operation = &recorder->graph->node[node];
    const unsigned operands = graph_operands(operation->op);
    const graph_node operand[] = {operation->a, operation->b, operation->c};
    char place[PLACE_TEXT], text[128] = "";
    size_t length = 0;
    for (unsigned k = 0; k < operands && length < sizeof text; k++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%.9g", k ? ", " : "",
                                   recorder->value[operand[k]]);
    bench_refuse(recorder->error, "%s: %s(%s) is not finite, at the point of the recording",
                 place_of(caller, place), graph_op_name(operation->op), text);
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

/* The node of an operand; a number of an earlier recording (kept in memory that outlived it) is none. */
static graph_node operand(struct recorder *recorder, record_number number, const void *caller)
{
    const struct record_words words = record_words(number);
    if (recorder_is_node(number) && (words.high & TAG) != recorder->tag)
        recorder_refuse(caller, "a number that was left in memory by another call");
    return recorder_node(recorder, number);
}

/* A constant stays one. */
static record_number result(struct recorder *recorder, graph_node node, const void *caller)
{
    long double constant;
    settle_or_leave(recorder, caller);
    return graph_is_constant(recorder->graph, node, &constant) ? constant : number_of(recorder, node);
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
    return result(recorder, graph_apply(recorder->graph, op, x, y, z), caller);
}

static record_number without_sign(record_number number)
{
    return recorder_is_node(number) && recorder_minus(number) ? -number : number;
}

record_number recorder_apply_plain(enum graph_op op, record_number a, record_number b, const void *caller)
{
    return recorder_apply(op, without_sign(a), without_sign(b), 0, caller);
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
