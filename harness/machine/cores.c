/* The cores that this process may use, binding to them, and the caches that one of them may call its own. */
#include <hwloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "machine.h"
#include "seconds.h"

struct cores {
    hwloc_topology_t topology;
    int count;
    hwloc_cpuset_t
        *set; /* [count] processing units of each core that this process may use; NULL: not known */
    struct sens_caches cache;
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

/* The cores of which `allowed` has a processing unit, and the caches of the last. */
static bool find_cores(struct cores *cores, hwloc_const_cpuset_t allowed)
{
    const int all = hwloc_get_nbobjs_by_type(cores->topology, HWLOC_OBJ_CORE);
    if (all <= 0) return false;
    cores->set = calloc((size_t)all, sizeof(hwloc_cpuset_t));
    for (int i = 0; cores->set && i < all; i++) {
        const hwloc_obj_t core = hwloc_get_obj_by_type(cores->topology, HWLOC_OBJ_CORE, (unsigned)i);
        if (!hwloc_bitmap_intersects(core->cpuset, allowed)) continue;
        hwloc_cpuset_t set = hwloc_bitmap_dup(core->cpuset);
        if (!set) break;
        hwloc_bitmap_and(set, set, allowed);
        cores->set[cores->count++] = set;
        cores->cache.l1 = cache_share(cores->topology, core, HWLOC_OBJ_L1CACHE);
        cores->cache.l2 = cache_share(cores->topology, core, HWLOC_OBJ_L2CACHE);
        cores->cache.l3 = cache_share(cores->topology, core, HWLOC_OBJ_L3CACHE);
    }
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
    free(cores->set);
    *cores = (struct cores){.count = 0};
}

/* Found once, at the first call: a machine does not change while the program runs, and the function that
 * binds a method's threads is told nothing but their numbers. Read only after that. */
static struct cores found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_found(void)
{
    load(&found);
}

static const struct cores *cores_found(void)
{
    pthread_once(&once, load_found);
    return &found;
}

int machine_cores(void)
{
    const int count = cores_found()->count;
    return count > 0 ? count : 1;
}

struct sens_caches machine_caches(void)
{
    return cores_found()->cache;
}

/* From the last core on: the first one serves most interrupts. */
static bool bind_to(int worker, int flags)
{
    const struct cores *cores = cores_found();
    if (cores->count == 0 || worker < 0) return false;
    const int index = cores->count - 1 - worker % cores->count;
    return hwloc_set_cpubind(cores->topology, cores->set[index], flags) == 0;
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
    ctx->bind = bind ? machine_bind : NULL;
}
