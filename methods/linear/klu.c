/* Kernel `klu` of shifted.h: KLU of SuiteSparse (Davis & Natarajan 2010). It takes a matrix by columns: it is
 * given M^T, whose columns are the rows of M, or M turned to columns. Each factorisation chooses its pivots anew, so
 * that the same M gives the same bits whatever was factored before. Systems are solved by loops of our own on its
 * factors (klu_solve.h). */
#include "kernel.h"

#ifdef SENS_KERNEL_HAS_KLU
#include <limits.h>

#include "klu_solve.h"
#include "lane_columns.h"

struct library {
    __typeof__(klu_defaults) *defaults;
    __typeof__(klu_analyze) *analyze;
    __typeof__(klu_factor) *factor;
    __typeof__(klu_free_symbolic) *free_symbolic;
    __typeof__(klu_free_numeric) *free_numeric;
};

struct klu {
    struct library library;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric; /* NULL: there are no factors */
    int *start, *col;     /* of M */
    int *seen;            /* [n] for the sign of a permutation */
    bool shares;          /* the symbolic part is another's */
    double *room;         /* [n][SENS_COLUMN_LANES]; complex: [n][2][SENS_COLUMN_LANES] */
};

static bool load(struct library *to, bool is_complex)
{
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"klu_defaults", &to->defaults},
        {"klu_analyze", &to->analyze},
        {is_complex ? "klu_z_factor" : "klu_factor", &to->factor},
        {"klu_free_symbolic", &to->free_symbolic},
        {"klu_free_numeric", &to->free_numeric},
    };
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (!sens_kernel_function(SENS_KLU_LIBRARY, functions[k].name, functions[k].place)) return false;
    return true;
}

static sens_status copy_pattern(struct sens_ctx *ctx, const struct sens_pattern *pattern, bool is_complex,
                                struct klu *klu)
{
    const size_t n = pattern->rows, entries = pattern->start[n];
    if (entries > INT_MAX) return sens_fail(ctx, SENS_UNSUPPORTED, "too many entries for KLU");
    klu->start = SENS_NEW(ctx, int, n + 1);
    klu->col = SENS_NEW(ctx, int, entries);
    klu->seen = SENS_NEW(ctx, int, n);
    klu->room = SENS_NEW(ctx, double, (is_complex ? 2U : 1U) * SENS_COLUMN_LANES * n);
    if (!klu->start || !klu->col || !klu->seen || !klu->room) return SENS_NO_MEMORY;
    for (size_t i = 0; i <= n; i++) klu->start[i] = (int)pattern->start[i];
    for (size_t e = 0; e < entries; e++) klu->col[e] = (int)pattern->col[e];
    return SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    struct klu *const klu = SENS_NEW(ctx, struct klu, 1);
    if (!klu) return SENS_NO_MEMORY;
    if (!load(&klu->library, shifted->is_complex)) return SENS_UNAVAILABLE;
    shifted->own = klu;
    const sens_status status = copy_pattern(ctx, &shifted->filled, shifted->is_complex, klu);
    if (status != SENS_OK) return status;
    klu->library.defaults(&klu->common);
    klu->symbolic = klu->library.analyze((int)shifted->n, klu->start, klu->col, &klu->common);
    return klu->symbolic ? SENS_OK : SENS_NO_MEMORY;
}

/* What the analysis expects is as if pivots stayed on the diagonal: it does not know the values. */
sens_status sens_kernel_klu_work(struct sens_ctx *ctx, const struct sens_pattern *pattern, double *an_entry)
{
    struct klu klu = {.numeric = NULL};
    if (!load(&klu.library, false)) return SENS_UNAVAILABLE;
    const sens_status status = copy_pattern(ctx, pattern, false, &klu);
    if (status != SENS_OK) return status;
    klu.library.defaults(&klu.common);
    klu.symbolic = klu.library.analyze((int)pattern->rows, klu.start, klu.col, &klu.common);
    if (!klu.symbolic) return SENS_NO_MEMORY;
    *an_entry = klu.symbolic->est_flops / (klu.symbolic->lnz + klu.symbolic->unz);
    klu.library.free_symbolic(&klu.symbolic, &klu.common);
    return SENS_OK;
}

