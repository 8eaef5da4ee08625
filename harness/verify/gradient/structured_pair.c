/* A method on a registered problem with and without the structure that it declares, or that its formulas tell, at
 * sizes at which the structure is made use of: the two results may differ by rounding.
 *
 *     |G'(structure) - G'(products)| <= safety max |G'(shaken products) - G'(products)| + eps sqrt(n stages) max |G'|,
 *
 * entry by entry, the last max over a row, each parameter's entry times the parameter.
 *
 * The steps are fixed and only rhs moves the state, so that it has the same bits in every solve; h |J| = 1/2
 * keeps all terms of the sensitivities alive. What rounding can do to an entry is measured by shaking the
 * inputs and outputs of all products by a few units in the last place, conditioning included; what it does to a
 * sum over n states and all stages, which has another order then, is a random walk of eps. A structure that is
 * declared has been verified before (structure.c), one that is derived is the deriver's: a failure is the method's. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "callbacks.h"
#include "declared.h"
#include "expected.h"
#include "probe.h"

enum { DRAWS = 4, SAFETY = 32, STEPS = 6, STAGES = 6 * (STEPS + 2) };
enum { STATES_DERIVED = 400 }; /* with a structure that is derived, at most: models may have thousands */
enum { LITTLE = 1 << 12 };     /* bytes of cache: less than the cotangents of a step with 20 states */
enum {
    WIDE = 64,
    LANES = 8
}; /* bytes of the widest vectors; lanes of the usual ones, or a divisor of them */

static const struct verify_check checks[] = {
    {.id = "structure.pair",
     .summary = "on a problem with structure, the gradient is the same with and without it, at several sizes",
     .bound =
         "32 times what shaking inputs and outputs of all products by 4 eps does, entry by entry, and eps "
         "times the root of states and stages, of the largest of its row",
     .explanation =
         "Where a problem declares its Jacobian, or factors of its parameters, a method may form them once "
         "at a point and multiply many vectors; where it declares a coupling, once a solve. A problem that "
         "declares nothing has the structure that its formulas tell, as with vjp=tape. It is solved "
         "over a few fixed steps with the structure and without, with few and with many outputs, below and "
         "above the lengths of vectors and tiles. From 20 states on, coupling and diagonal of glv are used, "
         "and its outer products, of more columns than registers hold, go in panels. Outputs go in whole "
         "blocks of lanes; one by one; with two threads and so little cache that the blocks make several "
         "groups and the points several batches; and for dG/dx0 alone. structure.jacobian, "
         "structure.coupling, structure.outer and structure.parameters have found the numbers right, so that "
         "a difference beyond rounding is made where they are multiplied. The text says which part of the "
         "gradient differs and at which size: look at remainders of lanes, rows, groups and batches, and at "
         "whether J, or the diagonal beside a coupling, belongs to the point of the product."},
    {.id = NULL}};

/* ---- shaken products ----------------------------------------------------------------------------------- */

struct shaken {
    struct verify *v;
    const double *p; /* [np], shaken once */
};

/* from (1 + 4 eps u), u uniform in [-1, 1] */
static double *moved(const struct shaken *s, size_t count, const double *from)
{
    double *made = verify_array(s->v, count);
    for (size_t q = 0; q < count; q++)
        made[q] = from[q] * (1 + 4 * DBL_EPSILON * verify_uniform(s->v, -1, 1));
    return made;
}

/* OUT += shaken increment */
static void add_moved(const struct shaken *s, size_t count, const double *increment, double *OUT)
{
    const double *by = moved(s, count, increment);
    for (size_t q = 0; q < count; q++) OUT[q] += by[q];
}

static struct sens_at moved_point(const struct sens_problem *pb, const struct sens_at *at)
{
    const struct shaken *s = pb->data;
    return (struct sens_at){at->t, moved(s, pb->n, at->x), s->p};
}

static void shaken_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                       double *OUT)
{
    const struct shaken *s = pb->data;
    const struct sens_arena_mark mark = sens_arena_mark(&s->v->ctx.arena);
    const struct sens_at near = moved_point(pb, at);
    pb->inner->type->vjp(pb->inner, &near, L, moved(s, pb->n * L, W), OUT);
    const double *by = moved(s, pb->n * L, OUT);
    memcpy(OUT, by, pb->n * L * sizeof *OUT);
    sens_arena_rewind(&s->v->ctx.arena, mark);
}

