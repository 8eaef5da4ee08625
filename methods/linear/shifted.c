/* The choice of a kernel, and M from J, see shifted.h. */
#include "shifted.h"

#include <string.h>
#include <tgmath.h>

#include "kernel.h"
#include "pattern.h"
#include "rules.h"

/* Up to so many unknowns our own loops are faster than LAPACK's (measured: 8 to 32 two to three times, 79
 * equal). */
enum { FEW_UNKNOWNS = 64 };

/* Operations an entry of the factors, as KLU's analysis expects them, from which on UMFPACK's blocks are faster than
 * KLU's columns (measured on grids of two species: KLU is faster to 24 x 24, UMFPACK from 70 x 70 on, 40 x 40 is
 * even). */
#define SENS_KERNEL_MUCH_WORK 100.0

/* Real, complex. */
static const struct sens_kernel *const kernels[][2] = {
    [SENS_KERNEL_OWN] = {&sens_kernel_own, &sens_kernel_own_complex},
#ifdef SENS_KERNEL_HAS_LAPACK
    [SENS_KERNEL_LAPACK] = {&sens_kernel_lapack, &sens_kernel_lapack_complex},
#endif
#ifdef SENS_KERNEL_HAS_KLU
    [SENS_KERNEL_KLU] = {&sens_kernel_klu, &sens_kernel_klu_complex},
#endif
#ifdef SENS_KERNEL_HAS_UMFPACK
    [SENS_KERNEL_UMFPACK] = {&sens_kernel_umfpack, &sens_kernel_umfpack_complex},
#endif
    [SENS_KERNEL_UMFPACK + 1] = {NULL},
};

static bool built_in(enum sens_kernel_choice choice)
{
    return kernels[choice][0];
}

/* For a pattern: by the work that KLU would have, on M by rows, so that a matrix and its transpose take the same
 * kernel. */
static sens_status choose_sparse(struct sens_ctx *ctx, const struct sens_pattern *pattern,
                                 enum sens_kernel_choice *choice)
{
    *choice = built_in(SENS_KERNEL_KLU) ? SENS_KERNEL_KLU : SENS_KERNEL_OWN;
#if defined SENS_KERNEL_HAS_KLU && defined SENS_KERNEL_HAS_UMFPACK
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    struct sens_pattern filled;
    size_t *place;
    double an_entry = 0;
    sens_status status = sens_pattern_add_diagonal(ctx, pattern, &filled, &place);
    if (status == SENS_OK) status = sens_kernel_klu_work(ctx, &filled, &an_entry);
    sens_arena_rewind(&ctx->arena, mark);
    if (status == SENS_OK && an_entry > SENS_KERNEL_MUCH_WORK) *choice = SENS_KERNEL_UMFPACK;
    return status == SENS_UNAVAILABLE ? SENS_OK : status;
#else
    (void)ctx, (void)pattern;
    return SENS_OK;
#endif
}

static sens_status choose(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                          enum sens_kernel_choice *choice)
{
    if (pattern && built_in(SENS_KERNEL_KLU)) return choose_sparse(ctx, pattern, choice);
    *choice = n > FEW_UNKNOWNS && built_in(SENS_KERNEL_LAPACK) ? SENS_KERNEL_LAPACK : SENS_KERNEL_OWN;
    return SENS_OK;
}

/* Of M. */
static size_t numbers(const struct sens_shifted *shifted)
{
    return shifted->is_complex ? 2 * shifted->size : shifted->size;
}

/* to[e] becomes by[to[e]]; to NULL: by itself. */
static size_t *compose(size_t entries, size_t *to, size_t *by)
{
    for (size_t e = 0; to && e < entries; e++) to[e] = by[to[e]];
    return to ? to : by;
}

/* M by rows, of J and the whole diagonal or the mass matrix; where it is turned, by columns. */
static sens_status place_sparse(struct sens_ctx *ctx, struct sens_shifted *shifted, size_t **place,
                                size_t **mass_place)
{
    const struct sens_mass *const mass = shifted->mass;
    size_t *turned_to;
    const sens_status status =
        mass ? sens_pattern_union(ctx, shifted->pattern, &mass->pattern, &shifted->filled, place, mass_place)
             : sens_pattern_add_diagonal(ctx, shifted->pattern, &shifted->filled, place);
    if (status != SENS_OK || !shifted->turned) return status;
    const struct sens_pattern by_rows = shifted->filled;
    if (sens_pattern_transpose(ctx, &by_rows, &shifted->filled, &turned_to) != SENS_OK) return SENS_NO_MEMORY;
    *place = compose(shifted->entries, *place, turned_to);
    if (mass) *mass_place = compose(sens_pattern_entries(&mass->pattern), *mass_place, turned_to);
    return SENS_OK;
}

