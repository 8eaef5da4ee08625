/* An initial state that depends on the parameters: x0(p) and the products with dx0/dp. */
#include "products.h"

static const struct verify_check checks[] = {
    {.id = "x0.together",
     .summary = "x0, x0_vjp and x0_jvp_cols are all there or none is, and x0(p) is the nominal state",
     .bound = "rounding of x0, measured at shaken parameters",
     .explanation =
         "A type whose initial state depends on p for some instance has all three functions. At the "
         "nominal parameters x0 must give the nominal initial state that create stored; otherwise a solve "
         "starts from another state than the one whose derivative is taken. Compare the formulas in create "
         "and in x0."},
    {.id = "x0.reference",
     .summary = "x0_jvp_cols gives the columns of dx0/dp as differences of x0 have them",
     .bound = "truncation and rounding of extrapolated central differences, estimated for each entry",
     .explanation =
         "Each column of dx0/dp is formed by x0_jvp_cols and, from x0 alone, by extrapolated central "
         "differences whose error is estimated. A failure names the worst entry: compare it with the formula "
         "of x0."},
    {.id = "x0.transpose",
     .summary = "<W, dx0/dp u> = <(dx0/dp)^T W, u> for random W and u",
     .bound = "rounding of two sums of products, with their measured magnitudes",
     .explanation =
         "x0_vjp must be the transpose of x0_jvp_cols to rounding. If x0.reference passes and this fails, "
         "x0_vjp is wrong: look at its sign, and at which entry of W goes to which parameter."},
    {.id = NULL}};

enum { SHAKES = 4 };

static void note_nominal(struct worst *worst, const struct subject *subject)
{
    const struct sens_problem *pb = subject->pb;
    struct verify *v = subject->v;
    double *x = verify_array(v, pb->n), *moved = verify_array(v, pb->n), *spread = verify_array(v, pb->n);
    pb->type->x0(pb, pb->p, x);
    for (int k = 0; k < SHAKES; k++) {
        pb->type->x0(pb, verify_shaken(v, pb->np, pb->p), moved);
        for (size_t i = 0; i < pb->n; i++) spread[i] = fmax(spread[i], fabs(moved[i] - x[i]));
    }
    for (size_t i = 0; i < pb->n; i++)
        worst_note(worst, fabs(x[i] - pb->x0[i]), 4 * spread[i] + 8 * DBL_EPSILON * fabs(x[i]),
                   "x0_%zu(p) is %.10g, the nominal state %.10g", i, x[i], pb->x0[i]);
}

static void check_together(const struct subject *subject)
{
    const struct sens_problem_type *type = subject->pb->type;
    const int present = (type->x0 != NULL) + (type->x0_vjp != NULL) + (type->x0_jvp_cols != NULL);
    struct worst worst = {.count = 0};
    worst_note(&worst, present == 0 || present == 3 ? 0 : 1, 0, "%d of x0, x0_vjp, x0_jvp_cols are there",
               present);
    if (sens_problem_x0_depends(subject->pb)) note_nominal(&worst, subject);
    struct verify_result result = subject_open(subject, "x0.together");
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_initial_products, 0.9);
    verify_close(subject->v, &result);
}

static void look(struct subject *subject)
{
    static const enum product product[] = {PRODUCT_X0_JVP, PRODUCT_X0_VJP};
    static const char *const check[] = {"x0.reference", NULL};
    const struct sens_problem_type *type = subject->pb->type;
    check_together(subject);
    if (sens_problem_x0_depends(subject->pb) && subject->pb->np > 0 && type->x0_vjp && type->x0_jvp_cols) {
        products_check_reference(subject, product, check);
        products_check_transpose(subject, product, "x0.transpose");
        return;
    }
    subject_skip(subject, "x0.reference", "the initial state does not depend on p");
    subject_skip(subject, "x0.transpose", "the initial state does not depend on p");
}

static void run(struct verify *v)
{
    subject_each(v, checks, look);
}

const struct verify_group verify_initial = {
    .name = "initial", .kind = VERIFY_PROBLEM, .checks = checks, .run = run, .wraps = true};
