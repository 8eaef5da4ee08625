/* sensbench compare: how many times faster is A than B, by samples that alternate. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "compare.h"
#include "exit_codes.h"
#include "files.h"
#include "machine.h"
#include "process.h"
#include "streams.h"

struct comparison {
    struct cli_arguments *arguments;
    struct compare_plan plan;
    struct compare_targets targets;
    struct compare_options options;
    struct progress progress;
    const char *path;
    FILE *tsv;
    bool json;
    size_t told; /* groups */
    bool unavailable, failed;
    struct bench_error error;
};

/* ---- the request --------------------------------------------------------------------------------------- */

static bool read_seconds(struct comparison *me, const struct cli_command *command, const char *flag,
                         double *seconds)
{
    const char *text = cli_flag(command, me->arguments, flag);
    return !text || (read_number(text, seconds) && *seconds > 0) ||
           bench_refuse(&me->error, "%s: '%s' is not a positive number of seconds", flag, text);
}

static bool read_limits(struct comparison *me, const struct cli_command *command)
{
    const char *rounds = cli_flag(command, me->arguments, "--rounds");
    double number = COMPARE_ROUNDS;
    me->options = (struct compare_options){.seconds = 20,
                                           .timeout = 300,
                                           .memory_limit = 4294967296.0,
                                           .seed = 1}; /* the last three: as a sweep */
    if (rounds && !(read_number(rounds, &number) && number >= 1 && number <= COMPARE_ROUNDS_MAX &&
                    number == floor(number)))
        return bench_refuse(&me->error, "--rounds: '%s' is not a whole number from 1 to %d", rounds,
                            COMPARE_ROUNDS_MAX);
    me->options.rounds = (size_t)number;
    return read_seconds(me, command, "--seconds", &me->options.seconds) &&
           read_seconds(me, command, "--timeout", &me->options.timeout);
}

