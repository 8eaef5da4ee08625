/* Whose fault a wrong derivative is: every hypothesis of the catalogue is computed and compared,
 *
 *     r = |got - hypothesis| / |got - right|,   weight 1 for r < 1e-6, else -log10(r) / 6 for r < 0.3,
 *
 * over the few outputs that are worst. What no hypothesis explains is described by its pattern: which rows,
 * which columns, which part. */
#include <float.h>
#include <string.h>

#include "hypotheses.h"

/* Hypotheses are computed for two outputs (one may be nothing special), and more where these have few
 * numbers. */
enum { ROWS = 4, ENTRIES = 8 };

/* Rows with a smaller relative error are right. */
static const double ROUNDING = 1e-13;

/* A fault with a smaller r leaves nothing for patterns to add. */
static const double EXPLAINED = 1e-3;

struct hunt {
    const struct oracle *oracle;
    struct suspect suspect;
    const struct scheme *right_scheme;
    const struct sens_out *got, *right;
    struct verify_result *result;
    bool state;       /* x and G are asked about, else the gradient */
    size_t rows;      /* outputs compared */
    size_t row[ROWS]; /* which */
    double error;     /* |got - right| over them */
    double best;      /* smallest r so far, of this hypothesis */
    enum cause cause;
    const char *what;
};

/* ---- distances ----------------------------------------------------------------------------------------- */

static double squares(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t q = 0; a && b && q < count; q++) sum += (a[q] - b[q]) * (a[q] - b[q]);
    return sum;
}

/* Squared distance of one row of the gradients. */
static double row_squares(const struct oracle *oracle, const struct sens_out *a, const struct sens_out *b,
                          size_t c)
{
    double sum = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const size_t cols = bed_part(oracle->shape, k).cols;
        if (sens_part_wrt(k) && a->part[k] && b->part[k])
            sum += squares(cols, a->part[k] + c * cols, b->part[k] + c * cols);
    }
    return sum;
}

static double distance(const struct hunt *hunt, const struct sens_out *a, const struct sens_out *b)
{
    const struct oracle *oracle = hunt->oracle;
    double sum = 0;
    if (hunt->state)
        return sqrt(squares(oracle->problem->n, a->x, b->x) + squares(oracle->cost->m, a->G, b->G));
    for (size_t e = 0; e < hunt->rows; e++) sum += row_squares(oracle, a, b, hunt->row[e]);
    return sqrt(sum);
}

static double weight_of(double r)
{
    if (r < 1e-6) return 1;
    return r < 0.3 ? -log10(r) / 6 : 0;
}

/* ---- hypotheses ---------------------------------------------------------------------------------------- */

static void compare(struct hunt *hunt, const struct sens_out *faulty, enum cause cause, const char *what,
                    double preference)
{
    const double r = distance(hunt, hunt->got, faulty) / hunt->error;
    verify_blame(hunt->result, cause, preference * weight_of(r));
    if (!(r < hunt->best)) return;
    hunt->best = r;
    hunt->cause = cause;
    hunt->what = what;
}

static sens_status run_map(struct run *run, struct sens_out *out)
{
    double *x0 = verify_array(run->oracle->v, run->n);
    sens_problem_x0(run->oracle->problem, run->p, x0);
    const sens_status status = run_forward(run, x0, out->G);
    if (status != SENS_OK) return status;
    memcpy(out->x, run->state + (size_t)run->forward->steps * run->n, run->n * sizeof *out->x);
    return SENS_OK;
}

/* One variant in one place. false: there is no such variant. */
static bool try_variant(struct hunt *hunt, const struct hypothesis *hypothesis, unsigned place, long variant)
{
    struct sens_out faulty = bed_shape(hunt->oracle->shape);
    struct scheme *altered = scheme_create(hunt->oracle);
    struct run run;
    if (!hypothesis->alter(&hunt->suspect, altered, variant)) return false;
    run_create(hunt->oracle, hunt->right_scheme, &run);
    if (place & (FAULT_SOLVE | FAULT_BOTH)) run.forward = altered;
    if (place & (FAULT_SOLVE | FAULT_BOTH | FAULT_REPLAY)) run.replay = altered;
    if (place & (FAULT_SWEEP | FAULT_BOTH)) run.reverse = altered;
    const sens_status status =
        hunt->state ? run_map(&run, &faulty) : run_adjoint(&run, hunt->rows, hunt->row, &faulty);
    const double preference = hypothesis->weight * (place == FAULT_REPLAY ? 0.95 : 1);
    if (status == SENS_OK) compare(hunt, &faulty, hypothesis->cause, hypothesis->what, preference);
    return true;
}

