/* The statements on other implementations: those of section 4.3 of the paper, as far as they can be tested,
 * and what we measured before about peers, tested again.
 *
 * Times are compared at equal errors (summary_accuracy.c), from the rows of the sweeps fig4 and peers-* of
 * the natural track. The paper's own code and FATODE are not here: what measured_before.tsv has of them
 * is told beside a statement, and judges none. */
#include <math.h>
#include <string.h>

#include "statements.h"

enum { SIZES_MAX = 32 };

/* "About", of times on two machines: within a factor of two. */
static const double about = 2;
/* Times are compared at this accuracy: every method but those with a fault comes to it. */
enum { GOAL = 1 };

static const struct {
    const char *code;
    int threads;
    double n, seconds;
} before[] = {
#include "measured_before.def"
};
enum { BEFORE = sizeof before / sizeof before[0] };

static double seconds_before(const char *code, double n)
{
    for (size_t i = 0; i < BEFORE; i++)
        if (strcmp(before[i].code, code) == 0 && before[i].threads == 1 && before[i].n == n)
            return before[i].seconds;
    return NAN;
}

static bool is_about(double value, double expected)
{
    return value >= expected / about && value <= expected * about;
}

static const char *gap(const struct statement *statement)
{
    return statement->number[0] ? "; " : "";
}

/* ---- the paper's code ---------------------------------------------------------------------------------- */

static void judge_paper_code(struct paper *paper)
{
    struct statement *statement = paper_state(
        paper, "Figure 4",
        "PETSc with a hand-written product is about 10 times faster than the paper's AD version at every N");
    for (size_t i = 0; i < BEFORE; i++) {
        const double hand = seconds_before("PETSc 5dp, by hand", before[i].n);
        if (strcmp(before[i].code, "the paper's code") != 0 || isnan(hand)) continue;
        statement_note(statement, "%sN = %.0f: %.2g", gap(statement), before[i].n, before[i].seconds / hand);
    }
    statement_note(statement,
                   "%smeasured before, on one other machine (harness/paper/measured_before.tsv): the paper's "
                   "code is not here to be run again",
                   gap(statement));
}

/* What is known stands beside it: log t / log P between the two largest sizes, P = N + N^2. */
static void note_fatode(struct paper *paper)
{
    struct statement *statement =
        paper_state(paper, "Figure 5", "FATODE (dense f_p) tends to quadratic in P");
    const double few = seconds_before("FATODE DP5", 50), many = seconds_before("FATODE DP5", 100);
    statement_note(statement, "needs FATODE");
    if (few > 0 && many > 0)
        statement_note(statement, "; measured before, from N = 50 to 100: exponent %.2f in P",
                       log(many / few) / log((100 + 100.0 * 100) / (50 + 50.0 * 50)));
}

/* ---- curves of peers ----------------------------------------------------------------------------------- */

/* One row for each task of a problem in the natural track, in the order of the curves. */
static size_t find_tasks(const struct accuracy *accuracy, const char *problem, const struct record *task[])
{
    size_t tasks = 0;
    for (size_t i = 0; i < accuracy->curves && tasks < SIZES_MAX; i++) {
        const struct record *row = accuracy->curve[i].row;
        const bool again = tasks > 0 && accuracy_same_task(accuracy, task[tasks - 1], row);
        if (!again && strcmp(row->text[COL_problem], problem) == 0 && strcmp(row_track(row), "natural") == 0)
            task[tasks++] = row;
    }
    return tasks;
}

/* Whether the products of a row are by `provider`; NULL: by any but "hand". */
static bool is_by(const struct record *row, const char *provider)
{
    const char *const name = row->text[COL_vjp][0] ? row->text[COL_vjp] : "hand";
    return provider ? strcmp(name, provider) == 0 : strcmp(name, "hand") != 0;
}

/* The least time of a method at the goal, of its curves with products by `provider` (is_by); NaN: none. */
static double best_with(const struct accuracy *accuracy, const struct record *task, const char *method,
                        const char *provider)
{
    double best = NAN;
    for (size_t i = 0; i < accuracy->curves; i++) {
        const struct record *row = accuracy->curve[i].row;
        if (strcmp(row->text[COL_method], method) == 0 && is_by(row, provider) &&
            accuracy_same_task(accuracy, row, task))
            best = fmin(best, accuracy->curve[i].reached[GOAL]); /* a NaN gives way */
    }
    return best;
}

static double best_by_hand(const struct accuracy *accuracy, const struct record *task, const char *method)
{
    return best_with(accuracy, task, method, "hand");
}

static double best_of_petsc(const struct accuracy *accuracy, const struct record *task, const char *provider)
{
    return fmin(best_with(accuracy, task, "petsc_corrected", provider),
                best_with(accuracy, task, "petsc_tsadjoint", provider));
}

