/* The store of reference solutions: see reference.h. */
#include "reference.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "build_info.h"
#include "text_file.h"

#define SCHEMA    "sens-reference/2"
#define UNPRINTED "sens-reference/1" /* without a fingerprint */

struct sens_part_shape reference_part(const struct reference *ref, enum sens_part part)
{
    struct sens_part_shape shape = sens_part_shape(part, ref->n, ref->np, ref->rows);
    if (!(((ref->parts | SENS_IN_STATE) & SENS_IN_FIRST) >> part & 1)) shape.rows = 0;
    return shape;
}

size_t reference_count(const struct reference *ref, enum sens_part part)
{
    const struct sens_part_shape shape = reference_part(ref, part);
    return shape.rows * shape.cols;
}

static size_t total_count(const struct reference *ref)
{
    size_t count = 0;
    for (enum sens_part part = 0; part < REFERENCE_PARTS; part++) count += reference_count(ref, part);
    return count;
}

/* The row number that stands in the file: outputs keep their own index. */
static size_t row_label(const struct reference *ref, enum sens_part part, size_t row)
{
    return part == SENS_PART_X ? row : ref->row[row];
}

sens_status reference_allocate(struct sens_ctx *ctx, struct reference *ref)
{
    for (enum sens_part part = 0; part < REFERENCE_PARTS; part++) {
        ref->part[part] = NULL;
        if (reference_count(ref, part) &&
            !(ref->part[part] = SENS_NEW(ctx, long double, reference_count(ref, part))))
            return SENS_NO_MEMORY;
    }
    return SENS_OK;
}

bool reference_is_stiff(const struct reference *ref)
{
    return strncmp(ref->generator, REFERENCE_STIFF, strlen(REFERENCE_STIFF)) == 0;
}

double reference_least(const struct reference *ref)
{
    return reference_is_stiff(ref) ? REFERENCE_DIGITS_STIFF : REFERENCE_DIGITS;
}

int reference_bits(const struct reference *ref)
{
    char text[sizeof "-bit significand" + 8];
    snprintf(text, sizeof text, "%d-bit significand", REFERENCE_MOST_BITS);
    return strstr(ref->generator, text) ? REFERENCE_MOST_BITS : 64;
}

bool reference_is_binary(const struct reference *ref)
{
    return total_count(ref) > REFERENCE_TEXT_MAX;
}

