/* Places where products are looked at: times all over the interval, states that a solve visits and beside
 * them; see reach.c. */
#include "reach.h"

#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "structure.h"

/* ---- a place ------------------------------------------------------------------------------------------- */

static const enum product of_states[] = {PRODUCT_JVP, PRODUCT_VJP};
static const enum product of_parameters[] = {PRODUCT_JVP_P, PRODUCT_VJP_P};

/* The products of one kind of declaration against the problem's own. */
static void note_declared(struct worst *worst, const struct subject *subject, enum declared_by by,
                          const struct sens_at *at)
{
    struct sens_problem problem;
    struct subject declared = *subject;
    declared_problem(subject->v, subject->pb, by, &problem);
    declared.pb = &problem;
    for (int q = 0; q < (subject->pb->np > 0 ? 4 : 2); q++) {
        const enum product product = q < 2 ? of_states[q] : of_parameters[q - 2];
        const struct linear own = linear_at(subject, product, at), map = linear_at(&declared, product, at);
        structure_note_vectors(worst, &own, &map, at->t, "the structure");
    }
}

void reach_note_place(struct worst *worst, const struct subject *subject, const struct sens_at *at)
{
    const struct sens_structure *declared = sens_structure_of(subject->pb);
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    products_note_along(worst, subject, of_states, at);
    if (subject->pb->np > 0) products_note_along(worst, subject, of_parameters, at);
    if (declared->jacobian || declared->outer) note_declared(worst, subject, DECLARED_OUTER, at);
    if (declared->jacobian_p) note_declared(worst, subject, DECLARED_SPARSE, at);
    if (declared->coupling) note_declared(worst, subject, DECLARED_COUPLED, at);
    sens_arena_rewind(&subject->v->ctx.arena, mark);
}

bool reach_right_at(const struct subject *subject, const struct sens_at *at)
{
    struct worst worst = {.count = 0};
    reach_note_place(&worst, subject, at);
    return worst_passes(&worst);
}

void reach_look_for_causes(const struct subject *subject, const struct sens_at *at,
                           struct verify_result *result)
{
    struct suspicion suspicion = {.places = 0};
    for (int q = 0; q < (subject->pb->np > 0 ? 4 : 2); q++)
        suspicion_look(&suspicion, subject, q < 2 ? of_states[q] : of_parameters[q - 2], at);
    for (int c = 0; c < CAUSE_COUNT; c++) suspicion.weight[c] *= 0.8; /* the deep groups know better */
    suspicion_tell(&suspicion, result);
    if (!structure_fits(subject, at)) verify_blame(result, CAUSE_sparsity_pattern, 1);
}

/* ---- reach.places -------------------------------------------------------------------------------------- */

enum { ATTEMPTS = 10 };

struct reach_bases reach_bases_create(const struct subject *subject)
{
    const struct sens_problem *pb = subject->pb;
    struct reach_bases bases = {1, {pb->x0}};
    for (int k = 1; k < REACH_BASES; k++) {
        double *const x = verify_array(subject->v, pb->n);
        const struct sens_at at = {pb->t0 + (pb->t1 - pb->t0) * k / (REACH_BASES - 1), x, pb->p};
        if (oracle_visit(subject->v, pb, at.t, x) != SENS_OK) break;
        if (subject_usable(subject, &at)) bases.x[bases.count++] = x;
    }
    return bases;
}

/* How far from the state place k is, in parts of its entries. */
static const double away[] = {0.1, 0.5, 2, 0};

static bool is_far(int k)
{
    return away[k % 4] > 0.3;
}

/* Of places that are far away, every second entry has the other sign, then the rest. */
static double *draw_state(struct verify *v, size_t n, const double *base, double amount, int k)
{
    double *const x = verify_perturbed(v, n, base, amount);
    for (size_t i = 0; amount > 1 && i < n; i++)
        x[i] = copysign(x[i], (i + (size_t)k / 4) % 2 ? base[i] : -base[i]);
    return x;
}

bool reach_draw_place(const struct subject *subject, const struct reach_bases *bases, int k, int strata,
                      struct sens_at *at)
{
    struct verify *v = subject->v;
    const struct sens_problem *pb = subject->pb;
    const double *base = bases->x[verify_integer(v, 0, bases->count - 1)];
    double amount = away[k % 4];
    at->t = pb->t0 + (pb->t1 - pb->t0) * (k + verify_uniform(v, 0, 1)) / strata;
    for (int tries = 0; tries < ATTEMPTS; tries++, amount /= 2) {
        at->x = draw_state(v, pb->n, base, amount, k);
        at->p = verify_perturbed(v, pb->np, pb->p, fmin(amount, 0.2));
        if (subject_usable(subject, at)) return true;
    }
    return false;
}

/* Right at most other times, with everything else the same? */
static bool right_elsewhen(const struct subject *subject, struct sens_at at)
{
    enum { OTHERS = 8 };
    const struct sens_problem *pb = subject->pb;
    int right = 0, tried = 0;
    for (int k = 0; k < OTHERS; k++) {
        at.t = pb->t0 + (pb->t1 - pb->t0) * (k + 0.5) / OTHERS;
        if (!subject_usable(subject, &at)) continue;
        tried++;
        right += reach_right_at(subject, &at);
    }
    return 2 * right > tried;
}

static bool right_on_solution(const struct subject *subject, const struct reach_bases *bases,
                              struct sens_at at)
{
    for (int k = 0; k < bases->count; k++) {
        at.x = bases->x[k];
        if (subject_usable(subject, &at) && !reach_right_at(subject, &at)) return false;
    }
    return true;
}

void reach_blame_place(const struct subject *subject, const struct reach_bases *bases,
                       const struct sens_at *at, bool beside, struct verify_result *result)
{
    if (right_elsewhen(subject, *at)) verify_blame(result, CAUSE_product_window, 0.95);
    if (beside && right_on_solution(subject, bases, *at))
        verify_blame(result, CAUSE_product_off_solution, 0.9);
    reach_look_for_causes(subject, at, result);
}

void reach_check_places(const struct subject *subject)
{
    const int strata = subject->v->quick ? 8 : 100;
    const struct reach_bases bases = reach_bases_create(subject);
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(subject, "reach.places");
    bool beside = true;
    struct sens_at at, wrong = {.x = NULL};
    for (int k = 0; k < strata; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        const bool drawn = reach_draw_place(subject, &bases, k, strata, &at);
        struct worst here = {.count = 0};
        if (drawn) reach_note_place(&here, subject, &at);
        if (here.count) worst_note(&worst, here.value, here.bound, "%s", here.where);
        const bool right = worst_passes(&here);
        beside = beside && (right || is_far(k));
        if (!right && !wrong.x)
            wrong = at; /* which stays */
        else
            sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
    struct worst sides = {.count = 0};
    reach_note_sides(&sides, subject);
    if (sides.count) worst_note(&worst, sides.value, sides.bound, "%s", sides.where);
    verify_judge(&result, &worst);
    if (wrong.x) reach_blame_place(subject, &bases, &wrong, beside, &result);
    if (!worst_passes(&sides)) verify_blame(&result, CAUSE_product_window, 0.96);
    verify_close(subject->v, &result);
}
