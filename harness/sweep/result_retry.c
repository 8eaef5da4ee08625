/* Rows that are to be measured again: all but them are copied. */
#include <errno.h>
#include <string.h>

#include "result_file.h"
#include "text_file.h"

enum { LINE_LENGTH_MAX = 1 << 20, STATUS_LENGTH = 64 };

/* Whether a status is in a list. */
bool result_retry_has(const char *list, const char *status)
{
    const size_t length = strlen(status);
    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strcspn(at, ",") == length && strncmp(at, status, length) == 0) return true;
    return false;
}

bool result_retry_check(const char *list, struct bench_error *error)
{
    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL) {
        char name[STATUS_LENGTH];
        sens_status status;
        const int length = (int)strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", length, at);
        if (length >= STATUS_LENGTH || !sens_status_from_name(name, &status) || status == SENS_OK)
            return bench_refuse(
                error, "--retry: '%.*s' is not the status of a failure, as timeout or crashed", length, at);
    }
    return true;
}

/* The rows of the table are the lines after the header that are no remarks, in their order. */
bool result_retry_copy(const char *path, const char *list, FILE *to, struct bench_error *error)
{
    struct table table;
    struct text_file text;
    enum text_result got;
    size_t lines = 0; /* of the header and the rows */
    if (!table_read(path, &table, error)) return false;
    if (!text_open(&text, path, LINE_LENGTH_MAX, error)) {
        table_free(&table);
        return false;
    }
    while ((got = text_next(&text, error)) == TEXT_LINE) {
        const bool counts = text.line[0] && text.line[0] != '#';
        lines += counts;
        if (counts && lines > 1 && result_retry_has(list, table.row[lines - 2].text[COL_status])) continue;
        fprintf(to, "%s\n", text.line);
    }
    text_close(&text);
    table_free(&table);
    if (got == TEXT_FAILED) return false;
    return !ferror(to) || bench_refuse(error, "%s: its rows cannot be copied: %s", path, strerror(errno));
}
