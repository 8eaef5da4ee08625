/* The summary on small made-up tables: predictions against the numbers of facts, and every verdict in both
 * directions. */
#include "summary_support.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* The statement whose text has these words, after judging everything anew. */
static const struct statement *judged(struct summary *summary, const char *words)
{
    static struct paper paper;
    const struct statement *found = NULL;
    paper = (struct paper){.rows = summary};
    paper_judge_heat(&paper);
    paper_judge_vdp(&paper);
    paper_judge_glv(&paper);
    assert_true(paper.statements < STATEMENTS_MAX);
    for (size_t i = 0; i < paper.statements; i++) {
        if (!strstr(paper.statement[i].text, words)) continue;
        assert_null(found);
        found = &paper.statement[i];
    }
    assert_non_null(found);
    return found;
}

static void assert_verdict(struct summary *summary, const char *words, enum verdict expected)
{
    const struct statement *statement = judged(summary, words);
    if (statement->verdict != expected) print_error("%s: %s\n", words, statement->number);
    assert_int_equal(statement->verdict, expected);
    assert_true(statement->number[0] != '\0');
}

/* ---- heat ---------------------------------------------------------------------------------------------- */

/* Errors in % computed from the closed forms in quadruple precision, printed with five digits. */
static const struct {
    const char *sweep, *tableau;
    double dt, N, forward, sensitivity;
} heat[] = {
    {"table1", "euler", 1e-4, 10, 1.4365, 0.80229},   {"table1", "euler", 1e-4, 30, 0.014396, 0.091658},
    {"table1", "euler", 1e-4, 50, 0.12993, 0.034613}, {"table2", "rk4", 1e-4, 10, 1.6313, 0.79818},
    {"table2", "rk4", 1e-4, 30, 0.18048, 0.088967},   {"table2", "rk4", 1e-4, 50, 0.064952, 0.032036},
    {"table3", "rk4", 5e-5, 10, 1.6313, 0.79818},     {"table3", "rk4", 5e-5, 30, 0.18048, 0.088967},
    {"table3", "rk4", 5e-5, 50, 0.064952, 0.032036},
};
enum { HEAT = sizeof heat / sizeof heat[0] };

static struct record *add_heat(struct summary *summary, int i, const char *method)
{
    struct record *row = add_row(summary, heat[i].sweep, method, (heat[i].N - 1) * (heat[i].N - 1));
    strcpy(row->text[COL_tableau], heat[i].tableau);
    row->number[COL_dt] = heat[i].dt;
    row->number[COL_t1] = 0.1;
    row->number[COL_err_x] = heat[i].forward / 100;
    row->number[COL_err_grad] = heat[i].sensitivity / 100;
    return row;
}

static void heat_is_predicted(void **state)
{
    for (int i = 0; i < HEAT; i++) {
        struct heat_prediction predicted;
        assert_true(heat_predict(add_heat(*state, i, "cfsa"), &predicted));
        /* half a unit of the fifth digit */
        assert_true(fabs(100 * predicted.forward[0] / heat[i].forward - 1) < 5e-5);
        assert_true(fabs(100 * predicted.sensitivity[0] / heat[i].sensitivity - 1) < 5e-5);
        assert_true(predicted.forward[2] == 0 && predicted.sensitivity[2] == 0);
        const double least =
            (1 - 1e-12) * fmax(predicted.forward[0], predicted.sensitivity[0]); /* rounding */
        assert_true(predicted.bound >= least);
    }
}

