/* derive/model/model.h - models from files, beside the problems that are written in C.
 *
 * The language is described in docs/models.md. A model is a struct sens_problem_type like any other: its
 * functions go through lists of operations (problems/program), which are written anew for the options of each
 * instance. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "equations.h"
#include "written.h"

struct model {
    struct sens_model head; /* first: what type->model points to */
    struct syntax syntax;
};

/* Reads a file. The caller gives it to model_destroy. NULL, with a message: not readable, or no model. */
struct model *model_read(const char *path, struct bench_error *error);
/* The same from text that has been read already. */
struct model *model_parse(const char *path, const char *text, size_t length, struct bench_error *error);
void model_destroy(struct model *model); /* NULL: nothing is done */

/* Can its equations be written with the defaults of its options? */
bool model_check(const struct model *model, struct bench_error *error);

/* *type has the functions of `written`, a type of some variant, and what the model says of itself. */
void model_type(const struct model *model, const struct sens_problem_type *written,
                struct sens_problem_type *type);

/* lower.c: what the outputs need, from ctx's arena. SENS_NO_MEMORY. */
sens_status model_lower(struct sens_ctx *ctx, const struct graph *graph, size_t outputs,
                        const graph_node *output, struct program *program);

/* ---- load.c: models become problems of every variant, until the program ends ---------------------------- */

/* A file, or all files *.ode of a folder in the order of their names. false: with a message. */
bool models_load(const char *path, struct bench_error *error);
/* The built-in folder, then those of SENSBENCH_MODELS, separated by colons. Once; before any --models. */
bool models_load_path(struct bench_error *error);

#endif
