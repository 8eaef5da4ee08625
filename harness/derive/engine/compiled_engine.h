/* derive/engine/compiled_engine.h - products by C that is generated, compiled and loaded. */
#ifndef DERIVE_COMPILED_ENGINE_H
#define DERIVE_COMPILED_ENGINE_H

#include <pthread.h>

#include "compile.h"
#include "engine.h"
#include "generate.h"

/* Of a wrapped problem, and of all its recordings. */
struct compiled_setting {
    struct compiler compiler;
    const char *isa;
    pthread_mutex_t lock;         /* of all that follows: one product is compiled at a time */
    size_t recordings;            /* of the right-hand side so far */
    double t_generate, t_compile; /* seconds in all */
    size_t by_c, by_tape;         /* products that run in either way */
    struct bench_error why;       /* why the tape runs, of the last product for which it does; "": none */
};

/* Each product is compiled when it is first run, compared with the tape (agree.h), and run by the tape where it
 * differs or cannot be compiled. The setting stays as long as the engines. */
struct engine_maker compiled_engine(struct compiled_setting *setting,
                                    const struct sens_tape_functions *functions, double (*now)(void));

/* The function of a product that has no vectors and was run before, for points where the guards hold; NULL: the tape
 * runs. It stays as long as the engine. */
generated_numbers *compiled_numbers(struct engine *engine, enum product_kind kind);

#endif
