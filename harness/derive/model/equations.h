/* derive/model/equations.h - a model with given values of its options, written out as operations.
 *
 *     M x' = f(t, x, p),  x(t0) = x0(p),  G_c = sum_j phi_c(t_j, x(t_j), p) + int g_c dt
 *
 * All of it stands in one graph. States and parameters are numbered in the order of the file, elements of an
 * array with its last index running fastest. */
#ifndef MODEL_EQUATIONS_H
#define MODEL_EQUATIONS_H

#include "syntax.h"

struct mass_entry { /* of M; the place of its statement */
    size_t row, col;
    double value;
    struct text_place place;
};

struct equations {
    struct graph *graph;
    size_t n, np;
    double t0, t1;
    double *p;              /* [np] nominal */
    double *x0;             /* [n] at p */
    graph_node *f;          /* [n] */
    graph_node *f_implicit; /* [n] f_I, 0 where nothing is said; NULL: f is not split */
    bool has_mass;          /* M is given, and is not I */
    size_t masses;
    struct mass_entry *mass; /* [masses] by rows, those that are not 0 */
    graph_node *initial;     /* [n] */
    bool x0_depends;         /* initial depends on p */
    size_t m, n_obs;
    double *t_obs;       /* [n_obs], increasing */
    bool at_end;         /* the last of them is the end of the interval, whatever that will be */
    graph_node *phi;     /* [n_obs][m] */
    graph_node *g;       /* [m]; NULL: no cost has an integral */
    struct array *array; /* [syntax->arrays], writer.h */
    graph_node *local;   /* [syntax->locals] scratch */
    struct sens_arena arena;
};

struct equation_limits {
    size_t steps;    /* of writing out */
    size_t elements; /* of all arrays */
    size_t nodes;
};
/* 4 million elements; 30 million steps, a few seconds; 8 million operations, half a gigabyte. */
extern const struct equation_limits equations_usual;

/* option: in the order of syntax->options. *equations is to be destroyed when it succeeds. */
bool equations_write(const struct syntax *syntax, const struct sens_value *option,
                     const struct equation_limits *limits, struct equations *equations,
                     struct bench_error *error);
void equations_destroy(struct equations *equations);

/* How many elements all quantities of the file have; and the node of one, by its number in the order of the file,
 * elements with the last index running fastest. */
size_t equations_quantities(const struct equations *equations, const struct syntax *syntax);
graph_node equations_quantity(const struct equations *equations, const struct syntax *syntax, size_t number);

/* The place in x of a known value of the same file and options. */
bool equations_known(struct equations *equations, const struct syntax *syntax,
                     const struct sens_value *option, const struct known_value *known, size_t *state,
                     struct bench_error *error);

#endif
