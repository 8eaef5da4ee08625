/* harness/derive/compile: from text to functions, kept and found again; which compiler, which cache. */
#include "compile_support.h"

static void test_a_text_becomes_functions(void **state)
{
    static const char source[] = "#include <math.h>\n"
                                 "double twice(double x);\ndouble twice(double x) { return 2 * x; }\n"
                                 "double wave(double x);\ndouble wave(double x) { return sin(twice(x)); }\n";
    struct compiler compiler;
    struct compiled first, second;
    struct bench_error error;
    const struct compile_request request = {source, "baseline", 3, 0};
    (void)state;
    assert_int_equal(compiler_find(&compiler, &error), SENS_OK);
    assert_int_equal(compile_load(&compiler, &request, &first, &error), SENS_OK);
    assert_false(first.was_kept);
    assert_true(first.seconds > 0);
    double (*wave)(double) = (double (*)(double))compiled_find(&first, "wave");
    assert_non_null(wave);
    assert_true(wave(0.25) > 0.47942 && wave(0.25) < 0.47943); /* sin(1/2) */
    assert_null(compiled_find(&first, "vawe"));
    assert_int_equal(compile_load(&compiler, &request, &second, &error), SENS_OK);
    assert_true(second.was_kept);
    assert_true(second.seconds == 0);
    assert_string_equal(first.key, second.key);
    compiled_close(&first);
    compiled_close(&second);
}

/* The same descriptor number is used for each of them, and the loader goes by names. */
static void test_objects_are_not_confused(void **state)
{
    enum { TEXTS = 8 };
    struct compiled compiled[TEXTS];
    struct bench_error error;
    sens_status status;
    char text[TEXTS][80];
    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < TEXTS; i++) {
            snprintf(text[i], sizeof text[i], "int value(void);\nint value(void) { return %d; }\n", i);
            assert_int_equal(value_of(text[i], &compiled[i], &status, &error), i);
            assert_int_equal(compiled[i].was_kept, round);
        }
    for (int i = 0; i < TEXTS; i++) {
        int (*value)(void) = (int (*)(void))compiled_find(&compiled[i], "value");
        assert_int_equal(value(), i); /* all stay loaded, as often as each was */
        compiled_close(&compiled[i]);
    }
}

static void test_key_is_of_all_it_depends_on(void **state)
{
    static const char source[] = "int value(void);\n#ifdef __AVX2__\nint value(void) { return 2; }\n#else\n"
                                 "int value(void) { return 0; }\n#endif\n";
    struct place *place = *state;
    struct compiler compiler;
    struct compiled compiled;
    struct bench_error error;
    char key[5][COMPILE_KEY + 1];
    struct compile_request request = {source, "baseline", 2, 0};
    for (int i = 0; i < 5; i++) {
        if (i == 1) request.level = 3;
        if (i == 2) request.isa = "avx2";
        if (i == 3) fake_compiler(place, "exec gcc \"$@\"");
        if (i == 4) write_text(at(place, "fake"), "#!/bin/sh\n exec gcc \"$@\"\n", 0700);
        assert_int_equal(compiler_find(&compiler, &error), SENS_OK);
        assert_int_equal(compile_load(&compiler, &request, &compiled, &error), SENS_OK);
        int (*value)(void) = (int (*)(void))compiled_find(&compiled, "value");
        assert_int_equal(value(), i >= 2 ? 2 : 0); /* no instruction of that set is in it */
        memcpy(key[i], compiled.key, sizeof key[i]);
        compiled_close(&compiled);
        for (int j = 0; j < i; j++) assert_string_not_equal(key[i], key[j]);
    }
    request.isa = "sse9";
    assert_int_equal(compile_load(&compiler, &request, &compiled, &error), SENS_BAD_INPUT);
    request = (struct compile_request){source, "baseline", 1, 0};
    assert_int_equal(compile_load(&compiler, &request, &compiled, &error), SENS_BAD_INPUT);
}

