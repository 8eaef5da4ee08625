/* derive/roll/roll.c - from expressions to classes to operators. */
#include "roll.h"

#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "schedule.h"

enum { MOST_NODES = 1 << 28, FEW_CONSTANTS = 16 };

struct work {
    const struct graph *graph;
    struct cut_node *cut;
    struct normal_place *place;
    uint32_t *level; /* [n_nodes] how many stored values stand on top of each other below a node */
    struct normal normal;
    struct classes classes;
    struct schedule schedule;
    uint32_t *base; /* [n_classes]: the slot of the first member */
    struct rolled *rolled;
};

/* ---- expressions --------------------------------------------------------------------------------------- */

/* A node, written out where it is used, is made of stored values up to this level; a stored one is above it. */
static uint32_t level_of_use(const struct work *w, graph_node k)
{
    return w->level[k] + w->cut[k].stored;
}

static void find_level(struct work *w, graph_node k)
{
    const struct graph_operation *const node = &w->graph->node[k];
    for (unsigned which = 0; which < graph_operands(node->op); which++) {
        const uint32_t level = level_of_use(w, cut_operand(node, which));
        if (level > w->level[k]) w->level[k] = level;
    }
}

static void add_stored(struct work *w)
{
    for (size_t k = 0; k < w->graph->n_nodes && !w->normal.failed; k++) {
        if (!w->cut[k].needed) continue;
        find_level(w, (graph_node)k);
        if (!w->cut[k].stored) continue;
        normal_expression(&w->normal, (graph_node)k);
        const bool in_lanes = w->cut[k].in_lanes;
        const struct class_kind kind = {
            .target = in_lanes ? ROLL_SLOT_LANES : ROLL_SLOT, .in_lanes = in_lanes, .level = w->level[k]};
        w->place[k] = classes_add(&w->classes, &w->normal, &kind);
    }
}

/* An output that is stored is a copy of the slot. */
static void add_outputs(struct work *w, size_t first, size_t count, bool without_zeros)
{
    for (size_t i = 0; i < count && !w->normal.failed; i++) {
        const graph_node k = w->graph->output[first + i];
        if (k == GRAPH_ZERO && without_zeros) continue;
        normal_output(&w->normal, k);
        const struct class_kind kind = {.target = ROLL_OUTPUT,
                                        .in_lanes = w->cut[k].in_lanes,
                                        .output = (uint32_t)i,
                                        .level = level_of_use(w, k)};
        classes_add(&w->classes, &w->normal, &kind);
    }
}

static bool number_slots(struct work *w)
{
    w->base = calloc(w->classes.n_classes + 1, sizeof *w->base);
    if (!w->base) return false;
    for (size_t k = 0; k < w->classes.n_classes; k++) {
        const struct class *class = &w->classes.class[k];
        if (class->target == ROLL_OUTPUT) continue;
        size_t *slots = class->target == ROLL_SLOT ? &w->rolled->slots : &w->rolled->slots_in_lanes;
        w->base[k] = (uint32_t)*slots;
        *slots += class->members;
    }
    return true;
}

/* ---- operators ----------------------------------------------------------------------------------------- */

/* The integers of a member as a row: its target first, classes and places as slots. */
static void fill_row(const struct work *w, const struct class_member *member, const unsigned char *flag,
                     int32_t *row)
{
    const struct class *class = &w->classes.class[member->class];
    const int32_t *integer = w->classes.integer + member->integer;
    int32_t base = 0;
    *row++ = (int32_t)(w->base[member->class] + member->target);
    for (size_t e = 0; e < class->n_integers; e++) {
        if (flag[e] & NORMAL_CLASS) {
            base = (int32_t)w->base[integer[e]];
            continue;
        }
        *row++ = integer[e] + base;
        base = 0;
    }
}

static size_t different(const struct roll_operator *o, size_t e)
{
    int32_t seen[FEW_CONSTANTS + 1];
    size_t count = 0;
    for (size_t m = 0; m < o->members && count <= FEW_CONSTANTS; m++) {
        const int32_t value = o->value[m * o->cover.width + e];
        size_t k = 0;
        while (k < count && seen[k] != value) k++;
        if (k == count) seen[count++] = value;
    }
    return count;
}

/* Constants that differ from member to member: a table in the order of the members. */
static bool tabulate_constants(struct work *w, struct roll_operator *o, const unsigned char *flag,
                               size_t n_integers)
{
    int32_t *index = malloc((o->members + 1) * sizeof *index);
    size_t column = 1;
    for (size_t e = 0; index && e < n_integers; e++) {
        if (flag[e] & NORMAL_CLASS) continue;
        if (flag[e] == (NORMAL_CONSTANT | NORMAL_LAST) && different(o, column) > FEW_CONSTANTS) {
            for (size_t m = 0; m < o->members; m++) index[m] = o->value[m * o->cover.width + column];
            const int32_t first = constants_sequence(&w->normal.constants, index, o->members);
            for (size_t m = 0; m < o->members; m++)
                o->value[m * o->cover.width + column] = first + (int32_t)m;
        }
        column++;
    }
    free(index);
    return index && !w->normal.constants.failed;
}