static void shaken_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                       double *OUT)
{
    const struct shaken *s = pb->data;
    const struct sens_arena_mark mark = sens_arena_mark(&s->v->ctx.arena);
    const struct sens_at near = moved_point(pb, at);
    pb->inner->type->jvp(pb->inner, &near, L, moved(s, pb->n * L, V), OUT);
    const double *by = moved(s, pb->n * L, OUT);
    memcpy(OUT, by, pb->n * L * sizeof *OUT);
    sens_arena_rewind(&s->v->ctx.arena, mark);
}

static void shaken_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                              double *OUT)
{
    const struct shaken *s = pb->data;
    const struct sens_arena_mark mark = sens_arena_mark(&s->v->ctx.arena);
    double *increment = verify_array(s->v, pb->n * L);
    const struct sens_at near = moved_point(pb, at);
    pb->inner->type->jvp_p_cols(pb->inner, &near, k0, L, increment);
    add_moved(s, pb->n * L, increment, OUT);
    sens_arena_rewind(&s->v->ctx.arena, mark);
}

static void shaken_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                               const double *p, size_t L, const double *W, double *MU)
{
    const struct shaken *s = pb->data;
    const struct sens_arena_mark mark = sens_arena_mark(&s->v->ctx.arena);
    double *increment = verify_array(s->v, pb->np * L);
    (void)p;
    pb->inner->type->vjp_p_batch(pb->inner, K, t, moved(s, K * pb->n, X), s->p, L, moved(s, K * pb->n * L, W),
                                 increment);
    add_moved(s, pb->np * L, increment, MU);
    sens_arena_rewind(&s->v->ctx.arena, mark);
}

static void shaken_problem(struct verify *v, const struct sens_problem *inner, struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {.type = {.vjp = shaken_vjp,
                                                                 .jvp = shaken_jvp,
                                                                 .jvp_p_cols = shaken_jvp_p_cols,
                                                                 .vjp_p_batch = shaken_vjp_p_batch}};
    struct shaken *s = verify_memory(v, 1, sizeof *s);
    *s = (struct shaken){v, verify_shaken(v, inner->np, inner->p)};
    decorate_wrap(v, inner, &with, s, problem);
}

/* ---- tasks --------------------------------------------------------------------------------------------- */

enum cut { WHOLE, SINGLE, PARTS, STATES, MOMENTS, CUTS };
static const char *const cut_words[CUTS] = {[SINGLE] = ", one lane",
                                            [PARTS] = ", 16 lanes, two threads, little cache",
                                            [STATES] = ", dG/dx0 alone",
                                            [MOMENTS] = ", no integral"};
static const int cut_lanes[CUTS] = {[SINGLE] = 1, [PARTS] = 2 * LANES}; /* 0: as the method likes */

struct size {
    size_t n, m; /* at least n states; n = 0: the default instance */
    enum cut cut;
};

/* |J|_inf at the initial state, from the products. */
static double rate_of(struct verify *v, const struct sens_problem *pb)
{
    const size_t n = pb->n;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    double *unit = verify_array(v, n * n), *J = verify_array(v, n * n), most = 0;
    for (size_t i = 0; i < n; i++) unit[i * n + i] = 1;
    pb->type->jvp(pb, &(struct sens_at){pb->t0, pb->x0, pb->p}, n, unit, J);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += fabs(J[i * n + j]);
        most = fmax(most, sum);
    }
    sens_arena_rewind(&v->ctx.arena, mark);
    return most;
}

/* What declares nothing gets what its formulas tell, as methods do that are run on it. */
static void derive_structure(struct verify *v, struct sens_problem *pb)
{
    const struct sens_provider *const deriver = verify_deriver(v);
    const struct sens_provider_request request = {pb, v->reg, 2};
    struct sens_problem derived;
    if (pb->structure || pb->inner || !deriver || pb->n > STATES_DERIVED) return;
    if (deriver->wrap(&v->ctx, &request, &derived) == SENS_OK && derived.structure) *pb = derived;
}