static void try_hypothesis(struct hunt *hunt, const struct hypothesis *hypothesis, unsigned places)
{
    struct sens_arena *arena = &hunt->oracle->v->ctx.arena;
    const long variants = hypothesis->variants ? hypothesis->variants : hunt->oracle->tableau->stages;
    for (unsigned place = 1; place < 1u << FAULT_PLACES; place <<= 1) {
        bool more = places & hypothesis->places & place;
        for (long variant = 0; variant < variants && more; variant++) {
            const struct sens_arena_mark mark = sens_arena_mark(arena);
            more = try_variant(hunt, hypothesis, place, variant);
            sens_arena_rewind(arena, mark);
        }
    }
}

static void try_all(struct hunt *hunt, unsigned places)
{
    for (const struct hypothesis *h = hypotheses_of_steps; h->alter; h++) try_hypothesis(hunt, h, places);
    for (const struct hypothesis *h = hypotheses_of_terms; h->alter; h++) try_hypothesis(hunt, h, places);
    for (const struct hypothesis *h = hypotheses_of_numbers; h->alter; h++) try_hypothesis(hunt, h, places);
    if (hunt->best < 0.3)
        verify_say(hunt->result, "as with %s%s%s: what is left of the error is %.1e", cause_name(hunt->cause),
                   hunt->what[0] ? ", " : "", hunt->what, hunt->best);
}

/* Of a registered problem; the probe is right. */
static void accuse_problem(struct hunt *hunt)
{
    const struct verify *v = hunt->oracle->v;
    if (v->problem) verify_module("problem", v->problem->name, hunt->result->module);
}

/* The computations without fault: when one of them makes the error, the callbacks do. */
static bool try_callbacks(struct hunt *hunt)
{
    struct sens_out adjoint = bed_shape(hunt->oracle->shape), tangent = bed_shape(hunt->oracle->shape);
    if (oracle_adjoint(hunt->oracle, &adjoint) != SENS_OK) return false;
    if (oracle_tangent(hunt->oracle, &tangent) != SENS_OK) return false;
    const double reverse = distance(hunt, hunt->got, &adjoint), forward = distance(hunt, hunt->got, &tangent);
    if (fmin(reverse, forward) > 1e-6 * hunt->error) return false;
    verify_say(hunt->result,
               "the oracle's own %s makes the same error: the products of the problem or the "
               "cost do, not the method",
               reverse <= forward ? "adjoint" : "tangent");
    accuse_problem(hunt);
    verify_blame(hunt->result, CAUSE_jacobian_entry, 0.5);
    verify_blame(hunt->result, CAUSE_parameter_entry, 0.4);
    return true;
}

/* ---- multiples ----------------------------------------------------------------------------------------- */

static void scale(size_t count, double factor, const double *from, double *to)
{
    for (size_t q = 0; from && to && q < count; q++) to[q] = factor * from[q];
}

/* got = c right in dG/dp, and another c in dG/dx0: the sign, or a factor. One or two numbers are multiples of
 * any others, and say little. */
static void try_factor(struct hunt *hunt)
{
    const size_t n = hunt->oracle->problem->n, np = hunt->oracle->problem->np, m = hunt->oracle->cost->m;
    const struct sens_out *got = hunt->got, *right = hunt->right;
    struct sens_out multiple = bed_shape(hunt->oracle->shape);
    size_t entries = 0;
    const double of_p = nearest_factor(hunt->rows, hunt->row, np, got->dGdp, right->dGdp, &entries);
    const double of_x0 = nearest_factor(hunt->rows, hunt->row, n, got->dGdx0, right->dGdx0, &entries);
    const bool nothing = of_p == 0 || of_x0 == 0;
    const bool sign = fabs(of_p + 1) < 1e-6 || fabs(of_x0 + 1) < 1e-6;
    scale(m * np, of_p, right->dGdp, multiple.dGdp);
    scale(m * n, of_x0, right->dGdx0, multiple.dGdx0);
    if (weight_of(distance(hunt, got, &multiple) / hunt->error) > 0.3)
        verify_say(hunt->result, "it is %.9g times the right dG/dp, %.9g times the right dG/dx0", of_p,
                   of_x0);
    compare(hunt, &multiple, sign ? CAUSE_gradient_sign : CAUSE_gradient_factor, "",
            entries > 2 && !nothing ? 1 : 0.3);
}

