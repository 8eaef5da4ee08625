/* What a method may declare to be a known limit, and what such a limit excuses. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "groups.h"
#include "streams.h"
#include "testing.h"

static const char *const kinds[] = {"usual", "sound", NULL};
static const struct sens_option options[] = {{.name = "kind", .kind = SENS_OPT_CHOICE, .choices = kinds},
                                             {.name = "steps", .max = 9},
                                             SENS_OPTIONS_END};

static const struct sens_limit limits[] = {
    {"pair.exact", "*", "its sum", .only = SENS_IN_DGDP},
    {"ckpt.same", "probe*", "its digits", .only = SENS_IN_DIGITS},
    {"pair.identity", "*", "any part", .only = 0},
    {"order.exact", "*", "its sum", .only = SENS_IN_DGDP, .holds_with = "kind=sound"},
    {"test.dilution", "*", "a mean", .always = true},
    {"cross.*", "*", "a pattern", .only = 0},
    {"solve.completes", "*", "it does not", .only = 0},
    {"unit.completes", "*", "it does not", .only = 0},
    {.check = NULL}};
static const struct sens_method_type method = {.name = "x", .options = options, .limits = limits};

struct seen {
    enum verify_verdict verdict;
    bool declared;
};

static void keep(void *seen, const struct verify_result *result)
{
    *(struct seen *)seen = (struct seen){result->verdict, result->declared};
}

/* Of a failure in these parts; 0: of a pass. */
static struct seen verdict_on(const char *check, const char *subject, unsigned parts)
{
    struct seen seen = {VERIFY_SKIP, false};
    struct verify v = {.groups = verify_groups, .method = &method, .emit = keep, .self = &seen};
    struct verify_result result = verify_open(check, "method x", subject);
    struct worst worst = {.count = 0};
    for (unsigned bit = 1; bit <= SENS_IN_OTHER; bit *= 2)
        worst_note_in(&worst, bit, parts & bit ? 2 : 0.5, 1, "entry");
    verify_judge(&result, &worst);
    verify_close(&v, &result);
    return seen;
}

static void assert_excused(const char *check, const char *subject, unsigned parts)
{
    const struct seen seen = verdict_on(check, subject, parts);
    assert_int_equal(seen.verdict, VERIFY_LIMIT);
    assert_true(seen.declared);
}

static void assert_not_excused(const char *check, const char *subject, unsigned parts)
{
    const struct seen seen = verdict_on(check, subject, parts);
    assert_int_equal(seen.verdict, VERIFY_FAIL);
    assert_false(seen.declared);
}

static void limits_excuse_what_they_name_alone(void **state)
{
    (void)state;
    assert_excused("pair.exact", "probe", SENS_IN_DGDP);
    assert_not_excused("pair.exact", "probe", SENS_IN_DGDX0);
    assert_not_excused("pair.exact", "probe", SENS_IN_DGDP | SENS_IN_DGDX0);
    assert_not_excused("pair.exact", "probe", SENS_IN_DGDP | SENS_IN_X);
    assert_not_excused("pair.exact", "probe", SENS_IN_G);
    assert_not_excused("pair.exact", "probe", SENS_IN_OTHER);
    assert_not_excused("pair.frozen", "probe", SENS_IN_DGDP);
    assert_excused("ckpt.same", "probe, cash_karp", SENS_IN_DIGITS);
    assert_not_excused("ckpt.same", "glv", SENS_IN_DIGITS);
    assert_not_excused("ckpt.same", "probe", SENS_IN_DGDP);
    assert_excused("pair.identity", "probe", SENS_IN_OTHER);
    assert_not_excused("test.dilution", "probe", 0); /* it passes, where it always fails */
}

static void what_breaks_the_rule_excuses_nothing(void **state)
{
    (void)state;
    assert_not_excused("cross.discrete", "probe", SENS_IN_DGDP);
    assert_not_excused("solve.completes", "probe", SENS_IN_OTHER);
    assert_not_excused("unit.completes", "probe", SENS_IN_OTHER);
}

static void an_essential_check_holds_with_a_choice(void **state)
{
    (void)state;
    assert_excused("order.exact", "probe, tolerances fall", SENS_IN_DGDP);
    assert_not_excused("order.exact", "probe, tolerances fall, kind=sound", SENS_IN_DGDP);
}

