/* An initial state that depends on the parameters: x0(p) and the products with dx0/dp. The algebraic equations that it
 * has to satisfy are those of initial_algebraic.c. */
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
    {.id = "x0.far",
     .summary = "x0_jvp_cols and x0_vjp are the derivatives of x0 at parameters far from the nominal ones",
     .bound = "as x0.reference",
     .explanation = "One parameter is moved by up to two orders of magnitude, or each by up to one: 30 draws "
                    "of each kind, 300 in a full run, where x0 is finite. There both products are compared "
                    "with differences of x0, entry by entry. An initial state that an iteration solves for, "
                    "and a derivative by the implicit function theorem, agree where the iteration converges "
                    "alone. Look at how many steps it makes, at whether it tests for convergence, and at "
                    "branches.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "x0.algebraic",
     .summary = "x0(p) satisfies the algebraic equations of a problem with a mass matrix, for all p",
     .bound =
         "1.5e-8 of the terms of an equation, |df/dx| |x| + |df/dp| |p|; of one that holds to fewer than "
         "nine digits at the nominal p: x0 moves by 1.5e-8 of its largest entry, as `run` allows; at other p "
         "each x0_i moves by at most the sum of 1.5e-8 of itself, ten times what it would move by at the "
         "nominal p, and rounding",
     .explanation =
         "The equations of rows of zeros in M, 0 = f_i(t0, x0(p), p), hold at the nominal parameters and "
         "at others, moved by some per cent, one at a time and all together. A failure at the nominal "
         "ones is of the initial state itself: `run` refuses it. A failure at others alone says that x0 "
         "does not follow p: the problem has no x0(p), or one that solves another equation. `run` refuses "
         "a p where x0 would have to move by more, and dG/dp lacks what comes through the initial state. "
         "A state that is small beside the others, or beside the terms of its equation, is also looked at "
         "in its own size: `run` accepts such a state, and its derivatives are wrong all the same."},
    {.id = NULL}};

enum { SHAKES = 4, QUICK_DRAWS = 30, DRAWS = 300 };
static const enum product of_initial[] = {PRODUCT_X0_JVP, PRODUCT_X0_VJP};

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
    /* Of an instance whose state is fixed they are not asked for, nor derived where a type has rhs and x0 alone. */
    const bool complete = present == 0 || present == 3 || subject->pb->x0_fixed;
    worst_note(&worst, complete ? 0 : 1, 0, "%d of x0, x0_vjp, x0_jvp_cols are there", present);
    if (sens_problem_x0_depends(subject->pb)) note_nominal(&worst, subject);
    struct verify_result result = subject_open(subject, "x0.together");
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_initial_products, 0.9);
    verify_close(subject->v, &result);
}

/* ---- far from the nominal parameters -------------------------------------------------------------------- */

bool initial_note(struct worst *worst, const struct subject *subject, const struct sens_at *at)
{
    const struct sens_problem *pb = subject->pb;
    if (!sens_problem_x0_depends(pb) || pb->np == 0) return false;
    if (!pb->type->x0_vjp || !pb->type->x0_jvp_cols) return false;
    double *x = verify_array(subject->v, pb->n), sum = 0;
    pb->type->x0(pb, at->p, x);
    for (size_t i = 0; i < pb->n; i++) sum += fabs(x[i]);
    if (!isfinite(sum)) return false;
    products_note_entries(worst, subject, of_initial, at);
    return true;
}

/* One parameter after the other by up to two powers of ten, which draw number k of `all` has a share of for each, or
 * each by one. */
static double *draw_far(const struct subject *subject, bool one, int k, int all)
{
    struct verify *v = subject->v;
    const size_t np = subject->pb->np, number = (size_t)k, alone = number % np, round = number / np;
    const size_t rounds = ((size_t)all + np - 1) / np;
    const double share = ((double)round + verify_uniform(v, 0, 1)) / (double)rounds;
    double *const p = verify_copy(v, np, subject->pb->p);
    for (size_t q = 0; q < np; q++)
        if (!one || q == alone)
            p[q] = (p[q] != 0 ? p[q] : 1) * pow(10, one ? 4 * share - 2 : verify_uniform(v, -1, 1));
    return p;
}

static void check_far(const struct subject *subject)
{
    struct verify *v = subject->v;
    struct worst worst = {.count = 0};
    struct suspicion suspicion = {.places = 0};
    struct verify_result result = subject_open(subject, "x0.far");
    const int all = v->quick ? QUICK_DRAWS : DRAWS;
    for (int k = 0; k < 2 * all && worst_passes(&worst); k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        const struct sens_at at = {subject->pb->t0, subject->pb->x0, draw_far(subject, k % 2, k / 2, all)};
        initial_note(&worst, subject, &at);
        if (!worst_passes(&worst)) suspicion_look(&suspicion, subject, PRODUCT_X0_JVP, &at);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    verify_judge(&result, &worst);
    if (result.verdict == VERIFY_FAIL) suspicion_tell(&suspicion, &result);
    verify_blame(&result, CAUSE_initial_products, 0.9);
    verify_blame(&result, CAUSE_branch, 0.85);
    verify_close(v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void look(struct subject *subject)
{
    static const char *const check[] = {"x0.reference", NULL};
    const struct sens_problem_type *type = subject->pb->type;
    check_together(subject);
    initial_check_algebraic(subject);
    if (sens_problem_x0_depends(subject->pb) && subject->pb->np > 0 && type->x0_vjp && type->x0_jvp_cols) {
        products_check_reference(subject, of_initial, check);
        products_check_transpose(subject, of_initial, "x0.transpose");
        check_far(subject);
        return;
    }
    subject_skip(subject, "x0.reference", "the initial state does not depend on p");
    subject_skip(subject, "x0.transpose", "the initial state does not depend on p");
    subject_skip(subject, "x0.far", "the initial state does not depend on p");
}

static void run(struct verify *v)
{
    subject_each(v, checks, look);
}

const struct verify_group verify_initial = {
    .name = "initial", .kind = VERIFY_PROBLEM, .checks = checks, .run = run, .wraps = true};
