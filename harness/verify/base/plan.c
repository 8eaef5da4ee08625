/* The units of a run: the product of groups and modules, less what the patterns leave out. */
#include "plan.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct verify_check plan_completes = {
    .id = "unit.completes",
    .summary = "the checks of a group come to an end, with a result for each",
    .bound = "none: it is so or not; the limit is --timeout, in processor time",
    .explanation =
        "Each group of checks runs on its modules in a process of its own, with limits of time and memory. "
        "This check fails when that process dies of a signal, ends with another code than 0, is still "
        "running when its time is up, gets no memory, or leaves one of its checks without a result. The "
        "results that it sent before stand in the report. A crash inside a callback is usually an index "
        "past the end of an array, most likely for lane counts or batch sizes that the ordinary run does "
        "not use: build the module with -fsanitize=address and repeat the run. It is skipped for a method "
        "on a problem that fails its own checks: mend the problem first."};

/* ---- modules of a unit --------------------------------------------------------------------------------- */

bool plan_needs_trust(const struct verify_unit *unit)
{
    return unit->group->kind == VERIFY_PAIR || unit->group->kind == VERIFY_CROSS ||
           (unit->provider && unit->problem);
}

bool plan_vouches(const struct verify_unit *unit, const struct verify_unit *other)
{
    return unit->group->kind == VERIFY_PROBLEM && !unit->provider && unit->problem == other->problem;
}

void plan_subject(const struct verify_unit *unit, char subject[VERIFY_SUBJECT])
{
    const bool pair = (unit->method || unit->provider) && unit->problem, wraps = unit->provider && unit->cost;
    snprintf(subject, VERIFY_SUBJECT, "group %s%s%s", unit->group->name,
             pair    ? " on problem "
             : wraps ? " on cost "
                     : "",
             pair    ? unit->problem->name
             : wraps ? unit->cost->name
                     : "");
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

static bool matches(const char *pattern, const char *name)
{
    return !pattern || fnmatch(pattern, name, 0) == 0;
}

static bool has_wanted_check(const struct verify_group *group, const char *pattern)
{
    if (matches(pattern, plan_completes.id)) return true;
    for (const struct verify_check *check = group->checks; check->id; check++)
        if (matches(pattern, check->id)) return true;
    return false;
}

bool plan_leaves(const struct verify_choice *choice, const struct sens_problem_type *problem,
                 const struct sens_provider *provider)
{
    return (choice->quick && problem && problem->model && !choice->problem) ||
           (provider && (provider->declares || provider->approximate) && !choice->provider);
}

static bool is_chosen(const struct verify_choice *choice, const struct verify_unit *unit)
{
    const bool methods = unit->method || unit->group->kind == VERIFY_CROSS;
    const bool any = choice->problem || choice->method || choice->cost || choice->provider;
    const bool named = (choice->problem && unit->problem) || (choice->method && methods) ||
                       (choice->cost && unit->cost) || (choice->provider && unit->provider);
    /* Who names methods does not ask for providers as well, nor the other way round; nor who names a provider and
     * problems for what it makes of costs, nor the other way round. */
    const bool aside = (methods && choice->provider && !choice->method) ||
                       (unit->provider && choice->method && !choice->provider) ||
                       (unit->provider && unit->cost && choice->problem && !choice->cost) ||
                       (unit->provider && unit->problem && choice->cost && !choice->problem);
    if (plan_leaves(choice, unit->problem, unit->provider)) return false;
    return (named || !any) && !aside && (!unit->problem || matches(choice->problem, unit->problem->name)) &&
           (!unit->method || matches(choice->method, unit->method->name)) &&
           (!unit->cost || matches(choice->cost, unit->cost->name)) &&
           (!unit->provider || matches(choice->provider, unit->provider->name)) &&
           has_wanted_check(unit->group, choice->check);
}

bool plan_shows(const struct plan_unit *unit, const struct verify_choice *choice,
                const struct verify_result *result)
{
    const bool completes = strcmp(result->check, plan_completes.id) == 0;
    if (result->verdict == VERIFY_FAIL && (unit->support || completes)) return true;
    return !unit->support && matches(choice->check, result->check);
}

static bool makes(const struct verify_group *group, const struct verify_choice *choice, const char *pattern)
{
    for (const struct verify_check *check = group->checks; check->id; check++)
        if (matches(pattern, check->id) && matches(choice->check, check->id)) return true;
    return false;
}

bool plan_makes(const struct verify_plan *plan, const struct verify_choice *choice, const char *pattern)
{
    if (matches(pattern, plan_completes.id) && matches(choice->check, plan_completes.id)) return true;
    for (size_t u = 0; u < plan->count; u++)
        if (!plan->unit[u].support && makes(plan->unit[u].unit.group, choice, pattern)) return true;
    return false;
}

/* ---- the product --------------------------------------------------------------------------------------- */

struct planner {
    const struct sens_registry *reg;
    const struct verify_group *const *groups;
    const struct verify_choice *choice;
    struct verify_plan *plan; /* at first every unit there could be */
};

/* The groups of one kind on one set of modules. */
static void add(struct planner *planner, enum verify_kind kind, struct verify_unit unit)
{
    for (const struct verify_group *const *group = planner->groups; *group; group++) {
        if ((*group)->kind != kind || (kind == VERIFY_PROBLEM && unit.provider && !(*group)->wraps)) continue;
        unit.group = *group;
        const bool chosen = is_chosen(planner->choice, &unit);
        planner->plan->unit[planner->plan->count++] = (struct plan_unit){unit, .support = !chosen};
    }
}

static size_t matching_methods(const struct planner *planner)
{
    size_t count = 0;
    for (size_t i = 0; planner->reg->methods[i]; i++)
        count += matches(planner->choice->method, planner->reg->methods[i]->name);
    return count;
}

static void add_problems(struct planner *planner, enum verify_kind kind)
{
    for (size_t i = 0; planner->reg->problems[i]; i++)
        add(planner, kind, (struct verify_unit){.problem = planner->reg->problems[i]});
}

static void add_providers(struct planner *planner)
{
    const struct sens_registry *reg = planner->reg;
    for (size_t i = 0; reg->providers && reg->providers[i]; i++) {
        const bool exact = !reg->providers[i]->approximate;
        add(planner, VERIFY_PROVIDER, (struct verify_unit){.provider = reg->providers[i]});
        for (size_t k = 0; exact && reg->providers[i]->wrap_cost && reg->costs[k]; k++)
            add(planner, VERIFY_COST,
                (struct verify_unit){.provider = reg->providers[i], .cost = reg->costs[k]});
        for (size_t k = 0; reg->problems[k]; k++) {
            const struct verify_unit unit = {.provider = reg->providers[i], .problem = reg->problems[k]};
            add(planner, exact ? VERIFY_WRAPPED : VERIFY_QUOTIENTS, unit);
            if (exact) add(planner, VERIFY_PROBLEM, unit); /* to rounding: no check for quotients */
        }
    }
}

static void add_everything(struct planner *planner)
{
    const struct sens_registry *reg = planner->reg;
    add_problems(planner, VERIFY_PROBLEM);
    for (size_t i = 0; reg->costs[i]; i++)
        add(planner, VERIFY_COST, (struct verify_unit){.cost = reg->costs[i]});
    for (size_t i = 0; reg->tableaux[i]; i++)
        add(planner, VERIFY_TABLEAU, (struct verify_unit){.tableau = reg->tableaux[i]});
    for (size_t i = 0; reg->implicit_tableaux && reg->implicit_tableaux[i]; i++)
        if (reg->implicit_tableaux[i]->family != SENS_FAMILY_SWITCHED) /* two others, by turns */
            add(planner, VERIFY_TABLEAU, (struct verify_unit){.tableau = reg->implicit_tableaux[i]});
    for (size_t i = 0; reg->controllers && reg->controllers[i]; i++)
        if (reg->controllers[i]->adaptive)
            add(planner, VERIFY_CONTROLLER, (struct verify_unit){.controller = reg->controllers[i]});
    add_providers(planner);
    for (size_t i = 0; reg->methods[i]; i++)
        add(planner, VERIFY_METHOD, (struct verify_unit){.method = reg->methods[i]});
    for (size_t i = 0; reg->methods[i]; i++)
        for (size_t k = 0; reg->problems[k]; k++)
            add(planner, VERIFY_PAIR,
                (struct verify_unit){.method = reg->methods[i], .problem = reg->problems[k]});
    if (matching_methods(planner) > 1)
        add_problems(planner, VERIFY_CROSS); /* one has no other to agree with */
}

/* Does a chosen unit need this one, which is not chosen itself? In a quick run, what is of places that it does not go
 * to is left out. */
static bool supports(const struct verify_plan *plan, const struct verify_unit *unit)
{
    if (plan->choice.quick && unit->group->elsewhere) return false;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_unit *other = &plan->unit[i];
        if (!other->support && plan_needs_trust(&other->unit) && plan_vouches(unit, &other->unit))
            return true;
    }
    return false;
}