static void heat_verdicts(void **state)
{
    struct summary *summary = *state;
    const char *const equal = "adjoint, tangent and CFSA: the sensitivity", *const bound =
                                                                                "within the discretisation";
    assert_verdict(summary, equal, VERDICT_NOT_TESTABLE);
    for (int i = 0; i < HEAT; i++) add_heat(summary, i, "discrete_adjoint");
    assert_verdict(summary, equal, VERDICT_REPRODUCED);
    assert_true(judged(summary, equal)->required);
    assert_verdict(summary, bound, VERDICT_REPRODUCED);
    assert_verdict(summary, "finite differences: the same", VERDICT_NOT_TESTABLE);

    struct record *row = add_heat(summary, 4, "finite_difference");
    row->number[COL_err_grad] *= 1.001; /* the fourth digit differs */
    assert_verdict(summary, "finite differences: the same", VERDICT_NOT_REPRODUCED);
    assert_verdict(summary, bound, VERDICT_REPRODUCED);
    row->number[COL_err_grad] *= 4;
    assert_verdict(summary, bound, VERDICT_NOT_REPRODUCED);

    summary->table[0].row[3].number[COL_err_grad] *= 1.001;
    assert_verdict(summary, equal, VERDICT_NOT_REPRODUCED);
    summary->table[0].row[3].number[COL_err_grad] /= 1.001;
    assert_verdict(summary, equal, VERDICT_REPRODUCED);
    strcpy(summary->table[0].row[3].text[COL_status], "timeout"); /* a failed cell is no agreement */
    assert_verdict(summary, equal, VERDICT_NOT_REPRODUCED);
}

static void reverse_verdicts(void **state)
{
    struct summary *summary = *state;
    const char *const words = "backward re-integration is unstable";
    assert_verdict(summary, words, VERDICT_NOT_TESTABLE);
    struct record *row = add_heat(summary, 1, "casa_reverse");
    assert_verdict(summary, words, VERDICT_NOT_REPRODUCED);
    row->number[COL_err_grad] = 1e9;
    assert_verdict(summary, words, VERDICT_REPRODUCED);
    row->number[COL_err_grad] = NAN;
    strcpy(row->text[COL_status], "diverged");
    assert_verdict(summary, words, VERDICT_REPRODUCED);
}

/* ---- vdp ----------------------------------------------------------------------------------------------- */

static struct record *add_vdp(struct summary *summary, double tol, double solution, double sensitivity,
                              double steps)
{
    struct record *row = add_row(summary, "fig2", "discrete_adjoint", 2);
    strcpy(row->text[COL_tableau], "cash_karp");
    row->number[COL_rtol] = tol;
    row->number[COL_err_x_max] = solution;
    row->number[COL_err_grad_max] = sensitivity;
    row->number[COL_steps] = steps;
    return row;
}

static void vdp_verdicts(void **state)
{
    struct summary *summary = *state;
    const char *const tight = "at 1e-10 the errors", *const steps = "accepted steps",
                      *const loose = "no correct digit";
    assert_verdict(summary, tight, VERDICT_NOT_TESTABLE);
    struct record *row = add_vdp(summary, 1e-10, 2e-11, 2e-7, 1116);
    assert_verdict(summary, tight, VERDICT_REPRODUCED);
    assert_verdict(summary, steps, VERDICT_NOT_TESTABLE); /* half of the statement is missing */
    row->number[COL_err_grad_max] = 1.3e-7 * 3.1;
    assert_verdict(summary, tight, VERDICT_NOT_REPRODUCED);
    row->number[COL_err_grad_max] = 1.3e-7 / 3.1;
    assert_verdict(summary, tight, VERDICT_NOT_REPRODUCED);

    struct record *last = add_vdp(summary, 1e-12, 1e-13, 5e-10, 2794);
    assert_verdict(summary, "at 1e-12 the errors", VERDICT_REPRODUCED);
    assert_verdict(summary, steps, VERDICT_REPRODUCED);
    last->number[COL_steps] = 2795;
    assert_verdict(summary, steps, VERDICT_NOT_REPRODUCED);

    row = add_vdp(summary, 1e-4, 1e-5, 9.8, 400);
    assert_verdict(summary, loose, VERDICT_REPRODUCED);
    row->number[COL_err_grad_max] = 0.01;
    assert_verdict(summary, loose, VERDICT_NOT_REPRODUCED);
    assert_verdict(summary, "FATODE and DENSERKS", VERDICT_NOT_TESTABLE);
}

/* ---- glv ----------------------------------------------------------------------------------------------- */

/* err = floor + factor tol^power at six tolerances. */
static void add_errors(struct summary *summary, const char *method, double floor, double power)
{
    for (int e = 4; e <= 13; e++) {
        struct record *row = add_row(summary, "fig3", method, 5);
        row->number[COL_rtol] = pow(10, -e);
        row->number[COL_err_grad] = floor + 3 * pow(10, -e * power);
        row->number[COL_steps] = 10 + 9 * (e - 3);
    }
}