/* --error 1e-6,1e-8 */
static bool read_targets(struct comparison *me, const struct cli_command *command)
{
    const char *list = cli_flag(command, me->arguments, "--error");
    char text[64];
    for (const char *at = list; at;) {
        const size_t length = strcspn(at, ",");
        double *error = &me->targets.error[me->targets.count];
        if (me->targets.count == COMPARE_TARGETS)
            return bench_refuse(&me->error, "--error: more than %d errors", COMPARE_TARGETS);
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        if (length >= sizeof text || !read_number(text, error) || !(*error > 0 && *error < 1))
            return bench_refuse(&me->error, "--error: '%.*s' is not a number between 0 and 1", (int)length,
                                at);
        me->targets.count++;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

static bool read_request(struct comparison *me, const struct cli_command *command)
{
    const struct cli_arguments *arguments = me->arguments;
    me->json = cli_flag(command, arguments, "--json") != NULL;
    me->path = cli_flag(command, arguments, "--tsv");
    if (!read_limits(me, command) || !read_targets(me, command) ||
        !cli_take_names(command, me->arguments, &me->error))
        return false;
    if (arguments->versus_count == 0)
        return bench_refuse(&me->error, "compare: with what? --vs \"key=value ...\" says what differs");
    return compare_plan_create(&me->plan, &arguments->spec, arguments->versus_count, arguments->versus,
                               &me->targets, &me->error);
}

/* EXIT_OK, or the code for a file that cannot be opened or written. */
static int open_file(struct comparison *me)
{
    if (!me->path) return EXIT_OK;
    me->tsv = create_file(me->path);
    if (me->tsv && compare_tsv_header(me->tsv)) return EXIT_OK;
    bench_refuse(&me->error, "--tsv %s: %s", me->path, strerror(errno));
    return me->tsv ? EXIT_CHECK : EXIT_USAGE;
}

/* ---- groups -------------------------------------------------------------------------------------------- */

/* What came of a contender also counts for the exit code. */
static void note_statuses(struct comparison *me, const struct compare_group *group)
{
    for (size_t i = 0; i < group->contenders; i++) {
        const int code = cli_exit_code(group->contender[i].status);
        if (code == EXIT_MISSING)
            me->unavailable = true;
        else if (code != EXIT_OK)
            me->failed = true;
    }
}

static void tell(struct comparison *me, const struct compare_group *group)
{
    progress_hide(&me->progress);
    note_statuses(me, group);
    if (me->tsv) compare_tsv_rows(me->tsv, group);
    if (me->json)
        fputs(me->told ? ",\n" : "\n", our_stdout()), compare_json(our_stdout(), group);
    else
        compare_print(our_stdout(), group);
    me->told++;
}

static void name_rows(struct comparison *me, struct compare_group *group)
{
    for (size_t i = 0; i < group->contenders; i++) {
        struct record *rec = group->contender[i].rec;
        const struct spec *spec = &me->plan.spec[group->index * group->contenders + i];
        const int rung = group->contender[i].found.rung; /* its tolerance is part of what was measured */
        struct spec tuned = {.count = 0};
        char tol[COMPARE_TOLERANCE] = "";
        if (rung >= 0) compare_rung_text(rung, tol);
        const bool whole =
            spec_copy(&tuned, spec) && (!tol[0] || spec_set(&tuned, "tol", tol, "--error", &me->error));
        char *identity = whole ? spec_identity(&tuned) : NULL;
        spec_free(&tuned);
        snprintf(rec->text[COL_cell], RECORD_TEXT, "%s", identity ? identity : "");
        snprintf(rec->text[COL_machine], RECORD_TEXT, "%s", machine_name());
        snprintf(rec->text[COL_git], RECORD_TEXT, "%s", machine_git());
        free(identity);
    }
}

static bool make_cells(struct comparison *me, struct compare_group *group)
{
    for (size_t i = 0; i < group->contenders; i++) {
        const struct spec *spec = &me->plan.spec[group->index * group->contenders + i];
        struct contender *contender = &group->contender[i];
        if (!compare_cell_create(spec, &me->options, group->target, &contender->subject)) return false;
        contender->changes = me->plan.changes[i];
    }
    return true;
}

static void free_cells(struct compare_group *group)
{
    for (size_t i = 0; group->contender && i < group->contenders; i++)
        compare_cell_free(&group->contender[i].subject);
}

static int run_group(struct comparison *me, size_t index)
{
    const size_t contenders = me->plan.contenders;
    struct compare_group group;
    int code = EXIT_CHECK;
    const bool created = compare_group_create(&group, contenders, me->options.rounds);
    group.index = index;
    group.keys = me->plan.keys[index];
    group.target = me->plan.target[index];
    if (created && make_cells(me, &group)) {
        const sens_status status = compare_group_run(&group, &me->options, &me->progress);
        name_rows(me, &group);
        if (status == SENS_OK || group.rounds > 0) tell(me, &group);
        code = status == SENS_OK ? EXIT_OK : EXIT_INTERRUPTED;
    } else {
        bench_refuse(&me->error, "compare: no memory for %zu contenders", contenders);
    }
    free_cells(&group);
    compare_group_free(&group);
    return code;
}

static int run_groups(struct comparison *me)
{
    int code = EXIT_OK;
    sigset_t former;
    process_block_signals(&former);
    const size_t steps = me->plan.contenders + me->options.rounds;
    progress_start(&me->progress, me->plan.groups * steps, 0);
    if (me->json) fputs("{\"schema\":\"sens-compare/1\",\"groups\":[", our_stdout());
    for (size_t g = 0; code == EXIT_OK && g < me->plan.groups; g++) code = run_group(me, g);
    if (me->json) fputs("\n]}\n", our_stdout());
    progress_end(&me->progress);
    if (code != EXIT_INTERRUPTED) /* else the signal is still pending, and would kill before the report */
        sigprocmask(SIG_SETMASK, &former, NULL);
    return code;
}

static int finish(struct comparison *me, int code)
{
    if (me->tsv && (ferror(me->tsv) || fflush(me->tsv) != 0)) {
        bench_refuse(&me->error, "--tsv %s: could not be written", me->path);
        return cli_complain(&me->error, EXIT_CHECK);
    }
    if (code == EXIT_CHECK) return cli_complain(&me->error, code);
    if (code == EXIT_INTERRUPTED) {
        bench_refuse(&me->error, "compare: interrupted after %zu of %zu groups", me->told, me->plan.groups);
        return cli_complain(&me->error, code);
    }
    return me->failed ? EXIT_SOLVER : me->unavailable ? EXIT_MISSING : EXIT_OK;
}

int cmd_compare(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct comparison *me = calloc(1, sizeof *me);
    if (!me) return EXIT_CHECK;
    me->arguments = arguments;
    int code = EXIT_USAGE;
    if (!read_request(me, command) || (code = open_file(me)) != EXIT_OK)
        cli_complain(&me->error, code);
    else
        code = finish(me, run_groups(me));
    if (me->tsv) fclose(me->tsv);
    compare_plan_free(&me->plan);
    free(me);
    return code;
}