/* Where the values of a pattern stand in [n][n] by rows. NULL: no memory. */
static size_t *place_dense(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern)
{
    size_t *const place = SENS_NEW(ctx, size_t, sens_pattern_entries(pattern));
    for (size_t i = 0; place && i < n; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++) place[e] = i * n + pattern->col[e];
    return place;
}

/* Where the values of J, and of the mass matrix, stand in M. */
static sens_status place_values(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    const struct sens_pattern *const pattern = shifted->pattern;
    const size_t n = shifted->n;
    size_t *place = NULL, *mass_place = NULL;
    shifted->size = n * n;
    if (shifted->kernel->sparse) {
        const sens_status status = place_sparse(ctx, shifted, &place, &mass_place);
        if (status != SENS_OK) return status;
        shifted->size = sens_pattern_entries(&shifted->filled);
    } else {
        if (pattern && !(place = place_dense(ctx, n, pattern))) return SENS_NO_MEMORY;
        if (shifted->mass && !(mass_place = place_dense(ctx, n, &shifted->mass->pattern)))
            return SENS_NO_MEMORY;
    }
    shifted->place = place;
    shifted->mass_place = mass_place;
    return SENS_OK;
}

static sens_status refuse(struct sens_ctx *ctx, const struct sens_pattern *pattern,
                          enum sens_kernel_choice choice)
{
    if (!pattern && (choice == SENS_KERNEL_KLU || choice == SENS_KERNEL_UMFPACK))
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "%s solves sparse systems, and of this df/dx no pattern is known",
                         choice == SENS_KERNEL_KLU ? "KLU" : "UMFPACK");
    return sens_fail(ctx, SENS_UNAVAILABLE, "%s is not there for these systems",
                     choice == SENS_KERNEL_KLU       ? "KLU"
                     : choice == SENS_KERNEL_UMFPACK ? "UMFPACK"
                                                     : "LAPACK");
}

static sens_status make_room(struct sens_ctx *ctx, bool scaled, struct sens_shifted *shifted)
{
    shifted->M = SENS_NEW(ctx, sens_real, numbers(shifted));
    shifted->row_scale = scaled ? SENS_NEW(ctx, sens_real, shifted->n) : NULL;
    return shifted->M && (shifted->row_scale || !scaled) ? SENS_OK : SENS_NO_MEMORY;
}

struct wanted {
    enum sens_kernel_choice choice;
    bool is_complex, turned, scaled;
    const struct sens_mass *mass; /* NULL: I */
};

/* By the kernel that is named. */
static sens_status create_named(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                                struct wanted wanted, struct sens_shifted **made)
{
    const struct sens_kernel *const kernel = kernels[wanted.choice][wanted.is_complex];
    *made = NULL;
    if (!kernel || (kernel->sparse && !pattern)) return SENS_UNAVAILABLE;
    struct sens_shifted *const shifted = SENS_NEW(ctx, struct sens_shifted, 1);
    if (!shifted) return SENS_NO_MEMORY;
    *shifted = (struct sens_shifted){.kernel = kernel,
                                     .choice = wanted.choice,
                                     .n = n,
                                     .is_complex = wanted.is_complex,
                                     .turned = wanted.turned && kernel->sparse,
                                     .mass = wanted.mass,
                                     .pattern = pattern,
                                     .entries = pattern ? sens_pattern_entries(pattern) : n * n};
    sens_status status = place_values(ctx, shifted);
    if (status == SENS_OK) status = kernel->create(ctx, shifted);
    if (status == SENS_UNAVAILABLE) return status;
    *made = shifted;
    const bool scaled = (wanted.mass || wanted.scaled) && !kernel->sparse;
    return status == SENS_OK ? make_room(ctx, scaled, shifted) : status;
}