/* An update of the compiler behind a script that stays the same. */
static void test_key_is_of_the_version(void **state)
{
    struct place *place = *state;
    char script[400];
    snprintf(script, sizeof script, "#!/bin/sh\n[ \"$1\" = --version ] && exec cat %s\nexec gcc \"$@\"\n",
             at(place, "version"));
    write_text(at(place, "fake"), script, 0700);
    setenv("CC", place->path, 1);
    write_text(at(place, "version"), "first line\nversion 1\n", 0600);
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
    assert_int_equal(value_is(answer, SENS_OK, true), 42);
    write_text(at(place, "version"), "first line\nversion 2\n", 0600);
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
}

static void test_nothing_is_kept(void **state)
{
    static const char *const off[] = {"", "none"};
    struct place *place = *state;
    for (size_t i = 0; i < 2; i++) {
        setenv("SENSBENCH_CACHE", off[i], 1);
        for (int again = 0; again < 2; again++) assert_int_equal(value_is(answer, SENS_OK, false), 42);
    }
    unsetenv("SENSBENCH_CACHE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
    setenv("HOME", "relative/home", 1);
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
    assert_int_equal(count_names(at(place, "tmp")), 0);
    assert_int_equal(count_names(place->base), 1); /* tmp */
}

static void test_where_it_is_kept(void **state)
{
    struct place *place = *state;
    unsetenv("SENSBENCH_CACHE");
    unsetenv("XDG_CACHE_HOME");
    umask(0);
    value_is(answer, SENS_OK, false);
    assert_int_equal(count_names(at(place, ".cache/sensbench")), 1);
    setenv("XDG_CACHE_HOME", at(place, "xdg"), 1);
    value_is(answer, SENS_OK, false);
    assert_int_equal(count_names(at(place, "xdg/sensbench")), 1);
    setenv("SENSBENCH_CACHE", at(place, "own/deep"), 1);
    value_is(answer, SENS_OK, false);
    assert_int_equal(count_names(at(place, "own/deep")), 1);
    value_is(answer, SENS_OK, true);
}

/* A blank, a line end, quotes, a dash in front, a percent sign, what a shell would obey. */
static void test_hostile_names(void **state)
{
    static const char *const name[] = {"a b",  "a\nb",     "'\"`$(touch x)`", "-rf",
                                       "%s%n", ";touch x", "\xff\xfe\x1b[2J"};
    struct place *place = *state;
    assert_int_equal(chdir(place->base), 0);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        setenv("SENSBENCH_CACHE", name[i], 1); /* relative: a dash is the first character */
        assert_int_equal(value_is(answer, SENS_OK, false), 42);
        assert_int_equal(value_is(answer, SENS_OK, true), 42);
        assert_int_equal(count_names(at(place, name[i])), 1);
    }
    assert_int_equal(access("x", F_OK), -1);
    char compiler[4200];
    snprintf(compiler, sizeof compiler, "%s/my 'tools'/-cc", place->base);
    mkdir(at(place, "my 'tools'"), 0700);
    write_text(compiler, "#!/bin/sh\nexec gcc \"$@\"\n", 0700);
    setenv("CC", compiler, 1);
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
    assert_int_equal(chdir("/"), 0);
}

