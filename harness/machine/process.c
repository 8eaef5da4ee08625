/* Starting a child, the messages between it and its parent, and its end. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "exit_codes.h"
#include "machine.h"
#include "seconds.h"

static const double kill_seconds = 5; /* a killed process is gone in much less, unless the kernel holds it */
static const double blink = 0.02;     /* between two looks, where nothing tells */
static const int ordinary_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { ORDINARY = sizeof ordinary_signals / sizeof ordinary_signals[0] };

struct header {
    uint32_t magic, kind, size, checksum; /* of kind, size and the bytes */
};
static const uint32_t magic = 0x53454e53;

static uint32_t checksum(uint32_t kind, uint32_t size, const void *bytes)
{
    const uint32_t head[] = {kind, size};
    return (uint32_t)crc32_z(crc32_z(0, (const Bytef *)head, sizeof head), bytes, size);
}

/* ---- signals ------------------------------------------------------------------------------------------- */

static bool is_ignored(int signal_number)
{
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Less those that whoever started this program wants ignored (nohup, background jobs). */
static void interrupting_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < ORDINARY; i++)
        if (!is_ignored(ordinary_signals[i])) sigaddset(set, ordinary_signals[i]);
}

void process_block_signals(void *former)
{
    sigset_t set;
    interrupting_signals(&set);
    sigprocmask(SIG_BLOCK, &set, former);
}

int process_signals(void)
{
    sigset_t set;
    interrupting_signals(&set);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* ---- last words ---------------------------------------------------------------------------------------- */

/* What a process notes when it crashes or gives up, at the base of the stack that the handler runs on: the
 * handler finds it by asking where that stack is. */
struct last_words {
    int error_number;
    unsigned long pages; /* of address space */
};
enum { WORDS_STACK = 1 << 16 };
static const double full_part = 0.9; /* of the limit */
static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP};

/* Nothing here allocates, and every call may be made in a handler. */
static void note_last_words(void)
{
    const int error_number = errno;
    stack_t stack;
    char text[32] = "";
    if (sigaltstack(NULL, &stack) != 0 || stack.ss_flags & SS_DISABLE) return;
    struct last_words *words = stack.ss_sp;
    const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t got = statm >= 0 ? read(statm, text, sizeof text - 1) : 0;
    words->error_number = error_number;
    words->pages = 0;
    for (ssize_t i = 0; i < got && text[i] >= '0' && text[i] <= '9'; i++)
        words->pages = 10 * words->pages + (unsigned long)(text[i] - '0');
    if (statm >= 0) close(statm);
}

/* The signal is raised again, for the parent to see. */
static void note_crash(int signal_number)
{
    note_last_words();
    raise(signal_number);
}

static struct last_words *create_words(void)
{
    void *words = mmap(NULL, WORDS_STACK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return words == MAP_FAILED ? NULL : words;
}

static void prepare_last_words(struct last_words *words)
{
    const stack_t stack = {.ss_sp = words, .ss_size = WORDS_STACK};
    const struct sigaction action = {.sa_handler = note_crash, .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};
    if (!words || sigaltstack(&stack, NULL) != 0) return;
    for (size_t i = 0; i < sizeof fatal_signals / sizeof fatal_signals[0]; i++)
        sigaction(fatal_signals[i], &action, NULL);
    atexit(note_last_words); /* OpenMPI gives up that way; the work itself never does */
    errno = 0;
}

static bool tell_of_memory(const struct last_words *words, double limit)
{
    if (!words) return false;
    const double used = (double)words->pages * (double)sysconf(_SC_PAGESIZE);
    return words->error_number == ENOMEM || used >= full_part * limit;
}

/* The shadow memory of the sanitizers needs terabytes of address space. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MEMORY_IS_LIMITED = 0 };
#else
enum { MEMORY_IS_LIMITED = 1 };
#endif

/* ---- the child ----------------------------------------------------------------------------------------- */

static void send_bytes(int socket, const void *bytes, size_t size)
{
    const char *byte = bytes;
    for (size_t left = size; left > 0;) {
        const ssize_t sent = send(socket, byte, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) _exit(EXIT_CHECK);
        byte += sent;
        left -= (size_t)sent;
    }
}

void process_send(int socket, int kind, const void *bytes, size_t size)
{
    const struct header header = {magic, (uint32_t)kind, (uint32_t)size,
                                  checksum((uint32_t)kind, (uint32_t)size, bytes)};
    send_bytes(socket, &header, sizeof header);
    send_bytes(socket, bytes, size);
}

/* Above all the lock of a result file, which lives as long as any copy of its descriptor. */
static void close_all_but(int kept)
{
    const long last = sysconf(_SC_OPEN_MAX);
    const unsigned first = STDERR_FILENO + 1, socket = (unsigned)kept;
    const bool closed = (socket == first || syscall(SYS_close_range, first, socket - 1, 0) == 0) &&
                        syscall(SYS_close_range, socket + 1, ~0U, 0) == 0;
    for (int d = STDERR_FILENO + 1; !closed && d < last; d++)
        if (d != kept) close(d);
}

static void enter_child(pid_t parent, int socket, double memory_limit, struct last_words *words)
{
    sigset_t none;
    sigemptyset(&none);
    for (size_t i = 0; i < ORDINARY; i++)
        if (!is_ignored(ordinary_signals[i])) signal(ordinary_signals[i], SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0); /* Ctrl-C reaches the parent only, which then stops the child's whole group */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_CHECK); /* the parent died before prctl */
    close_all_but(socket);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    const rlim_t bytes = (rlim_t)memory_limit;
    if (!MEMORY_IS_LIMITED) return;
    prepare_last_words(words);
    if (bytes > 0) setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
}

