/* sensbench sweep: reads sweep files, then runs or lists their cells. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

struct request {
    struct sweep_run run;
    bool quick, dry_run, help;
};

static const char usage[] =
    "usage: sensbench sweep NAME|FILE ... [--quick] [--out DIR] [--resume] [--budget SECONDS] [--dry-run]\n"
    "                                     [--plugin FILE ...]\n"
    "\n"
    "Measures every cell of the sweeps, each in a process of its own, in shuffled order; every row is "
    "written to\n"
    "DIR/<sweep>/<machine>-<git>.tsv as it is known (-quick before .tsv in the quick profile).\n"
    "\n"
    "  NAME|FILE          a sweep of `sensbench list sweeps`, or a file (with a '/' or ending in .sweep)\n"
    "  --quick            the quick profile: fewer values, a smaller budget\n"
    "  --out DIR          folder of the results (default: results/local)\n"
    "  --resume           keep the rows that are there and skip their cells\n"
    "  --budget SECONDS   stop when this time is used up; 0 = no limit (default: the sweep file's)\n"
    "  --dry-run          list the cells and how long they may take, run nothing\n"
    "  --plugin FILE      load a module of methods, problems or costs\n"
    "\n"
    "Exit codes: 0 all rows written or budget used up, 1 a row could not be written, 2 bad input,\n"
    "130 interrupted (rows so far are valid).\n";

static int complain(const struct bench_error *error, int code)
{
    fprintf(stderr, "sensbench: %s\n", error->text);
    return code;
}

static bool read_budget(const char *text, double *budget, struct bench_error *error)
{
    return (read_number(text, budget) && *budget >= 0) ||
           bench_refuse(error, "--budget: '%s' is not a number of seconds from 0", text);
}

static bool read_arguments(int argc, char **argv, struct request *request, struct bench_error *error)
{
    static const struct option options[] = {
        {"quick", no_argument, NULL, 'q'},   {"out", required_argument, NULL, 'o'},
        {"resume", no_argument, NULL, 'r'},  {"budget", required_argument, NULL, 'b'},
        {"dry-run", no_argument, NULL, 'd'}, {"plugin", required_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},    {NULL, 0, NULL, 0},
    };
    *request = (struct request){.run = {.out = "results/local", .budget = -1}};
    optind = 0; /* getopt remembers; start over */
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        const char *const word = argv[optind - 1];
        switch (option) {
        case 'q':
            request->quick = true;
            break;
        case 'o':
            request->run.out = optarg;
            break;
        case 'r':
            request->run.resume = true;
            break;
        case 'd':
            request->dry_run = true;
            break;
        case 'h':
            request->help = true;
            break;
        case 'b':
            if (!read_budget(optarg, &request->run.budget, error)) return false;
            break;
        case 'p':
            if (!plugin_load(optarg, error)) return false;
            break;
        case ':':
            return bench_refuse(error, "sweep: option '%s' needs a value", word);
        default:
            return bench_refuse(error, "sweep: unknown option '%s'; see sensbench sweep --help", word);
        }
    }
    return true;
}

/* The cells in the order of a run, and the time that their timed runs may take at most. */
static int print_plan(const struct sweep *sweep, const struct sweep_run *run)
{
    const double budget = run->budget >= 0 ? run->budget : sweep->budget;
    const double seconds = (double)sweep->count * sweep->measure.sample_budget;
    size_t *order = sweep_order(sweep);
    for (size_t i = 0; order && i < sweep->count; i++) {
        char *identity = spec_identity(&sweep->cell[order[i]]);
        printf("%s\n", identity ? identity : "?");
        free(identity);
    }
    printf("# %s, %s profile: %zu cells; samples of %g s each, %g s together", sweep->name,
           sweep->quick ? "quick" : "full", sweep->count, sweep->measure.sample_budget, seconds);
    if (budget > 0) printf("; budget %g s", budget);
    printf("\n");
    free(order);
    return order ? EXIT_OK : EXIT_CHECK;
}

/* Every file is read before anything is run, so that bad input in the last one costs no time. */
static int run_all(size_t count, char **word, const struct request *request, struct bench_error *error)
{
    struct sweep *sweep = calloc(count, sizeof *sweep);
    int code = sweep ? EXIT_OK : EXIT_CHECK;
    for (size_t i = 0; code == EXIT_OK && i < count; i++) {
        char path[4096];
        if (!sweep_locate(word[i], path, sizeof path, error) ||
            !sweep_read(path, request->quick, &sweep[i], error))
            code = complain(error, EXIT_USAGE);
    }
    for (size_t i = 0; code == EXIT_OK && i < count; i++) {
        error->text[0] = '\0';
        code = request->dry_run ? print_plan(&sweep[i], &request->run)
                                : sweep_execute(&sweep[i], &request->run, error);
        if (error->text[0]) complain(error, code);
    }
    for (size_t i = 0; sweep && i < count; i++) sweep_free(&sweep[i]);
    free(sweep);
    return code;
}

int cmd_sweep(int argc, char **argv)
{
    struct request request;
    struct bench_error error = {""};
    if (!read_arguments(argc, argv, &request, &error)) return complain(&error, EXIT_USAGE);
    if (request.help) {
        fputs(usage, stdout);
        return EXIT_OK;
    }
    if (optind >= argc) {
        bench_refuse(&error, "sweep: no sweep given; see sensbench sweep --help and sensbench list sweeps");
        return complain(&error, EXIT_USAGE);
    }
    return run_all((size_t)(argc - optind), argv + optind, &request, &error);
}
