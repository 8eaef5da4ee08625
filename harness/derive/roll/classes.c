/* derive/roll/classes.c - found by a hash of the tokens, and compared token by token. */
#include "classes.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

enum { FIRST_SLOTS = 256, MOST_PLACES = 1 << 26 };

static bool ensure(struct classes *c, size_t tokens, size_t integers)
{
    c->failed = c->failed || !array_grow(&c->class, c->n_classes + 1, &c->class_room, sizeof *c->class) ||
                !array_grow(&c->member, c->n_members + 1, &c->member_room, sizeof *c->member) ||
                !array_grow(&c->token, c->n_tokens + tokens, &c->token_room, sizeof *c->token) ||
                !array_grow(&c->integer, c->n_integers + integers, &c->integer_room, sizeof *c->integer);
    return !c->failed;
}

static uint64_t hash_of(const struct normal *normal, enum roll_target target, bool in_lanes)
{
    uint64_t hash = (uint64_t)target * 2 + in_lanes + 1;
    for (size_t k = 0; k < normal->n_tokens; k++) {
        hash = (hash ^ normal->token[k]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_class(const struct classes *c, const struct class *class, const struct normal *normal,
                     enum roll_target target, bool in_lanes, uint64_t hash)
{
    return class->hash == hash && class->target == target && class->in_lanes == in_lanes &&
           class->n_tokens == normal->n_tokens &&
           memcmp(c->token + class->token, normal->token, class->n_tokens * sizeof *c->token) == 0;
}

static bool widen(struct classes *c)
{
    const size_t slots = c->slots ? 2 * c->slots : FIRST_SLOTS;
    uint32_t *slot = calloc(slots, sizeof *slot);
    c->failed = !slot;
    if (!slot) return false;
    for (size_t k = 0; k < c->n_classes; k++) {
        size_t at = c->class[k].hash & (slots - 1);
        while (slot[at]) at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)k + 1;
    }
    free(c->slot);
    c->slot = slot;
    c->slots = slots;
    return true;
}

struct index { /* of an expression: which integer, and one more than the largest that it can be */
    size_t integer;
    uint32_t range;
};

/* Leaves with several indices: the first, and the first of another index, or, where there is none, the second. */
static void take_leaf(const struct normal *normal, struct index leaf, struct index found[2], size_t *leaves)
{
    if (leaf.range < 2) return;
    const int32_t first = normal->integer[found[0].integer];
    const bool same = *leaves > 1 && normal->integer[found[1].integer] == first;
    if (*leaves < 2 || (same && normal->integer[leaf.integer] != first)) found[*leaves > 0] = leaf;
    ++*leaves;
}

/* second.range = 1: there is none. */
static void follow(struct class *class, struct index first, struct index second)
{
    if ((uint64_t)first.range * second.range > MOST_PLACES) return;
    class->index[0] = first.integer;
    class->index[1] = second.integer;
    class->stride = second.range;
    class->pairs = second.range > 1;
}

/* What a place follows from, by the first member: a stored value that stands for a pair; else a stored value, that
 * which there is most of, and a leaf of another index; else up to two leaves. Members that are the same in it may still
 * differ otherwise: such classes are found later (roll.c). */
static void choose_places(const struct classes *c, const struct normal *normal, struct class *class)
{
    const uint32_t *const range = c->places->range;
    struct index leaf[2] = {{0, 0}, {0, 0}}, stored = {0, 0};
    size_t integer = 0, leaves = 0;
    bool pair = false;
    for (size_t k = 0; k < c->places->n_counted; k++)
        if (c->places->counted[k] == class->hash) return;
    for (size_t k = 0; k < normal->n_tokens; k++) {
        const roll_token token = normal->token[k];
        if (roll_kind(token) == ROLL_RUN) return;
        if (roll_kind(token) == ROLL_STORED) {
            const struct class *const used = &c->class[normal->integer[integer++]];
            if (used->pairs > pair || (used->pairs == pair && used->places > stored.range))
                stored = (struct index){integer, used->places}, pair = used->pairs;
        } else if (roll_kind(token) == ROLL_LEAF)
            take_leaf(normal, (struct index){integer, range[roll_detail(token)]}, leaf, &leaves);
        integer += roll_has_quantity(token);
    }
    const struct index none = {0, 1};
    if (stored.range == 0 && leaves > 0)
        follow(class, leaf[0], leaves > 1 ? leaf[1] : none);
    else if (stored.range > 0 && !pair && leaves > 0 &&
             normal->integer[leaf[0].integer] != normal->integer[stored.integer])
        follow(class, stored, leaf[0]);
    else if (stored.range > 0) {
        follow(class, stored, none);
        class->pairs = pair;
    }
}

static uint32_t place_in(const struct class *class, const struct normal *normal)
{
    if (class->stride == 0) return class->members;
    const uint32_t first = (uint32_t)normal->integer[class->index[0]];
    return class->stride == 1 ? first : first * class->stride + (uint32_t)normal->integer[class->index[1]];
}

/* A class with the tokens of the expression, new if need be. */
static uint32_t class_of(struct classes *c, const struct normal *normal, enum roll_target target,
                         bool in_lanes)
{
    const uint64_t hash = hash_of(normal, target, in_lanes);
    size_t at = hash & (c->slots - 1);
    while (c->slot[at] && !is_class(c, &c->class[c->slot[at] - 1], normal, target, in_lanes, hash))
        at = (at + 1) & (c->slots - 1);
    if (c->slot[at]) return c->slot[at] - 1;
    c->class[c->n_classes] = (struct class){.token = c->n_tokens,
                                            .n_tokens = normal->n_tokens,
                                            .n_integers = normal->n_integers,
                                            .target = target,
                                            .in_lanes = in_lanes,
                                            .hash = hash};
    if (c->places) choose_places(c, normal, &c->class[c->n_classes]);
    memcpy(c->token + c->n_tokens, normal->token, normal->n_tokens * sizeof *c->token);
    c->n_tokens += normal->n_tokens;
    c->slot[at] = (uint32_t)++c->n_classes;
    return (uint32_t)c->n_classes - 1;
}

struct normal_place classes_add(struct classes *c, const struct normal *normal, const struct class_kind *kind)
{
    struct normal_place place = {0, 0};
    const bool is_output = kind->target == ROLL_OUTPUT;
    if (!ensure(c, normal->n_tokens, normal->n_integers)) return place;
    if (2 * c->n_classes >= c->slots && !widen(c)) return place;
    place.class = class_of(c, normal, kind->target, kind->in_lanes);
    struct class *const class = &c->class[place.class];
    place.member = place_in(class, normal);
    class->members++;
    if (class->places <= place.member) class->places = place.member + 1;
    c->member[c->n_members++] = (struct class_member){.class = place.class,
                                                      .target = is_output ? kind->output : place.member,
                                                      .level = kind->level,
                                                      .integer = c->n_integers};
    memcpy(c->integer + c->n_integers, normal->integer, normal->n_integers * sizeof *c->integer);
    c->n_integers += normal->n_integers;
    return place;
}

void classes_release(struct classes *c)
{
    free(c->class);
    free(c->member);
    free(c->token);
    free(c->integer);
    free(c->slot);
}
