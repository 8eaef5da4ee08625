/* A closed form against the equations it is to solve, its own derivatives, and the problem's identities:
 *
 *     x' = f,   S' = J S + f_p,   S0' = J S0,   x(t0) = x0,   S(t0) = dx0/dp,   S0(t0) = I
 *     S = dx/dp,   S0 = dx/dx0
 *     the discrete form is the map of a few plain Runge-Kutta steps */
#include <string.h>

#include "exact.h"

static const struct verify_check checks[] = {
    {.id = "exact.equation",
     .summary = "the closed form of the ODE satisfies it, with S and S0 the variational equations",
     .bound = "truncation and rounding of extrapolated differences in t, estimated for each component; at t0 "
              "2e-11 of a number's size there and 15 % of the interval later",
     .explanation =
         "The closed form is differentiated numerically in t, near t0 and later, multiplied by M where the "
         "problem has a mass matrix, and compared with rhs; its derivatives S and S0 are compared with J S + "
         "f_p and J S0; and all are compared with their values at t0. With a mass matrix M S0 is compared in "
         "place of S0: at t0 an algebraic equation may have replaced a state that was given. Together these "
         "determine the solution, so that closed form, rhs and products confirm one another. If only S fails "
         "while the products agree with rhs, the closed form's derivative is wrong; if x itself fails, "
         "either the closed form or rhs is."},
    {.id = "exact.derivative",
     .summary = "S and S0 of the closed forms are the derivatives of their x in p and x0",
     .bound = "truncation and rounding of extrapolated central differences, estimated for each entry",
     .explanation =
         "The closed form's x is differentiated numerically in each parameter and initial value, at every "
         "level that the problem answers, and compared with its S and S0. Where moving one number leaves the "
         "family for which the form holds, all parameters are scaled together. No rhs takes part: a failure "
         "is one of the closed form."},
    {.id = "exact.discrete",
     .summary = "the closed form of the discrete map is that of plain Runge-Kutta steps",
     .bound = "rounding of the steps, measured at shaken inputs; truncation of extrapolated differences in p",
     .explanation = "A few steps are made with plain loops for Euler's method, the classical Runge-Kutta "
                    "method and the pair of Dormand and Prince, which has more stages than its order, and "
                    "their result and its derivative in p are compared with what the problem says the "
                    "discrete map gives. Look at the stability function and the number of steps."},
    {.id = "exact.pde",
     .summary = "the closed form of the equations that the problem approximates is what it comes closer to",
     .bound = "three quarters of the error with half the n; a tenth where the problem takes one n alone",
     .level = VERIFY_TO_TOLERANCE,
     .explanation = "A problem that approximates a partial differential equation on a grid may give the "
                    "solution of that equation. The problem is solved with its n and with twice as many, and "
                    "the relative error against that form has to fall. If it stays, form and rhs are of "
                    "different equations: look at lengths, coefficients and boundary values."},
    {.id = "identity.exact",
     .summary = "the identities that the problem declares hold for its closed form",
     .bound = "rounding: the residual's magnitude, and its spread when the closed form's inputs are shaken",
     .explanation =
         "Methods are judged by these identities where there is no reference, so the identities are judged "
         "here. If the closed form satisfies the equations and this fails, the identity is wrong, or its "
         "residual or size is."},
    {.id = "identity.map",
     .summary =
         "the identities that are declared for every Runge-Kutta map hold for one far from the solution",
     .bound = "rounding: of the map and its derivatives, measured, and of the residual's terms",
     .explanation =
         "A few steps at a tolerance of 1e-2 are made with plain loops, on a part of the interval where the "
         "whole takes too many. An identity of every Runge-Kutta map holds for them to rounding; one of the "
         "exact solution alone is off by the error of the steps. If this fails, the identity is wrong or is "
         "not `discrete`, or the products are not the derivatives of rhs."},
    {.id = "exact.published",
     .summary = "the state ends where a publication says",
     .bound = "a unit of the last digit printed, and what the solver's tolerances leave, measured",
     .explanation =
         "A model may give what its publication prints of the state at the end (`known`), with the options "
         "that this holds for. GSL's implicit extrapolation solves the equations at two tolerances, with the "
         "problem's rhs and Jacobian; it shares no solver with the methods. If this fails, an equation, a "
         "constant or an initial value is not the publication's, or the number was copied wrongly.",
     .level = VERIFY_TO_TOLERANCE},
    {.id = NULL}};

