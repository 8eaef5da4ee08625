/* From the words of the command to cells: the lists of the base make the groups, each --vs a contender of
 * every group. All of them are resolved here once, so that bad input is refused before anything is
 * measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#include "compare.h"
#include "truth.h"

enum { GROUPS_MAX = 10000, VALUE_TEXT = 1024 };

/* ---- lists --------------------------------------------------------------------------------------------- */

static size_t count_values(const char *list)
{
    size_t count = 1;
    for (; *list; list++) count += *list == ',';
    return count;
}

/* Value number `index` of a list; false when it is too long or empty. */
static bool pick_value(const char *list, size_t index, char value[VALUE_TEXT])
{
    for (; index > 0; index--) list += strcspn(list, ",") + 1;
    const size_t length = strcspn(list, ",");
    if (length == 0 || length >= VALUE_TEXT) return false;
    memcpy(value, list, length);
    value[length] = '\0';
    return true;
}

static bool count_groups(const struct spec *base, size_t *groups, struct bench_error *error)
{
    double combinations = 1; /* a product of counts may be more than any integer holds */
    for (size_t i = 0; i < base->count; i++) combinations *= (double)count_values(base->pair[i].value);
    if (combinations > GROUPS_MAX)
        return bench_refuse(error, "compare: %.0f combinations of values; at most %d", combinations,
                            GROUPS_MAX);
    *groups = (size_t)combinations;
    return true;
}

/* The base of one group, and in *keys what sets it apart: "n=5 tol=1e-9". */
static bool make_base(const struct spec *base, size_t group, struct spec *spec, char **keys,
                      struct bench_error *error)
{
    char text[VALUE_TEXT] = "", value[VALUE_TEXT];
    size_t after = 1; /* combinations of the keys that follow */
    for (size_t i = 0; i < base->count; i++) after *= count_values(base->pair[i].value);
    for (size_t i = 0; i < base->count; i++) {
        const struct spec_pair *pair = &base->pair[i];
        const size_t count = count_values(pair->value);
        after /= count;
        if (!pick_value(pair->value, group / after % count, value))
            return bench_refuse(error, "%s: %s=%.200s: an empty or too long value", pair->origin, pair->key,
                                pair->value);
        if (!spec_set(spec, pair->key, value, pair->origin, error)) return false;
        const size_t used = strlen(text);
        if (count > 1)
            snprintf(text + used, sizeof text - used, "%s%.63s=%.200s", used ? " " : "", pair->key, value);
    }
    *keys = strdup(text);
    return *keys || bench_refuse(error, "compare: no memory");
}

/* ---- changes ------------------------------------------------------------------------------------------- */

/* A key may stand in the base and be wanted by no one: method=cfsa ckpt= */
static bool change(struct spec *spec, const char *changes, struct bench_error *error)
{
    char origin[64], pair[VALUE_TEXT];
    snprintf(origin, sizeof origin, "--vs \"%.40s\"", changes);
    for (const char *word = changes + strspn(changes, " "); *word; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        char *equals = length < sizeof pair ? memcpy(pair, word, length) : NULL;
        if (equals) pair[length] = '\0', equals = strchr(pair, '=');
        if (!equals) return bench_refuse(error, "%s: '%.*s' is not key=value", origin, (int)length, word);
        *equals = '\0';
        if (!equals[1])
            spec_unset(spec, pair);
        else if (!spec_set(spec, pair, equals + 1, origin, error))
            return false;
        word += length;
    }
    return true;
}

/* "  a=1   b=2" as "a=1 b=2" */
static char *tidy(const char *changes)
{
    char *text = calloc(strlen(changes) + 1, 1), *end = text;
    for (const char *c = changes + strspn(changes, " "); text && *c;) {
        const size_t length = strcspn(c, " ");
        if (end > text) *end++ = ' ';
        memcpy(end, c, length);
        end += length;
        c += length;
        c += strspn(c, " ");
    }
    return text;
}

