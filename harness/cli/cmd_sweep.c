/* sensbench sweep: reads sweep files, then runs or lists their cells. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "exit_codes.h"
#include "files.h"
#include "peak.h"
#include "result_file.h"
#include "streams.h"

struct request {
    struct sweep_run run;
    struct peak peak; /* measured once for all sweeps */
    bool quick, dry_run;
};

static bool read_flags(const struct cli_command *command, const struct cli_arguments *arguments,
                       struct request *request, struct bench_error *error)
{
    const char *out = cli_flag(command, arguments, "--out");
    const char *budget = cli_flag(command, arguments, "--budget");
    *request = (struct request){
        .run = {.out = out ? out : "results/local", .budget = -1, .peak = &request->peak},
        .quick = cli_flag(command, arguments, "--quick") != NULL,
        .dry_run = cli_flag(command, arguments, "--dry-run") != NULL,
    };
    request->run.resume = cli_flag(command, arguments, "--resume") != NULL;
    request->run.retry = cli_flag(command, arguments, "--retry");
    if (request->run.retry && !request->run.resume)
        return bench_refuse(error, "--retry needs --resume: without it every cell is measured anew");
    if (request->run.retry && !result_retry_check(request->run.retry, error)) return false;
    return !budget || (read_number(budget, &request->run.budget) && request->run.budget >= 0) ||
           bench_refuse(error, "--budget: '%s' is not a number of seconds from 0", budget);
}

/* The cells in the order of a run, and the time that their timed runs may take at most. */
static int print_plan(const struct sweep *sweep, const struct sweep_run *run)
{
    const double budget = run->budget >= 0 ? run->budget : sweep->budget;
    const double seconds = (double)sweep->count * sweep->measure.sample_budget;
    size_t *order = sweep_order(sweep);
    for (size_t i = 0; order && i < sweep->count; i++) {
        char *identity = spec_identity(&sweep->cell[order[i]]);
        say("%s\n", identity ? identity : "?");
        free(identity);
    }
    say("# %s, %s profile: %zu cells; samples of %g s each, %g s together", sweep->name,
        sweep->quick ? "quick" : "full", sweep->count, sweep->measure.sample_budget, seconds);
    if (budget > 0) say("; budget %g s", budget);
    say("\n");
    free(order);
    return order ? EXIT_OK : EXIT_CHECK;
}

/* Two sweeps of one name would write to one file, the second over the first. */
static bool check_new(const struct sweep *sweep, size_t index, const char *word, struct bench_error *error)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(sweep[i].name, sweep[index].name) == 0)
            return bench_refuse(error, "sweep: '%s': a sweep of the name %s is given before it", word,
                                sweep[index].name);
    return true;
}

/* Cells that have no row do not keep the next sweep from running. */
static int execute_all(size_t count, const struct sweep *sweep, const struct request *request,
                       struct bench_error *error)
{
    int worst = EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        error->text[0] = '\0';
        const int code = request->dry_run ? print_plan(&sweep[i], &request->run)
                                          : sweep_execute(&sweep[i], &request->run, error);
        if (error->text[0]) cli_complain(error, code);
        if (code != EXIT_OK) worst = code;
        if (code != EXIT_OK && code != EXIT_SOLVER) break;
    }
    return worst;
}

/* Every file is read before anything is run, so that bad input in the last one costs no time. */
static int run_all(size_t count, const char *const *word, const struct request *request,
                   struct bench_error *error)
{
    struct sweep *sweep = calloc(count, sizeof *sweep);
    int code = EXIT_OK;
    if (!sweep) {
        bench_refuse(error, "no memory for %zu sweeps", count);
        return cli_complain(error, EXIT_CHECK);
    }
    for (size_t i = 0; code == EXIT_OK && i < count; i++) {
        char path[4096];
        if (!sweep_locate(word[i], path, sizeof path, error) ||
            !sweep_read(path, request->quick, &sweep[i], error) || !check_new(sweep, i, word[i], error))
            code = cli_complain(error, EXIT_USAGE);
    }
    if (code == EXIT_OK) code = execute_all(count, sweep, request, error);
    for (size_t i = 0; i < count; i++) sweep_free(&sweep[i]);
    free(sweep);
    return code;
}

int cmd_sweep(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct request request;
    struct bench_error error = {.text = ""};
    if (!read_flags(command, arguments, &request, &error)) return cli_complain(&error, EXIT_USAGE);
    if (arguments->words == 0) {
        bench_refuse(&error, "sweep: no sweep given; see sensbench sweep --help and sensbench list sweeps");
        return cli_complain(&error, EXIT_USAGE);
    }
    return run_all(arguments->words, arguments->word, &request, &error);
}
