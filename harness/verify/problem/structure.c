/* The structure that a problem declares against its own products: the same derivatives, as numbers.
 *
 *     J V = jvp(V),   J^T W = vjp(W),   J = 0 outside the pattern,   J = diag(d) + diag(s) M
 *     s_i phi_j = jvp_p_cols, column by column, and the products of all with W = vjp_p_batch
 *
 * That jacobian, jacobian_p, outer, coupling and diagonal are pure, overwrite their output and stay inside it
 * is checked with all callbacks (purity.c); that methods multiply with it rightly, in structured.c. */
#include <string.h>

#include "calls.h"
#include "guard.h"
#include "structure.h"

static const struct verify_check checks[] = {
    {.id = "structure.declared",
     .summary = "patterns and blocks fit the problem, the factors stay apart, operations are counted",
     .bound = "none: it is so or not",
     .explanation =
         "The columns of each row of a pattern are to ascend and to be fewer than the matrix has; the "
         "blocks of outer products cover all parameters in order; outer writes n numbers to s and one for "
         "each column to phi, and nothing else; coupling and diagonal are declared together, beside outer, "
         "whose s they share, and a dense jacobian; the operations of each product are a positive number, or "
         "not known. A method trusts all of this and does not look."},
    {.id = "structure.jacobian",
     .summary = "the declared df/dx is the matrix of jvp and vjp",
     .bound = "rounding of both, measured at shaken inputs, entry by entry and for random vectors",
     .explanation =
         "jacobian is evaluated at the nominal point, at perturbed ones and on the solution, at the default "
         "size and at sizes past a vector's and a tile's length. Its entries must be those that jvp and vjp "
         "give for unit vectors, and its products with random vectors theirs. Methods form it once at a "
         "point and use it for all vectors: what is wrong here is wrong in every gradient that takes "
         "this path, and right in those that do not. On failure the structure is compared with differences "
         "of rhs: if it agrees with those, the products are what is wrong."},
    {.id = "structure.coupling",
     .summary = "the declared diag(d) + diag(s) M is the matrix of jvp and vjp",
     .bound = "rounding of both, measured at shaken inputs, entry by entry and for random vectors",
     .explanation =
         "As structure.jacobian, for df/dx = diag(d) + diag(s) M with M from coupling, which sees the "
         "parameters alone, d from diagonal and s from outer, at the same points. A method forms M once and "
         "uses it at all points of a solution. structure.jacobian and structure.outer look at the same "
         "derivative and the same s: if those pass, look at what belongs to the diagonal, d_i = df_i/dx_i - "
         "s_i M_ii, at rows and columns of M, and at entries that depend on time or state, which have no "
         "place in M."},
    {.id = "structure.constant",
     .summary = "a df/dx that is declared constant is the same at all times and states",
     .bound = "rounding of both, measured at shaken inputs, entry by entry and for random vectors",
     .explanation =
         "jacobian at each point against jacobian at the nominal time and state, with the point's "
         "parameters; and at other times and states, far from where a solution goes: of the other sign, "
         "tiny, huge, drawn. "
         "A method takes a constant df/dx once for a whole solve, and all stages of a step together."},
    {.id = "structure.sparsity",
     .summary = "jvp and vjp of unit vectors are zero outside the declared pattern",
     .bound = "rounding of an entry, measured at shaken inputs: none where it is zero in structure",
     .explanation =
         "A pattern may contain entries that happen to be zero, but may leave out none that is not: "
         "the methods that read it would lose that term without noticing. Look at first and last "
         "rows, and at couplings that vanish at the nominal point."},
    {.id = "structure.outer",
     .summary = "the declared outer products s_i phi_j are the columns of jvp_p_cols and of vjp_p_batch",
     .bound = "rounding of both, measured at shaken inputs, entry by entry and for random vectors",
     .explanation =
         "As structure.jacobian, for the parameters that enter through outer products: column by "
         "column against jvp_p_cols, row by row against vjp_p_batch at one point, and in batches of "
         "several points with several lanes. Look at the order of the blocks and of the factors "
         "in phi, and at parameters whose factor is 1."},
    {.id = "structure.parameters",
     .summary = "the declared df/dp is the matrix of jvp_p_cols and vjp_p_batch, zero outside its pattern",
     .bound = "rounding of both, measured at shaken inputs, entry by entry and for random vectors",
     .explanation =
         "As structure.outer, for the values of jacobian_p in the order of its pattern, whose rows "
         "are parameters and whose columns are states."},
    {.id = NULL}};