/* ---- queries ------------------------------------------------------------------------------------------- */

size_t form_size(const struct form *form)
{
    const size_t n = form->pb.n;
    return n + (form->with_S ? n * form->pb.np : 0) + (form->with_S0 ? n * n : 0);
}

bool form_value(const struct form *form, double t, const double *p, double *z)
{
    const size_t n = form->pb.n;
    struct sens_exact_query query = form->query;
    double *const S = form->with_S ? z + n : NULL;
    double *const S0 = form->with_S0 ? z + n + (form->with_S ? n * form->pb.np : 0) : NULL;
    query.t = t;
    return form->pb.type->exact && form->pb.type->exact(&form->pb, &query, p, z, S, S0);
}

/* t and p off by a few roundings, p by one factor, so that what is equal or zero stays so. */
bool form_shaken(const struct form *form, double t, const double *p, double *z)
{
    struct verify *v = form->subject->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const double factor = 1 + verify_uniform(v, -4, 4) * DBL_EPSILON;
    double *q = verify_copy(v, form->pb.np, p);
    for (size_t k = 0; k < form->pb.np; k++) q[k] *= factor;
    const bool ok = form_value(form, t * (1 + verify_uniform(v, -4, 4) * DBL_EPSILON), q, z);
    sens_arena_rewind(&v->ctx.arena, mark);
    return ok;
}

bool form_create(const struct subject *subject, const struct sens_exact_query *query, const double *p,
                 struct form *form)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n;
    *form = (struct form){subject, *subject->pb, *query, subject->pb->np > 0, true};
    double *z = verify_array(v, n + n * subject->pb->np + n * n);
    if (form_value(form, query->t, p, z)) return true;
    form->with_S0 = false;
    return form_value(form, query->t, p, z);
}

/* ---- identities ---------------------------------------------------------------------------------------- */

enum { SHAKES = 4 };

static void residual_of(const struct form *form, const struct sens_identity *identity, const double *z,
                        double *residual, double *size)
{
    const size_t n = form->pb.n, np = form->pb.np;
    const double *S = z + n, *S0 = z + n + (form->with_S ? n * np : 0);
    identity->residual(&form->pb, z, S, S0, residual, size);
}

static void note_identity(struct worst *worst, const struct form *form, const struct sens_identity *identity)
{
    struct verify *v = form->subject->v;
    const struct sens_problem *pb = &form->pb;
    const size_t rows = identity->rows(pb), count = form_size(form);
    double *z = verify_array(v, count), *residual = verify_array(v, rows), *size = verify_array(v, rows);
    double *moved = verify_array(v, rows), *spread = verify_array(v, rows), *unused = verify_array(v, rows);
    form_value(form, pb->t1, pb->p, z);
    residual_of(form, identity, z, residual, size);
    for (int k = 0; k < SHAKES; k++) {
        if (!form_shaken(form, pb->t1, pb->p, z)) continue;
        residual_of(form, identity, z, moved, unused);
        for (size_t r = 0; r < rows; r++) spread[r] = fmax(spread[r], fabs(moved[r] - residual[r]));
    }
    for (size_t r = 0; r < rows; r++)
        worst_note(worst, fabs(residual[r]), 8 * spread[r] + 64 * DBL_EPSILON * size[r],
                   "residual %zu of '%s', of terms that add up to %.3g", r, identity->name, size[r]);
}

