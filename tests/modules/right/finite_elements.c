/* Heat in a rod, both ends at 0, by linear finite elements of length h; the equations are divided by h,
 *
 *     M u' = p tridiag(1, -2, 1) u / h^2,   M = tridiag(1, 4, 1)/6  (consistent)  or  I  (lumped),
 *
 * and both matrices have the same modes, u_i = sin(theta i) (Strang, Fix, An Analysis of the Finite Element Method,
 * 1973): M multiplies one by (4 + 2 cos(theta))/6 = 1 - (2/3) sin^2(theta/2).
 *
 * verify: --quick --problem finite_elements */
#include <tgmath.h>

#include "sens/plugin.h"

static const char *const masses[] = {"lumped", "consistent", NULL};
static const struct sens_option options[] = {
    {.name = "mass", .kind = SENS_OPT_CHOICE, .choices = masses, .help = "the matrix M"},
    SENS_OPTIONS_END,
};

/* An entry of M beside the diagonal. */
static sens_real beside(const struct sens_value *option)
{
    return option[0].number > 0 ? SENS_Q(1, 6) : 0;
}

static sens_status add_mass(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    const sens_real next = beside(option), own = 1 - 2 * next;
    struct sens_mass *const mass = SENS_NEW(ctx, struct sens_mass, 1);
    size_t *const start = SENS_NEW(ctx, size_t, pb->n + 1), *const col = SENS_NEW(ctx, size_t, 3 * pb->n),
                  e = 0;
    sens_real *const value = SENS_NEW(ctx, sens_real, 3 * pb->n);
    if (!mass || !start || !col || !value) return SENS_NO_MEMORY;
    for (size_t i = 0; i < pb->n; i++) {
        for (size_t j = i > 0 ? i - 1 : 0; j < pb->n && j <= i + 1; j++)
            col[e] = j, value[e++] = j == i ? own : next;
        start[i + 1] = e;
    }
    *mass = (struct sens_mass){.pattern = {.rows = pb->n, .cols = pb->n, .start = start, .col = col},
                               .value = value};
    pb->mass = mass;
    return SENS_OK;
}

/* By which M multiplies the mode with sin^2(theta/2) = square. */
static sens_real mass_of(const struct sens_problem *pb, sens_real square)
{
    return 1 - 4 * beside(pb->option) * square;
}

#define NAME     "finite_elements"
#define LENGTH   2
#define HAS_MASS 1
#include "rod.h"
