/* harness/verify/problem/structure.h - a problem's own products beside those of the structure that it declares, and
 * what is wrong where they differ. */
#ifndef VERIFY_STRUCTURE_H
#define VERIFY_STRUCTURE_H

#include "declared.h"
#include "products.h"

struct both {
    const struct subject *own, *declared;
    enum declared_by by; /* what the declared products come from */
};

/* The structure as a product, against differences of rhs: the same causes can be told apart; and causes that
 * only structure has. product: PRODUCT_JVP for df/dx, PRODUCT_JVP_P for df/dp. */
void structure_blame(const struct both *both, const struct points *points, enum product product,
                     struct verify_result *result);

/* Notes how far two maps that are to be one lie apart at the entries of a sample, against the rounding of both. by:
 * what the second one is made by, in words. */
void structure_note_entries(struct worst *worst, const struct linear *own, const struct linear *declared,
                            const struct sample *sample, double t, const char *by);

/* Likewise for blocks of random vectors. */
void structure_note_vectors(struct worst *worst, const struct linear *own, const struct linear *declared,
                            double t, const char *by);

/* structure.constant, of a problem whose products are those of the df/dx that it declares constant. */
void structure_check_constant(const struct subject *declared, const struct points *points);

/* Are the products at a point 0 where the declared pattern of df/dx has nothing? True where none is declared. */
bool structure_fits(const struct subject *subject, const struct sens_at *at);

#endif
