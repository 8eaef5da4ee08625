/* Known limits: failures that are expected, which a method declares (sens/method.h) or which come with what
 * any method may take. What a method declares is its author's word, and limits.declared says what that may
 * be. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "plan.h"

/* Only of the controllers that are defined so: a method that takes them, and has more than the state in its
 * test, solves with their mean over the whole. */
static const char AVERAGE[] =
    "the controller's norm is a root mean square over the whole system that is solved, "
    "sensitivities and quadratures among it";

static const struct sens_limit of_all[] = {
    {"test.dilution", "*hairer-pi*", AVERAGE, .always = false},
    {"test.dilution", "*petsc*", AVERAGE, .always = false},
    {"test.dilution", "*gustafsson*", AVERAGE, .always = false},
    {.check = NULL},
};

/* Whether the method solves at all, and whether its gradient was held to anything: nobody is excused. */
static const char *const never[] = {"solve.completes", "state.map", "gradient.rounding", "limits.declared"};

enum { EVERY_PART = 2 * SENS_IN_OTHER - 1 };

/* ---- what may be declared ------------------------------------------------------------------------------ */

bool limits_choice(const struct sens_method_type *method, const char *holds_with, size_t *option,
                   double *value)
{
    const char *const equals = holds_with ? strchr(holds_with, '=') : NULL;
    const size_t length = equals ? (size_t)(equals - holds_with) : 0;
    for (size_t i = 0; equals && i < sens_option_count(method->options); i++) {
        const struct sens_option *const o = &method->options[i];
        const bool named = strlen(o->name) == length && strncmp(o->name, holds_with, length) == 0;
        for (long c = 0; named && o->kind == SENS_OPT_CHOICE && o->choices[c]; c++) {
            if (strcmp(o->choices[c], equals + 1) != 0) continue;
            *option = i;
            *value = (double)c;
            return true;
        }
    }
    return false;
}

static bool blank(const char *text)
{
    return !text || text[strspn(text, " \t\n")] == '\0';
}

static bool is_never(const char *check)
{
    for (size_t k = 0; k < sizeof never / sizeof *never; k++)
        if (strcmp(check, never[k]) == 0) return true;
    return strcmp(check, plan_completes.id) == 0;
}

static const char *fault_of_essential(const struct sens_method_type *method, const struct sens_limit *limit)
{
    size_t option;
    double value;
    if (limit->only != SENS_IN_DGDP && limit->only != SENS_IN_DGDX0)
        return "of an essential check only dG/dp or only dG/dx0 can be excused";
    return limits_choice(method, limit->holds_with, &option, &value)
               ? NULL
               : "an essential check holds with some choice of an option, and none is named (holds_with)";
}

const char *limits_fault(const struct verify_group *const *groups, const struct sens_method_type *method,
                         const struct sens_limit *limit)
{
    const struct verify_check *const check = verify_find_check(groups, limit->check);
    if (is_never(limit->check)) return "of this check nobody is excused";
    if (!check) return "there is no check of this name, and a pattern is none";
    if (!limit->subject) return "it names no subject (\"*\": any)";
    if (blank(limit->reason)) return "it has no reason";
    if (limit->only & ~(unsigned)EVERY_PART) return "`only` has a bit that is no part";
    if (check->level == VERIFY_TO_ROUNDING && (limit->only == 0 || limit->only == EVERY_PART))
        return "the check is to rounding, and `only` does not say what is wrong";
    if (check->essential) return fault_of_essential(method, limit);
    if (limit->holds_with && strcmp(check->id, "gradient.own") != 0 &&
        strcmp(check->id, "gradient.frozen") != 0)
        return "this check is not made with another choice (holds_with)";
    return NULL;
}

/* ---- the excuse ---------------------------------------------------------------------------------------- */

static bool matches(const struct sens_limit *limit, const struct verify_result *result)
{
    const bool mended = limit->holds_with && strstr(result->subject, limit->holds_with);
    return !mended && strcmp(limit->check, result->check) == 0 &&
           fnmatch(limit->subject, result->subject, 0) == 0;
}

/* Is the failure in what the limit speaks of, and in nothing else? */
static bool excuses(const struct sens_limit *limit, const struct verify_result *result)
{
    return limit->only == 0 || (result->parts != 0 && (result->parts & ~limit->only) == 0);
}

/* false: the limit says nothing of the result. */
static bool apply(const struct verify *v, const struct sens_limit *limit, struct verify_result *result)
{
    if (!matches(limit, result)) return false;
    if (result->verdict == VERIFY_FAIL && excuses(limit, result)) {
        result->verdict = VERIFY_LIMIT;
        verify_say(result, "known limit: %s", limit->reason);
        return true;
    }
    if (result->verdict != VERIFY_PASS || !limit->always || v->seed != 0) return false;
    verify_fail(result, "passed, although a limit is registered: %s", limit->reason);
    return true;
}

void limits_apply(const struct verify *v, const struct sens_method_type *method, struct verify_result *result)
{
    for (const struct sens_limit *limit = method->limits; limit && limit->check; limit++) {
        if (limits_fault(v->groups, method, limit) || !apply(v, limit, result)) continue;
        result->declared = result->verdict == VERIFY_LIMIT;
        return;
    }
    for (const struct sens_limit *limit = of_all; limit->check; limit++)
        if (apply(v, limit, result)) return;
}

/* ---- limits.declared ----------------------------------------------------------------------------------- */

static void run(struct verify *v)
{
    const struct sens_limit *const limits = v->method->limits;
    if (!limits || !limits->check) {
        verify_skip_check(v, "limits.declared", v->module, "its table of limits", "the method declares none");
        return;
    }
    for (size_t k = 0; limits[k].check; k++) {
        char subject[VERIFY_SUBJECT];
        snprintf(subject, sizeof subject, "limit %zu, of %.60s", k + 1, limits[k].check);
        struct verify_result result = verify_open("limits.declared", v->module, subject);
        const char *const fault = limits_fault(v->groups, v->method, &limits[k]);
        if (fault) verify_fail(&result, "%s: the limit excuses nothing", fault);
        verify_blame(&result, CAUSE_limit_too_wide, 1);
        verify_close(v, &result);
    }
}

static const struct verify_check checks[] = {
    {.id = "limits.declared",
     .summary = "the failures that a method declares to be known limits are ones that can be excused",
     .bound = "none: it is so or not",
     .explanation =
         "A limit is the author's word that a failure is known (limits, sens/method.h). It names one check, "
         "and no pattern; it has a reason; it is not of solve.completes, state.map, gradient.rounding or "
         "unit.completes; of a check to rounding it says which part is wrong (only). Of an essential check "
         "it excuses dG/dp alone or dG/dx0 alone, and names a choice of the method's options with which the "
         "check holds (holds_with): the check is made with that, too, and not excused there. The same can be "
         "said for gradient.own and gradient.frozen, one of which a discrete method needs without excuse "
         "(gradient.rounding). A limit that breaks the rule excuses nothing. The last lines of the report "
         "say of which modules failures were excused in this way."},
    {.id = NULL}};

const struct verify_group verify_limits = {
    .name = "limits", .kind = VERIFY_METHOD, .checks = checks, .run = run};
