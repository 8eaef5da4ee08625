/* Sweep files: what a good one expands to, and that a bad one is refused with file and line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "modules.h"
#include "providers.h"
#include "streams.h"
#include "sweep_file.h"
#include "testing.h"

static char folder[] = "/tmp/sensbench-sweep-XXXXXX";
static char main_path[64], other_path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(main_path, sizeof main_path, "%s/main.sweep", folder);
    snprintf(other_path, sizeof other_path, "%s/other.sweep", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(main_path);
    unlink(other_path);
    return rmdir(folder);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void read_good(const char *text, bool quick, struct sweep *sweep)
{
    struct bench_error error = {.text = ""};
    write_file(main_path, text);
    if (!sweep_read(main_path, quick, sweep, &error)) fail_msg("refused: %s", error.text);
}

/* How many cells have this value of this key. */
static size_t count_cells(const struct sweep *sweep, const char *key, const char *value)
{
    size_t count = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        const char *found = spec_get(&sweep->cell[i], key);
        count += found && strcmp(found, value) == 0;
    }
    return count;
}

static const char grid[] = "[sweep] # a remark\n"
                           "name = grid\r\n"
                           "title = Title, with commas = and signs\n"
                           "figure = work_precision\n"
                           "budget = 60\n"
                           "quick.budget = 6\n"
                           "samples = 5\n"
                           "memory = 2G\n"
                           "pin = no\n"
                           "\n"
                           "[defaults]\n"
                           "problem = decay\n"
                           "tol = log(1e-3, 1e-13, 11)\n"
                           "quick.tol = 1e-3 1e-8\n"
                           "[cells two]\n"
                           "method = discrete_adjoint, discrete_tangent\n"
                           "skip = method=discrete_tangent tol<=1e-12\n"
                           "[cells one]\n"
                           "method = discrete_adjoint\n"
                           "tableau = dopri5 rk4\n"
                           "tol = 1e-4\n"
                           "skip = tableau=rk?\n"
                           "[cells]\n"
                           "profile = full\n"
                           "method = discrete_adjoint\n"
                           "tol = 0.5\n";

static void product_of_axes(void **state)
{
    (void)state;
    struct sweep sweep;
    read_good(grid, false, &sweep);
    assert_int_equal(sweep.count, 22 - 2 + 1 + 1);
    assert_int_equal(count_cells(&sweep, "problem", "decay"), sweep.count);
    assert_int_equal(count_cells(&sweep, "method", "discrete_tangent"), 9);
    assert_int_equal(count_cells(&sweep, "tableau", "dopri5"), 1);
    assert_int_equal(count_cells(&sweep, "tol", "1e-13"), 1);
    assert_int_equal(count_cells(&sweep, "tol", "1e-11"), 2);
    assert_int_equal(count_cells(&sweep, "tol", "0.5"), 1);
    assert_string_equal(sweep.name, "grid");
    assert_string_equal(sweep.title, "Title, with commas = and signs");
    assert_string_equal(sweep.figure, "work_precision");
    assert_true(sweep.budget == 60 && sweep.measure.samples == 5 && !sweep.measure.pin);
    assert_true(sweep.measure.memory_limit == 2147483648.0);
    sweep_free(&sweep);
}

static void quick_profile(void **state)
{
    (void)state;
    struct sweep sweep;
    read_good(grid, true, &sweep);
    assert_int_equal(sweep.count, 4 + 1);
    assert_int_equal(count_cells(&sweep, "tol", "1e-3"), 2);
    assert_true(sweep.budget == 6);
    sweep_free(&sweep);
}

static void progressions(void **state)
{
    (void)state;
    struct sweep sweep;
    read_good(
        "[cells]\nproblem = decay\nmethod = discrete_adjoint\ntol = log(1e-2,1e-6,3), 0.3 lin(0.1, 0.2, 2)\n",
        false, &sweep);
    static const char *const expected[] = {"0.01", "0.0001", "1e-06", "0.3", "0.1", "0.2"};
    assert_int_equal(sweep.count, 6);
    for (size_t i = 0; i < 6; i++) assert_string_equal(spec_get(&sweep.cell[i], "tol"), expected[i]);
    assert_string_equal(sweep.name, "main"); /* of the file */
    sweep_free(&sweep);
}

/* `method = discrete_*` is what the registry says it is. */
static void patterns(void **state)
{
    (void)state;
    struct sweep sweep;
    struct bench_error error = {.text = ""};
    const struct sens_registry *reg = variant_find("auto", &error);
    size_t matching = 0;
    assert_non_null(reg);
    for (size_t i = 0; reg->methods[i]; i++) matching += strncmp(reg->methods[i]->name, "discrete_", 9) == 0;
    assert_true(matching >= 2);
    read_good("[cells]\nproblem = decay\nmethod = discrete_* !*_tangent\n", false, &sweep);
    assert_int_equal(sweep.count, matching - 1);
    assert_int_equal(count_cells(&sweep, "method", "discrete_tangent"), 0);
    sweep_free(&sweep);
}

