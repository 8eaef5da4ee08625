/* Every callback of a problem, called through one door. */
#include "calls.h"

#include <string.h>

struct inputs inputs_create(const struct subject *subject, size_t K, size_t L)
{
    struct verify *v = subject->v;
    const size_t room = K ? K : 1;
    const struct batch b = batch_create(subject, room);
    return (struct inputs){.K = K,
                           .L = L,
                           .t = b.t,
                           .X = b.X,
                           .p = verify_copy(v, subject->pb->np, b.p),
                           .W = verify_random(v, room * subject->pb->n * L),
                           .t_way = verify_random(v, L),
                           .p_way = verify_random(v, subject->pb->np * L),
                           .beside = verify_array(v, subject->pb->n * L),
                           .room = room};
}

/* A copy of each array by the given function. */
static struct inputs inputs_by(const struct subject *subject, const struct inputs *from,
                               double *(*copy)(struct verify *v, size_t count, const double *from))
{
    struct inputs made = *from;
    made.t = copy(subject->v, from->room, from->t);
    made.X = copy(subject->v, from->room * subject->pb->n, from->X);
    made.p = copy(subject->v, subject->pb->np, from->p);
    made.W = copy(subject->v, from->room * subject->pb->n * from->L, from->W);
    return made;
}

struct inputs inputs_copy(const struct subject *subject, const struct inputs *from)
{
    return inputs_by(subject, from, verify_copy);
}

struct inputs inputs_shaken(const struct subject *subject, const struct inputs *from)
{
    return inputs_by(subject, from, verify_shaken);
}

static bool same(size_t count, const double *a, const double *b)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

bool inputs_same(const struct subject *subject, const struct inputs *a, const struct inputs *b)
{
    const size_t n = subject->pb->n;
    return same(a->room, a->t, b->t) && same(a->room * n, a->X, b->X) && same(subject->pb->np, a->p, b->p) &&
           same(a->room * n * a->L, a->W, b->W);
}

const char *call_name(enum callback callback)
{
    static const char *const name[] = {[CALL_RHS] = "rhs",           [CALL_JVP] = "jvp",
                                       [CALL_VJP] = "vjp",           [CALL_JVP_P] = "jvp_p_cols",
                                       [CALL_VJP_P] = "vjp_p_batch", [CALL_X0] = "x0",
                                       [CALL_X0_VJP] = "x0_vjp",     [CALL_X0_JVP] = "x0_jvp_cols",
                                       [CALL_HVP] = "hvp",           [CALL_HVP_P] = "hvp's MU",
                                       [CALL_JACOBIAN] = "jacobian", [CALL_JACOBIAN_P] = "jacobian_p",
                                       [CALL_OUTER] = "outer",       [CALL_COUPLING] = "coupling",
                                       [CALL_DIAGONAL] = "diagonal", [CALL_RHS_T] = "rhs_t"};
    return name[callback];
}

bool call_applies(const struct subject *subject, enum callback callback)
{
    const struct sens_problem_type *type = subject->pb->type;
    const struct sens_structure *declared = sens_structure_of(subject->pb);
    if (callback <= CALL_VJP) return true;
    if (callback == CALL_RHS_T) return type->rhs_t;
    if (callback == CALL_HVP) return type->hvp;
    if (callback == CALL_JACOBIAN) return declared->jacobian;
    if (callback == CALL_COUPLING) return declared->coupling;
    if (callback == CALL_DIAGONAL) return declared->diagonal;
    if (subject->pb->np == 0) return false;
    if (callback == CALL_HVP_P) return type->hvp;
    if (callback <= CALL_VJP_P) return true;
    if (callback == CALL_JACOBIAN_P) return declared->jacobian_p;
    if (callback == CALL_OUTER) return declared->outer;
    return sens_problem_x0_depends(subject->pb) && (callback != CALL_X0_VJP || type->x0_vjp) &&
           (callback != CALL_X0_JVP || type->x0_jvp_cols);
}

