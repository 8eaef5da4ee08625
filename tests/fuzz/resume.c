/* A result file that a sweep is to continue. The input is the file, but for three bytes that stand for what
 * differs from build to build: \1 is the prelude and the header that this program writes, \2 a row of it
 * and \3 one of a cell that crashed. Continuing takes away nothing but a torn last line, and with a retry of
 * crashed cells nothing but their rows. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "result_file.h"

static const struct sweep sweep = {.name = "fuzz", .measure = {.samples = 0}};

/* In place of the program's own (--wrap), which read a large file and ask the machine each time. */
unsigned long __wrap_machine_program(void);
void __wrap_machine_write_prelude(FILE *out, const char *sweep_name);

unsigned long __wrap_machine_program(void)
{
    return 0xf022;
}

void __wrap_machine_write_prelude(FILE *out, const char *sweep_name)
{
    fprintf(out, "#! schema: sens-result/1\n#! sweep: %s\n", sweep_name);
}

struct place { /* what a sweep writes before its first row, and to which file */
    char path[4096], *text;
    size_t size;
};

/* Asked for once. */
static const struct place *find_place(void)
{
    static struct place place;
    struct result_file result;
    struct bench_error error;
    const struct sweep_run run = {.out = fuzz_folder()};
    if (place.text) return &place;
    fuzz_promise(result_file_open(&sweep, &run, &result, &error), "a sweep can be started");
    strcpy(place.path, result.path);
    result_file_close(&result);
    place.text = fuzz_read(place.path, &place.size);
    return &place;
}

static void write_row(FILE *out, const char *status, size_t number)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        const bool text = record_column_info[c].kind == COLUMN_TEXT;
        if (c == COL_cell)
            fprintf(out, "n=%zu", number);
        else
            fputs(c == COL_status ? status : text ? "" : "nan", out);
        fputc(c + 1 < COLUMN_COUNT ? '\t' : '\n', out);
    }
}

static void write_input(const struct place *place, const uint8_t *data, size_t size)
{
    FILE *out = fopen(place->path, "w");
    fuzz_promise(out, "the result file can be written");
    for (size_t i = 0; i < size; i++) {
        if (data[i] == 1)
            fwrite(place->text, 1, place->size, out);
        else if (data[i] == 2 || data[i] == 3)
            write_row(out, data[i] == 2 ? "ok" : "crashed", i);
        else
            fputc(data[i], out);
    }
    fclose(out);
}

/* Has the text a whole line that is neither empty nor a comment? */
static bool has_row(const char *text, size_t size)
{
    const char *const end = text + size;
    for (const char *next; (next = memchr(text, '\n', (size_t)(end - text))); text = next + 1)
        if (*text != '\n' && *text != '#') return true;
    return false;
}

static void check_kept(const char *before, size_t size, const char *path)
{
    size_t kept;
    char *after = fuzz_read(path, &kept);
    const bool begins = kept <= size && memcmp(before, after, kept) == 0;
    const bool whole = kept > 0 && after[kept - 1] == '\n';
    fuzz_promise((begins && whole && !memchr(before + kept, '\n', size - kept)) || !has_row(before, size),
                 "continuing takes away a torn last line and nothing else");
    free(after);
}

/* Opens the file; the rows that it then has, or -1 where it was refused. */
static long open_file(const char *retry)
{
    const struct sweep_run run = {.out = fuzz_folder(), .resume = true, .retry = retry};
    struct result_file result;
    struct bench_error error = {.text = ""};
    if (!result_file_open(&sweep, &run, &result, &error)) {
        fuzz_refusal(&error);
        return -1;
    }
    for (size_t i = 0; i < result.done_count; i++)
        fuzz_promise(result_file_has(&result, result.done[i].cell), "every row that is there is found");
    const long rows = (long)result.done_count;
    result_file_close(&result);
    return rows;
}

static long count_crashed(const char *path)
{
    struct table table;
    struct bench_error error;
    long crashed = 0;
    fuzz_promise(table_read(path, &table, &error), "a file that can be continued can be read");
    for (size_t i = 0; i < table.rows; i++) crashed += strcmp(table.row[i].text[COL_status], "crashed") == 0;
    table_free(&table);
    return crashed;
}

static void continue_file(const struct place *place)
{
    size_t size;
    char *before = fuzz_read(place->path, &size);
    const long rows = open_file(NULL);
    if (rows > 0) {
        check_kept(before, size, place->path);
        const long crashed = count_crashed(place->path);
        fuzz_promise(open_file("crashed") == rows - crashed, "a retry takes the rows of its status away");
        fuzz_promise(count_crashed(place->path) == 0, "a retry leaves no row of its status");
    } else if (rows == 0) {
        check_kept(before, size, place->path);
    }
    free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct place *place = find_place();
    write_input(place, data, size);
    continue_file(place);
    return 0;
}