static void includes(void **state)
{
    (void)state;
    struct sweep sweep;
    write_file(other_path, "budget = 5\n[defaults]\nproblem = decay\ntol = 1e-3 1e-4\n");
    read_good(
        "[sweep]\nname = outer\ninclude = other.sweep\nbudget = 7\n[cells]\nmethod = discrete_adjoint\n",
        false, &sweep);
    assert_string_equal(sweep.name, "outer");
    assert_true(sweep.budget == 7); /* the later line, back in [sweep] */
    assert_int_equal(sweep.count, 2);
    sweep_free(&sweep);
}

/* A condition of [defaults] on a key that a section lacks does not touch that section. */
static void default_rules(void **state)
{
    (void)state;
    struct sweep sweep;
    read_good("[defaults]\nproblem = decay\nmethod = discrete_adjoint\ntol = 1e-3 1e-4\nskip = tol=1e-4 "
              "tableau=rk4\n"
              "skip = tol=0.001 tableau=tsit5\n"
              "[cells]\ntableau = tsit5 dopri5\n[cells]\ncontroller = odeint\n",
              false, &sweep);
    assert_int_equal(sweep.count, 3 + 2);
    assert_int_equal(count_cells(&sweep, "tableau", "tsit5"), 1); /* 1e-3 = 0.001 */
    sweep_free(&sweep);
}

#define CELL "[cells]\nproblem = decay\nmethod = discrete_adjoint\n"

/* text, line of the complaint (0: the file as a whole), a word of it. */
static const struct {
    const char *text;
    int line;
    const char *word;
} bad[] = {
    {"", 0, "no cells"},
    {"# nothing\n", 0, "no cells"},
    {"[sweep\nname = a\n", 1, "[sweep"},
    {"[sweep] rest\n", 1, "[NAME]"},
    {"[sweeps]\n", 1, "did you mean sweep"},
    {"[sweep two]\n", 1, "only [cells] has a name"},
    {"[]\n", 1, "unknown section"},
    {"name = a\n", 1, "a section has to come before"},
    {"[sweep]\nname\n", 2, "neither [section] nor key = value"},
    {"[sweep]\nname =\n", 2, "no value for key 'name'"},
    {"[sweep]\nname = # gone\n", 2, "no value"},
    {"[sweep]\n= 5\n", 2, "not a key"},
    {"[sweep]\nna me = a\n", 2, "not a key"},
    {"[sweep]\nname = a\n\nname = b\n", 4, "already has a value for key 'name'"},
    {"[sweep]\nsample = 5\n", 2, "did you mean samples"},
    {"[sweep]\nbudget = soon\n", 2, "budget: 'soon'"},
    {"[sweep]\nbudget = -1\n", 2, "budget: '-1'"},
    {"[sweep]\nsamples = 2.5\n", 2, "samples: '2.5'"},
    {"[sweep]\ntimeout = inf\n", 2, "timeout: 'inf'"},
    {"[sweep]\nmemory = 4T\n", 2, "memory: '4T'"},
    {"[sweep]\npin = maybe\n", 2, "pin: 'maybe'"},
    {"[sweep]\nname = ../up\n", 0, "'../up'"},
    {"[sweep]\ninclude = nowhere.sweep\n", 2, "nowhere.sweep"},
    {"[sweep]\ninclude = main.sweep\n", 2, "does a file include itself"},
    {"[sweep]\ninclude = .\n", 2, "."},
    {"[cells]\n", 1, "no keys"},
    {"[cells]\nprofile = slow\n", 2, "profile: 'slow'"},
    {CELL "tol = 1e-3 1e-4 1e-3\n", 4, "given twice: '1e-3'"},
    {CELL "tol = log(1e-3, 1e-13\n", 4, "parentheses"},
    {CELL "tol = log 1e-3)\n", 4, "parentheses"},
    {CELL "tol = exp(1, 2, 3)\n", 4, "log(first, last, count)"},
    {CELL "tol = log(1e-3, 1e-13)\n", 4, "not three numbers"},
    {CELL "tol = log(1e-3, x, 3)\n", 4, "not three numbers"},
    {CELL "tol = log(1e-3, 1e-4, 3, 4)\n", 4, "not three numbers"},
    {CELL "tol = log(-1, 1, 3)\n", 4, "positive"},
    {CELL "tol = lin(1, 2, 1)\n", 4, "whole number from 2"},
    {CELL "tol = ,\n", 4, "no value is left"},
    {CELL "tol = 1*\n", 4, "no names to match"},
    {"[cells]\nproblem = decay\nmethod = nothing_*\n", 3, "nothing matches"},
    {"[cells]\nproblem = decay\nmethod = !cfsa\n", 3, "nothing before it"},
    {"[cells]\nproblem = decay\nmethod = discrete_adjoint !discrete_*\n", 3, "no value is left"},
    {CELL "skip = tol=1\n", 4, "no key 'tol'"},
    {CELL "skip = method\n", 4, "'method' is not key=value"},
    {CELL "skip = method<x\n", 4, "'method<x' is not"},
    {CELL "skip = method>=x\n", 4, "'method>=x' is not"},
    {CELL "skip = method=discrete_*\n", 0, "no cells"},
    {CELL CELL, 5, "the same cell as at"},
    {CELL "toll = 1e-3\n", 4, "toll"},
    {CELL "tol = tight\n", 4, "tight"},
    {"[cells]\nproblem = decoy\nmethod = discrete_adjoint\n", 2, "decoy"},
    {"[cells]\nproblem = decay\nmethod = discreet\n", 3, "discreet"},
};

