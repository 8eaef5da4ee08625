/* harness/modules/modules.h - what can be asked for by name: of the compiled instruction sets, and of
 * modules from outside the tree. */
#ifndef MODULES_MODULES_H
#define MODULES_MODULES_H

#include <stdbool.h>

#include "refuse.h"
#include "sens/plugin.h"
#include "sens/provider.h"
#include "sens/registry.h"

/* NULL-terminated, best last. */
const struct sens_registry *const *variant_all(void);
bool variant_supported(const struct sens_registry *variant); /* by this CPU */
/* "auto" = the best supported. NULL and a message when unknown, not built or unsupported. */
const struct sens_registry *variant_find(const char *isa, struct bench_error *error);
/* "auto" or a name that some build has: it is refused only as not available here. */
bool variant_known(const char *isa);

/* Loads an out-of-tree module (sens/plugin.h) and adds what it offers to every variant, until the program
 * ends. To be called before any registry is looked at. false: not loadable, not such a module, or a name that
 * is taken. */
bool plugin_load(const char *path, struct bench_error *error);
/* Those that SENSBENCH_PLUGIN names: files, and the files *.so of folders. */
bool plugin_load_path(struct bench_error *error);
/* The same of a module that is not loaded: *plugin and what it names live as long as the program; path names it in
 * messages, and what it offers is noted as `from` (below). */
struct input;
bool plugin_add(const char *path, const struct sens_plugin *plugin, const struct input *from,
                struct bench_error *error);
/* The parts of the loaded modules that were compiled to be recorded (sens/recorded.h), part < count: tables of
 * problems and costs whose numbers have 128 bits. */
size_t recorded_parts(void);
const struct sens_plugin *recorded_part(size_t part);

/* A problem that is read when it is asked for: until then its name is known, and nothing else. */
struct waiting_problem {
    const char *name;
    /* Adds the problem to the tables of every variant (variants.h); false and a message where it cannot. */
    bool (*read)(struct waiting_problem *problem, struct bench_error *error);
    const char *given; /* the file, where the command line has named it or its folder; else NULL */
    enum { PROBLEM_WAITS, PROBLEM_READ, PROBLEM_REFUSED } state;
    struct bench_error refusal; /* PROBLEM_REFUSED: it is not read again */
    struct waiting_problem *next;
};
/* The caller's, which lives as long as the process; behind those that wait already. */
void problem_wait(struct waiting_problem *problem);
struct waiting_problem *waiting_problems(void); /* the first; NULL: none */
bool waiting_read(struct waiting_problem *problem, struct bench_error *error);
/* All that wait under this name: to be called before find_problem. true also where none does. */
bool problem_read(const char *name, struct bench_error *error);
/* What --models has to name for this problem to be there; NULL: nothing. */
const char *problem_given(const char *name);
/* Is there a problem of this name, read or not? */
bool problem_known(const char *name);

/* Files that decide what the program computes, and were loaded: modules, models, programs of contenders. What one of
 * them offers is known by the pair of a cell that asks for it: problem=NAME, cost=NAME, method=NAME, and so on. */
enum { INPUT_SUM = 9 };
struct input {
    const char *path;
    char sum[INPUT_SUM];    /* the CRC-32 of what was loaded, in hexadecimal; "-": it could not be read */
    bool read_again;        /* by every run: what it holds then is what counts */
    const char *key, *name; /* "problem", "glv" */
    const struct input *next;
};
/* Of what the file holds now. */
void input_sum(const char *path, char sum[INPUT_SUM]);
/* Whoever loads a file notes what it offers; key and name are copied. false: no memory. */
bool input_note(const struct input *from, const char *key, const char *name, struct bench_error *error);
const struct input *input_find(const char *key, const char *name); /* NULL: a part of the program */

/* Adds providers of the program itself (a table that ends with NULL) to every variant; likewise before any
 * registry is looked at. false: no memory. */
bool providers_add(const struct sens_provider *const *table);
/* NULL: there is none of this name. */
const struct sens_provider *find_provider(const char *name);

const struct sens_problem_type *find_problem(const struct sens_registry *reg, const char *name);
const struct sens_cost_type *find_cost(const struct sens_registry *reg, const char *name);
const struct sens_method_type *find_method(const struct sens_registry *reg, const char *name);
const struct sens_tableau *find_tableau(const struct sens_registry *reg, const char *name);
const struct sens_controller *find_controller(const struct sens_registry *reg, const char *name);
const struct sens_ckpt_policy *find_policy(const struct sens_registry *reg, const char *name);

#endif
