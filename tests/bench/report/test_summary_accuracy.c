/* Times to accuracy from made-up curves with known answers, and what is said of peers, in both directions. */
#include "summary_support.h"

#include <math.h>

/* A row of the whole gradient of Lotka-Volterra, with its error and its time. */
static struct record *add_timed(struct summary *summary, const char *sweep, const char *method, double n,
                                double error, double seconds)
{
    struct record *row = add_row(summary, sweep, method, n);
    strcpy(row->text[COL_problem], "glv");
    strcpy(row->text[COL_cost], "identity");
    strcpy(row->text[COL_wrt], "both");
    row->number[COL_err_grad] = error;
    row->number[COL_t_total_s] = seconds;
    return row;
}

/* ---- curves -------------------------------------------------------------------------------------------- */

/* Times at 1e-3, 1e-7 and 1e-11: at 1e-4 t, at 1e-6 ... of t = scale e^(-1/4). */
static void add_curve(struct summary *summary, const char *method, double n, const char *series, double scale)
{
    const double error[] = {1e-3, 1e-7, 1e-11};
    for (int i = 0; i < 3; i++) {
        struct record *row = add_timed(summary, "fig4", method, n, error[i], scale * pow(error[i], -0.25));
        strcpy(row->text[COL_series], series);
    }
}

static void curves_are_of_one_implementation(void **state)
{
    struct summary *summary = *state;
    struct accuracy accuracy;
    add_curve(summary, "discrete_adjoint", 5, "cash_karp", 1);
    add_curve(summary, "cvodes_adjoint", 10, "lmm=adams", 3);
    add_curve(summary, "discrete_adjoint", 5, "tsit5", 0.5);
    add_curve(summary, "petsc_tsadjoint", 5, "type=5dp", 20);
    struct record *row = add_timed(summary, "fig4", "petsc_tsadjoint", 5, 1e-5, 1);
    strcpy(row->text[COL_series], "type=5dp,controlled");
    strcpy(row->text[COL_track], "controlled");
    row = add_timed(summary, "fig4", "petsc_tsadjoint", 5, NAN, NAN);
    strcpy(row->text[COL_series], "type=arkimex");
    strcpy(row->text[COL_status], "unsupported");
    add_timed(summary, "fig3", "cfsa", 5, 1e-5, 1); /* of another sweep */
    assert_true(accuracy_read(summary, true, &accuracy));
    assert_int_equal(accuracy.curves, 6);
    size_t at = 0;
    const char *const order[] = {"cash_karp",    "tsit5",     "type=5dp",
                                 "type=arkimex", "lmm=adams", "type=5dp,controlled"};
    for (; at < 6; at++) assert_string_equal(accuracy.curve[at].row->text[COL_series], order[at]);
    assert_near(accuracy.curve[0].reached[0], 10);
    assert_near(accuracy.curve[1].reached[2], 50);
    assert_near(accuracy.curve[2].reached[0], 200);
    assert_int_equal(accuracy.curve[3].count, 0);
    assert_true(isnan(accuracy.curve[5].reached[0]));
    assert_near(accuracy_best(&accuracy, accuracy.curve[2].row, "discrete_adjoint", 0), 5);
    assert_true(isnan(accuracy_best(&accuracy, accuracy.curve[4].row, "discrete_adjoint", 0)));
    assert_true(isnan(accuracy_best(&accuracy, accuracy.curve[5].row, "discrete_adjoint", 0)));
    accuracy_free(&accuracy);
}

/* What was refused before it was resolved is of no task, and is told once for all its cells. */
static void what_was_refused_is_no_task(void **state)
{
    struct summary *summary = *state;
    struct accuracy accuracy;
    char *text = NULL;
    size_t size = 0;
    add_curve(summary, "discrete_adjoint", 5, "cash_karp", 1);
    for (int i = 0; i < 4; i++) {
        struct record *row = add_timed(summary, "fig4", i ? "cvodes_adjoint" : "", NAN, NAN, NAN);
        row->text[COL_wrt][0] = row->text[COL_cost][0] = '\0';
        strcpy(row->text[COL_status], "unavailable");
        strcpy(row->text[COL_message], "not built");
        strcpy(row->text[COL_cell], "problem=glv method=cvodes_adjoint n=5");
    }
    assert_true(accuracy_read(summary, true, &accuracy));
    assert_int_equal(accuracy.curves, 1);
    accuracy_free(&accuracy);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    summary_print_accuracy(summary, out);
    fclose(out);
    assert_non_null(strstr(text, "- cvodes_adjoint, 4 cells: unavailable: not built\n"));
    const char *task = strstr(text, "**glv**");
    assert_non_null(task);
    assert_null(strstr(task + 1, "**glv**"));
    free(text);
    json_t *list = summary_accuracy_json(summary);
    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 1), "cells")), 4);
    json_decref(list);
}

