/* The theta method, 0 < theta <= 1,
 *
 *     x1 = x + h ((1 - theta) f(t, x) + theta f(t + h, x1)),     R(z) = (1 + (1 - theta) z) / (1 - theta z),
 *
 * of order 2 where theta = 1/2 (Crank-Nicolson) and of order 1 elsewhere; A-stable where theta >= 1/2, L-stable where
 * theta = 1 (implicit Euler), for R(infinity) = (theta - 1) / theta (Hairer & Wanner, Solving ODEs II, IV.3). */
#include <stdio.h>

#include "tableaux.h"

static const sens_real theta_c[2] = {0, 1};

/* ---- backward_euler --------------------------------------------------------------------------------------- */

static const sens_real backward_euler_a[2 * 2] = {
    [1 * 2] = 0,
    1,
};
static const sens_real backward_euler_b[2] = {0, 1};

const struct sens_tableau sens_tableau_backward_euler = {
    .name = "backward_euler",
    .summary = "implicit Euler, L-stable; no error estimate",
    .source = "Euler 1768; Hairer & Wanner, Solving ODEs II, IV.3",
    .family = SENS_FAMILY_DIRK,
    .stages = 2,
    .order = 1,
    .fsal = true,
    .a = backward_euler_a,
    .b = backward_euler_b,
    .c = theta_c,
    .dense_order = 1,
};

/* ---- crank_nicolson --------------------------------------------------------------------------------------- */

static const sens_real crank_nicolson_a[2 * 2] = {
    [1 * 2] = 0.5,
    0.5,
};
static const sens_real crank_nicolson_b[2] = {0.5, 0.5};

const struct sens_tableau sens_tableau_crank_nicolson = {
    .name = "crank_nicolson",
    .summary = "trapezoidal rule, A-stable; no error estimate",
    .source = "Crank & Nicolson, Proc. Camb. Phil. Soc. 43 (1947); Hairer & Wanner, Solving ODEs II, IV.3",
    .family = SENS_FAMILY_DIRK,
    .stages = 2,
    .order = 2,
    .fsal = true,
    .a = crank_nicolson_a,
    .b = crank_nicolson_b,
    .c = theta_c,
    .dense_order = 2,
};

/* ---- theta ------------------------------------------------------------------------------------------------ */

static const sens_real theta_a[2 * 2] = {
    [1 * 2] = SENS_Q(2, 5),
    SENS_Q(3, 5),
};
static const sens_real theta_b[2] = {SENS_Q(2, 5), SENS_Q(3, 5)};

const struct sens_tableau sens_tableau_theta = {
    .name = "theta",
    .summary = "theta method; theta:NUMBER, 0 < NUMBER <= 1, alone 0.6; no error estimate",
    .source = "Hairer & Wanner, Solving ODEs II, IV.3",
    .family = SENS_FAMILY_DIRK,
    .stages = 2,
    .order = 1,
    .fsal = true,
    .a = theta_a,
    .b = theta_b,
    .c = theta_c,
    .dense_order = 1,
};

struct made { /* a tableau with what it points to */
    struct sens_tableau tableau;
    sens_real a[2 * 2];
    char name[64];
};

sens_status sens_theta_tableau(struct sens_ctx *ctx, double theta, const char *name,
                               const struct sens_tableau **tableau)
{
    if (!(theta > 0 && theta <= 1)) return sens_fail(ctx, SENS_BAD_INPUT, "theta = %g: not in (0, 1]", theta);
    struct made *made = SENS_NEW(ctx, struct made, 1);
    if (!made) return SENS_NO_MEMORY;
    snprintf(made->name, sizeof made->name, "%s", name);
    made->a[2] = 1 - (sens_real)theta;
    made->a[3] = (sens_real)theta;
    made->tableau = sens_tableau_theta;
    made->tableau.name = made->name;
    made->tableau.a = made->a;
    made->tableau.b = made->a + 2;
    if (theta == 0.5) made->tableau.order = made->tableau.dense_order = 2;
    *tableau = &made->tableau;
    return SENS_OK;
}
