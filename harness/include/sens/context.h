/* sens/context.h - everything mutable that a solve needs, and the arena it allocates from.
 *
 * There are no globals: a caller makes one sens_ctx per independent solve. `prepare` takes all memory from
 * the arena; `run` allocates nothing. Arena memory is zeroed, 64-byte aligned, and lives until
 * sens_arena_release or until the arena is rewound to an earlier mark. */
#ifndef SENS_CONTEXT_H
#define SENS_CONTEXT_H

#include <stddef.h>

#include "sens/real.h"
#include "sens/status.h"

#define SENS_ALIGNMENT 64

struct sens_arena_block;
struct sens_arena_guest;

struct sens_arena {
    struct sens_arena_block *head; /* newest block */
    size_t bytes;                  /* in use */
    size_t peak;                   /* largest value of bytes so far */
    size_t limit;                  /* refuse to go past this; 0 = no limit */
    size_t allocations;            /* requests served so far */
    size_t fail_at; /* refuse this request (1-based) and all later ones; 0 = never. For fault injection. */
    struct sens_arena_guest *guests; /* newest first */
};

struct sens_arena_mark {
    struct sens_arena_block *head;
    size_t used, bytes;
    struct sens_arena_guest *guests;
};

/* count objects of size bytes each, zeroed; NULL when memory, the limit or fail_at refuses, or the product
 * overflows. */
void *sens_arena_alloc(struct sens_arena *arena, size_t count, size_t size);
struct sens_arena_mark sens_arena_mark(const struct sens_arena *arena);
void sens_arena_rewind(struct sens_arena *arena, struct sens_arena_mark mark);
void sens_arena_release(struct sens_arena *arena);

/* For what the arena cannot hold (a thread's lock, memory that is taken later): end(object) is called when the
 * arena is released or rewound to a mark before this call, newest first. SENS_NO_MEMORY: it will not be. */
sens_status sens_arena_attach(struct sens_arena *arena, void (*end)(void *object), void *object);

#define SENS_NEW(ctx, type, count) ((type *)sens_arena_alloc(&(ctx)->arena, (count), sizeof(type)))

/* What solves the linear systems of implicit steps (option linear= of methods that make them). AUTO: by what the
 * systems are (methods/linear/shifted.h). */
enum sens_kernel_choice {
    SENS_KERNEL_AUTO,
    SENS_KERNEL_OWN,
    SENS_KERNEL_LAPACK,
    SENS_KERNEL_KLU,
    SENS_KERNEL_UMFPACK
};

struct sens_ctx {
    struct sens_arena arena;
    double (*now)(void);      /* monotonic seconds; NULL = times are reported as 0 */
    int cores;                /* that `threads = auto` may use; 0 or 1: one */
    void (*bind)(int worker); /* called once by each thread of a pool; NULL: threads go where they like */
    struct sens_caches {
        size_t l1, l2, l3; /* bytes of data cache that one core may call its own; 0: not known */
    } cache;
    size_t vector; /* bytes of the widest vectors that a core multiplies at its full rate; 0: not known */
    enum sens_kernel_choice
        linear;        /* where a system is to be solved by AUTO; each method sets it when it prepares */
    char message[256]; /* what went wrong, in words; "" when there is nothing to add to the status */
};

/* Stores a printf-formatted message in ctx and returns status, so that a failure is one line at its place. */
sens_status sens_fail(struct sens_ctx *ctx, sens_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ctx->now(), or 0 without a clock. */
double sens_now(const struct sens_ctx *ctx);

#endif
