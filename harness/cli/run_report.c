/* The report of sensbench run. */
#include "run_report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "reference.h"
#include "streams.h"

enum { SHOWN_STATES = 6, SHOWN_ENTRIES = 24 };

/* ---- what was asked ------------------------------------------------------------------------------------ */

static void print_cell(const struct cell *cell, const struct record *rec)
{
    const struct sens_problem *pb = &cell->problem;
    say("problem    %s: n = %zu, np = %zu, t = %g ... %g\n", pb->type->name, pb->n, pb->np, (double)pb->t0,
        (double)pb->t1);
    say("cost       %s: m = %zu\n", cell->cost.type->name, cell->cost.m);
    say("method     %s", cell->method->name);
    if (rec->text[COL_tableau][0]) say(", %s", rec->text[COL_tableau]);
    if (rec->text[COL_controller][0]) say(", %s", rec->text[COL_controller]);
    if (isfinite(rec->number[COL_rtol]))
        say(", rtol = %g, atol = %g", rec->number[COL_rtol], rec->number[COL_atol]);
    if (isfinite(rec->number[COL_dt])) say(", dt = %g", rec->number[COL_dt]);
    if (rec->text[COL_ckpt][0]) say(", ckpt = %s", rec->text[COL_ckpt]);
    say("\n           %s", cell->variant->isa);
    if (rec->number[COL_lanes] > 0) say(", lanes %.0f", rec->number[COL_lanes]);
    if (rec->number[COL_threads] > 0) say(", threads %.0f", rec->number[COL_threads]);
    if (rec->number[COL_batch] > 0) say(", batch %.0f", rec->number[COL_batch]);
    say("\n");
    if (rec->text[COL_options][0]) say("options    %s\n", rec->text[COL_options]);
}

/* ---- what came out ------------------------------------------------------------------------------------- */

static void print_vector(const char *name, size_t count, const sens_real *value)
{
    say("%-10s", name);
    for (size_t i = 0; i < count && i < SHOWN_STATES; i++) say(" %.10g", (double)value[i]);
    if (count > SHOWN_STATES) say(" ... (%zu)", count);
    say("\n");
}

/* A small matrix in full, a large one by its norm and its largest entry. */
static void print_matrix(const char *name, size_t rows, size_t cols, const sens_real *value)
{
    if (rows == 0 || cols == 0) return;
    double norm = 0;
    size_t largest = 0;
    for (size_t i = 0; i < rows * cols; i++) {
        norm = hypot(norm, (double)value[i]);
        if (fabs((double)value[i]) > fabs((double)value[largest])) largest = i;
    }
    say("%-10s %zu x %zu, Frobenius norm %.10g, largest entry %.10g at (%zu, %zu)\n", name, rows, cols, norm,
        (double)value[largest], largest / cols, largest % cols);
    if (rows * cols > SHOWN_ENTRIES || cols > SHOWN_STATES) return;
    for (size_t r = 0; r < rows; r++) {
        say("          ");
        for (size_t c = 0; c < cols; c++) say(" %17.10g", (double)value[r * cols + c]);
        say("\n");
    }
}

/* Not where they are x[0], x[1], ... alone. */
static void print_names(const char *title, size_t count, const char *const *name)
{
    bool any = false;
    for (size_t i = 0; i < count && i < SHOWN_STATES; i++)
        any = any || !strchr("xp", name[i][0]) || name[i][1] != '[';
    if (!any) return;
    say("%-10s", title);
    for (size_t i = 0; i < count && i < SHOWN_STATES; i++) say(" %s", name[i]);
    if (count > SHOWN_STATES) say(" ... (%zu)", count);
    say("\n");
}

static void print_results(const struct cell *cell, const struct labels *labels, const struct sens_out *out)
{
    print_names("states", cell->problem.n, labels->state);
    print_names("parameters", cell->problem.np, labels->parameter);
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(cell, k);
        const char *const title = k == SENS_PART_X ? "x(t1)" : shape.title;
        if (out->part[k] && shape.wrt) print_matrix(title, shape.rows, shape.cols, out->part[k]);
        if (out->part[k] && !shape.wrt) print_vector(title, shape.rows * shape.cols, out->part[k]);
    }
}

