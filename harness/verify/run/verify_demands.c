/* From skips to failures, where a check had to be made. */
#include "verify_demands.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static void refuse(struct verify_result *result, const char *why)
{
    char text[2 * VERIFY_TEXT];
    snprintf(text, sizeof text, "%s, and was not made: %s", why, result->text);
    result->verdict = VERIFY_FAIL;
    memcpy(result->text, text, sizeof result->text);
    result->text[sizeof result->text - 1] = '\0';
}

static void refuse_required(const char *pattern, struct runner_unit *unit)
{
    for (size_t i = 0; i < unit->results; i++) {
        struct verify_result *result = &unit->result[i];
        if (result->verdict == VERIFY_SKIP && fnmatch(pattern, result->check, 0) == 0)
            refuse(result, "required"), result->unmade = true;
    }
}

/* ---- essential checks ---------------------------------------------------------------------------------- */

struct search { /* for the results of one check on one module */
    const struct verify_plan *plan;
    struct runner_unit *unit;
    const char *check, *module;
};

static bool is_sought(const struct search *search, const struct verify_result *result)
{
    return strcmp(result->check, search->check) == 0 && strcmp(result->module, search->module) == 0;
}

static bool is_made(const struct search *search)
{
    for (size_t u = 0; u < search->plan->count; u++)
        for (size_t i = 0; i < search->unit[u].results; i++) {
            const struct verify_result *result = &search->unit[u].result[i];
            const bool made = result->verdict == VERIFY_PASS || result->verdict == VERIFY_FAIL;
            if (made && is_sought(search, result)) return true;
        }
    return false;
}

/* After the first refusal of a module's check, it is found to be made: with a failure. */
static void refuse_missing(const struct verify_plan *plan, struct runner_unit *unit, size_t u)
{
    for (const struct verify_check *check = plan->unit[u].unit.group->checks; check->id; check++) {
        if (!check->essential) continue;
        for (size_t i = 0; i < unit[u].results; i++) {
            struct verify_result *result = &unit[u].result[i];
            const struct search search = {plan, unit, check->id, result->module};
            if (result->verdict == VERIFY_SKIP && is_sought(&search, result) && !is_made(&search))
                refuse(result, "essential");
        }
    }
}

void verify_demand(const struct verify_plan *plan, const struct verify_choice *choice,
                   struct runner_unit *unit)
{
    for (size_t u = 0; u < plan->count; u++) {
        if (plan->unit[u].support) continue;
        if (choice->require) refuse_required(choice->require, &unit[u]);
        refuse_missing(plan, unit, u);
    }
}
