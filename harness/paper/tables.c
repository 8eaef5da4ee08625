/* Tables 1-3: the heat equation with a fixed step, errors in % beside what the closed forms predict.
 *
 * With lam = 2 pi^2, lam_h = 8 N^2 sin^2(pi/2N), z = -lam_h dt, M = T/dt, R the tableau's stability function:
 *
 *     PDE            u = exp(-lam T),     du/dalpha = -lam T u
 *     semi-discrete  u = exp(-lam_h T),   du/dalpha = -lam_h T u
 *     discrete       u = R(z)^M,          du/dalpha = -M R(z)^(M-1) R'(z) lam_h dt
 *
 * (LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, SIAM 2007, 9). */
#include "statements.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "modules.h"

static const char *const sweeps[] = {"table1", "table2", "table3"};
static const char *const methods[] = {"discrete_adjoint",  "discrete_tangent", "cfsa",
                                      "finite_difference", "casa_dense",       "casa_reverse"};
static const struct {
    const char *name;
    enum record_column forward, sensitivity;
} levels[] = {{"the PDE", COL_err_x, COL_err_grad},
              {"the semi-discrete system", COL_err_x_ode, COL_err_grad_ode},
              {"the discrete map", COL_err_x_discrete, COL_err_grad_discrete}};
enum {
    SWEEPS = sizeof sweeps / sizeof sweeps[0],
    METHODS = sizeof methods / sizeof methods[0],
    LEVELS = sizeof levels / sizeof levels[0],
    STAGES_MAX = 64,
    SIZES_MAX = 16
};

/* ---- prediction ---------------------------------------------------------------------------------------- */

/* R(z) and R'(z): one step of x' = z x of length 1. */
static void stability(const struct sens_tableau *tb, long double z, long double *R, long double *dR)
{
    long double K[STAGES_MAX], dK[STAGES_MAX]; /* K_i = z Y_i and its derivative by z */
    *R = 1;
    *dR = 0;
    for (int i = 0; i < tb->stages; i++) {
        long double Y = 1, dY = 0;
        for (int j = 0; j < i; j++) {
            Y += sens_tableau_a(tb, i, j) * K[j];
            dY += sens_tableau_a(tb, i, j) * dK[j];
        }
        K[i] = z * Y;
        dK[i] = Y + z * dY;
        *R += tb->b[i] * K[i];
        *dR += tb->b[i] * dK[i];
    }
}

/* Relative errors a (space) and b (time) make at most (1 + |a|)(1 + |b|) - 1 together. */
static double bound(const long double value[3])
{
    return (double)((1 + fabsl(value[1] / value[0] - 1)) * (1 + fabsl(value[2] / value[1] - 1)) - 1);
}

/* In long double: against the semi-discrete system the errors of RK4 are a few hundred
 * roundings of double. */
