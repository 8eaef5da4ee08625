/* Starting a program, and one line each way at a time; see link.h. Nothing here waits without an end: both
 * descriptors are polled, so that a program that talks before it has listened blocks nobody. */
#define _GNU_SOURCE /* pipe2, wait4 */
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seconds.h"

extern char **environ;

/* ---- start and end ------------------------------------------------------------------------------------- */

/* Ordinary signals. It stays in our process group: what ends us from a terminal, or a cell from outside, ends it. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* 0, or what errno would say. */
static int spawn(const char *program, int input, int output, pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    char *const argument[] = {(char *)program, NULL}; /* posix_spawn changes none */
    int failed = posix_spawnattr_init(&attributes);
    if (failed) return failed;
    failed = posix_spawn_file_actions_init(&actions);
    if (!failed) {
        failed = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        if (!failed) failed = set_signals(&attributes);
        if (!failed) failed = posix_spawn(pid, program, &actions, &attributes, argument, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return failed;
}

static sens_status refuse_start(const char *program, int why, struct bench_error *error)
{
    bench_refuse(error, "contender %s: it cannot be run: %s%s", program, strerror(why),
                 why == EACCES ? " (a script needs the permission to be executed: chmod +x)"
                 : why == ENOEXEC || why == ENOENT
                     ? " (a script names its interpreter in its first line: #!/usr/bin/env python3)"
                     : "");
    return SENS_UNAVAILABLE;
}

sens_status link_open(struct link *link, const char *program, struct bench_error *error)
{
    int in[2], out[2];
    *link = (struct link){.program = program, .to = -1, .from = -1};
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) != 0 || setenv("OMP_NUM_THREADS", "1", 1) != 0)
        return bench_refuse(error, "no memory for the environment"), SENS_NO_MEMORY;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
        return refuse_start(program, errno, error);
    if (pipe2(out, O_CLOEXEC) != 0) {
        const int why = errno;
        close(in[0]);
        close(in[1]);
        return refuse_start(program, why, error);
    }
    const int failed = spawn(program, in[1], out[1], &link->pid);
    close(in[1]);
    close(out[1]);
    if (failed) link->pid = 0;
    link->to = in[0];
    link->from = out[0];
    fcntl(link->to, F_SETFL, O_NONBLOCK);
    if (!failed) return SENS_OK;
    link_close(link);
    return refuse_start(program, failed, error);
}

/* -1: it has not ended in so many seconds; *usage: what it took. */
static int wait_for(pid_t pid, double seconds, struct rusage *usage)
{
    const double deadline = seconds_now() + seconds;
    int how;
    for (;;) {
        const pid_t ended = wait4(pid, &how, WNOHANG, usage);
        if (ended == pid) return how;
        if ((ended < 0 && errno != EINTR) || seconds_now() >= deadline) return -1;
        poll(NULL, 0, 1);
    }
}

void link_close(struct link *link)
{
    if (link->to > 0) close(link->to);
    if (link->from > 0) close(link->from);
    struct rusage usage;
    if (link->pid > 0 && wait_for(link->pid, 1, &usage) == -1) {
        kill(link->pid, SIGKILL);
        wait_for(link->pid, 5, &usage);
    }
    free(link->line);
    *link = (struct link){.to = -1, .from = -1};
}

/* ---- a question and its answer ------------------------------------------------------------------------- */

/* Bytes that a process has reserved and not written to: libraries, stacks. 0: not known. */
static double untouched_bytes(pid_t pid)
{
    char path[64];
    long long reserved, resident;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *const file = fopen(path, "re");
    const bool read = file && fscanf(file, "%lld %lld", &reserved, &resident) == 2;
    if (file) fclose(file);
    return read ? (double)(reserved - resident) * (double)sysconf(_SC_PAGESIZE) : 0;
}

/* The limit of address space that it has from this process; 0: none. */
static double memory_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? (double)limit.rlim_cur : 0;
}

/* What it had written to at most, and what it had reserved besides, come to nine tenths of the limit: as of a process
 * of ours (machine/process.h). An allocation that was refused at once leaves no trace in another program. */
static bool ran_out(const struct link *link, const struct rusage *usage)
{
    const double limit = memory_limit();
    return limit > 0 && 1024.0 * (double)usage->ru_maxrss + link->untouched >= 0.9 * limit;
}

