/* A page out of its parts: page.html with its gaps filled. A gap is a line that is one of
 *
 *     @policy@    the content security policy: nothing from a network, no script but those of this page (by SHA-256)
 *     @style@     page.css
 *     @library@   D3, as it is
 *     @scripts@   the scripts, one after the other, in a function of their own
 *     @data@      the data, as JSON in which "<" is \u003c: no text of a result file can end its element */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "locate.h"
#include "machine.h"
#include "modules.h"
#include "paper.h"
#include "peers.h"

static const char *const scripts[] = {"data.js",  "style.js",   "axes.js",    "chart.js",
                                      "table.js", "changes.js", "compare.js", "page.js"};
enum { PEERS_MAX = 64, SCRIPTS = sizeof scripts / sizeof scripts[0] };

struct parts { /* all malloc'ed */
    char *frame, *style, *library, *script, *data;
};

static void parts_free(struct parts *parts)
{
    free(parts->frame);
    free(parts->style);
    free(parts->library);
    free(parts->script);
    free(parts->data);
}

static char *read_part(const char *folder, const char *name, struct bench_error *error)
{
    char path[DATA_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return page_read(path, error);
}

/* ---- scripts ------------------------------------------------------------------------------------------- */

/* All scripts in one function, so that none of their names is global. */
static char *join_scripts(const char *folder, struct bench_error *error)
{
    char *joined = NULL;
    size_t size;
    FILE *const out = open_memstream(&joined, &size);
    bool ok = out || bench_refuse(error, "no memory for the scripts");
    if (ok) fputs("\n(() => {\n\"use strict\";\n", out);
    for (size_t i = 0; ok && i < SCRIPTS; i++) {
        char *const text = read_part(folder, scripts[i], error);
        ok = text != NULL;
        if (ok) fputs(text, out);
        free(text);
    }
    if (ok) fputs("})();\n", out);
    if (out && fclose(out) != 0) ok = bench_refuse(error, "no memory for the scripts");
    if (ok) return joined;
    free(joined);
    return NULL;
}

/* An element of HTML ends where its end tag stands, whatever the script means by it. */
static bool fits_element(const char *text, const char *path, struct bench_error *error)
{
    return (!strstr(text, "</script") && !strstr(text, "<!--")) ||
           bench_refuse(error, "%s: has </script or <!--, and cannot stand in a page", path);
}

static char *read_library(const char *path, struct bench_error *error)
{
    char *const text = page_read(path, error);
    bool ok = text && fits_element(text, path, error);
    if (ok && !strstr(text, "scaleLog")) ok = bench_refuse(error, "%s: is not D3 (no scaleLog in it)", path);
    if (ok) return text;
    free(text);
    return NULL;
}

/* ---- data ---------------------------------------------------------------------------------------------- */

static json_t *tables_json(size_t tables, const struct table *of, bool brief, struct page_said *said)
{
    json_t *const list = json_array();
    for (size_t t = 0; t < tables; t++) {
        json_t *const table = page_table(&of[t], brief, said);
        if (!table || json_array_append_new(list, table) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* jansson takes no member that is NULL, and says so. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

/* Names that a command may use without saying where they are from. */
static json_t *known_names(void)
{
    json_t *const problems = json_array(), *const methods = json_array();
    const struct sens_registry *const reg = variant_all()[0];
    for (size_t i = 0; reg->problems[i]; i++)
        json_array_append_new(problems, json_string(reg->problems[i]->name));
    for (size_t i = 0; reg->methods[i]; i++)
        json_array_append_new(methods, json_string(reg->methods[i]->name));
    const char *peer[PEERS_MAX];
    const size_t peers = peer_names(PEER_METHOD, peer, PEERS_MAX);
    for (size_t i = 0; i < peers; i++) json_array_append_new(methods, json_string(peer[i]));
    for (const struct waiting_problem *problem = waiting_problems(); problem; problem = problem->next)
        json_array_append_new(problems, json_of_text(problem->name));
    return json_pack("{s:o,s:o}", "problem", problems, "method", methods);
}

/* The rows of both sets of results, and what became of them. */
static bool fill_rows(json_t *object, const struct page_request *request)
{
    const struct summary *const now = request->results, *const before = request->before;
    struct page_said said = {json_array(), json_object()};
    bool ok = said.lines && said.known &&
              set(object, "files", tables_json(now->tables, now->table, false, &said)) &&
              set(object, "comparisons", tables_json(now->comparisons, now->comparison, true, &said));
    if (ok && before) {
        json_t *const changes = page_changes(now, before, request->noise), *const tables = tables_json(
                                                                               before->tables, before->table,
                                                                               true, &said);
        page_leave_cells(tables, changes);
        ok = set(object, "before", tables);
        ok = set(object, "changes", changes) && ok;
    }
    json_decref(said.known);
    return set(object, "said", said.lines) && ok;
}

static void remove_nulls(json_t *object)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, key, value)
    {
        if (json_is_null(value)) json_object_del(object, key);
    }
}

/* Time to accuracy, without what the page does not show: a curve each, of which there may be hundreds. */
static json_t *accuracy_json(const struct summary *results)
{
    static const char *const unused[] = {"cost", "cell", "vjp", "status", "cells"};
    json_t *const curves = summary_accuracy_json(results);
    for (size_t i = 0; i < json_array_size(curves); i++) {
        json_t *const curve = json_array_get(curves, i);
        for (size_t k = 0; k < sizeof unused / sizeof *unused; k++) json_object_del(curve, unused[k]);
        remove_nulls(json_object_get(curve, "at_most"));
        remove_nulls(json_object_get(curve, "ratio"));
    }
    return curves;
}

static bool fill(json_t *object, const struct page_request *request, struct bench_error *error)
{
    json_t *const styles = page_styles(error);
    if (!styles) return false;
    const struct summary *const results = request->results;
    paper_json(results, object);
    json_object_del(object, "tables");
    json_object_del(object, "performance");
    return (set(object, "schema", json_string("sens-page/1")) &&
            set(object, "program", json_sprintf("sensbench %s, git %s", SENS_VERSION_TEXT, machine_git())) &&
            set(object, "styles", styles) && set(object, "columns", page_columns()) &&
            set(object, "known", known_names()) && fill_rows(object, request) &&
            set(object, "accuracy", accuracy_json(results))) ||
           bench_refuse(error, "no memory for the data of the page");
}

/* "<" is in texts alone, where it may be escaped. */
static char *escape(const char *json)
{
    size_t extra = 0, at = 0;
    for (const char *c = json; *c; c++) extra += *c == '<' ? 5 : 0;
    char *const text = malloc(strlen(json) + extra + 1);
    for (const char *c = json; text && *c; c++) {
        if (*c != '<')
            text[at++] = *c;
        else
            at += (size_t)sprintf(text + at, "\\u003c");
    }
    if (text) text[at] = '\0';
    return text;
}

static char *data_text(const struct page_request *request, struct bench_error *error)
{
    json_t *const object = json_object();
    char *text = NULL;
    if (fill(object, request, error)) {
        char *const json = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(5));
        text = json ? escape(json) : NULL;
        free(json);
        if (!text) bench_refuse(error, "no memory for the data of the page");
    }
    json_decref(object);
    return text;
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static void write_policy(const struct parts *parts, FILE *out)
{
    char style[PAGE_DIGEST], library[PAGE_DIGEST], script[PAGE_DIGEST];
    page_digest(parts->style, style);
    page_digest(parts->library, library);
    page_digest(parts->script, script);
    fprintf(out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
            "form-action 'none'; style-src '%s'; script-src '%s' '%s'\">\n",
            style, library, script);
}

struct gap {
    const char *name, *before, *text, *after;
};

/* A line of the frame: itself, or what fills the gap that it is. */
static void write_line(const struct parts *parts, const char *line, size_t length, FILE *out)
{
    const struct gap gaps[] = {
        {"@style@", "<style>", parts->style, "</style>"},
        {"@library@", "<script>", parts->library, "</script>"},
        {"@scripts@", "<script>", parts->script, "</script>"},
        {"@data@", "<script type=\"application/json\" id=\"data\">", parts->data, "</script>"},
    };
    static const char policy[] = "@policy@";
    if (length == strlen(policy) && memcmp(line, policy, length) == 0) {
        write_policy(parts, out);
        return;
    }
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
        if (length == strlen(gaps[g].name) && memcmp(line, gaps[g].name, length) == 0) {
            fprintf(out, "%s%s%s\n", gaps[g].before, gaps[g].text, gaps[g].after);
            return;
        }
    fprintf(out, "%.*s\n", (int)length, line);
}

static void write_frame(const struct parts *parts, FILE *out)
{
    for (const char *line = parts->frame; *line;) {
        const size_t length = strcspn(line, "\n");
        write_line(parts, line, length, out);
        line += length + (line[length] == '\n');
    }
}

bool page_write(const struct page_request *request, FILE *out, struct bench_error *error)
{
    char folder[DATA_PATH];
    struct parts parts = {.frame = NULL};
    const bool ok =
        page_folder(PAGE_PARTS, folder, sizeof folder, error) &&
        (parts.frame = read_part(folder, "page.html", error)) &&
        (parts.style = read_part(folder, "page.css", error)) &&
        (parts.script = join_scripts(folder, error)) && fits_element(parts.script, folder, error) &&
        (parts.library = read_library(request->library, error)) && (parts.data = data_text(request, error));
    if (ok) write_frame(&parts, out);
    parts_free(&parts);
    return ok;
}
