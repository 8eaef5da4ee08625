/* derive/tape/compile_tape.c - the plan of a tape, and its life. */
#include "compile_tape.h"

#include <stdlib.h>

#include "array.h"
#include "tape_plan.h"

bool words_grow(struct words *words, size_t count)
{
    return array_grow(&words->at, count, &words->room, sizeof *words->at);
}

void words_free(struct words *words)
{
    free(words->at);
    *words = (struct words){.at = NULL};
}

void plan_fail(struct plan *plan, sens_status status)
{
    if (plan->status == SENS_OK) plan->status = status;
}

bool is_lane(const struct plan *plan, graph_node node)
{
    return node < plan->n_original && plan->lane[node];
}

bool is_row_of_v(const struct plan *plan, graph_node node)
{
    return plan->g->node[node].op == plan->request.vector;
}

bool is_lane_op(enum sens_tape_op op)
{
    return op >= SENS_TAPE_LANE_LOAD;
}

struct item *plan_item(struct plan *plan, enum sens_tape_op op, graph_node node)
{
    if (plan->n_items >= UINT32_MAX / 2 ||
        !array_grow(&plan->item, plan->n_items + 1, &plan->item_room, sizeof *plan->item))
        plan_fail(plan, SENS_NO_MEMORY);
    if (plan->status != SENS_OK) return &plan->none;
    struct item *item = &plan->item[plan->n_items++];
    *item = (struct item){.op = op, .node = node, .first = plan->operand.count, .end = plan->operand.count};
    return item;
}

void plan_operand(struct plan *plan, uint32_t word)
{
    if (plan->status != SENS_OK) return;
    if (!words_push(&plan->operand, word)) plan_fail(plan, SENS_NO_MEMORY);
    plan->item[plan->n_items - 1].end = plan->operand.count;
}

void plan_parts(struct plan *plan)
{
    struct words *to = &plan->operand;
    for (size_t k = 0; k < 4 && plan->status == SENS_OK; k++) {
        struct item *item = &plan->item[plan->n_items - 1];
        struct words *part = &plan->part[k];
        if (to->count + part->count > to->room && !words_grow(to, to->count + part->count)) {
            plan_fail(plan, SENS_NO_MEMORY);
            return;
        }
        for (size_t i = 0; i < part->count; i++) to->at[to->count++] = part->at[i];
        item->part[k] = (uint32_t)(part->count / 2);
        item->end = to->count;
        part->count = 0;
    }
}

/* ---- what depends on a vector ---------------------------------------------------------------------------- */

static bool is_vector(enum graph_op op)
{
    return op == GRAPH_W || op == GRAPH_DT || op == GRAPH_DX || op == GRAPH_DP;
}

static void find_lanes(struct plan *plan)
{
    for (size_t k = 0; k < plan->n_original; k++) {
        const struct graph_operation *node = &plan->g->node[k];
        plan->lane[k] = graph_operands(node->op)
                            ? plan->lane[node->a] || plan->lane[node->b] || plan->lane[node->c]
                            : is_vector(node->op);
    }
}

/* A copy of the product that may grow; false: no memory. */
static bool start(struct plan *plan, const struct graph *product)
{
    plan->g = graph_copy(product);
    if (plan->g) {
        for (size_t i = 0; i < product->n_outputs; i++) graph_add_output(plan->g, product->output[i]);
        plan->n_original = plan->g->n_nodes;
        plan->lane = calloc(plan->n_original, sizeof *plan->lane);
        plan->uses = calloc(plan->n_original, sizeof *plan->uses);
        plan->item_of = calloc(plan->n_original, sizeof *plan->item_of);
    }
    return plan->g && plan->lane && plan->uses && plan->item_of;
}

/* Values have more nodes than there were: factors of lane values. */
static void widen(struct plan *plan)
{
    const size_t nodes = plan->g->n_nodes;
    uint32_t *item_of = realloc(plan->item_of, nodes * sizeof *item_of);
    if (item_of) plan->item_of = item_of;
    free(plan->uses);
    plan->uses = calloc(nodes, sizeof *plan->uses);
    if (!item_of || !plan->uses) {
        plan_fail(plan, SENS_NO_MEMORY);
        return;
    }
    for (size_t k = plan->n_original; k < nodes; k++) item_of[k] = NO_ITEM;
}

static void plan_free(struct plan *plan)
{
    graph_destroy(plan->g);
    free(plan->lane);
    free(plan->uses);
    free(plan->item_of);
    free(plan->item);
    words_free(&plan->operand);
    words_free(&plan->todo);
    words_free(&plan->guards);
    words_free(&plan->roots);
    for (size_t k = 0; k < 4; k++) words_free(&plan->part[k]);
}

static void make_plan(struct plan *plan, const struct graph *product)
{
    if (!start(plan, product)) {
        plan_fail(plan, SENS_NO_MEMORY);
        return;
    }
    plan->one = graph_constant(plan->g, 1);
    find_lanes(plan);
    plan_lanes(plan);
    if (plan->status == SENS_OK) widen(plan);
    if (plan->status == SENS_OK) plan_values(plan);
    plan_fail(plan, graph_status(plan->g));
}

sens_status tape_compile(const struct graph *product, const struct tape_request *request,
                         struct sens_tape **tape)
{
    struct plan plan = {.request = *request};
    *tape = NULL;
    if (graph_status(product) != SENS_OK) return graph_status(product);
    make_plan(&plan, product);
    uint32_t *order = plan.status == SENS_OK ? calloc(plan.n_items + 1, sizeof *order) : NULL;
    if (!order) plan_fail(&plan, SENS_NO_MEMORY);
    if (plan.status == SENS_OK) plan_order(&plan, order);
    if (plan.status == SENS_OK) plan_fail(&plan, plan_emit(&plan, order, tape));
    free(order);
    plan_free(&plan);
    return plan.status;
}

void tape_destroy(struct sens_tape *tape)
{
    if (!tape) return;
    free((void *)tape->constant);
    free((void *)tape->strip);
    free((void *)tape->block);
    free((void *)tape->index);
    free(tape);
}

struct tape_cost tape_cost(const struct sens_tape *tape)
{
    struct tape_cost cost = {0, 0};
    const size_t blocks = tape->n_strips ? tape->strip[tape->n_strips - 1].end : 0;
    for (size_t k = 0; k < blocks; k++) {
        const struct sens_tape_block *block = &tape->block[k];
        const double pairs = (double)block->part[0] + block->part[1] + block->part[2] + block->part[3];
        if (block->op == SENS_TAPE_SUM)
            cost.values += block->rows * (2 * pairs - 1);
        else if (block->op == SENS_TAPE_LANE_SUM)
            cost.lane += block->rows * (2 * pairs - (block->goal != SENS_TAPE_ADDED && pairs > 0));
        else if (block->op == SENS_TAPE_LANE_PRODUCT)
            cost.lane += block->rows;
        else if (block->op < SENS_TAPE_SUM && block->op != SENS_TAPE_COPY && block->op != SENS_TAPE_NEG)
            cost.values += block->rows;
    }
    return cost;
}
