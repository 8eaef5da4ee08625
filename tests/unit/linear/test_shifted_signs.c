/* methods/linear: the sign of a determinant by the factors of every kernel, against that of another library. */
#include <gsl/gsl_linalg.h>

#include "linear_support.h"
#include "shifted.h"

/* det M < 0, by the LU of another library. */
static bool negative_by_gsl(size_t n, const double *M)
{
    gsl_matrix *copy = gsl_matrix_alloc(n, n);
    gsl_permutation *permutation = gsl_permutation_alloc(n);
    int sign;
    memcpy(copy->data, M, n * n * sizeof *M);
    gsl_linalg_LU_decomp(copy, permutation, &sign);
    const bool negative = gsl_linalg_LU_sgndet(copy, sign) < 0;
    gsl_permutation_free(permutation);
    gsl_matrix_free(copy);
    return negative;
}

/* Random matrices: half of them have a negative determinant. */
static void check_signs(bool sparse, enum sens_kernel_choice choice)
{
    enum { MOST = 14, MATRICES = 4 };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t n = 1; n < MOST; n++)
        for (int k = 0; k < MATRICES; k++) {
            struct sens_ctx ctx = {.now = NULL};
            struct sens_pattern full;
            struct sens_shifted *shifted;
            double *J = random_new(rng, n * n);
            assert_int_equal(sens_pattern_band(&ctx, n, n, &full), SENS_OK);
            if (sens_shifted_create(&ctx, n, sparse ? &full : NULL, choice, &shifted) == SENS_OK) {
                assert_int_equal(sens_shifted_factor(shifted, (struct sens_shift){0, -1, 0}, J), SENS_OK);
                assert_int_equal(sens_shifted_negative(shifted), negative_by_gsl(n, J));
            }
            sens_shifted_release(shifted);
            sens_arena_release(&ctx.arena);
            free(J);
        }
    gsl_rng_free(rng);
}

static void test_signs(void **state)
{
    (void)state;
    check_signs(false, SENS_KERNEL_OWN);
    check_signs(false, SENS_KERNEL_LAPACK);
    check_signs(true, SENS_KERNEL_KLU);
    check_signs(true, SENS_KERNEL_UMFPACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signs)};
    return cmocka_run_group_tests_name("signs of determinants", tests, NULL, NULL);
}