static void judge_providers(struct paper *paper, const struct accuracy *accuracy)
{
    struct statement *statement = paper_state(
        paper, "Figure 4",
        "PETSc with a hand-written product is about 10 times faster than with automatic differentiation");
    const struct record *task[SIZES_MAX];
    const size_t tasks = find_tasks(accuracy, "glv", task);
    size_t seen = 0, met = 0;
    for (size_t i = 0; i < tasks; i++) {
        const double times =
            best_of_petsc(accuracy, task[i], NULL) / best_of_petsc(accuracy, task[i], "hand");
        if (!isfinite(times)) continue;
        seen++;
        met += is_about(times, 10);
        statement_note(statement, "%sN = %.0f: %.3g", gap(statement), task[i]->number[COL_n], times);
    }
    if (seen) statement_judge(statement, met == seen);
    if (!seen)
        statement_note(statement,
                       "no rows of PETSc both by hand and with an AD provider (vjp=) that reach 1e-6");
}

/* Two curves of the discrete adjoint: its products by hand, and made by `provider`. */
static double automatic_by_hand(const struct accuracy *accuracy, const struct record *task,
                                const char *provider)
{
    return best_with(accuracy, task, "discrete_adjoint", provider) /
           best_by_hand(accuracy, task, "discrete_adjoint");
}

/* The same statement of the adjoint in lanes, whose automatic products are compiled or a tape. */
static void judge_automatic(struct paper *paper, const struct accuracy *accuracy)
{
    struct statement *statement = paper_state(
        paper, "Figure 4",
        "the adjoint in lanes with hand-written products is about 10 times faster than with automatic ones");
    const struct record *task[SIZES_MAX];
    const size_t tasks = find_tasks(accuracy, "glv", task);
    size_t seen = 0, met = 0;
    for (size_t i = 0; i < tasks; i++) {
        const double compiled = automatic_by_hand(accuracy, task[i], "compiled");
        const double tape = automatic_by_hand(accuracy, task[i], "tape");
        const double petsc = best_of_petsc(accuracy, task[i], "hand") /
                             best_with(accuracy, task[i], "discrete_adjoint", "compiled");
        if (!isfinite(compiled) || !isfinite(tape)) continue;
        seen++;
        met += is_about(compiled, 10) && is_about(tape, 10);
        statement_note(statement, "%sN = %.0f: %.3g compiled, %.3g by tape", gap(statement),
                       task[i]->number[COL_n], compiled, tape);
        if (isfinite(petsc))
            statement_note(statement, " (PETSc by hand takes %.3g times as long as ours compiled)", petsc);
    }
    if (seen) statement_judge(statement, met == seen);
    if (!seen)
        statement_note(
            statement,
            "no rows of discrete_adjoint by hand, with vjp=compiled and with vjp=tape that reach 1e-6");
}

/* Times of a method by those of the discrete adjoint, products by hand, beside those of the code measured
 * before by the prototype's. Reproduced: about the same wherever both are known. */
static void judge_peer(struct paper *paper, const struct accuracy *accuracy, const char *method,
                       const char *code, const char *text)
{
    struct statement *statement = paper_state(paper, "Measured before", text);
    const struct record *task[SIZES_MAX];
    const size_t tasks = find_tasks(accuracy, "glv", task);
    size_t seen = 0, met = 0;
    for (size_t i = 0; i < tasks; i++) {
        const double n = task[i]->number[COL_n];
        const double times =
            best_by_hand(accuracy, task[i], method) / best_by_hand(accuracy, task[i], "discrete_adjoint");
        const double then = seconds_before(code, n) / seconds_before("prototype", n);
        if (!isfinite(times)) continue;
        statement_note(statement, "%sN = %.0f: %.3g times", gap(statement), n, times);
        if (!isfinite(then)) continue;
        statement_note(statement, " (before: %.3g)", then);
        seen++;
        met += is_about(times, then);
    }
    if (seen) {
        statement_note(statement, "; now at an error of 1e-6 of the gradient, before at tolerance 1e-9");
        statement_judge(statement, met == seen);
    } else
        statement_note(statement,
                       "%sno rows of %s and discrete_adjoint that reach 1e-6, at a size measured before",
                       gap(statement), method);
}

static bool is_adjoint(const char *method)
{
    return strstr(method, "adjoint") || strncmp(method, "petsc_", 6) == 0 || strncmp(method, "casa_", 5) == 0;
}

/* The advantage grows with the number of outputs: at the largest size, which has to be that of n = 20,
 * (n-1)^2 outputs, at least. */