/* The chosen ones stay, and what supports them; what they support stands behind them. */
static void drop_the_rest(struct verify_plan *plan)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (!plan->unit[i].support || supports(plan, &plan->unit[i].unit)) plan->unit[kept++] = plan->unit[i];
    plan->count = kept;
}

/* As many units as there could be. */
static size_t upper_bound(const struct planner *planner)
{
    const struct sens_registry *reg = planner->reg;
    size_t groups = 0, problems = 0, costs = 0, tableaux = 0, methods = 0, providers = 0, controllers = 0;
    while (planner->groups[groups]) groups++;
    while (reg->problems[problems]) problems++;
    while (reg->costs[costs]) costs++;
    while (reg->tableaux[tableaux]) tableaux++;
    for (size_t i = 0; reg->implicit_tableaux && reg->implicit_tableaux[i]; i++) tableaux++;
    while (reg->controllers && reg->controllers[controllers]) controllers++;
    while (reg->methods[methods]) methods++;
    while (reg->providers && reg->providers[providers]) providers++;
    return groups * (2 * problems + costs + tableaux + controllers + methods + providers +
                     (methods + 2 * providers) * problems + providers * costs);
}

bool plan_create(const struct sens_registry *reg, const struct verify_group *const *groups,
                 const struct verify_choice *choice, struct verify_plan *plan)
{
    struct planner planner = {reg, groups, choice, plan};
    const size_t most = upper_bound(&planner);
    *plan = (struct verify_plan){.unit = calloc(most ? most : 1, sizeof *plan->unit), .choice = *choice};
    if (!plan->unit) return false;
    add_everything(&planner);
    drop_the_rest(plan);
    return true;
}

void plan_free(struct verify_plan *plan)
{
    free(plan->unit);
    *plan = (struct verify_plan){.count = 0};
}
