/* What the handles of a process share: the tables of problems and methods, and the lock before them. */
#define _GNU_SOURCE /* newlocale */
#include <locale.h>
#include <pthread.h>
#include <string.h>

#include "handle.h"
#include "model.h"
#include "modules.h"
#include "peers.h"
#include "providers.h"

/* Like what dlopen loads, these belong to the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum { NOT_BEGUN, BEGUN, REFUSED } state;
static struct bench_error refusal;
static locale_t plain;

void process_lock(void)
{
    pthread_mutex_lock(&lock);
}

void process_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

sens_status process_begin(struct bench_error *error)
{
    if (state == NOT_BEGUN) {
        const bool loaded = providers_add(derive_providers) ||
                            bench_refuse(&refusal, "no memory for the providers of derivative products");
        state = loaded && models_load_path(&refusal) && plugin_load_path(&refusal) ? BEGUN : REFUSED;
    }
    if (state == BEGUN) return SENS_OK;
    *error = refusal;
    return SENS_BAD_INPUT;
}

void *number_locale_enter(void)
{
    process_lock();
    if (plain == (locale_t)0) plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    process_unlock();
    return plain == (locale_t)0 ? NULL : (void *)uselocale(plain);
}

void number_locale_leave(void *former)
{
    if (former) uselocale((locale_t)former);
}

static bool is_peer(enum peer_kind kind, const char *name)
{
    enum { PEERS_MAX = 64 };
    const char *peer[PEERS_MAX];
    const size_t count = peer_names(kind, peer, PEERS_MAX);
    for (size_t i = 0; i < count; i++)
        if (strcmp(peer[i], name) == 0) return true;
    return false;
}

/* Our own solvers, which take a tableau, share nothing; what stands on a library may have its globals, GSL's error
 * handler among them. */
bool process_takes_turns(const struct cell *cell)
{
    return !(cell->method->caps & SENS_CAP_TABLEAU) || is_peer(PEER_METHOD, cell->method->name) ||
           (cell->provider && !cell->provider->parallel);
}