bool call_adds(enum callback callback)
{
    return callback == CALL_JVP_P || callback == CALL_VJP_P || callback == CALL_X0_VJP ||
           callback == CALL_X0_JVP || callback == CALL_HVP_P;
}

size_t call_rows(const struct subject *subject, enum callback callback)
{
    const struct sens_problem *pb = subject->pb;
    const struct sens_structure *declared = sens_structure_of(pb);
    const struct sens_pattern *sparsity = declared->sparsity;
    if (callback == CALL_OUTER) return pb->n + sens_structure_factors(declared);
    if (callback == CALL_JACOBIAN) return sparsity ? sparsity->start[pb->n] : pb->n * pb->n;
    if (callback == CALL_JACOBIAN_P) return declared->sparsity_p ? declared->sparsity_p->start[pb->np] : 0;
    if (callback == CALL_COUPLING) return pb->n * pb->n;
    return callback == CALL_VJP_P || callback == CALL_X0_VJP || callback == CALL_HVP_P ? pb->np : pb->n;
}

static size_t width(const struct subject *subject, enum callback callback, size_t L)
{
    if (callback == CALL_RHS || callback == CALL_X0 || callback >= CALL_JACOBIAN) return 1;
    if (callback == CALL_JVP_P || callback == CALL_X0_JVP) return L < subject->pb->np ? L : subject->pb->np;
    return L;
}

size_t call_size(const struct subject *subject, enum callback callback, const struct inputs *in)
{
    return call_rows(subject, callback) * width(subject, callback, in->L);
}

sens_status call_make(const struct subject *subject, enum callback callback, const struct inputs *in,
                      double *out)
{
    const struct sens_problem *pb = subject->pb;
    const struct sens_problem_type *type = pb->type;
    const struct sens_at at = {in->t[0], in->X, in->p};
    const size_t L = width(subject, callback, in->L), k0 = pb->np - (L < pb->np ? L : pb->np);
    const struct sens_direction along = {.t = in->t_way, .x = in->W, .p = pb->np > 0 ? in->p_way : NULL};
    if (callback == CALL_RHS) return type->rhs(pb, &at, out);
    if (callback == CALL_JVP) type->jvp(pb, &at, L, in->W, out);
    if (callback == CALL_VJP) type->vjp(pb, &at, L, in->W, out);
    if (callback == CALL_JVP_P) type->jvp_p_cols(pb, &at, k0, L, out);
    if (callback == CALL_VJP_P) type->vjp_p_batch(pb, in->K, in->t, in->X, in->p, L, in->W, out);
    if (callback == CALL_X0) type->x0(pb, in->p, out);
    if (callback == CALL_X0_VJP) type->x0_vjp(pb, in->p, L, in->W, out);
    if (callback == CALL_X0_JVP) type->x0_jvp_cols(pb, in->p, k0, L, out);
    if (callback == CALL_HVP) type->hvp(pb, &at, L, &along, in->W, out, NULL);
    if (callback == CALL_HVP_P) type->hvp(pb, &at, L, &along, in->W, in->beside, out);
    if (callback == CALL_RHS_T) type->rhs_t(pb, &at, out);
    if (callback == CALL_JACOBIAN) pb->structure->jacobian(pb, &at, out);
    if (callback == CALL_JACOBIAN_P) pb->structure->jacobian_p(pb, &at, out);
    if (callback == CALL_OUTER) pb->structure->outer(pb, &at, out, out + pb->n);
    if (callback == CALL_COUPLING) pb->structure->coupling(pb, in->p, out);
    if (callback == CALL_DIAGONAL) pb->structure->diagonal(pb, &at, out);
    return SENS_OK;
}

bool same_numbers(size_t count, const double *a, const double *b)
{
    for (size_t q = 0; q < count; q++)
        if (a[q] != b[q] && !(isnan(a[q]) && isnan(b[q]))) return false;
    return true;
}
