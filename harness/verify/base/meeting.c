/* Threads that a timer interrupts while they work. */
#include "meeting.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

/* How often threads are still to lie down: a signal handler sees nothing but objects of the file. At 0 they
 * work on, whatever signals come. */
static atomic_int naps;

/* A moment's sleep in the middle of a callback, while other threads go on: so they meet on one
 * processor too. */
static void lie_down(int number)
{
    const int kept = errno;
    (void)number;
    if (atomic_fetch_sub(&naps, 1) > 0) nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    errno = kept;
}

struct guest {
    void (*once)(void *self);
    void *self;
};

static void *attend(void *self)
{
    enum { MOST_ROUNDS = 20000 }; /* where no signal comes */
    const struct guest *guest = self;
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    for (int k = 0; k < MOST_ROUNDS && atomic_load(&naps) > 0; k++) guest->once(guest->self);
    return NULL;
}

int meeting_hold(void (*once)(void *self), void *const self[MEETING_THREADS], int interruptions)
{
    const struct sigaction sleep = {.sa_handler = lie_down, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    struct sigaction action;
    struct guest guest[MEETING_THREADS];
    sigset_t alarm, mask;
    pthread_t thread[MEETING_THREADS];
    int made = 0;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    atomic_store(&naps, interruptions);
    pthread_sigmask(SIG_BLOCK, &alarm, &mask); /* of this thread: it waits */
    sigaction(SIGALRM, &sleep, &action);
    setitimer(ITIMER_REAL, &often, NULL);
    for (; made < MEETING_THREADS; made++) {
        guest[made] = (struct guest){once, self[made]};
        if (pthread_create(&thread[made], NULL, attend, &guest[made]) != 0) break;
    }
    for (int k = 0; k < made; k++) pthread_join(thread[k], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    const struct sigaction ignore = {.sa_handler = SIG_IGN}; /* and with it what is still pending */
    sigaction(SIGALRM, &ignore, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGALRM, &action, NULL);
    return made;
}