enum { LANES = 3, BATCH = 5, BLOCKS = 2 };

/* ---- the declaration itself ---------------------------------------------------------------------------- */

static void check_pattern(struct verify_result *result, const struct sens_pattern *pattern, const char *of)
{
    for (size_t r = 0; r < pattern->rows; r++)
        for (size_t e = pattern->start[r]; e < pattern->start[r + 1]; e++)
            if (pattern->col[e] >= pattern->cols ||
                (e > pattern->start[r] && pattern->col[e] <= pattern->col[e - 1]))
                verify_fail(result, "%s, row %zu: column %zu is out of order or out of range", of, r,
                            pattern->col[e]);
}

static void check_factors(struct verify_result *result, const struct subject *subject)
{
    const struct sens_problem *pb = subject->pb;
    const size_t n = pb->n, rest = call_rows(subject, CALL_OUTER) - n;
    double *const s = guard_create(subject->v, n), *const phi = guard_create(subject->v, rest);
    const struct sens_at at = subject_point(subject, 1);
    pb->structure->outer(pb, &at, s, phi);
    if (guard_breaches(n, s) + guard_breaches(rest, phi) == 0) return;
    verify_fail(result, "outer writes outside s [%zu] or phi [%zu]", n, rest);
    verify_blame(result, CAUSE_out_of_bounds, 1);
}

static const double DIRECTION = 5;

/* A direction takes at most so many right-hand sides, forward or in reverse (Griewank and Walther, Evaluating
 * Derivatives, SIAM 2008, rule 3.3 and section 4.6). None is right where f copies its arguments, as x' = p does. */
static void check_operations(struct verify_result *result, const struct subject *subject)
{
    const struct sens_problem *const pb = subject->pb;
    const bool counted_here =
        !subject->v->problem->vjp; /* derived products, at whatever branches the recording took */
    static const char *const name[] = {"rhs", "vjp", "jvp", "vjp_p", "jvp_p"};
    struct sens_operations ops;
    sens_problem_operations(pb, &ops);
    const double count[] = {ops.rhs, ops.vjp, ops.jvp, ops.vjp_p, ops.jvp_p};
    for (size_t k = 0; k < sizeof count / sizeof *count; k++)
        if (!isnan(count[k]) && !(count[k] >= 0 && isfinite(count[k])))
            verify_fail(result, "%g operations in %s", count[k], name[k]);
    for (size_t k = 1; !counted_here && k < sizeof count / sizeof *count; k++) {
        const double most = DIRECTION * ops.rhs + 2 * (double)(k < 3 ? pb->n : pb->n + pb->np);
        if (count[k] > most) {
            verify_fail(result,
                        "%g operations in %s: a direction takes at most %g, %g times the %g of rhs and a sum",
                        count[k], name[k], most, DIRECTION, ops.rhs);
            verify_blame(result, CAUSE_work_miscounted, 1);
        }
    }
    if (!(ops.jacobian >= 0 && isfinite(ops.jacobian)))
        verify_fail(result, "%g numbers stand for df/dx", ops.jacobian);
}

static void check_declared(const struct subject *subject)
{
    const struct sens_problem *pb = subject->pb;
    const struct sens_structure *declared = sens_structure_of(pb);
    struct verify_result result = subject_open(subject, "structure.declared");
    check_operations(&result, subject);
    if (declared->sparsity) check_pattern(&result, declared->sparsity, "df/dx");
    if (declared->sparsity_p) check_pattern(&result, declared->sparsity_p, "(df/dp)^T");
    if (call_applies(subject, CALL_OUTER)) check_factors(&result, subject);
    verify_close(subject->v, &result);
}

/* ---- two maps that are to be one ----------------------------------------------------------------------- */

static bool within(size_t rows, size_t L, const double *got, const double *right, const double *bound)
{
    for (size_t q = 0; q < rows * L; q++)
        if (!(fabs(got[q] - right[q]) <= bound[q / L])) return false;
    return true;
}