static void proportional_verdicts(void **state)
{
    struct summary *summary = *state;
    const char *const words = "with Cash-Karp and the odeint controller";
    assert_verdict(summary, words, VERDICT_NOT_TESTABLE);
    add_errors(summary, "discrete_adjoint", 0, 1);
    assert_verdict(summary, words, VERDICT_REPRODUCED);
    assert_verdict(summary, "step counts", VERDICT_REPRODUCED);
    add_errors(summary, "cfsa", 0, 0.6);
    assert_verdict(summary, words, VERDICT_NOT_REPRODUCED);
    summary->table[0].row[0].number[COL_steps] = 4;
    assert_verdict(summary, "step counts", VERDICT_NOT_REPRODUCED);
}

static void floor_verdicts(void **state)
{
    struct summary *summary = *state;
    const char *const stagnates = "finite differences stagnates", *const worst = "has the worst floor";
    assert_verdict(summary, stagnates, VERDICT_NOT_TESTABLE);
    add_errors(summary, "discrete_adjoint", 0, 1);
    add_errors(summary, "finite_difference", 1e-6, 1);
    assert_verdict(summary, stagnates, VERDICT_REPRODUCED);
    assert_verdict(summary, worst, VERDICT_NOT_TESTABLE);
    add_errors(summary, "casa_reverse", 1e-4, 1);
    assert_verdict(summary, worst, VERDICT_REPRODUCED);
    for (size_t i = 20; i < 30; i++) summary->table[0].row[i].number[COL_err_grad] = 1e-9;
    assert_verdict(summary, worst, VERDICT_NOT_REPRODUCED);
    for (size_t i = 20; i < 30; i++) strcpy(summary->table[0].row[i].text[COL_status], "diverged");
    assert_verdict(summary, worst, VERDICT_REPRODUCED); /* no result at all is the worst floor */
    for (size_t i = 10; i < 20; i++)
        summary->table[0].row[i].number[COL_err_grad] = summary->table[0].row[i].number[COL_rtol];
    assert_verdict(summary, stagnates, VERDICT_NOT_REPRODUCED);
}

/* t(adjoint) = 1e-6 P and t(cfsa) = 1e-8 P^2 cross at P = 100. */
static void add_times(struct summary *summary, double P)
{
    const char *const method[] = {"discrete_adjoint", "cfsa"};
    const double seconds[] = {1e-6 * P, 1e-8 * P * P};
    for (int m = 0; m < 2; m++) {
        struct record *row = add_row(summary, "fig5", method[m], P);
        row->number[COL_np] = P;
        row->number[COL_rtol] = 1e-7;
        row->number[COL_t_total_s] = seconds[m];
        row->number[COL_t_lo_s] = 0.9 * seconds[m];
        row->number[COL_t_hi_s] = 1.1 * seconds[m];
        row->number[COL_samples] = 15;
        row->number[COL_steps] = 20;
    }
}

static void time_verdicts(void **state)
{
    struct summary *summary = *state;
    const char *const meet = "meets CFSA", *const gain = "nearly 10 times";
    add_times(summary, 1000);
    assert_verdict(summary, meet, VERDICT_NOT_TESTABLE);
    add_times(summary, 200);
    assert_verdict(summary, meet, VERDICT_NOT_REPRODUCED); /* faster from the smallest P on */
    add_times(summary, 10);
    assert_verdict(summary, meet, VERDICT_REPRODUCED);
    assert_non_null(strstr(judged(summary, meet)->number, "P = 100"));
    assert_verdict(summary, gain, VERDICT_REPRODUCED);
    /* 10 times, between 0.9/1.1 and 1.1/0.9 of it */
    assert_non_null(strstr(judged(summary, gain)->number, "P = 1000: 10.0 [8.2, 12.2] 92 % times"));
    add_times(summary, 10000);
    assert_verdict(summary, gain, VERDICT_NOT_REPRODUCED);
}

/* ---- performance --------------------------------------------------------------------------------------- */

/* A row of t seconds, between 0.9 t and 1.2 t by 15 samples, of a cell that asked for `cell`. Of 15 the
 * fourth to the twelfth hold the median with 0.9648; two of these with 0.9297. */
