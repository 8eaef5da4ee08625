/* Opening, locking, repairing and continuing a result file; a row is written to it in result_rows.c. */
#include "result_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "machine.h"
#include "peak.h"
#include "streams.h"
#include "text_file.h"

/* ---- the place ----------------------------------------------------------------------------------------- */

/* A former run that was killed leaves a child behind for a moment, and the lock with it: hence a second's
 * patience. */
static bool lock(int descriptor)
{
    for (int attempt = 0; attempt < 20; attempt++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return false;
}

/* ---- the prelude --------------------------------------------------------------------------------------- */

/* What has to be the same for rows to stand in one file: the program, and how it measures; and what the cells are given
 * beside it, which each row says of its own (sweep_inputs.c). */
static const char program_line[] = "#! build: ", measure_line[] = "#! measure: ";

static void write_conditions(FILE *out, const struct sweep *sweep)
{
    const struct measure_options *measure = &sweep->measure;
    fprintf(out, "%s%08lx\n", program_line, machine_program());
    fprintf(out, "%s%d samples in %g s after %d warm-ups, timeout %g s, memory %g bytes, pin %s\n",
            measure_line, measure->samples, measure->sample_budget, measure->warmups, measure->timeout,
            measure->memory_limit, measure->pin ? "yes" : "no");
}

/* The lines that a file to be continued must have: these and the header. malloc'ed; NULL without memory. */
static char *expected_lines(const struct sweep *sweep)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    write_conditions(memory, sweep);
    record_write_header(memory);
    fclose(memory);
    return text;
}

/* Whether line, without its end, is one of the lines of text. */
static bool has_line(const char *text, const char *line)
{
    const size_t length = strlen(line);
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, line, length) == 0 && at[length] == '\n') return true;
    return false;
}

/* ---- what is there already ----------------------------------------------------------------------------- */

struct survey {
    long whole;      /* bytes up to the last line end */
    bool has_header; /* a line that is no comment */
    bool same;       /* and it is this program's header */
    size_t rows;     /* whole lines after it */
    int conditions;  /* lines of the prelude that are as this run would write them */
};
enum { CONDITIONS = 2, LINE_LENGTH_MAX = 1 << 20 };

static void survey_line(const char *line, const char *expected, struct survey *survey)
{
    if (survey->has_header && line[0] && line[0] != '#') survey->rows++;
    if (survey->has_header || !line[0]) return;
    const bool same = has_line(expected, line);
    if (line[0] == '#') {
        survey->conditions += same;
    } else {
        survey->has_header = true;
        survey->same = same;
    }
}

/* Only the end of the file ends the survey: what comes after is cut off. */
static bool survey_file(const struct result_file *result, const struct sweep *sweep, struct survey *survey,
                        struct bench_error *error)
{
    const char *const path = result->path;
    struct text_file text;
    enum text_result got;
    *survey = (struct survey){.whole = 0};
    char *expected = expected_lines(sweep);
    if (!expected) return bench_refuse(error, "%s: no memory", path);
    if (!text_open(&text, path, LINE_LENGTH_MAX, error)) return free(expected), false;
    while ((got = text_next(&text, error)) == TEXT_LINE && text.ended) {
        if (strlen(text.line) != text.length) { /* as a string the line would look like an empty one */
            bench_refuse(error, "%s:%d: a NUL byte: not a result file", path, text.number);
            got = TEXT_FAILED;
            break;
        }
        survey->whole += (long)text.length + 1;
        survey_line(text.line, expected, survey);
    }
    text_close(&text);
    free(expected);
    return got != TEXT_FAILED;
}

static int compare_done(const void *left, const void *right)
{
    return strcmp(((const struct result_done *)left)->cell, ((const struct result_done *)right)->cell);
}

static bool keep_done(const struct table *table, struct result_file *result)
{
    result->done = calloc(table->rows + 1, sizeof *result->done);
    for (size_t i = 0; result->done && i < table->rows; i++) {
        struct result_done *const done = &result->done[result->done_count++];
        done->cell = strdup(table->row[i].text[COL_cell]);
        done->given = strdup(table->row[i].text[COL_given]);
        if (!done->cell || !done->given) return false;
    }
    if (result->done) qsort(result->done, result->done_count, sizeof *result->done, compare_done);
    return result->done;
}

static bool read_done(struct result_file *result, struct bench_error *error)
{
    struct table table;
    if (!table_read(result->path, &table, error)) return false;
    const bool kept = keep_done(&table, result);
    table_free(&table);
    return kept || bench_refuse(error, "%s: no memory", result->path);
}

