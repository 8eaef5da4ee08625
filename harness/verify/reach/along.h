/* harness/verify/reach/along.h - many places of a problem, looked at roughly, and the few that differ most closely.
 *
 * At each place the products are compared with one central difference along one direction, and with one
 * another: a few calls, and a rough idea of what differs. Nothing is judged by that: the places that differ
 * most are looked at as in reach.places, with measured bounds. */
#ifndef VERIFY_ALONG_H
#define VERIFY_ALONG_H

#include "reach.h"

enum { WALK_WORST = 3 };
struct place { /* kept to be looked at */
    double ratio;
    struct sens_at at;
};

struct walk {
    const struct subject *subject;
    struct sens_at at;                       /* the place at hand */
    double *f, *near, *again, *plus, *minus; /* [n] slopes there, beside it, and there once more */
    double *x, *p;                           /* [n], [np] beside */
    const double *dx, *dp, *w;               /* directions, a cotangent */
    double *Jdx, *P, *JTw, *FTw;             /* [n], [n] J dx + F dp, [n], [np] */
    struct place slope[WALK_WORST], transpose[WALK_WORST];
    struct worst pure;
    bool far; /* places are anywhere: a product that is no finite number where rhs is one is no difference,
                 nor is one beside a singularity */
    long *flat, *sloped; /* [n] places at which f does not move, though J says so; of how many */
    sens_status status;
    double end;     /* where the walk ended */
    double *last;   /* [n] the state there */
    long visited;   /* places at which rhs has a value */
    bool valueless; /* there was a place on the way where rhs has no value */
    double gap;     /* the first such time */
};

struct walk walk_create(const struct subject *subject);
/* Compares roughly at walk->at, and keeps the place where it is among the worst. */
void walk_visit(struct walk *walk);
/* Looks closely at the places kept, judges, and blames; a skip where none was visited. */
void walk_judge_products(const struct walk *walk, struct verify_result *result);

/* along.solution (along_solution.c) */
void along_check_solution(const struct subject *subject);

#endif