static struct record *add_timed(struct summary *summary, const char *sweep, const char *method, double n,
                                const char *cell, double t)
{
    struct record *row = add_row(summary, sweep, method, n);
    strcpy(row->text[COL_cell], cell);
    strcpy(row->text[COL_isa], "avx2");
    row->number[COL_t_total_s] = t;
    row->number[COL_t_lo_s] = 0.9 * t;
    row->number[COL_t_hi_s] = 1.2 * t;
    row->number[COL_samples] = 15;
    row->number[COL_threads] = strstr(cell, "threads=auto") ? 2 : 1;
    row->number[COL_gflops] = 20;
    row->number[COL_peak_gflops] = 90.4; /* twice the prototype's */
    row->number[COL_share] = 0.25;
    row->number[COL_share_reverse] = 0.5;
    return row;
}

static char *performance(const struct summary *summary)
{
    char *text = calloc(1, 1 << 16);
    FILE *out = text ? fmemopen(text, (1 << 16) - 1, "w") : NULL;
    assert_non_null(out);
    paper_print_performance(summary, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_told(const struct summary *summary, const char *words, bool expected)
{
    char *text = performance(summary);
    if ((strstr(text, words) != NULL) != expected) print_error("'%s' in:\n%s", words, text);
    assert_true((strstr(text, words) != NULL) == expected);
    free(text);
}

static void performance_of_one_size(void **state)
{
    struct summary *summary = *state;
    static const char one[] = "method=discrete_adjoint n=50 structure=auto threads=1",
                      many[] = "method=discrete_adjoint n=50 structure=auto threads=auto",
                      plain[] = "method=discrete_adjoint n=50 structure=none threads=1";
    assert_told(summary, "No rows of sweep scaling", true);
    add_timed(summary, "scaling", "discrete_adjoint", 50, plain, 7e-3); /* not to be taken for the next */
    assert_told(summary, "missing", true);
    add_timed(summary, "scaling", "discrete_adjoint", 50, one, 3.5e-3);
    /* the prototype's 3.5e-3 s would be 1.75e-3 s here */
    assert_told(summary, "2.00 [1.80, 2.40] 96 %", true);
    assert_told(summary, "25 %", true);
    struct record *row = add_timed(summary, "scaling", "discrete_adjoint", 50, many, 7e-4);
    assert_told(summary, "5.00 [3.75, 6.67] 92 %", true); /* threads: 0.9/1.2 and 1.2/0.9 of 5 */
    assert_told(summary, "2.00 [1.50, 2.67] 92 %", true); /* structure */
    strcpy(row->text[COL_status], "timeout");
    int told = 0;
    char *text = performance(summary);
    for (const char *at = text; (at = strstr(at, "timeout")); at++) told++;
    free(text);
    assert_int_equal(told, 4); /* seconds, threads and share of auto, and the ratio of one thread to it */
}

static void performance_by_lanes(void **state)
{
    struct summary *summary = *state;
    add_timed(summary, "scaling", "discrete_adjoint", 50, "n=50 threads=1", 1e-3);
    add_timed(summary, "lanes", "discrete_adjoint", 50, "lanes=16 threads=1", 5e-3); /* not one lane */
    add_timed(summary, "lanes", "discrete_adjoint", 50, "lanes=1 threads=2", 6e-3);  /* not one thread */
    add_timed(summary, "lanes", "discrete_adjoint", 50, "method.lanes=1 threads=1", 6e-3); /* another key */
    add_timed(summary, "lanes", "discrete_adjoint", 50, "lanes=auto threads=1", 1e-3);
    assert_told(summary, "6.00 [", false);
    add_timed(summary, "lanes", "discrete_adjoint", 50, "lanes=1 threads=1", 8e-3);
    assert_told(summary, "8.00 [6.00, 10.67] 92 %", true);
    /* a better instruction set counts once it has both ends */
    strcpy(add_timed(summary, "lanes", "discrete_adjoint", 50, "lanes=1 threads=1", 9e-3)->text[COL_isa],
           "avx512");
    assert_told(summary, "8.00 [6.00, 10.67] 92 %", true);
    strcpy(add_timed(summary, "lanes", "discrete_adjoint", 50, "lanes=auto threads=1", 9e-4)->text[COL_isa],
           "avx512");
    assert_told(summary, "10.00 [7.50, 13.33] 92 %", true);
}

static void performance_exponents(void **state)
{
    struct summary *summary = *state;
    for (int i = 0; i < 4; i++) { /* N^3, but for the smallest, which does not count */
        const double n = 10 << i, t = i ? 1e-8 * n * n * n : 1;
        add_timed(summary, "scaling", "discrete_adjoint", n, "threads=1", t);
        add_timed(summary, "scaling", "discrete_adjoint", n, "structure=none threads=1", 1);
    }
    assert_told(summary, "1 thread 3.00;", true);
    assert_told(summary, "CFSA at N = 50: missing", true);
    add_timed(summary, "scaling", "cfsa", 50, "threads=1", 0.125);
    assert_told(summary, "CFSA at N = 50: 0.125 s, 20.0 GFLOP/s, 25 % of peak", true);
}

static void power_fit(void **state)
{
    (void)state;
    const double x[] = {1, 10, 100, 1000}, y[] = {5, 50, 500, 5000}, flat[] = {2, 2, 2, 2};
    double slope, r;
    assert_true(fit_power(4, x, y, &slope, &r));
    assert_true(fabs(slope - 1) < 1e-12 && fabs(r - 1) < 1e-12); /* rounding of a few logarithms */
    assert_true(fit_power(4, x, flat, &slope, &r));
    assert_true(fabs(slope) < 1e-12);
    assert_false(fit_power(2, x, y, &slope, &r));
    assert_false(fit_power(4, flat, y, &slope, &r)); /* all tolerances equal: no slope */
}

/* ---- files --------------------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text, long second)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    const struct timespec when[2] = {{.tv_sec = second}, {.tv_sec = second}};
    assert_int_equal(utimensat(AT_FDCWD, path, when, 0), 0);
}

static void newest_file_of_a_folder(void **state)
{
    (void)state;
    static const char one[] = "#! schema: sens-result/1\nstatus\tproblem\tmethod\nok\tglv\tcfsa\n";
    static const char two[] =
        "#! schema: sens-result/1\nstatus\tproblem\tmethod\nok\tglv\tcfsa\nok\tglv\tcasa_dense\n";
    char folder[] = "/tmp/sensbench-summary-XXXXXX", sweep[64], path[3][96];
    struct summary summary = {.tables = 0};
    struct bench_error error;
    assert_non_null(mkdtemp(folder));
    assert_false(summary_load(&summary, folder, &error));
    assert_non_null(strstr(error.text, "no result file"));
    snprintf(sweep, sizeof sweep, "%s/fig3", folder);
    assert_int_equal(mkdir(sweep, 0700), 0);
    const char *const name[] = {"new.tsv", "old.tsv", "published.tsv"};
    for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/%s", sweep, name[i]);
    write_text(path[0], two, 2000);
    write_text(path[1], one, 1000);
    write_text(path[2], "# not a result file\n", 3000);
    assert_true(summary_load(&summary, folder, &error));
    assert_int_equal(summary.tables, 1);
    assert_int_equal(summary.table[0].rows, 2);
    assert_false(summary_load(&summary, path[2], &error)); /* named, it has to be one */
    assert_false(summary_load(&summary, "/nonexistent", &error));
    summary_free(&summary);
    for (int i = 0; i < 3; i++) unlink(path[i]);
    rmdir(sweep);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(heat_is_predicted, make_summary, drop_summary),
        cmocka_unit_test_setup_teardown(heat_verdicts, make_summary, drop_summary),
        cmocka_unit_test_setup_teardown(reverse_verdicts, make_summary, drop_summary),
        cmocka_unit_test_setup_teardown(vdp_verdicts, make_summary, drop_summary),
        cmocka_unit_test_setup_teardown(proportional_verdicts, make_summary, drop_summary),
        cmocka_unit_test_setup_teardown(floor_verdicts, make_summary, drop_summary),
        cmocka_unit_test_setup_teardown(time_verdicts, make_summary, drop_summary),
        cmocka_unit_test_setup_teardown(performance_of_one_size, make_summary, drop_summary),
        cmocka_unit_test_setup_teardown(performance_by_lanes, make_summary, drop_summary),
        cmocka_unit_test_setup_teardown(performance_exponents, make_summary, drop_summary),
        cmocka_unit_test(power_fit),
        cmocka_unit_test(newest_file_of_a_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
