/* The statements on Figure 2, Van der Pol: published errors and step counts of Cash-Karp with the odeint
 * controller. */

#include "statements.h"

/* Errors in the max norm from the text of section 4.2; step counts where they are known. */
static const struct published {
    double tol, solution, sensitivity, steps;
} published[] = {
    {1e-4, 1.4e-5, 9.8, 0},         {1e-6, 3.4e-7, 2.7e-3, 0},       {1e-8, 7.1e-9, 3.3e-5, 0},
    {1e-10, 3.1e-11, 1.3e-7, 1116}, {1e-12, 1.5e-13, 4.7e-10, 2794},
};
enum { PUBLISHED = sizeof published / sizeof published[0] };
/* At 1e-12 the published solution error is a few hundred roundings, which differ from machine to machine. */
static const double agreement = 3;
/* dv/deps(0.5) = 1.28208...: an error of that size leaves no digit. */
static const double dv_deps = 1.28208465605032422;

static const struct record *ours(const struct summary *summary, double tol)
{
    return summary_find(
        summary, &(struct row_query){
                     .sweep = "fig2", .method = "discrete_adjoint", .tableau = "cash_karp", .rtol = tol});
}

static bool agrees(double ratio)
{
    return ratio <= agreement && ratio >= 1 / agreement;
}

/* Notes why a row gives no number. */
static bool usable(struct statement *statement, const struct record *row, double tol)
{
    if (row_ok(row)) return true;
    statement_note(statement, "tol %.0e: %s", tol,
                   row ? row->text[COL_status] : "no row of Cash-Karp in fig2");
    return false;
}

static void judge_errors(struct paper *paper, const struct published *point, const char *text)
{
    struct statement *statement = paper_state(paper, "Figure 2", text);
    const struct record *row = ours(paper->rows, point->tol);
    if (!usable(statement, row, point->tol)) return;
    const double x = row->number[COL_err_x_max], g = row->number[COL_err_grad_max];
    statement_note(statement,
                   "solution %.2e, published %.1e, ratio %.2f; sensitivity %.2e, published %.1e, ratio %.2f",
                   x, point->solution, x / point->solution, g, point->sensitivity, g / point->sensitivity);
    statement_judge(statement, agrees(x / point->solution) && agrees(g / point->sensitivity));
}

static void judge_steps(struct paper *paper)
{
    struct statement *statement =
        paper_state(paper, "Figure 2", "accepted steps: 1116 at tol 1e-10 and 2794 at 1e-12");
    bool known = true, same = true;
    for (int i = 0; i < PUBLISHED; i++) {
        if (published[i].steps == 0) continue;
        const struct record *row = ours(paper->rows, published[i].tol);
        if (statement->number[0]) statement_note(statement, "; ");
        if (!usable(statement, row, published[i].tol)) {
            known = false;
            continue;
        }
        statement_note(statement, "tol %.0e: %.0f", published[i].tol, row->number[COL_steps]);
        same = same && row->number[COL_steps] == published[i].steps;
    }
    if (known) statement_judge(statement, same);
}

static void judge_loose(struct paper *paper)
{
    struct statement *statement =
        paper_state(paper, "Figure 2",
                    "at a loose tolerance (1e-4) the sensitivity of an explicit method has no correct digit");
    const struct record *row = ours(paper->rows, 1e-4);
    if (!usable(statement, row, 1e-4)) return;
    const double g = row->number[COL_err_grad_max];
    statement_note(statement, "error %.3g where dv/deps = %.4f, ratio %.3g; published error %.1f", g, dv_deps,
                   g / dv_deps, published[0].sensitivity);
    statement_judge(statement, !(g < dv_deps));
}

/* Between the loose and the tight end. */
static void judge_middle(struct paper *paper)
{
    struct statement *statement = paper_state(
        paper, "Figure 2", "at 1e-6 and 1e-8 the errors are within 3x of the published Cash-Karp points");
    bool known = true, same = true;
    for (int i = 1; i <= 2; i++) {
        const struct record *row = ours(paper->rows, published[i].tol);
        if (statement->number[0]) statement_note(statement, "; ");
        if (!usable(statement, row, published[i].tol)) {
            known = false;
            continue;
        }
        const double x = row->number[COL_err_x_max] / published[i].solution;
        const double g = row->number[COL_err_grad_max] / published[i].sensitivity;
        statement_note(statement, "tol %.0e: ratios %.2f (solution), %.2f (sensitivity)", published[i].tol, x,
                       g);
        same = same && agrees(x) && agrees(g);
    }
    if (known) statement_judge(statement, same);
}

void paper_judge_vdp(struct paper *paper)
{
    judge_errors(paper, &published[3], "at 1e-10 the errors are within 3x of the published Cash-Karp point");
    judge_errors(paper, &published[4], "at 1e-12 the errors are within 3x of the published Cash-Karp point");
    judge_middle(paper);
    judge_steps(paper);
    judge_loose(paper);
    struct statement *statement =
        paper_state(paper, "Figure 2", "FATODE and DENSERKS stop improving at a solution error of 6e-11");
    statement_note(statement, "needs those programs; their drivers write eps = 0.001 in single precision");
}
