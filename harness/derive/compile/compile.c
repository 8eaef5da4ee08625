/* The way of a text: its key, the cache, the compiler, the loader. */
#include "compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "compile_flags.h"
#include "entry.h"
#include "folder.h"
#include "hash.h"
#include "run.h"
#include "seconds.h"
#include "trim.h"

static const char format[] =
    "sensbench compiled products 1"; /* to be raised where an old entry is of no use */
static const double usual_limit = 60;
static const uint64_t cache_limit = 256 << 20; /* bytes */
static const char source_name[] = "products.c", object_name[] = "products.so";

struct job {
    const struct compiler *compiler;
    const struct compile_request *request;
    const char *const *flags;
    struct cache_folder cache;
    struct work_folder work;
    struct compiled *compiled;
    struct bench_error *error;
};

/* ---- flags and key ------------------------------------------------------------------------------------- */

static const char *const common[] = {"-std=c11",          "-fPIC", "-shared", "-Wl,-Bsymbolic",
                                     COMPILE_FLOAT_FLAGS, NULL};
static const char *const baseline[] = {NULL};
static const char *const avx2[] = {COMPILE_FLAGS_avx2, NULL};
static const char *const avx512[] = {COMPILE_FLAGS_avx512, NULL};

static const char *const *flags_of(const char *isa)
{
    if (strcmp(isa, "baseline") == 0) return baseline;
    if (strcmp(isa, "avx2") == 0) return avx2;
    return strcmp(isa, "avx512") == 0 ? avx512 : NULL;
}

unsigned compile_widest(const char *isa)
{
    return strcmp(isa, "avx512") == 0 ? 8 : strcmp(isa, "avx2") == 0 ? 4 : 2;
}

static const char *optimisation(int level)
{
    return level == 2 ? "-O2" : level == 3 ? "-O3" : NULL;
}

/* All that the object depends on. */
static void make_key(const struct job *job, char key[COMPILE_KEY + 1])
{
    struct utsname machine;
    struct sha256_ctx hash;
    sha256_init(&hash);
    hash_text(&hash, format);
    hash_text(&hash, uname(&machine) >= 0 ? machine.machine : "");
    hash_text(&hash, job->compiler->identity);
    hash_text(&hash, optimisation(job->request->level));
    for (const char *const *flag = common; *flag; flag++) hash_text(&hash, *flag);
    for (const char *const *flag = job->flags; *flag; flag++) hash_text(&hash, *flag);
    hash_text(&hash, job->request->source);
    hash_digits(&hash, key);
}

/* ---- the compiler -------------------------------------------------------------------------------------- */

static sens_status fail(const struct job *job, const char *what)
{
    bench_refuse(job->error, "%s: %s", what, strerror(errno));
    return SENS_IO_ERROR;
}

/* The text, and the key that the object is to carry. */
static sens_status write_source(const struct job *job)
{
    char identity[sizeof ENTRY_IDENTITY + COMPILE_KEY + 64];
    const size_t length = strlen(job->request->source);
    const int file =
        openat(job->work.descriptor, source_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) return fail(job, "a source to be compiled cannot be written");
    const int more =
        snprintf(identity, sizeof identity,
                 "\nextern const char " ENTRY_IDENTITY "[];\nconst char " ENTRY_IDENTITY "[] = \"%s\";\n",
                 job->compiled->key);
    const bool wrote = entry_write(file, job->request->source, length, 0) &&
                       entry_write(file, identity, (size_t)more, (off_t)length);
    const sens_status status = wrote ? SENS_OK : fail(job, "a source to be compiled cannot be written");
    close(file);
    return status;
}

static sens_status run_compiler(const struct job *job)
{
    enum { ARGUMENTS = 32 };
    const char *argument[ARGUMENTS] = {job->compiler->path, optimisation(job->request->level)};
    const char *const files[] = {"-o", object_name, source_name, "-lm", NULL};
    const char *const *const lists[] = {common, job->flags, files};
    char said[2048];
    size_t count = 2;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *const *word = lists[i]; *word && count + 1 < ARGUMENTS; word++)
            argument[count++] = *word;
    const double limit = job->request->limit;
    const struct run run = {argument, job->work.descriptor, limit > 0 ? limit : usual_limit, said,
                            sizeof said};
    return run_program(&run, job->error);
}

