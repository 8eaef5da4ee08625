/* A provider of derivative products (sens/provider.h): which problems it wraps, that the rest of a problem
 * stays as it is, and that its products are those of the problem.
 *
 * The groups on a problem's callbacks are made on what it wraps as well (verify_group.wraps); a failure there
 * is the provider's, because a problem that fails its own checks is not wrapped. */
#include <stdio.h>
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
    int wrapped = 0;
    struct verify_result result = verify_open("provider.wraps", v->module, "every problem");
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

static void check_rest(const struct couple *couple, const char *check)
{
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(&couple->wrapped, check);
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

/* ---- products that are difference quotients ------------------------------------------------------------- */

/* A quotient over a bump of h = sqrt(eps) s, with s the size of the number that is moved, is off by eps T / h from
 * rounding, with T the size of the terms of f, and by h f''/2 from curvature: sqrt(eps) = 1.5e-8 of T / s each. Terms
 * inside rhs that cancel and sums over columns take some digits more; what is wrong by a formula, or where a bump
 * vanishes, is off by the terms themselves. */
static const double QUOTIENT = 1e-4;

enum { QUOTIENT_LANES = 3, SIGN_LANES = 16, MOST_ZEROS = 24, PRODUCTS = 4, MOVES = 4 };

struct quotient { /* at one point: what is multiplied, and what a quotient may be off by */
    const struct couple *couple;
    double *sx, *sp;     /* [n], [np] sizes; of a 0 that of the largest, no more than 1 */
    double *T;           /* [n] sizes of the terms of f */
    double *V[PRODUCTS]; /* [in][QUOTIENT_LANES] */
    double scale;        /* a power of 2, by which V is multiplied, and what comes out divided */
    size_t in[PRODUCTS], out[PRODUCTS];
};

static double random_sign(struct verify *v)
{
    return verify_uniform(v, -1, 1) < 0 ? -1 : 1;
}

static double *sizes_of(struct verify *v, size_t count, const double *numbers)
{
    double *const size = verify_array(v, count), most = 0;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(numbers[k]));
    for (size_t k = 0; k < count; k++)
        size[k] = numbers[k] != 0 ? fabs(numbers[k]) : most > 0 ? fmin(most, 1) : 1;
    return size;
}

/* T_i += max |sum_k +-M_ik s_k| over random signs: no less than the largest of the terms. */
static void add_terms(struct quotient *q, enum product product, const struct sens_at *at, const double *s)
{
    struct verify *v = q->couple->own.v;
    const struct linear map = linear_at(&q->couple->own, product, at);
    double *V = verify_array(v, map.in * SIGN_LANES), *out = verify_array(v, map.out * SIGN_LANES);
    for (size_t k = 0; k < map.in * SIGN_LANES; k++) V[k] = s[k / SIGN_LANES] * random_sign(v);
    linear_apply(&map, SIGN_LANES, V, out);
    for (size_t i = 0; i < map.out; i++) {
        double most = 0;
        for (size_t l = 0; l < SIGN_LANES; l++) most = fmax(most, fabs(out[i * SIGN_LANES + l]));
        q->T[i] += most;
    }
}

/* V_k = +-s_k forward, W_i = +-1 / T_i transposed: every entry takes part with its own size. */
static struct quotient quotient_create(const struct couple *couple, const struct sens_at *at)
{
    const struct sens_problem *pb = couple->own.pb;
    struct verify *v = couple->own.v;
    const size_t n = pb->n, np = pb->np;
    struct quotient q = {.couple = couple, .in = {n, n, np, n}, .out = {n, n, n, np}, .scale = 1};
    q.sx = sizes_of(v, n, at->x), q.sp = sizes_of(v, np, at->p), q.T = verify_array(v, n);
    if (pb->type->rhs(pb, at, q.T) != SENS_OK) return q;
    for (size_t i = 0; i < n; i++) q.T[i] = fabs(q.T[i]);
    add_terms(&q, PRODUCT_JVP, at, q.sx);
    if (np > 0) add_terms(&q, PRODUCT_JVP_P, at, q.sp);
    for (int k = 0; k < PRODUCTS; k++) {
        q.V[k] = verify_array(v, q.in[k] * QUOTIENT_LANES);
        for (size_t e = 0; e < q.in[k] * QUOTIENT_LANES; e++) {
            const size_t i = e / QUOTIENT_LANES;
            const double size = k == PRODUCT_JVP ? q.sx[i] : k == PRODUCT_JVP_P ? q.sp[i] : 1 / q.T[i];
            q.V[k][e] = isfinite(size) ? size * random_sign(v) : 1;
        }
    }
    return q;
}

