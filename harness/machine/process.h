/* harness/machine/process.h - a child process under supervision. Whatever it does - crash, loop, close its
 * descriptors, leave its process group, write nonsense, leave children behind - its parent lives on, and
 * nothing of it stays.
 *
 * Parent and child talk over a socket in messages: a kind, a size and a checksum, then the bytes. Who reads
 * must know the sizes of the kinds, and still take nothing in the bytes on trust: a process that has
 * overwritten its own memory sends nonsense with a good checksum. */
#ifndef MACHINE_PROCESS_H
#define MACHINE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sens/status.h"

struct process {
    pid_t pid;     /* 0: none */
    int socket;    /* to it */
    int death;     /* readable when it is dead; -1: this kernel has no such descriptor */
    char *message; /* on its way: header, then at most `room` bytes */
    size_t filled, room;
    struct last_words *words; /* shared with it, where it has a limit of memory */
    double memory_limit;
    bool ran_out; /* after process_end: it died of its limit, see there */
    bool stopped; /* after process_end: it was alive still, and had to be killed */
};

/* ---- the child ----------------------------------------------------------------------------------------- */

/* What the child does; when it returns, the process ends. */
typedef void process_work(void *self, int socket);

/* Writes a message to the parent, or ends the process, which then has nothing left to do. */
void process_send(int socket, int kind, const void *bytes, size_t size);

/* ---- the parent ---------------------------------------------------------------------------------------- */

/* Starts a child that works under a limit of address space (bytes; 0: none) and sends messages of at most
 * `room` bytes. It has ordinary signals, a process group of its own, no core dump, no descriptor but the
 * standard ones and its socket, and dies with this process. False: no process can be had now. */
bool process_start(struct process *process, double memory_limit, size_t room, process_work *work, void *self);

enum process_news {
    PROCESS_SILENT,  /* nothing whole yet */
    PROCESS_MESSAGE, /* a message, see below */
    PROCESS_GONE,    /* it is dead or has closed its end: nothing more will come */
    PROCESS_GARBLED  /* what comes is no message: nothing more can be understood */
};
/* Takes what is there, at most one message; never waits. *bytes stays the process' own, until
 * the next call. */
enum process_news process_hear(struct process *process, int *kind, const void **bytes, size_t *size);

/* Waits for news until the deadline (seconds_now; INFINITY: none), or until `signals` is readable (-1: none).
 * SENS_OK (then process_hear has something to say, or the deadline is to be looked at again), SENS_TIMEOUT,
 * SENS_INTERRUPTED, SENS_IO_ERROR. */
sens_status process_wait(struct process *const *process, size_t count, int signals, double deadline);

/* Gives the child `patience` seconds to end by itself, then kills it and its group. Returns how it ended
 * (waitpid's status), or -1 when it could not be killed in a few seconds (it hangs in the kernel). */
/* process->ran_out is set for one that crashed, or called exit, right after an allocation was refused (errno
 * of the thread that crashed), or with nine tenths of its limit in use: libraries do not always look at what
 * malloc returns. */
int process_end(struct process *process, double patience);
/* How a child ended that did not say goodbye, by process_end; whether from outside, by a signal that a fault
 * of its own does not raise, and not by process_end itself. */
void process_describe_death(const struct process *process, int how, char *text, size_t size);
bool process_killed_from_outside(const struct process *process, int how);

/* ---- what children leave behind ------------------------------------------------------------------------ */

enum { PROCESS_KIN_MAX = 256 };
struct process_kin {
    size_t count; /* more than PROCESS_KIN_MAX: too many to tell */
    pid_t pid[PROCESS_KIN_MAX];
};
/* The children that this process has now. From then on, orphans of its children become its own. */
void process_kin(struct process_kin *kin);
/* Kills all children of this process but those in *before and living[count]: what was orphaned. A handler of signals
 * may call it. */
void process_end_orphans(const struct process_kin *before, size_t count, const pid_t *living);

/* ---- signals ------------------------------------------------------------------------------------------- */

/* Blocks SIGINT, SIGTERM and SIGHUP where they are not ignored, so that they are seen through a descriptor;
 * *former: the former mask, for sigprocmask. */
void process_block_signals(void *former /* sigset_t */);
/* A descriptor that is readable when one of these signals, blocked before, has come; -1 on failure. */
int process_signals(void);

#endif
