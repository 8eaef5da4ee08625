/* Products at states and parameters far from the nominal ones; see reach.c.
 *
 * One who fits parameters, or starts from a measured state, comes to places that are orders of magnitude away.
 * A formula is right there if it is right anywhere; a branch need not be. */
#include <stdio.h>
#include <string.h>

#include "along.h"
#include "oracle.h"

/* What is far at a place: one entry of x or p alone, of either sign; all of x by one factor; each of x by its
 * own; each of x and p by its own. */
enum kind { ONE, ALL_ALIKE, STATES, EVERYTHING, KINDS };
static const char *const kind_words[KINDS] = {"one entry far", "all states far", "each state far",
                                              "each state and parameter far"};
static const double DECADES[KINDS] = {4, 4, 3, 2};
/* One in four of the first kind goes so many times as far: limits below which a formula is replaced are small. */
static const double FARTHER = 2;
enum { QUICK_PLACES = 250, PLACES = 2500, ATTEMPTS = 6 };

static double factor(struct verify *v, double decades)
{
    return pow(10, verify_uniform(v, -decades, decades));
}

static double size_of(double entry)
{
    return entry != 0 ? entry : 1;
}

static void draw(struct verify *v, const struct sens_problem *pb, enum kind kind, double decades, double *x,
                 double *p)
{
    const size_t n = pb->n, np = pb->np;
    const double alike = factor(v, decades);
    if (kind == ONE) {
        const size_t q = (size_t)verify_integer(v, 0, (long)(n + np) - 1);
        double *const entry = q < n ? &x[q] : &p[q - n];
        *entry = size_of(*entry) * alike;
        if (verify_integer(v, 0, 3) == 0) *entry = -*entry;
        return;
    }
    for (size_t i = 0; i < n; i++) x[i] = size_of(x[i]) * (kind == ALL_ALIKE ? alike : factor(v, decades));
    for (size_t k = 0; k < np && kind == EVERYTHING; k++) p[k] = size_of(p[k]) * factor(v, decades);
}

/* Nearer and nearer until rhs has values there. */
bool reach_draw_far(const struct subject *subject, const struct reach_bases *bases, int number,
                    struct sens_at *at)
{
    struct verify *v = subject->v;
    const struct sens_problem *pb = subject->pb;
    const enum kind kind = (enum kind)(number % KINDS);
    double decades = DECADES[kind];
    if (kind == ONE && verify_integer(v, 0, 3) == 0) decades *= FARTHER;
    double *const x = verify_array(v, pb->n), *const p = verify_array(v, pb->np);
    const double *const base = bases->x[verify_integer(v, 0, bases->count - 1)];
    *at = (struct sens_at){pb->t0 + (pb->t1 - pb->t0) * verify_uniform(v, 0, 1), x, p};
    for (int tries = 0; tries < ATTEMPTS; tries++, decades /= 2) {
        memcpy(x, base, pb->n * sizeof *x);
        memcpy(p, pb->p, pb->np * sizeof *p);
        draw(v, pb, kind, decades, x, p);
        if (subject_usable(subject, at)) return true;
    }
    return false;
}

static void check_kind(const struct subject *subject, const struct reach_bases *bases, enum kind kind)
{
    struct verify *v = subject->v;
    struct verify_result result = subject_open(subject, "reach.far");
    struct walk walk = walk_create(subject);
    const size_t used = strlen(result.subject);
    snprintf(result.subject + used, sizeof result.subject - used, ", %s", kind_words[kind]);
    walk.far = true;
    for (int k = 0; k < (v->quick ? QUICK_PLACES : PLACES); k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        if (reach_draw_far(subject, bases, (int)kind, &walk.at)) walk_visit(&walk);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    walk_judge_products(&walk, &result);
    verify_blame(&result, CAUSE_branch, 0.9);
    verify_blame(&result, CAUSE_product_off_solution, 0.6);
    verify_close(v, &result);
}

void reach_check_far(const struct subject *subject)
{
    const struct reach_bases bases = reach_bases_create(subject);
    for (int kind = 0; kind < KINDS; kind++) {
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        check_kind(subject, &bases, (enum kind)kind);
        sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
}
