/* sensbench report: stored results as one page for a browser. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "exit_codes.h"
#include "files.h"
#include "page.h"
#include "paper.h"
#include "streams.h"

enum { PATH_LENGTH = 4096 };

struct report {
    struct summary results, before;
    struct page_request page;
    char out[PATH_LENGTH];
};

/* The page stands beside the results, where these are a folder. */
static bool choose_out(const char *asked, const char *first, char out[PATH_LENGTH], struct bench_error *error)
{
    struct stat about;
    const bool folder = stat(first, &about) == 0 && S_ISDIR(about.st_mode);
    if (!asked && !folder)
        return bench_refuse(error, "report: %s is no folder to write report.html into; give --out FILE",
                            first);
    const int length =
        asked ? snprintf(out, PATH_LENGTH, "%s", asked) : snprintf(out, PATH_LENGTH, "%s/report.html", first);
    return length < PATH_LENGTH ||
           bench_refuse(error, "report: a path of more than %d bytes", PATH_LENGTH - 1);
}

static bool read_flags(const struct cli_command *command, const struct cli_arguments *arguments,
                       struct report *report, struct bench_error *error)
{
    const char *const noise = cli_flag(command, arguments, "--noise");
    const char *const d3 = cli_flag(command, arguments, "--d3");
    report->page = (struct page_request){
        .results = &report->results,
        .noise = 0.05,
        .library = d3 ? d3 : "/usr/share/nodejs/d3/dist/d3.min.js",
    };
    if (arguments->words == 0)
        return bench_refuse(error, "report: no results given; see sensbench report --help");
    if (noise &&
        (!read_number(noise, &report->page.noise) || report->page.noise < 0 || report->page.noise > 1))
        return bench_refuse(error, "--noise: '%s' is not a number from 0 to 1", noise);
    if (noise && !cli_flag(command, arguments, "--against"))
        return bench_refuse(error, "--noise needs --against: it says what counts as changed");
    return choose_out(cli_flag(command, arguments, "--out"), arguments->word[0], report->out, error);
}

static bool load(const struct cli_command *command, const struct cli_arguments *arguments,
                 struct report *report, struct bench_error *error)
{
    const char *const against = cli_flag(command, arguments, "--against");
    for (size_t i = 1; i < arguments->words; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(arguments->word[i], arguments->word[k]) == 0)
                return bench_refuse(error, "report: %s is given twice", arguments->word[i]);
    for (size_t i = 0; i < arguments->words; i++)
        if (!summary_load(&report->results, arguments->word[i], error)) return false;
    if (against && !summary_load(&report->before, against, error)) return false;
    report->page.before = against ? &report->before : NULL;
    const size_t passed_over = report->results.passed_over + report->before.passed_over;
    if (passed_over)
        complain_line("report: of folders with several result files the newest is read; not read: %zu; name "
                      "files to have them",
                      passed_over);
    return true;
}

static int write_page(const struct report *report, struct bench_error *error)
{
    struct successor file;
    if (!successor_open(&file, report->out)) {
        bench_refuse(error, "%s: %s", report->out, strerror(errno));
        return EXIT_CHECK;
    }
    const bool made = page_write(&report->page, file.file, error);
    if (successor_close(&file, made)) return EXIT_OK;
    if (made) bench_refuse(error, "%s: cannot be written: %s", report->out, strerror(errno));
    return made ? EXIT_CHECK : EXIT_USAGE;
}

/* Measurements are not to be lost to a page of them. */
static bool is_results(const char *path)
{
    return !is_stream(path) && (table_is_result(path) || table_is_comparison(path));
}

static int write_report(const struct report *report, struct bench_error *error)
{
    struct stat about;
    if (access(report->page.library, R_OK) != 0) {
        bench_refuse(error, "report: %s: %s; the page draws with D3: install node-d3, or give --d3 FILE",
                     report->page.library, strerror(errno));
        return EXIT_MISSING;
    }
    if (is_results(report->out)) {
        bench_refuse(error, "report: %s has results, and is not written over", report->out);
        return EXIT_USAGE;
    }
    const int code = write_page(report, error);
    if (code == EXIT_OK && !is_stream(report->out) && stat(report->out, &about) == 0)
        say("%s: %lld KB\n", report->out, (long long)(about.st_size + 1023) / 1024);
    return code;
}

int cmd_report(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct bench_error error = {.text = ""};
    struct report report = {.results = {.together = paper_compares, .with_comparisons = true},
                            .before = {.together = paper_compares}};
    int code = EXIT_USAGE;
    if (read_flags(command, arguments, &report, &error) && load(command, arguments, &report, &error))
        code = write_report(&report, &error);
    summary_free(&report.results);
    summary_free(&report.before);
    return code == EXIT_OK ? EXIT_OK : cli_complain(&error, code);
}
