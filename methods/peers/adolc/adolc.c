/* Derivative products by automatic differentiation: the right-hand side taped by ADOL-C, vector forward and
 * reverse.
 *
 * Griewank, Juedes, Utke, ADOL-C, ACM Trans. Math. Softw. 22 (1996) 131-167. The problem keeps its own
 * right-hand side for the solve; the taped one is written again as a template (adolc_rhs.h), and compared
 * with it before it is used. The interface of the problem asks for (df/dx)^T W and for (df/dp)^T W by
 * separate calls, hence two tapes. */
#include <math.h>
#include <string.h>

#include "adolc_tape.h"
#include "sens/plugin.h"

struct taped {
    struct sens_decorated_problem room;
    struct adolc_tapes *tapes;
};

/* ---- products ------------------------------------------------------------------------------------------ */

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    const struct taped *taped = pb->data;
    adolc_vjp(taped->tapes, at->t, at->x, at->p, L, W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    const struct taped *taped = pb->data;
    adolc_jvp(taped->tapes, at->t, at->x, at->p, L, V, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    const struct taped *taped = pb->data;
    adolc_jvp_p_cols(taped->tapes, at->t, at->x, at->p, k0, L, OUT);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    const struct taped *taped = pb->data;
    for (size_t k = 0; k < K; k++)
        adolc_vjp_p(taped->tapes, t[k], X + k * pb->n, p, L, W + k * pb->n * L, MU);
}

/* What a sweep costs the library does not say. */
static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    struct sens_operations inner;
    sens_problem_operations(pb->inner, &inner);
    *ops = (struct sens_operations){inner.rhs, NAN, NAN, NAN, NAN, 0};
}

/* ---- which template ------------------------------------------------------------------------------------ */

/* In [-1, 1), from a fixed sequence. */
static double uniform(unsigned long *state)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* Is this form the problem's right-hand side? At points around the nominal one; a sum in another order
 * differs by rounding, another form by far more than 1e-10 of the largest component. */
static bool same_rhs(const struct sens_problem *pb, unsigned form, double *x, double *p, double *dx,
                     double *dx1)
{
    enum { POINTS = 4 };
    unsigned long state = 1;
    for (int k = 0; k < POINTS; k++) {
        const double t = pb->t0 + (pb->t1 - pb->t0) * k / POINTS;
        double difference = 0, size = 0;
        for (size_t i = 0; i < pb->n; i++)
            x[i] = pb->x0[i] * (1 + 0.3 * uniform(&state)) + 0.1 * uniform(&state);
        for (size_t i = 0; i < pb->np; i++) p[i] = pb->p[i] * (1 + 0.3 * uniform(&state));
        const struct sens_at at = {t, x, p};
        if (!adolc_rhs(pb->type->name, form, pb->n, pb->np, t, x, p, dx) ||
            pb->type->rhs(pb, &at, dx1) != SENS_OK)
            return false;
        for (size_t i = 0; i < pb->n; i++) {
            difference = fmax(difference, fabs(dx[i] - dx1[i]));
            size = fmax(size, fabs(dx1[i]));
        }
        if (!(difference <= 1e-10 * size)) return false;
    }
    return true;
}

/* *form is `forms` where none is the problem's. */
static sens_status find_form(struct sens_ctx *ctx, const struct sens_problem *pb, unsigned forms,
                             unsigned *form)
{
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    double *memory = SENS_NEW(ctx, double, 3 * pb->n + pb->np);
    if (!memory) return SENS_NO_MEMORY;
    double *x = memory, *dx = x + pb->n, *dx1 = dx + pb->n, *p = dx1 + pb->n;
    *form = 0;
    while (*form < forms && !same_rhs(pb, *form, x, p, dx, dx1)) ++*form;
    sens_arena_rewind(&ctx->arena, mark);
    return SENS_OK;
}

/* ---- the provider -------------------------------------------------------------------------------------- */

static sens_status wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped)
{
    const struct sens_problem *inner = request->inner;
    static const struct sens_problem_decoration with = {.type = {.vjp = vjp,
                                                                 .jvp = jvp,
                                                                 .jvp_p_cols = jvp_p_cols,
                                                                 .vjp_p_batch = vjp_p_batch,
                                                                 .operations = operations}};
    const unsigned forms = adolc_forms(inner->type->name);
    unsigned form = 0;
    if (forms == 0)
        return sens_fail(ctx, SENS_UNSUPPORTED, "no right-hand side of problem %s is written for ADOL-C",
                         inner->type->name);
    const sens_status status = find_form(ctx, inner, forms, &form);
    if (status != SENS_OK) return status;
    if (form == forms)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "the right-hand side of problem %s written for ADOL-C is not the problem's own",
                         inner->type->name);
    struct taped *taped = SENS_NEW(ctx, struct taped, 1);
    if (!taped) return SENS_NO_MEMORY;
    taped->tapes =
        adolc_tapes_get(inner->type->name, form, inner->n, inner->np, inner->t0, inner->x0, inner->p);
    if (!taped->tapes) return sens_fail(ctx, SENS_NO_MEMORY, "ADOL-C: no memory for the tapes");
    sens_problem_decorate(inner, &with, taped, &taped->room, wrapped);
    wrapped->structure = NULL;
    return SENS_OK;
}

static const char *library(void)
{
    return "ADOL-C " ADOLC_VERSION_TEXT;
}

static const struct sens_provider adolc = {
    .name = "adolc",
    .summary = "ADOL-C: the right-hand side taped, vector forward and reverse sweeps",
    .library = library,
    .wrap = wrap,
};

static const struct sens_provider *const providers[] = {&adolc, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "adolc", .providers = providers};
