/* The modules of other libraries: which there are, where they lie, and loading them. */
#include "peers.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "locate.h"
#include "modules.h"

struct peer_module {
    const char *name, *library, *packages;
    enum { PEER_LACKING, PEER_OFF, PEER_BUILT } state;
};

#define SENS_PEER(name, library, packages, state) {name, library, packages, PEER_##state},
#define SENS_PEER_METHOD(method, module)
#define SENS_PEER_PROVIDER(provider, module)
static const struct peer_module modules[] = {
#include "peers.def"
};
#undef SENS_PEER
#undef SENS_PEER_METHOD
#undef SENS_PEER_PROVIDER
enum { MODULES = sizeof modules / sizeof modules[0] };

#define SENS_PEER(name, library, packages, state)
#define SENS_PEER_METHOD(method, module)     {PEER_METHOD, method, module},
#define SENS_PEER_PROVIDER(provider, module) {PEER_PROVIDER, provider, module},
static const struct peer_part {
    enum peer_kind kind;
    const char *name, *module;
} parts[] = {
#include "peers.def"
};
enum { PARTS = sizeof parts / sizeof parts[0] };

size_t peer_names(enum peer_kind kind, const char *name[], size_t max)
{
    size_t count = 0;
    for (int i = 0; i < PARTS && count < max; i++)
        if (parts[i].kind == kind) name[count++] = parts[i].name;
    return count;
}

/* A part names a module of the table: both come from one call of sens_add_peer. */
static int module_index(const char *name)
{
    int i = 0;
    while (i < MODULES - 1 && strcmp(modules[i].name, name) != 0) i++;
    return i;
}

/* In the build tree beside the program, once installed where libraries are. */
static bool find_file(const char *name, char path[DATA_PATH])
{
    char program[DATA_PATH];
    const char *const folder[] = {"peers", SENS_MODULES_FROM_PROGRAM_TEXT};
    program_folder(program);
    for (size_t i = 0; i < sizeof folder / sizeof folder[0]; i++) {
        const int length = snprintf(path, DATA_PATH, "%s/%s/sens_%s.so", program, folder[i], name);
        if (length > 0 && length < DATA_PATH && access(path, R_OK) == 0) return true;
    }
    return false;
}

static sens_status refuse_missing(const struct peer_module *module, struct bench_error *error)
{
    const char *const cure = "; to have it, apt-get install";
    if (module->state == PEER_OFF)
        bench_refuse(error, "built without %s: it was switched off (SENS_PEERS, SENS_PEER_*)",
                     module->library);
    else if (module->state == PEER_LACKING)
        bench_refuse(error, "built without %s%s %s, and build again", module->library, cure,
                     module->packages);
    else
        bench_refuse(error, "no file sens_%s.so, the module of %s%s %s, and build again", module->name,
                     module->library, cure, module->packages);
    return SENS_UNAVAILABLE;
}

/* One thread, whatever the caller's environment says: BLAS and OpenMP read these when they are loaded, which
 * a module does, and not again. */
static bool set_threads(struct bench_error *error)
{
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0 && setenv("OMP_NUM_THREADS", "1", 1) == 0) return true;
    bench_refuse(error, "no memory for the environment");
    return false;
}

static sens_status load_module(const char *name, struct bench_error *error)
{
    static bool loaded[MODULES];            /* what has been loaded belongs to the process, as with dlopen */
    static struct bench_error why[MODULES]; /* what cannot be loaded is not tried for every cell of a sweep */
    char path[DATA_PATH];
    const int i = module_index(name);
    if (loaded[i]) return SENS_OK;
    if (why[i].text[0]) return *error = why[i], SENS_UNAVAILABLE;
    if (modules[i].state != PEER_BUILT || !find_file(name, path)) return refuse_missing(&modules[i], error);
    if (!set_threads(error)) return SENS_NO_MEMORY;
    loaded[i] = plugin_load(path, error);
    if (!loaded[i]) why[i] = *error;
    return loaded[i] ? SENS_OK : SENS_UNAVAILABLE;
}

sens_status peer_load(enum peer_kind kind, const char *name, struct bench_error *error)
{
    for (int i = 0; i < PARTS; i++)
        if (parts[i].kind == kind && strcmp(parts[i].name, name) == 0)
            return load_module(parts[i].module, error);
    return SENS_OK;
}

sens_status peer_load_matching(enum peer_kind kind, const char *pattern, struct bench_error *error)
{
    sens_status status = SENS_OK;
    bool any = false;
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].kind != kind || (pattern && fnmatch(pattern, parts[i].name, 0) != 0)) continue;
        const sens_status now = load_module(parts[i].module, error);
        any = any || now == SENS_OK;
        if (now != SENS_OK) status = now;
    }
    return any ? SENS_OK : status;
}
