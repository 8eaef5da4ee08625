/* sens/sensbench.h - sensbench as a library: a problem, a method, results. Link with libsensbench.
 *
 *     struct sensbench *sb = sensbench_create();
 *     sensbench_set(sb, "problem", "glv");
 *     sensbench_set(sb, "method", "discrete_adjoint");
 *     sensbench_set(sb, "tol", "1e-9");
 *     if (sensbench_run(sb) != SENS_OK) fprintf(stderr, "%s\n", sensbench_message(sb));
 *     const double *G = sensbench_array(sb, "G", &rows, &cols);
 *     sensbench_destroy(sb);
 *
 * A handle is a list of settings, those of `sensbench run`, and after a run its results. Whatever fails returns a
 * status, with a sentence in sensbench_message; results are there only after SENS_OK. Nothing is printed, nothing ends
 * the process, no thread is pinned to a core.
 *
 * Threads: different handles may be used by different threads at the same time; one handle by one thread at a time.
 * Methods and derivative products of other libraries (PETSc, SUNDIALS, GSL, ADOL-C, ...) take turns. What is loaded
 * (sensbench_load, and what SENSBENCH_MODELS and SENSBENCH_PLUGIN name) belongs to the process and stays.
 *
 * Arrays are double, row-major. An array or a text that a handle gives is the handle's: it stays as it is until the
 * handle is set, prepared, run or destroyed. */
#ifndef SENS_SENSBENCH_H
#define SENS_SENSBENCH_H

#include <stddef.h>

#include "sens/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sensbench;

/* "0.1.0"; lives as long as the process. */
const char *sensbench_version(void);

/* A handle without settings, for sensbench_destroy. NULL: no memory. */
struct sensbench *sensbench_create(void);
void sensbench_destroy(struct sensbench *sb); /* NULL: nothing is done */

/* A model (FILE.ode), a folder of models, or a module (FILE.so, sens/plugin.h), for all handles of the process. A path
 * that has been loaded is refused, for its names are taken. SENS_BAD_INPUT; SENS_NO_MEMORY. */
sens_status sensbench_load(struct sensbench *sb, const char *path);

/* One setting, as KEY=VALUE of `sensbench run`: problem, method, cost, tol, tableau, options of the problem, of the
 * cost (data=FILE) and of the method, ... A later value replaces the earlier one; value NULL: the default again. Both
 * texts are copied. SENS_BAD_INPUT: no key, or no value of one; what the value means is judged by sensbench_prepare.
 * SENS_NO_MEMORY. */
sens_status sensbench_set(struct sensbench *sb, const char *key, const char *value);

/* The parameters (key "p", np numbers) or the initial state ("x0", n numbers) in place of the nominal ones. Copied;
 * value NULL: the nominal ones again. SENS_BAD_INPUT: another key, or a number that is not finite; a wrong count, or an
 * x0 that depends on p, is told by sensbench_prepare. SENS_NO_MEMORY. */
sens_status sensbench_set_numbers(struct sensbench *sb, const char *key, size_t count, const double *value);

/* Puts the problem, its cost and the method together: afterwards sizes, names, p and x0 are known. SENS_BAD_INPUT,
 * SENS_UNAVAILABLE (built without a library), SENS_UNSUPPORTED, SENS_NO_MEMORY. */
sens_status sensbench_prepare(struct sensbench *sb);

/* Prepares where a setting has changed, solves and differentiates once. Any status. */
sens_status sensbench_run(struct sensbench *sb);

/* Of the last call that returned a status; SENS_OK and "" before any, and after success. */
sens_status sensbench_status(const struct sensbench *sb);
const char *sensbench_message(const struct sensbench *sb);

/* After sensbench_prepare:   p [np][1]   x0 [n][1]
 * After sensbench_run:       x [n][1] at t1   G [m][1]   dGdp [m][np]   dGdx0 [m][n]
 * NULL, and 0 rows and columns: not there, or not asked for (wrt). rows and cols may be NULL. Does not change the
 * status. */
const double *sensbench_array(const struct sensbench *sb, const char *name, size_t *rows, size_t *cols);

/* A number by its name: n, np, m, t1, rtol, atol after sensbench_prepare; the columns of results/FORMAT.md that a run
 * without timing fills after sensbench_run: steps, rejects, n_rhs, n_vjp, n_jvp, bytes_traj, ... NaN: not known. */
double sensbench_number(const struct sensbench *sb, const char *name);

/* The name of a state (kind "x", index < n) or a parameter ("p", index < np), after sensbench_prepare: of a model that
 * of its file, else of the option that sets it, else x[3] or p[3]. NULL: there is none. */
const char *sensbench_name(const struct sensbench *sb, const char *kind, size_t index);

#ifdef __cplusplus
}
#endif

#endif