static void print_errors(const struct cell *cell, const struct record *rec)
{
    const double *number = rec->number;
    char advice[REFERENCE_COMMAND];
    reference_advice(cell, NULL, 0, advice);
    if (cell->truth == TRUTH_NONE)
        say("errors     not asked for: truth=none\n");
    else if (strcmp(rec->text[COL_truth], "none") == 0)
        say("errors     no closed form and no stored reference to compare with; %s\n", advice);
    else
        say("errors     x %.3g, gradient %.3g (relative), %.3g (largest entry); truth: %s\n",
            number[COL_err_x], number[COL_err_grad], number[COL_err_grad_max], rec->text[COL_truth]);
    if (isfinite(number[COL_err_x]) && isnan(number[COL_err_grad]) && sens_parts_wrt(cell->task.parts))
        say("           this truth does not know both dG/dp and dG/dx0: wrt=p or wrt=x0 ask for one\n");
    if (isfinite(number[COL_err_grad_discrete]))
        say("           from the exact discrete map: x %.3g, gradient %.3g\n", number[COL_err_x_discrete],
            number[COL_err_grad_discrete]);
    if (isfinite(number[COL_err_frozen]))
        say("           from the tangent on the state's steps, by the same products: %.3g\n",
            number[COL_err_frozen]);
}

static void print_work(const struct record *rec)
{
    const double *number = rec->number;
    say("work       %.0f steps, %.0f rejected", number[COL_steps], number[COL_rejects]);
    if (number[COL_steps_implicit] > 0) say(", %.0f implicit", number[COL_steps_implicit]);
    if (number[COL_steps_reverse] > 0)
        say("; backwards %.0f steps, %.0f rejected", number[COL_steps_reverse], number[COL_rejects_reverse]);
    if (isfinite(number[COL_n_rhs]))
        say("\n           rhs %.0f, vjp %.0f, jvp %.0f, parameter products %.0f and %.0f", number[COL_n_rhs],
            number[COL_n_vjp], number[COL_n_jvp], number[COL_n_vjp_p], number[COL_n_jvp_p]);
    if (number[COL_n_newton] > 0 || number[COL_n_factor] > 0)
        say("; Newton %.0f, factorisations %.0f, solves %.0f", number[COL_n_newton], number[COL_n_factor],
            number[COL_n_solve]);
    if (number[COL_n_recorded] > 0)
        say("; recorded %.0f times in %.3g ms, analysed in %.3g ms", number[COL_n_recorded],
            1e3 * number[COL_t_record_s], 1e3 * number[COL_t_analyse_s]);
    if (number[COL_t_compile_s] > 0)
        say(", written as C in %.3g ms, compiled in %.3g ms", 1e3 * number[COL_t_generate_s],
            1e3 * number[COL_t_compile_s]);
    if (number[COL_n_kept] > 0)
        say("; kept factors taken %.0f times, %.1f KiB", number[COL_n_kept],
            number[COL_bytes_factors] / 1024);
    if (number[COL_bytes_traj] > 0) say("; trajectory %.1f KiB", number[COL_bytes_traj] / 1024);
    say("\n");
    if (*rec->text[COL_vjp_note])
        say("           products: %s; %s\n", rec->text[COL_vjp], rec->text[COL_vjp_note]);
}

static void print_times(const struct record *rec)
{
    const double *number = rec->number;
    if (number[COL_samples] == 0) return;
    const char *interval = number[COL_samples] < 6 ? "range" : "95 % interval"; /* see stats.h */
    say("time       %.4g s (median of %.0f; %s %.4g ... %.4g)", number[COL_t_total_s], number[COL_samples],
        interval, number[COL_t_lo_s], number[COL_t_hi_s]);
    if (number[COL_samples_disturbed] > 0)
        say("; others took a core away during %.0f of them", number[COL_samples_disturbed]);
    if (number[COL_t_reverse_s] > 0)
        say("; forward %.4g s, reverse %.4g s", number[COL_t_forward_s], number[COL_t_reverse_s]);
    say("\n");
}

