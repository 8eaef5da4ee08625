/* The statements on Figures 3-5, generalised Lotka-Volterra: floors, proportionality, times. */
#include <math.h>
#include <string.h>

#include "statements.h"

enum { POINTS_MAX = 64, SIZES_MAX = 16 };

/* Errors proportional to the tolerance: slope 1 in logarithms. The accepted error of a controller wanders by
 * a factor of a few from one tolerance to the next: 0.2 in the slope, 0.98 in the correlation. */
static const double slope_slack = 0.2, correlation_least = 0.98;
/* A method whose error follows a tenth of the tolerance's decades, or less, and ends a hundred times above
 * the adjoint on the same tolerance has stagnated. */
static const double stagnant_slope = 0.1, stagnant_factor = 100;
/* "Nearly ten times": within a factor of two of ten. */
static const double times_low = 5, times_high = 20;

struct curve {
    size_t count;
    double x[POINTS_MAX], y[POINTS_MAX];
    const struct record *row[POINTS_MAX];
};

/* Successful rows of a query, ascending in column `x`. */
static struct curve read_curve(const struct summary *summary, const struct row_query *query,
                               enum record_column x, enum record_column y)
{
    struct curve curve = {.count = 0};
    size_t cursor = 0;
    for (const struct record *row; (row = summary_next(summary, query, &cursor));) {
        if (!row_ok(row) || !(row->number[x] > 0) || !(row->number[y] > 0) || curve.count == POINTS_MAX)
            continue;
        size_t at = curve.count++;
        for (; at > 0 && curve.x[at - 1] > row->number[x]; at--) {
            curve.x[at] = curve.x[at - 1], curve.y[at] = curve.y[at - 1];
            curve.row[at] = curve.row[at - 1];
        }
        curve.x[at] = row->number[x];
        curve.y[at] = row->number[y];
        curve.row[at] = row;
    }
    return curve;
}

static struct curve errors_of(const struct summary *summary, const char *sweep, const char *method, double n)
{
    const struct row_query query = {.sweep = sweep, .method = method, .n = n};
    return read_curve(summary, &query, COL_rtol, COL_err_grad);
}

static size_t sizes_of(const struct summary *summary, const char *sweep, const char *method,
                       double n[SIZES_MAX])
{
    const struct row_query query = {.sweep = sweep, .method = method};
    return summary_values(summary, &query, COL_n, SIZES_MAX, n);
}

/* The part of a curve with lo <= x <= hi. */
static struct curve part_of(const struct curve *curve, double lo, double hi)
{
    struct curve part = {.count = 0};
    for (size_t i = 0; i < curve->count; i++) {
        if (curve->x[i] < lo * 0.999 || curve->x[i] > hi * 1.001) continue;
        part.x[part.count] = curve->x[i];
        part.y[part.count++] = curve->y[i];
    }
    return part;
}

static double floor_of(const struct curve *curve)
{
    double least = INFINITY;
    for (size_t i = 0; i < curve->count; i++) least = fmin(least, curve->y[i]);
    return least;
}

/* ---- errors -------------------------------------------------------------------------------------------- */

static void judge_proportional(struct paper *paper, const char *sweep, const char *section, const char *text)
{
    static const char *const methods[] = {"discrete_adjoint", "discrete_tangent", "cfsa"};
    struct statement *statement = paper_state(paper, section, text);
    bool good = true;
    size_t fits = 0;
    for (int m = 0; m < 3; m++) {
        double n[SIZES_MAX], low = INFINITY, high = -INFINITY, least = 1;
        const size_t sizes = sizes_of(paper->rows, sweep, methods[m], n);
        for (size_t i = 0; i < sizes; i++) {
            const struct curve all = errors_of(paper->rows, sweep, methods[m], n[i]);
            const struct curve part = part_of(&all, 1e-12, 1e-6);
            double slope, r;
            if (!fit_power(part.count, part.x, part.y, &slope, &r)) continue;
            fits++;
            low = fmin(low, slope);
            high = fmax(high, slope);
            least = fmin(least, r);
        }
        if (high < low) continue;
        statement_note(statement, "%s%s slope %.2f to %.2f, correlation at least %.4f",
                       statement->number[0] ? "; " : "", methods[m], low, high, least);
        good = good && low >= 1 - slope_slack && high <= 1 + slope_slack && least >= correlation_least;
    }
    if (fits) statement_judge(statement, good);
    if (!fits) statement_note(statement, "no curve with three tolerances in %s", sweep);
}