static double *sum_of(struct verify *v, size_t count, const double *a, const double *b)
{
    double *const sum = verify_array(v, count);
    for (size_t i = 0; i < count; i++) sum[i] = a[i] + b[i];
    return sum;
}

/* [rows][cols]: the rounding of both matrices. */
static double *entries_rounding(const struct linear *own, const struct linear *declared, bool patient,
                                const struct sample *sample, const double *right, const double *got)
{
    struct linear one = *own, two = *declared;
    one.patient = two.patient = patient;
    const double *const of_one = linear_matrix_rounding(&one, sample, right);
    const double *const of_two = linear_matrix_rounding(&two, sample, got);
    return sum_of(own->v, sample->rows * sample->cols, of_one, of_two);
}

/* [out]: the rounding of both images of vectors nowhere larger than `most`. */
static double *vectors_rounding(const struct linear *own, const struct linear *declared, bool patient,
                                const double *most)
{
    struct linear one = *own, two = *declared;
    one.patient = two.patient = patient;
    const double *const of_one = linear_rounding(&one, most), *const of_two = linear_rounding(&two, most);
    return sum_of(own->v, own->out, of_one, of_two);
}

/* Where no entry is further off than its own last digit, that is bound enough, and nothing has to be measured. */
static const double *last_digits(struct verify *v, size_t count, const double *right, const double *got)
{
    double *const digit = verify_array(v, count);
    for (size_t q = 0; q < count; q++) digit[q] = DBL_EPSILON * fabs(right[q]);
    return within(count, 1, got, right, digit) ? digit : NULL;
}

void structure_note_entries(struct worst *worst, const struct linear *own, const struct linear *declared,
                            const struct sample *sample, double t, const char *by)
{
    const size_t count = sample->rows * sample->cols;
    const double *right = linear_matrix(own, sample), *got = linear_matrix(declared, sample);
    const double *bound = last_digits(own->v, count, right, got);
    if (!bound) {
        bound = entries_rounding(own, declared, false, sample, right, got);
        if (!within(count, 1, got, right, bound))
            bound = entries_rounding(own, declared, true, sample, right, got);
    }
    for (size_t q = 0; q < count; q++)
        worst_note(worst, fabs(got[q] - right[q]), bound[q],
                   "df_%zu/d%s_%zu at t = %.4g is %.10g by %s and %.10g by %s", sample->row[q / sample->cols],
                   own->product <= PRODUCT_VJP ? "x" : "p", sample->col[q % sample->cols], t, got[q], by,
                   right[q], linear_name(own->product));
}

void structure_note_vectors(struct worst *worst, const struct linear *own, const struct linear *declared,
                            double t, const char *by)
{
    struct verify *v = own->v;
    const size_t in = own->in * LANES, out = own->out * LANES;
    double *W = verify_random(v, BLOCKS * in), *most = verify_array(v, own->in);
    double *right = verify_array(v, out), *got = verify_array(v, out);
    for (size_t q = 0; q < BLOCKS * in; q++) most[q % in / LANES] = fmax(most[q % in / LANES], fabs(W[q]));
    const double *bound = vectors_rounding(own, declared, false, most);
    bool patient = false;
    for (int k = 0; k < BLOCKS; k++) {
        linear_apply(own, LANES, W + (size_t)k * in, right);
        linear_apply(declared, LANES, W + (size_t)k * in, got);
        if (!patient && !within(own->out, LANES, got, right, bound)) {
            patient = true;
            bound = vectors_rounding(own, declared, true, most);
        }
        for (size_t q = 0; q < out; q++)
            worst_note(
                worst, fabs(got[q] - right[q]), bound[q / LANES],
                "%s of random vectors at t = %.4g, K = %zu: entry %zu, lane %zu is %.10g by %s and %.10g",
                linear_name(own->product), t, own->K, q / LANES, q % LANES, got[q], by, right[q]);
    }
}

