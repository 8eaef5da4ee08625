/* Stored references. The checksum of the input is made right first: what stands behind it is reached too.
 * A reference that was read is written and read again: it has to be the same. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fuzz.h"
#include "reference.h"

static char *find(char *from, char *end, const char *mark)
{
    return from ? memmem(from, (size_t)(end - from), mark, strlen(mark)) : NULL;
}

/* The eight digits after "crc32: " become those of the lines before it and of what follows the line "payload:
 * ". */
static void mend_checksum(char *text, size_t size)
{
    static const char mark[] = "\ncrc32: ";
    char *const end = text + size, *line = find(text, end, mark), *payload = find(line, end, "\npayload: ");
    payload = payload ? memchr(payload + 1, '\n', (size_t)(end - payload - 1)) : NULL;
    if (!payload || payload - line < (ptrdiff_t)(strlen(mark) + 8)) return;
    payload++;
    char digits[9];
    uLong crc = crc32_z(crc32(0, NULL, 0), (const Bytef *)text, (size_t)(line + 1 - text));
    crc = crc32_z(crc, (const Bytef *)payload, (size_t)(end - payload));
    snprintf(digits, sizeof digits, "%08lx", crc);
    memcpy(line + strlen(mark), digits, 8);
}

static bool read_reference(const char *path, struct sens_ctx *ctx, struct reference *ref)
{
    struct bench_error error = {.text = ""};
    ctx->arena.limit = FUZZ_ARENA;
    const sens_status status = reference_read(ctx, path, ref, &error);
    if (status != SENS_OK) fuzz_refusal(&error);
    return status == SENS_OK;
}

static void check_same(const struct reference *a, const struct reference *b)
{
    fuzz_promise(strcmp(a->key, b->key) == 0 && a->n == b->n && a->np == b->np && a->m == b->m &&
                     a->rows == b->rows && a->parts == b->parts,
                 "a reference read is the reference written");
    for (enum sens_part part = 0; part < REFERENCE_PARTS; part++)
        for (size_t k = 0; k < reference_count(a, part); k++)
            fuzz_promise((double)a->part[part][k] == (double)b->part[part][k],
                         "a number read is the number written");
}

static void check_round(const struct reference *ref)
{
    char path[300];
    struct bench_error error = {.text = ""};
    struct sens_ctx ctx = {.now = NULL};
    struct reference again;
    snprintf(path, sizeof path, "%s/round.ref", fuzz_folder());
    fuzz_promise(reference_write(path, ref, &error), "a reference can be written");
    fuzz_promise(read_reference(path, &ctx, &again), "what the program writes it can read");
    check_same(ref, &again);
    sens_arena_release(&ctx.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sens_ctx ctx = {.now = NULL};
    struct reference ref;
    char *text = malloc(size + 1);
    fuzz_promise(text, "there is memory for the input");
    if (size) memcpy(text, data, size);
    mend_checksum(text, size);
    struct fuzz_file file = fuzz_file_create(text, size);
    const bool read = read_reference(file.path, &ctx, &ref);
    fuzz_promise(ctx.arena.peak <= 65536 + 16 * size, "the memory taken is in proportion to the file");
    if (read) check_round(&ref);
    fuzz_file_close(&file);
    sens_arena_release(&ctx.arena);
    free(text);
    return 0;
}
