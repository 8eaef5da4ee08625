/* methods/linear: each allocation of each kernel, and of J, refused in turn. */
#include "linear_support.h"
#include "shifted.h"

typedef sens_status creation(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                             enum sens_kernel_choice choice, struct sens_shifted **made);

/* The sizes are exact, so that the address sanitizer sees the rest. */
static void check_no_memory(creation *create, enum sens_kernel_choice choice)
{
    struct linear_bed *bed = bed_new(17);
    sens_status status = SENS_NO_MEMORY;
    for (size_t fail = 1; status == SENS_NO_MEMORY; fail++) {
        struct sens_shifted *shifted;
        const struct sens_arena_mark mark = sens_arena_mark(&bed->ctx.arena);
        bed->ctx.arena.fail_at = bed->ctx.arena.allocations + fail;
        status = create(&bed->ctx, 17, &bed->pattern, choice, &shifted);
        sens_shifted_release(shifted);
        bed->ctx.arena.fail_at = 0;
        sens_arena_rewind(&bed->ctx.arena, mark);
        if (!failed(status)) assert_true(fail > 2);
    }
    assert_true(status == SENS_OK || status == SENS_UNAVAILABLE);
    bed_free(bed);
}

static void check_no_memory_of_J(enum sens_product by)
{
    struct linear_bed *bed = bed_new(17);
    sens_status status = SENS_NO_MEMORY;
    for (size_t fail = 1; status == SENS_NO_MEMORY; fail++) {
        struct sens_jacobian *J;
        const struct sens_arena_mark mark = sens_arena_mark(&bed->ctx.arena);
        bed->ctx.arena.fail_at = bed->ctx.arena.allocations + fail;
        status = sens_jacobian_create(&bed->ctx, &bed->pb, by, &bed->pattern, &J);
        bed->ctx.arena.fail_at = 0;
        sens_arena_rewind(&bed->ctx.arena, mark);
        if (!failed(status)) assert_true(fail > 2);
    }
    assert_int_equal(status, SENS_OK);
    bed_free(bed);
}

static void test_no_memory(void **state)
{
    static const enum sens_kernel_choice choice[] = {SENS_KERNEL_AUTO, SENS_KERNEL_OWN, SENS_KERNEL_LAPACK,
                                                     SENS_KERNEL_KLU, SENS_KERNEL_UMFPACK};
    (void)state;
    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++) {
        check_no_memory(sens_shifted_create, choice[k]);
        check_no_memory(sens_shifted_create_turned, choice[k]);
        check_no_memory(sens_shifted_create_complex, choice[k]);
    }
    check_no_memory_of_J(SENS_JVP);
    check_no_memory_of_J(SENS_VJP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests_name("shifted_memory", tests, NULL, NULL);
}
