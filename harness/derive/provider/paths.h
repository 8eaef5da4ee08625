/* derive/provider/paths.h - the recordings of one function, each with the guards of its path.
 *
 * A product at a point is that of the first recording whose guards hold there. Where none does the function is
 * recorded again at this point, by one thread at a time. */
#ifndef DERIVE_PATHS_H
#define DERIVE_PATHS_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine.h"
#include "generate.h"
#include "refuse.h"
#include "watch.h"

enum { PATHS_KEPT = 64 }; /* recordings; one more is made at each point that none of these is right for */

struct path;

struct paths {
    /* Records the function at a point, as the functions of recording.h do. */
    sens_status (*record)(const void *source, const struct sens_at *at, struct graph *graph,
                          struct bench_error *error);
    const void *source;
    struct function_shape shape;
    struct engine_maker maker;
    pthread_mutex_t recording;
    _Atomic(struct path *) newest;
    size_t n_kept;
    atomic_size_t n_recorded; /* in all */
    double t_record;          /* seconds */
    struct watch watch;
    _Atomic(const struct engine_direct *)
        direct[PRODUCT_KINDS][GENERATE_CLASSES]; /* of the only recording, once it has run; else NULL */
};

/* Without a recording yet: each is made where a product is first wanted. SENS_NO_MEMORY. */
sens_status paths_open(struct paths *paths);
/* Another recording, at this point, with a message in *error where that fails: see recording.h. */
sens_status paths_record(struct paths *paths, const struct sens_at *at, struct bench_error *error);
/* Both. Nothing has to be destroyed where it fails. */
sens_status paths_create(struct paths *paths, const struct sens_at *at, struct bench_error *error);
void paths_destroy(struct paths *paths);

/* The call, whose points are call->on.x [points][..]. SENS_OK, or it cannot be recorded or run there, or the function
 * is no longer what was recorded; what is written is then worth nothing. */
sens_status paths_run(struct paths *paths, const struct product_call *call);

/* What may be called here in place of paths_run, as generate.h has it, with so many lanes (0: numbers), and of hvp such
 * parts beside these (enum generate_call); NULL: paths_run is the way. A call of a product takes nanoseconds where a
 * problem is small, and so would all that chooses among recordings. */
static inline compiled_function *paths_direct(struct paths *paths, enum product_kind kind, size_t L,
                                              unsigned parts)
{
    const struct engine_direct *direct =
        atomic_load_explicit(&paths->direct[kind][generate_class_of(L)], memory_order_acquire);
    const bool same =
        direct && (kind != PRODUCT_HVP || direct->serves / GENERATE_ALONG == parts / GENERATE_ALONG);
    return same && watch_rests(&paths->watch) ? direct->function : NULL;
}

/* Seconds that the engines took to be made. */
double paths_analysis(const struct paths *paths);

/* The first recording, which must have been made, and what was made of it. */
const struct graph *paths_first_graph(const struct paths *paths);
struct engine *paths_first_engine(const struct paths *paths);

#endif
