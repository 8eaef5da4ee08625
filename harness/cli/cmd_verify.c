/* sensbench verify: which checks on which modules, in children; the report and the exit code. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "exit_codes.h"
#include "files.h"
#include "groups.h"
#include "machine.h"
#include "modules.h"
#include "names.h"
#include "peers.h"
#include "seconds.h"
#include "streams.h"
#include "variants.h"
#include "verify_demands.h"
#include "verify_report.h"
#include "verify_settings.h"

struct request {
    const struct cli_command *command;
    struct cli_arguments *arguments;
    struct verify_choice choice;
    struct verify_plan plan;
    struct runner_task task;
    struct sens_ctx ctx; /* of the settings */
    struct verify_settings settings;
    bool json, tap, verbose;
    FILE *junit; /* opened before the work; NULL: not asked for */
    struct bench_error error;
};

static const char *flag(const struct request *request, const char *name)
{
    return cli_flag(request->command, request->arguments, name);
}

/* ---- names --------------------------------------------------------------------------------------------- */

enum { WORDS_MAX = 512 };
struct words {
    size_t count;
    const char *word[WORDS_MAX];
};

static void add_word(struct words *words, const char *word)
{
    if (words->count < WORDS_MAX) words->word[words->count++] = word;
}

static void check_words(struct words *words)
{
    *words = (struct words){.count = 0};
    add_word(words, plan_completes.id);
    for (size_t g = 0; verify_groups[g]; g++)
        for (const struct verify_check *check = verify_groups[g]->checks; check->id; check++)
            add_word(words, check->id);
}

/* Refuses with the nearest of the words. */
static bool refuse_word(struct request *request, const char *name, const char *word, const char *what,
                        const struct words *words)
{
    const char *near = nearest_name(word, words->word, words->count);
    return bench_refuse(&request->error, "verify: %s '%s' %s%s%s", name, word, what,
                        near ? "; did you mean " : "", near ? near : "");
}

static bool read_glob(struct request *request, const char *name, const struct words *words, const char **glob)
{
    *glob = flag(request, name);
    if (!*glob) return true;
    for (size_t i = 0; i < words->count; i++)
        if (fnmatch(*glob, words->word[i], 0) == 0) return true;
    return refuse_word(request, name, *glob, "matches nothing", words);
}

static bool read_module_glob(struct request *request, const char *name, const char **glob)
{
    struct variant_names names;
    struct words words = {.count = 0};
    const char *peer[WORDS_MAX];
    size_t peers = 0;
    if (strcmp(name, "--method") == 0) peers = peer_names(PEER_METHOD, peer, WORDS_MAX);
    if (strcmp(name, "--provider") == 0) peers = peer_names(PEER_PROVIDER, peer, WORDS_MAX);
    for (size_t i = 0; i < peers; i++) add_word(&words, peer[i]);
    variant_names(request->task.reg, name + strlen("--"), &names);
    for (size_t i = 0; i < names.count; i++) add_word(&words, names.name[i]);
    return read_glob(request, name, &words, glob);
}

/* Other libraries' methods and providers are verified where they are named. */
static bool load_peers(struct request *request, enum peer_kind kind, const char *name, int *code)
{
    const char *pattern = flag(request, name);
    struct bench_error reason;
    if (!pattern || peer_load_matching(kind, pattern, &reason) == SENS_OK) return true;
    *code = EXIT_MISSING;
    return bench_refuse(&request->error, "verify: %s %s: %s", name, pattern, reason.text);
}

/* All problems; one that cannot be read is refused where it would be looked at. */
static bool read_problems(struct request *request)
{
    const char *pattern = flag(request, "--problem");
    struct bench_error reason;
    for (struct waiting_problem *problem = waiting_problems(); problem; problem = problem->next) {
        const bool wanted = pattern ? fnmatch(pattern, problem->name, 0) == 0 : !request->choice.quick;
        if (waiting_read(problem, &reason) || !wanted) continue;
        request->error = reason;
        return false;
    }
    return true;
}

static bool read_choice(struct request *request)
{
    struct words checks;
    check_words(&checks);
    return read_module_glob(request, "--problem", &request->choice.problem) &&
           read_module_glob(request, "--method", &request->choice.method) &&
           read_module_glob(request, "--cost", &request->choice.cost) &&
           read_module_glob(request, "--provider", &request->choice.provider) &&
           read_glob(request, "--check", &checks, &request->choice.check) &&
           read_glob(request, "--require", &checks, &request->choice.require);
}

