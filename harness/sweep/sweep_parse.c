/* A sweep file as text: lines into sections of entries. The notation is described in sweep_file.h. */
#include <ctype.h>
#include <string.h>

#include "names.h"
#include "sweep_file.h"
#include "text_file.h"

enum { INCLUDE_DEPTH = 8, LINE_LENGTH = 4096 };

struct parser {
    struct sens_ctx *ctx;
    struct sweep_section *first, **last;
    int files; /* opened so far */
    struct bench_error *error;
};

struct source { /* one file being read */
    const char *path;
    int number, line, depth;
    struct sweep_section *section; /* that the next entry belongs to; NULL before the first */
};

static bool refuse(const struct parser *parser, const struct source *source, const char *what,
                   const char *word)
{
    return bench_refuse(parser->error, "%s:%d: %s '%s'", source->path, source->line, what, word);
}

static char *arena_text(struct sens_ctx *ctx, const char *text)
{
    char *copy = SENS_NEW(ctx, char, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static const char *arena_origin(struct sens_ctx *ctx, const struct source *source)
{
    char text[SWEEP_ORIGIN];
    snprintf(text, sizeof text, "%s:%d", source->path, source->line);
    return arena_text(ctx, text);
}

/* Text without blanks at its ends, cut in place. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    text[length] = '\0';
    return text;
}

/* ---- sections ------------------------------------------------------------------------------------------ */

static struct sweep_section *find_section(const struct parser *parser, const char *kind)
{
    for (struct sweep_section *section = parser->first; section; section = section->next)
        if (strcmp(section->kind, kind) == 0) return section;
    return NULL;
}

/* [sweep] and [defaults] are one section each, however often they are opened; every [cells] is a new one. */
static bool open_section(struct parser *parser, struct source *source, const char *kind, const char *name)
{
    struct sweep_section *section = strcmp(kind, "cells") == 0 ? NULL : find_section(parser, kind);
    if (!section) {
        section = SENS_NEW(parser->ctx, struct sweep_section, 1);
        if (!section) return refuse(parser, source, "no memory for section", kind);
        section->kind = arena_text(parser->ctx, kind);
        section->name = arena_text(parser->ctx, name);
        section->origin = arena_origin(parser->ctx, source);
        section->last = &section->first;
        if (!section->kind || !section->name || !section->origin)
            return refuse(parser, source, "no memory for section", kind);
        *parser->last = section;
        parser->last = &section->next;
    }
    source->section = section;
    return true;
}

static bool read_section(struct parser *parser, struct source *source, char *text)
{
    static const char *const kinds[] = {"sweep", "defaults", "cells"};
    char *const close = strchr(text, ']');
    if (!close || close[1] != '\0') return refuse(parser, source, "a section is written [NAME], not", text);
    *close = '\0';
    char *const kind = trim(text + 1);
    char *name = kind + strcspn(kind, " \t");
    if (*name) *name++ = '\0';
    name = trim(name);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kind, kinds[i]) != 0) continue;
        if (*name && strcmp(kind, "cells") != 0)
            return refuse(parser, source, "only [cells] has a name, not", kind);
        return open_section(parser, source, kind, name);
    }
    const char *near = nearest_name(kind, kinds, sizeof kinds / sizeof kinds[0]);
    return bench_refuse(parser->error, "%s:%d: unknown section '%s'; %s%s", source->path, source->line, kind,
                        near ? "did you mean " : "there are sweep, defaults and cells", near ? near : "");
}

/* ---- entries ------------------------------------------------------------------------------------------- */

static bool key_is_valid(const char *key)
{
    if (!isalpha((unsigned char)*key)) return false;
    for (; *key; key++)
        if (!isalnum((unsigned char)*key) && !strchr("_.", *key)) return false;
    return true;
}

static bool is_repeated(const struct sweep_section *section, const char *key, bool quick, int file)
{
    if (strcmp(key, "skip") == 0) return false;
    for (const struct sweep_entry *entry = section->first; entry; entry = entry->next)
        if (entry->file == file && entry->quick == quick && strcmp(entry->key, key) == 0) return true;
    return false;
}

