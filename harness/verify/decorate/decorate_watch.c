/* A problem and a cost that look at what is asked of them; every call that the contract allows is handed on. */
#include "decorate_watch.h"

#include <float.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

/* More lanes or points than this are no number of anything: a negative one, or one that was never set. */
static const size_t MOST = (size_t)1 << 24;

struct watched { /* what a decoration keeps */
    struct watch *watch;
    double t0, t1;
};

/* ---- what is noted ------------------------------------------------------------------------------------- */

static void note(struct watch *watch, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first alone is put in words. */
static void note(struct watch *watch, const char *format, ...)
{
    va_list arguments;
    if (atomic_fetch_add(&watch->broken, 1) > 0) return;
    va_start(arguments, format);
    vsnprintf(watch->first, sizeof watch->first, format, arguments);
    va_end(arguments);
}

struct numbers { /* `count` of them, named in words */
    const char *name;
    const double *v;
    size_t count;
};

/* Are they there, and aligned? */
static bool look_at(struct watch *watch, const char *call, struct numbers of)
{
    if (of.count == 0 || (of.v && (uintptr_t)of.v % alignof(double) == 0)) return true;
    note(watch, "%s: %s is %s", call, of.name, of.v ? "not aligned as numbers are" : "NULL");
    return false;
}

static bool overlap(struct numbers a, struct numbers b)
{
    const uintptr_t from_a = (uintptr_t)a.v, from_b = (uintptr_t)b.v;
    const uintptr_t to_a = from_a + a.count * sizeof(double), to_b = from_b + b.count * sizeof(double);
    return a.count && b.count && from_a < to_b && from_b < to_a;
}

static bool look_apart(struct watch *watch, const char *call, struct numbers out, struct numbers in)
{
    if (!look_at(watch, call, in)) return false;
    if (overlap(out, in)) note(watch, "%s: %s and %s share memory", call, out.name, in.name);
    return true;
}

static bool look_at_size(struct watch *watch, const char *call, const char *name, size_t size)
{
    if (size <= MOST) return true;
    note(watch, "%s: %s = %zu", call, name, size);
    return false;
}

/* t + c_i h and t1 - s are rounded once or twice. */
static void look_at_time(const struct watched *w, const char *call, double t)
{
    const double slack = 16 * DBL_EPSILON * fmax(fabs(w->t0), fabs(w->t1));
    if (t >= w->t0 - slack && t <= w->t1 + slack) return;
    note(w->watch, "%s: t = %.10g is not in [%.10g, %.10g]", call, t, w->t0, w->t1);
}

static bool apart_from_point(const struct watched *w, const char *call, const struct sens_at *at, size_t n,
                             size_t np, struct numbers out)
{
    return look_apart(w->watch, call, out, (struct numbers){"x", at->x, n}) &&
           look_apart(w->watch, call, out, (struct numbers){"p", at->p, np});
}

/* (t, x, p), apart from what is written. */
static bool look_at_point(const struct watched *w, const char *call, const struct sens_at *at, size_t n,
                          size_t np, struct numbers out)
{
    if (!at) {
        note(w->watch, "%s: no point", call);
        return false;
    }
    look_at_time(w, call, at->t);
    return look_at(w->watch, call, out) && apart_from_point(w, call, at, n, np, out);
}

/* ---- a problem ----------------------------------------------------------------------------------------- */

static bool asks_well(const struct sens_problem *pb, const char *call, const struct sens_at *at, size_t count,
                      const double *out)
{
    return look_at_point(pb->data, call, at, pb->n, pb->np, (struct numbers){"the output", out, count});
}

static bool columns_exist(const struct sens_problem *pb, const char *call, size_t k0, size_t L)
{
    const struct watched *w = pb->data;
    if (!look_at_size(w->watch, call, "L", L)) return false;
    if (k0 <= pb->np && L <= pb->np - k0) return true;
    note(w->watch, "%s: k0 = %zu, L = %zu, and there are np = %zu columns", call, k0, L, pb->np);
    return false;
}

static sens_status watch_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    if (!asks_well(pb, "rhs", at, pb->n, dx)) return SENS_RHS_FAILED;
    return pb->inner->type->rhs(pb->inner, at, dx);
}

static bool vectors_exist(const struct sens_problem *pb, const char *call, const struct sens_at *at, size_t L,
                          const double *V, const double *OUT)
{
    const struct watched *w = pb->data;
    const struct numbers out = {"the output", OUT, pb->n * L};
    return look_at_size(w->watch, call, "L", L) && asks_well(pb, call, at, pb->n * L, OUT) &&
           look_apart(w->watch, call, out, (struct numbers){"the vectors", V, pb->n * L});
}

static void watch_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    if (vectors_exist(pb, "vjp", at, L, W, OUT)) pb->inner->type->vjp(pb->inner, at, L, W, OUT);
}

static void watch_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    if (vectors_exist(pb, "jvp", at, L, V, OUT)) pb->inner->type->jvp(pb->inner, at, L, V, OUT);
}

static void watch_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                             double *OUT)
{
    if (columns_exist(pb, "jvp_p_cols", k0, L) && asks_well(pb, "jvp_p_cols", at, pb->n * L, OUT))
        pb->inner->type->jvp_p_cols(pb->inner, at, k0, L, OUT);
}

