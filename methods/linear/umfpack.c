/* Kernel `umfpack` of shifted.h: UMFPACK of SuiteSparse (Davis 2004), which gathers columns that look alike into dense
 * blocks: for factors that take many operations an entry, as those of grids do. The order is that of METIS where
 * SuiteSparse has it. It takes a matrix by columns: it is given A = M^T, whose columns are the rows of M, or M turned
 * to columns. Each factorisation chooses its pivots anew, so that the same M gives the same bits whatever was factored
 * before. Several lanes, or one many times, are solved for by loops of our own on a copy of its factors
 * (umfpack_solve.h). Of complex matrices UMFPACK_At is the conjugate transpose; the transpose is UMFPACK_Aat, which
 * real ones are asked for, too. */
#include "kernel.h"

#ifdef SENS_KERNEL_HAS_UMFPACK
#include <limits.h>

#include "lane_columns.h"
#include "umfpack_solve.h"

enum { FEWEST_LANES = 4 }; /* for which a copy of the factors pays by themselves */

struct library {
    __typeof__(umfpack_di_symbolic) *symbolic;
    __typeof__(umfpack_zi_symbolic) *complex_symbolic;
    __typeof__(umfpack_di_numeric) *numeric;
    __typeof__(umfpack_zi_numeric) *complex_numeric;
    __typeof__(umfpack_di_wsolve) *wsolve;
    __typeof__(umfpack_zi_wsolve) *complex_wsolve;
    __typeof__(umfpack_di_get_determinant) *determinant;
    __typeof__(umfpack_di_defaults) *defaults;
    __typeof__(umfpack_di_free_symbolic) *free_symbolic;
    __typeof__(umfpack_di_free_numeric) *free_numeric;
    struct sens_umfpack_reader reader;
    pthread_mutex_t *alone; /* as in kernel.h: its BLAS's */
};

struct copied { /* whose factors the copy is of */
    struct sens_umfpack_copy copy;
    const struct umfpack *of; /* NULL: nobody's */
    long made;
};

struct umfpack {
    struct library library;
    double control[UMFPACK_CONTROL];
    void *symbolic, *numeric; /* NULL: there are no factors */
    int *start, *col;         /* of A, by columns */
    int *pivots;              /* [n] UMFPACK's */
    double *room;             /* [SENS_COLUMN_LANES][n]; complex: twice that */
    struct copied *copied;
    long made;     /* factorisations */
    size_t bytes;  /* of the last one */
    bool negative; /* its determinant is */
    bool shares;   /* the symbolic part, and the copy, are another's */
};

static bool load(struct library *to, bool is_complex)
{
    const struct sens_kernel_name real[] = {{"umfpack_di_symbolic", &to->symbolic},
                                            {"umfpack_di_numeric", &to->numeric},
                                            {"umfpack_di_wsolve", &to->wsolve},
                                            {"umfpack_di_free_symbolic", &to->free_symbolic},
                                            {"umfpack_di_free_numeric", &to->free_numeric},
                                            {"umfpack_di_get_lunz", &to->reader.sizes},
                                            {"umfpack_di_get_numeric", &to->reader.read}};
    const struct sens_kernel_name pair[] = {
        {"umfpack_zi_symbolic", &to->complex_symbolic},      {"umfpack_zi_numeric", &to->complex_numeric},
        {"umfpack_zi_wsolve", &to->complex_wsolve},          {"umfpack_zi_free_symbolic", &to->free_symbolic},
        {"umfpack_zi_free_numeric", &to->free_numeric},      {"umfpack_zi_get_lunz", &to->reader.sizes},
        {"umfpack_zi_get_numeric", &to->reader.complex_read}};
    const struct sens_kernel_name both[] = {{"umfpack_di_defaults", &to->defaults},
                                            {"umfpack_di_get_determinant", &to->determinant}};
    const size_t count = sizeof real / sizeof *real;
    return sens_kernel_blas_functions(SENS_UMFPACK_LIBRARY, count, is_complex ? pair : real, &to->alone) &&
           sens_kernel_blas_functions(SENS_UMFPACK_LIBRARY, sizeof both / sizeof *both, both, &to->alone);
}

static sens_status copy_pattern(struct sens_ctx *ctx, const struct sens_pattern *pattern, bool is_complex,
                                struct umfpack *umfpack)
{
    const size_t n = pattern->rows, entries = pattern->start[n];
    if (entries > INT_MAX) return sens_fail(ctx, SENS_UNSUPPORTED, "too many entries for UMFPACK");
    umfpack->start = SENS_NEW(ctx, int, n + 1);
    umfpack->col = SENS_NEW(ctx, int, entries);
    umfpack->pivots = SENS_NEW(ctx, int, n);
    umfpack->room = SENS_NEW(ctx, double, (is_complex ? 2U : 1U) * SENS_COLUMN_LANES * n);
    umfpack->copied = SENS_NEW(ctx, struct copied, 1);
    if (!umfpack->start || !umfpack->col || !umfpack->pivots || !umfpack->room || !umfpack->copied)
        return SENS_NO_MEMORY;
    *umfpack->copied = (struct copied){.of = NULL};
    for (size_t i = 0; i <= n; i++) umfpack->start[i] = (int)pattern->start[i];
    for (size_t e = 0; e < entries; e++) umfpack->col[e] = (int)pattern->col[e];
    return SENS_OK;
}