static void judge_stagnation(struct paper *paper)
{
    struct statement *statement = paper_state(
        paper, "Figure 3", "the error of finite differences stagnates whatever the tolerance and N");
    double n[SIZES_MAX];
    const size_t sizes = sizes_of(paper->rows, "fig3", "finite_difference", n);
    size_t fits = 0, stagnant = 0;
    for (size_t i = 0; i < sizes; i++) {
        const struct curve all = errors_of(paper->rows, "fig3", "finite_difference", n[i]);
        const struct curve adjoint = errors_of(paper->rows, "fig3", "discrete_adjoint", n[i]);
        const struct curve tight = part_of(&all, 0, 1e-8);
        double slope, r;
        if (!fit_power(tight.count, tight.x, tight.y, &slope, &r) || adjoint.count == 0) continue;
        const double excess = tight.y[0] / adjoint.y[0];
        fits++;
        stagnant += slope <= stagnant_slope && excess >= stagnant_factor;
        statement_note(statement,
                       "%sN = %.0f: floor %.1e, slope %.2f below 1e-8, %.0e times the adjoint's error",
                       statement->number[0] ? "; " : "", n[i], floor_of(&all), slope, excess);
    }
    if (fits) statement_judge(statement, stagnant == fits);
    if (!fits) statement_note(statement, "no curve with three tolerances below 1e-8 in fig3");
}

/* The worst floor of the methods but casa_reverse. */
static double worst_floor(const struct summary *summary, double n, const char **name)
{
    static const char *const methods[] = {"discrete_adjoint", "discrete_tangent",  "cfsa",
                                          "cfsa_gsl",         "finite_difference", "casa_dense"};
    double worst = 0;
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        const struct curve curve = errors_of(summary, "fig3", methods[m], n);
        const double floor = curve.count ? floor_of(&curve) : 0;
        if (floor > worst) worst = floor, *name = methods[m];
    }
    return worst;
}

static void judge_floor(struct paper *paper)
{
    struct statement *statement =
        paper_state(paper, "Figure 3", "CASA (backward re-integration) has the worst floor");
    double n[SIZES_MAX];
    const size_t sizes = sizes_of(paper->rows, "fig3", "casa_reverse", n);
    size_t seen = 0, worst = 0;
    for (size_t i = 0; i < sizes; i++) {
        const char *name = "";
        const struct curve curve = errors_of(paper->rows, "fig3", "casa_reverse", n[i]);
        const double other = worst_floor(paper->rows, n[i], &name);
        if (other == 0) continue;
        seen++;
        worst += floor_of(&curve) > other;
        statement_note(statement, "%sN = %.0f: ", statement->number[0] ? "; " : "", n[i]);
        if (curve.count)
            statement_note(statement, "%.1e", floor_of(&curve));
        else
            statement_note(statement, "no result at any tolerance");
        statement_note(statement, ", next %s %.1e", name, other);
    }
    if (seen) statement_judge(statement, worst == seen);
    if (!seen) statement_note(statement, "no rows of casa_reverse and another method in fig3");
}

/* ---- times --------------------------------------------------------------------------------------------- */

static struct curve times_of(const struct summary *summary, const char *method, double tol)
{
    const struct row_query query = {.sweep = "fig5", .method = method, .rtol = tol};
    return read_curve(summary, &query, COL_np, COL_t_total_s);
}

/* t(cfsa) / t(adjoint) at the sizes that both have; the last of them with its interval. */
static struct curve time_ratio(const struct summary *summary, double tol, struct ratio *last)
{
    const struct curve adjoint = times_of(summary, "discrete_adjoint", tol);
    const struct curve cfsa = times_of(summary, "cfsa", tol);
    struct curve ratio = {.count = 0};
    for (size_t i = 0; i < adjoint.count; i++)
        for (size_t j = 0; j < cfsa.count; j++) {
            if (cfsa.x[j] != adjoint.x[i]) continue;
            const size_t at = ratio.count++;
            ratio.x[at] = adjoint.x[i];
            *last = summary_ratio(cfsa.row[j], adjoint.row[i]);
            ratio.y[at] = last->value;
        }
    return ratio;
}