static double *apply(const struct quotient *q, const struct subject *subject, enum product product,
                     const struct sens_at *at)
{
    const struct linear map = linear_at(subject, product, at);
    const size_t in = q->in[product] * QUOTIENT_LANES, all = q->out[product] * QUOTIENT_LANES;
    double *const out = verify_array(subject->v, all), *const V = verify_copy(subject->v, in, q->V[product]);
    for (size_t e = 0; e < in; e++) V[e] *= q->scale;
    linear_apply(&map, QUOTIENT_LANES, V, out);
    for (size_t e = 0; e < all; e++) out[e] /= q->scale;
    return out;
}

/* What a quotient of entry i may be off by, in the units of the product. */
static double allowed(const struct quotient *q, enum product product, size_t i)
{
    if (linear_forward(product)) return QUOTIENT * q->T[i];
    return QUOTIENT / (product == PRODUCT_VJP ? q->sx[i] : q->sp[i]);
}

/* The point with every number moved by 1e-6 of its size, up or down: bumps are no larger. */
static struct sens_at moved_point(const struct quotient *q, const struct sens_at *at)
{
    static const double MOVE = 1e-6;
    const struct subject *own = &q->couple->own;
    double *const x = verify_copy(own->v, own->pb->n, at->x), *const p =
                                                                  verify_copy(own->v, own->pb->np, at->p);
    for (size_t i = 0; i < own->pb->n; i++) x[i] += MOVE * q->sx[i] * random_sign(own->v);
    for (size_t k = 0; k < own->pb->np; k++) p[k] += MOVE * q->sp[k] * random_sign(own->v);
    return (struct sens_at){at->t, x, p};
}

/* slack [out][QUOTIENT_LANES]: how far the problem's own product goes within a bump, by curvature or at a kink. */
static double *curvature(const struct quotient *q, enum product product, const struct sens_at *at,
                         const double *own)
{
    const struct subject *subject = &q->couple->own;
    double *const slack = verify_array(subject->v, q->out[product] * QUOTIENT_LANES);
    for (int k = 0; k < MOVES; k++) {
        const struct sens_at there = moved_point(q, at);
        if (!subject_usable(subject, &there)) continue;
        const double *moved = apply(q, subject, product, &there);
        for (size_t e = 0; e < q->out[product] * QUOTIENT_LANES; e++)
            slack[e] = fmax(slack[e], MOVES * fabs(moved[e] - own[e]));
    }
    return slack;
}

static void note_quotient(const struct quotient *q, enum product product, const struct sens_at *at,
                          const char *words, struct worst *worst)
{
    const struct couple *couple = q->couple;
    const double *got = apply(q, &couple->wrapped, product, at), *own = apply(q, &couple->own, product, at);
    const double *slack = curvature(q, product, at, own);
    for (size_t e = 0; e < q->out[product] * QUOTIENT_LANES; e++)
        if (isfinite(own[e]))
            worst_note(worst, fabs(got[e] - own[e]), allowed(q, product, e / QUOTIENT_LANES) + slack[e],
                       "%s at t = %.4g%s: entry %zu, lane %zu is %.10g by the problem and %.10g",
                       linear_name(product), at->t, words, e / QUOTIENT_LANES, e % QUOTIENT_LANES, own[e],
                       got[e]);
}

/* scale: of the vectors, a power of 2. */
static void note_quotients(const struct couple *couple, const struct sens_at *at, double scale,
                           const char *words, struct worst *worst)
{
    const struct sens_arena_mark mark = sens_arena_mark(&couple->own.v->ctx.arena);
    struct quotient q = quotient_create(couple, at);
    q.scale = scale;
    for (int k = 0; k < PRODUCTS && q.V[k]; k++)
        if (q.in[k] > 0 && q.out[k] > 0) note_quotient(&q, (enum product)k, at, words, worst);
    sens_arena_rewind(&couple->own.v->ctx.arena, mark);
}

/* One state or parameter after the other at exactly 0, where a bump has no size to follow. */
static void note_zeros(const struct couple *couple, struct worst *worst)
{
    const struct subject *own = &couple->own;
    const size_t n = own->pb->n, all = n + own->pb->np;
    const struct sens_at at = subject_point(own, 1);
    double *const x = verify_copy(own->v, n, at.x), *const p = verify_copy(own->v, all - n, at.p);
    const struct sens_at here = {at.t, x, p};
    for (size_t k = 0; k < all && k < MOST_ZEROS; k++) {
        const size_t q = all <= MOST_ZEROS ? k : (size_t)verify_integer(own->v, 0, (long)all - 1);
        double *const number = q < n ? &x[q] : &p[q - n], kept = *number;
        char words[VERIFY_NAME];
        snprintf(words, sizeof words, ", %s_%zu = 0", q < n ? "x" : "p", q < n ? q : q - n);
        *number = 0;
        if (subject_usable(own, &here)) note_quotients(couple, &here, 1, words, worst);
        *number = kept;
    }
}

