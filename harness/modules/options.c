/* What a table of options has to be, see options.h. */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keys.h"
#include "names.h"

struct asked { /* an option, and whose */
    const char *owner;
    const struct sens_option *table, *option;
    struct bench_error *error;
};

static bool refuse(const struct asked *asked, const char *why)
{
    return bench_refuse(asked->error, "%s: option '%s' %s", asked->owner, asked->option->name, why);
}

/* A cell takes its keys first, and of two options of one table the first. */
static bool check_name(const struct asked *asked)
{
    const char *const name = asked->option->name;
    if (!is_key(name))
        return refuse(asked, "is no name: letters, digits, _ and . only, a letter first, at most 63");
    if (bench_key_find(name)) return refuse(asked, "has the name of a key that every cell has");
    if (sens_option_find(asked->table, name) != (int)(asked->option - asked->table))
        return refuse(asked, "has the name of another option of the table");
    return true;
}

/* One line of a list. */
static bool check_help(const struct asked *asked)
{
    const char *const help = asked->option->help;
    if (!help) return refuse(asked, "lacks its help");
    return is_line(help) || refuse(asked, "has a control character in its text");
}

static bool refuse_choice(const struct asked *asked, const char *choice, const char *why)
{
    return bench_refuse(asked->error, "%s: option '%s': choice '%s' %s", asked->owner, asked->option->name,
                        choice, why);
}

static bool check_choices(const struct asked *asked)
{
    const struct sens_option *const option = asked->option;
    if (!option->choices || !option->choices[0]) return refuse(asked, "lacks its choices");
    const long count = sens_option_choices(option);
    for (long i = 0; i < count; i++) {
        if (!is_name(option->choices[i]))
            return refuse_choice(asked, option->choices[i],
                                 "is no name: letters, digits and _ . + - only, a letter or digit first, at "
                                 "most 63");
        for (long k = 0; k < i; k++)
            if (strcmp(option->choices[i], option->choices[k]) == 0)
                return refuse_choice(asked, option->choices[i], "is there twice");
    }
    const double fallback = option->fallback; /* a NaN is no index either */
    return (fallback >= 0 && fallback < (double)count && fallback == floor(fallback)) ||
           bench_refuse(asked->error,
                        "%s: option '%s': its default %g is the index of none of its %ld choices",
                        asked->owner, option->name, fallback, count);
}

/* Comparisons that a NaN does not pass. Beyond 2^53 doubles leave whole numbers out. */
static bool check_range(const struct asked *asked)
{
    static const double most = 9007199254740992;
    const struct sens_option *const option = asked->option;
    const double number[] = {option->min, option->fallback, option->max};
    static const char *const what[] = {"min", "default", "max"};
    if (!(option->min <= option->fallback && option->fallback <= option->max))
        return bench_refuse(asked->error, "%s: option '%s': its default %g is not from min %g to max %g",
                            asked->owner, option->name, option->fallback, option->min, option->max);
    for (int k = 0; k < 3 && option->kind == SENS_OPT_INT; k++)
        if (!(fabs(number[k]) <= most) || number[k] != floor(number[k]))
            return bench_refuse(asked->error,
                                "%s: option '%s': its %s %.17g is no whole number of at most 2^53",
                                asked->owner, option->name, what[k], number[k]);
    return true;
}

static bool check_kind(const struct asked *asked)
{
    switch (asked->option->kind) {
    case SENS_OPT_INT:
    case SENS_OPT_REAL:
        return check_range(asked);
    case SENS_OPT_CHOICE:
        return check_choices(asked);
    case SENS_OPT_DATA:
        return true;
    }
    return bench_refuse(asked->error, "%s: option '%s' is of a kind that this program does not know: %d",
                        asked->owner, asked->option->name, (int)asked->option->kind);
}

bool options_check(const char *owner, const struct sens_option *table, struct bench_error *error)
{
    for (const struct sens_option *option = table; option && option->name; option++) {
        const struct asked asked = {owner, table, option, error};
        if (!check_name(&asked) || !check_help(&asked) || !check_kind(&asked)) return false;
    }
    return true;
}
