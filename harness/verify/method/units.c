/* What a method must not take for large or small, nor for none.
 *
 *     units.time       x' = -p k x, seen at 1 / k and 2 / k: the same for k = 1, 2^-20 and 2^30
 *     units.cost       x' = p v cos(v t) x: x is the same with 2^-100 G for G
 *     units.outputs    the same: the gradient of G_1 is the same with 2^-100 G_0 for G_0
 *     units.nothing    x_0' = -p x_0, x_1 = 0: atol = 0 is as good as 1e-30
 *
 * Each compares two solves of one method, which may differ by what their tolerance leaves. */
#include <stdio.h>

#include "decorate.h"
#include "diagonal.h"
#include "probe.h"
#include "trial.h"

static const double RATE = 0.75, SWING = 150, LENGTH = 2;
static const double RTOL = 1e-6, ATOL = 1e-8, FIRST = 1e-3, NEAR = 1e-3; /* NEAR: of what is compared */

enum { MOST = 2, OBSERVED = 2, SMALL = -100 };

struct equation {
    double k;     /* of x_0' = -p k x_0; 0: the other one */
    double swing; /* v, of x_0' = p v cos(v t) x_0 */
};

/* d log x_0 / dt, for p = 1 */
static double rate_of(const struct sens_problem *pb, double t)
{
    const struct equation *const e = pb->data;
    return e->k > 0 ? -e->k : e->swing * cos(e->swing * t);
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    for (size_t i = 1; i < pb->n; i++) dx[i] = 0;
    dx[0] = at->p[0] * rate_of(pb, at->t) * at->x[0];
    return SENS_OK;
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    const double rate = rate_of(pb, at->t);
    return i > 0 ? (struct diagonal_slopes){0, 0}
                 : (struct diagonal_slopes){at->p[0] * rate, rate * at->x[0]};
}

static void create(struct verify *v, struct equation equation, size_t n, size_t m, struct bed *bed)
{
    static const double x0[MOST] = {1, 0};
    struct equation *const data = verify_memory(v, 1, sizeof *data);
    const double end = equation.k > 0 ? LENGTH / equation.k : LENGTH, at[OBSERVED] = {end / 2, end};
    const unsigned parts = probe_parts_for(v->method) & (PROBE_AT_T1 | PROBE_BETWEEN);
    const bool all = v->method->caps & SENS_CAP_OBSERVATIONS;
    struct sens_cost cost;
    *data = equation;
    const struct sens_problem problem = {.type = diagonal_type(v, "units", rhs, slopes),
                                         .n = n,
                                         .np = 1,
                                         .t1 = end,
                                         .x0 = verify_copy(v, n, x0),
                                         .p = verify_copy(v, 1, &RATE),
                                         .x0_fixed = true,
                                         .data = data};
    probe_cost_at(v, &problem, m, parts, all ? OBSERVED : 1, all ? at : at + 1, &cost);
    bed_create(v, &problem, &cost, v->method, bed);
    bed->task.rtol = RTOL, bed->task.atol = ATOL;
    bed->task.dt = FIRST * end;
}

/* Each part of the second solve against the first, by their largest entries. */
static void compare(const struct bed *bed, const struct sens_out *first, unsigned parts, const char *words,
                    struct worst *worst)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        double size = 0;
        const double *const a = first->part[k], *const b = bed->out.part[k];
        if (!a || !b || !(parts >> k & 1)) continue;
        for (size_t q = 0; q < bed_count(bed, k); q++) size = fmax(size, fabs(a[q]));
        for (size_t q = 0; q < bed_count(bed, k); q++)
            worst_note_in(worst, 1u << k, fabs(b[q] - a[q]), NEAR * size, "%s %s: %.8g, not %.8g", words,
                          bed_part(bed, k).title, b[q], a[q]);
    }
}

