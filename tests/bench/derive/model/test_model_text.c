/* harness/derive/model: what is no model is refused with its place, in words, and with the line. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "testing.h"

/* Three lines of a model; what a case adds begins in line 4. */
#define HEAD "model m \"x\"\nstate x = 1\ninterval 0 .. 1\n"

/* Reads and writes out; the message, or "". */
static void message_of(const char *text, struct bench_error *error)
{
    error->text[0] = error->shown[0] = '\0';
    struct model *model = model_parse("m.ode", text, strlen(text), error);
    if (model && model_check(model, error)) error->text[0] = '\0';
    model_destroy(model);
}

static const struct {
    const char *text, *message;
    unsigned caret; /* column of the caret below the line; 0: the line is empty */
} refused[] = {
    {"", "1:1: expected model NAME \"what it is\" as the first statement, found the end of the file", 1},
    {"interval 0 .. 1", "1:1: expected model NAME \"what it is\" as the first statement, found 'interval'",
     1},
    {"model m", "1:8: expected one line in \"\" that says what the model is, found the end of the file", 8},
    {"model m \"x\"\n", "1:1: the model has no state", 1},
    {"model m \"x\"\nstate x = 1\nx' = 1",
     "1:1: the model has no interval; add a line such as interval 0 .. 10", 1},
    {"model m \"x", "1:9: the text that begins here has no closing \" on its line", 9},
    {HEAD, "2:7: the state 'x' has no equation x' = ...", 7},
    /* words */
    {HEAD "x' = 1 @ 2", "4:8: '@' means nothing here", 8},
    {HEAD "# \xc3\xbc\nx' = \"\xc3\xbc\xc3\xbc\" $",
     "5:6: expected a number, a name or '(', found the text \"\xc3\xbc\xc3\xbc\"", 6},
    {HEAD "x' = \xc3\xbc", "4:6: the character with code 195 may stand in comments and texts alone", 6},
    {HEAD "x' = 2x", "4:6: a number ends where a letter begins: a product is written 2*x...", 6},
    {HEAD "x' = 1e999", "4:6: 1e999 is larger than the largest number, 1.8e308", 6},
    {HEAD "interval 1 .. 2", "4:10: the interval is given twice", 10},
    /* expressions */
    {HEAD "x' = (1 + x", "4:12: expected ')', found the end of the file", 12},
    {HEAD "x' = -x +\n", "4:10: expected a number, a name or '(', found the end of the file", 10},
    {HEAD "x' = 1 +* 2", "4:9: expected a number, a name or '(', found '*'", 9},
    {HEAD "x' = 1 2", "4:8: expected the end of the line, found '2'", 8},
    {HEAD "x' = if x < 1 then 2", "4:21: expected 'else', found the end of the file", 21},
    {HEAD "x' = if x then 2 else 3", "4:9: expected a condition such as x < 1, found a number", 9},
    {HEAD "x' = 1 + (x < 2)",
     "4:10: expected a number, found a condition; if C then A else B makes one of it", 10},
    {HEAD "x' = not x", "4:10: expected a condition such as x < 1, found a number", 10},
    {HEAD "x' = sin(x, 2)", "4:6: 'sin' takes 1 argument(s), found 2", 6},
    {HEAD "x' = sum(1, 2)", "4:10: expected an index and its range, such as i in 1 .. n, found '1'", 10},
    {HEAD "x' = x(1)", "4:7: 'x' is no function; a product is written x*(...)", 7},
    {HEAD "x' = x[1]", "4:7: 'x' is one number and takes no index", 7},
    /* names */
    {HEAD "x' = -k*x", "4:7: nothing above declares 'k'", 7},
    {HEAD "parameter beta = 1\nx' = bet", "5:6: nothing above declares 'bet'; did you mean 'beta'?", 6},
    {HEAD "q = q + 1", "4:5: nothing above declares 'q'", 5},
    {HEAD "x' = w\nw = 1", "4:6: nothing above declares 'w'", 6},
    {HEAD "state x = 2", "4:7: 'x' is declared already, in line 2", 7},
    {HEAD "parameter T = 2", "4:11: 'T' is declared already, as the end of the interval", 11},
    {HEAD "parameter in = 2", "4:11: 'in' is a word of the language and cannot be the name of a parameter",
     11},
    {HEAD "f(a, a) = a", "4:6: 'a' is declared already, as an index or argument", 6},
    {HEAD "cost a = final(x)\ncost a = at(1, x)", "5:6: there is a cost 'a' already, in line 4", 6},
    {HEAD "y' = 1", "4:1: 'y' is no state: nothing above declares it as one", 1},
    {HEAD "y 1", "4:3: expected = (a quantity), ( (a function) or ' (an equation), found '1'", 3},
    /* options */
    {HEAD "option integer n = 1.5", "4:16: the option 'n' is a whole number below 1000000000, 1.5 is not one",
     16},
    {HEAD "option real q = 1 in 2 .. 3", "4:13: the default 1 of 'q' is not in 2 .. 3", 13},
    {HEAD "option n = 1", "4:8: expected integer or real behind option, found 'n'", 8},
    {HEAD "parameter a[1 .. 2] = 1 in 0 .. 2",
     "4:25: a range is given to a single number alone, which is an option then", 25},
    /* arrays */
    {HEAD "x' = 1\nstate y[1 .. 3] = 1, 2\ny'[i in 1 .. 3] = 0",
     "5:7: 'y' has 3 elements, 2 values are given", 7},
    {HEAD "x' = 1\nstate y[1 .. 3] = 1\ny'[i in 1 .. 3] = y[i + 1]",
     "6:19: 'y' has no element 4: its index 1 is 1 .. 3", 19},
    {HEAD "x' = 1\nstate y[1 .. 3] = 1\ny'[i in 1 .. 2] = y[i]",
     "5:7: the state 'y' has elements without an equation y'[...] = ...", 7},
    {HEAD "x' = 1\nstate y[1 .. 3] = 1\ny'[i in 0 .. 3] = 1",
     "6:1: 'y' has no element 0: its index 1 is 1 .. 3", 1},
    {HEAD "x' = 1\nstate y[1 .. 2] = 1\ny'[i in 1 .. 2] = 1\ny'[2] = 3",
     "7:1: the element of 'y' with index 2 has two equations", 1},
    {HEAD "x' = 1\nx' = 2", "5:1: the state 'x' has two equations", 1},
    {HEAD "state y[1 .. 2] = 1\nx' = y", "5:7: expected '[', found the end of the file", 7},
    {HEAD "state y[1 .. 2] = 1\nx' = y[1, 2]", "5:6: 'y' takes 1 index, found 2", 6},
    {HEAD "state y[1 .. 2] = 1\ny' = 2", "5:1: the state 'y' has 1 index, its equation has no index", 1},
    {HEAD "q[3 .. 1] = 1\nx' = 1", "4:3: the range 3 .. 1 of 'q' is empty", 3},
    {HEAD "q[1 .. x] = 1\nx' = 1",
     "4:8: the end of a range is made of numbers, options and indices alone, not of t, states or parameters",
     8},
    {HEAD "q[1 .. 1.5] = 1\nx' = 1",
     "4:8: the end of a range is a whole number below 1000000000, here it is 1.5", 8},
    {HEAD "q[i in 1 .. 2, i in 1 .. 2] = 1", "4:27: the index 'i' is there twice", 27},
    {HEAD "q[i in 1 .. 2, j in i .. 2] = 1", "4:21: nothing above declares 'i'", 21},
    /* what is known before the run */
    {HEAD "x' = 1/0", "4:8: this is known before the run, and it is not finite", 8},
    {HEAD "x' = mod(x, 2)",
     "4:10: what mod takes is made of numbers, options and indices alone, not of t, states or parameters",
     10},
    {HEAD "x' = mod(1, 0)", "4:6: the second argument of mod is 0", 6},
    {HEAD "x' = 1\nstate y = x\ny' = 1",
     "5:7: an initial value is made of numbers, options and parameters, not of t or states", 7},
    {HEAD "x' = 1\nstate y = t\ny' = 1",
     "5:7: an initial value is made of numbers, options and parameters, not of t or states", 7},
    {HEAD "parameter a = x + 1\nx' = 1",
     "4:15: the nominal value of a parameter is made of numbers, options and indices alone, not of t, states "
     "or "
     "parameters",
     15},
    {"model m \"x\"\nstate x = 1\nx' = 1\ninterval 1 .. 1", "4:10: the end 1 of the interval is not behind 1",
     10},
    /* costs and known values */
    {HEAD "x' = 1\ncost a = integral(x) + 3",
     "5:24: expected final(...), at(TIME, ...) or integral(...), found '3'", 24},
    {HEAD "x' = 1\ncost a = at(2, x)", "5:13: the time 2 is not in 0 .. 1", 13},
    {HEAD "x' = 1\nknown y = 1", "5:7: expected the name of a state, found 'y'", 7},
    {HEAD "x' = 1\nknown (q = 1) x = 1", "5:8: expected the name of an option declared above, found 'q'", 8},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        struct bench_error error;
        char expected[1100];
        message_of(refused[k].text, &error);
        snprintf(expected, sizeof expected, "m.ode:%s", refused[k].message);
        assert_string_equal(error.text, expected);
        const char *caret = strchr(error.shown, '\n');
        assert_non_null(caret);
        assert_int_equal(strcspn(caret + 1, "^"), 4 + refused[k].caret - 1);
    }
}

