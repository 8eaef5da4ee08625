/* The seal of an object, and its loading. */
#include "entry.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "fpstate.h"
#include "hash.h"
#include "object.h"

struct seal {
    char what[16];
    char key[HASH_DIGITS], sum[HASH_DIGITS];
    uint64_t length;
};
static const char what[16] = "sens-compiled/1";
static const off_t longest = 1 << 28; /* bytes; what we compile has thousands */

static void make_seal(const void *object, size_t length, const char *key, struct seal *seal)
{
    char sum[HASH_DIGITS + 1];
    struct sha256_ctx hash;
    sha256_init(&hash);
    hash_field(&hash, object, length);
    hash_digits(&hash, sum);
    *seal = (struct seal){.length = length};
    memcpy(seal->what, what, sizeof what);
    memcpy(seal->key, key, sizeof seal->key);
    memcpy(seal->sum, sum, sizeof seal->sum);
}

/* ---- reading and writing ------------------------------------------------------------------------------- */

static bool read_whole(int descriptor, char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        const ssize_t got = pread(descriptor, bytes + done, length - done, (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

/* malloc'ed; NULL: it cannot be had. */
static char *read_object(int descriptor, size_t length)
{
    char *const bytes = malloc(length ? length : 1);
    if (bytes && read_whole(descriptor, bytes, length)) return bytes;
    free(bytes);
    return NULL;
}

static bool write_at(int descriptor, const void *bytes, size_t length, off_t at)
{
    const char *const byte = bytes;
    for (size_t done = 0; done < length;) {
        const ssize_t wrote = pwrite(descriptor, byte + done, length - done, at + (off_t)done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return fsync(descriptor) == 0;
}

bool entry_write(int descriptor, const void *bytes, size_t length, off_t at)
{
    static const struct timespec at_once = {0, 0};
    sigset_t too_long, former;
    sigemptyset(&too_long);
    sigaddset(&too_long, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &too_long, &former);
    const bool wrote = write_at(descriptor, bytes, length, at);
    const int reason = errno;
    if (!wrote) sigtimedwait(&too_long, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    errno = reason;
    return wrote;
}

/* ---- the seal ------------------------------------------------------------------------------------------ */

static sens_status refuse_object(const char *why, sens_status status, struct bench_error *error)
{
    bench_refuse(error, "the compiled object: %s", why);
    return status;
}

sens_status entry_seal(int descriptor, const char *key, struct bench_error *error)
{
    struct stat about;
    struct seal seal;
    if (fstat(descriptor, &about) != 0 || fchmod(descriptor, S_IRUSR | S_IWUSR) != 0)
        return refuse_object(strerror(errno), SENS_IO_ERROR, error);
    if (!S_ISREG(about.st_mode) || about.st_size > longest)
        return refuse_object("it is no file, or too large", SENS_UNAVAILABLE, error);
    const size_t length = (size_t)about.st_size;
    char *const object = read_object(descriptor, length);
    if (!object) return refuse_object("it cannot be read, or there is no memory", SENS_NO_MEMORY, error);
    const bool whole = object_is_whole(object, length);
    make_seal(object, length, key, &seal);
    free(object);
    if (!whole) return refuse_object("it is cut, or none", SENS_UNAVAILABLE, error);
    if (entry_write(descriptor, &seal, sizeof seal, about.st_size)) return SENS_OK;
    return refuse_object(strerror(errno), SENS_IO_ERROR, error);
}

static enum entry_state compare(int descriptor, size_t size, const char *key, struct bench_error *error)
{
    struct seal seal, right;
    char *const bytes = read_object(descriptor, size);
    if (!bytes) {
        bench_refuse(error, "a compiled object cannot be read, or there is no memory for it");
        return ENTRY_FAILED;
    }
    memcpy(&seal, bytes + size - sizeof seal, sizeof seal);
    make_seal(bytes, size - sizeof seal, key, &right);
    const bool same = memcmp(&seal, &right, sizeof seal) == 0;
    free(bytes);
    if (same) return ENTRY_SOUND;
    bench_refuse(error, "a compiled object is damaged, or is not the one its name says");
    return ENTRY_DAMAGED;
}

enum entry_state entry_check(int descriptor, const char *key, struct bench_error *error)
{
    struct stat about;
    const char *fault = NULL;
    if (fstat(descriptor, &about) != 0)
        fault = strerror(errno);
    else if (!S_ISREG(about.st_mode))
        fault = "it is no regular file";
    else
        fault = cache_fault(&about);
    if (fault) {
        bench_refuse(error, "a compiled object in the cache is refused, %s: %.16s....so", fault, key);
        return ENTRY_REFUSED;
    }
    if (about.st_size > (off_t)sizeof(struct seal) && about.st_size <= longest)
        return compare(descriptor, (size_t)about.st_size, key, error);
    bench_refuse(error, "a compiled object is cut");
    return ENTRY_DAMAGED;
}

/* ---- loading ------------------------------------------------------------------------------------------- */

/* The loader takes two objects for one when the same path leads to them, and the number of a descriptor is
 * used again. So the path tells the key: a '.' for each of its digits, after as many '/' as the digit says. */
static void spell(int descriptor, const char *key, char path[2048])
{
    char *end = path + sprintf(path, "/proc/self");
    for (const char *digit = key; *digit; digit++) {
        const int value = *digit <= '9' ? *digit - '0' : *digit - 'a' + 10;
        for (int i = 0; i <= value; i++) *end++ = '/';
        *end++ = '.';
    }
    sprintf(end, "/fd/%d", descriptor);
}

static bool accept(const struct compiled *compiled, const struct fp_state *before, struct bench_error *error)
{
    char changed[160];
    const struct fp_state after = fp_state_read();
    fp_state_difference(before, &after, changed);
    if (changed[0])
        return bench_refuse(error, "loading a compiled object changes the floating-point state: %s", changed);
    const char *const identity = dlsym(compiled->handle, ENTRY_IDENTITY);
    return (identity && strcmp(identity, compiled->key) == 0) ||
           bench_refuse(error, "a compiled object does not carry its key");
}

bool entry_load(int descriptor, struct compiled *compiled, struct bench_error *error)
{
    char path[2048];
    const struct fp_state before = fp_state_read();
    spell(descriptor, compiled->key, path);
    compiled->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!compiled->handle)
        return bench_refuse(error, "a compiled object cannot be loaded: %.700s", dlerror());
    if (accept(compiled, &before, error)) return true;
    compiled_close(compiled);
    fp_state_restore(&before);
    return false;
}

compiled_function *compiled_find(const struct compiled *compiled, const char *name)
{
    compiled_function *function = NULL;
    void *const symbol = compiled->handle ? dlsym(compiled->handle, name) : NULL;
    memcpy(&function, &symbol, sizeof function); /* as POSIX says of dlsym */
    return function;
}

void compiled_close(struct compiled *compiled)
{
    if (compiled->handle) dlclose(compiled->handle);
    compiled->handle = NULL;
}