/* ---- numbers and files --------------------------------------------------------------------------------- */

static bool read_whole(struct request *request, const char *name, double low, double high, double *number)
{
    const char *text = flag(request, name);
    if (!text ||
        (read_number(text, number) && *number >= low && *number <= high && *number == floor(*number)))
        return true;
    return bench_refuse(&request->error, "verify: %s: '%s' is no whole number from %.0f to %.0f", name, text,
                        low, high);
}

static bool read_numbers_of(struct request *request)
{
    enum { JOBS_MAX = 1024, QUICK_SECONDS = 60, FULL_SECONDS = 300 };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *timeout = flag(request, "--timeout");
    double seed = 0, jobs = processors > 0 ? (double)processors : 1;
    request->task.timeout = request->task.quick ? QUICK_SECONDS : FULL_SECONDS;
    if (!read_whole(request, "--seed", 0, 4294967295.0, &seed) ||
        !read_whole(request, "--jobs", 1, JOBS_MAX, &jobs))
        return false;
    request->task.seed = (unsigned long)seed;
    request->task.jobs = (size_t)fmin(jobs, JOBS_MAX);
    return !timeout || (read_number(timeout, &request->task.timeout) && request->task.timeout > 0) ||
           bench_refuse(&request->error, "verify: --timeout: '%s' is no number of seconds above 0", timeout);
}

static bool read_isa(struct request *request, int *code)
{
    const char *isa = flag(request, "--isa");
    request->task.reg = variant_find(isa ? isa : "auto", &request->error);
    if (!request->task.reg) *code = variant_known(isa) ? EXIT_MISSING : EXIT_USAGE;
    return request->task.reg != NULL;
}

/* Asked for last, as it empties the file. */
static bool open_junit(struct request *request)
{
    const char *path = flag(request, "--junit");
    if (!path) return true;
    request->junit = create_file(path);
    return request->junit || bench_refuse(&request->error, "verify: --junit %s: %s", path, strerror(errno));
}

static bool read_formats(struct request *request)
{
    request->json = flag(request, "--json") != NULL;
    request->tap = flag(request, "--tap") != NULL;
    request->verbose = flag(request, "--verbose") != NULL;
    if (request->json + request->tap + request->verbose > 1)
        return bench_refuse(&request->error, "verify: one of --json, --tap and --verbose at a time");
    return true;
}

/* Without options the registry stays as it is. */
static bool read_options(struct request *request)
{
    if (request->arguments->spec.count == 0) return true;
    if (!settings_apply(&request->ctx, request->task.reg, &request->choice, &request->arguments->spec,
                        &request->settings, &request->error))
        return false;
    request->task.reg = &request->settings.reg;
    request->task.held = request->settings.held;
    request->task.given = request->settings.given;
    return true;
}

static bool make_plan(struct request *request)
{
    const struct verify_choice *choice = &request->choice;
    if (!plan_create(request->task.reg, verify_groups, choice, &request->plan))
        return bench_refuse(&request->error, "verify: no memory for the plan");
    request->task.plan = &request->plan;
    request->task.method_glob = choice->method;
    request->task.problem_glob = choice->problem;
    if (request->plan.count == 0)
        return bench_refuse(&request->error,
                            "verify: nothing to do: no check%s%s is made on the modules that were named",
                            choice->check ? " " : "", choice->check ? choice->check : "");
    return !choice->require || plan_makes(&request->plan, choice, choice->require) ||
           bench_refuse(&request->error,
                        "verify: --require %s: no such check is made on the modules that were named",
                        choice->require);
}

/* EXIT_OK when the work can begin. */
static int read_request(struct request *request)
{
    int code = EXIT_USAGE;
    request->task.quick = request->choice.quick = flag(request, "--quick") != NULL;
    request->task.memory_limit = 4e9;
    const bool ready = read_formats(request) && read_isa(request, &code) &&
                       load_peers(request, PEER_METHOD, "--method", &code) &&
                       load_peers(request, PEER_PROVIDER, "--provider", &code) && read_problems(request) &&
                       read_choice(request) && read_numbers_of(request) && read_options(request) &&
                       make_plan(request) && open_junit(request);
    return ready ? EXIT_OK : code;
}

