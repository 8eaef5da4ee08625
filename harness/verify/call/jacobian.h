/* harness/verify/call/jacobian.h - derivatives by differences alone, with a bound on their error, and which fault
 * explains a product that disagrees with them.
 *
 * Central differences with steps h_k = h_0 / 4^k, extrapolated (Ridders, Adv. Eng. Softw. 4 (1982) 75-76):
 *
 *     D_k0 = (phi(h_k) - phi(-h_k)) / (2 h_k),   D_km = D_k,m-1 + (D_k,m-1 - D_k-1,m-1) / (16^m - 1)
 *
 * The error of D_km is at most its distances to D_k,m-1 and D_k-1,m-1 (truncation) plus what rounding does to phi over
 * h_k, measured by evaluating phi at shaken inputs and over the smallest steps, and by the grid that all its values lie
 * on; differences with smaller steps must not contradict it. The steps go down to 1e-7 h_0, because a singularity may
 * be near. Where phi swings within these, as sin(w t) does in w at large t, they start again from h_0 / 4096. For each
 * component the D_km with the least error is taken. */
#ifndef VERIFY_JACOBIAN_H
#define VERIFY_JACOBIAN_H

#include "callbacks.h"

struct curve { /* phi(s) in R^n */
    struct verify *v;
    size_t n;
    /* out = phi(s), with inputs shaken by a few roundings if asked for. false: phi has no value there. */
    bool (*value)(const void *self, double s, bool shaken, double *out);
    const void *self;
    bool dear;          /* a value takes a whole solve: fewer of them, with steps down to h0 / 4000 */
    const double *lost; /* [n] noise of phi that shaken inputs do not show; NULL: there is none */
    double inputs;      /* the largest of the numbers that phi is computed from; 0: not known */
};
/* The largest magnitude of both, NULL: of none. */
double curve_inputs(size_t n, const double *x, size_t np, const double *p);
/* d [n] = phi'(0) and a bound [n] on its error, with steps from h0 down. A component that cannot be had is
 * NaN and its bound infinite. */
void curve_slope(const struct curve *curve, double h0, double *d, double *bound);

/* f, or x0, along a line through a point. */
struct line {
    const struct subject *subject;
    struct sens_at at;
    const double *dx, *dp; /* directions; NULL: none */
    double dt;             /* 0 unless it is set */
    bool initial;          /* x0(p) instead of f(t, x, p) */
    const double *w;       /* not NULL: (df/dx)^T w [n], and (df/dp)^T w [np] behind it, instead of f */
    double *x, *p;         /* workspace */
    const double *lost;    /* as in struct curve */
};
void line_create(const struct subject *subject, const struct sens_at *at, const double *dx, const double *dp,
                 struct line *line);
/* For curve.value. */
bool line_value(const void *line, double s, bool shaken, double *out);
/* d [n], or with w [n + np]: f_t dt + f_x dx + f_p dp and its bound; directions of about a tenth of the point's
 * entries. */
void line_slope(struct line *line, double *d, double *bound);

/* The matrix that a product is to have, from rhs or x0 alone. */
struct reference {
    struct sample sample;
    double *d, *bound; /* [rows][cols] */
};
struct reference reference_create(const struct subject *subject, enum product product,
                                  const struct sens_at *at, const struct sample *sample);

/* ---- causes (jacobian_blame.c) ------------------------------------------------------------------------- */

/* What is suspected at one place, or at several where all must agree. */
struct suspicion {
    size_t places;
    double weight[CAUSE_COUNT];
    char words[VERIFY_TEXT / 2]; /* of the first place */
};
/* Compares the product with its reference at the point; where they differ, weighs the causes and keeps what
 * explains this place as well as those before. false: they agree. */
bool suspicion_look(struct suspicion *suspicion, const struct subject *subject, enum product product,
                    const struct sens_at *at);
/* Adds what is suspected to the result. false: nothing was. */
bool suspicion_tell(const struct suspicion *suspicion, struct verify_result *result);

#endif
