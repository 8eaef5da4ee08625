/* derive/roll/classes.c - found by a hash of the tokens, and compared token by token. */
#include "classes.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

enum { FIRST_SLOTS = 256 };

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
    place.member = c->class[place.class].members++;
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