static void test_the_line_is_shown(void **state)
{
    struct bench_error error;
    (void)state;
    message_of(HEAD "\tx' = 1 $ 2 # no dollar", &error);
    assert_string_equal(error.shown, "     x' = 1 $ 2 # no dollar\n            ^");
    char longest[400] = HEAD "x' = ";
    for (int k = 0; k < 60; k++) strcat(longest, "1 + ");
    strcat(longest, "zzz + 1");
    message_of(longest, &error);
    assert_string_equal(strrchr(error.text, ':'), ": nothing above declares 'zzz'");
    const char *caret = strchr(error.shown, '\n') + 1;
    assert_memory_equal(error.shown + strcspn(caret, "^"), "zzz", 3);
}

/* What would take all memory or all time is refused in words. */
static void test_limits(void **state)
{
    static const struct {
        const char *text, *message;
    } large[] = {
        {HEAD "q[1 .. 100000, 1 .. 100000] = 1\nx' = 1", "have more than 4000000 elements"},
        {HEAD "x' = sum(i in 1 .. 10000, j in 1 .. 10000, 0)", "takes more than 30000000 steps"},
        {HEAD "x' = sum(i in 1 .. 9000000, sin(x + i))", "more than 8000000 operations"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof large / sizeof large[0]; k++) {
        struct bench_error error;
        message_of(large[k].text, &error);
        if (!strstr(error.text, large[k].message))
            fail_msg("'%s' is not in '%s'", large[k].message, error.text);
    }
    char *deep = calloc(1, 4000);
    struct bench_error error;
    strcpy(deep, HEAD "x' = ");
    memset(deep + strlen(deep), '(', 1000);
    message_of(deep, &error);
    assert_non_null(strstr(error.text, "nested more than 100 deep"));
    free(deep);
}

static void test_functions_of_functions(void **state)
{
    char *text = calloc(1, 60000);
    struct bench_error error;
    (void)state;
    strcpy(text, HEAD "f0(a) = a\n");
    for (int k = 1; k < 1200; k++) sprintf(text + strlen(text), "f%d(a) = f%d(a)\n", k, k - 1);
    strcat(text, "x' = f1199(x)\n");
    message_of(text, &error);
    assert_non_null(strstr(error.text, "functions call each other too deeply"));
    free(text);
}

static const struct sens_option *option_named(const struct syntax *syntax, const char *name)
{
    const int at = sens_option_find(syntax->options, name);
    assert_true(at >= 0);
    return &syntax->options[at];
}

/* Comments, lines that go on, texts in parts, options made of numbers. */
static void test_what_is_read(void **state)
{
    static const char text[] = "\n# a comment\n  model  m  \"what\"  # and one more\nsource \"a\" \"b\"\n"
                               "source \"c\"\r\nparameter a = -1.5e-1 in -1 .. 1 \"help\"\n"
                               "parameter b[1 .. 2] = 2,\n   3\nstate x = 1\ninterval 0 .. 10\n"
                               "x' = a*x +\n  (b[1]\n*2)\ncost c = final(x)";
    struct bench_error error = {.text = ""};
    (void)state;
    struct model *model = model_parse("m.ode", text, sizeof text - 1, &error);
    assert_string_equal(error.text, "");
    assert_non_null(model);
    const struct syntax *syntax = &model->syntax;
    assert_string_equal(syntax->name, "m");
    assert_string_equal(syntax->summary, "what");
    assert_string_equal(syntax->source, "a b c");
    assert_int_equal(syntax->n_options, 3);
    const struct sens_option *a = option_named(syntax, "a"), *x = option_named(syntax, "x"),
                             *T = option_named(syntax, "T");
    assert_true(a->fallback == -0.15 && a->min == -1 && a->max == 1 && x->fallback == 1 && T->fallback == 10);
    assert_string_equal(a->help, "help");
    assert_true(model_check(model, &error));
    model_destroy(model);
}

/* A locale whose numbers have a comma changes nothing; where there is none, there is nothing to see. */
static void test_numbers_have_a_point(void **state)
{
    static const char text[] = HEAD "parameter a = 1.25\nx' = a";
    struct bench_error error;
    (void)state;
    const locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
    if (!comma) skip();
    const locale_t before = uselocale(comma);
    struct model *model = model_parse("m.ode", text, sizeof text - 1, &error);
    uselocale(before);
    freelocale(comma);
    assert_non_null(model);
    assert_true(option_named(&model->syntax, "a")->fallback == 1.25);
    model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_the_line_is_shown),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_functions_of_functions),
        cmocka_unit_test(test_what_is_read), cmocka_unit_test(test_numbers_have_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
