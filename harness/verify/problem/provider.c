/* A provider of derivative products (sens/provider.h): which problems it wraps, that the rest of a problem
 * stays as it is, and that its products are those of the problem.
 *
 * The groups on a problem's callbacks are made on what it wraps as well (verify_group.wraps); a failure there
 * is the provider's, because a problem that fails its own checks is not wrapped. */
#include <string.h>

#include "calls.h"
#include "structure.h"

/* ---- which problems it wraps --------------------------------------------------------------------------- */

static bool create_default(struct verify *v, const struct sens_problem_type *type, struct sens_problem *made)
{
    struct sens_value *value = verify_memory(v, sens_option_count(type->options), sizeof *value);
    sens_option_defaults(type->options, value);
    return sens_problem_create(&v->ctx, type, value, made) == SENS_OK;
}

/* SENS_OK, or SENS_UNSUPPORTED with a message; anything else is a failure. */
static sens_status try_problem(struct verify *v, const struct sens_problem_type *type,
                               struct verify_result *result)
{
    struct sens_problem inner, wrapped;
    if (!create_default(v, type, &inner)) return SENS_UNSUPPORTED;
    v->ctx.message[0] = '\0';
    const sens_status status =
        v->provider->wrap(&v->ctx, &(struct sens_provider_request){&inner, v->reg, 1}, &wrapped);
    if (status != SENS_OK && status != SENS_UNSUPPORTED)
        verify_fail(result, "%s for problem %s", sens_status_name(status), type->name);
    if (status == SENS_UNSUPPORTED && !v->ctx.message[0])
        verify_fail(result, "no message says why problem %s is not supported", type->name);
    return status;
}