/* ---- the work ------------------------------------------------------------------------------------------ */

static bool write_report(struct request *request, const struct verify_report *report)
{
    bool written = true;
    if (request->json)
        written =
            verify_write_json(our_stdout(), report) || bench_refuse(&request->error, "verify: no memory");
    else if (request->tap)
        verify_write_tap(our_stdout(), report);
    else
        verify_write_text(our_stdout(), report, request->verbose);
    if (!request->junit) return written;
    verify_write_junit(request->junit, report);
    const bool complete = fflush(request->junit) == 0 && !ferror(request->junit);
    return complete ? written
                    : bench_refuse(&request->error, "verify: --junit %s: %s", flag(request, "--junit"),
                                   strerror(errno));
}

static int report_all(struct request *request, sens_status status, double seconds, struct runner_unit *unit)
{
    struct verify_report report = {
        .task = &request->task, .unit = unit, .seconds = seconds, .interrupted = status == SENS_INTERRUPTED};
    verify_demand(&request->plan, &request->choice, unit);
    if (!verify_report_create(&request->choice, &report)) {
        bench_refuse(&request->error, "verify: no memory for the report");
        return cli_complain(&request->error, EXIT_CHECK);
    }
    const bool written = write_report(request, &report);
    const bool failed = report.count[VERIFY_FAIL] > 0;
    verify_report_free(&report);
    if (!written) cli_complain(&request->error, EXIT_CHECK);
    if (status == SENS_INTERRUPTED) return EXIT_INTERRUPTED;
    return failed || !written ? EXIT_CHECK : EXIT_OK;
}

static int work(struct request *request)
{
    const size_t count = request->plan.count;
    struct runner_unit *unit = calloc(count, sizeof *unit);
    const double start = seconds_now();
    const sens_status status = unit ? runner_run(&request->task, unit) : SENS_NO_MEMORY;
    int code = EXIT_CHECK;
    if (status == SENS_OK || status == SENS_INTERRUPTED) {
        code = report_all(request, status, seconds_now() - start, unit);
    } else {
        bench_refuse(&request->error, "verify: %s", sens_status_message(status));
        cli_complain(&request->error, code);
    }
    runner_free(count, unit);
    free(unit);
    return code;
}

/* ---- telling what there is ----------------------------------------------------------------------------- */

static int explain(struct request *request, const char *id)
{
    struct words words;
    const bool completes = strcmp(id, plan_completes.id) == 0;
    const struct verify_check *check = completes ? &plan_completes : verify_find_check(verify_groups, id);
    if (check) return verify_write_check(our_stdout(), check), EXIT_OK;
    if (cause_sentence(id)) return verify_write_cause(our_stdout(), id), EXIT_OK;
    check_words(&words);
    for (int i = 0; i < CAUSE_COUNT; i++) add_word(&words, cause_name((enum cause)i));
    refuse_word(request, "--explain", id, "is no check and no cause", &words);
    return cli_complain(&request->error, EXIT_USAGE);
}

static int list(struct request *request)
{
    struct words checks;
    check_words(&checks);
    if (!read_glob(request, "--check", &checks, &request->choice.check))
        return cli_complain(&request->error, EXIT_USAGE);
    verify_write_list(our_stdout(), request->choice.check);
    return EXIT_OK;
}

static int execute(struct request *request)
{
    if (request->arguments->words) {
        bench_refuse(&request->error,
                     "verify: unexpected word '%s'; modules are named by --problem, --method, --cost and "
                     "--provider",
                     request->arguments->word[0]);
        return cli_complain(&request->error, EXIT_USAGE);
    }
    if (flag(request, "--explain")) return explain(request, flag(request, "--explain"));
    if (flag(request, "--list")) return list(request);
    int code = read_request(request);
    code = code == EXIT_OK ? work(request) : cli_complain(&request->error, code);
    if (request->junit) fclose(request->junit);
    plan_free(&request->plan);
    return code;
}

int cmd_verify(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct request *request = calloc(1, sizeof *request);
    if (!request) return EXIT_CHECK;
    request->command = command;
    request->arguments = arguments;
    const int code = execute(request);
    sens_arena_release(&request->ctx.arena);
    free(request);
    return code;
}