static sens_status refuse_end(struct link *link, struct bench_error *error)
{
    struct rusage usage;
    char hint[128] = "";
    const int how = wait_for(link->pid, 0.2, &usage);
    if (how == -1) {
        bench_refuse(error, "contender %s: it closed its output before it had answered", link->program);
        return SENS_CRASHED;
    }
    link->pid = 0;
    const bool full = ran_out(link, &usage);
    if (memory_limit() > 0)
        snprintf(hint, sizeof hint, "; its limit of memory, %g bytes, %s", memory_limit(),
                 full ? "was used up" : "may be why, if it asked for much at once");
    if (WIFSIGNALED(how))
        bench_refuse(error, "contender %s: it died of signal %d%s", link->program, WTERMSIG(how), hint);
    else
        bench_refuse(error, "contender %s: it ended with exit code %d before it had answered%s",
                     link->program, WEXITSTATUS(how), hint);
    return full ? SENS_NO_MEMORY : SENS_CRASHED;
}

/* What there is, up to `longest` bytes and the line end. */
static sens_status hear(struct link *link, size_t longest, struct bench_error *error)
{
    if (link->room < longest + 2 && link->room - link->filled < 4096) {
        const size_t doubled = link->room ? 2 * link->room : 65536,
                     room = doubled < longest + 2 ? doubled : longest + 2;
        char *const line = realloc(link->line, room);
        if (!line) return bench_refuse(error, "contender %s: no memory", link->program), SENS_NO_MEMORY;
        link->line = line;
        link->room = room;
    }
    const ssize_t got = read(link->from, link->line + link->filled, link->room - link->filled);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return SENS_OK;
    if (got <= 0) return refuse_end(link, error);
    link->filled += (size_t)got;
    if (link->filled <= longest + 1) return SENS_OK;
    bench_refuse(error, "contender %s: its answer is longer than %zu bytes, which no right one is",
                 link->program, longest);
    return SENS_IO_ERROR;
}

/* Sends what is left of the text; hears meanwhile. */
static sens_status exchange(struct link *link, const char *text, size_t length, size_t longest,
                            double seconds, struct bench_error *error)
{
    const double deadline = seconds_now() + seconds;
    size_t sent = 0;
    link->filled = 0;
    while (sent < length || !link->filled || !memchr(link->line, '\n', link->filled)) {
        const double left = deadline - seconds_now();
        struct pollfd ready[2] = {{.fd = link->from, .events = POLLIN},
                                  {.fd = sent < length ? link->to : -1, .events = POLLOUT}};
        if (left <= 0) {
            bench_refuse(error, "contender %s: no answer in %g s", link->program, seconds);
            return SENS_TIMEOUT;
        }
        if (poll(ready, 2, left > 1 ? 1000 : (int)(left * 1e3) + 1) <= 0) continue;
        if (ready[1].revents) {
            const ssize_t gone = send(link->to, text + sent, length - sent, MSG_NOSIGNAL);
            if (gone < 0 && errno != EINTR && errno != EAGAIN) return refuse_end(link, error);
            if (gone > 0) sent += (size_t)gone;
        }
        if (!ready[0].revents) continue;
        const sens_status status = hear(link, longest, error);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

static sens_status parse(struct link *link, json_t **answer, struct bench_error *error)
{
    const char *const end = memchr(link->line, '\n', link->filled);
    const size_t length = (size_t)(end - link->line);
    json_error_t why;
    if (length + 1 != link->filled) {
        bench_refuse(error, "contender %s: it said more than one line where one was asked for",
                     link->program);
        return SENS_IO_ERROR;
    }
    *answer = json_loadb(link->line, length, JSON_REJECT_DUPLICATES, &why);
    if (json_is_object(*answer)) return SENS_OK;
    bench_refuse(error, "contender %s: its answer is no JSON object: %s, at byte %d of '%.80s'",
                 link->program, *answer ? "it is something else" : why.text, *answer ? 0 : why.position,
                 length < 80 ? (link->line[length] = '\0', link->line) : (link->line[80] = '\0', link->line));
    json_decref(*answer);
    *answer = NULL;
    return SENS_IO_ERROR;
}

sens_status link_ask(struct link *link, const json_t *question, size_t longest, double seconds,
                     json_t **answer, struct bench_error *error)
{
    *answer = NULL;
    char *const text = json_dumps(question, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!text) return bench_refuse(error, "contender %s: no memory", link->program), SENS_NO_MEMORY;
    if (memory_limit() > 0) link->untouched = untouched_bytes(link->pid);
    const size_t length = strlen(text);
    text[length] = '\n'; /* in the place of the NUL */
    const sens_status status = exchange(link, text, length + 1, longest, seconds, error);
    free(text);
    return status == SENS_OK ? parse(link, answer, error) : status;
}
