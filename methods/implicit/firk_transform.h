/* methods/implicit/firk_transform.h - what makes one real and one complex system of the three coupled ones of a fully
 * implicit step (Butcher, BIT 16 (1976) 237-240; Hairer & Wanner, Solving ODEs II, IV.8). With A the coefficients
 * of the three implicit stages,
 *
 *                      | gamma         |
 *     T^-1 A^-1 T  =   |   alpha -beta |,      gamma and alpha +- i beta the eigenvalues of A^-1,
 *                      |    beta alpha |
 *
 * found from A in extended precision. gamma0 = 1 / gamma is the weight of the slope at the start in the estimate. */
#ifndef SENS_FIRK_TRANSFORM_H
#define SENS_FIRK_TRANSFORM_H

#include "sens/tableau.h"

enum { SENS_FIRK_STAGES = 3 };

struct sens_firk_transform {
    sens_real gamma, alpha, beta;
    sens_real T[SENS_FIRK_STAGES][SENS_FIRK_STAGES], T_inverse[SENS_FIRK_STAGES][SENS_FIRK_STAGES];
    sens_real A[SENS_FIRK_STAGES][SENS_FIRK_STAGES], A_inverse[SENS_FIRK_STAGES][SENS_FIRK_STAGES];
    sens_real end[SENS_FIRK_STAGES]; /* b^T A^-1: y1 = y + sum_i end_i (Y_i - y) */
    sens_real rest;                  /* 1 - sum_i end_i */
};

/* false: the tableau is not as sens/tableau.h says of its family, A has no inverse, or its eigenvalues are all real. */
bool sens_firk_transform(const struct sens_tableau *tableau, struct sens_firk_transform *made);

/* Y = M X of three vectors each, X and Y [3][size], which are not the same. */
void sens_firk_multiply(sens_real M[SENS_FIRK_STAGES][SENS_FIRK_STAGES], size_t size, const sens_real *X,
                        sens_real *Y);

#endif
