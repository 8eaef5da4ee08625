/* sens/option.h - the option tables of problems, costs and methods.
 *
 * A module lists its options once; the command line, sweep files, `show`, the man page and the shell
 * completion are all made from that table. Values arrive validated, in the order of the table. */
#ifndef SENS_OPTION_H
#define SENS_OPTION_H

#include <stdbool.h>
#include <stddef.h>

enum sens_option_kind {
    SENS_OPT_INT,    /* whole number in [min, max] */
    SENS_OPT_REAL,   /* real number in [min, max] */
    SENS_OPT_CHOICE, /* one of `choices`; the value is its index */
    SENS_OPT_DATA /* a file of numbers, apart by blanks, commas or line ends, # before a comment; the value is all of
                        them in order, whatever they are, count 0 when not given */
};

struct sens_option {
    const char *name;
    enum sens_option_kind kind;
    double fallback; /* the default: a number, or the index of a choice */
    double min, max;
    const char *const *choices; /* NULL-terminated; NULL unless SENS_OPT_CHOICE */
    const char *help;           /* one line: meaning, unit */
};

#define SENS_OPTIONS_END                                                                                     \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

struct sens_value {
    double number;      /* SENS_OPT_INT, REAL; the index for CHOICE */
    const double *data; /* SENS_OPT_DATA, owned by the caller and alive as long as the instance */
    size_t count;
    /* Of an option of a cost: the file had a header line. With the n states and these quantities of the problem
     * (type->observe) as z_1 ... z_w, rows of 2 + 2 w numbers
     *     t, weight, z_1 ... z_w (NaN: not measured), sigma_1 ... sigma_w (NaN: not given)
     * t never falls and is in [t0, t1], weight >= 0, sigma > 0. */
    bool measured;
    size_t quantities;
    const size_t *quantity; /* [quantities] their numbers */
};

/* What a row of data has values of: the n states of the problem and the quantities; and the numbers of a row. */
static inline size_t sens_value_measurable(const struct sens_value *value, size_t n)
{
    return n + value->quantities;
}
static inline size_t sens_value_row(const struct sens_value *value, size_t n)
{
    return value->measured ? 2 + 2 * sens_value_measurable(value, n) : 1 + n;
}

/* Entries before the terminator; 0 for NULL. */
size_t sens_option_count(const struct sens_option *table);

/* The number of its choices; 0: it is of another kind. */
long sens_option_choices(const struct sens_option *option);

/* Fills value[sens_option_count(table)] with the defaults. */
void sens_option_defaults(const struct sens_option *table, struct sens_value *value);

/* Index of `name` in the table, or -1. */
int sens_option_find(const struct sens_option *table, const char *name);

#endif
