/* derive/roll/roll.c - from expressions to classes to operators. */
#include "roll.h"

#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "schedule.h"

enum {
    MOST_NODES = 1 << 28,
    FEW_CONSTANTS = 16,
    FEW_OPERATORS = 16, /* which are not tried to be made fewer */
    FEW_A_STATE = 16,   /* stored values of a class by states: pairs of 33 and more are more */
    GAPS = 4            /* places of stored values are at most so many times the values */
};

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
        *slots += class->places;
    }
    return true;
}

/* The places of these classes are to be counted. SENS_UNSUPPORTED: now they are; SENS_OK: there were none. */
static sens_status count_places(const struct work *w, const bool *wrong, struct class_places *places)
{
    sens_status status = SENS_OK;
    for (size_t k = 0; k < w->classes.n_classes; k++) {
        if (!wrong[k]) continue;
        status = SENS_UNSUPPORTED;
        if (places->n_counted < CLASS_MOST_COUNTED)
            places->counted[places->n_counted++] = w->classes.class[k].hash;
    }
    return status;
}

/* Two values of a class may not have one place. */
static bool find_shared(const struct work *w, bool *wrong)
{
    const size_t slots = w->rolled->slots;
    bool *taken = calloc(slots + w->rolled->slots_in_lanes + 1, sizeof *taken);
    for (size_t m = 0; taken && m < w->classes.n_members; m++) {
        const struct class_member *const member = &w->classes.member[m];
        const enum roll_target target = w->classes.class[member->class].target;
        if (target == ROLL_OUTPUT) continue;
        const size_t slot = w->base[member->class] + member->target + (target == ROLL_SLOT ? 0 : slots);
        wrong[member->class] = wrong[member->class] || taken[slot];
        taken[slot] = true;
    }
    free(taken);
    return taken;
}

/* Does each stored value have a place of its own, and are these not too many? SENS_UNSUPPORTED: not yet;
 * SENS_NO_MEMORY. */
static sens_status check_places(const struct work *w, struct class_places *places)
{
    bool *wrong = calloc(w->classes.n_classes + 1, sizeof *wrong);
    if (!wrong) return SENS_NO_MEMORY;
    const bool many = w->rolled->slots + w->rolled->slots_in_lanes > GAPS * w->classes.n_members;
    for (size_t k = 0; many && k < w->classes.n_classes; k++) {
        const struct class *const class = &w->classes.class[k];
        wrong[k] = class->target != ROLL_OUTPUT && class->places > GAPS * (size_t) class->members;
    }
    sens_status status = count_places(w, wrong, places);
    if (status == SENS_OK) status = find_shared(w, wrong) ? count_places(w, wrong, places) : SENS_NO_MEMORY;
    free(wrong);
    return status;
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
    o->value = calloc(o->members * width, sizeof *o->value);
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

/* As check_places; places may be NULL: they are counted. */
static sens_status roll(struct work *w, size_t first, size_t count, bool without_zeros,
                        struct class_places *places)
{
    add_stored(w);
    add_outputs(w, first, count, without_zeros);
    if (w->normal.failed || w->classes.failed || !number_slots(w)) return SENS_NO_MEMORY;
    const sens_status status = places ? check_places(w, places) : SENS_OK;
    if (status != SENS_OK) return status;
    return schedule_classes(&w->classes, &w->schedule) && make_operators(w) ? SENS_OK : SENS_NO_MEMORY;
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

static size_t most_stored(const struct classes *classes)
{
    size_t most = 0;
    for (size_t k = 0; k < classes->n_classes; k++)
        if (classes->class[k].target != ROLL_OUTPUT && classes->class[k].members > most)
            most = classes->class[k].members;
    return most;
}

/* *most: stored values of one class. */
static sens_status roll_with(const struct graph *graph, size_t first, size_t count, bool without_zeros,
                             struct class_places *places, size_t *most, struct rolled **rolled)
{
    struct work w = {.graph = graph, .classes = {.places = places}};
    w.cut = malloc(graph->n_nodes * sizeof *w.cut);
    w.place = calloc(graph->n_nodes, sizeof *w.place);
    w.level = calloc(graph->n_nodes + 1, sizeof *w.level);
    w.rolled = calloc(1, sizeof *w.rolled);
    sens_status status = w.cut && w.place && w.level && w.rolled ? SENS_OK : SENS_NO_MEMORY;
    if (status == SENS_OK) status = cut_graph(graph, first, count, w.cut, &w.rolled->operations);
    if (status == SENS_OK) {
        w.normal = (struct normal){.graph = graph, .cut = w.cut, .place = w.place};
        w.normal.known = calloc(graph->n_nodes, sizeof *w.normal.known);
        status = w.normal.known ? roll(&w, first, count, without_zeros, places) : SENS_NO_MEMORY;
    }
    *most = most_stored(&w.classes);
    release(&w);
    if (status == SENS_OK)
        *rolled = w.rolled;
    else
        roll_destroy(w.rolled);
    return status;
}

/* One more than the largest index of the leaves of each kind. */
static void find_ranges(const struct graph *graph, uint32_t range[GRAPH_OPS])
{
    memset(range, 0, GRAPH_OPS * sizeof *range);
    for (size_t k = 0; k < graph->n_nodes; k++) {
        const struct graph_operation *const node = &graph->node[k];
        if (graph_operands(node->op) == 0 && node->op != GRAPH_CONSTANT && node->a >= range[node->op])
            range[node->op] = node->a + 1;
    }
}

/* With places that follow from indices, in some tries: what is counted of one class is another index in others. */
static sens_status roll_by_places(const struct graph *graph, size_t first, size_t count, bool without_zeros,
                                  struct class_places *places, struct rolled **rolled)
{
    enum { TRIES = 4 };
    size_t most;
    sens_status status = SENS_UNSUPPORTED;
    for (int k = 0; k < TRIES && status == SENS_UNSUPPORTED; k++)
        status = roll_with(graph, first, count, without_zeros, places, &most, rolled);
    return status;
}

static uint32_t largest_range(const struct class_places *places)
{
    uint32_t largest = 0;
    for (size_t op = 0; op < GRAPH_OPS; op++)
        if (op != GRAPH_P && op != GRAPH_DP && places->range[op] > largest) largest = places->range[op];
    return largest;
}

sens_status roll_graph(const struct graph *graph, size_t first, size_t count, bool without_zeros,
                       struct rolled **rolled)
{
    struct class_places places = {.n_counted = 0};
    struct rolled *other = NULL;
    size_t most;
    *rolled = NULL;
    if (graph->n_nodes >= MOST_NODES) return SENS_UNSUPPORTED;
    const sens_status status = roll_with(graph, first, count, without_zeros, NULL, &most, rolled);
    if (status != SENS_OK || (*rolled)->n_operators <= FEW_OPERATORS) return status;
    find_ranges(graph, places.range);
    if (most <= FEW_A_STATE * (size_t)largest_range(&places)) return SENS_OK; /* these are no pairs */
    if (roll_by_places(graph, first, count, without_zeros, &places, &other) != SENS_OK) return SENS_OK;
    const bool fewer = other->n_operators < (*rolled)->n_operators;
    roll_destroy(fewer ? *rolled : other);
    if (fewer) *rolled = other;
    return SENS_OK;
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