static void note_product(struct worst *worst, const struct both *both, enum product product,
                         const struct sens_at *at)
{
    const struct linear own = linear_at(both->own, product, at);
    const struct linear declared = linear_at(both->declared, product, at);
    const struct sample sample = sample_create(both->own, product);
    structure_note_entries(worst, &own, &declared, &sample, at->t, "the structure");
    structure_note_vectors(worst, &own, &declared, at->t, "the structure");
}

static void note_batches(struct worst *worst, const struct both *both)
{
    const struct batch b = batch_create(both->own, BATCH);
    const struct linear own = linear_batch(both->own, BATCH, b.t, b.X, b.p);
    const struct linear declared = linear_batch(both->declared, BATCH, b.t, b.X, b.p);
    structure_note_vectors(worst, &own, &declared, b.t[0], "the structure");
}

/* ---- what the pattern does not have --------------------------------------------------------------------- */

/* Entries of the product's matrix that the pattern does not have. */
static void note_outside(struct worst *worst, const struct subject *subject, enum product product,
                         const struct sens_at *at)
{
    const struct sens_structure *declared = subject->pb->structure;
    const bool states = product <= PRODUCT_VJP;
    const struct sens_pattern *pattern = states ? declared->sparsity : declared->sparsity_p;
    const struct linear map = linear_at(subject, product, at);
    const struct sample sample = sample_create(subject, product);
    const double *got = linear_matrix(&map, &sample);
    const double *bound = linear_matrix_rounding(&map, &sample, got);
    for (size_t q = 0; q < sample.rows * sample.cols; q++) {
        const size_t i = sample.row[q / sample.cols], k = sample.col[q % sample.cols];
        if (!declared_entry(pattern, states ? i : k, states ? k : i))
            worst_note(worst, fabs(got[q]), bound[q], "df_%zu/d%s_%zu is %.6g by %s, and not in the pattern",
                       i, states ? "x" : "p", k, got[q], linear_name(product));
    }
}

bool structure_fits(const struct subject *subject, const struct sens_at *at)
{
    struct worst worst = {.count = 0};
    if (!sens_structure_of(subject->pb)->sparsity) return true;
    note_outside(&worst, subject, PRODUCT_JVP, at);
    note_outside(&worst, subject, PRODUCT_VJP, at);
    return worst_passes(&worst);
}

static void check_outside(const struct subject *subject, const struct points *points)
{
    static const enum product product[] = {PRODUCT_JVP, PRODUCT_VJP};
    struct worst worst = {.count = 0};
    if (!sens_structure_of(subject->pb)->sparsity) {
        subject_skip(subject, "structure.sparsity", "no sparsity of df/dx is declared");
        return;
    }
    struct verify_result result = subject_open(subject, "structure.sparsity");
    for (int k = 0; k < points->count; k++)
        for (int q = 0; q < 2; q++) {
            const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
            note_outside(&worst, subject, product[q], &points->at[k]);
            sens_arena_rewind(&subject->v->ctx.arena, mark);
        }
    if (worst.count == 0) /* the pattern has every entry */
        worst_note(&worst, 0, 0, "nothing outside");
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_sparsity_pattern, 1);
    verify_close(subject->v, &result);
}

/* ---- the parts of a structure --------------------------------------------------------------------------- */

/* What may be declared, how products are made of it, and the first of the two that it stands for. */
static const struct part {
    const char *check, *lacking;
    enum callback declares;
    enum declared_by by;
    enum product forward;
} jacobian = {"structure.jacobian", "no Jacobian is declared", CALL_JACOBIAN, DECLARED_OUTER, PRODUCT_JVP},
  coupling = {"structure.coupling", "no coupling is declared", CALL_COUPLING, DECLARED_COUPLED, PRODUCT_JVP},
  outer = {"structure.outer", "no outer products are declared", CALL_OUTER, DECLARED_OUTER, PRODUCT_JVP_P},
  parameters = {"structure.parameters", "no sparse df/dp is declared", CALL_JACOBIAN_P, DECLARED_SPARSE,
                PRODUCT_JVP_P};

static struct subject by_structure(const struct subject *subject, enum declared_by by)
{
    struct subject made = *subject;
    struct sens_problem *problem = verify_memory(subject->v, 1, sizeof *problem);
    declared_problem(subject->v, subject->pb, by, problem);
    made.pb = problem;
    return made;
}