/* false: the problem has no such instance, or that has no structure, or too many states to derive one. */
static bool create_instance(struct verify *v, const struct size *size, struct instance *instance)
{
    const bool made = size->n ? instance_of_states(v, v->problem, size->n, instance)
                              : instance_create(v, v->problem, 0, instance);
    struct sens_problem *pb = &instance->problem;
    if (!made) return false;
    derive_structure(v, pb);
    if (!pb->structure) return false;
    const double rate = rate_of(v, pb);
    if (rate > 0) pb->t1 = fmin(pb->t1, pb->t0 + STEPS / (2 * rate));
    return true;
}

/* One thread: the shaken products share the unit's arena. false: the problem or method is not asked so. */
static bool create_bed(struct verify *v, const struct sens_problem *pb, const struct size *size,
                       struct bed *bed)
{
    struct sens_cost cost;
    const unsigned integral = size->cut == MOMENTS ? 0 : PROBE_RUNNING;
    const unsigned parts = (PROBE_AT_T1 | PROBE_BETWEEN | integral) & probe_parts_for(v->method);
    probe_cost(v, pb, size->m, parts, &cost);
    bed_create(v, pb, &cost, v->method, bed);
    bed->task.threads = 1;
    bed->task.lanes = cut_lanes[size->cut];
    if (size->cut == STATES) {
        bed->task.parts = sens_method_parts(v->method, sens_parts_wrt(bed->task.parts) & SENS_WRT_X0);
        bed->out = bed_outputs(bed);
    }
    const bool fixed = bed_fixed(bed, "cash_karp", STEPS + 2); /* a multiple of 8, for the observations */
    return fixed && sens_parts_wrt(bed->task.parts);
}

static void solve_as(const struct bed *like, const struct sens_problem *problem, enum cut cut,
                     struct bed *bed)
{
    bed_create(like->v, problem, &like->cost, like->method, bed);
    bed->task = like->task;
    bed->out = bed_outputs(bed);
    bed->vector = WIDE;
    if (cut == PARTS) {
        bed->task.threads = 2;
        bed->cache = (struct sens_caches){LITTLE, LITTLE, LITTLE};
    }
    bed_solve(bed);
}

/* ---- bounds -------------------------------------------------------------------------------------------- */

/* to = max(to, |a - b|) */
static void widen(size_t count, const double *a, const double *b, double *to)
{
    for (size_t q = 0; q < count; q++) to[q] = fmax(to[q], fabs(a[q] - b[q]));
}

/* What an entry is measured in: of dG/dp, where parameters have units and sizes of their own, the parameter. */
static double unit_of(const struct sens_problem *pb, const struct sens_part_shape *shape, size_t column)
{
    const bool parameter = shape->wrt & SENS_WRT_P;
    return parameter && pb->p[column] != 0 ? fabs(pb->p[column]) : 1;
}

/* Each entry times its unit is a sum of numbers as large as the largest of its row: over the stages of all steps, and,
 * of a parameter that all states share, over these. */
static void finish(const struct sens_problem *pb, const struct sens_part_shape *shape, const double *value,
                   double *bound)
{
    const double walk = DBL_EPSILON * sqrt((double)pb->n * STAGES);
    for (size_t r = 0, cols = shape->cols; r < shape->rows; r++, value += cols, bound += cols) {
        double largest = 0;
        for (size_t q = 0; q < cols; q++) largest = fmax(largest, fabs(value[q]) * unit_of(pb, shape, q));
        for (size_t q = 0; q < cols; q++)
            bound[q] = SAFETY * bound[q] + walk * largest / unit_of(pb, shape, q);
    }
}

/* x and G have a bound of 0: the same bits. */
static sens_status rounding(const struct bed *plain, const struct sens_problem *inner,
                            const struct sens_out *right, const struct sens_out *bound)
{
    sens_status status = SENS_OK;
    for (int draw = 0; draw < DRAWS && status == SENS_OK; draw++) {
        const struct sens_arena_mark mark = sens_arena_mark(&plain->v->ctx.arena);
        struct sens_problem problem;
        struct bed bed;
        shaken_problem(plain->v, inner, &problem);
        solve_as(plain, &problem, WHOLE, &bed);
        status = bed.status;
        for (enum sens_part k = 0; k < SENS_PARTS; k++)
            if (sens_part_wrt(k) && bound->part[k])
                widen(bed_count(plain, k), bed.out.part[k], right->part[k], bound->part[k]);
        bed_free(&bed);
        sens_arena_rewind(&plain->v->ctx.arena, mark);
    }
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = bed_part(plain, k);
        if (shape.wrt && bound->part[k]) finish(inner, &shape, right->part[k], bound->part[k]);
    }
    return status;
}