static void run_provider(struct verify *v)
{
    char module[VERIFY_NAME];
    int wrapped = 0;
    verify_module("provider", v->provider->name, module);
    struct verify_result result = verify_open("provider.wraps", module, "every problem");
    for (const struct sens_problem_type *const *type = v->reg->problems; *type; type++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        wrapped += try_problem(v, *type, &result) == SENS_OK;
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    if (wrapped == 0) verify_fail(&result, "it wraps none of the problems, so that nothing can be checked");
    if (result.verdict == VERIFY_FAIL) verify_blame(&result, CAUSE_contract_unchecked, 0.7);
    verify_close(v, &result);
}

static const struct verify_check provider_checks[] = {
    {.id = "provider.wraps",
     .summary = "the provider wraps at least one problem, and says why it does not wrap another",
     .bound = "none: statuses are looked at",
     .explanation =
         "Every registered problem is given to wrap, with its default options. SENS_OK and, with a message, "
         "SENS_UNSUPPORTED are allowed. A provider that wraps nothing fails: no product of it could be "
         "looked at. Load the problems that it knows beside it (--plugin)."},
    {.id = NULL}};

const struct verify_group verify_provider = {
    .name = "provider", .kind = VERIFY_PROVIDER, .checks = provider_checks, .run = run_provider};

/* ---- what stays of a problem --------------------------------------------------------------------------- */

struct couple { /* a problem, and what the provider makes of it */
    struct subject own, wrapped;
};

static bool same_shape(const struct sens_problem *a, const struct sens_problem *b)
{
    return a->n == b->n && a->np == b->np && same_numbers(1, &a->t0, &b->t0) &&
           same_numbers(1, &a->t1, &b->t1) && same_numbers(a->n, a->x0, b->x0) &&
           same_numbers(a->np, a->p, b->p) && sens_problem_x0_depends(a) == sens_problem_x0_depends(b);
}

static void compare_values(const struct couple *couple, struct worst *worst)
{
    const size_t n = couple->own.pb->n;
    for (int k = 0; k < 3; k++) {
        const struct sens_at at = subject_point(&couple->own, k);
        double *f = verify_array(couple->own.v, n), *g = verify_array(couple->own.v, n);
        const sens_status a = couple->own.pb->type->rhs(couple->own.pb, &at, f);
        const sens_status b = couple->wrapped.pb->type->rhs(couple->wrapped.pb, &at, g);
        worst_note(worst, a == b && (a != SENS_OK || same_numbers(n, f, g)) ? 0 : 1, 0,
                   "rhs is not the problem's at t = %.4g", at.t);
        sens_problem_x0(couple->own.pb, at.p, f);
        sens_problem_x0(couple->wrapped.pb, at.p, g);
        worst_note(worst, same_numbers(n, f, g) ? 0 : 1, 0, "x0(p) is not the problem's");
    }
}

static void check_rest(const struct couple *couple)
{
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(&couple->wrapped, "provider.rest");
    const struct sens_problem *a = couple->own.pb, *b = couple->wrapped.pb;
    worst_note(&worst, same_shape(a, b) ? 0 : 1, 0, "n, np, t0, t1, p or the initial state is another");
    const bool kept = b->structure && !couple->own.v->provider->declares;
    worst_note(&worst, kept ? 1 : 0, 0,
               "the problem's structure is still declared: methods would use it and not the products");
    if (a->n == b->n && a->np == b->np) compare_values(couple, &worst);
    verify_judge(&result, &worst);
    verify_blame(&result, kept ? CAUSE_structure_kept : CAUSE_contract_unchecked, 0.8);
    verify_close(couple->own.v, &result);
}

/* ---- its products -------------------------------------------------------------------------------------- */

static void note_product(const struct couple *couple, enum product product, const struct sens_at *at,
                         struct worst *worst)
{
    const struct sens_arena_mark mark = sens_arena_mark(&couple->own.v->ctx.arena);
    const struct linear own = linear_at(&couple->own, product, at);
    const struct linear wrapped = linear_at(&couple->wrapped, product, at);
    structure_note_vectors(worst, &own, &wrapped, at->t, "the provider");
    sens_arena_rewind(&couple->own.v->ctx.arena, mark);
}

static void check_products(const struct couple *couple)
{
    static const enum product all[] = {PRODUCT_JVP, PRODUCT_VJP, PRODUCT_JVP_P, PRODUCT_VJP_P};
    const int products = couple->own.pb->np > 0 ? 4 : 2;
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(&couple->wrapped, "provider.products");
    const struct points points = points_create(&couple->own);
    for (int q = 0; q < products; q++)
        for (int k = 0; k < points.count; k++) note_product(couple, all[q], &points.at[k], &worst);
    verify_judge(&result, &worst);
    for (int q = 0; q < products && result.verdict == VERIFY_FAIL; q++) {
        struct suspicion suspicion = {.places = 0};
        for (int k = 0; k < points.count; k++)
            suspicion_look(&suspicion, &couple->wrapped, all[q], &points.at[k]);
        suspicion_tell(&suspicion, &result);
    }
    verify_close(couple->own.v, &result);
}

static const struct verify_check wrapped_checks[] = {
    {.id = "provider.rest",
     .summary = "what a provider wraps is the problem itself but for its products, and without structure",
     .bound = "none: equal numbers, equal bits of rhs",
     .explanation =
         "Sizes, times, nominal values and, at three points, the bits of rhs and of the initial state must "
         "be those of the problem that was wrapped. Its structure must be gone: a method that "
         "finds a Jacobian declared uses that, and none of the provider's products. A provider that says "
         "so (declares) has one of its own in its place, which is looked at like that of a problem."},
    {.id = "provider.products",
     .summary = "the products of a provider are the problem's own",
     .bound = "rounding of both, measured at shaken inputs",
     .explanation =
         "jvp, vjp, jvp_p_cols and vjp_p_batch of the provider are compared with the problem's, which have "
         "passed their own checks, for blocks of random vectors at nominal, perturbed and visited points. "
         "Both are derivatives of one function without truncation, so that they differ by rounding alone.",
     .level = VERIFY_TO_ROUNDING,
     .essential = true},
    {.id = NULL}};

static void run_wrapped(struct verify *v)
{
    struct instance instance, kept;
    for (int number = 0; instance_create(v, v->problem, number, &instance); number++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        struct couple couple;
        kept = instance;
        if (subject_create(v, &instance, &couple.wrapped)) {
            couple.own = couple.wrapped;
            couple.own.pb = &kept.problem;
            check_rest(&couple);
            if (kept.problem.type->vjp)
                check_products(&couple);
            else
                subject_skip(&couple.wrapped, "provider.products", "the problem has no products of its own");
        } else {
            for (const struct verify_check *check = wrapped_checks; check->id; check++)
                subject_skip(&couple.wrapped, check->id,
                             v->ctx.message[0] ? v->ctx.message : "the provider does not wrap it");
        }
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

const struct verify_group verify_wrapped = {
    .name = "wrapped", .kind = VERIFY_WRAPPED, .checks = wrapped_checks, .run = run_wrapped};
