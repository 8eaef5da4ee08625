/* harness/verify/problem/products.h - checks of a product and its transpose, for f and for x0. */
#ifndef VERIFY_PRODUCTS_H
#define VERIFY_PRODUCTS_H

#include "jacobian.h"

/* Where a problem's callbacks are looked at: nominal, perturbed, and on the solution, since what holds near
 * x0 need not hold where the solve goes. */
enum { PRODUCT_POINTS = 7 };
struct points {
    int count;
    struct sens_at at[PRODUCT_POINTS];
};
struct points points_create(const struct subject *subject);

/* product[0] and its transpose product[1] against differences, each with the id of its check (NULL: none). */
void products_check_reference(const struct subject *subject, const enum product product[2],
                              const char *const check[2]);
/* Notes the entries of both at one point; where there are many, a sample of them. */
void products_note_entries(struct worst *worst, const struct subject *subject, const enum product product[2],
                           const struct sens_at *at);
/* Notes dx0/dp at one point (initial.c). false: the initial state does not depend on p, or is not finite there. */
bool initial_note(struct worst *worst, const struct subject *subject, const struct sens_at *at);
/* x0.algebraic (initial_algebraic.c). */
void initial_check_algebraic(const struct subject *subject);
/* Notes at parameters beside the nominal ones whether x0(p) satisfies the algebraic equations. false: there are none,
 * or it does not at the nominal ones. */
bool initial_note_followed(struct worst *worst, const struct subject *subject);
/* Notes at one point J V (or f_p u) against the slope of rhs along a random direction, component by
 * component, and the transposed product against the same numbers: every entry of the matrix takes part. */
void products_note_along(struct worst *worst, const struct subject *subject, const enum product product[2],
                         const struct sens_at *at);
double products_dot(size_t count, const double *a, const double *b);
/* sum |a_i b_i| */
double products_dot_sizes(size_t count, const double *a, const double *b);
/* Notes what the problem says beyond first derivatives at one point (second.c): df/dt, or that there is none, and hvp.
 * Returns the cause of what is wrong first. */
enum cause second_note(struct worst *worst, const struct subject *subject, const struct sens_at *at);
/* <W, M V> = <M^T W, V>. */
void products_check_transpose(const struct subject *subject, const enum product product[2],
                              const char *check);

#endif
