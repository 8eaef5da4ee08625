/* Every method that can do a problem against every other.
 *
 * Each method has a target T and a bound B by the kind it declares (expected.h); two of them agree when
 *
 *     |a - b| <= B_a + B_b + |T_a - T_b|      entry by entry,
 *
 * where the last term is no model but the harness's own two derivatives. Two discrete methods share their
 * steps, so T is the same and B is rounding. The one that is further from its own T, in units of B, is the
 * one that a failure is put down to. */
#include <fnmatch.h>
#include <stdio.h>

#include "pair.h"
#include "probe.h"

enum { MAX_METHODS = 32, MAX_STEPS = 8000 };

static const struct verify_check checks[] = {
    {.id = "cross.discrete",
     .summary = "two discrete methods give the same gradient on the same steps",
     .bound = "rounding, measured on each one's steps, and the distance of their frozen derivatives",
     .explanation =
         "Both methods differentiate the same discrete map, one forwards and the other in reverse, or "
         "with different storage. They take the same steps, so that their gradients differ by rounding "
         "alone. A failure is put down to the method that is further from the harness's own tangent; run "
         "its pair.frozen check next."},
    {.id = "cross.continuous",
     .summary = "two methods of which one is continuous agree within their tolerances",
     .bound = "what local errors of the size of the tolerance do to each, and the distance of their targets",
     .explanation =
         "A continuous method approximates the derivative of the exact solution, with steps of its own. "
         "It may be off by what local errors of the size of its tolerance do to the gradient, which is "
         "measured by putting such errors into the harness's own solve. A failure is put down to the "
         "method that is further from its own target; run its pair.exact check next."},
    {.id = "cross.difference",
     .summary = "difference quotients agree with every other method",
     .bound = "truncation of a quotient with a larger bump, rounding over the bump, and the other's bound",
     .explanation =
         "Difference quotients need no product of the problem, only rhs: they are independent of every "
         "mistake in a Jacobian. They are taken on equal steps, because on adaptive ones their noise is "
         "the tolerance over the bump; the distance of the two targets, which the harness knows, is "
         "allowed for. A failure is put down to the method that is further from its own target."},
    {.id = NULL}};

struct entry { /* a method's result */
    struct bed bed;
    struct expected target;
    double deviation; /* largest |got - T| / B */
    bool usable;
};

struct matrix {
    struct verify *v;
    struct instance instance;
    struct sens_problem problem; /* of the instance, perhaps on a part of its interval */
    struct sens_cost cost;
    double tol;
    size_t count;
    struct entry entry[MAX_METHODS];
    struct expected exact, continuous;
    int told[3]; /* results by check */
};

/* ---- solves -------------------------------------------------------------------------------------------- */

static void skip_entry(struct matrix *matrix, const struct entry *entry, int check, const char *why)
{
    char module[VERIFY_NAME];
    verify_module("method", entry->bed.method->name, module);
    verify_skip_check(matrix->v, checks[check].id, module, matrix->instance.label, why);
    matrix->told[check]++;
}

static int check_of(enum sens_derivative kind)
{
    return kind == SENS_DERIVATIVE_DISCRETE ? 0 : kind == SENS_DERIVATIVE_CONTINUOUS ? 1 : 2;
}

/* The tangent on these steps, unless an earlier method took the same. */
static bool frozen_target(struct matrix *matrix, const struct entry *entry, struct expected *target)
{
    for (const struct entry *other = matrix->entry; other < entry; other++)
        if (other->usable && other->bed.method->derivative == SENS_DERIVATIVE_DISCRETE &&
            grid_same(&other->bed.grid, &entry->bed.grid)) {
            *target = other->target;
            return true;
        }
    return expected_reported_map(&entry->bed, target) == SENS_OK;
}

/* That of a difference comes with its steps. */
static bool find_target(struct matrix *matrix, struct entry *entry)
{
    const enum sens_derivative kind = entry->bed.method->derivative;
    if (kind == SENS_DERIVATIVE_DISCRETE) return frozen_target(matrix, entry, &entry->target);
    if (kind == SENS_DERIVATIVE_CONTINUOUS) entry->target = matrix->continuous;
    return true;
}

/* Difference quotients on equal steps, all others adaptive. */
static bool set_task(const struct matrix *matrix, struct entry *entry)
{
    struct bed *const bed = &entry->bed;
    bed_tolerance(bed, matrix->tol);
    bed->task.max_steps = MAX_STEPS;
    if (bed->method->derivative != SENS_DERIVATIVE_DIFFERENCE) return true;
    entry->target.why = "the method does not take rk4 with a fixed step";
    if (!bed_fixed(bed, "rk4", 1)) return false;
    const long steps = expected_difference(bed, &entry->target);
    return steps > 0 && bed_fixed(bed, "rk4", steps);
}