static void check_part(const struct subject *subject, const struct part *part, const struct points *points)
{
    const struct subject declared = by_structure(subject, part->by);
    const struct both both = {subject, &declared, part->by};
    const bool states = part->forward == PRODUCT_JVP;
    const enum product product[] = {part->forward, states ? PRODUCT_VJP : PRODUCT_VJP_P};
    struct worst worst = {.count = 0}, outside = {.count = 0};
    if (!call_applies(subject, part->declares)) {
        subject_skip(subject, part->check, part->lacking);
        return;
    }
    struct verify_result result = subject_open(subject, part->check);
    for (int k = 0; k < points->count; k++)
        for (int q = 0; q < 2; q++) {
            const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
            note_product(&worst, &both, product[q], &points->at[k]);
            if (part == &parameters) note_outside(&outside, subject, product[q], &points->at[k]);
            sens_arena_rewind(&subject->v->ctx.arena, mark);
        }
    if (!states) note_batches(&worst, &both);
    const bool fits = outside.count == 0 || worst_passes(&outside);
    verify_judge(&result, fits ? &worst : &outside);
    if (!fits) verify_blame(&result, CAUSE_sparsity_pattern, 1);
    if (result.verdict == VERIFY_FAIL) structure_blame(&both, points, product[0], &result);
    verify_close(subject->v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void look_at_structure(struct subject *subject)
{
    const struct points points = points_create(subject);
    check_declared(subject);
    check_part(subject, &jacobian, &points);
    check_part(subject, &coupling, &points);
    if (sens_structure_of(subject->pb)->jacobian_constant) {
        const struct subject declared = by_structure(subject, DECLARED_OUTER);
        structure_check_constant(&declared, &points);
    } else
        subject_skip(subject, "structure.constant", "df/dx is not declared constant");
    check_outside(subject, &points);
    check_part(subject, &outer, &points);
    check_part(subject, &parameters, &points);
}

static void look(struct subject *subject)
{
    subject_with_part(subject, look_at_structure);
}

static void look_if_declared(struct subject *subject)
{
    if (subject->pb->structure) look(subject);
}

/* The least sizes, where neighbours may be one; past a vector's length, and past the tiles that products are
 * cut into. */
static void look_at_sizes(struct verify *v)
{
    subject_each_edge(v, look_if_declared);
    subject_with_states(v, 21, look_if_declared);
    subject_with_states(v, 70, look_if_declared);
}

/* A type whose instances declare nothing; all else is the inner type's. */
struct undeclared {
    struct sens_problem_type type; /* first: the type of what is created points here */
    const struct sens_problem_type *inner;
};

static sens_status create_undeclared(struct sens_ctx *ctx, const struct sens_value *option,
                                     struct sens_problem *problem)
{
    const struct undeclared *made = (const struct undeclared *)(const void *)problem->type;
    const sens_status status = made->inner->create(ctx, option, problem);
    problem->structure = NULL;
    return status;
}

static bool can_be_created(struct verify *v, const struct sens_problem_type *type)
{
    struct sens_problem made;
    struct sens_value *value = verify_memory(v, sens_option_count(type->options), sizeof *value);
    sens_option_defaults(type->options, value);
    return sens_problem_create(&v->ctx, type, value, &made) == SENS_OK;
}

/* A problem whose declaration is refused has no instance to look at. Then it is to be said here, where the
 * declaration is judged. */
static void check_refusal(struct verify *v)
{
    struct undeclared without = {.type = *v->problem, .inner = v->problem};
    char message[sizeof v->ctx.message];
    without.type.create = create_undeclared;
    if (can_be_created(v, v->problem)) return;
    memcpy(message, v->ctx.message, sizeof message);
    if (!can_be_created(v, &without.type)) return;
    struct verify_result result = verify_open("structure.declared", v->module, v->problem->name);
    verify_fail(&result, "%s", message);
    verify_close(v, &result);
}

static void run(struct verify *v)
{
    subject_each(v, checks, look);
    look_at_sizes(v);
    check_refusal(v);
}

const struct verify_group verify_structure = {
    .name = "structure", .kind = VERIFY_PROBLEM, .checks = checks, .run = run};
