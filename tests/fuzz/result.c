/* Result files, as summary reads them. What was read is written and read again: it has to be the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_codes.h"
#include "record.h"

#include "cli.h"
#include "fuzz.h"

static char *write_table(const struct table *table, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    fuzz_promise(out, "there is memory for a table");
    record_write_header(out);
    for (size_t i = 0; i < table->rows; i++) record_write_row(out, &table->row[i]);
    fclose(out);
    return text;
}

static void check_round(const struct table *table)
{
    struct table again;
    struct bench_error error = {.text = ""};
    size_t size, size_again;
    char *text = write_table(table, &size);
    struct fuzz_file file = fuzz_file_create(text, size);
    const bool read = table_read(file.path, &again, &error);
    if (!read) fprintf(stderr, "%s\n", error.text);
    fuzz_promise(read, "what the program writes it can read");
    char *text_again = write_table(&again, &size_again);
    fuzz_promise(size == size_again && memcmp(text, text_again, size) == 0, "a row read is the row written");
    table_free(&again);
    fuzz_file_close(&file);
    free(text_again);
    free(text);
}

static void summarise(char *path)
{
    char name[] = "summary", json[] = "--json";
    char *text_words[] = {name, path, NULL}, *json_words[] = {name, json, path, NULL};
    const int code = cli_run(cli_find("summary"), text_words);
    fuzz_promise(code == EXIT_OK || code == EXIT_CHECK || code == EXIT_USAGE, "summary ends as documented");
    fuzz_promise(cli_run(cli_find("summary"), json_words) == code,
                 "summary says the same as text and as JSON");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file_create(data, size);
    struct table table;
    struct bench_error error = {.text = ""};
    if (table_read(file.path, &table, &error)) {
        check_round(&table);
        table_free(&table);
        summarise(file.path);
    } else {
        fuzz_refusal(&error);
    }
    fuzz_file_close(&file);
    return 0;
}
