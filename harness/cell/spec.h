/* harness/cell/spec.h - keys and their values, as given. */
#ifndef CELL_SPEC_H
#define CELL_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "keys.h"
#include "refuse.h"

enum { SPEC_MAX = 48 };
struct spec_pair {
    char *key, *value;
    char *origin; /* "command line" or "fig2.sweep:12", for messages */
};
struct spec_numbers { /* instead of a file of numbers; NULL: none */
    double *owned;    /* by whoever made the spec; [count], finite */
    size_t count;
};
struct spec { /* pairs in the order given; a later value of a key replaces the earlier */
    struct spec_pair pair[SPEC_MAX];
    size_t count;
    struct spec_numbers p, x0; /* in the place of the keys params and x0 */
};
bool spec_set(struct spec *spec, const char *key, const char *value, const char *origin,
              struct bench_error *error);
void spec_unset(struct spec *spec, const char *key);            /* as if it had never been set */
const char *spec_get(const struct spec *spec, const char *key); /* NULL when not set */
bool spec_copy(struct spec *to, const struct spec *from);
void spec_free(struct spec *spec);
/* "key=value key=value ..." sorted by key: the identity of a cell, for --resume. malloc'ed; NULL without
 * memory. */
char *spec_identity(const struct spec *spec);

#endif
