/* From words to contenders: lists make groups, --vs changes the base, and bad input is refused with its
 * origin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "testing.h"

static struct compare_plan plan;
static struct bench_error error;
static struct compare_targets targets; /* none */

/* "key=value" words, as on the command line. */
static bool make(const char *const *words, size_t count, const char *const *vs)
{
    struct spec base = {.count = 0};
    for (; *words; words++) {
        char key[64];
        const size_t length = strcspn(*words, "=");
        snprintf(key, sizeof key, "%.*s", (int)length, *words);
        assert_true(spec_set(&base, key, *words + length + 1, "command line", &error));
    }
    error.text[0] = '\0';
    const bool made = compare_plan_create(&plan, &base, count, vs, &targets, &error);
    spec_free(&base);
    return made;
}

static void assert_cell(size_t group, size_t contender, const char *expected)
{
    char *identity = spec_identity(&plan.spec[group * plan.contenders + contender]);
    assert_string_equal(identity, expected);
    free(identity);
}

static void lists_make_groups(void **state)
{
    (void)state;
    const char *const words[] = {"problem=glv", "n=2,3", "method=discrete_adjoint", "tol=1e-3,1e-4,1e-5",
                                 NULL};
    const char *const vs[] = {"lanes=1", "  n=4   tol= "};
    assert_true(make(words, 2, vs));
    assert_int_equal(plan.groups, 6);
    assert_int_equal(plan.contenders, 3);
    assert_string_equal(plan.keys[0], "n=2 tol=1e-3"); /* the last list is the fastest */
    assert_string_equal(plan.keys[1], "n=2 tol=1e-4");
    assert_string_equal(plan.keys[5], "n=3 tol=1e-5");
    assert_string_equal(plan.changes[0], "");
    assert_string_equal(plan.changes[2], "n=4 tol=");
    assert_cell(4, 0, "method=discrete_adjoint n=3 problem=glv tol=1e-4");
    assert_cell(4, 1, "lanes=1 method=discrete_adjoint n=3 problem=glv tol=1e-4");
    assert_cell(4, 2, "method=discrete_adjoint n=4 problem=glv"); /* a key replaced, a key taken away */
    compare_plan_free(&plan);
}

static void even_method_and_problem_may_change(void **state)
{
    (void)state;
    const char *const words[] = {"problem=decay", "method=discrete_adjoint", "ckpt=2", NULL};
    const char *const vs[] = {"method=cfsa ckpt=", "problem=logistic"};
    assert_true(make(words, 2, vs));
    assert_int_equal(plan.groups, 1);
    assert_string_equal(plan.keys[0], "");
    assert_cell(0, 1, "method=cfsa problem=decay");
    assert_cell(0, 2, "ckpt=2 method=discrete_adjoint problem=logistic");
    compare_plan_free(&plan);
}

/* Errors are one more list, the fastest; tolerances are left open. */
static void errors_make_groups(void **state)
{
    (void)state;
    const char *const words[] = {"problem=glv", "n=2,3", "method=discrete_adjoint", NULL};
    const char *const vs[] = {"lanes=1"};
    targets = (struct compare_targets){2, {1e-6, 1e-8}};
    assert_true(make(words, 1, vs));
    assert_int_equal(plan.groups, 4);
    assert_string_equal(plan.keys[1], "n=2 error=1e-08");
    assert_string_equal(plan.keys[2], "n=3 error=1e-06");
    assert_true(plan.target[1] == 1e-8 && plan.target[2] == 1e-6);
    assert_cell(3, 1, "lanes=1 method=discrete_adjoint n=3 problem=glv");
    compare_plan_free(&plan);
    targets.count = 0;
    assert_true(make(words, 1, vs));
    assert_true(isnan(plan.target[0]));
    compare_plan_free(&plan);
}

static void refuse(const char *word, const char *change, const char *text)
{
    const char *const words[] = {"problem=decay", "method=discrete_adjoint", word, NULL};
    assert_false(make(words, 1, &change));
    if (!strstr(error.text, text)) fail_msg("'%s' is not in: %s", text, error.text);
}

static void bad_input_is_refused_with_its_origin(void **state)
{
    (void)state;
    refuse("tol=1e-3,", "lanes=1", "command line: tol=1e-3,: an empty");
    refuse("tol=1e-3,x", "lanes=1", "command line: tol=x: not a number");
    refuse("tol=1e-3", "lanes=x", "--vs \"lanes=x\": lanes=x: allowed");
    refuse("tol=1e-3", "lanes=1,2", "--vs \"lanes=1,2\": lanes=1,2: allowed");
    refuse("tol=1e-3", "lanes", "--vs \"lanes\": 'lanes' is not key=value");
    refuse("tol=1e-3", "=1", "is not a key");
    refuse("tol=1e-3", "  ", "what differs from the base");
    refuse("tol=1e-3", "method=discrete_adjont", "did you mean discrete_adjoint");
    refuse("tol=1e-3", "method=cfsa ckpt=2", "takes no notice of ckpt");
}

static void errors_find_the_tolerance_and_need_a_truth(void **state)
{
    (void)state;
    targets = (struct compare_targets){1, {1e-6}};
    refuse("tol=1e-3", "lanes=1", "command line: tol=1e-3: together with --error");
    refuse("lanes=2", "atol=1e-3", "--vs \"atol=1e-3\": atol=1e-3: together with --error");
    refuse("truth=none", "lanes=1", "no gradient to compare with");
    refuse("lanes=2", "problem=glv n=17", "no stored reference");
    refuse("lanes=2", "controller=fixed dt=0.1", "no error control");
    targets.count = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_make_groups),
        cmocka_unit_test(even_method_and_problem_may_change),
        cmocka_unit_test(bad_input_is_refused_with_its_origin),
        cmocka_unit_test(errors_make_groups),
        cmocka_unit_test(errors_find_the_tolerance_and_need_a_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