static const struct result_done *find_done(const struct result_file *result, char *identity)
{
    const struct result_done wanted = {.cell = identity};
    return result->done_count == 0
               ? NULL
               : bsearch(&wanted, result->done, result->done_count, sizeof wanted, compare_done);
}

/* ---- what the rows are made of ------------------------------------------------------------------------- */

/* A row may be of a cell that the sweep has no more, and yet of the same model, by name. Rows that are measured again
 * are no matter. */
static bool check_rows(const struct result_file *result, const char *retry, struct bench_error *error)
{
    struct table table;
    if (!table_read(result->path, &table, error)) return false;
    const struct sweep_input *changed = NULL;
    for (size_t i = 0; i < table.rows && !changed; i++)
        if (!result_retry_has(retry, table.row[i].text[COL_status]))
            changed = sweep_inputs_differ(&result->inputs, table.row[i].text[COL_given]);
    table_free(&table);
    return !changed ||
           bench_refuse(
               error,
               "%s: %s is not what its rows were measured with (%s=%s); move the rows away, or leave "
               "out --resume",
               result->path, changed->file, changed->key, changed->value);
}

/* A row that does not say what it is made of, as its cell would, was written or changed by somebody else. */
static bool check_cell(const struct result_file *result, const struct spec *spec, struct bench_error *error)
{
    char given[RECORD_TEXT];
    char *const identity = spec_identity(spec);
    if (!identity) return bench_refuse(error, "%s: no memory", result->path);
    const struct result_done *const done = find_done(result, identity);
    free(identity);
    return !done ||
           (sweep_inputs_write(&result->inputs, spec, given, sizeof given) &&
            strcmp(given, done->given) == 0) ||
           bench_refuse(
               error,
               "%s: the row of %.200s does not say what it was given, as this sweep would; move it away",
               result->path, done->cell);
}

static bool check_cells(const struct sweep *sweep, const struct result_file *result,
                        struct bench_error *error)
{
    for (size_t c = 0; c < sweep->count; c++)
        if (!check_cell(result, &sweep->cell[c], error)) return false;
    return true;
}

