/* derive/roll/constants.c - single constants by a hash table, sequences appended unless the last one is the same. */
#include "constants.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

enum { FIRST_SLOTS = 64, SEARCHED = 4096 };

static bool ensure(struct constants *c, size_t more)
{
    c->failed = c->failed || !array_grow(&c->value, c->count + more, &c->room, sizeof *c->value);
    return !c->failed;
}

static size_t hash(long double value)
{
    const double rounded = (double)value;
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    bits *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(bits >> 20);
}

/* NaN are one. */
static bool same(long double a, long double b)
{
    return a == b || (a != a && b != b);
}

static size_t slot_of(const struct constants *c, const uint32_t *slot, size_t slots, long double value)
{
    size_t at = hash(value) & (slots - 1);
    while (slot[at] && !same(c->value[slot[at] - 1], value)) at = (at + 1) & (slots - 1);
    return at;
}

static bool widen(struct constants *c)
{
    const size_t slots = c->slots ? 2 * c->slots : FIRST_SLOTS;
    uint32_t *slot = calloc(slots, sizeof *slot);
    c->failed = !slot;
    if (!slot) return false;
    for (size_t k = 0; k < c->slots; k++)
        if (c->slot[k]) slot[slot_of(c, slot, slots, c->value[c->slot[k] - 1])] = c->slot[k];
    free(c->slot);
    c->slot = slot;
    c->slots = slots;
    return true;
}

int32_t constants_index(struct constants *c, long double value)
{
    if (!ensure(c, 1) || (2 * c->singles >= c->slots && !widen(c))) return 0;
    const size_t at = slot_of(c, c->slot, c->slots, value);
    if (!c->slot[at]) {
        c->value[c->count++] = value;
        c->slot[at] = (uint32_t)c->count;
        c->singles++;
    }
    return (int32_t)c->slot[at] - 1;
}

static bool sequence_at(const struct constants *c, size_t first, const int32_t *index, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!same(c->value[first + k], c->value[index[k]])) return false;
    return true;
}

int32_t constants_sequence(struct constants *c, const int32_t *index, size_t count)
{
    if (!ensure(c, count)) return 0;
    const size_t last = c->count >= count ? c->count - count : 0,
                 first = last > SEARCHED ? last - SEARCHED : 0;
    for (size_t at = first; c->count >= count && at <= last; at++)
        if (sequence_at(c, at, index, count)) return (int32_t)at;
    for (size_t k = 0; k < count; k++) c->value[c->count + k] = c->value[index[k]];
    c->count += count;
    return (int32_t)(c->count - count);
}

void constants_release(struct constants *c)
{
    free(c->value);
    free(c->slot);
    *c = (struct constants){.value = NULL};
}
