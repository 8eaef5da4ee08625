/* Products at a time at which rhs jumps; see reach.c.
 *
 *     f(s) = f(s + 0) or f(s - 0):    J(s) and f_p(s) are not those of the other side
 *
 * A step that ends at s uses f(s); its derivative must come from the same side. Finite differences, whose bound allows
 * for rounding of t, accept either side. The times s are the values of options that lie inside the interval. */
#include "reach.h"

enum { HERE, BEFORE, AFTER, TIMES };
enum { NEITHER = HERE }; /* beside BEFORE and AFTER: the side that a value is of */
/* How far beside s, in parts of the interval; what is a jump, in parts of the size; how near, in jumps, a value is to
 * that of the side that it is of. Of a smooth and steep f the value at s is between the two, and of neither. */
static const double BESIDE = 1e-9, JUMP = 1e-6, NEAR = 1e-3;

static double apart(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t q = 0; q < count; q++) sum += fabs(a[q] - b[q]);
    return sum;
}

/* BEFORE or AFTER; NEITHER, also where there is no jump. */
static int side_of(size_t count, double *const of[TIMES])
{
    double size = 0;
    for (size_t q = 0; q < count; q++) size += fabs(of[BEFORE][q]) + fabs(of[AFTER][q]);
    const double jump = apart(count, of[BEFORE], of[AFTER]);
    if (!(jump > JUMP * size)) return NEITHER;
    for (int side = BEFORE; side <= AFTER; side++)
        if (apart(count, of[HERE], of[side]) <= NEAR * jump) return side;
    return NEITHER;
}

static int side_of_rhs(const struct subject *subject, const struct sens_at at[TIMES])
{
    const struct sens_problem *pb = subject->pb;
    double *f[TIMES];
    for (int k = 0; k < TIMES; k++) {
        f[k] = verify_array(subject->v, pb->n);
        if (pb->type->rhs(pb, &at[k], f[k]) != SENS_OK) return NEITHER;
    }
    return side_of(pb->n, f);
}

static void note_product(struct worst *worst, const struct subject *subject, enum product product,
                         const struct sens_at at[TIMES], int side)
{
    static const char *const words[] = {[BEFORE] = "before", [AFTER] = "after"};
    struct verify *v = subject->v;
    double *made[TIMES], *V = NULL;
    size_t out = 0;
    for (int k = 0; k < TIMES; k++) {
        const struct linear map = linear_at(subject, product, &at[k]);
        if (!V) V = verify_random(v, map.in);
        out = map.out;
        made[k] = verify_array(v, out);
        linear_apply(&map, 1, V, made[k]);
    }
    const int its = side_of(out, made);
    worst_note(worst, its == NEITHER || its == side ? 0 : 1, NEAR,
               "%s at t = %.10g, where rhs jumps, is that of %s it, and rhs is that of %s it: off by parts "
               "of the jump",
               linear_name(product), at[HERE].t, words[its == NEITHER ? side : its], words[side]);
}

void reach_note_sides(struct worst *worst, const struct subject *subject)
{
    static const enum product product[] = {PRODUCT_JVP, PRODUCT_VJP, PRODUCT_JVP_P, PRODUCT_VJP_P};
    const struct sens_option *const table = subject->v->problem->options;
    const struct sens_problem *const pb = subject->pb;
    const double length = pb->t1 - pb->t0;
    for (size_t i = 0; i < sens_option_count(table); i++) {
        const double s = table[i].fallback;
        if (table[i].kind != SENS_OPT_REAL || !(s > pb->t0 && s < pb->t1)) continue;
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        struct sens_at at[TIMES];
        at[HERE] = at[BEFORE] = at[AFTER] = subject_point(subject, 1);
        at[HERE].t = s, at[BEFORE].t = s - BESIDE * length, at[AFTER].t = s + BESIDE * length;
        const int side = side_of_rhs(subject, at);
        for (size_t k = 0; side != NEITHER && k < (pb->np > 0 ? 4 : 2); k++)
            note_product(worst, subject, product[k], at, side);
        sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
}
