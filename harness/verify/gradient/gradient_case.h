/* harness/verify/gradient/gradient_case.h - one task of the group gradient, with the derivatives it is compared with,
 * each computed when it is first asked for. */
#ifndef VERIFY_GRADIENT_CASE_H
#define VERIFY_GRADIENT_CASE_H

#include <stdio.h>

#include "scene.h"

struct gradient_case {
    struct scene scene;
    unsigned parts;                 /* of the cost */
    struct scene_settings settings; /* n = 0: not known */
    struct grid grid;               /* expected_grid of the solve */
    struct oracle oracle;
    bool to_rounding; /* the gradient was compared with the derivative of the map, to rounding */
    bool frozen_known, frozen_tried, truth_known, truth_tried;
    struct expected frozen, truth; /* over the grid, to rounding; exact, to the tolerance */
    struct sens_out adjoint;       /* over the grid */
    struct sens_out uncertainty;   /* of the truth, which its bound includes */
};
/* After the solve: the grid and the oracle. */
bool case_prepare(struct gradient_case *given);
/* frozen, adjoint; false where the map cannot be made again. */
bool case_frozen(struct gradient_case *given);
/* truth, uncertainty; false where the oracle fails. */
bool case_truth(struct gradient_case *given);
/* What a method of this kind is held to where it is: frozen if it is discrete, else truth; NULL: not known. */
const struct expected *case_expected(struct gradient_case *given);
void case_free(struct gradient_case *given);

/* Adds to the text the derivative along one direction: what the method has, the exact and the frozen one, and
 * that of the method's own results with their step controller, by central differences. */
void case_say_controlled(struct gradient_case *given, struct verify_result *result);

/* Is the error so far beyond its bound that another task, which is right, says something of the change? */
bool case_tells(const struct verify_result *result);
/* A part of the probe's cost, and what is to blame where a gradient is right without it. */
struct case_part {
    unsigned part;
    const char *words;
    enum cause cause, other;
};
enum { CASE_PARTS = 4 };
extern const struct case_part case_parts[CASE_PARTS];

/* Solves without each of the parts of the cost, and with the initial state held; blames what goes with the
 * part whose absence leaves the gradient right. */
void case_blame_parts(struct gradient_case *given, struct verify_result *result);
/* Of a problem with a mass matrix: solves x' = f in its place, and blames M where that is right. */
void case_blame_mass(const struct gradient_case *given, struct verify_result *result);

/* After the solve: was it a success, and is the gradient the one that the method declares? */
bool case_is_right(struct gradient_case *solved);
/* Solves with other sizes, and with a first step so short that no trial is rejected; blames what goes with a
 * change that leaves the gradient right. (gradient_blame.c) */
void case_blame_settings(struct gradient_case *given, struct verify_result *result);
/* A solve that fails, or leaves numbers out, with no parameters: is it a success with some? */
void case_blame_empty(const struct gradient_case *given, struct verify_result *result);
/* Of a method whose map is its own: is the gradient right where rhs is linear, and where it has one
 * Jacobian? */
void case_blame_linear(const struct gradient_case *given, bool adaptive, struct verify_result *result);

/* Evidence on the kind of derivative, over all tasks of a method. */
struct kinds {
    struct worst worst;
    bool to_rounding; /* on some task */
};
void kinds_note_discrete(struct gradient_case *given, struct kinds *kinds);
void kinds_note_continuous(struct gradient_case *given, struct kinds *kinds);
void kinds_note_difference(struct gradient_case *given, struct kinds *kinds);

/* gradient.bilinear; leaves the case as it was. */
void gradient_check_bilinear(struct gradient_case *given);

/* The gradient of one more solve against differences of the method's own values, along a random direction.
 * For steps that are the same whatever p and x0 are; false: they are not, or it is not solved. by_few: by few
 * solves first, and by all only where those do not show that it is right. */
bool gradient_note_own(const struct bed *bed, bool by_few, struct worst *worst);
/* The gradient `got` of quotients of the bed's values, each entry of which may be off by the one of
 * `allowed`, against differences that are better. false: as above. */
bool gradient_note_quotient(const struct bed *bed, const struct sens_out *got, const struct sens_out *allowed,
                            struct worst *worst);
/* As gradient_note_own at a loose tolerance, where nothing but a faint copy of the problem is moved. */
bool gradient_note_faint(const struct bed *bed, struct worst *worst);
/* Of the case's method, on another problem or with another cost: is the gradient the derivative of the method's own
 * values, as far as one can tell? */
bool gradient_own_is_right(const struct gradient_case *given, bool adaptive,
                           const struct sens_problem *problem, const struct sens_cost *cost);
/* gradient.own */
void gradient_check_own(struct gradient_case *given);

extern const struct verify_check gradient_checks[];

/* Was the gradient compared, and a failure not excused? Of a result that was closed. */
static inline bool case_compared(const struct verify_result *result)
{
    return result->verdict == VERIFY_PASS || result->verdict == VERIFY_FAIL;
}

#endif