/* More exact than the goal from the first tolerance on: a bound, and the ratios of the column are there. */
static void bounds_are_told_apart(void **state)
{
    struct summary *summary = *state;
    char *text = NULL;
    size_t size = 0;
    add_timed(summary, "fig4", "discrete_adjoint", 5, 1e-5, 2);
    add_timed(summary, "fig4", "discrete_adjoint", 5, 1e-7, 4);
    add_curve(summary, "cvodes_adjoint", 5, "adams", 1);
    struct record *row = add_timed(summary, "fig4", "cvodes_adjoint", 5, NAN, NAN);
    strcpy(row->text[COL_series], "adams");
    strcpy(row->text[COL_status], "timeout");
    add_timed(summary, "fig4", "cfsa", 5, 1e-7, 12);
    for (int i = 0; i < 3; i++) {
        row = add_timed(summary, "fig4", "casa_dense", 5, NAN, NAN);
        strcpy(row->text[COL_status], i ? "diverged" : "timeout");
    }
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    summary_print_accuracy(summary, out);
    fclose(out);
    const char *const expected[] = {
        "| discrete_adjoint | < 2 s | 2.83 s (1) | - | - |",
        "| cvodes_adjoint: adams (timeout 1 of 4) | 10 s (> 5) | 31.6 s (11.2) | 100 s |",
        "| cfsa | < 12 s | < 12 s (< 4.24) | - | - |",
        "| casa_dense (timeout 1 of 3, diverged 2 of 3) | timeout |"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (!strstr(text, expected[i])) fail_msg("'%s' is not in\n%s", expected[i], text);
    free(text);
    json_t *list = summary_accuracy_json(summary);
    const json_t *item = json_array_get(list, 0);
    assert_near(json_real_value(json_object_get(json_object_get(item, "at_most"), "1e-4")), 2);
    assert_true(json_is_null(json_object_get(json_object_get(item, "at_most"), "1e-6")));
    assert_true(json_is_null(json_object_get(json_object_get(item, "seconds"), "1e-4")));
    json_decref(list);
}

/* More points than any room that is made at first; the most exact comes last. */
static void points_are_all_kept(void **state)
{
    struct summary *summary = *state;
    struct accuracy accuracy;
    for (int i = 0; i < 100; i++)
        add_timed(summary, "fig4", "cfsa", 5, pow(10, -3 - 0.06 * i), pow(10, 0.03 * i));
    assert_true(accuracy_read(summary, true, &accuracy));
    assert_int_equal(accuracy.curve[0].count, 100);
    assert_near(accuracy.curve[0].reached[2], pow(10, 2.5));
    accuracy_free(&accuracy);
}

static void they_are_printed(void **state)
{
    struct summary *summary = *state;
    char *text = NULL;
    size_t size = 0;
    add_curve(summary, "discrete_adjoint", 5, "", 1);
    strcpy(summary->table[0].row[0].text[COL_tableau], "cash_karp"); /* a file without the column series */
    strcpy(summary->table[0].row[1].text[COL_tableau], "cash_karp");
    strcpy(summary->table[0].row[2].text[COL_tableau], "cash_karp");
    add_curve(summary, "cvodes_adjoint", 5, "lmm=adams", 120);
    struct record *row = add_timed(summary, "peers-small", "petsc_tsadjoint", 5, NAN, NAN);
    strcpy(row->text[COL_status], "unavailable");
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    summary_print_accuracy(summary, out);
    fclose(out);
    const char *const expected[] = {
        "**glv**, 5 states, cost identity, wrt both, natural",
        "| discrete_adjoint: cash_karp | 10 s (1) | 31.6 s (1) | 100 s (1) | 316 s (1) |",
        "| cvodes_adjoint: lmm=adams | 1.2e+03 s (120) |", "| petsc_tsadjoint | unavailable | unavailable |"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (!strstr(text, expected[i])) fail_msg("'%s' is not in\n%s", expected[i], text);
    free(text);
    json_t *list = summary_accuracy_json(summary);
    assert_int_equal(json_array_size(list), 3);
    const json_t *item = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(item, "series")), "lmm=adams");
    assert_near(json_real_value(json_object_get(json_object_get(item, "seconds"), "1e-4")), 1200);
    assert_near(json_real_value(json_object_get(json_object_get(item, "ratio"), "1e-8")), 120);
    const json_t *absent = json_array_get(list, 2);
    assert_true(json_is_null(json_object_get(json_object_get(absent, "seconds"), "1e-4")));
    assert_string_equal(json_string_value(json_object_get(absent, "status")), "unavailable");
    json_decref(list);
}