/* The values are unknown: the order is by the pattern alone, and serves all factorisations. Ones stand in for them: of
 * a matrix without values UMFPACK takes the diagonal for empty, and does not keep to it where the pattern is that of a
 * grid (symmetric, or nearly). */
static int analyse(struct umfpack *umfpack, int n, bool is_complex, const double *ones)
{
    const struct library *const library = &umfpack->library;
    library->defaults(umfpack->control);
    umfpack->control[UMFPACK_ORDERING] = UMFPACK_ORDERING_METIS;
    umfpack->control[UMFPACK_IRSTEP] = 0;
    if (is_complex)
        return library->complex_symbolic(n, n, umfpack->start, umfpack->col, ones, NULL, &umfpack->symbolic,
                                         umfpack->control, NULL);
    return library->symbolic(n, n, umfpack->start, umfpack->col, ones, &umfpack->symbolic, umfpack->control,
                             NULL);
}

static sens_status analyse_pattern(struct sens_ctx *ctx, struct umfpack *umfpack, size_t n, bool is_complex)
{
    const size_t numbers = (is_complex ? 2U : 1U) * (size_t)umfpack->start[n];
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    double *const ones = SENS_NEW(ctx, double, numbers);
    if (!ones) return SENS_NO_MEMORY;
    for (size_t e = 0; e < numbers; e++) ones[e] = 1;
    const int code = analyse(umfpack, (int)n, is_complex, ones);
    sens_arena_rewind(&ctx->arena, mark);
    if (code == UMFPACK_OK) return SENS_OK;
    if (code == UMFPACK_ERROR_out_of_memory) return SENS_NO_MEMORY;
    return sens_fail(ctx, SENS_UNSUPPORTED, "UMFPACK refuses the pattern (its code %d)", code);
}

static sens_status create(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    struct umfpack *const umfpack = SENS_NEW(ctx, struct umfpack, 1);
    if (!umfpack) return SENS_NO_MEMORY;
    *umfpack = (struct umfpack){.made = 0};
    if (!load(&umfpack->library, shifted->is_complex)) return SENS_UNAVAILABLE;
    const sens_status status = copy_pattern(ctx, &shifted->filled, shifted->is_complex, umfpack);
    if (status != SENS_OK) return status;
    shifted->own = umfpack;
    return analyse_pattern(ctx, umfpack, shifted->n, shifted->is_complex);
}

/* All but the numbers is shared. */
static sens_status create_like(struct sens_ctx *ctx, struct sens_shifted *shifted, const void *other)
{
    struct umfpack *const umfpack = shifted->own = SENS_NEW(ctx, struct umfpack, 1);
    if (!umfpack) return SENS_NO_MEMORY;
    *umfpack = *(const struct umfpack *)other;
    umfpack->numeric = NULL;
    umfpack->bytes = 0;
    umfpack->made = 0;
    umfpack->shares = true;
    return SENS_OK;
}

static size_t bytes(const struct sens_shifted *shifted)
{
    return ((const struct umfpack *)shifted->own)->bytes;
}

static void release(struct sens_shifted *shifted)
{
    struct umfpack *const umfpack = shifted->own;
    if (!umfpack) return;
    if (umfpack->numeric) umfpack->library.free_numeric(&umfpack->numeric);
    if (umfpack->shares) return;
    if (umfpack->symbolic) umfpack->library.free_symbolic(&umfpack->symbolic);
    sens_umfpack_copy_free(&umfpack->copied->copy);
}

static sens_status judge(int code)
{
    if (code == UMFPACK_OK) return SENS_OK;
    return code == UMFPACK_WARNING_singular_matrix ? SENS_SINGULAR : SENS_NO_MEMORY;
}

/* code: what the library said of the factors. */
static sens_status take(struct umfpack *umfpack, int code, const double *info)
{
    const sens_status status = judge(code);
    umfpack->made++;
    umfpack->bytes = 0;
    if (status == SENS_OK)
        umfpack->bytes = (size_t)(info[UMFPACK_NUMERIC_SIZE] * info[UMFPACK_SIZE_OF_UNIT]);
    else if (umfpack->numeric)
        umfpack->library.free_numeric(&umfpack->numeric);
    return status;
}

