/* A fixed team of threads: each run is one generation; a worker waits until the generation changes. It
 * watches for a short time, giving way to others, since the next run often follows soon, and then sleeps.
 * Roused a little before a run, it is awake when that comes. Where there are fewer cores than threads, or a quota that
 * feeds fewer, who watches keeps a core from the thread that is waited for: then each sleeps at once. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "pool.h"

struct member {
    struct sens_pool *pool;
    pthread_t thread;
    int worker;
};

struct sens_pool {
    int threads, started;
    int watches;           /* looks before a thread sleeps */
    struct member *member; /* [threads]; 0 is the caller */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    atomic_ulong generation, roused;
    atomic_int busy;
    atomic_bool leaving;
    void (*work)(void *self, int worker);
    void *self;
    void (*bind)(int worker); /* NULL: nowhere in particular */
};

enum { WATCHES = 4000 }; /* about a tenth of a millisecond; to wake takes some hundredths */

/* Between two looks: the memory bus is left alone. Not sched_yield, which on a busy machine gives away a
 * whole time slice at every look. */
static inline void look_away(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static bool called(struct sens_pool *pool, unsigned long seen)
{
    return pool->generation != seen || pool->leaving;
}

/* false: the pool is being released. One that was roused watches again. */
static bool await_generation(struct sens_pool *pool, unsigned long seen)
{
    while (!called(pool, seen)) {
        for (int w = 0; w < pool->watches && !called(pool, seen); w++) look_away();
        pthread_mutex_lock(&pool->lock);
        const unsigned long roused = pool->roused;
        while (!called(pool, seen) && pool->roused == roused) pthread_cond_wait(&pool->begin, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
    return !pool->leaving;
}

static void *serve(void *argument)
{
    const struct member *member = argument;
    struct sens_pool *pool = member->pool;
    if (pool->bind) pool->bind(member->worker);
    for (unsigned long seen = 0; await_generation(pool, seen);) {
        seen = pool->generation;
        pool->work(pool->self, member->worker);
        if (atomic_fetch_sub(&pool->busy, 1) > 1) continue;
        pthread_mutex_lock(&pool->lock);
        pthread_cond_signal(&pool->end);
        pthread_mutex_unlock(&pool->lock);
    }
    return NULL;
}

sens_status sens_pool_create(struct sens_ctx *ctx, int threads, struct sens_pool **pool)
{
    struct sens_pool *made = SENS_NEW(ctx, struct sens_pool, 1);
    if (!made || !(made->member = SENS_NEW(ctx, struct member, (size_t)threads))) return SENS_NO_MEMORY;
    made->threads = threads;
    made->watches = threads <= ctx->cores ? WATCHES : 0;
    made->bind = ctx->bind;
    if (pthread_mutex_init(&made->lock, NULL) != 0 || pthread_cond_init(&made->begin, NULL) != 0 ||
        pthread_cond_init(&made->end, NULL) != 0)
        return sens_fail(ctx, SENS_NO_MEMORY, "could not create the lock of %d threads", threads);
    for (made->started = 1; made->started < threads; made->started++) {
        struct member *member = &made->member[made->started];
        *member = (struct member){.pool = made, .worker = made->started};
        if (pthread_create(&member->thread, NULL, serve, member) != 0) {
            sens_pool_release(made);
            return sens_fail(ctx, SENS_NO_MEMORY, "could not start thread %d of %d", made->started + 1,
                             threads);
        }
    }
    *pool = made;
    return SENS_OK;
}

void sens_pool_rouse(struct sens_pool *pool)
{
    if (pool->threads == 1 || pool->watches == 0) return;
    pthread_mutex_lock(&pool->lock);
    pool->roused++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
}

void sens_pool_run(struct sens_pool *pool, void (*work)(void *self, int worker), void *self)
{
    if (pool->threads > 1) {
        pthread_mutex_lock(&pool->lock);
        pool->work = work;
        pool->self = self;
        pool->busy = pool->threads - 1;
        pool->generation++;
        pthread_cond_broadcast(&pool->begin);
        pthread_mutex_unlock(&pool->lock);
    }
    work(self, 0);
    for (int w = 0; w < pool->watches && pool->busy > 0; w++) look_away();
    if (pool->busy > 0) {
        pthread_mutex_lock(&pool->lock);
        while (pool->busy > 0) pthread_cond_wait(&pool->end, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
}

void sens_pool_release(struct sens_pool *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->leaving = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i < pool->started; i++) pthread_join(pool->member[i].thread, NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
}