bool heat_predict(const struct record *row, struct heat_prediction *prediction)
{
    const struct sens_tableau *tb = find_tableau(variant_all()[0], row->text[COL_tableau]);
    const double n = row->number[COL_n], end = row->number[COL_t1], step = row->number[COL_dt];
    if (!tb || tb->stages > STAGES_MAX || !(n >= 1 && end > 0 && step > 0)) return false;
    const long double N = roundl(sqrtl(n)) + 1, M = roundl(end / step), T = end, dt = T / M;
    const long double pi = acosl(-1), sine = sinl(pi / (2 * N));
    const long double lam = 2 * pi * pi, lam_h = 8 * N * N * sine * sine;
    long double R, dR;
    stability(tb, -lam_h * dt, &R, &dR);
    const long double u[3] = {expl(-lam * T), expl(-lam_h * T), powl(R, M)};
    const long double s[3] = {-lam * T * u[0], -lam_h * T * u[1], -M * powl(R, M - 1) * dR * lam_h * dt};
    for (int level = 0; level < 3; level++) {
        prediction->forward[level] = (double)fabsl(u[2] / u[level] - 1);
        prediction->sensitivity[level] = (double)fabsl(s[2] / s[level] - 1);
    }
    prediction->bound = fmax(bound(u), bound(s));
    return true;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* A failed cell shows its status, a missing one a dash. */
static void print_cell(FILE *out, const struct record *row, enum record_column column)
{
    if (!row)
        fprintf(out, " %17s |", "-");
    else if (!row_ok(row))
        fprintf(out, " %17s |", row->text[COL_status]);
    else
        fprintf(out, " %17.5g |", 100 * row->number[column]);
}

/* The forward error is that of the discrete solution, the same for every method on the same steps. */
static const struct record *forward_row(const struct summary *summary, const char *sweep, double n)
{
    const struct record *row = NULL;
    for (int m = 0; m < 3 && !row_ok(row); m++)
        row = summary_find(summary, &(struct row_query){.sweep = sweep, .method = methods[m], .n = n});
    return row;
}

static void print_level(const struct summary *summary, const char *sweep, size_t level, FILE *out)
{
    const struct row_query all = {.sweep = sweep};
    double n[SIZES_MAX];
    const size_t sizes = summary_values(summary, &all, COL_n, SIZES_MAX, n);
    fprintf(out, "\nError in %% against %s:\n\n| %3s | %11s | %11s | %11s |", levels[level].name, "N",
            "forward", "predicted", "sens. pred.");
    for (int m = 0; m < METHODS; m++) fprintf(out, " %17s |", methods[m]);
    fprintf(out, "\n|----:|------------:|------------:|------------:|");
    for (int m = 0; m < METHODS; m++) fputs("------------------:|", out);
    for (size_t i = 0; i < sizes; i++) {
        const struct record *first = summary_find(summary, &(struct row_query){.sweep = sweep, .n = n[i]});
        const struct record *forward = forward_row(summary, sweep, n[i]);
        struct heat_prediction predicted = {0};
        const bool known = heat_predict(first, &predicted);
        fprintf(out, "\n| %3.0f | %11.5g | %11.5g | %11.5g |", sqrt(n[i]) + 1,
                row_ok(forward) ? 100 * forward->number[levels[level].forward] : NAN,
                known ? 100 * predicted.forward[level] : NAN,
                known ? 100 * predicted.sensitivity[level] : NAN);
        for (int m = 0; m < METHODS; m++)
            print_cell(
                out,
                summary_find(summary, &(struct row_query){.sweep = sweep, .method = methods[m], .n = n[i]}),
                levels[level].sensitivity);
    }
    fputc('\n', out);
}

void paper_print_tables(const struct summary *summary, FILE *out)
{
    for (int t = 0; t < SWEEPS; t++) {
        const struct record *row = summary_find(summary, &(struct row_query){.sweep = sweeps[t]});
        if (!row) {
            fprintf(out, "\n## Table %d\n\nNo rows of sweep %s.\n", t + 1, sweeps[t]);
            continue;
        }
        fprintf(out, "\n## Table %d. Heat equation, %s, dt = %g, T = %g\n\n", t + 1, row->text[COL_tableau],
                row->number[COL_dt], row->number[COL_t1]);
        fputs("N intervals a side; forward: error of the solution and its prediction; then the prediction "
              "and the\n"
              "error of the sensitivity du(T)/dalpha of every method; -: not in these results.\n",
              out);
        for (size_t level = 0; level < LEVELS; level++) print_level(summary, sweeps[t], level, out);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *row_json(const struct record *row)
{
    json_t *object = json_object();
    struct heat_prediction predicted;
    json_object_set_new(object, "N", json_integer(lround(sqrt(row->number[COL_n]) + 1)));
    json_object_set_new(object, "method", json_of_text(row->text[COL_method]));
    json_object_set_new(object, "status", json_of_text(row->text[COL_status]));
    const bool known = heat_predict(row, &predicted);
    static const char *const name[] = {"pde", "ode", "discrete"};
    for (size_t level = 0; level < LEVELS; level++) {
        json_t *errors = json_object();
        json_object_set_new(errors, "forward", json_of_number(row->number[levels[level].forward]));
        json_object_set_new(errors, "sensitivity", json_of_number(row->number[levels[level].sensitivity]));
        json_object_set_new(errors, "forward_predicted",
                            json_of_number(known ? predicted.forward[level] : NAN));
        json_object_set_new(errors, "sensitivity_predicted",
                            json_of_number(known ? predicted.sensitivity[level] : NAN));
        json_object_set_new(object, name[level], errors);
    }
    return object;
}

json_t *paper_tables_json(const struct summary *summary)
{
    json_t *list = json_array();
    for (int t = 0; t < SWEEPS; t++) {
        const struct row_query query = {.sweep = sweeps[t]};
        json_t *table = json_object(), *rows = json_array();
        size_t cursor = 0;
        for (const struct record *row; (row = summary_next(summary, &query, &cursor));)
            json_array_append_new(rows, row_json(row));
        json_object_set_new(table, "table", json_string(sweeps[t]));
        json_object_set_new(table, "rows", rows);
        json_array_append_new(list, table);
    }
    return list;
}