/* A failed solve is no number: said, and no failure. */
static void end(struct verify *v, struct verify_result *result, const struct worst *worst, const char *why,
                enum cause cause)
{
    verify_judge_or(result, worst, why);
    verify_blame(result, cause, 0.95);
    verify_close(v, result);
}

static const unsigned EVERY = SENS_IN_STATE | SENS_IN_GRADIENT;

static void check_time(struct verify *v)
{
    static const int powers[] = {30, -20};
    struct verify_result result = verify_open("units.time", v->module, "x' = -p k x to t = 2 / k");
    struct worst worst = {.count = 0};
    struct bed usual;
    create(v, (struct equation){.k = 1}, 1, 1, &usual);
    const bool solved = bed_solve(&usual) == SENS_OK;
    const struct sens_out first = bed_keep(&usual);
    for (size_t q = 0; solved && q < sizeof powers / sizeof *powers; q++) {
        struct bed bed;
        char words[VERIFY_NAME];
        create(v, (struct equation){.k = exp2(powers[q])}, 1, 1, &bed);
        snprintf(words, sizeof words, "k = 2^%d,", powers[q]);
        if (bed_solve(&bed) == SENS_OK)
            compare(&bed, &first, EVERY, words, &worst);
        else
            verify_say(&result, "%s %s: %s", words, sens_status_name(bed.status), bed.message);
        bed_free(&bed);
    }
    bed_free(&usual);
    end(v, &result, &worst, "no solve, or none with another k, succeeds", CAUSE_interval_length);
}

static void check_cost(struct verify *v)
{
    struct verify_result result = verify_open("units.cost", v->module, "x' = p v cos(v t) x, 2^-100 G");
    struct worst worst = {.count = 0};
    struct sens_cost small;
    struct bed bed;
    create(v, (struct equation){.swing = SWING}, 1, 1, &bed);
    const bool solved = bed_solve(&bed) == SENS_OK;
    const struct sens_out first = bed_keep(&bed);
    decorate_multiply_cost(v, &bed.cost, SMALL, &small);
    bed.cost = small;
    if (solved && bed_solve(&bed) == SENS_OK) compare(&bed, &first, SENS_IN_X, "2^-100 G,", &worst);
    bed_free(&bed);
    end(v, &result, &worst, "the solve fails", CAUSE_settled_by_cost);
}

/* G_c = sum_j s_c x_0(t_j) */
static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    const double *const scale = cost->data;
    (void)j, (void)p;
    for (size_t c = 0; c < cost->m; c++) G[c] += scale[c] * x[0];
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    const double *const scale = cost->data;
    (void)j, (void)x, (void)p;
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) OUT[l] += scale[c0 + l];
}

static const struct sens_cost_type scaled_type = {.name = "scaled", .phi = phi, .phi_dx = phi_dx};

/* The gradients of functional c alone, as those of m. */
static struct sens_out only_row(const struct bed *bed, const struct sens_out *out, size_t c)
{
    static const enum sens_part gradients[] = {SENS_PART_DGDP, SENS_PART_DGDX0};
    struct sens_out row = *out;
    for (size_t q = 0; q < sizeof gradients / sizeof *gradients; q++) {
        const enum sens_part k = gradients[q];
        if (!out->part[k]) continue;
        const size_t cols = bed_part(bed, k).cols;
        double *const made = row.part[k] = verify_array(bed->v, bed_count(bed, k));
        for (size_t i = 0; i < cols; i++) made[c * cols + i] = out->part[k][c * cols + i];
    }
    return row;
}