/* All but the numbers is shared. */
static sens_status create_like(struct sens_ctx *ctx, struct sens_shifted *shifted, const void *other)
{
    struct klu *const klu = shifted->own = SENS_NEW(ctx, struct klu, 1);
    if (!klu) return SENS_NO_MEMORY;
    *klu = *(const struct klu *)other;
    klu->numeric = NULL;
    klu->shares = true;
    return SENS_OK;
}

/* As klu_factor allocates them. */
static size_t bytes(const struct sens_shifted *shifted)
{
    const klu_numeric *const numeric = ((const struct klu *)shifted->own)->numeric;
    if (!numeric) return 0;
    const size_t n = shifted->n, blocks = (size_t)numeric->nblocks, off = (size_t)numeric->nzoff,
                 value = (shifted->is_complex ? 2 : 1) * sizeof(double);
    size_t sum = sizeof *numeric + n * (6 * sizeof(int) + sizeof(double) + value) + (n + 1) * sizeof(int) +
                 off * (sizeof(int) + value) + blocks * (sizeof(size_t) + sizeof(void *)) + numeric->worksize;
    for (size_t b = 0; b < blocks; b++) sum += numeric->LUsize[b] * value;
    return sum;
}

static void release(struct sens_shifted *shifted)
{
    struct klu *const klu = shifted->own;
    if (!klu) return;
    if (klu->numeric) klu->library.free_numeric(&klu->numeric, &klu->common);
    if (klu->symbolic && !klu->shares) klu->library.free_symbolic(&klu->symbolic, &klu->common);
}

static sens_status factor(struct sens_shifted *shifted)
{
    struct klu *const klu = shifted->own;
    if (klu->numeric) klu->library.free_numeric(&klu->numeric, &klu->common);
    klu->numeric = klu->library.factor(klu->start, klu->col, shifted->M, klu->symbolic, &klu->common);
    if (klu->numeric) return SENS_OK;
    return klu->common.status == KLU_SINGULAR ? SENS_SINGULAR : SENS_NO_MEMORY;
}

/* KLU's matrix is M^T, or M where it is turned. */
static void solve(struct sens_shifted *shifted, bool transposed, size_t L, double *X)
{
    const struct sens_shifted *const with = sens_kernel_factors(shifted);
    const struct klu *const factors = with->own, *const klu = shifted->own;
    sens_klu_solve(factors->symbolic, factors->numeric, shifted->is_complex, transposed == with->turned, L,
                   klu->room, X);
}

/* Is a permutation one of an odd number of exchanges? A cycle of c is c - 1 of them. */
static bool odd_permutation(size_t n, const int *permutation, int *seen)
{
    bool odd = false;
    for (size_t i = 0; i < n; i++) seen[i] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; !seen[j]; j = (size_t)permutation[j]) {
            seen[j] = 1;
            odd ^= (size_t)permutation[j] != i;
        }
    return odd;
}

/* P (R \ A) Q = L U by blocks, with R > 0 and the unit diagonal of L. */
static bool negative(const struct sens_shifted *shifted)
{
    const struct klu *const klu = shifted->own;
    const double *const U = klu->numeric->Udiag;
    const size_t n = shifted->n;
    bool odd = odd_permutation(n, klu->numeric->Pnum, klu->seen);
    odd ^= odd_permutation(n, klu->symbolic->Q, klu->seen);
    for (size_t k = 0; k < n; k++) odd ^= U[k] < 0;
    return odd;
}

const struct sens_kernel sens_kernel_klu = {.name = "klu",
                                            .sparse = true,
                                            .create = create,
                                            .create_like = create_like,
                                            .factor = factor,
                                            .solve = solve,
                                            .negative = negative,
                                            .bytes = bytes,
                                            .release = release};
const struct sens_kernel sens_kernel_klu_complex = {.name = "klu",
                                                    .sparse = true,
                                                    .create = create,
                                                    .create_like = create_like,
                                                    .factor = factor,
                                                    .solve = solve,
                                                    .bytes = bytes,
                                                    .release = release};
#else
typedef int sens_no_klu; /* a source has to hold something */
#endif
