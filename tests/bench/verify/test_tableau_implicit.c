/* Checks of implicit tableaux: as they are each satisfies the conditions of its orders, and has the orders in h
 * of b and of b - e; with one coefficient off, none has. */
#include <string.h>

#include "groups.h"
#include "testing.h"
#include "verify.h"

struct told {
    int passed, failed;
};

static void hear(void *self, const struct verify_result *result)
{
    struct told *const told = self;
    told->passed += result->verdict == VERIFY_PASS;
    told->failed += result->verdict == VERIFY_FAIL;
}

static struct told judge(const struct sens_tableau *tableau)
{
    struct told told = {0, 0};
    const struct verify_group *group = NULL;
    for (size_t i = 0; verify_groups[i] && !group; i++)
        if (strcmp(verify_groups[i]->name, "tableau") == 0) group = verify_groups[i];
    assert_non_null(group);
    struct verify v = {
        .reg = sens_registry_baseline(), .groups = verify_groups, .quick = true, .emit = hear, .self = &told};
    const struct verify_unit unit = {.group = group, .tableau = tableau};
    assert_int_equal(verify_run_unit(&unit, &v), SENS_OK);
    return told;
}

static const struct sens_tableau *implicit(const char *name)
{
    const struct sens_tableau *const *all = sens_registry_baseline()->implicit_tableaux;
    for (size_t i = 0; all[i]; i++)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    fail_msg("no tableau %s", name);
    return NULL;
}

static const char *const names[] = {"sdirk4a", "kvaerno43", "radau_iia5", "ros3", "rodas4", "rodas5p"};

static void have_their_orders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct sens_tableau *const tableau = implicit(names[i]);
        const struct told told = judge(tableau);
        assert_int_equal(told.passed, tableau->dense_degree > 0 ? 4 : 3);
        assert_int_equal(told.failed, 0);
    }
}

/* One weight of b, and then of e, off by 1e-6: the conditions of order fail, and an order in h; that of b is what
 * it was where b is the same. */
static void miss_them_with_a_digit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct sens_tableau *const right = implicit(names[i]);
        const int last = right->stages - 1;
        double b[SENS_MAX_STAGES], e[SENS_MAX_STAGES];
        for (int k = 0; k < right->stages; k++) b[k] = (double)right->b[k], e[k] = (double)right->e[k];
        struct sens_tableau wrong = *right;
        wrong.b = b, wrong.e = e;
        b[last] += 1e-6;
        assert_true(judge(&wrong).failed >= 2);
        b[last] -= 1e-6, e[last] += 1e-6;
        assert_int_equal(judge(&wrong).failed, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(have_their_orders),
        cmocka_unit_test(miss_them_with_a_digit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
