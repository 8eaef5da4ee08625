/* derive/model/writer.h - what writing out expressions (write.c) and declarations (equations.c) share. */
#ifndef MODEL_WRITER_H
#define MODEL_WRITER_H

#include "equations.h"

struct shape { /* of an array; a scalar has no index and one element */
    size_t indices, count;
    long first[MODEL_INDICES], last[MODEL_INDICES];
};

struct array { /* a parameter, state or quantity */
    struct shape shape;
    graph_node *element; /* [shape.count]; what an expression means by it */
};

struct writer {
    const struct syntax *syntax;
    const struct sens_value *option;
    const struct equation_limits *limits;
    struct graph *graph;
    struct array *array; /* [syntax->arrays] */
    graph_node *local;   /* [syntax->locals] values of indices and arguments, where they have one */
    size_t steps, depth, elements;
    struct sens_arena *arena;
    struct bench_error *error;
    bool failed;
};

/* The first failure stays; false. */
bool writer_refuse(struct writer *writer, struct text_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The node of an expression; GRAPH_ZERO after a failure. */
graph_node writer_write(struct writer *writer, const struct expression *expression);

/* Of what is known before the run: a number, or a whole one. what: "the end of a range". */
bool writer_number(struct writer *writer, const struct expression *expression, const char *what,
                   long double *number);
bool writer_whole(struct writer *writer, const struct expression *expression, const char *what, long *number);

/* The element that a list of indices names, in a shape. */
bool writer_element(struct writer *writer, const struct symbol *symbol, const struct shape *shape,
                    const struct expression *indices, struct text_place place, size_t *element);

/* Calls `each` for every element of the ranges, the last running fastest, with the indices that have a name
 * set. false: failed, or `each` did. */
bool writer_each(struct writer *writer, const struct range *ranges,
                 bool (*each)(void *self, const long *index), void *self);

/* ---- equations.c, masses.c and terms.c --------------------------------------------------------------------------- */

struct making {
    struct writer writer;
    struct equations *made;
    size_t states, parameters; /* elements so far */
    size_t state_room, p_room;
    const struct declaration *declaration;
    const struct expression *value; /* the next of a list; NULL: one for all */
    bool listed;
    size_t element;
    bool *defined;  /* [n] has an equation */
    bool *implicit; /* [n] has an implicit part; NULL: none has */
};

/* Zeroed, from the arena of the equations; NULL: failed. */
void *making_memory(struct making *making, size_t count, size_t size);

/* The number of the state that a statement is about, with these values of its indices. */
bool making_state(struct making *making, const struct declaration *about, const long *index, size_t *state);

bool making_masses(struct making *making);
bool making_interval(struct making *making);
bool making_costs(struct making *making);
bool making_initial(struct making *making);

#endif
