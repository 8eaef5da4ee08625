/* verify's plan: which units a choice of modules and checks has, in which order, and what supports them. */
#include <stdio.h>
#include <string.h>

#include "named_registry.h"
#include "plan.h"
#include "testing.h"

static const struct verify_check checks[] = {{.id = "first"}, {.id = "second"}, {.id = NULL}};
static const struct verify_check other_checks[] = {{.id = "other"}, {.id = NULL}};
#define GROUP(id, of, its_checks)                                                                            \
    {                                                                                                        \
        .name = id, .kind = of, .checks = its_checks                                                         \
    }
static const struct verify_group on_problem = GROUP("on_problem", VERIFY_PROBLEM, checks),
                                 on_cost = GROUP("on_cost", VERIFY_COST, checks),
                                 on_method = GROUP("on_method", VERIFY_METHOD, checks),
                                 on_tableau = GROUP("on_tableau", VERIFY_TABLEAU, other_checks),
                                 on_provider = GROUP("on_provider", VERIFY_PROVIDER, checks),
                                 on_wrapped = GROUP("on_wrapped", VERIFY_WRAPPED, checks),
                                 on_pair = GROUP("on_pair", VERIFY_PAIR, other_checks),
                                 on_cross = GROUP("on_cross", VERIFY_CROSS, checks);
static const struct verify_group on_problem_too = {
    .name = "on_problem_too", .kind = VERIFY_PROBLEM, .checks = other_checks, .wraps = true};
/* Not in the order of the report. */
static const struct verify_group *const groups[] = {&on_cross,       &on_pair,    &on_method, &on_problem,
                                                    &on_problem_too, &on_tableau, &on_cost,   &on_provider,
                                                    &on_wrapped,     NULL};

/* The units of a choice in words: "on_problem:problem good (on_problem:problem bad)", support in brackets. */
static void assert_plan_of(const struct sens_registry *reg, struct verify_choice choice, const char *expected)
{
    struct verify_plan plan;
    char text[4096] = "";
    assert_true(plan_create(reg, groups, &choice, &plan));
    for (size_t i = 0; i < plan.count; i++) {
        char name[VERIFY_SUBJECT];
        const size_t used = strlen(text);
        verify_unit_name(&plan.unit[i].unit, name);
        snprintf(text + used, sizeof text - used, plan.unit[i].support ? "(%s:%s)\n" : "%s:%s\n",
                 plan.unit[i].unit.group->name, name);
    }
    assert_string_equal(text, expected);
    plan_free(&plan);
}

static void assert_plan(struct verify_choice choice, const char *expected)
{
    assert_plan_of(&registry, choice, expected);
}

static void plan_has_everything_in_order(void **state)
{
    (void)state;
    assert_plan((struct verify_choice){.problem = NULL},
                "on_problem:problem good\non_problem_too:problem good\n"
                "on_problem:problem bad\non_problem_too:problem bad\n"
                "on_cost:cost cost\non_tableau:tableau rk4\n"
                "on_method:method one\non_method:method two\n"
                "on_pair:method one on problem good\n"
                "on_pair:method one on problem bad\n"
                "on_pair:method two on problem good\n"
                "on_pair:method two on problem bad\n"
                "on_cross:problem good\non_cross:problem bad\n");
}

static void plan_follows_the_patterns(void **state)
{
    (void)state;
    assert_plan(
        (struct verify_choice){.problem = "g*"},
        "on_problem:problem good\non_problem_too:problem good\n"
        "on_pair:method one on problem good\non_pair:method two on problem good\non_cross:problem good\n");
    assert_plan(
        (struct verify_choice){.method = "one"}, /* and no cross: there is nothing to compare it with */
        "(on_problem:problem good)\n(on_problem_too:problem good)\n"
        "(on_problem:problem bad)\n(on_problem_too:problem bad)\non_method:method one\n"
        "on_pair:method one on problem good\non_pair:method one on problem bad\n");
    assert_plan(
        (struct verify_choice){.problem = "bad", .method = "[ot]*"},
        "on_problem:problem bad\non_problem_too:problem bad\non_method:method one\non_method:method two\n"
        "on_pair:method one on problem bad\non_pair:method two on problem bad\non_cross:problem bad\n");
    assert_plan((struct verify_choice){.cost = "cost"}, "on_cost:cost cost\n");
    assert_plan((struct verify_choice){.cost = "none"}, "");
}

