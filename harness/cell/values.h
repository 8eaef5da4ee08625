/* harness/cell/values.h - from the text of a value to what it stands for, and what may be written. */
#ifndef CELL_VALUES_H
#define CELL_VALUES_H

#include "sens/context.h"
#include "sens/option.h"
#include "sens/status.h"

#include "files.h"
#include "spec.h"

/* Refuses a pair: "ORIGIN: KEY=VALUE: reason". Returns false. */
bool refuse_pair(struct bench_error *error, const struct spec_pair *pair, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct key_value {
    double number;
    int word; /* index in key->words; -1: it is the number */
};
/* The value of a harness key (not KEY_NAME, KEY_FILE), in its range. */
bool key_value(const struct bench_key *key, const struct spec_pair *pair, struct key_value *value,
               struct bench_error *error);

/* The value of an option; the numbers of a file go to the arena. SENS_BAD_INPUT, SENS_NO_MEMORY. */
sens_status option_value(struct sens_ctx *ctx, const struct sens_option *option, const struct spec_pair *pair,
                         struct sens_value *value, struct bench_error *error);

/* The numbers of the file that a pair names, in the arena. SENS_BAD_INPUT, SENS_NO_MEMORY. */
sens_status pair_numbers(struct sens_ctx *ctx, const struct spec_pair *pair, struct numbers_wanted wanted,
                         const double **number, size_t *count, struct bench_error *error);

/* What may be written: "whole number from 1 to 1000", "fixed | dependent", "FILE". Returns text. */
enum { RANGE_TEXT = 256 };
const char *key_range(const struct bench_key *key, char text[RANGE_TEXT]);
const char *option_range(const struct sens_option *option, char text[RANGE_TEXT]);

/* A value as it would be written on the command line: "5", "fixed"; "" for data not given. Returns text. */
const char *option_text(const struct sens_option *option, double number, char text[RANGE_TEXT]);

/* The shortest decimal that reads back as the same double. Returns text. */
enum { NUMBER_TEXT = 32 };
const char *number_text(double number, char text[NUMBER_TEXT]);

#endif
