/* What a table of options has to be: the tables of the tree are, and each fault is refused by name and value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keys.h"
#include "modules.h"
#include "options.h"
#include "testing.h"

static void check(const char *kind, const char *name, const struct sens_option *table)
{
    struct bench_error error = {.text = ""};
    char owner[128];
    snprintf(owner, sizeof owner, "%s '%s'", kind, name);
    if (!options_check(owner, table, &error)) fail_msg("%s", error.text);
}

static void tables_of_the_tree(void **state)
{
    (void)state;
    for (const struct sens_registry *const *variant = variant_all(); *variant; variant++) {
        const struct sens_registry *const reg = *variant;
        size_t problems = 0, costs = 0, methods = 0;
        for (; reg->problems[problems]; problems++)
            check("problem", reg->problems[problems]->name, reg->problems[problems]->options);
        for (; reg->costs[costs]; costs++) check("cost", reg->costs[costs]->name, reg->costs[costs]->options);
        for (; reg->methods[methods]; methods++)
            check("method", reg->methods[methods]->name, reg->methods[methods]->options);
        assert_true(problems > 0 && costs > 0 && methods > 0);
        check("cost", reg->own->name, reg->own->options);
        check("problem", reg->written->name, reg->written->options);
    }
}

static const char *const choices[] = {"one", "two", NULL}, *const unnamed[] = {"one", "", NULL},
                         *const twice[] = {"one", "two", "one", NULL}, *const none[] = {NULL};
/* What others are made of. */
static const struct sens_option good_int = {.name = "steps",
                                            .kind = SENS_OPT_INT,
                                            .fallback = 20,
                                            .min = 1,
                                            .max = 1e6,
                                            .help = "equal steps"},
                                good_choice = {.name = "form",
                                               .kind = SENS_OPT_CHOICE,
                                               .fallback = 1,
                                               .choices = choices,
                                               .help = "which"};

static bool is_taken(struct sens_option option, struct bench_error *error)
{
    const struct sens_option table[] = {
        {.name = "other", .kind = SENS_OPT_DATA, .help = "a file"}, option, SENS_OPTIONS_END};
    return options_check("plugin a.so: method 'mine'", table, error);
}

static void takes(struct sens_option option)
{
    struct bench_error error = {.text = ""};
    if (!is_taken(option, &error)) fail_msg("%s", error.text);
}

/* The message names the owner and the option, and says `why`. */
static void refuses(struct sens_option option, const char *why)
{
    struct bench_error error = {.text = ""};
    char begin[128];
    snprintf(begin, sizeof begin, "plugin a.so: method 'mine': option '%s'", option.name);
    if (is_taken(option, &error)) fail_msg("taken: %s", why);
    if (strncmp(error.text, begin, strlen(begin)) != 0 || !strstr(error.text, why))
        fail_msg("'%s' is not: %s ... %s", error.text, begin, why);
}

static struct sens_option named(const char *name)
{
    struct sens_option option = good_int;
    option.name = name;
    return option;
}

static struct sens_option ranged(enum sens_option_kind kind, double min, double fallback, double max)
{
    struct sens_option option = good_int;
    option.kind = kind, option.min = min, option.fallback = fallback, option.max = max;
    return option;
}

static struct sens_option chosen(double fallback, const char *const *words)
{
    struct sens_option option = good_choice;
    option.fallback = fallback, option.choices = words;
    return option;
}

static void names(void **state)
{
    (void)state;
    takes(good_int);
    takes(named("a.b_2"));
    refuses(named("other"), "has the name of another option of the table");
    refuses(named("a=b c"), "is no name");
    refuses(named(""), "is no name");
    for (const struct bench_key *key = bench_keys(); key->name; key++)
        refuses(named(key->name), "has the name of a key that every cell has");
}

static void helps_and_kinds(void **state)
{
    (void)state;
    struct sens_option option = good_int;
    option.help = NULL;
    refuses(option, "lacks its help");
    option.help = "two\nlines";
    refuses(option, "has a control character in its text");
    refuses(ranged((enum sens_option_kind)77, 1, 2, 3), "is of a kind that this program does not know: 77");
}

static void ranges(void **state)
{
    (void)state;
    takes(ranged(SENS_OPT_REAL, 0.5, 0.5, 0.5));
    takes(ranged(SENS_OPT_REAL, -INFINITY, 0.5, INFINITY));
    takes(ranged(SENS_OPT_INT, -9007199254740992, 0, 9007199254740992));
    for (enum sens_option_kind kind = SENS_OPT_INT; kind <= SENS_OPT_REAL; kind++) {
        refuses(ranged(kind, 3, 2, 2), "its default 2 is not from min 3 to max 2");
        refuses(ranged(kind, 3, 3, 2), "its default 3 is not from min 3 to max 2");
        refuses(ranged(kind, 1, 0, 2), "its default 0 is not from min 1 to max 2");
        refuses(ranged(kind, 1, NAN, 2), "its default nan is not from min 1 to max 2");
        refuses(ranged(kind, NAN, 1, 2), "its default 1 is not from min nan to max 2");
        refuses(ranged(kind, 1, 1, NAN), "its default 1 is not from min 1 to max nan");
    }
    refuses(ranged(SENS_OPT_INT, 0.5, 1, 2), "its min 0.5 is no whole number");
    refuses(ranged(SENS_OPT_INT, 0, 1.5, 2), "its default 1.5 is no whole number");
    refuses(ranged(SENS_OPT_INT, 0, 1, INFINITY), "its max inf is no whole number");
    refuses(ranged(SENS_OPT_INT, 0, 1, 1e19), "its max 1e+19 is no whole number");
}

static void choices_of_options(void **state)
{
    (void)state;
    takes(good_choice);
    takes(chosen(0, choices));
    refuses(chosen(2, choices), "its default 2 is the index of none of its 2 choices");
    refuses(chosen(-1, choices), "its default -1 is the index of none");
    refuses(chosen(0.5, choices), "its default 0.5 is the index of none");
    refuses(chosen(NAN, choices), "its default nan is the index of none");
    refuses(chosen(0, NULL), "lacks its choices");
    refuses(chosen(0, none), "lacks its choices");
    refuses(chosen(0, unnamed), "choice '' is no name");
    refuses(chosen(0, twice), "choice 'one' is there twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_the_tree), cmocka_unit_test(names),
        cmocka_unit_test(helps_and_kinds),    cmocka_unit_test(ranges),
        cmocka_unit_test(choices_of_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
