/* harness/modules/keys.h - the keys that every cell has. */
#ifndef MODULES_KEYS_H
#define MODULES_KEYS_H

/* A key that every cell has, beside the options of its problem, cost and method. One table (keys.c) serves
 * the command line, sweep files, help, the man page and the completion. */
enum bench_key_kind { KEY_NAME, KEY_WORD, KEY_INT, KEY_REAL, KEY_REALS, KEY_FILE };
struct bench_key {
    const char *name, *fallback, *unit, *help;
    enum bench_key_kind kind;
    double min, max;          /* KEY_INT, KEY_REAL, KEY_REALS: one number, or a file with more */
    const char *const *words; /* taken besides a number; all values of KEY_WORD; NULL-terminated, or NULL */
    unsigned caps;            /* SENS_CAP_* a method needs to take notice of it; 0: none */
};
const struct bench_key *bench_keys(void); /* ends with name == NULL */
/* NULL: none is of this name. */
const struct bench_key *bench_key_find(const char *name);

#endif