static void test_long_names(void **state)
{
    static char home[6000];
    struct place *place = *state;
    unsetenv("SENSBENCH_CACHE");
    unsetenv("XDG_CACHE_HOME");
    memset(home, 'h', sizeof home - 1);
    for (size_t i = 0; i < sizeof home; i += 200) home[i] = '/';
    for (size_t length = sizeof home - 1; length > 4050; length -= 41) { /* PATH_MAX is 4096 */
        home[length] = '\0';
        setenv("HOME", home, 1);
        assert_int_equal(value_is(answer, SENS_UNAVAILABLE, false), -1);
    }
    setenv("SENSBENCH_CACHE", home, 1);
    assert_int_equal(value_is(answer, SENS_UNAVAILABLE, false), -1);
    for (size_t i = 0; i + 1 < sizeof home; i++) home[i] = i % 2 ? '.' : '/'; /* cut, it leads somewhere */
    memcpy(home, place->base, strlen(place->base));
    setenv("SENSBENCH_CACHE", home, 1);
    assert_int_equal(value_is(answer, SENS_UNAVAILABLE, false), -1);
    setenv("CC", home, 1);
    assert_int_equal(value_is(answer, SENS_UNAVAILABLE, false), -1);
    unsetenv("CC");
    setenv("PATH", home, 1);
    assert_int_equal(value_is(answer, SENS_UNAVAILABLE, false), -1);
}

static void test_which_compiler(void **state)
{
    struct place *place = *state;
    struct compiler compiler;
    struct bench_error error;
    fake_compiler(place, "exit 1"); /* base/fake */
    setenv("CC", "fake", 1);
    assert_int_equal(compiler_find(&compiler, &error), SENS_UNAVAILABLE);
    assert_non_null(strstr(error.text, "no compiler: CC is 'fake'"));
    setenv("PATH", place->base, 1);
    assert_int_equal(compiler_find(&compiler, &error), SENS_OK);
    assert_string_equal(compiler.path, at(place, "fake"));
    assert_string_equal(compiler.about, "fake");
    static const char *const unfit[] = {"fake -m32", "-o", "./fake", ""}; /* then the usual ones */
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        setenv("CC", unfit[i], 1);
        assert_int_equal(compiler_find(&compiler, &error), SENS_UNAVAILABLE);
        assert_non_null(strstr(error.text, "neither gcc nor cc nor clang"));
    }
    assert_int_equal(chdir(place->base), 0);
    write_text("clang", "#!/bin/sh\necho one\necho two\n", 0700);
    assert_int_equal(compiler_find(&compiler, &error), SENS_OK);
    assert_string_equal(compiler.about, "one");
    static const char *const nowhere[] = {"", ".", ":", "::.:", "relative"}; /* not even the current folder */
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        setenv("PATH", nowhere[i], 1);
        assert_int_equal(compiler_find(&compiler, &error), SENS_UNAVAILABLE);
    }
    mkdir("folder", 0700);
    setenv("CC", at(place, "folder"), 1);
    assert_int_equal(compiler_find(&compiler, &error), SENS_UNAVAILABLE);
    write_text("no_program", "", 0600);
    setenv("CC", at(place, "no_program"), 1);
    assert_int_equal(compiler_find(&compiler, &error), SENS_UNAVAILABLE);
    assert_int_equal(chdir("/"), 0);
}

/* What would change the object without being in its key does not reach the compiler. */
static void test_environment_of_the_compiler(void **state)
{
    struct place *place = *state;
    mkdir(at(place, "include"), 0700);
    setenv("CPATH", place->path, 1);
    setenv("C_INCLUDE_PATH", place->path, 1);
    write_text(at(place, "include/math.h"), "#error another math.h\n", 0600);
    assert_int_equal(
        value_is("#include <math.h>\nint value(void);\nint value(void) { return 1; }\n", SENS_OK, false), 1);
    unsetenv("CPATH");
    unsetenv("C_INCLUDE_PATH");
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter_place, leave_place)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_PLACE(test_a_text_becomes_functions),
                                       IN_PLACE(test_objects_are_not_confused),
                                       IN_PLACE(test_key_is_of_all_it_depends_on),
                                       IN_PLACE(test_key_is_of_the_version),
                                       IN_PLACE(test_nothing_is_kept),
                                       IN_PLACE(test_where_it_is_kept),
                                       IN_PLACE(test_hostile_names),
                                       IN_PLACE(test_long_names),
                                       IN_PLACE(test_which_compiler),
                                       IN_PLACE(test_environment_of_the_compiler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