static void check_outputs(struct verify *v)
{
    enum { OUTPUTS = 2 };
    static const double equal[OUTPUTS] = {1, 1};
    const double small[OUTPUTS] = {exp2(SMALL), 1};
    struct verify_result result =
        verify_open("units.outputs", v->module, "x' = p v cos(v t) x, 2^-100 G_0 beside G_1");
    struct worst worst = {.count = 0};
    struct bed bed;
    create(v, (struct equation){.swing = SWING}, 1, OUTPUTS, &bed);
    bed.cost.type = &scaled_type;
    bed.cost.data = equal;
    const bool solved = bed_solve(&bed) == SENS_OK;
    const struct sens_out kept = bed_keep(&bed), first = only_row(&bed, &kept, 1);
    bed.cost.data = small;
    if (solved && bed_solve(&bed) == SENS_OK) {
        bed.out = only_row(&bed, &bed.out, 1);
        compare(&bed, &first, SENS_IN_GRADIENT, "2^-100 G_0,", &worst);
    }
    bed_free(&bed);
    end(v, &result, &worst, "the solve fails", CAUSE_outside_test);
}

static void check_nothing(struct verify *v)
{
    static const double least = 1e-30;
    struct verify_result result = verify_open("units.nothing", v->module, "a decay beside 0, atol = 0");
    struct worst worst = {.count = 0};
    struct bed bed;
    create(v, (struct equation){.k = 1}, 2, 1, &bed);
    bed.task.atol = least;
    const bool solved = bed_solve(&bed) == SENS_OK;
    const struct sens_out first = bed_keep(&bed);
    bed.task.atol = 0;
    if (solved && bed_solve(&bed) == SENS_OK) compare(&bed, &first, EVERY, "atol = 0,", &worst);
    bed_free(&bed);
    end(v, &result, &worst, "the solve fails, with atol = 1e-30 or 0", CAUSE_zero_tolerance);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static const struct verify_check checks[] = {
    {.id = "units.time",
     .summary = "another unit of time changes nothing",
     .bound = "a thousandth: what the tolerance of 1e-6 may leave, and far less than what a lost step does",
     .level = VERIFY_TO_TOLERANCE,
     .explanation =
         "x' = -p k x is solved to 2 / k for k = 1, 2^-20 and 2^30, with the first step in proportion. x, G "
         "and the gradient are the same numbers. A method that takes 1e-9 for no time, or 1 for a step, does "
         "not get there: look for constants that times are compared with; they have to be parts of the "
         "interval, or of t."},
    {.id = "units.cost",
     .summary = "the state does not depend on the unit of G",
     .bound = "a thousandth: what the tolerance of 1e-6 may leave",
     .level = VERIFY_TO_TOLERANCE,
     .explanation =
         "An oscillation is solved with a cost, and with 2^-100 times that cost. The error of the state is "
         "not that of G: steps that are taken to be short enough where G has settled leave the state "
         "anywhere, where G is small against atol, or stationary."},
    {.id = "units.outputs",
     .summary = "the gradient of one functional does not depend on the unit of another",
     .bound = "a thousandth: what the tolerance of 1e-6 may leave",
     .level = VERIFY_TO_TOLERANCE,
     .explanation =
         "An oscillation is solved with two functionals, and with 2^-100 times the first. An error test of a "
         "solve back that sees the first functional alone takes any step then. Look at which components of "
         "the adjoint the norm goes over."},
    {.id = "units.nothing",
     .summary = "atol = 0 is taken, or refused, where a state is 0",
     .bound = "a thousandth: what the tolerance of 1e-6 may leave",
     .level = VERIFY_TO_TOLERANCE,
     .explanation =
         "A decay beside a state that is 0 is solved with atol = 1e-30 and 0. An error of 0 over a tolerance "
         "of 0 is no number, and no comparison with it is true: a step that is rejected if err > 1 is then "
         "accepted whatever the other components say. A status is an answer."},
    {.id = NULL}};

static void run(struct verify *v)
{
    if (!(v->method->caps & SENS_CAP_TOLERANCE)) {
        for (const struct verify_check *check = checks; check->id; check++)
            verify_skip_check(v, check->id, v->module, "another unit", "the method takes no tolerance");
        return;
    }
    check_time(v);
    check_cost(v);
    check_outputs(v);
    check_nothing(v);
}

const struct verify_group verify_units = {
    .name = "units", .kind = VERIFY_METHOD, .checks = checks, .run = run};