bool reference_path(const char *dir, const char *problem, const char *key, char *path, size_t size)
{
    const unsigned long crc = crc32(crc32(0, NULL, 0), (const Bytef *)key, (uInt)strlen(key));
    const int length = snprintf(path, size, "%s/%s-%08lx.ref", dir, problem, crc);
    return length > 0 && (size_t)length < size;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void write_fingerprint(FILE *out, const struct fingerprint *print)
{
    for (enum fingerprint_part part = 0; part < FINGERPRINT_PARTS; part++) {
        fprintf(out, "fingerprint %s:", fingerprint_part_name[part]);
        for (size_t k = 0; k < print->part[part].count; k++)
            fprintf(out, " %.17g", print->part[part].value[k]);
        fputc('\n', out);
    }
}

static void write_header(FILE *out, const struct reference *ref)
{
    fprintf(out, "schema: " SCHEMA "\nkey: %s\nproblem: %s\ncost: %s\n", ref->key, ref->problem, ref->cost);
    fprintf(out, "shape: n=%zu np=%zu m=%zu rows=%zu\nrows:", ref->n, ref->np, ref->m, ref->rows);
    for (size_t r = 0; r < ref->rows; r++) fprintf(out, " %zu", ref->row[r]);
    fprintf(out, "\nwrt: %u\n", sens_parts_wrt(ref->parts & SENS_IN_FIRST));
    write_fingerprint(out, &ref->print);
    fprintf(out, "generator: %s\ncheck: %s\n", ref->generator, ref->check);
    for (enum sens_part part = 0; part < REFERENCE_PARTS; part++)
        fprintf(out, "digits %s: %.1f entry, %.1f norm\n", reference_part(ref, part).name,
                ref->digits[part].entry, ref->digits[part].norm);
    fprintf(out, "date: %s\ncompiler: %s\n", ref->date, ref->compiler);
}

static void write_text(FILE *out, const struct reference *ref)
{
    for (enum sens_part part = 0; part < REFERENCE_PARTS; part++)
        for (size_t q = 0, cols = reference_part(ref, part).cols; q < reference_count(ref, part); q++)
            fprintf(out, "%s %zu %zu %.21Lg\n", reference_part(ref, part).name,
                    row_label(ref, part, q / cols), q % cols, ref->part[part][q]);
}

static void write_binary(FILE *out, const struct reference *ref)
{
    for (enum sens_part part = 0; part < REFERENCE_PARTS; part++)
        for (size_t k = 0; k < reference_count(ref, part); k++) {
            const double value = (double)ref->part[part][k];
            unsigned char byte[sizeof(uint64_t)];
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (size_t b = 0; b < sizeof bits; b++) byte[b] = (unsigned char)(bits >> (8 * b) & 0xff);
            fwrite(byte, 1, sizeof byte, out);
        }
}

static unsigned long checksum(const char *head, size_t head_size, const char *payload, size_t payload_size)
{
    const unsigned long crc = crc32_z(crc32(0, NULL, 0), (const Bytef *)head, head_size);
    return crc32_z(crc, (const Bytef *)payload, payload_size);
}

/* The file's bytes in memory, header and payload apart. false without memory. */
static bool render(const struct reference *ref, char **head, size_t *head_size, char **payload,
                   size_t *payload_size)
{
    FILE *out = open_memstream(head, head_size);
    if (!out) return false;
    write_header(out, ref);
    const bool head_ok = !ferror(out);
    if (fclose(out) != 0 || !head_ok || !(out = open_memstream(payload, payload_size))) return false;
    if (reference_is_binary(ref))
        write_binary(out, ref);
    else
        write_text(out, ref);
    const bool payload_ok = !ferror(out);
    return fclose(out) == 0 && payload_ok;
}

static bool write_file(const char *path, const struct reference *ref, const char *head, size_t head_size,
                       const char *payload, size_t payload_size)
{
    FILE *out = fopen(path, "wb");
    if (!out) return false;
    fwrite(head, 1, head_size, out);
    fprintf(out, "crc32: %08lx\npayload: %s\n", checksum(head, head_size, payload, payload_size),
            reference_is_binary(ref) ? "binary double" : "text");
    fwrite(payload, 1, payload_size, out);
    const bool written = !ferror(out);
    return fclose(out) == 0 && written;
}

bool reference_write(const char *path, const struct reference *ref, struct bench_error *error)
{
    char *head = NULL, *payload = NULL, temporary[4096];
    size_t head_size = 0, payload_size = 0;
    if (snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid()) >= (int)sizeof temporary)
        return bench_refuse(error, "%s: name too long", path);
    bool done = render(ref, &head, &head_size, &payload, &payload_size);
    if (!done)
        bench_refuse(error, "%s: %s", path, strerror(ENOMEM));
    else if (!write_file(temporary, ref, head, head_size, payload, payload_size) ||
             rename(temporary, path) != 0) {
        done = bench_refuse(error, "%s: %s", path, strerror(errno));
        remove(temporary);
    }
    free(head);
    free(payload);
    return done;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

struct reader {
    const char *path;
    char *text, *pos, *end; /* text is one byte longer, a final NUL */
    long line;
    struct bench_error *error;
};

static bool read_whole(struct reader *rd)
{
    FILE *in = regular_open(rd->path, rd->error);
    if (!in) return false;
    struct stat info;
    const bool sized = fstat(fileno(in), &info) == 0 && S_ISREG(info.st_mode);
    const size_t size = sized ? (size_t)info.st_size : 0;
    rd->text = sized ? malloc(size + 1) : NULL;
    const bool read = rd->text && fread(rd->text, 1, size, in) == size;
    fclose(in);
    if (!read) return false;
    rd->text[size] = '\0';
    rd->pos = rd->text;
    rd->end = rd->text + size;
    return true;
}

/* The next line `name: value` as a string in place; NULL and a message when it is something else. */
static char *header_value(struct reader *rd, const char *name)
{
    char *line = rd->pos, *stop = memchr(line, '\n', (size_t)(rd->end - line));
    const size_t length = strlen(name);
    rd->line++;
    if (!stop || (size_t)(stop - line) < length + 1 || memcmp(line, name, length) != 0 ||
        line[length] != ':') {
        bench_refuse(rd->error, "%s:%ld: expected '%s: ...', found '%.60s'", rd->path, rd->line, name, line);
        return NULL;
    }
    *stop = '\0';
    rd->pos = stop + 1;
    return line[length + 1] == ' ' ? line + length + 2 : line + length + 1;
}

static bool header_text(struct reader *rd, const char *name, char *text, size_t size)
{
    const char *value = header_value(rd, name);
    if (!value) return false;
    const size_t length = strlen(value);
    if (length >= size) return bench_refuse(rd->error, "%s:%ld: %s is too long", rd->path, rd->line, name);
    memcpy(text, value, length + 1);
    return true;
}

static bool read_shape(struct reader *rd, struct reference *ref)
{
    char rest = 0;
    const char *value = header_value(rd, "shape");
    if (!value) return false;
    const int found =
        sscanf(value, "n=%zu np=%zu m=%zu rows=%zu%c", &ref->n, &ref->np, &ref->m, &ref->rows, &rest);
    const size_t most = (size_t)1 << 20; /* keeps every product below in range */
    if (found != 4 || !ref->n || ref->n > most || ref->np > most || ref->m > most || !ref->rows ||
        ref->rows > ref->m)
        return bench_refuse(rd->error, "%s:%ld: bad shape '%s'", rd->path, rd->line, value);
    return true;
}

static bool read_rows(struct sens_ctx *ctx, struct reader *rd, struct reference *ref)
{
    char *value = header_value(rd, "rows"), *next = value;
    if (!value) return false;
    if (ref->rows > strlen(value))
        return bench_refuse(rd->error, "%s:%ld: fewer than %zu rows", rd->path, rd->line, ref->rows);
    size_t *row = SENS_NEW(ctx, size_t, ref->rows);
    if (!row) return bench_refuse(rd->error, "%s: out of memory", rd->path);
    for (size_t r = 0; r < ref->rows; r++) {
        row[r] = strtoul(value, &next, 10);
        if (next == value || row[r] >= ref->m || (r && row[r] <= row[r - 1]))
            return bench_refuse(rd->error, "%s:%ld: bad row '%.20s'", rd->path, rd->line, value);
        value = next;
    }
    if (*next) return bench_refuse(rd->error, "%s:%ld: too many rows: '%.20s'", rd->path, rd->line, next);
    ref->row = row;
    return true;
}

static bool header_number(struct reader *rd, const char *name, int base, unsigned long *number)
{
    char *value = header_value(rd, name), *next = value;
    if (!value) return false;
    *number = strtoul(value, &next, base);
    if (next == value || *next)
        return bench_refuse(rd->error, "%s:%ld: bad %s '%s'", rd->path, rd->line, name, value);
    return true;
}

static bool read_fingerprint(struct reader *rd, struct fingerprint *print)
{
    for (enum fingerprint_part part = 0; part < FINGERPRINT_PARTS; part++) {
        struct fingerprint_numbers *numbers = &print->part[part];
        char name[32], *next;
        snprintf(name, sizeof name, "fingerprint %s", fingerprint_part_name[part]);
        char *value = header_value(rd, name);
        if (!value) return false;
        for (numbers->count = 0; *value; value = next + strspn(next, " ")) {
            const double number = strtod(value, &next);
            if (next == value || numbers->count == FINGERPRINT_MAX)
                return bench_refuse(rd->error, "%s:%ld: bad %s '%.40s'", rd->path, rd->line, name, value);
            numbers->value[numbers->count++] = number;
        }
    }
    return true;
}

static bool read_digits(struct reader *rd, struct reference *ref)
{
    for (enum sens_part part = 0; part < REFERENCE_PARTS; part++) {
        char name[32];
        snprintf(name, sizeof name, "digits %s", reference_part(ref, part).name);
        struct reference_digits *digits = &ref->digits[part];
        const char *value = header_value(rd, name);
        if (!value) return false;
        const bool read = sscanf(value, "%lf entry, %lf norm", &digits->entry, &digits->norm) == 2;
        const double least = reference_least(ref);
        const bool enough = digits->entry >= least && digits->norm >= least;
        if (!read || (reference_count(ref, part) && !enough))
            return bench_refuse(rd->error, "%s:%ld: %s '%s' are fewer than %g", rd->path, rd->line, name,
                                value, least);
    }
    return true;
}

static bool read_header(struct sens_ctx *ctx, struct reader *rd, struct reference *ref)
{
    const char *schema = header_value(rd, "schema");
    unsigned long wrt = 0;
    if (!schema) return false;
    if (strcmp(schema, SCHEMA) != 0)
        return bench_refuse(rd->error, "%s:1: schema '%.40s' is not " SCHEMA "%s", rd->path, schema,
                            strcmp(schema, UNPRINTED) == 0 ? ": it does not say of which equations it is"
                                                           : "");
    if (!header_text(rd, "key", ref->key, sizeof ref->key) ||
        !header_text(rd, "problem", ref->problem, sizeof ref->problem) ||
        !header_text(rd, "cost", ref->cost, sizeof ref->cost) || !read_shape(rd, ref) ||
        !read_rows(ctx, rd, ref) || !header_number(rd, "wrt", 10, &wrt))
        return false;
    if (wrt > (SENS_WRT_P | SENS_WRT_X0))
        return bench_refuse(rd->error, "%s:%ld: bad wrt", rd->path, rd->line);
    ref->parts = sens_parts_of((unsigned)wrt) & SENS_IN_FIRST;
    return read_fingerprint(rd, &ref->print) &&
           header_text(rd, "generator", ref->generator, sizeof ref->generator) &&
           header_text(rd, "check", ref->check, sizeof ref->check) && read_digits(rd, ref) &&
           header_text(rd, "date", ref->date, sizeof ref->date) &&
           header_text(rd, "compiler", ref->compiler, sizeof ref->compiler);
}

static bool read_text(struct reader *rd, const struct reference *ref, enum sens_part part, size_t r, size_t k)
{
    char label[64], *next;
    rd->line++;
    const int length = snprintf(label, sizeof label, "%s %zu %zu ", reference_part(ref, part).name,
                                row_label(ref, part, r), k);
    char *number = rd->pos + length;
    if (rd->end - rd->pos <= length || memcmp(rd->pos, label, (size_t)length) != 0)
        return bench_refuse(rd->error, "%s:%ld: expected '%sNUMBER', found '%.60s'", rd->path, rd->line,
                            label, rd->pos);
    const long double value = strtold(number, &next);
    if (next == number || *next != '\n' || !isfinite(value))
        return bench_refuse(rd->error, "%s:%ld: bad number '%.40s'", rd->path, rd->line, number);
    ref->part[part][r * reference_part(ref, part).cols + k] = value;
    rd->pos = next + 1;
    return true;
}

static bool read_binary(struct reader *rd, const struct reference *ref, enum sens_part part, size_t r,
                        size_t k)
{
    uint64_t bits = 0;
    double value;
    for (size_t b = 0; b < sizeof bits; b++) bits |= (uint64_t)(unsigned char)rd->pos[b] << (8 * b);
    rd->pos += sizeof bits;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
        return bench_refuse(rd->error, "%s: %s %zu %zu is not finite", rd->path,
                            reference_part(ref, part).name, row_label(ref, part, r), k);
    ref->part[part][r * reference_part(ref, part).cols + k] = value;
    return true;
}

static bool read_payload(struct reader *rd, const struct reference *ref, bool binary)
{
    const size_t size = (size_t)(rd->end - rd->pos), expected = total_count(ref) * sizeof(double);
    if (binary && size != expected)
        return bench_refuse(rd->error, "%s: payload of %zu bytes, its shape needs %zu", rd->path, size,
                            expected);
    for (enum sens_part part = 0; part < REFERENCE_PARTS; part++)
        for (size_t r = 0; r < reference_part(ref, part).rows; r++)
            for (size_t k = 0; k < reference_part(ref, part).cols; k++)
                if (!(binary ? read_binary : read_text)(rd, ref, part, r, k)) return false;
    if (rd->pos != rd->end)
        return bench_refuse(rd->error, "%s:%ld: more numbers than the shape needs", rd->path, rd->line + 1);
    return true;
}

/* Asked before memory is taken for the numbers: a shape is soon written. The shortest line of text is "x 0 0
 * 1". */
static bool check_size(const struct reader *rd, const struct reference *ref)
{
    const size_t size = (size_t)(rd->end - rd->pos), least = sizeof(double);
    return total_count(ref) <= size / least ||
           bench_refuse(rd->error, "%s: payload of %zu bytes, its shape needs %zu or more", rd->path, size,
                        total_count(ref) * least);
}

/* Everything after the file is in memory. The checksum is taken before the header's lines are cut into
 * strings. */
static sens_status parse(struct sens_ctx *ctx, struct reader *rd, struct reference *ref)
{
    char *mark = strstr(rd->text, "\ncrc32: "), *payload = mark ? strstr(mark, "\npayload: ") : NULL;
    payload = payload ? strchr(payload + 1, '\n') : NULL;
    if (!payload) return bench_refuse(rd->error, "%s: no crc32 and payload lines", rd->path), SENS_BAD_INPUT;
    payload++;
    const unsigned long actual =
        checksum(rd->text, (size_t)(mark + 1 - rd->text), payload, (size_t)(rd->end - payload));
    unsigned long stored = 0;
    if (!read_header(ctx, rd, ref) || !header_number(rd, "crc32", 16, &stored)) return SENS_BAD_INPUT;
    if (stored != actual)
        return bench_refuse(rd->error, "%s: checksum %08lx, the file says %08lx", rd->path, actual, stored),
               SENS_BAD_INPUT;
    const char *kind = header_value(rd, "payload");
    if (!kind || (strcmp(kind, "text") != 0 && strcmp(kind, "binary double") != 0))
        return bench_refuse(rd->error, "%s:%ld: bad payload line", rd->path, rd->line), SENS_BAD_INPUT;
    if (!check_size(rd, ref)) return SENS_BAD_INPUT;
    if (reference_allocate(ctx, ref) != SENS_OK)
        return bench_refuse(rd->error, "%s: out of memory", rd->path), SENS_NO_MEMORY;
    return read_payload(rd, ref, strcmp(kind, "text") != 0) ? SENS_OK : SENS_BAD_INPUT;
}

sens_status reference_read(struct sens_ctx *ctx, const char *path, struct reference *ref,
                           struct bench_error *error)
{
    struct reader rd = {.path = path, .error = error};
    if (access(path, F_OK) != 0) return bench_refuse(error, "no stored reference %s", path), SENS_NO_TRUTH;
    error->text[0] = '\0';
    if (!read_whole(&rd)) {
        free(rd.text);
        if (!error->text[0]) bench_refuse(error, "%s: cannot be read", path);
        return SENS_BAD_INPUT;
    }
    struct reference made = {0};
    const sens_status status = parse(ctx, &rd, &made);
    if (status == SENS_OK) *ref = made;
    free(rd.text);
    return status;
}