static void limits_of_all_are_not_declared(void **state)
{
    static const struct sens_method_type plain = {.name = "x"};
    struct seen seen = {VERIFY_SKIP, false};
    struct verify v = {.groups = verify_groups, .method = &plain, .emit = keep, .self = &seen};
    struct verify_result result = verify_open("test.dilution", "method x", "probe, dopri5 hairer-pi");
    (void)state;
    verify_fail(&result, "3 steps more");
    verify_close(&v, &result);
    assert_int_equal(seen.verdict, VERIFY_LIMIT);
    assert_false(seen.declared);
}

/* ---- the rule ------------------------------------------------------------------------------------------ */

static void assert_fault(struct sens_limit limit, const char *words)
{
    const char *const fault = limits_fault(verify_groups, &method, &limit);
    if (!words)
        assert_null(fault);
    else if (!fault || !strstr(fault, words))
        fail_msg("%s: '%s' and not '%s'", limit.check, fault ? fault : "no fault", words);
}

static void a_limit_names_a_check_and_a_reason(void **state)
{
    (void)state;
    assert_fault((struct sens_limit){"pair.exact", "*", "r", .only = 0}, NULL);
    assert_fault((struct sens_limit){"*", "*", "r", .only = 0}, "no check of this name");
    assert_fault((struct sens_limit){"pair.*", "*", "r", .only = 0}, "no check of this name");
    assert_fault((struct sens_limit){"pair.exac[t]", "*", "r", .only = 0}, "no check of this name");
    assert_fault((struct sens_limit){"", "*", "r", .only = 0}, "no check of this name");
    assert_fault((struct sens_limit){"pair.exact", NULL, "r", .only = 0}, "no subject");
    assert_fault((struct sens_limit){"pair.exact", "*", NULL, .only = 0}, "no reason");
    assert_fault((struct sens_limit){"pair.exact", "*", " \n", .only = 0}, "no reason");
    assert_fault((struct sens_limit){"pair.exact", "*", "r", .only = 2 * SENS_IN_OTHER}, "no part");
    assert_fault((struct sens_limit){"pair.exact", "*", "r", .holds_with = "kind=sound"}, "holds_with");
}

static void nobody_is_excused_of_solving(void **state)
{
    static const char *const never[] = {"unit.completes", "solve.completes", "state.map", "gradient.rounding",
                                        "limits.declared"};
    (void)state;
    for (size_t k = 0; k < sizeof never / sizeof *never; k++)
        assert_fault((struct sens_limit){never[k], "*", "r", .only = SENS_IN_DGDP}, "nobody is excused");
}

static void a_check_to_rounding_needs_the_part(void **state)
{
    (void)state;
    assert_fault((struct sens_limit){"pair.frozen", "*", "r", .only = 0}, "`only` does not say");
    assert_fault((struct sens_limit){"pair.frozen", "*", "r", .only = 2 * SENS_IN_OTHER - 1},
                 "`only` does not say");
    assert_fault((struct sens_limit){"pair.frozen", "*", "r", .only = SENS_IN_DIGITS}, NULL);
}

static void an_essential_check_needs_a_choice(void **state)
{
    static const char *const wrong[] = {
        NULL, "", "kind", "kind=", "=sound", "kind=soun", "steps=3", "tol=sound"};
    const unsigned both = SENS_IN_DGDP | SENS_IN_DGDX0;
    (void)state;
    assert_fault((struct sens_limit){"order.exact", "*", "r", SENS_IN_DGDP, false, "kind=sound"}, NULL);
    assert_fault((struct sens_limit){"order.exact", "*", "r", SENS_IN_DGDX0, false, "kind=sound"}, NULL);
    assert_fault((struct sens_limit){"order.exact", "*", "r", both, false, "kind=sound"}, "essential");
    assert_fault((struct sens_limit){"order.exact", "*", "r", 0, false, "kind=sound"}, "essential");
    assert_fault((struct sens_limit){"order.exact", "*", "r", SENS_IN_X, false, "kind=sound"}, "essential");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_fault((struct sens_limit){"order.exact", "*", "r", SENS_IN_DGDP, false, wrong[k]},
                     "holds_with");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_excuse_what_they_name_alone),
        cmocka_unit_test(what_breaks_the_rule_excuses_nothing),
        cmocka_unit_test(an_essential_check_holds_with_a_choice),
        cmocka_unit_test(limits_of_all_are_not_declared),
        cmocka_unit_test(a_limit_names_a_check_and_a_reason),
        cmocka_unit_test(nobody_is_excused_of_solving),
        cmocka_unit_test(a_check_to_rounding_needs_the_part),
        cmocka_unit_test(an_essential_check_needs_a_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
