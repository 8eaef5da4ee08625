/* harness/cell/labels.h - the names of states and parameters. */
#ifndef CELL_LABELS_H
#define CELL_LABELS_H

#include "refuse.h"
#include "sens/problem.h"

struct labels {             /* texts of the arena, or of the problem's type */
    const char **state;     /* [n] */
    const char **parameter; /* [np] */
    size_t quantities;      /* that can be measured beside the states; of models alone */
    const char *const *quantity;
};

/* Of a model those of its file. Of a problem in C: an option of which p_k, and nothing else, is the value is the name
 * of p_k, and likewise of an initial value; what has no such option is p[k] or x[i]. SENS_NO_MEMORY. */
sens_status labels_find(struct sens_ctx *ctx, const struct sens_problem *pb, struct labels *labels);

/* Bytes of the first item of a list that commas separate, but for those inside of brackets: c[2,1]. */
size_t labels_item(const char *text);

/* Where the name of so many bytes stands; count: nowhere, with a message that begins with `flag`. */
size_t labels_place(const char *flag, const char *text, size_t length, size_t count, const char *const *name,
                    struct bench_error *error);

/* A choice among names: "A,B", each once; NULL: all. The indices are the arena's. SENS_BAD_INPUT with a message that
 * begins with `flag` and names the nearest; SENS_NO_MEMORY. */
struct selection {
    size_t count;
    const size_t *index; /* [count] in the order given */
};
sens_status labels_select(struct sens_ctx *ctx, const char *flag, const char *text, size_t count,
                          const char *const *name, struct selection *selection, struct bench_error *error);

#endif