/* Only what has been loaded gets its name in the cache. */
static sens_status finish(const struct job *job)
{
    const int object =
        openat(job->work.descriptor, object_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char name[COMPILE_KEY + sizeof ".so"];
    if (object < 0) {
        bench_refuse(job->error, "%.300s wrote no object", job->compiler->path);
        return SENS_UNAVAILABLE;
    }
    sens_status status = entry_seal(object, job->compiled->key, job->error);
    if (status == SENS_OK && (entry_check(object, job->compiled->key, job->error) != ENTRY_SOUND ||
                              !entry_load(object, job->compiled, job->error)))
        status = SENS_UNAVAILABLE;
    close(object);
    if (status != SENS_OK || !job->cache.keeps) return status;
    snprintf(name, sizeof name, "%s.so", job->compiled->key);
    if (renameat(job->work.descriptor, object_name, job->cache.descriptor, name) == 0)
        trim_cache(job->cache.descriptor, cache_limit);
    return SENS_OK; /* it is loaded, even if it could not be kept */
}

static sens_status compile(struct job *job)
{
    sens_status status = work_open(&job->work, &job->cache, job->error);
    if (status != SENS_OK) return status;
    const double begin = seconds_now();
    status = write_source(job);
    if (status == SENS_OK) status = run_compiler(job);
    job->compiled->seconds = seconds_now() - begin;
    if (status == SENS_OK) status = finish(job);
    work_remove(&job->work);
    return status;
}

/* ---- the cache ----------------------------------------------------------------------------------------- */

/* ENTRY_DAMAGED also where there is none. */
static enum entry_state load_kept(const struct job *job)
{
    char name[COMPILE_KEY + sizeof ".so"];
    struct compiled *const compiled = job->compiled;
    if (!job->cache.keeps) return ENTRY_DAMAGED;
    snprintf(name, sizeof name, "%s.so", compiled->key);
    const int file = openat(job->cache.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return ENTRY_DAMAGED;
    if (file < 0) {
        bench_refuse(job->error, "a compiled object in the cache is refused, %s: %.16s....so",
                     errno == ELOOP ? "it is a symbolic link" : strerror(errno), compiled->key);
        return ENTRY_REFUSED;
    }
    enum entry_state state = entry_check(file, compiled->key, job->error);
    if (state == ENTRY_SOUND && !entry_load(file, compiled, job->error)) state = ENTRY_DAMAGED;
    if (state == ENTRY_SOUND) futimens(file, NULL); /* its last use; a cache that may only be read has none */
    close(file);
    return state;
}

sens_status compile_load(const struct compiler *compiler, const struct compile_request *request,
                         struct compiled *compiled, struct bench_error *error)
{
    struct job job = {.compiler = compiler,
                      .request = request,
                      .flags = flags_of(request->isa),
                      .compiled = compiled,
                      .error = error};
    *compiled = (struct compiled){.handle = NULL};
    if (!job.flags || !optimisation(request->level)) {
        bench_refuse(error, "nothing is compiled for isa=%.60s at level %d", request->isa, request->level);
        return SENS_BAD_INPUT;
    }
    sens_status status = cache_open(&job.cache, error);
    if (status != SENS_OK) return status;
    make_key(&job, compiled->key);
    const enum entry_state state = load_kept(&job);
    compiled->was_kept = state == ENTRY_SOUND;
    if (state == ENTRY_DAMAGED) status = compile(&job);
    if (state == ENTRY_REFUSED) status = SENS_UNAVAILABLE;
    if (state == ENTRY_FAILED) status = SENS_IO_ERROR;
    cache_close(&job.cache);
    return status;
}
