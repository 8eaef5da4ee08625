/* sensbench new: a module that compiles and passes verify as it stands, from the templates.
 *
 *     a problem         NAME.ode, the equations as text; in the tree in problems/models
 *     with --c, and what is no problem:
 *     out of the tree   NAME/NAME.c, NAME/plugin.c, NAME/CMakeLists.txt
 *     in the tree       the same NAME.c in problems or methods, and a line in that folder's CMakeLists.txt
 *
 * Nothing is overwritten; what was written before a failure is removed again. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "append.h"
#include "cli.h"
#include "exit_codes.h"
#include "files.h"
#include "locate.h"
#include "modules.h"
#include "names.h"
#include "peers.h"
#include "streams.h"
#include "variants.h"

static const struct kind {
    const char *name, *entry; /* "problem", and in SENS_PROBLEM */
    const char *folder;       /* in the tree */
    bool text;                /* may be a model, which is the short form then */
} kinds[] = {
    {"problem", "PROBLEM", "problems", true},
    {"cost", "COST", "problems/costs", false},
    {"method", "METHOD", "methods", false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], NAME_LENGTH = 40, MADE = 4 };

struct creation {
    const struct kind *kind;
    const char *name, *place; /* --out, "." without it */
    bool in_tree, in_c;
    size_t count; /* files and folders made so far */
    char made[MADE][DATA_PATH];
    struct bench_error *error;
};

/* ---- files --------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static bool make_path(struct creation *job, char path[DATA_PATH],
                                                            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(path, DATA_PATH, format, arguments);
    va_end(arguments);
    return (length >= 0 && length < DATA_PATH) || bench_refuse(job->error, "new: the path is too long");
}

static bool refuse_path(struct creation *job, const char *path)
{
    return bench_refuse(job->error, "new: %s: %s", path, strerror(errno));
}

static void note(struct creation *job, const char *path)
{
    snprintf(job->made[job->count++], DATA_PATH, "%s", path);
}

static void undo(struct creation *job)
{
    while (job->count > 0) remove(job->made[--job->count]);
}

/* A line of a template with its marks replaced. */
static void expand(FILE *out, const char *line, const struct kind *kind, const char *name)
{
    const struct {
        const char *mark, *text;
    } word[] = {{"@NAME@", name}, {"@kind@", kind->name}, {"@KIND@", kind->entry}};
    enum { WORDS = sizeof word / sizeof word[0] };
    while (*line) {
        size_t w = 0;
        while (w < WORDS && strncmp(line, word[w].mark, strlen(word[w].mark)) != 0) w++;
        if (w < WORDS)
            fputs(word[w].text, out);
        else
            fputc(*line, out);
        line += w < WORDS ? strlen(word[w].mark) : 1;
    }
}

static FILE *open_template(struct creation *job, const char *name)
{
    char folder[DATA_PATH], path[DATA_PATH];
    for (int place = 0; place < DATA_PLACES; place++) {
        if (!data_folder(place, "templates", "harness/templates", folder)) continue;
        FILE *in = make_path(job, path, "%s/%s.in", folder, name) ? fopen(path, "r") : NULL;
        if (in) return in;
    }
    bench_refuse(job->error, "new: the template %s.in is not there; is the program installed whole?", name);
    return NULL;
}

/* The file `path`, which must be new, from a template. */
static bool write_file(struct creation *job, const char *template, const char *path)
{
    FILE *in = open_template(job, template);
    if (!in) return false;
    FILE *out = fopen(path, "wx");
    char *line = NULL;
    size_t size = 0;
    if (out) note(job, path);
    while (out && getline(&line, &size, in) >= 0) expand(out, line, job->kind, job->name);
    const bool written = out && feof(in) && !ferror(out); /* getline also stops without memory */
    const bool closed = out && fclose(out) == 0;
    free(line);
    fclose(in);
    return (written && closed) || refuse_path(job, path);
}

/* ---- out of the tree ----------------------------------------------------------------------------------- */

