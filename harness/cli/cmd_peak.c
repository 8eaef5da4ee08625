/* sensbench peak: what this machine can do, as a table or as JSON. */
#include <jansson.h>
#include <string.h>

#include "cli.h"
#include "exit_codes.h"
#include "machine.h"
#include "peak.h"
#include "streams.h"

static bool is_fma(const struct peak_rate *rate)
{
    return strcmp(rate->what, "fma") == 0;
}

static void print_rate(const struct peak_rate *rate)
{
    char size[32] = "";
    if (rate->bytes) snprintf(size, sizeof size, "%zu KiB", rate->bytes / 1024);
    say("  %-8s %-5s %-5s %7d %12s %10.4g %10.4g %10.4g\n", rate->isa, rate->what, rate->level, rate->threads,
        size, rate->median, rate->min, rate->max);
}

/* The rates that are of fma, or those that are not, under a heading. */
static void print_table(const struct peak *peak, bool fma, const char *heading)
{
    say("%s\n  %-8s %-5s %-5s %7s %12s %10s %10s %10s\n", heading, "isa", "loop", "level", "threads", "each",
        "median", "slowest", "fastest");
    for (size_t i = 0; i < peak->count; i++)
        if (is_fma(&peak->rate[i]) == fma) print_rate(&peak->rate[i]);
}

static void print_text(const struct peak *peak)
{
    const struct sens_caches cache = machine_caches();
    say("%s, cores used: %d; a core's share of L1d %zu, L2 %zu, L3 %zu KiB; samples: %d\n", machine_name(),
        machine_cores(), cache.l1 / 1024, cache.l2 / 1024, cache.l3 / 1024, peak->rate[0].samples);
    print_table(peak, true, "GFLOP/s of a x + b in registers, all threads together:");
    print_table(peak, false, "GB/s of arrays, all threads together:");
}

static json_t *describe(const struct peak_rate *rate)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:I, s:i, s:s, s:f, s:f, s:f}", "what", rate->what, "isa",
                     rate->isa, "level", rate->level, "threads", rate->threads, "bytes",
                     (json_int_t)rate->bytes, "samples", rate->samples, "unit",
                     is_fma(rate) ? "GFLOP/s" : "GB/s", "median", rate->median, "min", rate->min, "max",
                     rate->max);
}

static void print_json(const struct peak *peak)
{
    json_t *rates = json_array();
    for (size_t i = 0; i < peak->count; i++) json_array_append_new(rates, describe(&peak->rate[i]));
    json_dumpf(rates, our_stdout(), JSON_INDENT(2));
    say("\n");
    json_decref(rates);
}

int cmd_peak(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct bench_error error;
    struct peak peak;
    if (arguments->words) {
        bench_refuse(&error, "peak: unexpected word '%s'; see sensbench peak --help", arguments->word[0]);
        return cli_complain(&error, EXIT_USAGE);
    }
    machine_seek_quiet();
    if (!peak_measure(cli_flag(command, arguments, "--quick") != NULL, &peak, &error))
        return cli_complain(&error, EXIT_MISSING);
    if (cli_flag(command, arguments, "--json"))
        print_json(&peak);
    else
        print_text(&peak);
    return EXIT_OK;
}