/* Where the ratio passes 1 upwards for the last time, by a line through its logarithms; 0 = nowhere. */
static double crossing(const struct curve *ratio)
{
    for (size_t i = ratio->count; i-- > 1;) {
        if (!(ratio->y[i - 1] <= 1 && ratio->y[i] > 1)) continue;
        const double s = log(ratio->y[i - 1]) / (log(ratio->y[i - 1]) - log(ratio->y[i]));
        return ratio->x[i - 1] * pow(ratio->x[i] / ratio->x[i - 1], s);
    }
    return 0;
}

static void note_crossing(struct statement *statement, double tol, const struct curve *ratio, double at)
{
    statement_note(statement, "%stol %.0e: ", statement->number[0] ? "; " : "", tol);
    if (at > 0)
        statement_note(statement, "P = %.0f", at);
    else if (ratio->y[0] > 1)
        statement_note(statement, "the adjoint is faster from the smallest P = %.0f on (%.2g times)",
                       ratio->x[0], ratio->y[0]);
    else
        statement_note(statement, "CFSA is faster up to P = %.0f", ratio->x[ratio->count - 1]);
}

static void judge_times(struct paper *paper)
{
    struct statement *meet =
        paper_state(paper, "Figure 5", "the adjoint meets CFSA at some number of parameters P");
    struct statement *gain =
        paper_state(paper, "Figure 5", "the adjoint is nearly 10 times faster than CFSA at the largest P");
    const struct row_query all = {.sweep = "fig5"};
    double tol[SIZES_MAX];
    const size_t tolerances = summary_values(paper->rows, &all, COL_rtol, SIZES_MAX, tol);
    size_t seen = 0, met = 0, near = 0;
    for (size_t i = 0; i < tolerances; i++) {
        struct ratio largest;
        char text[RATIO_TEXT];
        const struct curve ratio = time_ratio(paper->rows, tol[i], &largest);
        if (ratio.count < 2) continue;
        const size_t last = ratio.count - 1;
        const double at = crossing(&ratio);
        seen++;
        met += at > 0;
        near += ratio.y[last] >= times_low && ratio.y[last] <= times_high;
        note_crossing(meet, tol[i], &ratio, at);
        summary_ratio_text(largest, 1, text);
        statement_note(gain, "%stol %.0e, P = %.0f: %s times", gain->number[0] ? "; " : "", tol[i],
                       ratio.x[last], text);
    }
    if (seen) {
        statement_judge(meet, met == seen);
        statement_judge(gain, near == seen);
    } else {
        statement_note(meet, "fig5 has no two sizes with times of both methods");
        statement_note(gain, "fig5 has no two sizes with times of both methods");
    }
}

/* ---- steps --------------------------------------------------------------------------------------------- */

static void judge_steps(struct paper *paper)
{
    struct statement *statement =
        paper_state(paper, "Figures 3-5", "the step counts are only about 10 to 130, whatever N");
    static const char *const sweeps[] = {"fig3", "fig5"};
    double least = INFINITY, most = 0, n_least = INFINITY, n_most = 0;
    for (int s = 0; s < 2; s++) {
        const struct row_query query = {.sweep = sweeps[s], .method = "discrete_adjoint"};
        size_t cursor = 0;
        for (const struct record *row; (row = summary_next(paper->rows, &query, &cursor));) {
            if (!row_ok(row)) continue;
            least = fmin(least, row->number[COL_steps]);
            most = fmax(most, row->number[COL_steps]);
            n_least = fmin(n_least, row->number[COL_n]);
            n_most = fmax(n_most, row->number[COL_n]);
        }
    }
    if (most == 0) {
        statement_note(statement, "no rows of discrete_adjoint in fig3 or fig5");
        return;
    }
    statement_note(statement, "%.0f to %.0f accepted steps, N = %.0f to %.0f", least, most, n_least, n_most);
    statement_judge(statement, least >= 5 && most >= 65 && most <= 260); /* "about": within a factor of two */
}

void paper_judge_glv(struct paper *paper)
{
    judge_proportional(
        paper, "fig3", "Figure 3",
        "with Cash-Karp and the odeint controller, errors of adjoint, tangent and CFSA are proportional to "
        "the tolerance over six decades (1e-6 to 1e-12)");
    judge_proportional(
        paper, "tolerance", "Sweep tolerance",
        "with Dormand-Prince and the Hairer controller, errors of adjoint, tangent and CFSA are "
        "proportional to the tolerance over six decades (1e-6 to 1e-12)");
    judge_stagnation(paper);
    judge_floor(paper);
    judge_times(paper);
    judge_steps(paper);
}