/* A sweep of anybody has its tables: apart from the published ones and from each other, curves apart by all
 * that their cells asked for beside the tolerance, tasks by the options of the problem. */
static void any_sweep_has_its_tables(void **state)
{
    struct summary *summary = *state;
    char *text = NULL;
    size_t size = 0;
    const struct {
        const char *sweep, *cell;
        double scale;
    } curve[] = {{"mine", "method=discrete_adjoint kind=random lanes=1", 1},
                 {"mine", "method=discrete_adjoint kind=random lanes=8", 0.5},
                 {"mine", "method=discrete_adjoint kind=uncoupled lanes=1", 7},
                 {"other", "method=discrete_adjoint kind=random lanes=1", 9}};
    for (size_t i = 0; i < sizeof curve / sizeof curve[0]; i++)
        for (int k = 0; k < 2; k++) {
            const double error = k ? 1e-3 : 1e-11;
            struct record *row = add_timed(summary, curve[i].sweep, "discrete_adjoint", 5, error,
                                           curve[i].scale * pow(error, -0.25));
            snprintf(row->text[COL_cell], RECORD_TEXT, "%s tol=1e-%d", curve[i].cell, k ? 3 : 11);
        }
    struct record *row = add_timed(summary, "once", "cfsa", 5, 1e-5, 1); /* a point is no curve */
    strcpy(row->text[COL_cell], "method=cfsa tol=1e-3");
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    summary_print_accuracy(summary, out);
    fclose(out);
    const char *const expected[] = {
        "natural, kind=random; sweep mine\n",     "natural, kind=uncoupled; sweep mine\n",
        "natural, kind=random; sweep other\n",    "| discrete_adjoint lanes=1 | 10 s (2) |",
        "| discrete_adjoint lanes=8 | 5 s (1) |", "| discrete_adjoint | 70 s (1) |",
        "| discrete_adjoint | 90 s (1) |"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (!strstr(text, expected[i])) fail_msg("'%s' is not in\n%s", expected[i], text);
    assert_null(strstr(text, "cfsa"));
    free(text);
    struct accuracy accuracy;
    assert_true(accuracy_read(summary, true, &accuracy)); /* no statement is judged by them */
    assert_int_equal(accuracy.curves, 0);
    accuracy_free(&accuracy);
}

/* ---- verdicts ------------------------------------------------------------------------------------------ */

static const struct statement *judged(struct summary *summary, const char *words)
{
    static struct paper paper;
    const struct statement *found = NULL;
    paper = (struct paper){.rows = summary};
    paper_judge_peers(&paper);
    for (size_t i = 0; i < paper.statements; i++)
        if (strstr(paper.statement[i].text, words)) found = &paper.statement[i];
    assert_non_null(found);
    return found;
}

static void assert_verdict(struct summary *summary, const char *words, enum verdict expected,
                           const char *number)
{
    const struct statement *statement = judged(summary, words);
    if (statement->verdict != expected || !strstr(statement->number, number))
        fail_msg("%s: %s: '%s'", words, verdict_name(statement->verdict), statement->number);
}

/* From the stored table alone: 0.13 at N = 2 to 6.7 at N = 100. */
static void the_papers_code_was_measured_before(void **state)
{
    assert_verdict(*state, "the paper's AD version", VERDICT_NOT_TESTABLE, "N = 100: 6.7");
    assert_verdict(*state, "the paper's AD version", VERDICT_NOT_TESTABLE, "measured before");
    assert_verdict(*state, "FATODE", VERDICT_NOT_TESTABLE, "exponent 2.04");
}

/* Before: PETSc 1.2e-3 by 1.2e-5 at N = 5; adjoint of CVODES 1.6e-3, forward 5.9e-3. */
static void factors_of_peers(void **state)
{
    struct summary *summary = *state;
    const struct {
        const char *method, *words;
        double before;
    } peer[] = {{"petsc_corrected", "PETSc by hand is slower", 100},
                {"cvodes_adjoint", "the adjoint of CVODES is slower", 1.6e-3 / 1.2e-5},
                {"cvodes_forward", "CVODES forward is slower", 5.9e-3 / 1.2e-5}};
    for (int i = 0; i < 3; i++) {
        summary->table[0].rows = 0;
        assert_verdict(summary, peer[i].words, VERDICT_NOT_TESTABLE, "no rows");
        add_curve(summary, "discrete_adjoint", 5, "cash_karp", 1);
        add_curve(summary, peer[i].method, 5, "x", 1.9 * peer[i].before);
        assert_verdict(summary, peer[i].words, VERDICT_REPRODUCED, "N = 5: ");
        assert_verdict(summary, peer[i].words, VERDICT_REPRODUCED, "before at tolerance 1e-9");
        add_curve(summary, peer[i].method, 5, "x,vjp=adolc", 0.01); /* not by hand: not looked at */
        for (size_t k = summary->table[0].rows - 3; k < summary->table[0].rows; k++)
            strcpy(summary->table[0].row[k].text[COL_vjp], "adolc");
        assert_verdict(summary, peer[i].words, VERDICT_REPRODUCED, "N = 5: ");
        add_curve(summary, "discrete_adjoint", 3, "cash_karp", 1);
        add_curve(summary, peer[i].method, 3, "x", 1e6); /* a size that was not measured before */
        assert_verdict(summary, peer[i].words, VERDICT_REPRODUCED, "N = 3: 1e+06 times");
        summary->table[0].rows = 0;
        add_curve(summary, "discrete_adjoint", 5, "cash_karp", 1);
        add_curve(summary, peer[i].method, 5, "x", 2.1 * peer[i].before);
        assert_verdict(summary, peer[i].words, VERDICT_NOT_REPRODUCED, "N = 5: ");
    }
}

static void providers(void **state)
{
    struct summary *summary = *state;
    const char words[] = "with automatic differentiation";
    assert_verdict(summary, words, VERDICT_NOT_TESTABLE, "no rows");
    add_curve(summary, "petsc_corrected", 5, "dopri5", 1);
    assert_verdict(summary, words, VERDICT_NOT_TESTABLE, "no rows");
    add_curve(summary, "petsc_corrected", 5, "dopri5", 12);
    for (int i = 3; i < 6; i++) strcpy(summary->table[0].row[i].text[COL_vjp], "adolc");
    assert_verdict(summary, words, VERDICT_REPRODUCED, "N = 5: 12");
    for (int i = 3; i < 6; i++) summary->table[0].row[i].number[COL_t_total_s] *= 0.25;
    assert_verdict(summary, words, VERDICT_NOT_REPRODUCED, "N = 5: 3");
}

/* Both ways of products that nobody wrote have to be about ten times slower. */
static void automatic_products(void **state)
{
    struct summary *summary = *state;
    static const char *const provider[] = {"hand", "compiled", "tape"};
    const char words[] = "faster than with automatic ones";
    assert_verdict(summary, words, VERDICT_NOT_TESTABLE, "no rows");
    const double scale[] = {1, 12, 19};
    for (int v = 0; v < 3; v++) {
        add_curve(summary, "discrete_adjoint", 5, provider[v], scale[v]);
        for (int i = 3 * v; i < 3 * v + 3; i++) strcpy(summary->table[0].row[i].text[COL_vjp], provider[v]);
    }
    assert_verdict(summary, words, VERDICT_REPRODUCED, "N = 5: 12 compiled, 19 by tape");
    add_curve(summary, "petsc_corrected", 5, "dopri5", 30);
    assert_verdict(summary, words, VERDICT_REPRODUCED,
                   "(PETSc by hand takes 2.5 times as long as ours compiled)");
    for (int i = 3; i < 6; i++) summary->table[0].row[i].number[COL_t_total_s] *= 0.1;
    assert_verdict(summary, words, VERDICT_NOT_REPRODUCED, "N = 5: 1.2 compiled, 19 by tape");
    for (int i = 3; i < 6; i++) strcpy(summary->table[0].row[i].text[COL_vjp], "compiled+tape");
    assert_verdict(summary, words, VERDICT_NOT_TESTABLE, "no rows");
}

/* The largest size decides, and the nearest of the adjoints. */
static void the_tangent_on_heat(void **state)
{
    struct summary *summary = *state;
    const char words[] = "the tangent beats every adjoint";
    const double factor[] = {250, 30};
    assert_verdict(summary, words, VERDICT_NOT_TESTABLE, "no rows");
    for (int i = 0; i < 2; i++) {
        const double n = i ? 81 : 841;
        add_curve(summary, "discrete_tangent", n, "cash_karp", 1);
        add_curve(summary, "discrete_adjoint", n, "cash_karp", factor[i]);
        add_curve(summary, "cvodes_adjoint", n, "lmm=bdf", 2 * factor[i]);
        add_curve(summary, "cvodes_forward", n, "lmm=bdf", 2);
    }
    for (size_t i = 0; i < summary->table[0].rows; i++)
        strcpy(summary->table[0].row[i].text[COL_problem], "heat");
    assert_verdict(summary, words, VERDICT_REPRODUCED,
                   "841 outputs: the nearest, discrete_adjoint, takes 250");
    for (size_t i = 3; i < 6; i++) summary->table[0].row[i].number[COL_t_total_s] *= 0.7;
    assert_verdict(summary, words, VERDICT_NOT_REPRODUCED, "takes 175");
    for (size_t i = 0; i < 12; i++) summary->table[0].row[i].number[COL_n] = 324; /* n = 19 */
    assert_verdict(summary, words, VERDICT_NOT_TESTABLE, "needs 361 outputs");
    for (size_t i = 0; i < 12; i++) summary->table[0].row[i].number[COL_n] = 361;
    assert_verdict(summary, words, VERDICT_NOT_REPRODUCED, "takes 175");
}

static void add_error(struct summary *summary, const char *method, double n, const char *series,
                      const char *library, double rtol, double error)
{
    struct record *row = add_timed(summary, "fig4", method, n, error, 1);
    strcpy(row->text[COL_series], series);
    strcpy(row->text[COL_library], library);
    row->number[COL_rtol] = rtol;
}

static void errors_of_peers(void **state)
{
    struct summary *summary = *state;
    const char wrong[] = "wrong gradients with 5dp", outside[] = "outside the error test";
    const char petsc[] = "petsc_tsadjoint", forward[] = "cvodes_forward";
    const char old[] = "PETSc 3.18.5 (optimised)", new[] = "PETSc 3.22.0 (optimised)",
               cvodes[] = "SUNDIALS CVODES 6";
    assert_verdict(summary, wrong, VERDICT_NOT_TESTABLE, "no rows");
    assert_verdict(summary, outside, VERDICT_NOT_TESTABLE, "no rows");
    add_error(summary, petsc, 5, "5dp", new, 1e-9, 1e-9); /* a later release says nothing about this one */
    add_error(summary, petsc, 10, "5dp", "", 1e-9, 1.3e-2);
    assert_verdict(summary, wrong, VERDICT_NOT_TESTABLE, "by PETSc 3.18");
    add_error(summary, petsc, 5, "5dp", old, 1e-9, 1.3e-2);
    add_error(summary, petsc, 5, "3bs", old, 1e-9, 1e-9); /* another pair is right */
    assert_verdict(summary, wrong, VERDICT_REPRODUCED, "N = 5: 1.3e-02");
    add_error(summary, petsc, 5, "5dp", old, 1e-9, 1e-9);
    assert_verdict(summary, wrong, VERDICT_NOT_REPRODUCED, "N = 5: 1.0e-09");
    add_error(summary, forward, 5, "adams,errcon=outside", cvodes, 1e-9, 2e-6);
    add_error(summary, forward, 5, "adams,errcon=outside", cvodes, 1e-12, 1e-11); /* a tighter tolerance */
    assert_verdict(summary, outside, VERDICT_REPRODUCED, "N = 5: 2.0e-06");
    /* of the order of 2e-6, to both sides */
    const double error[] = {3e-7, 1.9e-5, 1e-7, 3e-5};
    for (int i = 0; i < 4; i++) {
        add_error(summary, forward, 10, "adams,errcon=outside", cvodes, 1e-9, error[i]);
        assert_verdict(summary, outside, i < 2 ? VERDICT_REPRODUCED : VERDICT_NOT_REPRODUCED, "N = 10: ");
        summary->table[0].rows--;
    }
}

int main(void)
{
#define WITH_SUMMARY(test) cmocka_unit_test_setup_teardown(test, make_summary, drop_summary)
    const struct CMUnitTest tests[] = {
        WITH_SUMMARY(curves_are_of_one_implementation),
        WITH_SUMMARY(what_was_refused_is_no_task),
        WITH_SUMMARY(bounds_are_told_apart),
        WITH_SUMMARY(points_are_all_kept),
        WITH_SUMMARY(any_sweep_has_its_tables),
        WITH_SUMMARY(they_are_printed),
        WITH_SUMMARY(the_papers_code_was_measured_before),
        WITH_SUMMARY(factors_of_peers),
        WITH_SUMMARY(providers),
        WITH_SUMMARY(automatic_products),
        WITH_SUMMARY(the_tangent_on_heat),
        WITH_SUMMARY(errors_of_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