static bool fill_rows(struct work *w, const struct schedule_part *part, struct roll_operator *o)
{
    const struct class *class = &w->classes.class[part->class];
    unsigned char *flag = malloc(class->n_integers + 1);
    if (!flag) return false;
    normal_flags(o->token, flag);
    size_t width = 1;
    for (size_t e = 0; e < class->n_integers; e++) width += !(flag[e] & NORMAL_CLASS);
    o->cover.width = width;
    o->value = malloc(o->members * width * sizeof *o->value);
    for (size_t m = 0; o->value && m < o->members; m++)
        fill_row(w, &w->classes.member[w->schedule.member[part->first + m]], flag, o->value + m * width);
    const bool done = o->value && tabulate_constants(w, o, flag, class->n_integers);
    free(flag);
    return done;
}

static bool make_operator(struct work *w, const struct schedule_part *part, struct roll_operator *o)
{
    const struct class *class = &w->classes.class[part->class];
    *o = (struct roll_operator){.token = w->rolled->token + class->token,
                                .n_tokens = class->n_tokens,
                                .target = class->target,
                                .in_lanes = class->in_lanes,
                                .sequential = part->sequential && part->members > 1,
                                .members = part->members};
    if (!fill_rows(w, part, o)) return false;
    unsigned char *fixed = calloc(o->cover.width, 1);
    const struct cover_rows rows = {o->value, o->members, o->cover.width, fixed, o->sequential};
    const bool done = fixed && cover_find(&rows, &o->cover);
    free(fixed);
    return done;
}

static bool make_operators(struct work *w)
{
    struct rolled *rolled = w->rolled;
    rolled->token = w->classes.token;
    w->classes.token = NULL;
    rolled->operators = calloc(w->schedule.n_parts + 1, sizeof *rolled->operators);
    if (!rolled->operators) return false;
    for (; rolled->n_operators < w->schedule.n_parts; rolled->n_operators++)
        if (!make_operator(w, &w->schedule.part[rolled->n_operators],
                           &rolled->operators[rolled->n_operators])) {
            rolled->n_operators++;
            return false;
        }
    rolled->constant = w->normal.constants.value;
    rolled->n_constants = w->normal.constants.count;
    w->normal.constants.value = NULL;
    return true;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static bool roll(struct work *w, size_t first, size_t count, bool without_zeros)
{
    add_stored(w);
    add_outputs(w, first, count, without_zeros);
    if (w->normal.failed || w->classes.failed) return false;
    return number_slots(w) && schedule_classes(&w->classes, &w->schedule) && make_operators(w);
}

static void release(struct work *w)
{
    normal_release(&w->normal);
    classes_release(&w->classes);
    schedule_release(&w->schedule);
    free(w->cut);
    free(w->place);
    free(w->level);
    free(w->base);
}

sens_status roll_graph(const struct graph *graph, size_t first, size_t count, bool without_zeros,
                       struct rolled **rolled)
{
    struct work w = {.graph = graph};
    *rolled = NULL;
    if (graph->n_nodes >= MOST_NODES) return SENS_UNSUPPORTED;
    w.cut = malloc(graph->n_nodes * sizeof *w.cut);
    w.place = calloc(graph->n_nodes, sizeof *w.place);
    w.level = calloc(graph->n_nodes + 1, sizeof *w.level);
    w.rolled = calloc(1, sizeof *w.rolled);
    sens_status status = w.cut && w.place && w.level && w.rolled ? SENS_OK : SENS_NO_MEMORY;
    if (status == SENS_OK) status = cut_graph(graph, first, count, w.cut, &w.rolled->operations);
    if (status == SENS_OK) {
        w.normal = (struct normal){.graph = graph, .cut = w.cut, .place = w.place};
        w.normal.known = calloc(graph->n_nodes, sizeof *w.normal.known);
        if (!w.normal.known || !roll(&w, first, count, without_zeros)) status = SENS_NO_MEMORY;
    }
    release(&w);
    if (status == SENS_OK)
        *rolled = w.rolled;
    else
        roll_destroy(w.rolled);
    return status;
}

void roll_destroy(struct rolled *rolled)
{
    if (!rolled) return;
    for (size_t k = 0; k < rolled->n_operators; k++) {
        free(rolled->operators[k].value);
        cover_release(&rolled->operators[k].cover);
    }
    free(rolled->operators);
    free(rolled->token);
    free(rolled->constant);
    free(rolled);
}
