/* The cores that this process may use, which of them are least busy, binding to them, and the caches that one of them
 * may call its own. */
#include <hwloc.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "machine.h"
#include "processors.h"
#include "quota.h"
#include "seconds.h"
#include "vector.h"

struct cores {
    hwloc_topology_t topology;
    int count, workers; /* workers: as many as a quota allows */
    struct core {
        hwloc_cpuset_t set;         /* its processing units that this process may use */
        hwloc_const_cpuset_t whole; /* all of them: of the topology */
    } * core;                       /* [count] */
    int *order;                     /* [count] the cores from the least busy on */
    struct sens_caches cache;
    size_t vector; /* bytes that each multiplies at its full rate */
};

/* Bytes of one core's share of the cache of this type above it; 0: none. */
static size_t cache_share(hwloc_topology_t topology, hwloc_obj_t core, hwloc_obj_type_t type)
{
    hwloc_obj_t object = core->parent;
    while (object && object->type != type) object = object->parent;
    if (!object) return 0;
    const int sharing = hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_CORE);
    return (size_t)object->attr->cache.size / (size_t)(sharing > 0 ? sharing : 1);
}

static bool make_room(struct cores *cores, int all)
{
    cores->core = calloc((size_t)all, sizeof *cores->core);
    cores->order = calloc((size_t)all, sizeof *cores->order);
    return cores->core && cores->order;
}

/* The cores of which `allowed` has a processing unit, and the caches of the last. */
static bool find_cores(struct cores *cores, hwloc_const_cpuset_t allowed)
{
    const int all = hwloc_get_nbobjs_by_type(cores->topology, HWLOC_OBJ_CORE);
    if (all <= 0 || !make_room(cores, all)) return false;
    for (int i = 0; i < all; i++) {
        const hwloc_obj_t core = hwloc_get_obj_by_type(cores->topology, HWLOC_OBJ_CORE, (unsigned)i);
        if (!hwloc_bitmap_intersects(core->cpuset, allowed)) continue;
        hwloc_cpuset_t set = hwloc_bitmap_dup(core->cpuset);
        if (!set) break;
        hwloc_bitmap_and(set, set, allowed);
        cores->core[cores->count++] = (struct core){set, core->cpuset};
        cores->cache.l1 = cache_share(cores->topology, core, HWLOC_OBJ_L1CACHE);
        cores->cache.l2 = cache_share(cores->topology, core, HWLOC_OBJ_L2CACHE);
        cores->cache.l3 = cache_share(cores->topology, core, HWLOC_OBJ_L3CACHE);
    }
    /* from the last on: the first one serves most interrupts */
    for (int i = 0; i < cores->count; i++) cores->order[i] = cores->count - 1 - i;
    cores->workers = quota_workers(cores->count, quota_processors(""));
    return cores->count > 0;
}

/* Before anything is bound, so that what this process is bound to is what it was given. The plug-ins of hwloc
 * look for devices, and loading them takes longer than all else. */
static void load(struct cores *cores)
{
    hwloc_cpuset_t allowed = hwloc_bitmap_alloc();
    bool found = false;
    setenv("HWLOC_PLUGINS_PATH", "", 0);
    if (!allowed || hwloc_topology_init(&cores->topology) != 0) {
        hwloc_bitmap_free(allowed);
        return;
    }
    if (hwloc_topology_load(cores->topology) == 0) {
        if (hwloc_get_cpubind(cores->topology, allowed, HWLOC_CPUBIND_PROCESS) != 0)
            hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(cores->topology));
        found = find_cores(cores, allowed);
    }
    hwloc_bitmap_free(allowed);
    if (found) return;
    hwloc_topology_destroy(cores->topology);
    free(cores->core);
    free(cores->order);
    *cores = (struct cores){.count = 0};
}

/* Found once, at the first call: a machine does not change while the program runs, and the function that
 * binds a method's threads is told nothing but their numbers. After that only the order changes. */
static struct cores found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_found(void)
{
    load(&found);
    found.vector = vector_find();
}

static const struct cores *cores_found(void)
{
    pthread_once(&once, load_found);
    return &found;
}

int machine_cores(void)
{
    const int workers = cores_found()->workers;
    return workers > 0 ? workers : 1;
}

struct sens_caches machine_caches(void)
{
    return cores_found()->cache;
}

/* ---- which of them are least busy ---------------------------------------------------------------------- */

static const long look_nanoseconds = 100000000; /* ten ticks of the kernel's count */

/* Processors' worth of work on a core between two moments, all its processing units together: those that others may use
 * alone share its caches too. NaN: not told. */
static double busy_of(const struct core *core, const struct processor_times *before,
                      const struct processor_times *after, double elapsed)
{
    double busy = 0;
    for (int unit = hwloc_bitmap_first(core->whole); unit >= 0; unit = hwloc_bitmap_next(core->whole, unit)) {
        const size_t at = (size_t)unit;
        const bool told = at < before->count && at < after->count;
        busy += told ? 1 - (after->of[at].idle - before->of[at].idle) / elapsed : (double)NAN;
    }
    return busy;
}

void machine_rank(const struct processor_times *before, const struct processor_times *after, double elapsed)
{
    pthread_once(&once, load_found);
    double *busy = calloc((size_t)found.count + 1, sizeof *busy);
    for (int i = 0; busy && i < found.count; i++) busy[i] = busy_of(&found.core[i], before, after, elapsed);
    if (busy) processors_rank((size_t)found.count, busy, found.order);
    free(busy);
}

void machine_seek_quiet(void)
{
    struct processor_times before = {.of = NULL}, after = {.of = NULL};
    const struct timespec look = {0, look_nanoseconds};
    const double start = seconds_now();
    pthread_once(&once, load_found);
    if (found.count > 1 && processor_times_read("/proc", &before)) {
        nanosleep(&look, NULL);
        const double elapsed = seconds_now() - start;
        if (processor_times_read("/proc", &after)) machine_rank(&before, &after, elapsed);
    }
    processor_times_free(&before);
    processor_times_free(&after);
}

/* ---- binding ------------------------------------------------------------------------------------------- */

static bool bind_to(int worker, int flags)
{
    const struct cores *cores = cores_found();
    if (cores->count == 0 || worker < 0) return false;
    const struct core *core = &cores->core[cores->order[worker % cores->count]];
    return hwloc_set_cpubind(cores->topology, core->set, flags) == 0;
}

void machine_bind(int worker)
{
    bind_to(worker, HWLOC_CPUBIND_THREAD);
}

bool machine_pin(void)
{
    return bind_to(0, HWLOC_CPUBIND_PROCESS);
}

void machine_prepare(struct sens_ctx *ctx, bool bind)
{
    ctx->now = seconds_now;
    ctx->cores = machine_cores();
    ctx->cache = machine_caches();
    ctx->vector = cores_found()->vector;
    ctx->bind = bind ? machine_bind : NULL;
}
