/* contender/link.h - a program that answers lines by lines. */
#ifndef CONTENDER_LINK_H
#define CONTENDER_LINK_H

#include <jansson.h>
#include <sys/types.h>

#include "refuse.h"
#include "sens/status.h"

struct link {
    const char *program; /* its path; not owned */
    pid_t pid;           /* 0: none */
    int to, from; /* its standard input (a socket, so that a dead reader raises no signal) and output */
    char *line;   /* the answer on its way */
    size_t filled, room;
    double untouched; /* bytes of its address space without memory behind them, when it was last asked */
};

/* Starts the program, with one thread each for OpenMP and OpenBLAS and its messages on our standard error.
 * SENS_UNAVAILABLE, with a message. */
sens_status link_open(struct link *link, const char *program, struct bench_error *error);

/* Sends one line and waits for one of at most `longest` bytes, so many seconds. *answer is an object, whose reference
 * is the caller's. With a message
 *     SENS_TIMEOUT       no answer in time
 *     SENS_CRASHED       it has ended, or closed its output
 *     SENS_NO_MEMORY     here too, or it failed with its limit of memory used up: it has the limit of this process
 *     SENS_IO_ERROR      the answer is too long, no JSON object, or more than one line
 * after which nothing more can be asked. */
sens_status link_ask(struct link *link, const json_t *question, size_t longest, double seconds,
                     json_t **answer, struct bench_error *error);

/* The end of its input tells it to end; a second later it is killed. All zero: nothing is done. */
void link_close(struct link *link);

#endif