/* GFLOP/s and its share of the peak. */
static void print_rate(const char *lead, double rate, double share)
{
    if (!isfinite(rate)) return;
    say("%s%.3g GFLOP/s", lead, rate);
    if (isfinite(share)) say(" (%.0f %%)", 100 * share);
}

static void print_rates(const struct record *rec)
{
    const double *number = rec->number;
    if (!isfinite(number[COL_gbytes])) return;
    say("rates      %.3g GB/s", number[COL_gbytes]);
    print_rate(", ", number[COL_gflops], number[COL_share]);
    print_rate(", reverse ", number[COL_gflops_reverse], number[COL_share_reverse]);
    if (isfinite(number[COL_peak_gflops])) say("; peak %.3g GFLOP/s", number[COL_peak_gflops]);
    say("\n");
}

static void print_product(const struct record *rec)
{
    const double *number = rec->number;
    say("product    %s of %.0f lanes: %.4g s a call, %.3g right-hand sides (%.4g s) a lane\n",
        rec->text[COL_product], number[COL_lanes], number[COL_t_product_s], number[COL_by_rhs],
        number[COL_t_rhs_s]);
    say("           median of %.0f; 95 %% interval %.3g ... %.3g\n", number[COL_samples],
        number[COL_by_rhs_lo], number[COL_by_rhs_hi]);
}

void report_print(const struct cell *cell, const struct labels *labels, const struct sens_out *out,
                  const struct record *rec, const struct closer *closer)
{
    print_cell(cell, rec);
    say("status     %s\n", rec->text[COL_status]);
    if (cell->product != TIMED_RUN) {
        print_product(rec);
        return;
    }
    print_results(cell, labels, out);
    print_errors(cell, rec);
    if (closer && closer->same)
        say("           a solve at rtol = %.1e gives the same numbers: no estimate of their errors\n",
            closer->rtol);
    else if (closer)
        say("           estimated by a solve at rtol = %.1e: x %.2g, gradient %.2g (relative)\n",
            closer->rtol, closer->x, closer->gradient);
    print_work(rec);
    print_times(rec);
    print_rates(rec);
}

static json_t *json_of_names(size_t count, const char *const *name)
{
    json_t *const array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(array, json_string(name[i]));
    return array;
}

json_t *report_json(const struct cell *cell, const struct labels *labels, const struct sens_out *out)
{
    json_t *const object = json_object();
    if (!labels) return object;
    json_object_set_new(object, "states", json_of_names(cell->problem.n, labels->state));
    json_object_set_new(object, "parameters", json_of_names(cell->problem.np, labels->parameter));
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(cell, k);
        if (!out->part[k]) continue;
        json_object_set_new(object, shape.name,
                            shape.wrt ? json_of_matrix(shape.rows, shape.cols, out->part[k])
                                      : json_of_vector(shape.rows, out->part[k]));
    }
    return object;
}

/* ---- the dump ------------------------------------------------------------------------------------------ */

static const char *name_of(enum sens_part part, const struct labels *labels, size_t row, size_t col)
{
    const unsigned wrt = sens_part_wrt(part);
    if (part == SENS_PART_X) return labels->state[row];
    return wrt == SENS_WRT_P ? labels->parameter[col] : wrt == SENS_WRT_X0 ? labels->state[col] : "";
}

static void dump_part(FILE *file, enum sens_part part, const struct sens_part_shape *shape,
                      const struct labels *labels, const sens_real *value)
{
    for (size_t r = 0; value && r < shape->rows; r++)
        for (size_t c = 0; c < shape->cols; c++)
            fprintf(file, "%s\t%zu\t%zu\t%.17g\t%s\n", shape->name, r, c, (double)value[r * shape->cols + c],
                    name_of(part, labels, r, c));
}

bool report_dump(const char *path, const struct cell *cell, const struct labels *labels,
                 const struct sens_out *out, struct bench_error *error)
{
    struct successor made;
    if (!successor_open(&made, path)) return bench_refuse(error, "--dump %s: %s", path, strerror(errno));
    fprintf(made.file, "quantity\trow\tcol\tvalue\tname\n");
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(cell, k);
        dump_part(made.file, k, &shape, labels, out->part[k]);
    }
    return successor_close(&made, true) || bench_refuse(error, "--dump %s: %s", path, strerror(errno));
}