static sens_status create(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                          struct wanted wanted, struct sens_shifted **made)
{
    if (wanted.choice == SENS_KERNEL_AUTO) wanted.choice = ctx->linear;
    const bool any = wanted.choice == SENS_KERNEL_AUTO;
    *made = NULL;
    sens_status status = any ? choose(ctx, n, pattern, &wanted.choice) : SENS_OK;
    if (status == SENS_OK) status = create_named(ctx, n, pattern, wanted, made);
    if (status != SENS_UNAVAILABLE) return status;
    if (!any) return refuse(ctx, pattern, wanted.choice);
    wanted.choice = SENS_KERNEL_OWN;
    return create_named(ctx, n, pattern, wanted, made);
}

sens_status sens_shifted_create(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                                enum sens_kernel_choice choice, struct sens_shifted **made)
{
    return create(ctx, n, pattern, (struct wanted){.choice = choice}, made);
}

sens_status sens_shifted_create_turned(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                                       enum sens_kernel_choice choice, struct sens_shifted **made)
{
    return create(ctx, n, pattern, (struct wanted){.choice = choice, .turned = true}, made);
}

sens_status sens_shifted_create_complex(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                                        enum sens_kernel_choice choice, struct sens_shifted **made)
{
    return create(ctx, n, pattern, (struct wanted){.choice = choice, .is_complex = true}, made);
}

sens_status sens_shifted_create_mass(struct sens_ctx *ctx, size_t n, const struct sens_mass *mass,
                                     const struct sens_pattern *pattern, enum sens_shifted_kind kind,
                                     bool scaled, struct sens_shifted **made)
{
    const struct wanted wanted = {.choice = SENS_KERNEL_AUTO,
                                  .is_complex = kind == SENS_SHIFTED_COMPLEX,
                                  .turned = kind == SENS_SHIFTED_TURNED,
                                  .scaled = scaled,
                                  .mass = mass};
    return create(ctx, n, pattern, wanted, made);
}

/* The values of a sparse M are formed in the room of the other's: its factors are elsewhere. */
sens_status sens_shifted_like(struct sens_ctx *ctx, const struct sens_shifted *shifted, bool turned,
                              struct sens_shifted **made)
{
    const struct sens_kernel *const kernel = shifted->kernel;
    if (kernel->sparse && turned != shifted->turned) {
        const struct wanted wanted = {shifted->choice, shifted->is_complex, turned, false, shifted->mass};
        const sens_status status = create(ctx, shifted->n, shifted->pattern, wanted, made);
        if (*made) (*made)->many = shifted->many;
        return status;
    }
    struct sens_shifted *const other = *made = SENS_NEW(ctx, struct sens_shifted, 1);
    if (!other) return SENS_NO_MEMORY;
    *other = *shifted;
    other->own = NULL;
    other->lender = NULL;
    other->factorisations = other->borrowings = other->solves = 0;
    const sens_status status =
        kernel->create_like ? kernel->create_like(ctx, other, shifted->own) : kernel->create(ctx, other);
    return status == SENS_OK && !kernel->sparse ? make_room(ctx, shifted->row_scale, other) : status;
}

void sens_shifted_expect_many(struct sens_shifted *shifted)
{
    shifted->many = true;
}

void sens_shifted_borrow(struct sens_shifted *shifted, const struct sens_shifted *lender)
{
    shifted->lender = lender;
    shifted->borrowings++;
}

size_t sens_shifted_bytes(const struct sens_shifted *shifted)
{
    const size_t scale = shifted->row_scale ? shifted->n * sizeof(sens_real) : 0;
    if (shifted->kernel->bytes) return shifted->kernel->bytes(shifted) + scale;
    return numbers(shifted) * sizeof(sens_real) + shifted->n * sizeof(size_t) + scale;
}

void sens_shifted_release(struct sens_shifted *shifted)
{
    if (shifted && shifted->kernel->release) shifted->kernel->release(shifted);
}

bool sens_shifted_turned(const struct sens_shifted *shifted)
{
    return shifted->turned;
}

const char *sens_shifted_kernel(const struct sens_shifted *shifted)
{
    return shifted->kernel->name;
}

static void add_to_entry(const struct sens_shifted *shifted, struct sens_shift shift, sens_real by, size_t e)
{
    shifted->M[shifted->is_complex ? 2 * e : e] += by * shift.identity;
    if (shifted->is_complex) shifted->M[2 * e + 1] += by * shift.imaginary;
}

