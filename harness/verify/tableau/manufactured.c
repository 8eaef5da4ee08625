/* Equations with a known solution, see manufactured.h. */
#include "manufactured.h"

#include <math.h>

static const double t0 = 0.3, t1 = 1.9;

static double solution(const struct manufactured *made, size_t i, double t)
{
    return sin(made->w[i] * t + made->q[i]);
}

static double solution_slope(const struct manufactured *made, size_t i, double t)
{
    return made->w[i] * cos(made->w[i] * t + made->q[i]);
}

/* g_i = cos(t) A_i(x) */
static double A(const struct manufactured *made, size_t i, const double *x)
{
    return sin(x[(i + 1) % SPECIES]) * x[(i + 2) % SPECIES] - made->d[i] * x[i];
}

/* dA_i/dx_j, j < SPECIES */
static double A_x(const struct manufactured *made, size_t i, size_t j, const double *x)
{
    const size_t next = (i + 1) % SPECIES, last = (i + 2) % SPECIES;
    return j == next ? cos(x[next]) * x[last] : j == last ? sin(x[next]) : -made->d[i];
}

static void slopes(const struct manufactured *made, double t, const double *x, double *dx)
{
    double s[SPECIES];
    for (size_t i = 0; i < SPECIES; i++) s[i] = solution(made, i, t);
    for (size_t i = 0; i < SPECIES; i++)
        dx[i] = solution_slope(made, i, t) + cos(t) * (A(made, i, x) - A(made, i, s));
}

/* df/dt, x held. */
static void slopes_t(const struct manufactured *made, double t, const double *x, double *out)
{
    double s[SPECIES];
    for (size_t i = 0; i < SPECIES; i++) s[i] = solution(made, i, t);
    for (size_t i = 0; i < SPECIES; i++) {
        out[i] = -made->w[i] * made->w[i] * s[i] - sin(t) * (A(made, i, x) - A(made, i, s));
        for (size_t j = 0; j < SPECIES; j++)
            out[i] -= cos(t) * A_x(made, i, j, s) * solution_slope(made, j, t);
    }
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    slopes(pb->data, at->t, at->x, dx);
    dx[SPECIES] = 1;
    return SENS_OK;
}

static void rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *out)
{
    slopes_t(pb->data, at->t, at->x, out);
    out[SPECIES] = 0;
}

/* With time t, and column SPECIES of J, which is 0 where t is no unknown. */
static void multiply(const struct manufactured *made, double t, const double *x, const double *J_t, size_t L,
                     const double *V, double *OUT)
{
    for (size_t i = 0; i < SPECIES; i++)
        for (size_t l = 0; l < L; l++) {
            double sum = J_t[i] * V[SPECIES * L + l];
            for (size_t j = 0; j < SPECIES; j++) sum += cos(t) * A_x(made, i, j, x) * V[j * L + l];
            OUT[i * L + l] = sum;
        }
    for (size_t l = 0; l < L; l++) OUT[SPECIES * L + l] = 0;
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    const double none[SPECIES] = {0};
    multiply(pb->data, at->t, at->x, none, L, V, OUT);
}

static sens_status rhs_autonomous(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    slopes(pb->data, at->x[SPECIES], at->x, dx);
    dx[SPECIES] = 1;
    return SENS_OK;
}

static void rhs_t_autonomous(const struct sens_problem *pb, const struct sens_at *at, double *out)
{
    (void)at;
    for (size_t i = 0; i < pb->n; i++) out[i] = 0;
}

static void jvp_autonomous(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                           double *OUT)
{
    double J_t[SPECIES];
    slopes_t(pb->data, at->x[SPECIES], at->x, J_t);
    multiply(pb->data, at->x[SPECIES], at->x, J_t, L, V, OUT);
}

/* f_I, and its J V. */
static sens_status rhs_implicit(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct manufactured *const made = pb->data;
    for (size_t i = 0; i < SPECIES; i++) dx[i] = -cos(at->t) * made->d[i] * at->x[i];
    dx[SPECIES] = 0;
    return SENS_OK;
}

static void jvp_implicit(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                         double *OUT)
{
    const struct manufactured *const made = pb->data;
    for (size_t i = 0; i < UNKNOWNS; i++)
        for (size_t l = 0; l < L; l++)
            OUT[i * L + l] = i < SPECIES ? -cos(at->t) * made->d[i] * V[i * L + l] : 0;
}

static const struct sens_problem_type damped = {.name = "damping", .rhs = rhs_implicit, .jvp = jvp_implicit};
static const struct sens_problem_type clocked = {
    .name = "manufactured", .rhs = rhs, .jvp = jvp, .rhs_t = rhs_t};
static const struct sens_problem_type unclocked = {.name = "manufactured, autonomous",
                                                   .rhs = rhs_autonomous,
                                                   .jvp = jvp_autonomous,
                                                   .rhs_t = rhs_t_autonomous};

void manufactured_draw(struct verify *v, struct manufactured *made)
{
    for (size_t i = 0; i < SPECIES; i++) {
        made->w[i] = 1 + 0.31 * (double)i + verify_uniform(v, 0, 0.2);
        made->q[i] = 0.4 + 1.7 * (double)i + verify_uniform(v, 0, 0.3);
        made->d[i] = 0.6 + 0.23 * (double)i + verify_uniform(v, 0, 0.1);
    }
    manufactured_state(made, t0, made->start);
}

void manufactured_problem(struct manufactured *made, bool autonomous, struct sens_problem *problem)
{
    *problem = (struct sens_problem){.type = autonomous ? &unclocked : &clocked,
                                     .n = UNKNOWNS,
                                     .t0 = t0,
                                     .t1 = t1,
                                     .x0 = made->start,
                                     .data = made};
    made->implicit = *problem;
    made->implicit.type = &damped;
    problem->implicit = &made->implicit;
}

void manufactured_state(const struct manufactured *made, double t, double *x)
{
    for (size_t i = 0; i < SPECIES; i++) x[i] = solution(made, i, t);
    x[SPECIES] = t;
}

double manufactured_distance(const struct manufactured *made, double t, const double *x)
{
    double exact[UNKNOWNS], sum = 0;
    manufactured_state(made, t, exact);
    for (size_t i = 0; i < SPECIES; i++) sum += (x[i] - exact[i]) * (x[i] - exact[i]);
    return sqrt(sum);
}