/* ---- the check ----------------------------------------------------------------------------------------- */

struct findings {
    struct worst worst;
    unsigned wrong; /* gradients that are so somewhere: SENS_IN_* */
    bool cut[CUTS]; /* something is, in outputs cut so */
    bool whole;     /* something is, in more than lanes that a method may lose */
};

/* What is not within its bounds. */
struct wrong {
    unsigned gradients; /* SENS_IN_* */
    size_t first;       /* output, or one past the last: of none */
    size_t outputs;     /* of the gradient that has most of them */
};

static struct wrong wrong_gradients(const struct bed *bed, const struct sens_out *right,
                                    const struct sens_out *bound)
{
    struct wrong wrong = {.first = bed->cost.m};
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const double *const a = bed->out.part[k], *const b = right->part[k], *const limit = bound->part[k];
        const size_t cols = bed_part(bed, k).cols;
        size_t outputs = 0, last = bed->cost.m;
        for (size_t q = 0; sens_part_wrt(k) && a && b && limit && q < bed_count(bed, k); q++) {
            if (fabs(a[q] - b[q]) <= limit[q]) continue;
            wrong.gradients |= 1u << k;
            outputs += q / cols != last;
            last = q / cols;
            if (last < wrong.first) wrong.first = last;
        }
        if (outputs > wrong.outputs) wrong.outputs = outputs;
    }
    return wrong;
}

/* Outputs that a method may lose: those beyond whole vectors, or no more than one of a vector. */
static bool lanes_alone(const struct wrong *wrong, size_t m, enum cut cut)
{
    const size_t filling = cut == SINGLE ? 0 : m / LANES * LANES;
    return filling > 0 && (wrong->first >= filling || wrong->outputs <= m / LANES);
}

/* With the structure, beside what is right without it. */
static void compare_with(const struct bed *without, const struct instance *instance, enum cut cut,
                         const struct sens_out *right, const struct sens_out *bound, struct findings *found)
{
    struct bed with;
    char what[VERIFY_SUBJECT];
    solve_as(without, &instance->problem, cut, &with);
    snprintf(what, sizeof what, "%s, m = %zu%s:", instance->label, without->cost.m,
             cut_words[cut] ? cut_words[cut] : "");
    if (with.status == SENS_OK)
        out_compare(&found->worst, &with, &with.out, right, bound, what);
    else
        worst_note(&found->worst, INFINITY, 0, "%s %s %s", what, sens_status_name(with.status), with.message);
    const struct wrong wrong = wrong_gradients(&with, right, bound);
    found->wrong |= wrong.gradients;
    found->whole = found->whole || (wrong.gradients && !lanes_alone(&wrong, without->cost.m, cut));
    found->cut[cut] = found->cut[cut] || wrong.gradients;
    bed_free(&with);
}

/* What rounding does to a problem of n states with a cost of m functionals; m = 0: not known. The first functionals of
 * the probe's cost are those of any other number, and so is what rounding does to their rows. */
struct bound {
    size_t n, m;
    bool moments; /* alone */
    struct sens_out each;
};

static void compare(struct verify *v, const struct size *size, struct bound *bound, struct findings *found)
{
    struct instance instance;
    struct bed without;
    if (!create_instance(v, size, &instance)) return;
    if (size->cut == MOMENTS && !instance.problem.structure->jacobian_constant) return;
    struct sens_problem plain = instance.problem;
    plain.structure = NULL;
    if (create_bed(v, &plain, size, &without) && bed_solve(&without) == SENS_OK) {
        const struct sens_out right = bed_keep(&without);
        const bool moments = size->cut == MOMENTS;
        if (bound->n != plain.n || bound->m < size->m || bound->moments != moments) {
            *bound = (struct bound){plain.n, 0, moments, bed_shape(&without)};
            if (rounding(&without, &plain, &right, &bound->each) == SENS_OK) bound->m = size->m;
        }
        if (bound->m > 0) compare_with(&without, &instance, size->cut, &right, &bound->each, found);
    }
    bed_free(&without);
}