static sens_status factor(struct sens_shifted *shifted)
{
    struct umfpack *const umfpack = shifted->own;
    const struct library *const library = &umfpack->library;
    double info[UMFPACK_INFO], mantissa, exponent;
    if (umfpack->numeric) library->free_numeric(&umfpack->numeric);
    sens_kernel_enter(library->alone);
    const int code = library->numeric(umfpack->start, umfpack->col, shifted->M, umfpack->symbolic,
                                      &umfpack->numeric, umfpack->control, info);
    sens_kernel_leave(library->alone);
    const sens_status status = take(umfpack, code, info);
    if (status != SENS_OK) return status;
    /* With the exponent apart, it neither overflows nor underflows. */
    if (library->determinant(&mantissa, &exponent, umfpack->numeric, info) < UMFPACK_OK)
        return take(umfpack, UMFPACK_ERROR_out_of_memory, info);
    umfpack->negative = mantissa < 0;
    return SENS_OK;
}

static sens_status factor_complex(struct sens_shifted *shifted)
{
    struct umfpack *const umfpack = shifted->own;
    const struct library *const library = &umfpack->library;
    double info[UMFPACK_INFO];
    if (umfpack->numeric) library->free_numeric(&umfpack->numeric);
    sens_kernel_enter(library->alone);
    const int code = library->complex_numeric(umfpack->start, umfpack->col, shifted->M, NULL,
                                              umfpack->symbolic, &umfpack->numeric, umfpack->control, info);
    sens_kernel_leave(library->alone);
    return take(umfpack, code, info);
}

static bool negative(const struct sens_shifted *shifted)
{
    return ((const struct umfpack *)shifted->own)->negative;
}

/* A copy of the factors is there. The lender's are only read: the copy is of who solves. */
static bool has_copy(struct umfpack *umfpack, const struct umfpack *factors)
{
    struct copied *const at_hand = umfpack->copied;
    if (at_hand->of == factors && at_hand->made == factors->made) return true;
    const bool done = sens_umfpack_copy(&at_hand->copy, &umfpack->library.reader, factors->numeric);
    at_hand->of = done ? factors : NULL;
    at_hand->made = factors->made;
    return done;
}

static int system_of(bool transposed_A)
{
    return transposed_A ? UMFPACK_Aat : UMFPACK_A;
}

/* One lane of X [n][L] after the other: x, b and what the library works in are the room. */
static void solve_columns(struct umfpack *umfpack, const struct umfpack *factors, size_t n, int system,
                          size_t L, double *X)
{
    double *const x = umfpack->room, *const b = x + n, *const work = b + n;
    for (size_t l = 0; l < L; l++) {
        for (size_t i = 0; i < n; i++) b[i] = X[i * L + l];
        umfpack->library.wsolve(system, umfpack->start, umfpack->col, NULL, x, b, factors->numeric,
                                umfpack->control, NULL, umfpack->pivots, work);
        for (size_t i = 0; i < n; i++) X[i * L + l] = x[i];
    }
}

/* The same as pairs, X [n][2][L]: x, b [n][2], and 4 n numbers that the library works in, are the room. */
static void solve_pairs(struct umfpack *umfpack, const struct umfpack *factors, size_t n, int system,
                        size_t L, double *X)
{
    double *const x = umfpack->room, *const b = x + 2 * n, *const work = b + 2 * n;
    for (size_t l = 0; l < L; l++) {
        const struct sens_kernel_pairs how = {n, L, l, 1, 1, n};
        sens_kernel_to_pairs(&how, X, b);
        umfpack->library.complex_wsolve(system, umfpack->start, umfpack->col, NULL, NULL, x, NULL, b, NULL,
                                        factors->numeric, umfpack->control, NULL, umfpack->pivots, work);
        sens_kernel_from_pairs(&how, x, X);
    }
}

/* A is M^T, or M where it is turned. */
static void solve(struct sens_shifted *shifted, bool transposed, size_t L, double *X)
{
    const struct sens_shifted *const with = sens_kernel_factors(shifted);
    struct umfpack *const umfpack = shifted->own;
    const struct umfpack *const factors = with->own;
    const bool transposed_A = transposed == with->turned;
    if ((L >= FEWEST_LANES || shifted->many) && has_copy(umfpack, factors))
        sens_umfpack_solve(&umfpack->copied->copy, transposed_A, L, umfpack->room, X);
    else
        (shifted->is_complex ? solve_pairs : solve_columns)(umfpack, factors, shifted->n,
                                                            system_of(transposed_A), L, X);
}

const struct sens_kernel sens_kernel_umfpack = {.name = "umfpack",
                                                .sparse = true,
                                                .create = create,
                                                .create_like = create_like,
                                                .factor = factor,
                                                .solve = solve,
                                                .negative = negative,
                                                .bytes = bytes,
                                                .release = release};
const struct sens_kernel sens_kernel_umfpack_complex = {.name = "umfpack",
                                                        .sparse = true,
                                                        .create = create,
                                                        .create_like = create_like,
                                                        .factor = factor_complex,
                                                        .solve = solve,
                                                        .bytes = bytes,
                                                        .release = release};
#else
typedef int sens_no_umfpack; /* a source has to hold something */
#endif
