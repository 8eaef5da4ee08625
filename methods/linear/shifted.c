/* The choice of a kernel, and M from J, see shifted.h. */
#include "shifted.h"

#include <string.h>
#include <tgmath.h>

#include "kernel.h"
#include "pattern.h"

/* Up to so many unknowns our own loops are faster than LAPACK's (measured: 8 to 32 two to three times, 79
 * equal). */
enum { FEW_UNKNOWNS = 64 };

static const struct sens_kernel *const kernels[] = {
    [SENS_KERNEL_OWN] = &sens_kernel_own,
#ifdef SENS_KERNEL_HAS_LAPACK
    [SENS_KERNEL_LAPACK] = &sens_kernel_lapack,
#endif
#ifdef SENS_KERNEL_HAS_KLU
    [SENS_KERNEL_KLU] = &sens_kernel_klu,
#endif
    [SENS_KERNEL_KLU + 1] = NULL,
};

static const struct sens_kernel *choose(size_t n, bool sparse, enum sens_kernel_choice choice)
{
    if (choice != SENS_KERNEL_AUTO) return kernels[choice];
    if (sparse && kernels[SENS_KERNEL_KLU]) return kernels[SENS_KERNEL_KLU];
    if (n > FEW_UNKNOWNS && kernels[SENS_KERNEL_LAPACK]) return kernels[SENS_KERNEL_LAPACK];
    return &sens_kernel_own;
}

/* Where the values of J stand in M. */
static sens_status place_values(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    const struct sens_pattern *const pattern = shifted->pattern;
    const size_t n = shifted->n;
    size_t *place = NULL;
    shifted->size = n * n;
    if (!pattern) return SENS_OK;
    if (shifted->kernel->sparse) {
        const sens_status status = sens_pattern_add_diagonal(ctx, pattern, &shifted->filled, &place);
        if (status != SENS_OK) return status;
        shifted->size = sens_pattern_entries(&shifted->filled);
    } else {
        place = SENS_NEW(ctx, size_t, shifted->entries);
        if (!place) return SENS_NO_MEMORY;
        for (size_t i = 0; i < n; i++)
            for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
                place[e] = i * n + pattern->col[e];
    }
    shifted->place = place;
    return SENS_OK;
}

static sens_status refuse(struct sens_ctx *ctx, enum sens_kernel_choice choice)
{
    return sens_fail(ctx, SENS_UNAVAILABLE, "%s is not there for these systems",
                     choice == SENS_KERNEL_KLU ? "KLU" : "LAPACK");
}

sens_status sens_shifted_create(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                                enum sens_kernel_choice choice, struct sens_shifted **made)
{
    const struct sens_kernel *const kernel = choose(n, pattern, choice);
    *made = NULL;
    if (!kernel || (kernel->sparse && !pattern)) return refuse(ctx, choice);
    struct sens_shifted *const shifted = SENS_NEW(ctx, struct sens_shifted, 1);
    if (!shifted) return SENS_NO_MEMORY;
    shifted->kernel = kernel;
    shifted->n = n;
    shifted->pattern = pattern;
    shifted->entries = pattern ? sens_pattern_entries(pattern) : n * n;
    sens_status status = place_values(ctx, shifted);
    if (status == SENS_OK) status = kernel->create(ctx, shifted);
    if (status == SENS_UNAVAILABLE)
        return choice == SENS_KERNEL_AUTO ? sens_shifted_create(ctx, n, pattern, SENS_KERNEL_OWN, made)
                                          : refuse(ctx, choice);
    *made = shifted;
    shifted->M = SENS_NEW(ctx, sens_real, shifted->size);
    return status == SENS_OK && !shifted->M ? SENS_NO_MEMORY : status;
}

void sens_shifted_release(struct sens_shifted *shifted)
{
    if (shifted && shifted->kernel->release) shifted->kernel->release(shifted);
}

const char *sens_shifted_kernel(const struct sens_shifted *shifted)
{
    return shifted->kernel->name;
}

static void add_diagonal(const struct sens_shifted *shifted, sens_real alpha)
{
    const struct sens_pattern *const filled = &shifted->filled;
    if (!shifted->kernel->sparse) {
        for (size_t i = 0; i < shifted->n; i++) shifted->M[i * shifted->n + i] += alpha;
        return;
    }
    for (size_t i = 0; i < shifted->n; i++)
        for (size_t e = filled->start[i]; e < filled->start[i + 1]; e++)
            if (filled->col[e] == i) shifted->M[e] += alpha;
}

sens_status sens_shifted_factor(struct sens_shifted *shifted, struct sens_shift shift, const sens_real *value)
{
    sens_real *const M = shifted->M;
    if (shifted->place) memset(M, 0, shifted->size * sizeof *M);
    for (size_t e = 0; e < shifted->entries; e++)
        M[shifted->place ? shifted->place[e] : e] = -shift.jacobian * value[e];
    add_diagonal(shifted, shift.identity);
    for (size_t e = 0; e < shifted->size; e++)
        if (!isfinite(M[e])) return SENS_NONFINITE;
    shifted->factorisations++;
    return shifted->kernel->factor(shifted);
}

void sens_shifted_solve(struct sens_shifted *shifted, bool transposed, size_t L, sens_real *X)
{
    shifted->solves += (long)L;
    if (L > 0) shifted->kernel->solve(shifted, transposed, L, X);
}

void sens_shifted_count(struct sens_shifted *shifted, struct sens_work *work)
{
    work->factorisations += shifted->factorisations;
    work->solves += shifted->solves;
    shifted->factorisations = shifted->solves = 0;
}
