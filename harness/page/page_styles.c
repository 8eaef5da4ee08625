/* What the figures of plots/ say of themselves, so that a page looks as they do.
 *
 * common.gp has lists, NAME = "item 'item of words' ..." over one or more lines that end in a backslash; a script has
 * remarks "#! key: value" at its top: title, axes, panels, curves. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

#include "locate.h"

/* The next item of a list: up to a blank, or what stands in single quotes. NULL: no more. */
static json_t *next_item(const char **at, const char *end)
{
    const char *c = *at;
    while (c < end && strchr(" \t\n\\", *c)) c++;
    if (c == end) return NULL;
    const bool quoted = *c == '\'';
    const char *const first = quoted ? c + 1 : c;
    const char *last = first;
    while (last < end && (quoted ? *last != '\'' : !strchr(" \t\n\\", *last))) last++;
    *at = quoted && last < end ? last + 1 : last;
    return json_stringn(first, (size_t)(last - first));
}

/* The list of this name; NULL: the text has none. */
static json_t *list_of(const char *text, const char *name)
{
    char begin[64];
    snprintf(begin, sizeof begin, "\n%s = \"", name);
    const char *at = strstr(text, begin);
    if (!at) return NULL;
    at += strlen(begin);
    const char *const end = strchr(at, '"');
    json_t *const list = end ? json_array() : NULL;
    for (json_t *item; list && (item = next_item(&at, end));) json_array_append_new(list, item);
    return list;
}

static bool add_lists(const char *folder, json_t *styles, struct bench_error *error)
{
    static const char *const names[] = {"METHODS",       "LABELS", "COLOURS", "MARKERS", "OTHER_COLOURS",
                                        "OTHER_MARKERS", "VALUES", "WORDS",   NULL};
    char path[DATA_PATH + 16];
    snprintf(path, sizeof path, "%s/common.gp", folder);
    char *const text = page_read(path, error);
    bool ok = text != NULL;
    for (int i = 0; ok && names[i]; i++) {
        json_t *const list = list_of(text, names[i]);
        ok = list && json_object_set_new(styles, names[i], list) == 0;
        if (!ok) bench_refuse(error, "%s: no list %s", path, names[i]);
    }
    free(text);
    return ok;
}

/* The remarks of a script; those without axes are drawn by nobody but gnuplot. */
static json_t *remarks_of(const char *text)
{
    json_t *const object = json_object();
    for (const char *line = text; line && *line == '#';
         line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        const char *const colon = strstr(line, ": "), *const end = strchr(line, '\n');
        if (strncmp(line, "#! ", 3) != 0 || !colon || !end || colon > end) continue;
        char key[32];
        snprintf(key, sizeof key, "%.*s", (int)(colon - line - 3), line + 3);
        json_object_set_new(object, key, json_stringn(colon + 2, (size_t)(end - colon - 2)));
    }
    return object;
}

static bool add_plot(const char *path, json_t *plots, struct bench_error *error)
{
    char *const text = page_read(path, error);
    if (!text) return false;
    json_t *const remarks = remarks_of(text);
    free(text);
    const char *const name = strrchr(path, '/') + 1;
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(name, "."), name);
    if (json_object_get(remarks, "axes")) json_object_set(plots, key, remarks);
    json_decref(remarks);
    return true;
}

static bool add_plots(const char *folder, json_t *plots, struct bench_error *error)
{
    char pattern[DATA_PATH + 16];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*.gp", folder);
    if (glob(pattern, 0, NULL, &found) != 0) return bench_refuse(error, "%s: no plots", folder);
    bool ok = true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++) ok = add_plot(found.gl_pathv[i], plots, error);
    globfree(&found);
    return ok;
}

json_t *page_styles(struct bench_error *error)
{
    char folder[DATA_PATH];
    json_t *const styles = json_object(), *const plots = json_object();
    bool ok = page_folder(PAGE_PLOTS, folder, sizeof folder, error) && add_lists(folder, styles, error) &&
              add_plots(folder, plots, error);
    if (json_object_set_new(styles, "plots", plots) != 0)
        ok = bench_refuse(error, "no memory for the styles");
    if (ok) return styles;
    json_decref(styles);
    return NULL;
}
