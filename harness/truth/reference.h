/* harness/truth/reference.h - the store of reference solutions: one file a key in results/reference.
 *
 * A file is text lines `name: value` in a fixed order, then the payload: one number a line (`quantity row col
 * value`, 21 digits: the computed bits, more than agree) or, for more than REFERENCE_TEXT_MAX numbers,
 * little-endian IEEE doubles. The CRC-32 covers the lines before it and the payload, so that neither a number
 * nor what is said about it can change unnoticed. A fingerprint says of which problem and cost the solution
 * is, beside their names. */
#ifndef TRUTH_REFERENCE_H
#define TRUTH_REFERENCE_H

#include "fingerprint.h"
#include "locate.h"

enum { REFERENCE_TEXT_MAX = 3000 };
#define REFERENCE_DIGITS       14.0        /* agreed digits below which nothing is stored */
#define REFERENCE_DIGITS_STIFF 12.0        /* the same of the two implicit ways */
#define REFERENCE_STIFF        "Radau IIA" /* with which their generator begins */

#define REFERENCE_PARTS (SENS_PART_DGDX0 + 1) /* a file holds those of SENS_IN_FIRST, the first of the list */
_Static_assert(SENS_IN_FIRST == (1 << REFERENCE_PARTS) - 1, "what a reference holds leads the list of parts");

struct reference_digits { /* on which two independent computations agree */
    double entry;         /* worst entry, relative to the largest of its row, 1/100 of that of all at least */
    double norm;          /* relative, Frobenius */
};

struct reference {
    char key[256], problem[64], cost[64]; /* key: cell.reference_key */
    size_t n, np, m, rows;
    const size_t *row;               /* [rows] outputs, increasing */
    unsigned parts;                  /* which gradients there are: SENS_IN_* */
    SENS_RESULT_ARRAYS(long double); /* with `rows` outputs; NULL: not there */
    struct reference_digits digits[REFERENCE_PARTS];
    struct fingerprint print; /* read: count and value alone */
    char generator[256], check[1024], date[32], compiler[128];
};

/* Name and shape of a part; 0 rows where it is left out. How many numbers it has. */
struct sens_part_shape reference_part(const struct reference *ref, enum sens_part part);
size_t reference_count(const struct reference *ref, enum sens_part part);

/* Was it made for a stiff problem, by the two implicit ways? How many digits must have agreed. */
bool reference_is_stiff(const struct reference *ref);
double reference_least(const struct reference *ref);

/* Bits of the significand that it was computed with: 64, or REFERENCE_MOST_BITS. */
enum { REFERENCE_MOST_BITS = 113 };
int reference_bits(const struct reference *ref);

/* Allocates the arrays for the shape set in *ref. SENS_NO_MEMORY. */
sens_status reference_allocate(struct sens_ctx *ctx, struct reference *ref);

/* The file of a key in a folder: DIR/<problem>-<CRC-32 of the key>.ref. false when the name is too long. */
bool reference_path(const char *dir, const char *problem, const char *key, char *path, size_t size);

/* More than REFERENCE_TEXT_MAX numbers: the file holds doubles, and no more digits than these. */
#define REFERENCE_DOUBLE_DIGITS 15.9
bool reference_is_binary(const struct reference *ref);

/* Writes a temporary file beside path and renames it. */
bool reference_write(const char *path, const struct reference *ref, struct bench_error *error);

/* Reads one file, whatever it is of. SENS_NO_TRUTH: no such file. SENS_BAD_INPUT: refused, with file, line
 * and value in *error. Arrays from the arena. */
sens_status reference_read(struct sens_ctx *ctx, const char *path, struct reference *ref,
                           struct bench_error *error);

/* ---- reference_find.c: the reference of a cell --------------------------------------------------------- */

enum { REFERENCE_COMMAND = 1024 };

/* Where truth stores without --out: the first folder of SENSBENCH_REFERENCE. false: there is none. */
bool reference_folder(char dir[DATA_PATH]);

/* "to make one: " and the command that makes the reference of a cell, in dir (NULL: where truth stores, else
 * ./references), for a sample of so many rows (0: all). Where none can make it, why. */
void reference_advice(const struct cell *cell, const char *dir, size_t rows, char text[REFERENCE_COMMAND]);

/* The reference of a cell from dir, or (NULL) from the first folder that has one of its key: those of
 * SENSBENCH_REFERENCE, separated by colons, then the program's own, installed or else in the source tree.
 * SENS_NO_TRUTH: there is none; SENS_BAD_INPUT: damaged, or of another problem. Both with the command that
 * makes one. */
sens_status reference_find(struct sens_ctx *ctx, const struct cell *cell, const char *dir,
                           char path[DATA_PATH], struct reference *ref, struct bench_error *error);

#endif