static void solve_entry(struct matrix *matrix, struct entry *entry)
{
    struct bed *bed = &entry->bed;
    const int check = check_of(bed->method->derivative);
    struct worst worst = {.count = 0};
    char why[VERIFY_TEXT / 2];
    if (!set_task(matrix, entry)) {
        skip_entry(matrix, entry, check, entry->target.why);
    } else if (bed_solve(bed) != SENS_OK) {
        snprintf(why, sizeof why, "%s: %s", sens_status_name(bed->status), bed->message);
        skip_entry(matrix, entry, check, why);
    } else if (!find_target(matrix, entry)) {
        skip_entry(matrix, entry, check, "no reference");
    } else if (expected_weakness(bed, &entry->target) > 1) {
        skip_entry(matrix, entry, check, "its bound is as large as the derivative: nothing could be told");
    } else {
        expected_compare(&worst, bed, &bed->out, &entry->target);
        entry->deviation = worst.bound > 0 ? worst.value / worst.bound : worst.value > 0 ? INFINITY : 0;
        if (!out_finite(bed, &bed->out)) entry->deviation = INFINITY;
        entry->usable = true;
    }
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

static int check_of_pair(const struct entry *a, const struct entry *b)
{
    const int first = check_of(a->bed.method->derivative), second = check_of(b->bed.method->derivative);
    return first > second ? first : second;
}

/* The sum of the two bounds and of the distance of the two targets. */
static struct sens_out joint_bound(const struct entry *a, const struct entry *b)
{
    struct sens_out bound = bed_shape(&a->bed);
    out_add(&a->bed, &bound, 1, &a->target.bound);
    out_add(&a->bed, &bound, 1, &b->target.bound);
    out_add_apart(&a->bed, &bound, 1, &a->target.value, &b->target.value);
    return bound;
}

static void compare(struct matrix *matrix, const struct entry *a, const struct entry *b)
{
    const struct entry *const off = a->deviation > b->deviation ? a : b;
    const struct sens_out bound = joint_bound(a, b);
    const int check = check_of_pair(a, b);
    struct worst worst = {.count = 0};
    char module[VERIFY_NAME], subject[VERIFY_SUBJECT];
    verify_module("method", off->bed.method->name, module);
    snprintf(subject, sizeof subject, "%s and %s on %s, tol %.1g", a->bed.method->name, b->bed.method->name,
             matrix->instance.label, matrix->tol);
    struct verify_result result = verify_open(checks[check].id, module, subject);
    out_compare(&worst, &a->bed, &a->bed.out, &b->bed.out, &bound, "");
    verify_judge(&result, &worst);
    if (result.verdict == VERIFY_FAIL) {
        verify_say(&result, "from its own target, %s is off by %.3g bounds and %s by %.3g",
                   a->bed.method->name, a->deviation, b->bed.method->name, b->deviation);
        pair_blame(&off->bed, &off->target.value, &result);
    }
    verify_close(matrix->v, &result);
    matrix->told[check]++;
}

/* ---- the matrix ---------------------------------------------------------------------------------------- */

static bool takes_part(const struct verify *v, const struct sens_method_type *method)
{
    return !v->method_glob || fnmatch(v->method_glob, method->name, 0) == 0;
}

/* What all methods that take part can do. */
static unsigned common_parts(const struct verify *v)
{
    unsigned parts = ~0U;
    for (const struct sens_method_type *const *method = v->reg->methods; *method; method++)
        if (takes_part(v, *method)) parts &= probe_parts_for(*method);
    return parts;
}

/* The task that all share; false: the harness itself cannot solve it. */
static bool create_task(struct matrix *matrix)
{
    struct verify *v = matrix->v;
    struct bed bed;
    const struct horizon want = {
        &matrix->instance.problem, v->reg->methods[0], matrix->tol, common_parts(v), NULL, false};
    const sens_status status = expected_horizon(v, &want, &bed, &matrix->exact, &matrix->continuous);
    matrix->problem = bed.problem;
    matrix->cost = bed.cost;
    bed_free(&bed);
    return status == SENS_OK;
}

static void solve_all(struct matrix *matrix)
{
    struct verify *v = matrix->v;
    matrix->count = 0;
    for (const struct sens_method_type *const *method = v->reg->methods; *method; method++) {
        if (!takes_part(v, *method) || matrix->count == MAX_METHODS) continue;
        struct entry *const entry = &matrix->entry[matrix->count++];
        *entry = (struct entry){.usable = false};
        bed_create(v, &matrix->problem, &matrix->cost, *method, &entry->bed);
        solve_entry(matrix, entry);
    }
}

/* Says why of each check that `told` has no result of (NULL: of all). */
static void skip_checks(struct matrix *matrix, const int *told, const char *subject, const char *why)
{
    for (int check = 0; checks[check].id; check++)
        if (!told || told[check] == 0)
            verify_skip_check(matrix->v, checks[check].id, matrix->v->module, subject, why);
}

static void run_instance(struct matrix *matrix)
{
    matrix->tol = matrix->v->seed ? pow(10, verify_uniform(matrix->v, -9.5, -7.5)) : 1e-8;
    if (!create_task(matrix)) {
        skip_checks(matrix, NULL, matrix->instance.label, "no reference: the harness's own solve fails");
        return;
    }
    solve_all(matrix);
    for (size_t i = 0; i < matrix->count; i++)
        for (size_t j = i + 1; j < matrix->count; j++)
            if (matrix->entry[i].usable && matrix->entry[j].usable)
                compare(matrix, &matrix->entry[i], &matrix->entry[j]);
    for (size_t i = 0; i < matrix->count; i++) bed_free(&matrix->entry[i].bed);
}

static void run(struct verify *v)
{
    struct matrix *const matrix = verify_memory(v, 1, sizeof *matrix);
    matrix->v = v;
    for (int k = 0; !(v->quick && k > 0) && instance_create(v, v->problem, k, &matrix->instance); k++)
        run_instance(matrix);
    skip_checks(matrix, matrix->told, v->problem->name, "no two methods of these kinds take part");
}

const struct verify_group verify_cross = {
    .name = "cross", .kind = VERIFY_CROSS, .checks = checks, .run = run};