static bool tidy_all(struct compare_plan *plan, const char *const *vs, struct bench_error *error)
{
    for (size_t i = 0; i < plan->contenders; i++) {
        plan->changes[i] = tidy(i == 0 ? "" : vs[i - 1]);
        if (!plan->changes[i]) return bench_refuse(error, "compare: no memory");
        if (i > 0 && !plan->changes[i][0])
            return bench_refuse(error, "compare: --vs needs key=value, what differs from the base");
    }
    return true;
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

/* Only what no machine could do is refused; what is not there becomes the status of its contender. */
static bool check_cell(const struct spec *spec, bool with_truth, struct bench_error *error)
{
    struct sens_ctx ctx = {.now = NULL};
    struct bench_error message = {.text = ""};
    struct cell *cell = malloc(sizeof *cell);
    if (!cell) return bench_refuse(error, "compare: no memory");
    machine_prepare(&ctx, false);
    sens_status status = cell_resolve(&ctx, spec, cell, &message);
    struct truth truth;
    if (status == SENS_OK && with_truth) {
        status =
            cell->truth == TRUTH_NONE ? SENS_NO_TRUTH : truth_find(&ctx, cell, cell->truth, &truth, &message);
        if (status == SENS_OK && !truth.dGdp && !truth.dGdx0) status = SENS_NO_TRUTH;
        if (status == SENS_NO_TRUTH) {
            bench_refuse(error, "--error: no gradient to compare with: %.400s",
                         message.text[0] ? message.text : "truth=none");
            message = *error;
            status = SENS_BAD_INPUT;
        }
    }
    sens_arena_release(&ctx.arena);
    free(cell);
    if (status == SENS_BAD_INPUT) *error = message;
    return status != SENS_BAD_INPUT;
}

/* With errors to be reached there must be no tolerance, and a cell with the first of the ladder is
 * checked. */
static bool check(const struct spec *spec, bool calibrated, struct bench_error *error)
{
    static const char *const tolerance[] = {"tol", "rtol", "atol"};
    if (!calibrated) return check_cell(spec, false, error);
    for (size_t i = 0; i < spec->count; i++)
        for (int k = 0; k < 3; k++)
            if (strcmp(spec->pair[i].key, tolerance[k]) == 0)
                return bench_refuse(error, "%s: %s=%s: together with --error, which finds the tolerance",
                                    spec->pair[i].origin, spec->pair[i].key, spec->pair[i].value);
    struct spec tuned = {.count = 0};
    char tol[COMPARE_TOLERANCE];
    compare_rung_text(RUNG_LOOSEST, tol);
    const bool ok = (spec_copy(&tuned, spec) || bench_refuse(error, "compare: no memory")) &&
                    spec_set(&tuned, "tol", tol, "--error", error) && check_cell(&tuned, true, error);
    spec_free(&tuned);
    return ok;
}

/* One more list, of errors, the fastest of all. */
static bool add_target(struct compare_plan *plan, size_t group, double target, struct bench_error *error)
{
    char *former = plan->keys[group], text[VALUE_TEXT];
    snprintf(text, sizeof text, "%.900s%serror=%g", former, former[0] ? " " : "", target);
    plan->target[group] = target;
    plan->keys[group] = strdup(text);
    free(former);
    return plan->keys[group] || bench_refuse(error, "compare: no memory");
}

static bool fill(struct compare_plan *plan, const struct spec *base, const char *const *vs,
                 const struct compare_targets *targets, struct bench_error *error)
{
    const size_t errors = targets->count ? targets->count : 1;
    for (size_t g = 0; g < plan->groups; g++) {
        struct spec *spec = &plan->spec[g * plan->contenders];
        if (!make_base(base, g / errors, &spec[0], &plan->keys[g], error)) return false;
        plan->target[g] = NAN;
        if (targets->count && !add_target(plan, g, targets->error[g % errors], error)) return false;
        for (size_t i = 1; i < plan->contenders; i++) {
            if (!spec_copy(&spec[i], &spec[0])) return bench_refuse(error, "compare: no memory");
            if (!change(&spec[i], vs[i - 1], error)) return false;
        }
        for (size_t i = 0; i < plan->contenders; i++)
            if (g % errors == 0 && !check(&spec[i], targets->count > 0, error)) return false;
    }
    return true;
}

bool compare_plan_create(struct compare_plan *plan, const struct spec *base, size_t count,
                         const char *const *vs, const struct compare_targets *targets,
                         struct bench_error *error)
{
    static const struct compare_targets none = {.count = 0};
    *plan = (struct compare_plan){.contenders = count + 1};
    if (!count_groups(base, &plan->groups, error)) return false;
    if (!targets) targets = &none;
    if (targets->count) plan->groups *= targets->count;
    plan->target = calloc(plan->groups, sizeof *plan->target);
    plan->spec = calloc(plan->groups * plan->contenders, sizeof *plan->spec);
    plan->keys = calloc(plan->groups, sizeof *plan->keys);
    plan->changes = calloc(plan->contenders, sizeof *plan->changes);
    const bool ok = plan->spec && plan->keys && plan->changes && plan->target;
    if (!ok) bench_refuse(error, "compare: no memory for %zu groups", plan->groups);
    if (ok && tidy_all(plan, vs, error) && fill(plan, base, vs, targets, error)) return true;
    compare_plan_free(plan);
    return false;
}

void compare_plan_free(struct compare_plan *plan)
{
    for (size_t i = 0; plan->spec && i < plan->groups * plan->contenders; i++) spec_free(&plan->spec[i]);
    for (size_t g = 0; plan->keys && g < plan->groups; g++) free(plan->keys[g]);
    for (size_t i = 0; plan->changes && i < plan->contenders; i++) free(plan->changes[i]);
    free(plan->spec);
    free(plan->keys);
    free(plan->target);
    free(plan->changes);
    *plan = (struct compare_plan){.groups = 0};
}
