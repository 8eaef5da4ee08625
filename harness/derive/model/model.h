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
    struct sens_model head;     /* first: what type->model points to */
    struct sens_model implicit; /* of its implicit part */
    struct syntax syntax;
};

/* Reads a file. The caller gives it to model_destroy. NULL, with a message: not readable, or no model. */
struct model *model_read(const char *path, struct bench_error *error);
/* The same from text that has been read already. */
struct model *model_parse(const char *path, const char *text, size_t length, struct bench_error *error);
/* Its name alone, from the first statement of the file. false, with a message. */
bool model_name(const char *path, char name[MODEL_NAME], struct bench_error *error);
void model_destroy(struct model *model); /* NULL: nothing is done */

/* Can its equations be written with the defaults of its options? */
bool model_check(const struct model *model, struct bench_error *error);

/* *type has the functions of `written`, a type of some variant, and what the model says of itself. */
void model_type(const struct model *model, const struct sens_problem_type *written,
                struct sens_problem_type *type);

/* lower.c: what the outputs need, from ctx's arena. SENS_NO_MEMORY. */
sens_status model_lower(struct sens_ctx *ctx, const struct graph *graph, size_t outputs,
                        const graph_node *output, struct program *program);

/* names.c: of the elements of states and parameters, see struct sens_model. */
sens_status model_names(struct sens_ctx *ctx, const struct sens_model *head, const struct sens_value *option,
                        struct program_names *names);

/* ---- load.c: models become problems of every variant, until the program ends ---------------------------- */

/* Of all files *.ode of a folder, in the order of their names, the name alone: each is read when it is asked
 * for (problem_read, modules.h), and refused then if it is no model. Where its first statement cannot be read,
 * the name of the file stands for that of the model. A file is read at once. false, with a message: the path
 * or the file cannot be read, or a name is taken. */
bool models_load(const char *path, struct bench_error *error);
/* The built-in folder, then the folders and files of SENSBENCH_MODELS, separated by colons, of which no file
 * is read at once. Once; before any --models. */
bool models_load_path(struct bench_error *error);

#endif
