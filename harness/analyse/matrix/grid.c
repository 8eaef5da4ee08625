/* Times from a text, see grid.h. */
#include "grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { USUAL_TIMES = 21, TIMES_MAX = 1000000, WORD = 64 };

static sens_status keep(struct sens_ctx *ctx, size_t count, const double *number, struct grid *grid)
{
    double *const t = SENS_NEW(ctx, double, count);
    if (!t) return SENS_NO_MEMORY;
    memcpy(t, number, count * sizeof *t);
    *grid = (struct grid){count, t};
    return SENS_OK;
}

/* The ends are taken as they were given. */
static sens_status spread(struct sens_ctx *ctx, double first, double last, size_t count, bool ratios,
                          struct grid *grid)
{
    double *const t = SENS_NEW(ctx, double, count);
    if (!t) return SENS_NO_MEMORY;
    for (size_t j = 0; j < count; j++) {
        const double part = (double)j / (double)(count - 1);
        t[j] = ratios ? first * pow(last / first, part) : first + (last - first) * part;
    }
    t[0] = first, t[count - 1] = last;
    *grid = (struct grid){count, t};
    return SENS_OK;
}

/* The number before the next colon, or the last one. */
static bool next_number(const char **text, double *number)
{
    char word[WORD];
    const size_t length = strcspn(*text, ":");
    if (length >= sizeof word) return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length + ((*text)[length] == ':');
    return read_number(word, number);
}

static sens_status read_range(struct sens_ctx *ctx, const char *text, struct grid *grid,
                              struct bench_error *error)
{
    const bool ratios = strncmp(text, "log:", 4) == 0;
    const char *at = ratios ? text + 4 : text;
    double first, last, count;
    const bool good = next_number(&at, &first) && next_number(&at, &last) && next_number(&at, &count) &&
                      !*at && first < last && count == floor(count) && count >= 2 && count <= TIMES_MAX &&
                      (!ratios || first > 0);
    if (good) return spread(ctx, first, last, (size_t)count, ratios, grid);
    bench_refuse(
        error,
        "--times %s: not FIRST:LAST:COUNT or log:FIRST:LAST:COUNT with FIRST < LAST%s, and a whole COUNT "
        "from 2 to %d",
        text, ratios ? ", FIRST > 0" : "", TIMES_MAX);
    return SENS_BAD_INPUT;
}

static sens_status read_file(struct sens_ctx *ctx, const char *path, struct grid *grid,
                             struct bench_error *error)
{
    struct bench_error reason;
    double *number;
    size_t count;
    if (!read_numbers(path, numbers_any(0), &number, &count, &reason)) {
        bench_refuse(error, "--times %s: %s", path, reason.text);
        return SENS_BAD_INPUT;
    }
    const sens_status status = keep(ctx, count, number, grid);
    free(number);
    return status;
}

static sens_status check(const char *text, const struct sens_problem *pb, const struct grid *grid,
                         struct bench_error *error)
{
    const double t0 = (double)pb->t0, t1 = (double)pb->t1;
    for (size_t j = 0; j < grid->times; j++) {
        const double t = grid->t[j];
        if (j > 0 && !(t > grid->t[j - 1]))
            bench_refuse(error, "--times %s: time %zu is %.17g, which is not later than the one before it",
                         text, j + 1, t);
        else if (t < t0)
            bench_refuse(error, "--times %s: %.17g is before the start of the interval, %.17g", text, t, t0);
        else if (t > t1)
            bench_refuse(error, "--times %s: %.17g is past the end of the interval, %.17g; t1=%.17g moves it",
                         text, t, t1, t);
        else
            continue;
        return SENS_BAD_INPUT;
    }
    if (grid->times > 0 && grid->t[grid->times - 1] > t0) return SENS_OK;
    bench_refuse(error, "--times %s: no time after the start of the interval, %.17g", text, t0);
    return SENS_BAD_INPUT;
}

sens_status grid_read(struct sens_ctx *ctx, const char *text, const struct sens_problem *pb,
                      struct grid *grid, struct bench_error *error)
{
    double single;
    struct grid made = {.times = 0};
    sens_status status;
    if (!text)
        status = spread(ctx, (double)pb->t0, (double)pb->t1, USUAL_TIMES, false, &made);
    else if (read_number(text, &single))
        status = keep(ctx, 1, &single, &made);
    else if (strchr(text, ':'))
        status = read_range(ctx, text, &made, error);
    else
        status = read_file(ctx, text, &made, error);
    if (status == SENS_NO_MEMORY) bench_refuse(error, "--times %s: no memory", text ? text : "");
    if (status == SENS_OK) status = check(text ? text : "(default)", pb, &made, error);
    if (status == SENS_OK) *grid = made;
    return status;
}
