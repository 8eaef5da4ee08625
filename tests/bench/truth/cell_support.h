/* A cell of the discrete adjoint for tests, from the words of a command line. */
#ifndef TESTS_BENCH_CELL_SUPPORT_H
#define TESTS_BENCH_CELL_SUPPORT_H

#include <stdio.h>
#include <string.h>

#include "testing.h"
#include "truth.h"

struct fixture {
    struct sens_ctx ctx;
    struct spec spec;
    struct cell cell;
    struct truth truth;
    struct bench_error error;
};

/* Resolves "key=value key=value ..." with the discrete adjoint as method. */
static inline sens_status resolve(struct fixture *fx, const char *words)
{
    char text[512], *rest = NULL;
    memset(fx, 0, sizeof *fx);
    snprintf(text, sizeof text, "method=discrete_adjoint %s", words);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = '\0';
        if (!spec_set(&fx->spec, word, equals + 1, "test", &fx->error)) return SENS_BAD_INPUT;
    }
    return cell_resolve(&fx->ctx, &fx->spec, &fx->cell, &fx->error);
}

static inline void release(struct fixture *fx)
{
    spec_free(&fx->spec);
    sens_arena_release(&fx->ctx.arena);
}

#endif
