/* Are S and S0 of a closed form the derivatives of its x? And is the discrete form that of the steps? */
#include <string.h>

#include "exact.h"
#include "scene.h"

enum { STEPS = 5, FINE = 1000, COARSE = 16, MOST_COLUMNS = 32, SHAKES = 4 };

/* ---- directions ---------------------------------------------------------------------------------------- */

struct path { /* x of the form along p + s dp, x0 + s dx0 */
    const struct form *form;
    const double *dp, *dx0; /* NULL: not moved */
    struct form *moved;     /* workspace: the form without S and S0, with its own p and x0 */
    double *p, *x0;
};

static void path_create(const struct form *form, struct path *path)
{
    struct verify *v = form->subject->v;
    *path = (struct path){.form = form,
                          .moved = verify_memory(v, 1, sizeof *path->moved),
                          .p = verify_copy(v, form->pb.np, form->pb.p),
                          .x0 = verify_copy(v, form->pb.n, form->pb.x0)};
    *path->moved = *form;
    path->moved->with_S = path->moved->with_S0 = false;
    path->moved->pb.x0 = path->x0;
}

static bool path_value(const void *self, double s, bool shaken, double *out)
{
    const struct path *path = self;
    const struct sens_problem *pb = &path->form->pb;
    const double t = path->form->query.t;
    for (size_t k = 0; path->dp && k < pb->np; k++) path->p[k] = pb->p[k] + s * path->dp[k];
    for (size_t i = 0; path->dx0 && i < pb->n; i++) path->x0[i] = pb->x0[i] + s * path->dx0[i];
    return shaken ? form_shaken(path->moved, t, path->p, out) : form_value(path->moved, t, path->p, out);
}

/* Some forms know the initial state from p, or by heart: they cannot be moved. */
static bool follows_x0(struct path *path)
{
    const struct sens_problem *pb = &path->form->pb;
    double *x = verify_array(path->form->subject->v, pb->n);
    for (size_t i = 0; i < pb->n; i++) path->x0[i] = pb->x0[i] + path->dx0[i];
    const bool has = form_value(path->moved, pb->t0, pb->p, x);
    for (size_t i = 0; has && i < pb->n; i++)
        if (!(fabs(x[i] - path->x0[i]) <= 1e-3 * fabs(path->dx0[i]))) return false;
    return has;
}

/* ---- S and S0 ------------------------------------------------------------------------------------------ */

static const char *level_name(enum sens_exact_level level)
{
    return level == SENS_EXACT_PDE ? "PDE" : level == SENS_EXACT_ODE ? "ODE" : "discrete";
}

/* M d [n] for M [n][cols], and its magnitude. */
static void multiply(size_t n, size_t cols, const double *M, const double *d, double *out, double *size)
{
    for (size_t q = 0; q < n * cols; q++) {
        out[q / cols] += M[q] * d[q % cols];
        size[q / cols] += fabs(M[q] * d[q % cols]);
    }
}

/* The form's derivative along the path, M d, against differences of its x. */
static void note_path(struct worst *worst, const struct path *path, const double *M, size_t cols,
                      const char *what, size_t number)
{
    struct verify *v = path->form->subject->v;
    const size_t n = path->form->pb.n;
    const struct curve curve = {v, n, path_value, path, false, NULL, 0};
    double *want = verify_array(v, n), *bound = verify_array(v, n), *got = verify_array(v, n);
    double *size = verify_array(v, n);
    curve_slope(&curve, 0.1, want, bound);
    multiply(n, cols, M, path->dp ? path->dp : path->dx0, got, size);
    for (size_t i = 0; i < n; i++)
        if (isfinite(bound[i]))
            worst_note(worst, fabs(got[i] - want[i]), bound[i] + 64 * DBL_EPSILON * size[i],
                       "level %s, dx_%zu along %s %zu: %.10g, differences give %.10g",
                       level_name(path->form->query.level), i, what, number, got[i], want[i]);
}

static double step_of(double at)
{
    return at != 0 ? fabs(at) : 1;
}

/* Along each of `cols` coordinates (or as many as there is time for), then along `at` itself. */
static void note_coordinates(struct worst *worst, struct path *path, const double *at, size_t cols,
                             const double *M, bool parameters)
{
    struct verify *v = path->form->subject->v;
    double *d = verify_array(v, cols);
    const size_t stride = cols / MOST_COLUMNS + 1;
    *(parameters ? &path->dp : &path->dx0) = d;
    for (size_t k = 0; k <= cols; k += k == cols || k + stride < cols ? stride : cols - k) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        for (size_t j = 0; j < cols; j++) d[j] = k == cols ? at[j] : j == k ? step_of(at[k]) : 0;
        if (parameters || follows_x0(path)) note_path(worst, path, M, cols, parameters ? "p" : "x0", k);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

static void note_level(struct worst *worst, const struct subject *subject, enum sens_exact_level level)
{
    const struct sens_problem *pb = subject->pb;
    const double span = pb->t1 - pb->t0;
    struct sens_exact_query query = {.level = level, .t = pb->t0 + span * 0.75};
    struct form form;
    struct path path;
    if (level == SENS_EXACT_DISCRETE)
        query.tableau = verify_formula(subject->v, "rk4"), query.dt = span / FINE;
    if (level == SENS_EXACT_DISCRETE && !query.tableau) return;
    if (!form_create(subject, &query, pb->p, &form)) return;
    double *z = verify_array(subject->v, form_size(&form));
    form_value(&form, query.t, pb->p, z);
    path_create(&form, &path);
    if (form.with_S) note_coordinates(worst, &path, pb->p, pb->np, z + pb->n, true);
    path_create(&form, &path);
    if (form.with_S0 && !sens_problem_x0_depends(pb))
        note_coordinates(worst, &path, pb->x0, pb->n, z + pb->n + pb->n * pb->np, false);
}

bool exact_check_derivative(const struct subject *subject, const char *check)
{
    static const enum sens_exact_level level[] = {SENS_EXACT_PDE, SENS_EXACT_ODE, SENS_EXACT_DISCRETE};
    struct worst worst = {.count = 0};
    for (size_t k = 0; k < sizeof level / sizeof *level; k++) note_level(&worst, subject, level[k]);
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, &worst);
    if (worst.count == 0) verify_say(&result, "no closed form, or none that can be moved");
    verify_blame(&result, CAUSE_closed_form_wrong, 1);
    verify_close(subject->v, &result);
    return result.verdict != VERIFY_FAIL;
}