static void refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct sweep sweep;
        struct bench_error error = {.text = ""};
        char place[96];
        write_file(main_path, bad[i].text);
        if (sweep_read(main_path, false, &sweep, &error)) fail_msg("accepted: %s", bad[i].text);
        snprintf(place, sizeof place, bad[i].line ? "%s:%d" : "%s", main_path, bad[i].line);
        if (!strstr(error.text, place)) fail_msg("'%s' does not say %s", error.text, place);
        if (!strstr(error.text, bad[i].word)) fail_msg("'%s' does not say %s", error.text, bad[i].word);
        assert_int_equal(sweep.count, 0);
    }
}

/* Bytes that are no text, and lines without end. */
static void no_text(void **state)
{
    (void)state;
    struct sweep sweep;
    struct bench_error error = {.text = ""};
    FILE *file = fopen(main_path, "w");
    assert_non_null(file);
    fwrite("[sweep]\nname = a\0b\n", 1, 19, file);
    fclose(file);
    assert_false(sweep_read(main_path, false, &sweep, &error));
    assert_non_null(strstr(error.text, ":2: a NUL byte"));
    file = fopen(main_path, "w");
    assert_non_null(file);
    for (int i = 0; i < 10000; i++) fputs("abc ", file);
    fclose(file);
    assert_false(sweep_read(main_path, false, &sweep, &error));
    assert_non_null(strstr(error.text, ":1: longer than"));
    assert_false(sweep_read("/nowhere/at/all.sweep", false, &sweep, &error));
    assert_non_null(strstr(error.text, "/nowhere/at/all.sweep"));
}

static void file_and_line_of_an_include(void **state)
{
    (void)state;
    struct sweep sweep;
    struct bench_error error = {.text = ""};
    char place[96];
    write_file(other_path, "[cells]\nmethod = discrete_adjoint\nproblem = decoy\n");
    write_file(main_path, "[sweep]\ninclude = other.sweep\n");
    snprintf(place, sizeof place, "%s:3", other_path);
    assert_false(sweep_read(main_path, false, &sweep, &error));
    assert_non_null(strstr(error.text, place));
}

/* Every sweep that comes with the program is good in both profiles. */
static void our_own_sweeps(void **state)
{
    (void)state;
    size_t count;
    char **name = sweep_names(&count);
    assert_non_null(name);
    for (size_t i = 0; i < count; i++) {
        for (int quick = 0; quick < 2; quick++) {
            struct sweep sweep;
            struct bench_error error = {.text = ""};
            char path[4096];
            if (!sweep_locate(name[i], path, sizeof path, &error) || !sweep_read(path, quick, &sweep, &error))
                fail_msg("%s: %s", name[i], error.text);
            sweep_free(&sweep);
        }
        free(name[i]);
    }
    free(name);
    struct bench_error error = {.text = ""};
    char path[4096];
    assert_false(sweep_locate("no-such-sweep", path, sizeof path, &error));
    assert_non_null(strstr(error.text, "no-such-sweep"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_of_axes),
        cmocka_unit_test(quick_profile),
        cmocka_unit_test(progressions),
        cmocka_unit_test(patterns),
        cmocka_unit_test(includes),
        cmocka_unit_test(default_rules),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_text),
        cmocka_unit_test(file_and_line_of_an_include),
        cmocka_unit_test(our_own_sweeps),
    };
    struct bench_error error;
    if (!providers_add(derive_providers) || !models_load_path(&error)) return 1;
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
