/* Standard deviations from a text, see data_error.h. */
#include "data_error.h"

#include <math.h>
#include <string.h>

#include "files.h"
#include "scaled.h"

enum { WORD = 64 };
static const double least = 1e-60, most = 1e60; /* whose squares, and ratios of these, are numbers */

/* "0.1" or "5%" of so many bytes. */
static bool read_size(const char *text, size_t length, struct data_error *made, struct bench_error *error)
{
    char word[WORD];
    const bool relative = length > 0 && text[length - 1] == '%';
    const size_t digits = length - relative;
    double number = 0;
    if (digits < sizeof word) {
        memcpy(word, text, digits);
        word[digits] = '\0';
    }
    if (digits >= sizeof word || !read_number(word, &number) || !(number >= least) || number > most)
        return bench_refuse(error, "--sigma %.*s: not a number from 1e-60 to 1e60, or one with %%",
                            (int)(length < WORD ? length : WORD), text);
    *made = (struct data_error){relative ? number / 100 : number, relative};
    return true;
}

/* NAME=SIZE of so many bytes. */
static bool read_item(const char *item, size_t length, struct analysis *analysis, struct bench_error *error)
{
    const char *const equals = memchr(item, '=', length);
    if (!equals)
        return bench_refuse(error, "--sigma %.*s: not NAME=NUMBER or NAME=NUMBER%%",
                            (int)(length < WORD ? length : WORD), item);
    const size_t name = (size_t)(equals - item);
    const size_t i = labels_place("--sigma", item, name, analysis->n, analysis->labels.state, error);
    if (i == analysis->n) return false;
    if (analysis->sigma[i].value > 0)
        return bench_refuse(error, "--sigma: %s is named twice", analysis->labels.state[i]);
    return read_size(equals + 1, length - name - 1, &analysis->sigma[i], error);
}

static bool read_items(const char *text, struct analysis *analysis, struct bench_error *error)
{
    for (const char *at = text;; at++) {
        const size_t length = labels_item(at);
        if (!read_item(at, length, analysis, error)) return false;
        at += length;
        if (!*at) return true;
    }
}

sens_status data_error_read(struct sens_ctx *ctx, const char *text, struct analysis *analysis,
                            struct bench_error *error)
{
    struct data_error all = {0, false};
    analysis->sigma = SENS_NEW(ctx, struct data_error, analysis->n);
    if (!analysis->sigma) return SENS_NO_MEMORY;
    const bool by_name = strchr(text, '=');
    if (by_name ? !read_items(text, analysis, error) : !read_size(text, strlen(text), &all, error))
        return SENS_BAD_INPUT;
    for (size_t a = 0; a < analysis->states.count; a++) {
        const size_t i = analysis->states.index[a];
        if (!by_name) analysis->sigma[i] = all;
        if (analysis->sigma[i].value > 0) continue;
        bench_refuse(error, "--sigma: none for %s; --states chooses what is measured",
                     analysis->labels.state[i]);
        return SENS_BAD_INPUT;
    }
    return SENS_OK;
}

/* A percentage of a state that is 0 is no standard deviation. */
static sens_status check_relative(struct sens_ctx *ctx, const struct analysis *analysis,
                                  const double *largest)
{
    for (size_t a = 0; a < analysis->states.count; a++) {
        const size_t i = analysis->states.index[a];
        const char *const name = analysis->labels.state[i];
        if (analysis->sigma[i].relative && isnan(largest[i]))
            return sens_fail(
                ctx, SENS_UNSUPPORTED,
                "--sigma: %s is 0 at all these times, and %g%% of 0 is 0, which is no error of data; "
                "give it a number (--sigma %s=NUMBER,...), or leave it out (--states)",
                name, 100 * analysis->sigma[i].value, name);
    }
    return SENS_OK;
}

sens_status data_error_units(struct sens_ctx *ctx, const struct analysis *analysis,
                             const struct solution *solution, double **unit)
{
    const size_t n = analysis->n;
    sens_status status = scaled_units(ctx, analysis, solution, SCALE_LARGEST, unit);
    if (status == SENS_OK) status = check_relative(ctx, analysis, *unit);
    for (size_t j = 0; status == SENS_OK && j < analysis->grid.times; j++)
        for (size_t i = 0; i < n; i++) {
            const struct data_error sigma = analysis->sigma[i];
            const double value = sigma.relative ? sigma.value * (*unit)[j * n + i] : sigma.value;
            (*unit)[j * n + i] = sigma.value > 0 ? value : NAN;
        }
    return status;
}