static void judge_tangent(struct paper *paper, const struct accuracy *accuracy)
{
    struct statement *statement =
        paper_state(paper, "Measured before",
                    "heat, one parameter: the tangent beats every adjoint by 200 times and more");
    const double enough = (20 - 1) * (20 - 1);
    const struct record *task[SIZES_MAX];
    const size_t tasks = find_tasks(accuracy, "heat", task);
    double least_largest = NAN, n_largest = 0;
    for (size_t i = 0; i < tasks; i++) {
        const double tangent = best_by_hand(accuracy, task[i], "discrete_tangent");
        double least = INFINITY;
        const char *name = "";
        for (size_t k = 0; k < accuracy->curves; k++) {
            const struct accuracy_curve *curve = &accuracy->curve[k];
            const double times = curve->reached[GOAL] / tangent;
            if (!accuracy_same_task(accuracy, curve->row, task[i]) ||
                !is_adjoint(curve->row->text[COL_method]) || !(times < least))
                continue;
            least = times;
            name = curve->row->text[COL_method];
        }
        if (isinf(least)) continue;
        statement_note(statement, "%s%.0f outputs: the nearest, %s, takes %.3g times as long", gap(statement),
                       task[i]->number[COL_n], name, least);
        if (task[i]->number[COL_n] > n_largest) n_largest = task[i]->number[COL_n], least_largest = least;
    }
    if (n_largest >= enough)
        statement_judge(statement, least_largest >= 200);
    else if (n_largest > 0)
        statement_note(statement, "; needs %.0f outputs (n = 20) or more", enough);
    else
        statement_note(statement, "no rows of a tangent and an adjoint on heat that reach 1e-6");
}

/* ---- errors of peers ----------------------------------------------------------------------------------- */

static bool has_word(const struct record *row, const char *series)
{
    char text[SUMMARY_TEXT];
    row_series(row, text);
    return strstr(text, series) != NULL;
}

struct claim {
    const char *text, *method;
    const char *series, *library; /* words that are in these columns of a row that counts */
    double rtol;                  /* 0: any, and the least error over them */
    double low, high;             /* errors that are as claimed */
};

/* The errors of one curve of a method at all sizes of glv. */
static void judge_error(struct paper *paper, const struct claim *claim)
{
    struct statement *statement = paper_state(paper, "Measured before", claim->text);
    const struct row_query all = {.sweep = "fig4", .method = claim->method, .rtol = claim->rtol};
    double n[SIZES_MAX];
    const size_t sizes = summary_values(paper->rows, &all, COL_n, SIZES_MAX, n);
    size_t seen = 0, met = 0;
    for (size_t i = 0; i < sizes; i++) {
        struct row_query query = all;
        query.n = n[i];
        double least = INFINITY;
        size_t cursor = 0;
        for (const struct record *row; (row = summary_next(paper->rows, &query, &cursor));)
            if (row_ok(row) && strcmp(row_track(row), "natural") == 0 && has_word(row, claim->series) &&
                strstr(row->text[COL_library], claim->library))
                least = fmin(least, row->number[COL_err_grad]);
        if (isinf(least)) continue;
        seen++;
        met += least >= claim->low && least <= claim->high;
        statement_note(statement, "%sN = %.0f: %.1e", gap(statement), n[i], least);
    }
    if (seen) statement_judge(statement, met == seen);
    if (seen) return;
    statement_note(statement, "no rows of %s, %s by %s in fig4", claim->method, claim->series,
                   claim->library);
    if (claim->rtol > 0) statement_note(statement, ", at tolerance %.0e", claim->rtol);
}

static const struct claim claims[] = {
    /* Whatever the tolerance: an error of the gradient that no tolerance brings below 1e-3. */
    {.text = "PETSc 3.18 as shipped gives wrong gradients with 5dp (stages with b_i = 0)",
     .method = "petsc_tsadjoint",
     .series = "5dp",
     .library = "PETSc 3.18",
     .low = 1e-3,
     .high = INFINITY},
    /* Within a factor of ten: it is of one problem, on which errors spread that much over the sizes. */
    {.text = "CVODES' default, sensitivities outside the error test, comes to 2e-6 only at tolerance 1e-9",
     .method = "cvodes_forward",
     .series = "outside",
     .library = "CVODES",
     .rtol = 1e-9,
     .low = 2e-7,
     .high = 2e-5},
};

void paper_judge_peers(struct paper *paper)
{
    struct accuracy accuracy;
    judge_paper_code(paper);
    note_fatode(paper);
    if (!accuracy_read(paper->rows, true, &accuracy)) return;
    judge_providers(paper, &accuracy);
    judge_automatic(paper, &accuracy);
    judge_peer(paper, &accuracy, "petsc_corrected", "PETSc 5dp, by hand",
               "PETSc by hand is slower than the adjoint in lanes by the factors measured before");
    judge_peer(paper, &accuracy, "cvodes_adjoint", "CVODES adjoint, Adams",
               "the adjoint of CVODES is slower than the adjoint in lanes by the factors measured before");
    judge_peer(paper, &accuracy, "cvodes_forward", "CVODES forward, Adams",
               "CVODES forward is slower than the adjoint in lanes by the factors measured before");
    judge_tangent(paper, &accuracy);
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) judge_error(paper, &claims[i]);
    accuracy_free(&accuracy);
}
