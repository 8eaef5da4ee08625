/* derive/provider/paths.c - looking up recordings, and making new ones. */
#include "paths.h"

#include <stdlib.h>

struct path { /* immutable, once it is among the others */
    struct graph *graph;
    struct engine *engine;
    struct path *older;
};

static void destroy_path(const struct paths *paths, struct path *path)
{
    if (!path) return;
    if (path->engine) paths->maker.destroy(path->engine);
    graph_destroy(path->graph);
    free(path);
}

static double now(const struct paths *paths)
{
    return paths->maker.now ? paths->maker.now() : 0;
}

static sens_status fill(struct paths *paths, const struct sens_at *at, struct path *path,
                        struct bench_error *error)
{
    path->graph = graph_create();
    if (!path->graph) return SENS_NO_MEMORY;
    const double begin = now(paths);
    const sens_status status = paths->record(paths->source, at, path->graph, error);
    paths->t_record += now(paths) - begin;
    atomic_fetch_add(&paths->n_recorded, 1);
    if (status != SENS_OK) return status;
    return paths->maker.create(&paths->maker, path->graph, &paths->shape, at, &path->engine);
}

/* NULL with a status: it cannot be recorded there. */
static struct path *record_path(struct paths *paths, const struct sens_at *at, sens_status *status,
                                struct bench_error *error)
{
    struct path *path = calloc(1, sizeof *path);
    *status = path ? fill(paths, at, path, error) : SENS_NO_MEMORY;
    if (*status == SENS_OK) return path;
    destroy_path(paths, path);
    return NULL;
}

static void keep(struct paths *paths, struct path *path)
{
    path->older = atomic_load(&paths->newest);
    atomic_store(&paths->newest, path);
    paths->n_kept++;
}

sens_status paths_open(struct paths *paths)
{
    atomic_init(&paths->newest, NULL);
    atomic_init(&paths->n_recorded, 0);
    for (int kind = 0; kind < PRODUCT_KINDS; kind++)
        for (int class = 0; class < GENERATE_CLASSES; class ++)
            atomic_init(&paths->direct[kind][class], NULL);
    return pthread_mutex_init(&paths->recording, NULL) == 0 ? SENS_OK : SENS_NO_MEMORY;
}

sens_status paths_record(struct paths *paths, const struct sens_at *at, struct bench_error *error)
{
    sens_status status;
    struct path *path = record_path(paths, at, &status, error);
    if (path) keep(paths, path);
    return status;
}

sens_status paths_create(struct paths *paths, const struct sens_at *at, struct bench_error *error)
{
    sens_status status = paths_open(paths);
    if (status != SENS_OK) return status;
    status = paths_record(paths, at, error);
    if (status != SENS_OK) paths_destroy(paths);
    return status;
}

void paths_destroy(struct paths *paths)
{
    struct path *path = atomic_load(&paths->newest);
    while (path) {
        struct path *older = path->older;
        destroy_path(paths, path);
        path = older;
    }
    pthread_mutex_destroy(&paths->recording);
}

static struct sens_at first_point(const struct product_call *call)
{
    return (struct sens_at){call->on.t ? call->on.t[0] : 0, call->on.x, call->on.p};
}

/* Without guards, which is when there is something to be called directly, this recording is the only one. */
static sens_status run_on(struct paths *paths, const struct path *path, const struct product_call *call)
{
    const struct sens_at at = first_point(call);
    const sens_status status = paths->maker.run(path->engine, call);
    if (status == SENS_OK && paths->maker.direct)
        atomic_store(&paths->direct[call->kind][generate_class_of(call->on.lanes)],
                     paths->maker.direct(path->engine, call));
    return status == SENS_OK ? watch_point(&paths->watch, path->graph, &at) : status;
}

/* Recordings from `from` to before `end`: SENS_OUT_OF_DOMAIN where the guards of none of these hold. */
static sens_status try_paths(struct paths *paths, const struct path *from, const struct path *end,
                             const struct product_call *call)
{
    sens_status status = SENS_OUT_OF_DOMAIN;
    for (; from != end && status == SENS_OUT_OF_DOMAIN; from = from->older)
        status = run_on(paths, from, call);
    return status;
}

/* At one point that no recording before `seen` is right for; holds the lock. What has just been recorded here is
 * right here: its guards may tell otherwise by rounding alone. */
static sens_status run_new(struct paths *paths, const struct path *seen, const struct product_call *call)
{
    struct product_call own = *call;
    struct bench_error error;
    const struct sens_at at = first_point(call);
    sens_status status = try_paths(paths, atomic_load(&paths->newest), seen, call);
    if (status != SENS_OUT_OF_DOMAIN) return status; /* another thread was here */
    struct path *path = record_path(paths, &at, &status, &error);
    if (!path) return status;
    const bool kept = paths->n_kept < PATHS_KEPT;
    if (kept) keep(paths, path);
    own.at_its_own = true;
    status = run_on(paths, path, &own);
    if (!kept) destroy_path(paths, path);
    return status;
}

static sens_status run_point(struct paths *paths, const struct product_call *call)
{
    const struct path *seen = atomic_load(&paths->newest);
    sens_status status = try_paths(paths, seen, NULL, call);
    if (status != SENS_OUT_OF_DOMAIN) return status;
    pthread_mutex_lock(&paths->recording);
    status = run_new(paths, seen, call);
    pthread_mutex_unlock(&paths->recording);
    return status;
}

sens_status paths_run(struct paths *paths, const struct product_call *call)
{
    if (call->on.points == 1) return run_point(paths, call);
    sens_status status = try_paths(paths, atomic_load(&paths->newest), NULL, call);
    if (status != SENS_OUT_OF_DOMAIN) return status;
    for (size_t k = 0; k < call->on.points; k++) { /* each on a path of its own */
        struct product_call point = *call;
        point.on.points = 1;
        point.on.t += k;
        point.on.x += k * call->on.x_step;
        point.on.v += k * call->on.v_step;
        status = run_point(paths, &point);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

double paths_analysis(const struct paths *paths)
{
    double seconds = 0;
    for (const struct path *path = atomic_load(&paths->newest); path; path = path->older)
        seconds += path->engine->seconds;
    return seconds;
}

static const struct path *first_path(const struct paths *paths)
{
    const struct path *path = atomic_load(&paths->newest);
    while (path->older) path = path->older;
    return path;
}

const struct graph *paths_first_graph(const struct paths *paths)
{
    return first_path(paths)->graph;
}

struct engine *paths_first_engine(const struct paths *paths)
{
    return first_path(paths)->engine;
}