/* Can each row say what its cell is given? */
static bool check_room(const struct sweep *sweep, const struct result_file *result, struct bench_error *error)
{
    char given[RECORD_TEXT];
    for (size_t c = 0; c < sweep->count; c++)
        if (!sweep_inputs_write(&result->inputs, &sweep->cell[c], given, sizeof given))
            return bench_refuse(
                error,
                "sweep %s: a cell is given files whose names take more than the %d bytes of a row's text",
                sweep->name, RECORD_TEXT - 1);
    return true;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

static bool start_afresh(const struct sweep *sweep, struct peak *peak, struct result_file *result,
                         struct bench_error *error)
{
    rewind(result->file);
    if (ftruncate(fileno(result->file), 0) != 0)
        return bench_refuse(error, "%s: %s", result->path, strerror(errno));
    machine_write_prelude(result->file, sweep->name);
    write_conditions(result->file, sweep);
    if (sweep->title[0]) fprintf(result->file, "#! title: %s\n", sweep->title);
    if (sweep->figure[0]) fprintf(result->file, "#! figure: %s\n", sweep->figure);
    fprintf(result->file, "#! profile: %s\n", sweep->quick ? "quick" : "full");
    if (sweep->measure.samples > 0) peak_write_prelude(result->file, peak);
    fprintf(result->file, "#! cells: %zu, shuffled with seed %lu\n", sweep->count, sweep->seed);
    record_write_header(result->file);
    return (fflush(result->file) == 0 && !ferror(result->file)) ||
           bench_refuse(error, "%s: %s", result->path, strerror(errno));
}

/* The rows that are not to be measured again, in a new file, which takes the place of the old one at once: a
 * run that is killed meanwhile leaves the old one. */
static bool drop_rows(const char *retry, struct result_file *result, struct bench_error *error)
{
    char name[sizeof result->path + 8];
    snprintf(name, sizeof name, "%s.new", result->path);
    FILE *kept = fopen(name, "w+e");
    if (!kept) return bench_refuse(error, "%s: %s", name, strerror(errno));
    bool ok = lock(fileno(kept)) || bench_refuse(error, "%s: another sweep is writing to it", name);
    ok = ok && result_retry_copy(result->path, retry, kept, error);
    ok = ok && ((fflush(kept) == 0 && fsync(fileno(kept)) == 0 && rename(name, result->path) == 0) ||
                bench_refuse(error, "%s: %s", name, strerror(errno)));
    if (!ok) {
        fclose(kept);
        unlink(name);
        return false;
    }
    fclose(result->file);
    result->file = kept;
    return true;
}

/* A file that was killed before its header was whole has nothing to keep. */
static bool go_on(const struct sweep *sweep, const struct sweep_run *run, struct result_file *result,
                  struct bench_error *error)
{
    const char *const retry = run->retry;
    struct survey survey;
    if (!survey_file(result, sweep, &survey, error)) return false;
    if (!survey.has_header) return start_afresh(sweep, run->peak, result, error);
    if (!survey.same)
        return bench_refuse(error, "%s: its columns are not this program's; move it away to start afresh",
                            result->path);
    if (survey.conditions != CONDITIONS)
        return bench_refuse(error,
                            "%s: its rows are from another build of the program, or measured in another way; "
                            "move it away, or leave out --resume",
                            result->path);
    if (ftruncate(fileno(result->file), survey.whole) != 0 || fseek(result->file, 0, SEEK_END) != 0)
        return bench_refuse(error, "%s: %s", result->path, strerror(errno));
    return check_rows(result, retry, error) && (!retry || drop_rows(retry, result, error)) &&
           read_done(result, error) && check_cells(sweep, result, error);
}

/* Opened, and the only writer's. Between the two steps another sweep may have put it aside: then the path is
 * another file. */
static bool open_locked(struct result_file *result, struct bench_error *error)
{
    struct stat about;
    do {
        if (result->file) fclose(result->file);
        result->file = fopen(result->path, "a+e");
        if (!result->file || fstat(fileno(result->file), &about) != 0)
            return bench_refuse(error, "%s: %s", result->path, strerror(errno));
        if (!S_ISREG(about.st_mode)) return bench_refuse(error, "%s: not a regular file", result->path);
        if (!lock(fileno(result->file)))
            return bench_refuse(error, "%s: another sweep is writing to it", result->path);
    } while (!result_is_there(result));
    return true;
}

/* Whoever forgets --resume loses nothing. */
static bool keep_former(struct result_file *result, struct bench_error *error)
{
    char name[sizeof result->path + 16];
    if (!result_keep_aside(result->path, name, sizeof name))
        return bench_refuse(error, "%s: it has rows, and cannot be kept aside: %s", result->path,
                            strerror(errno));
    complain_line("%s: started afresh; what it was is %s (--resume would have gone on)", result->path, name);
    return open_locked(result, error);
}

static bool open_afresh(const struct sweep *sweep, struct peak *peak, struct result_file *result,
                        struct bench_error *error)
{
    struct survey survey;
    struct bench_error none;
    const bool known = survey_file(result, sweep, &survey, &none);
    if ((!known || survey.rows > 0) && !keep_former(result, error)) return false;
    return start_afresh(sweep, peak, result, error);
}

bool result_file_open(const struct sweep *sweep, const struct sweep_run *run, struct result_file *result,
                      struct bench_error *error)
{
    *result = (struct result_file){.file = NULL};
    signal(SIGXFSZ, SIG_IGN); /* a file that may grow no more is a write that fails, not the end */
    const int length = snprintf(result->path, sizeof result->path, "%s/%s/%s-%s%s.tsv", run->out, sweep->name,
                                machine_name(), machine_git(), sweep->quick ? "-quick" : "");
    if (length < 0 || (size_t)length >= sizeof result->path)
        return bench_refuse(error, "too long a path: %s", run->out);
    if (!sweep_inputs_find(sweep, &result->inputs)) return bench_refuse(error, "%s: no memory", result->path);
    const bool ok =
        check_room(sweep, result, error) && make_folders(result->path, 0777, error) &&
        open_locked(result, error) &&
        (run->resume ? go_on(sweep, run, result, error) : open_afresh(sweep, run->peak, result, error));
    if (!ok) result_file_close(result);
    return ok;
}

bool result_file_has(const struct result_file *result, char *identity)
{
    return find_done(result, identity) != NULL;
}

void result_file_close(struct result_file *result)
{
    if (result->file) fclose(result->file);
    for (size_t i = 0; i < result->done_count; i++) {
        free(result->done[i].cell);
        free(result->done[i].given);
    }
    free(result->done);
    sweep_inputs_free(&result->inputs);
    *result = (struct result_file){.file = NULL};
}