/* How CMake finds the headers of this program: by the prefix it is installed in, else in its source tree. */
static bool find_headers(struct creation *job, char option[2 * DATA_PATH])
{
    char folder[DATA_PATH], *whole = NULL;
    const bool installed = data_folder(0, "../..", "", folder);
    if (installed || data_folder(1, "", "harness/include", folder)) whole = realpath(folder, NULL);
    if (!whole) return bench_refuse(job->error, "new: neither installed headers nor a source tree");
    snprintf(option, 2 * DATA_PATH, "-D%s=", installed ? "CMAKE_PREFIX_PATH" : "SENSBENCH_INCLUDE");
    append_word(option, 2 * DATA_PATH, whole);
    free(whole);
    return true;
}

static void print_next(const struct creation *job, const char *folder, const char *headers)
{
    char path[DATA_PATH + 64], source[2 * DATA_PATH] = "", build[2 * DATA_PATH] = "",
                                          made[2 * DATA_PATH] = "";
    append_word(source, sizeof source, folder);
    snprintf(path, sizeof path, "%s/build", folder);
    append_word(build, sizeof build, path);
    snprintf(path, sizeof path, "%s/build/%s.so", folder, job->name);
    append_word(made, sizeof made, path);
    say("made %s/%s.c, plugin.c, CMakeLists.txt; next:\n", folder, job->name);
    say("cmake -S %s -B %s %s && cmake --build %s\n", source, build, headers, build);
    say("sensbench verify --plugin %s --%s %s\n", made, job->kind->name, job->name);
}

static bool create_folder(struct creation *job)
{
    char folder[DATA_PATH], path[DATA_PATH], template[NAME_LENGTH], headers[2 * DATA_PATH];
    const char *const inside = strcmp(job->place, ".") == 0 ? "" : job->place;
    if (!find_headers(job, headers) ||
        !make_path(job, folder, "%s%s%s", inside, inside[0] ? "/" : "", job->name))
        return false;
    if (!make_folders(folder, 0777, job->error)) return false;
    if (mkdir(folder, 0777) != 0) return refuse_path(job, folder);
    note(job, folder);
    snprintf(template, sizeof template, "%s.c", job->kind->name);
    const bool made = make_path(job, path, "%s/%s.c", folder, job->name) && write_file(job, template, path) &&
                      make_path(job, path, "%s/plugin.c", folder) && write_file(job, "plugin.c", path) &&
                      make_path(job, path, "%s/CMakeLists.txt", folder) &&
                      write_file(job, "CMakeLists.txt", path);
    if (made) print_next(job, folder, headers);
    return made;
}

/* ---- a model ------------------------------------------------------------------------------------------- */

static bool check_tree(struct creation *job);

static bool create_model(struct creation *job)
{
    char path[DATA_PATH];
    const char *const inside = strcmp(job->place, ".") == 0 ? "" : job->place;
    if (job->in_tree && !check_tree(job)) return false;
    if (!make_path(job, path, "%s%s%s%s.ode", inside, inside[0] ? "/" : "",
                   job->in_tree ? "problems/models/" : "", job->name) ||
        (!job->in_tree && !make_folders(path, 0777, job->error)) || !write_file(job, "model.ode", path))
        return false;
    char word[2 * DATA_PATH] = "";
    append_word(word, sizeof word, path);
    say("made %s; next:\n", path);
    if (job->in_tree)
        say("sensbench verify --quick --problem %s\n", job->name);
    else
        say("sensbench verify --quick --models %s --problem %s\n", word, job->name);
    return true;
}

/* ---- in the tree --------------------------------------------------------------------------------------- */

static bool check_tree(struct creation *job)
{
    static const char *const part[] = {"problems/CMakeLists.txt", "methods/CMakeLists.txt",
                                       "harness/include/sens/problem.h"};
    char path[DATA_PATH];
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        if (!make_path(job, path, "%s/%s", job->place, part[i])) return false;
        if (access(path, R_OK) != 0)
            return bench_refuse(job->error, "new: --in-tree: %s is no source tree of sensbench: no %s",
                                job->place, part[i]);
    }
    return true;
}

