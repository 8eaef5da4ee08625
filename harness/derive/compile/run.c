/* Starting a program without a shell, hearing what it says, and its end. */
#define _GNU_SOURCE /* pipe2, posix_spawn_file_actions_addfchdir_np */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seconds.h"

/* ---- its start ----------------------------------------------------------------------------------------- */

/* What would change its output without being in the key of the cache (CPATH, LIBRARY_PATH, LD_PRELOAD, ...)
 * does not reach it. Each text is malloc'ed. */
enum { ENVIRONMENT = 5 };
static bool make_environment(char *environment[ENVIRONMENT + 1])
{
    static const char *const kept[] = {"PATH", "HOME", "LD_LIBRARY_PATH"};
    static const char *const ours[] = {"LC_ALL=C", "TMPDIR=."};
    size_t count = 0;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!(environment[count++] = strdup(ours[i]))) return false;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *const value = getenv(kept[i]);
        const size_t size = value ? strlen(kept[i]) + strlen(value) + 2 : 0;
        if (!value) continue;
        if (!(environment[count] = malloc(size))) return false;
        snprintf(environment[count++], size, "%s=%s", kept[i], value);
    }
    return true;
}

/* A group of its own, to be killed whole; signals as if started from a terminal. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, ordinary;
    sigemptyset(&none);
    sigemptyset(&ordinary);
    const int reset[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGXFSZ};
    for (size_t i = 0; i < sizeof reset / sizeof *reset; i++) sigaddset(&ordinary, reset[i]);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &ordinary);
    return posix_spawnattr_setflags(attributes,
                                    POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int set_files(posix_spawn_file_actions_t *actions, const struct run *run, int output)
{
    int failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (!failed) failed = posix_spawn_file_actions_adddup2(actions, output, STDERR_FILENO);
    if (!failed && run->folder >= 0) failed = posix_spawn_file_actions_addfchdir_np(actions, run->folder);
    return failed;
}

/* 0, or what errno would say. */
static int start(const struct run *run, int output, char *environment[], pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int failed = posix_spawnattr_init(&attributes);
    if (failed) return failed;
    failed = posix_spawn_file_actions_init(&actions);
    if (!failed) {
        failed = set_files(&actions, run, output);
        if (!failed) failed = set_attributes(&attributes);
        /* posix_spawn changes no argument: its type is older than const */
        if (!failed)
            failed = posix_spawn(pid, run->argument[0], &actions, &attributes, (char **)run->argument,
                                 environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return failed;
}

static int start_with_environment(const struct run *run, int output, pid_t *pid)
{
    char *environment[ENVIRONMENT + 1] = {NULL};
    const int failed = make_environment(environment) ? start(run, output, environment, pid) : ENOMEM;
    for (size_t i = 0; i < ENVIRONMENT; i++) free(environment[i]);
    return failed;
}

/* ---- our own end ---------------------------------------------------------------------------------------- */

/* A terminal's signals do not reach the group of the program. So they wait until it has been killed with us: those
 * that nobody has us ignore are held back. */
static void hold_signals(sigset_t *held, sigset_t *former)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    sigemptyset(held);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (sigaction(deadly[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(held, deadly[i]);
    pthread_sigmask(SIG_BLOCK, held, former);
}

/* What was blocked before is not ours. */
static bool is_called_off(const sigset_t *held, const sigset_t *former)
{
    sigset_t pending;
    if (sigpending(&pending) != 0) return false;
    for (int each = 1; each < NSIG; each++)
        if (sigismember(&pending, each) == 1 && sigismember(held, each) == 1 &&
            sigismember(former, each) == 0)
            return true;
    return false;
}

/* ---- its end ------------------------------------------------------------------------------------------- */

/* What there is to hear, at most a moment waited for. What there is no room for is dropped. false: nothing
 * more will come. */
static bool hear(int input, const struct run *run, size_t *heard)
{
    enum { MOMENT = 20 /* ms */ };
    char piece[4096];
    struct pollfd ready = {.fd = input, .events = POLLIN};
    if (poll(&ready, 1, MOMENT) <= 0) return true;
    const ssize_t got = read(input, piece, sizeof piece);
    if (got <= 0) return got < 0 && errno == EINTR;
    const size_t left = run->room - 1 - *heard, taken = (size_t)got < left ? (size_t)got : left;
    memcpy(run->said + *heard, piece, taken);
    run->said[ *heard += taken] = '\0';
    return true;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    const int looked = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return (looked != 0 && errno != EINTR) || info.si_pid == pid;
}

/* False: it was stopped, at the limit or with us. *how is waitpid's status, -1 when nobody tells it. */
static bool wait_for(pid_t pid, int input, const struct run *run, const sigset_t signals[2], int *how)
{
    const double deadline = seconds_now() + run->limit;
    size_t heard = 0;
    bool speaks = true, ended = false;
    run->said[0] = '\0';
    while (!(ended = has_ended(pid)) && seconds_now() < deadline && !is_called_off(&signals[0], &signals[1]))
        if (speaks)
            speaks = hear(input, run, &heard);
        else
            poll(NULL, 0, 1);
    kill(-pid, SIGKILL); /* while it is not waited for, its number is no one else's */
    if (waitpid(pid, how, 0) != pid) *how = -1;
    for (int flags = fcntl(input, F_GETFL); speaks && heard + 1 < run->room;) {
        const size_t before = heard;
        if (flags < 0 || fcntl(input, F_SETFL, flags | O_NONBLOCK) != 0) break;
        speaks = hear(input, run, &heard) && heard > before;
    }
    return ended;
}

sens_status run_program(const struct run *run, struct bench_error *error)
{
    int pipe_ends[2], how = -1;
    pid_t pid;
    sigset_t signals[2]; /* held back; what was blocked before */
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
        bench_refuse(error, "%.300s cannot be run: %s", run->argument[0], strerror(errno));
        return SENS_UNAVAILABLE;
    }
    hold_signals(&signals[0], &signals[1]);
    const int failed = start_with_environment(run, pipe_ends[1], &pid);
    close(pipe_ends[1]);
    const bool ended = !failed && wait_for(pid, pipe_ends[0], run, signals, &how);
    close(pipe_ends[0]);
    pthread_sigmask(SIG_SETMASK, &signals[1], NULL);
    if (!failed && ended && how == 0) return SENS_OK;
    if (failed)
        bench_refuse(error, "%.300s cannot be run: %s", run->argument[0], strerror(failed));
    else if (!ended)
        bench_refuse(error, "%.300s was stopped after %g s", run->argument[0], run->limit);
    else if (how != -1 && WIFSIGNALED(how))
        bench_refuse(error, "%.300s died of signal %d", run->argument[0], WTERMSIG(how));
    else
        bench_refuse(error, "%.300s ended with %d: %.500s", run->argument[0],
                     how == -1 ? -1 : WEXITSTATUS(how), run->said);
    return !failed && !ended ? SENS_TIMEOUT : SENS_UNAVAILABLE;
}