/* Few vectors and many, states below and above vectors and tiles. 20 states: more than are taken together,
 * and of glv 21 outer columns, more than registers hold, so that what is coupled goes its own way; its 50
 * outputs are 25 for each of two threads: a whole block of lanes, a narrower one and one output, which make more
 * than one group. A method whose vectors are all n + np directions takes too long at the last two sizes for a quick
 * run. A df/dx that is declared constant is made use of where no integral is, for many outputs. 9 and 18 outputs are
 * one and two beyond whole vectors, which may go alone. Of one n that with most outputs is first: its bound serves the
 * others. */
static const struct size sizes[] = {{0, 11, WHOLE},    {3, 80, WHOLE},  {3, 3, WHOLE},   {20, 50, PARTS},
                                    {20, 20, WHOLE},   {20, 5, WHOLE},  {20, 5, SINGLE}, {20, 9, STATES},
                                    {24, 50, MOMENTS}, {34, 18, WHOLE}, {70, 70, WHOLE}};
enum { SIZES = sizeof sizes / sizeof *sizes, QUICK_SIZES = SIZES - 2 };

static void compare_sizes(struct verify *v, struct findings *found)
{
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct bound bound = {.m = 0};
    for (int k = 0; k < (v->quick ? QUICK_SIZES : SIZES); k++) {
        if (k > 0 && sizes[k].n != sizes[k - 1].n) {
            bound.m = 0;
            sens_arena_rewind(&v->ctx.arena, mark);
        }
        compare(v, &sizes[k], &bound, found);
    }
}

static bool has_structure(struct verify *v)
{
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct instance instance;
    bool has = false;
    for (int k = 0; k < QUICK_SIZES && !has; k++) {
        has = create_instance(v, &sizes[k], &instance);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    return has;
}

static void run(struct verify *v)
{
    struct findings found = {.worst = {.count = 0}};
    char label[VERIFY_SUBJECT / 2], subject[VERIFY_SUBJECT];
    snprintf(label, sizeof label, "%s", v->problem->name);
    verify_name_held(v, v->problem->options, " ", sizeof label, label);
    snprintf(subject, sizeof subject, "%s, cost probe, cash_karp, %d fixed steps", label, STEPS + 2);
    struct verify_result result = verify_open("structure.pair", v->module, subject);
    const bool fixed = (v->method->caps & SENS_CAP_CONTROLLER) && (v->method->caps & SENS_CAP_TABLEAU);
    if (v->method->derivative == SENS_DERIVATIVE_DIFFERENCE)
        verify_skip(&result, "a difference quotient takes no products");
    else if (!has_structure(v))
        verify_skip(&result, "the problem has no structure, nor do its formulas tell one up to %d states",
                    STATES_DERIVED);
    else if (!fixed)
        verify_skip(&result, "the method takes no fixed steps: rounding would change them");
    if (result.verdict == VERIFY_PASS) compare_sizes(v, &found);
    if (result.verdict == VERIFY_PASS) verify_judge(&result, &found.worst);
    const bool in_parts = found.cut[PARTS] && !found.cut[WHOLE] && !found.cut[SINGLE] && !found.cut[STATES];
    verify_blame(&result, CAUSE_stale_workspace, in_parts ? 0.7 : 0);
    verify_blame(&result, CAUSE_lanes_lost, found.wrong && !found.whole ? 0.9 : 0);
    const bool states = sens_parts_wrt(found.wrong) & SENS_WRT_X0, parameters_alone = found.wrong && !states;
    verify_blame(&result, CAUSE_structure_misused, parameters_alone ? 0.8 : 0.5);
    verify_blame(&result, CAUSE_stale_jacobian, states ? 0.6 : 0.1);
    verify_blame(&result, CAUSE_jacobian_not_transposed, states ? 0.4 : 0);
    verify_blame(&result, CAUSE_last_batch, parameters_alone ? 0.5 : 0);
    verify_close(v, &result);
}

const struct verify_group verify_structured_pair = {
    .name = "structured_pair", .kind = VERIFY_PAIR, .checks = checks, .run = run};