static void watch_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                              const double *p, size_t L, const double *W, double *MU)
{
    static const char call[] = "vjp_p_batch";
    const struct watched *w = pb->data;
    if (!look_at_size(w->watch, call, "K", K) || !look_at_size(w->watch, call, "L", L)) return;
    const struct numbers out = {"the output", MU, pb->np * L};
    if (!look_at(w->watch, call, out) || !look_apart(w->watch, call, out, (struct numbers){"t", t, K}) ||
        !look_apart(w->watch, call, out, (struct numbers){"X", X, K * pb->n}) ||
        !look_apart(w->watch, call, out, (struct numbers){"p", p, pb->np}) ||
        !look_apart(w->watch, call, out, (struct numbers){"W", W, K * pb->n * L}))
        return;
    for (size_t k = 0; k < K; k++) look_at_time(w, call, t[k]);
    pb->inner->type->vjp_p_batch(pb->inner, K, t, X, p, L, W, MU);
}

static void watch_rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *OUT)
{
    if (asks_well(pb, "rhs_t", at, pb->n, OUT)) pb->inner->type->rhs_t(pb->inner, at, OUT);
}

/* ---- the initial state --------------------------------------------------------------------------------- */

/* Does the state depend on p, and are the numbers there? */
static bool initial_exists(const struct sens_problem *pb, const char *call, const double *p, size_t count,
                           const double *out)
{
    struct watch *watch = ((const struct watched *)pb->data)->watch;
    if (pb->x0_fixed) note(watch, "%s: the initial state is held (x0_fixed)", call);
    const struct numbers to = {"the output", out, count};
    return look_at(watch, call, to) && look_apart(watch, call, to, (struct numbers){"p", p, pb->np});
}

static void watch_x0(const struct sens_problem *pb, const double *p, double *x)
{
    if (initial_exists(pb, "x0", p, pb->n, x)) pb->inner->type->x0(pb->inner, p, x);
}

static void watch_x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W,
                         double *MU)
{
    const struct watched *w = pb->data;
    const struct numbers out = {"the output", MU, pb->np * L};
    if (look_at_size(w->watch, "x0_vjp", "L", L) && initial_exists(pb, "x0_vjp", p, pb->np * L, MU) &&
        look_apart(w->watch, "x0_vjp", out, (struct numbers){"W", W, pb->n * L}))
        pb->inner->type->x0_vjp(pb->inner, p, L, W, MU);
}

static void watch_x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L,
                              double *OUT)
{
    if (columns_exist(pb, "x0_jvp_cols", k0, L) && initial_exists(pb, "x0_jvp_cols", p, pb->n * L, OUT))
        pb->inner->type->x0_jvp_cols(pb->inner, p, k0, L, OUT);
}

/* ---- what is declared ---------------------------------------------------------------------------------- */

static size_t entries(const struct sens_pattern *pattern, size_t dense)
{
    return pattern ? pattern->start[pattern->rows] : dense;
}

static void watch_jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    const size_t count = entries(pb->structure->sparsity, pb->n * pb->n);
    if (asks_well(pb, "jacobian", at, count, J)) pb->inner->structure->jacobian(pb->inner, at, J);
}

static void watch_jacobian_p(const struct sens_problem *pb, const struct sens_at *at, double *value)
{
    const size_t count = entries(pb->structure->sparsity_p, pb->n * pb->np);
    if (asks_well(pb, "jacobian_p", at, count, value)) pb->inner->structure->jacobian_p(pb->inner, at, value);
}

void decorate_watch(struct verify *v, const struct sens_problem *inner, struct watch *watch,
                    struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {
        .type = {.rhs = watch_rhs,
                 .vjp = watch_vjp,
                 .jvp = watch_jvp,
                 .jvp_p_cols = watch_jvp_p_cols,
                 .vjp_p_batch = watch_vjp_p_batch,
                 .rhs_t = watch_rhs_t,
                 .x0 = watch_x0,
                 .x0_vjp = watch_x0_vjp,
                 .x0_jvp_cols = watch_x0_jvp_cols},
        .structure = {.jacobian = watch_jacobian, .jacobian_p = watch_jacobian_p}};
    struct watched *w = verify_memory(v, 1, sizeof *w);
    *w = (struct watched){watch, inner->t0, inner->t1};
    sens_problem_decorate(inner, &with, w, verify_memory(v, 1, sizeof(struct sens_decorated_problem)),
                          problem);
}

/* ---- a cost -------------------------------------------------------------------------------------------- */

/* Are there such lanes, such an observation, such a state, such an output? */
static bool cost_asks_well(const struct sens_cost *cost, const struct cost_call *call)
{
    static const char *const name_of[] = {"phi", "phi_dx", "phi_dp", "g", "g_dx", "g_dp"};
    const struct watched *w = decorate_own(cost);
    const char *const name = name_of[call->slot];
    const struct numbers out = {"the output", call->out, cost_call_rows(cost, call) * call->L};
    if (!look_at_size(w->watch, name, "c0", call->c0) || !look_at_size(w->watch, name, "L", call->L))
        return false;
    if (!cost_call_is_observed(call)) {
        if (!isfinite(call->w)) note(w->watch, "%s: the weight w is %g", name, call->w);
        return look_at_point(w, name, call->at, cost->n, cost->np, out);
    }
    if (call->j >= cost->n_obs) {
        note(w->watch, "%s: j = %zu, and there are %zu observations", name, call->j, cost->n_obs);
        return false;
    }
    return look_at(w->watch, name, out) && apart_from_point(w, name, call->at, cost->n, cost->np, out);
}

static void watch_cost(const struct sens_cost *cost, const struct cost_call *call)
{
    if (cost_asks_well(cost, call)) cost_call(cost->inner, call);
}

void decorate_watch_cost(struct verify *v, const struct sens_cost *inner, double t0, double t1,
                         struct watch *watch, struct sens_cost *cost)
{
    struct watched *w = verify_memory(v, 1, sizeof *w);
    *w = (struct watched){watch, t0, t1};
    decorate_wrap_cost(v, inner, watch_cost, w, cost);
}