static void add_mass(const struct sens_shifted *shifted, struct sens_shift shift)
{
    const struct sens_mass *const mass = shifted->mass;
    for (size_t e = 0; e < sens_pattern_entries(&mass->pattern); e++)
        add_to_entry(shifted, shift, mass->value[e], shifted->mass_place[e]);
}

static void add_diagonal(const struct sens_shifted *shifted, struct sens_shift shift)
{
    const struct sens_pattern *const filled = &shifted->filled;
    if (!shifted->kernel->sparse) {
        for (size_t i = 0; i < shifted->n; i++) add_to_entry(shifted, shift, 1, i * shifted->n + i);
        return;
    }
    for (size_t i = 0; i < shifted->n; i++)
        for (size_t e = filled->start[i]; e < filled->start[i + 1]; e++)
            if (filled->col[e] == i) add_to_entry(shifted, shift, 1, e);
}

/* |x_e|: the largest, by two halves that do not wait for each other. */
static sens_real largest_of(size_t count, const sens_real *x)
{
    sens_real even = 0, odd = 0;
    for (size_t e = 0; e + 1 < count; e += 2) {
        even = sens_larger(fabs(x[e]), even);
        odd = sens_larger(fabs(x[e + 1]), odd);
    }
    return sens_larger(count % 2 ? fabs(x[count - 1]) : 0, sens_larger(even, odd));
}

/* Rows of a size near 1. Those of algebraic equations are of the size of h, in all entries, and beside the others no
 * pivot is sought in them: where h is small, elimination lost four digits of a step's adjoint. The libraries for sparse
 * systems scale rows themselves. */
static void scale_rows(const struct sens_shifted *shifted)
{
    const size_t width = numbers(shifted) / shifted->n;
    for (size_t i = 0; i < shifted->n; i++) {
        sens_real *const row = shifted->M + i * width;
        const sens_real largest = largest_of(width, row);
        int exponent = 0;
        if (largest >= SENS_C(0x1p-1000)) frexp(largest, &exponent); /* 1 over less overflows */
        shifted->row_scale[i] = ldexp(SENS_C(1.0), -exponent);
        for (size_t e = 0; e < width; e++) row[e] *= shifted->row_scale[i];
    }
}

/* D M X = D B for M X = B; M^T D Y = B, X = D Y, for M^T X = B. */
static void scale_vectors(const struct sens_shifted *shifted, size_t L, sens_real *X)
{
    const sens_real *const scale = sens_kernel_factors(shifted)->row_scale;
    const size_t width = (shifted->is_complex ? 2 : 1) * L;
    for (size_t i = 0; scale && i < shifted->n; i++)
        for (size_t l = 0; l < width; l++) X[i * width + l] *= scale[i];
}

sens_status sens_shifted_factor(struct sens_shifted *shifted, struct sens_shift shift, const sens_real *value)
{
    sens_real *const M = shifted->M;
    const size_t apart = shifted->is_complex ? 2 : 1;
    if (shifted->place || shifted->is_complex) memset(M, 0, numbers(shifted) * sizeof *M);
    for (size_t e = 0; e < shifted->entries; e++)
        M[(shifted->place ? shifted->place[e] : e) * apart] = -shift.jacobian * value[e];
    (shifted->mass ? add_mass : add_diagonal)(shifted, shift);
    if (!sens_finite(numbers(shifted), M)) return SENS_NONFINITE;
    if (shifted->row_scale) scale_rows(shifted);
    shifted->factorisations++;
    shifted->lender = NULL;
    return shifted->kernel->factor(shifted);
}

void sens_shifted_solve(struct sens_shifted *shifted, bool transposed, size_t L, sens_real *X)
{
    shifted->solves += (long)L;
    if (L == 0) return;
    if (!transposed) scale_vectors(shifted, L, X);
    shifted->kernel->solve(shifted, transposed, L, X);
    if (transposed) scale_vectors(shifted, L, X);
}

bool sens_shifted_negative(const struct sens_shifted *shifted)
{
    return shifted->kernel->negative(shifted);
}

void sens_shifted_count(struct sens_shifted *shifted, struct sens_work *work)
{
    work->factorisations += shifted->factorisations;
    work->kept += shifted->borrowings;
    work->solves += shifted->solves;
    shifted->factorisations = shifted->borrowings = shifted->solves = 0;
}