static void check_identities(const struct subject *subject, bool form_holds)
{
    const struct sens_problem *pb = subject->pb;
    const struct sens_exact_query query = {.level = SENS_EXACT_ODE, .t = pb->t1};
    struct worst worst = {.count = 0};
    struct form form;
    if (!pb->type->identities || !pb->type->identities->name) {
        subject_skip(subject, "identity.exact", "the problem declares no identity");
        return;
    }
    if (!form_create(subject, &query, pb->p, &form) || !form.with_S0) {
        subject_skip(subject, "identity.exact", "no closed form with dx/dx0 for this instance");
        return;
    }
    for (const struct sens_identity *identity = pb->type->identities; identity->name; identity++)
        note_identity(&worst, &form, identity);
    struct verify_result result = subject_open(subject, "identity.exact");
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_identity_wrong, form_holds ? 0.95 : 0.3);
    verify_blame(&result, CAUSE_closed_form_wrong, form_holds ? 0.1 : 0.8);
    verify_close(subject->v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void look(struct subject *subject)
{
    static const char *const all[] = {"exact.equation", "exact.derivative", "exact.discrete", "exact.pde"};
    if (!subject->pb->type->exact) {
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            subject_skip(subject, all[k], "the problem has no closed form");
        check_identities(subject, true);
        exact_check_map(subject);
        return;
    }
    const bool equation = exact_check_equation(subject, all[0]);
    const bool derivative = exact_check_derivative(subject, all[1]);
    exact_check_discrete(subject, all[2]);
    exact_check_pde(subject, all[3]);
    check_identities(subject, equation && derivative);
    exact_check_map(subject);
}

/* ---- other options --------------------------------------------------------------------------------------- */

enum { ELSEWHERE_LARGEST = 32 }; /* states, and parameters */
static const double FAR = 1000;  /* at the ends of wide ranges terms cancel by more than shaking shows */

/* Does the state stay a number? If it does, so do its derivatives. */
static bool stays_finite(const struct subject *subject)
{
    const struct sens_problem *pb = subject->pb;
    const struct sens_exact_query query = {.t = pb->t1, .level = SENS_EXACT_ODE};
    struct form form;
    if (!form_create(subject, &query, pb->p, &form)) return false;
    double *const z = verify_array(subject->v, form_size(&form));
    bool finite = form_value(&form, pb->t1, pb->p, z);
    for (size_t i = 0; i < pb->n; i++) finite = finite && isfinite(z[i]);
    return finite;
}

/* Other parameters, another initial state or time? What moves t1 alone shows no other branch. */
static bool is_moved(const struct sens_problem *usual, const struct sens_problem *other)
{
    if (usual->n != other->n || usual->np != other->np) return false;
    const bool same_p = !usual->np || memcmp(usual->p, other->p, usual->np * sizeof *usual->p) == 0;
    return !same_p || usual->t0 != other->t0 ||
           memcmp(usual->x0, other->x0, usual->n * sizeof *usual->x0) != 0;
}

/* A closed form may have branches that the defaults do not take. always: whatever the option moves. */
static void look_with(struct verify *v, size_t which, double value, bool always)
{
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const size_t count = sens_option_count(v->problem->options);
    double *const set = verify_array(v, count);
    struct instance usual, other;
    struct subject subject;
    for (size_t i = 0; i < count; i++) set[i] = NAN;
    const bool made = instance_with(v, v->problem, set, &usual);
    set[which] = value;
    if (made && instance_with(v, v->problem, set, &other) &&
        (always || is_moved(&usual.problem, &other.problem)) && other.problem.n <= ELSEWHERE_LARGEST &&
        other.problem.np <= ELSEWHERE_LARGEST && subject_create(v, &other, &subject) &&
        stays_finite(&subject)) {
        exact_check_equation(&subject, "exact.equation");
        exact_check_derivative(&subject, "exact.derivative");
    }
    sens_arena_rewind(&v->ctx.arena, mark);
}

/* Each real option by itself: towards its ends, twice and a quarter of the default. */
static void look_elsewhere(struct verify *v)
{
    const struct sens_option *const table = v->problem->options;
    for (size_t i = 0; v->problem->exact && i < sens_option_count(table); i++) {
        const double low = table[i].min, usual = table[i].fallback, high = table[i].max;
        const double more = usual == 0 ? 1 : 2 * usual;
        if (table[i].kind != SENS_OPT_REAL || verify_held(v, &table[i])) continue;
        const double value[] = {verify_towards(&table[i], low, FAR), verify_towards(&table[i], high, FAR),
                                fmin(fmax(more, low), high), fmin(fmax(usual / 4, low), high)};
        for (size_t k = 0; k < sizeof value / sizeof *value; k++)
            if (value[k] != usual) look_with(v, i, value[k], false);
    }
}

/* Each choice by itself, where the instances are drawn and may leave it out. */
static void look_at_choices(struct verify *v)
{
    const struct sens_option *const table = v->problem->options;
    for (size_t i = 0; v->seed && v->problem->exact && i < sens_option_count(table); i++)
        for (long c = 0; c < sens_option_choices(&table[i]) && !verify_held(v, &table[i]); c++)
            look_with(v, i, (double)c, true);
}

static void run(struct verify *v)
{
    subject_each(v, checks, look);
    look_at_choices(v);
    look_elsewhere(v);
    exact_check_published(v, "exact.published");
}

const struct verify_group verify_exact = {
    .name = "exact", .kind = VERIFY_PROBLEM, .checks = checks, .run = run};
