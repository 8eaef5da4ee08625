/* contender/method.h - the method that a program is. */
#ifndef CONTENDER_METHOD_H
#define CONTENDER_METHOD_H

#include "link.h"
#include "sens/plugin.h"

enum { CONTENDER_PROTOCOL = 1 };

struct contender { /* type.data of its method; lives as long as the process */
    struct sens_method_type type;
    const struct sens_method_type *methods[2]; /* itself, and the end of the table */
    struct sens_plugin plugin;
    char *path, *library;
    double seconds; /* that one answer may take */
};

/* The first words with a program that was just started: *answer is what it says of itself, and is the caller's.
 * Statuses of link_ask. */
sens_status contender_greet(struct link *link, double seconds, json_t **answer, struct bench_error *error);

/* prepare, run, release and library of contender->type. */
void contender_functions(struct sens_method_type *type);

#endif