static void look_at_columns(struct hunt *hunt)
{
    const size_t n = hunt->oracle->problem->n, np = hunt->oracle->problem->np, m = hunt->oracle->cost->m;
    const size_t of_p = columns_reversed(m, np, hunt->got->dGdp, hunt->right->dGdp),
                 of_x0 = columns_reversed(m, n, hunt->got->dGdx0, hunt->right->dGdx0);
    if (m < 2 || of_p + of_x0 == 0) return;
    verify_say(hunt->result, "%zu columns of dG/dp and %zu of dG/dx0 have the wrong sign", of_p, of_x0);
    verify_blame(hunt->result, CAUSE_gradient_sign, 0.96);
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

/* |a - b| / |b| of one row; infinite where a is no number. */
static double row_error(const struct hunt *hunt, const struct sens_out *a, const struct sens_out *b,
                        size_t of_a, size_t of_b)
{
    double difference = 0, size = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const size_t cols = bed_part(hunt->oracle->shape, k).cols;
        if (!sens_part_wrt(k) || !a->part[k] || !b->part[k]) continue;
        const double *const of = a->part[k] + of_a * cols, *const from = b->part[k] + of_b * cols;
        for (size_t q = 0; q < cols; q++) {
            difference += pow(of[q] - from[q], 2);
            size += pow(from[q], 2);
        }
    }
    if (!isfinite(difference)) return INFINITY;
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

/* Rows whose error is not small beside the worst. */
static size_t mark_bad_rows(const struct hunt *hunt, bool *bad)
{
    const size_t m = hunt->oracle->cost->m;
    double *error = verify_array(hunt->oracle->v, m), worst = 0;
    size_t count = 0;
    for (size_t c = 0; c < m; c++) {
        error[c] = row_error(hunt, hunt->got, hunt->right, c, c);
        worst = fmax(worst, isfinite(error[c]) ? error[c] : 1);
    }
    for (size_t c = 0; c < m; c++) count += bad[c] = error[c] > 1e-2 * worst;
    return count;
}

/* A wrong row that is another output's right one. */
static bool is_shifted(const struct hunt *hunt, size_t c)
{
    for (size_t d = 0; d < hunt->oracle->cost->m; d++)
        if (d != c && row_error(hunt, hunt->got, hunt->right, c, d) <
                          1e-6 + 1e-3 * row_error(hunt, hunt->right, hunt->right, c, d))
            return true;
    return false;
}

static void look_at_rows(struct hunt *hunt)
{
    const size_t m = hunt->oracle->cost->m;
    bool *bad = verify_memory(hunt->oracle->v, m, sizeof *bad);
    const size_t count = mark_bad_rows(hunt, bad);
    size_t first = 0, shifted = 0;
    if (m < 2 || count == 0) return;
    while (!bad[first]) first++;
    for (size_t c = 0; c < m; c++) shifted += bad[c] && is_shifted(hunt, c);
    if (shifted == count && count > 1) {
        verify_say(hunt->result, "%zu rows are those of other outputs", count);
        verify_blame(hunt->result, CAUSE_lanes_shifted, 1);
    }
    if (first == 0 || first + count != m) return;
    verify_say(hunt->result, "outputs %zu to %zu are wrong, those before are right", first, m - 1);
    verify_blame(hunt->result, CAUSE_lanes_lost, hunt->best < EXPLAINED ? 0.3 : 0.9);
}

/* The one column of dG/dp in which the error is, or np. */
static size_t only_column(const struct hunt *hunt)
{
    const size_t np = hunt->oracle->problem->np, m = hunt->oracle->cost->m;
    double *column = verify_array(hunt->oracle->v, np), sum = 0;
    size_t worst = 0;
    for (size_t q = 0; q < m * np; q++) column[q % np] += fabs(hunt->got->dGdp[q] - hunt->right->dGdp[q]);
    for (size_t k = 0; k < np; k++) {
        sum += column[k];
        if (column[k] > column[worst]) worst = k;
    }
    return sum - column[worst] < 1e-6 * sum ? worst : np;
}

static void look_at_parts(struct hunt *hunt)
{
    const struct sens_cost_type *cost = hunt->oracle->cost->type;
    if (!hunt->got->dGdp) return;
    const struct distance error = out_distance(hunt->oracle->shape, hunt->got, hunt->right);
    const double of_p = error.part[SENS_PART_DGDP], of_x0 = error.part[SENS_PART_DGDX0];
    const size_t column = only_column(hunt);
    const bool open = hunt->best > EXPLAINED;
    if (column < hunt->oracle->problem->np && hunt->oracle->problem->np > 1) {
        verify_say(hunt->result, "only the column of p_%zu is wrong", column);
        if (open) verify_blame(hunt->result, CAUSE_parameter_entry, 0.5);
    }
    if (of_p < 1e-3 * of_x0) verify_say(hunt->result, "the error is in dG/dx0 alone");
    if (!(of_x0 < 1e-3 * of_p)) return;
    verify_say(hunt->result, "the error is in dG/dp alone");
    if (open) verify_blame(hunt->result, CAUSE_last_batch, 0.2);
    if (open && (cost->phi_dp || cost->g_dp)) verify_blame(hunt->result, CAUSE_missing_explicit_cost, 0.15);
}

/* A method of the discrete kind that is near the exact derivative instead. */
static void look_at_kind(struct hunt *hunt, double error)
{
    const struct bed *bed = hunt->oracle->shape;
    struct sens_out truth = bed_shape(bed), uncertainty = bed_shape(bed);
    if (bed->method->derivative != SENS_DERIVATIVE_DISCRETE) return;
    if (oracle_truth(bed, &truth, &uncertainty) != SENS_OK) return;
    const double exact = out_distance(bed, hunt->got, &truth).gradient;
    const double of_right = out_distance(bed, hunt->right, &truth).gradient;
    verify_say(hunt->result, "distance from the exact derivative %.1e (the right one's: %.1e)", exact,
               of_right);
    /* |got - exact| <= |got - right| + |right - exact|: what is far nearer to the right one is not the exact one. */
    if (exact < 10 * (of_right + bed->task.rtol) && exact < 3 * error)
        verify_blame(hunt->result, CAUSE_kind_misdeclared, 0.5);
}

/* The state of implicit steps is right to rounding, so that its systems are, and the gradient is as with no fault that
 * is known: systems of its own are in question. */
static void look_at_systems(struct hunt *hunt, double of_state)
{
    if (hunt->best < 0.01 || !(of_state <= ROUNDING)) return;
    if (hunt->oracle->tableau->family == SENS_FAMILY_EXPLICIT) return;
    verify_say(hunt->result, "the state of these implicit steps is right");
    verify_blame(hunt->result, CAUSE_derivative_not_solver, 0.45);
}

/* What nothing reproduces, and is of the size of a rounding to single precision. */
static void look_at_size(struct hunt *hunt, double error)
{
    static const double least = 1e-10, most = 3e-7;
    if (hunt->best < 0.3 || !(error > least && error < most)) return;
    verify_say(hunt->result, "an error of the size of single precision");
    verify_blame(hunt->result, CAUSE_single_precision, 0.45);
}

/* The steps that were reported. */
static void look_at_steps(struct hunt *hunt)
{
    const struct grid *grid = hunt->oracle->grid;
    const struct sens_problem *pb = hunt->oracle->problem;
    if (grid->steps == 0) return;
    if (grid->t[0] != pb->t0) {
        verify_say(hunt->result, "the first step starts at %.10g, not at t0 = %.10g", grid->t[0], pb->t0);
        verify_blame(hunt->result, CAUSE_first_step_lost, 1);
    }
    if (grid->t1[grid->steps - 1] != pb->t1) {
        verify_say(hunt->result, "the last step ends at %.10g, not at t1 = %.10g", grid->t1[grid->steps - 1],
                   pb->t1);
        verify_blame(hunt->result, CAUSE_stops_early, 1);
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* The worst outputs that are numbers. */
static void choose_rows(struct hunt *hunt)
{
    const size_t m = hunt->oracle->cost->m, width = hunt->oracle->problem->n + hunt->oracle->problem->np;
    bool *taken = verify_memory(hunt->oracle->v, m, sizeof *taken);
    for (hunt->rows = 0; hunt->rows < ROWS && (hunt->rows < 2 || hunt->rows * width < ENTRIES);
         hunt->rows++) {
        size_t worst = m;
        double largest = -1;
        for (size_t c = 0; c < m; c++) {
            const double error = row_squares(hunt->oracle, hunt->got, hunt->right, c);
            if (taken[c] || !isfinite(error) || error <= largest) continue;
            largest = error;
            worst = c;
        }
        if (worst == m) return;
        taken[worst] = true;
        hunt->row[hunt->rows] = worst;
    }
}

static void start_hunt(const struct oracle *oracle, const struct sens_out *got, const struct sens_out *right,
                       struct verify_result *result, struct hunt *hunt)
{
    *hunt = (struct hunt){.oracle = oracle, .got = got, .right = right, .result = result};
    hunt->suspect.oracle = oracle;
    hunt->right_scheme = scheme_create(oracle);
    hunt->best = INFINITY;
    hunt->what = "";
}

/* |got - right| / |right| of the state. */
static double state_error(const struct hunt *hunt)
{
    const size_t n = hunt->oracle->problem->n;
    double size = 0;
    for (size_t i = 0; i < n; i++) size += hunt->right->x[i] * hunt->right->x[i];
    const double difference = squares(n, hunt->got->x, hunt->right->x);
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

/* `error`: of the gradient, relative. */
static void hunt_gradient(struct hunt *hunt, double error)
{
    const double of_state = state_error(hunt);
    const unsigned solve = of_state > ROUNDING ? FAULT_SOLVE | FAULT_BOTH : 0u;
    if (of_state > 1e-9 && of_state > 1e-2 * error)
        verify_blame(hunt->result, CAUSE_solver_not_derivative, 0.3);
    if (hunt->rows > 0 && row_error(hunt, hunt->got, hunt->right, hunt->row[0], hunt->row[0]) > ROUNDING) {
        try_factor(hunt);
        if (hunt->oracle->grid->steps > 0) {
            if (try_callbacks(hunt)) return;
            try_all(hunt, FAULT_SWEEP | FAULT_REPLAY | solve);
        }
    }
    look_at_rows(hunt);
    look_at_columns(hunt);
    look_at_parts(hunt);
    look_at_kind(hunt, error);
    look_at_systems(hunt, of_state);
    look_at_size(hunt, error);
}

void oracle_blame_gradient(const struct oracle *oracle, const struct sens_out *got,
                           const struct sens_out *right, const struct sens_work *work,
                           struct verify_result *result)
{
    struct sens_arena *arena = &oracle->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct hunt hunt;
    start_hunt(oracle, got, right, result, &hunt);
    hunt.suspect.batch = work ? work->batch : 0;
    hunt.suspect.lanes = work ? work->lanes : 0;
    choose_rows(&hunt);
    hunt.error = distance(&hunt, got, right);
    const struct distance error = out_distance(oracle->shape, got, right);
    verify_say(result, "relative error %.1e, of dG/dp %.1e, of dG/dx0 %.1e", error.gradient,
               error.part[SENS_PART_DGDP], error.part[SENS_PART_DGDX0]);
    look_at_steps(&hunt);
    hunt_gradient(&hunt, error.gradient);
    sens_arena_rewind(arena, mark);
}

void oracle_blame_state(const struct oracle *oracle, const struct sens_out *got, const struct sens_out *right,
                        struct verify_result *result)
{
    struct sens_arena *arena = &oracle->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct hunt hunt;
    start_hunt(oracle, got, right, result, &hunt);
    hunt.state = true;
    hunt.error = distance(&hunt, got, right);
    look_at_steps(&hunt);
    if (hunt.error > 0 && oracle->grid->steps > 0) try_all(&hunt, FAULT_SOLVE);
    sens_arena_rewind(arena, mark);
}
