/* The arena: a chain of zeroed blocks from which every solve takes its memory, released at once. */
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h> /* vsnprintf: formats into ctx->message, prints nothing */
#include <stdlib.h>
#include <string.h>

#include "sens/context.h"

enum { BLOCK_BYTES = 1 << 16 };

struct sens_arena_block {
    struct sens_arena_block *older;
    size_t used, size; /* bytes of payload */
    alignas(SENS_ALIGNMENT) unsigned char payload[];
};

static size_t round_up(size_t bytes)
{
    return (bytes + SENS_ALIGNMENT - 1) / SENS_ALIGNMENT * SENS_ALIGNMENT;
}

static struct sens_arena_block *block_create(size_t payload, struct sens_arena_block *older)
{
    const size_t bytes = round_up(sizeof(struct sens_arena_block) + payload);
    struct sens_arena_block *block = aligned_alloc(SENS_ALIGNMENT, bytes);
    if (!block) return NULL;
    *block = (struct sens_arena_block){.older = older, .size = payload};
    return block;
}

void *sens_arena_alloc(struct sens_arena *arena, size_t count, size_t size)
{
    arena->allocations++;
    if (arena->fail_at && arena->allocations >= arena->fail_at) return NULL;
    if (size && count > (SIZE_MAX / 2) / size) return NULL;
    const size_t bytes = round_up(count == 0 || size == 0 ? 1 : count * size);
    if (arena->limit && bytes > arena->limit - (arena->bytes < arena->limit ? arena->bytes : arena->limit))
        return NULL;
    if (!arena->head || arena->head->size - arena->head->used < bytes) {
        struct sens_arena_block *block = block_create(bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES, arena->head);
        if (!block) return NULL;
        arena->head = block;
    }
    void *memory = arena->head->payload + arena->head->used;
    arena->head->used += bytes;
    arena->bytes += bytes;
    if (arena->bytes > arena->peak) arena->peak = arena->bytes;
    return memset(memory, 0, bytes);
}

struct sens_arena_guest {
    struct sens_arena_guest *older;
    void (*end)(void *object);
    void *object;
};

sens_status sens_arena_attach(struct sens_arena *arena, void (*end)(void *object), void *object)
{
    struct sens_arena_guest *guest = sens_arena_alloc(arena, 1, sizeof *guest);
    if (!guest) return SENS_NO_MEMORY;
    *guest = (struct sens_arena_guest){arena->guests, end, object};
    arena->guests = guest;
    return SENS_OK;
}

struct sens_arena_mark sens_arena_mark(const struct sens_arena *arena)
{
    return (struct sens_arena_mark){arena->head, arena->head ? arena->head->used : 0, arena->bytes,
                                    arena->guests};
}

void sens_arena_rewind(struct sens_arena *arena, struct sens_arena_mark mark)
{
    while (arena->guests != mark.guests) { /* while their memory, and that of what they look at, is there */
        const struct sens_arena_guest *guest = arena->guests;
        arena->guests = guest->older;
        guest->end(guest->object);
    }
    while (arena->head != mark.head) {
        struct sens_arena_block *block = arena->head;
        arena->head = block->older;
        free(block);
    }
    if (arena->head) arena->head->used = mark.used;
    arena->bytes = mark.bytes;
}

void sens_arena_release(struct sens_arena *arena)
{
    sens_arena_rewind(arena, (struct sens_arena_mark){.head = NULL});
}

sens_status sens_fail(struct sens_ctx *ctx, sens_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, arguments);
    va_end(arguments);
    return status;
}

double sens_now(const struct sens_ctx *ctx)
{
    return ctx->now ? ctx->now() : 0.0;
}
