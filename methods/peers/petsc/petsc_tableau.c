/* A tableau of ours in PETSc's table of Runge-Kutta schemes, so registered that its adjoint is right.
 *
 * Two faults of TSAdjointStep_RK and TSStep_RK, in PETSc up to 3.21 (Debian 12 has 3.18.5); 3.25 has neither:
 *
 *   1  At a stage with b_i = 0 the product of the parameter Jacobian is left out; what the vector holds since
 *      the stage before is scaled by -h and added to mu. dG/dp is wrong, dG/dx0 is not.
 *   2  With a trajectory of solutions only, every step is computed again on the way back, and a scheme whose
 *      last row of a equals b starts from the slope that the last stage has from another step. The whole
 *      gradient is wrong.
 *
 * A weight of 1e-30 in the place of 0 takes the other branch of the first (there PETSc divides by b_i and
 * multiplies by it again, both exact to rounding) and, as it makes b differ from the last row of a, hides
 * from PETSc that the scheme is FSAL, which is the second. In the sums it is far below rounding. The price is
 * one right-hand side a step, and the product of the last stage on the way back.
 *
 * The table belongs to the process and has no function that looks something up: the name is made of the
 * coefficients, so that one name never means two schemes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "petsc.h"

static const double TINY_WEIGHT = 1e-30;

static uint64_t hash(uint64_t value, const double *v, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &v[k], sizeof bits);
        value = (value ^ bits) * UINT64_C(1099511628211); /* FNV-1a, by words */
        value ^= value >> 29;
    }
    return value;
}

static bool is_registered(const char *name)
{
    TS ts = NULL;
    const PetscErrorCode code =
        TSCreate(PETSC_COMM_SELF, &ts) || TSSetType(ts, TSRK) || TSRKSetType(ts, name);
    TSDestroy(&ts);
    return code == 0;
}

PetscErrorCode petsc_register(struct sens_ctx *ctx, const struct sens_tableau *tableau, char name[PETSC_NAME])
{
    const size_t s = (size_t)tableau->stages;
    double *a = SENS_NEW(ctx, double, s *(s + 2));
    if (!a) return PETSC_ERR_MEM;
    double *const b = a + s * s, *const embedded = b + s;
    for (size_t i = 0; i < s; i++) {
        for (size_t j = 0; j < i; j++) a[i * s + j] = sens_tableau_a(tableau, (int)i, (int)j);
        b[i] = tableau->b[i] == 0 ? TINY_WEIGHT : tableau->b[i];
        embedded[i] = tableau->e ? b[i] - tableau->e[i] : 0;
    }
    const uint64_t key = hash(hash(UINT64_C(14695981039346656037), a, s * (s + 2)), tableau->c, s);
    snprintf(name, PETSC_NAME, "%.40s-%016llx", tableau->name, (unsigned long long)key);
    if (is_registered(name)) return 0;
    return TSRKRegister(name, tableau->order, (PetscInt)s, a, b, tableau->c, tableau->e ? embedded : NULL, 0,
                        NULL);
}