/* sens_add_problem(NAME) as the last line of the folder's list. */
static bool append_line(struct creation *job, const char *path)
{
    FILE *list = fopen(path, "r+");
    if (!list) return refuse_path(job, path);
    const bool ended = fseek(list, -1, SEEK_END) != 0 || fgetc(list) == '\n';
    fseek(list, 0, SEEK_END);
    fprintf(list, "%ssens_add_%s(%s)\n", ended ? "" : "\n", job->kind->name, job->name);
    const bool written = !ferror(list);
    return (fclose(list) == 0 && written) || refuse_path(job, path);
}

static bool create_in_tree(struct creation *job)
{
    const struct kind *kind = job->kind;
    char path[DATA_PATH], list[DATA_PATH], template[NAME_LENGTH];
    snprintf(template, sizeof template, "%s.c", kind->name);
    if (!check_tree(job) || !make_path(job, path, "%s/%s/%s.c", job->place, kind->folder, job->name) ||
        !make_path(job, list, "%s/%s/CMakeLists.txt", job->place, kind->folder))
        return false;
    if (!write_file(job, template, path) || !append_line(job, list)) return false;
    say("made %s and the line sens_add_%s(%s) in %s; next:\n", path, kind->name, job->name, list);
    say("cmake --preset release && cmake --build build/release\n");
    say("build/release/sensbench verify --%s %s\n", kind->name, job->name);
    return true;
}

/* ---- the command line ---------------------------------------------------------------------------------- */

static const struct kind *find_kind(const char *word, struct bench_error *error)
{
    const char *known[KINDS];
    for (size_t k = 0; k < KINDS; k++) {
        known[k] = kinds[k].name;
        if (strcmp(word, known[k]) == 0) return &kinds[k];
    }
    const char *near = nearest_name(word, known, KINDS);
    bench_refuse(error, "new: '%s' is no problem, cost or method%s%s", word, near ? "; did you mean " : "",
                 near ? near : "");
    return NULL;
}

/* A C identifier in lower case that no module has. */
static bool check_name(const char *name, struct bench_error *error)
{
    static const char *const key[] = {"problem", "cost", "method", "provider", "tableau", "controller"};
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    struct bench_error unused;
    const struct sens_registry *reg = variant_find("auto", &unused);
    peer_load_matching(PEER_METHOD, NULL, &unused);
    if (name[length] || length == 0 || length >= NAME_LENGTH || name[0] < 'a')
        return bench_refuse(error,
                            "new: '%.80s' is no name: a letter, then letters, digits and _, in lower case, "
                            "fewer than %d",
                            name, NAME_LENGTH);
    for (size_t k = 0; k < sizeof key / sizeof key[0]; k++) {
        struct variant_names names;
        variant_names(reg, key[k], &names);
        for (size_t i = 0; i < names.count; i++)
            if (strcmp(names.name[i], name) == 0)
                return bench_refuse(error, "new: '%s' is taken: there is a %s of this name", name, key[k]);
    }
    return true;
}

static bool read_words(const struct cli_command *command, const struct cli_arguments *arguments,
                       struct creation *job)
{
    const char *const out = cli_flag(command, arguments, "--out");
    if (arguments->words != 2)
        return bench_refuse(job->error, "new: a kind and a name are needed; see sensbench new --help");
    job->kind = find_kind(arguments->word[0], job->error);
    job->name = arguments->word[1];
    if (out) job->place = out;
    job->in_tree = cli_flag(command, arguments, "--in-tree") != NULL;
    job->in_c = cli_flag(command, arguments, "--c") != NULL;
    return job->kind != NULL && check_name(job->name, job->error);
}

static bool create(struct creation *job)
{
    if (job->kind->text && !job->in_c) return create_model(job);
    return job->in_tree ? create_in_tree(job) : create_folder(job);
}

int cmd_new(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct bench_error error;
    struct creation job = {.place = ".", .error = &error};
    if (read_words(command, arguments, &job) && job.kind && create(&job)) return EXIT_OK;
    undo(&job);
    return cli_complain(&error, EXIT_USAGE);
}
