/* The list of the parts of a result: what its lines make, and the sets of parts. */
#include "sens/method.h"
#include "testing.h"

/* The members of a result lie where part[] says, whatever the numbers are. */
#define ASSERT_PLACE(with, ID, name, ...)                                                                    \
    assert_int_equal(offsetof(struct sens_out, name), offsetof(struct sens_out, part[SENS_PART_##ID]));      \
    wide.part[SENS_PART_##ID] = &number;                                                                     \
    assert_ptr_equal(wide.name, &number);                                                                    \
    wide.part[SENS_PART_##ID] = NULL;                                                                        \
    assert_null(wide.name);

static void names_and_places_are_one(void **state)
{
    (void)state;
    struct {
        SENS_RESULT_ARRAYS(long double);
    } wide = {.part = {NULL}};
    long double number = 0;
    SENS_RESULT(ASSERT_PLACE, )
    assert_int_equal(sizeof(struct sens_out), SENS_PARTS * sizeof(sens_real *));
}

static void assert_shape(enum sens_part part, const char *name, const char *title, size_t rows, size_t cols,
                         unsigned wrt)
{
    const struct sens_part_shape shape = sens_part_shape(part, 3, 5, 7);
    assert_string_equal(shape.name, name);
    assert_string_equal(shape.title, title);
    assert_int_equal(shape.rows, rows);
    assert_int_equal(shape.cols, cols);
    assert_int_equal(shape.wrt, wrt);
    assert_int_equal(sens_part_wrt(part), wrt);
}

/* Three states, five parameters, seven outputs; names are written in files, and may not change. */
static void parts_have_names_and_shapes(void **state)
{
    (void)state;
    assert_shape(SENS_PART_X, "x", "x", 3, 1, 0);
    assert_shape(SENS_PART_G, "G", "G", 7, 1, 0);
    assert_shape(SENS_PART_DGDP, "dGdp", "dG/dp", 7, 5, SENS_WRT_P);
    assert_shape(SENS_PART_DGDX0, "dGdx0", "dG/dx0", 7, 3, SENS_WRT_X0);
}

static void derivatives_ask_for_their_parts(void **state)
{
    (void)state;
    const struct sens_method_type plain = {.more = 0};
    assert_int_equal(sens_method_parts(&plain, 0), SENS_IN_STATE);
    assert_int_equal(sens_method_parts(&plain, SENS_WRT_P), SENS_IN_STATE | SENS_IN_DGDP);
    assert_int_equal(sens_method_parts(&plain, SENS_WRT_X0), SENS_IN_STATE | SENS_IN_DGDX0);
    assert_int_equal(sens_method_parts(&plain, SENS_WRT_P | SENS_WRT_X0), SENS_IN_FIRST);
    assert_int_equal(sens_parts_wrt(SENS_IN_STATE), 0);
    assert_int_equal(sens_parts_wrt(SENS_IN_DGDP | SENS_IN_G), SENS_WRT_P);
    assert_int_equal(sens_parts_wrt(SENS_IN_FIRST), SENS_WRT_P | SENS_WRT_X0);
    /* x and G belong to every task */
    const struct sens_task task = {.parts = SENS_IN_DGDX0};
    assert_true(sens_task_asks(&task, SENS_PART_X) && sens_task_asks(&task, SENS_PART_G));
    assert_true(sens_task_asks(&task, SENS_PART_DGDX0) && !sens_task_asks(&task, SENS_PART_DGDP));
}

/* Every further part is computed only by methods that say so. */
static void further_parts_are_offered(void **state)
{
    (void)state;
    const unsigned all = (1u << SENS_PARTS) - 1;
    const struct sens_method_type plain = {.more = 0}, able = {.more = all};
    assert_int_equal(sens_method_parts(&plain, SENS_WRT_P | SENS_WRT_X0), SENS_IN_FIRST);
    assert_int_equal(sens_method_parts(&able, SENS_WRT_P | SENS_WRT_X0), all);
    assert_true(SENS_IN_DIGITS == all + 1 && SENS_IN_OTHER == 2 * (all + 1)); /* bits of their own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_places_are_one),
        cmocka_unit_test(parts_have_names_and_shapes),
        cmocka_unit_test(derivatives_ask_for_their_parts),
        cmocka_unit_test(further_parts_are_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