static bool append_entry(struct parser *parser, struct source *source, const char *key, const char *value)
{
    static const char prefix[] = "quick.";
    const bool quick = strncmp(key, prefix, strlen(prefix)) == 0;
    if (quick) key += strlen(prefix);
    if (!key_is_valid(key)) return refuse(parser, source, "not a key:", key);
    if (!*value) return refuse(parser, source, "no value for key", key);
    if (is_repeated(source->section, key, quick, source->number))
        return refuse(parser, source, "this section already has a value for key", key);
    struct sweep_entry *entry = SENS_NEW(parser->ctx, struct sweep_entry, 1);
    if (!entry) return refuse(parser, source, "no memory for key", key);
    *entry = (struct sweep_entry){.key = arena_text(parser->ctx, key),
                                  .value = arena_text(parser->ctx, value),
                                  .origin = arena_origin(parser->ctx, source),
                                  .file = source->number,
                                  .quick = quick};
    if (!entry->key || !entry->value || !entry->origin)
        return refuse(parser, source, "no memory for key", key);
    *source->section->last = entry;
    source->section->last = &entry->next;
    return true;
}

static bool read_file(struct parser *parser, struct source *source);

/* The path is relative to the file that includes. */
static bool include(struct parser *parser, const struct source *source, const char *name)
{
    if (!*name) return refuse(parser, source, "no value for key", "include");
    if (source->depth == INCLUDE_DEPTH)
        return refuse(parser, source, "too many nested includes (does a file include itself?) at", name);
    const char *const slash = *name == '/' ? NULL : strrchr(source->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - source->path) : 0;
    char *path = SENS_NEW(parser->ctx, char, folder + strlen(name) + 1);
    if (!path) return refuse(parser, source, "no memory for the name", name);
    memcpy(path, source->path, folder);
    strcpy(path + folder, name);
    struct source inner = {.path = path, .depth = source->depth + 1, .section = source->section};
    if (!read_file(parser, &inner)) {
        if (inner.line == 0) refuse(parser, source, "cannot read the included file", path);
        return false;
    }
    return true;
}

static bool read_line(struct parser *parser, struct source *source, char *line)
{
    line[strcspn(line, "#")] = '\0';
    char *const text = trim(line);
    if (!*text) return true;
    if (*text == '[') return read_section(parser, source, text);
    char *const equals = strchr(text, '=');
    if (!equals) return refuse(parser, source, "neither [section] nor key = value:", text);
    *equals = '\0';
    const char *const key = trim(text), *const value = trim(equals + 1);
    if (strcmp(key, "include") == 0) return include(parser, source, value);
    if (!source->section) return refuse(parser, source, "a section has to come before key", key);
    return append_entry(parser, source, key, value);
}

static bool read_file(struct parser *parser, struct source *source)
{
    struct text_file file;
    enum text_result got = TEXT_LINE;
    bool ok = true;
    if (!text_open(&file, source->path, LINE_LENGTH, parser->error)) return false;
    source->number = ++parser->files;
    while (ok && (got = text_next(&file, parser->error)) == TEXT_LINE) {
        source->line = file.number;
        if (strlen(file.line) != file.length)
            ok =
                bench_refuse(parser->error, "%s:%d: a NUL byte: not a text file", source->path, source->line);
        else
            ok = read_line(parser, source, file.line);
    }
    if (got == TEXT_FAILED) source->line = file.number;
    text_close(&file);
    return ok && got != TEXT_FAILED;
}

bool sweep_parse(struct sens_ctx *ctx, const char *path, struct sweep_section **first,
                 struct bench_error *error)
{
    struct parser parser = {.ctx = ctx, .error = error};
    parser.last = &parser.first;
    struct source source = {.path = path};
    if (!read_file(&parser, &source)) return false;
    *first = parser.first;
    return true;
}

const struct sweep_entry *sweep_entry_find(const struct sweep_section *section, const char *key, bool quick)
{
    const struct sweep_entry *found = NULL;
    if (!section) return NULL;
    for (const struct sweep_entry *entry = section->first; entry; entry = entry->next)
        if (strcmp(entry->key, key) == 0 && (!entry->quick || quick) &&
            (!found || entry->quick || !found->quick))
            found = entry;
    return found;
}
