/* harness/verify/exact/exact.h - a problem's closed form as one vector z = [x | S | S0] of time and parameters. */
#ifndef VERIFY_EXACT_H
#define VERIFY_EXACT_H

#include "jacobian.h"

struct form {
    const struct subject *subject;
    struct sens_problem pb; /* a copy, whose x0 may be moved */
    struct sens_exact_query query;
    bool with_S, with_S0;
};
/* With S where there are parameters and S0 where the form has it. false: no closed form for p at query->t. */
bool form_create(const struct subject *subject, const struct sens_exact_query *query, const double *p,
                 struct form *form);
size_t form_size(const struct form *form);
/* false: no closed form there. */
bool form_value(const struct form *form, double t, const double *p, double *z);
/* The same with t and p off by a few roundings. */
bool form_shaken(const struct form *form, double t, const double *p, double *z);

/* The checks of these ids (exact_equation.c, exact_derivative.c). true: no failure. */
bool exact_check_equation(const struct subject *subject, const char *check);
bool exact_check_derivative(const struct subject *subject, const char *check);
bool exact_check_discrete(const struct subject *subject, const char *check);
/* exact_published.c */
/* The form of what the problem approximates (exact_pde.c). */
void exact_check_pde(const struct subject *subject, const char *check);
void exact_check_published(struct verify *v, const char *check);
/* identity.map (exact_map.c) */
void exact_check_map(const struct subject *subject);

#endif