static sens_status wrap_no_cost(struct sens_ctx *ctx, const struct sens_provider_request *request,
                                const struct sens_cost *inner, struct sens_cost *wrapped)
{
    (void)ctx, (void)request, (void)inner, (void)wrapped;
    return SENS_UNSUPPORTED;
}

/* A provider is a module like others: with problems, in the groups that look at what it wraps. */
static void plan_has_providers(void **state)
{
    (void)state;
    static const struct sens_provider mine = {.name = "mine"};
    static const struct sens_provider *const providers[] = {&mine, NULL};
    struct sens_registry reg = registry;
    reg.providers = providers;
    assert_plan_of(&reg, (struct verify_choice){.provider = "m*"},
                   "(on_problem:problem good)\n(on_problem_too:problem good)\n"
                   "(on_problem:problem bad)\n(on_problem_too:problem bad)\non_provider:provider mine\n"
                   "on_wrapped:provider mine on problem good\non_problem_too:provider mine on problem good\n"
                   "on_wrapped:provider mine on problem bad\non_problem_too:provider mine on problem bad\n");
    assert_plan_of(&reg, (struct verify_choice){.provider = "mine", .problem = "bad", .check = "first"},
                   "on_problem:problem bad\n(on_problem_too:problem bad)\non_provider:provider mine\n"
                   "on_wrapped:provider mine on problem bad\n");
    /* one that derives gradients: on every cost, but where problems are named and costs are not */
    static const struct sens_provider derives = {.name = "derives", .wrap_cost = wrap_no_cost};
    static const struct sens_provider *const derivers[] = {&derives, NULL};
    reg.providers = derivers;
    assert_plan_of(
        &reg, (struct verify_choice){.provider = "d*", .cost = "c*", .check = "first"},
        "on_cost:cost cost\non_provider:provider derives\non_cost:provider derives on cost cost\n");
    assert_plan_of(&reg, (struct verify_choice){.provider = "derives", .problem = "bad", .check = "first"},
                   "on_problem:problem bad\n(on_problem_too:problem bad)\non_provider:provider derives\n"
                   "on_wrapped:provider derives on problem bad\n");
    assert_plan_of(&reg, (struct verify_choice){.method = "one", .problem = "bad", .check = "first"},
                   "on_problem:problem bad\non_method:method one\n");
}

static void plan_follows_the_checks(void **state)
{
    (void)state;
    assert_plan((struct verify_choice){.problem = "good", .check = "other"},
                "(on_problem:problem good)\non_problem_too:problem good\n"
                "on_pair:method one on problem good\non_pair:method two on problem good\n");
    assert_plan((struct verify_choice){.cost = "cost", .check = "unit.completes"}, "on_cost:cost cost\n");
    assert_plan((struct verify_choice){.cost = "cost", .check = "other"}, "");
}

static void support_is_shown_when_it_fails(void **state)
{
    (void)state;
    const struct plan_unit asked = {.unit = {.group = &on_problem}}, support = {asked.unit, true};
    const struct verify_choice choice = {.check = "first"};
    struct verify_result result = {.check = "first", .verdict = VERIFY_PASS};
    assert_true(plan_shows(&asked, &choice, &result));
    assert_false(plan_shows(&support, &choice, &result));
    strcpy(result.check, "second");
    result.verdict = VERIFY_FAIL;
    assert_false(plan_shows(&asked, &choice, &result));
    assert_true(plan_shows(&support, &choice, &result));
    strcpy(result.check, "unit.completes");
    assert_true(plan_shows(&asked, &choice, &result));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_has_everything_in_order),
        cmocka_unit_test(plan_follows_the_patterns),
        cmocka_unit_test(plan_has_providers),
        cmocka_unit_test(plan_follows_the_checks),
        cmocka_unit_test(support_is_shown_when_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
