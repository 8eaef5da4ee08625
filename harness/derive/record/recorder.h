/* harness/derive/record/recorder.h - what records, while a right-hand side runs.
 *
 * A recorded number is a quiet NaN of 128 bits:
 *
 *     sign | exponent 7fff | quiet 1 | tag of the recording, 47 bits || magic, 32 bits | node, 32 bits
 *
 * The sign means "minus that node", because compilers change signs in place. Every other pattern is a
 * constant, so that zeroed memory is 0. Each node has its value at the point of the recording, in double,
 * which decides the comparisons. The first failure leaves the right-hand side at once (longjmp; it is a pure
 * function, and holds nothing): no number is made up for it to go on with. */
#ifndef DERIVE_RECORDER_H
#define DERIVE_RECORDER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "graph.h"
#include "refuse.h"

__extension__ typedef __float128 record_number;

struct record_words {
    uint64_t low, high;
};

static const uint64_t RECORD_SIGN = UINT64_C(1) << 63, RECORD_NAN = UINT64_C(0x7fff8) << 44,
                      RECORD_MAGIC = UINT64_C(0x5e25b0d1) << 32;

static inline struct record_words record_words(record_number number)
{
    struct record_words words;
    memcpy(&words, &number, sizeof words);
    return words;
}

static inline record_number record_of_words(struct record_words words)
{
    record_number number;
    memcpy(&number, &words, sizeof number);
    return number;
}

static inline bool record_words_are_node(struct record_words words)
{
    return (words.high & RECORD_NAN) == RECORD_NAN &&
           (words.low & UINT64_C(0xffffffff00000000)) == RECORD_MAGIC;
}

static inline bool recorder_is_node(record_number number)
{
    return record_words_are_node(record_words(number));
}

/* The sign bit. */
static inline bool recorder_minus(record_number number)
{
    return record_words(number).high & RECORD_SIGN;
}

struct recorder {
    struct graph *graph; /* the caller's */
    double *value;       /* [valued] of the nodes, at the point */
    size_t valued, room;
    uint64_t tag;
    jmp_buf escape; /* set by who starts it */
    sens_status status;
    struct bench_error *error;
    bool slopes; /* an operation whose derivative is not finite ends the recording, too */
};

/* Makes *recorder the one of this thread, with the value of node 0; false: no memory. recorder_end frees its
 * values. */
bool recorder_begin(struct recorder *recorder, struct graph *graph, struct bench_error *error);
void recorder_end(struct recorder *recorder);

/* The number that stands for a leaf whose value is `value`. */
record_number recorder_leaf(struct recorder *recorder, enum graph_op leaf, size_t index, double value);
/* Is it of this recording, or a plain number? One that was kept in memory from another is neither. */
bool recorder_owns(const struct recorder *recorder, record_number number);
/* The node of any number: of a recorded one, or its constant. */
graph_node recorder_node(struct recorder *recorder, record_number number);

/* ---- for the functions that compilers and sources call; caller: their return address ------------------- */

/* op(a, b, c) of numbers one of which at least is recorded. */
record_number recorder_apply(enum graph_op op, record_number a, record_number b, record_number c,
                             const void *caller);
/* op(a, b) likewise, as words, and the signs of nodes are left out. */
struct record_words recorder_apply_plain(enum graph_op op, struct record_words a, struct record_words b,
                                         const void *caller);
/* A comparison of the same, as a guard. */
bool recorder_compare(enum graph_comparison comparison, record_number a, record_number b, const void *caller);
/* Ends the recording; returns only where none is going on. */
void recorder_refuse(const void *caller, const char *what);

#endif