/* Sensitivities that have died out, or grown: a bump has to follow the vector's size. */
static void note_sizes(const struct couple *couple, struct worst *worst)
{
    const struct sens_at at = subject_point(&couple->own, 1);
    note_quotients(couple, &at, 0x1p-60, ", of vectors 2^-60 as large", worst);
    note_quotients(couple, &at, 0x1p60, ", of vectors 2^60 as large", worst);
}

static void check_quotients(const struct couple *couple)
{
    struct worst worst = {.count = 0}, zeros = {.count = 0}, sizes = {.count = 0};
    struct verify_result result = subject_open(&couple->wrapped, "quotients.products");
    const struct points points = points_create(&couple->own);
    for (int k = 0; k < points.count; k++) note_quotients(couple, &points.at[k], 1, "", &worst);
    note_zeros(couple, &zeros);
    note_sizes(couple, &sizes);
    const bool elsewhere = !worst_passes(&worst), at_zero = !worst_passes(&zeros);
    if (zeros.count > 0) worst_note(&worst, zeros.value, zeros.bound, "%s", zeros.where);
    if (sizes.count > 0) worst_note(&worst, sizes.value, sizes.bound, "%s", sizes.where);
    verify_judge(&result, &worst);
    if (at_zero) verify_blame(&result, CAUSE_exact_zero, elsewhere ? 0.3 : 0.95);
    if (!elsewhere && !worst_passes(&sizes)) verify_blame(&result, CAUSE_scale_threshold, 0.9);
    verify_blame(&result, CAUSE_quotient_bump, 0.8);
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

static const struct verify_check quotient_checks[] = {
    {.id = "quotients.rest",
     .summary = "what a provider of quotients wraps is the problem itself but for its products, and without "
                "structure",
     .bound = "none: equal numbers, equal bits of rhs",
     .explanation = "As provider.rest, of a provider that declares its products approximate."},
    {.id = "quotients.products",
     .summary =
         "products that are difference quotients (approximate) are the problem's own, as far as these go",
     .bound = "1e-4 of the largest terms of f: what a quotient loses, sqrt(eps) = 1.5e-8, 6,000 times",
     .explanation =
         "In place of provider.products, of a provider that declares its products approximate. They are "
         "compared with the problem's, each entry times the size of the number that it is the derivative by, "
         "where provider.products does, with one state or parameter after the other at exactly 0, and of "
         "vectors 2^60 times as large and as small. A bump that is a part of the number is none there, and "
         "the column comes out as 0: give it a size of its own. At a kink either side's derivative will do.",
     .level = VERIFY_TO_TOLERANCE,
     .essential = true},
    {.id = NULL}};

/* A provider that is approximate has the second group, any other the first: rest and products, in this order. */
static void compare(struct verify *v, const struct couple *couple, const struct verify_check *check)
{
    check_rest(couple, check[0].id);
    if (!couple->own.pb->type->vjp)
        subject_skip(&couple->wrapped, check[1].id, "the problem has no products of its own");
    else if (v->provider->approximate)
        check_quotients(couple);
    else
        check_products(couple);
}

static void run_wrapped(struct verify *v)
{
    const struct verify_check *const checks = v->provider->approximate ? quotient_checks : wrapped_checks;
    struct instance instance, kept;
    for (int number = 0; instance_create(v, v->problem, number, &instance); number++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        struct couple couple;
        kept = instance;
        if (subject_create(v, &instance, &couple.wrapped)) {
            couple.own = couple.wrapped;
            couple.own.pb = &kept.problem;
            compare(v, &couple, checks);
        } else {
            for (const struct verify_check *check = checks; check->id; check++)
                subject_skip(&couple.wrapped, check->id,
                             v->ctx.message[0] ? v->ctx.message : "the provider does not wrap it");
        }
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

const struct verify_group verify_wrapped = {
    .name = "wrapped", .kind = VERIFY_WRAPPED, .checks = wrapped_checks, .run = run_wrapped};

const struct verify_group verify_quotients = {
    .name = "quotients", .kind = VERIFY_QUOTIENTS, .checks = quotient_checks, .run = run_wrapped};