/* ---- the discrete form --------------------------------------------------------------------------------- */

struct walk { /* a few plain steps, as a function of p */
    const struct subject *subject;
    const struct sens_tableau *tableau;
    double dt;
    const double *dp;
    struct rk_step *step;
};

static bool walk_value(const void *self, double s, bool shaken, double *x)
{
    const struct walk *walk = self;
    struct verify *v = walk->subject->v;
    struct sens_problem pb = *walk->subject->pb;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    double *p = verify_copy(v, pb.np, pb.p);
    for (size_t k = 0; walk->dp && k < pb.np; k++) p[k] += s * walk->dp[k];
    pb.p = shaken ? verify_shaken(v, pb.np, p) : p;
    sens_problem_x0(&pb, pb.p, x);
    if (shaken) memcpy(x, verify_shaken(v, pb.n, x), pb.n * sizeof *x);
    bool ok = true;
    for (int k = 0; ok && k < STEPS; k++) {
        ok = rk_step(&pb, walk->tableau, pb.t0 + k * walk->dt, walk->dt, x, walk->step) == SENS_OK;
        if (ok) memcpy(x, walk->step->x1, pb.n * sizeof *x);
    }
    sens_arena_rewind(&v->ctx.arena, mark);
    return ok;
}

static void note_state(struct worst *worst, const struct walk *walk, const double *z)
{
    struct verify *v = walk->subject->v;
    const size_t n = walk->subject->pb->n;
    double *x = verify_array(v, n), *moved = verify_array(v, n), *spread = verify_array(v, n);
    if (!walk_value(walk, 0, false, x)) return;
    for (int k = 0; k < SHAKES; k++) {
        if (!walk_value(walk, 0, true, moved)) continue;
        for (size_t i = 0; i < n; i++) spread[i] = fmax(spread[i], fabs(moved[i] - x[i]));
    }
    for (size_t i = 0; i < n; i++)
        worst_note(worst, fabs(x[i] - z[i]),
                   8 * spread[i] + 8 * STEPS * walk->tableau->stages * DBL_EPSILON * fabs(x[i]),
                   "%s, component %zu: %.10g, plain steps give %.10g", walk->tableau->name, i, z[i], x[i]);
}

static void note_column(struct worst *worst, struct walk *walk, size_t k, const double *S)
{
    struct verify *v = walk->subject->v;
    const struct sens_problem *pb = walk->subject->pb;
    const struct curve curve = {v, pb->n, walk_value, walk, false, NULL, 0};
    double *d = verify_array(v, pb->np), *want = verify_array(v, pb->n), *bound = verify_array(v, pb->n);
    d[k] = step_of(pb->p[k]);
    walk->dp = d;
    curve_slope(&curve, 0.1, want, bound);
    for (size_t i = 0; i < pb->n; i++)
        if (isfinite(bound[i]))
            worst_note(worst, fabs(S[i * pb->np + k] * d[k] - want[i]),
                       bound[i] + 64 * DBL_EPSILON * fabs(want[i]), "%s, dx_%zu/dp_%zu", walk->tableau->name,
                       i, k);
}

/* With steps that are one of so many parts of the interval. */
static void note_discrete(struct worst *worst, const struct subject *subject, const char *tableau, int parts)
{
    const struct sens_problem *pb = subject->pb;
    const double dt = (pb->t1 - pb->t0) / parts;
    const struct sens_exact_query query = {SENS_EXACT_DISCRETE, pb->t0 + STEPS * dt,
                                           verify_formula(subject->v, tableau), dt};
    struct form form;
    if (!query.tableau || !form_create(subject, &query, pb->p, &form)) return;
    struct rk_step step = rk_step_create(subject->v, query.tableau, pb->n);
    struct walk walk = {subject, query.tableau, dt, NULL, &step};
    double *z = verify_array(subject->v, form_size(&form));
    form_value(&form, query.t, pb->p, z);
    note_state(worst, &walk, z);
    for (size_t k = 0; form.with_S && k < pb->np; k += pb->np / MOST_COLUMNS + 1)
        note_column(worst, &walk, k, z + pb->n);
}

bool exact_check_discrete(const struct subject *subject, const char *check)
{
    struct worst worst = {.count = 0};
    note_discrete(&worst, subject, "euler", FINE);
    note_discrete(&worst, subject, "rk4", FINE);
    /* More stages than its order: the last powers of h of its map are its own, and show in long steps alone. */
    note_discrete(&worst, subject, "dopri5", COARSE);
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, &worst);
    if (worst.count == 0) verify_say(&result, "the problem has no closed form of the discrete map");
    verify_blame(&result, CAUSE_closed_form_wrong, 0.8);
    verify_blame(&result, CAUSE_rhs_itself, 0.3);
    verify_close(subject->v, &result);
    return result.verdict != VERIFY_FAIL;
}