/* ---- its start ----------------------------------------------------------------------------------------- */

static void forget(struct process *process)
{
    if (process->socket >= 0) close(process->socket);
    if (process->death >= 0) close(process->death);
    if (process->words) munmap(process->words, WORDS_STACK);
    free(process->message);
    *process = (struct process){.socket = -1, .death = -1};
}

bool process_start(struct process *process, double memory_limit, size_t room, process_work *work, void *self)
{
    int ends[2];
    *process = (struct process){.socket = -1, .death = -1, .room = room};
    process->message = calloc(1, sizeof(struct header) + room);
    if (!process->message || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        forget(process);
        return false;
    }
    const pid_t parent = getpid();
    process->memory_limit = memory_limit;
    if (memory_limit > 0) process->words = create_words(); /* without them it only tells less */
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, no one learns how a child ended */
    fflush(NULL);             /* what is buffered is written once, here */
    process->pid = fork();
    if (process->pid == 0) {
        enter_child(parent, ends[1], memory_limit, process->words);
        work(self, ends[1]);
        _exit(EXIT_OK);
    }
    close(ends[1]);
    process->socket = ends[0];
    if (process->pid < 0) {
        forget(process);
        return false;
    }
    setpgid(process->pid, process->pid); /* whoever comes first */
    process->death = (int)syscall(SYS_pidfd_open, process->pid, 0);
    return true;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static bool is_dead(const struct process *process)
{
    siginfo_t info = {.si_pid = 0};
    const int looked = waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return looked != 0 || info.si_pid != 0;
}

/* One read of what the message still lacks. PROCESS_MESSAGE: it is whole. */
static enum process_news read_more(struct process *process)
{
    struct header header;
    memcpy(&header, process->message, sizeof header);
    const size_t whole = process->filled < sizeof header ? sizeof header : sizeof header + header.size;
    const ssize_t got =
        recv(process->socket, process->message + process->filled, whole - process->filled, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return PROCESS_SILENT;
    if (got <= 0) return PROCESS_GONE;
    process->filled += (size_t)got;
    if (process->filled < sizeof header) return PROCESS_SILENT;
    memcpy(&header, process->message, sizeof header);
    if (header.magic != magic || header.size > process->room) return PROCESS_GARBLED;
    return process->filled == sizeof header + header.size ? PROCESS_MESSAGE : PROCESS_SILENT;
}

enum process_news process_hear(struct process *process, int *kind, const void **bytes, size_t *size)
{
    struct header header;
    const bool dead = is_dead(process); /* asked first: what it has sent before is still to be read */
    const size_t before = process->filled;
    const enum process_news news = read_more(process);
    if (news == PROCESS_SILENT && dead && process->filled == before) return PROCESS_GONE;
    if (news != PROCESS_MESSAGE) return news;
    memcpy(&header, process->message, sizeof header);
    *kind = (int)header.kind;
    *size = header.size;
    *bytes = process->message + sizeof header;
    process->filled = 0;
    return checksum(header.kind, header.size, *bytes) == header.checksum ? PROCESS_MESSAGE : PROCESS_GARBLED;
}

static int milliseconds_until(double deadline)
{
    if (isinf(deadline)) return -1;
    const double left = 1e3 * (deadline - seconds_now());
    return left <= 0 ? 0 : left < 1e9 ? (int)left + 1 : 1000000000;
}

/* The socket, and the death of a process whose socket others hold open. */
static bool watch(struct process *const *process, size_t count, struct pollfd *poll)
{
    bool blind = false;
    for (size_t i = 0; i < count; i++) {
        const bool alive = process[i]->pid > 0;
        poll[2 * i] = (struct pollfd){.fd = alive ? process[i]->socket : -1, .events = POLLIN};
        poll[2 * i + 1] = (struct pollfd){.fd = alive ? process[i]->death : -1, .events = POLLIN};
        blind = blind || (alive && process[i]->death < 0);
    }
    return blind;
}

sens_status process_wait(struct process *const *process, size_t count, int signals, double deadline)
{
    struct pollfd *list = malloc((2 * count + 1) * sizeof *list);
    if (!list) return SENS_IO_ERROR;
    const bool blind = watch(process, count, list);
    list[2 * count] = (struct pollfd){.fd = signals, .events = POLLIN};
    const double until = blind ? fmin(deadline, seconds_now() + blink) : deadline;
    const int ready = poll(list, 2 * count + 1, milliseconds_until(until));
    const bool told = ready > 0 && list[2 * count].revents;
    const bool failed = ready < 0 && errno != EINTR;
    free(list);
    if (failed) return SENS_IO_ERROR;
    if (told) return SENS_INTERRUPTED;
    return ready == 0 && seconds_now() >= deadline ? SENS_TIMEOUT : SENS_OK;
}

/* ---- its end ------------------------------------------------------------------------------------------- */

static bool wait_dead(const struct process *process, double seconds)
{
    const double deadline = seconds_now() + seconds;
    struct pollfd death = {.fd = process->death, .events = POLLIN};
    bool dead = is_dead(process);
    for (; !dead && seconds_now() < deadline; dead = is_dead(process))
        poll(&death, 1, milliseconds_until(process->death < 0 ? seconds_now() + blink : deadline));
    return dead;
}

int process_end(struct process *process, double patience)
{
    int how = -1;
    if (process->pid <= 0) return how;
    const bool stopped = !wait_dead(process, patience);
    kill(-process->pid, SIGKILL); /* before it is reaped: until then no other group has this number */
    kill(process->pid, SIGKILL);  /* it may have left its group */
    if (wait_dead(process, kill_seconds) && waitpid(process->pid, &how, WNOHANG) != process->pid) how = -1;
    const bool ran_out = how > 0 && tell_of_memory(process->words, process->memory_limit);
    forget(process);
    process->ran_out = ran_out;
    process->stopped = stopped;
    return how;
}

void process_describe_death(const struct process *process, int how, char *text, size_t size)
{
    if (how < 0)
        snprintf(text, size, "it hangs in the kernel and could not be killed");
    else if (process->stopped)
        snprintf(text, size, "it closed its connection before it had a result, lived on and was stopped");
    else if (WIFSIGNALED(how))
        snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
    else
        snprintf(text, size, "the process ended with code %d before it had a result", WEXITSTATUS(how));
}

/* A process does not send itself these when it goes wrong. SIGKILL is also what the kernel sends when the
 * machine has no memory left. */
bool process_killed_from_outside(const struct process *process, int how)
{
    static const int outside[] = {SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    if (how < 0 || !WIFSIGNALED(how) || process->stopped) return false;
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        if (WTERMSIG(how) == outside[i]) return true;
    return false;
}

/* ---- what children leave behind ------------------------------------------------------------------------ */

/* "/proc/self/task/PID/children", as a handler of signals may write it. */
static void name_children(char path[64])
{
    char digits[24];
    size_t count = 0;
    for (long pid = getpid(); pid > 0; pid /= 10) digits[count++] = (char)('0' + pid % 10);
    char *end = stpcpy(path, "/proc/self/task/");
    while (count > 0) *end++ = digits[--count];
    stpcpy(end, "/children");
}

/* Those of the first thread, which are all: no other thread of this program starts any, and orphans come to that
 * one. A kernel that does not tell has none. */
static void list_children(struct process_kin *kin)
{
    char path[64], text[4096];
    name_children(path);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    pid_t pid = 0;
    kin->count = 0;
    for (ssize_t got = 0; file >= 0 && (got = read(file, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < got; i++) {
            const bool digit = text[i] >= '0' && text[i] <= '9';
            if (digit) pid = pid * 10 + (text[i] - '0');
            if (digit || pid == 0) continue;
            if (kin->count++ < PROCESS_KIN_MAX) kin->pid[kin->count - 1] = pid;
            pid = 0;
        }
    if (file >= 0) close(file);
}

void process_kin(struct process_kin *kin)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    list_children(kin);
}

static bool has_pid(size_t count, const pid_t *list, pid_t pid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == pid) return true;
    return false;
}

void process_end_orphans(const struct process_kin *before, size_t count, const pid_t *living)
{
    const double deadline = seconds_now() + kill_seconds;
    if (before->count > PROCESS_KIN_MAX) return;
    for (size_t found = 1; found > 0 && seconds_now() < deadline;) { /* those of orphans come next */
        struct process_kin kin;
        list_children(&kin);
        found = 0;
        for (size_t i = 0; i < kin.count && i < PROCESS_KIN_MAX; i++) {
            struct process orphan = {.pid = kin.pid[i], .socket = -1, .death = -1};
            if (has_pid(before->count, before->pid, orphan.pid) || has_pid(count, living, orphan.pid))
                continue;
            found++;
            kill(orphan.pid, SIGKILL);
            if (wait_dead(&orphan, deadline - seconds_now())) waitpid(orphan.pid, NULL, WNOHANG);
        }
    }
}
