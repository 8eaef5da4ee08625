/* Units, their session, and the making of results. */
#include <gsl/gsl_randist.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- units --------------------------------------------------------------------------------------------- */

void verify_unit_name(const struct verify_unit *unit, char *name)
{
    const char *const method = unit->method ? unit->method->name : NULL;
    const char *const problem = unit->problem ? unit->problem->name : NULL;
    const char *const cost = unit->cost ? unit->cost->name : NULL;
    if (unit->provider)
        snprintf(name, VERIFY_SUBJECT, "provider %s%s%s", unit->provider->name,
                 problem ? " on problem "
                 : cost  ? " on cost "
                         : "",
                 problem ? problem
                 : cost  ? cost
                         : "");
    else if (method && problem)
        snprintf(name, VERIFY_SUBJECT, "method %s on problem %s", method, problem);
    else if (method)
        snprintf(name, VERIFY_SUBJECT, "method %s", method);
    else if (problem)
        snprintf(name, VERIFY_SUBJECT, "problem %s", problem);
    else if (cost)
        snprintf(name, VERIFY_SUBJECT, "cost %s", cost);
    else if (unit->controller)
        snprintf(name, VERIFY_SUBJECT, "controller %s", unit->controller->name);
    else
        snprintf(name, VERIFY_SUBJECT, "tableau %s", unit->tableau ? unit->tableau->name : "");
}

void verify_unit_module(const struct verify_unit *unit, char module[VERIFY_NAME])
{
    char name[VERIFY_SUBJECT];
    struct verify_unit alone = *unit;
    if (alone.method || alone.provider) alone.problem = NULL;
    if (alone.provider) alone.cost = NULL;
    verify_unit_name(&alone, name);
    snprintf(module, VERIFY_NAME, "%.*s", VERIFY_NAME - 1, name);
}

/* FNV-1a, so that a unit draws the same numbers whatever else is run. */
static unsigned long hash(unsigned long start, const char *text)
{
    unsigned long h = start ^ 2166136261UL;
    for (; *text; text++) h = ((h ^ (unsigned char)*text) * 16777619UL) & 0xffffffffUL;
    return h;
}

struct session { /* around a unit: where to go when memory is refused */
    struct verify *v;
    jmp_buf no_memory;
};

/* The unit at work in this thread; verify_memory leaves through it. */
static _Thread_local struct session *session;

sens_status verify_run_unit(const struct verify_unit *unit, struct verify *v)
{
    char name[VERIFY_SUBJECT];
    verify_unit_name(unit, name);
    v->problem = unit->problem;
    v->cost = unit->cost;
    v->method = unit->method;
    v->tableau = unit->tableau;
    v->controller = unit->controller;
    v->provider = unit->provider;
    verify_unit_module(unit, v->module);
    v->offers_found = false, v->offers = 0;
    v->rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!v->rng) return SENS_NO_MEMORY;
    gsl_rng_set(v->rng, hash(hash(v->seed, unit->group->name), name));
    struct session here = {.v = v};
    struct session *const outer = session;
    volatile sens_status status = SENS_OK;
    session = &here;
    if (setjmp(here.no_memory) == 0)
        unit->group->run(v);
    else
        status = SENS_NO_MEMORY;
    session = outer;
    gsl_rng_free(v->rng);
    v->rng = NULL;
    sens_arena_release(&v->ctx.arena);
    return status;
}

/* ---- comparisons --------------------------------------------------------------------------------------- */

/* value / bound, with 0 / 0 = 0 and infinity for what is no number. */
static double ratio(double value, double bound)
{
    if (!isfinite(value) || isnan(bound)) return INFINITY;
    if (value <= 0) return 0;
    return bound > 0 ? value / bound : INFINITY;
}

static void note(struct worst *worst, unsigned part, double value, double bound, const char *format,
                 va_list arguments)
{
    if (isfinite(value) && isinf(bound)) {
        worst->unbounded++;
        return;
    }
    const bool first = worst->count++ == 0;
    if (!(ratio(value, bound) <= 1)) worst->parts |= part;
    if (!first && !(ratio(value, bound) > ratio(worst->value, worst->bound))) return;
    vsnprintf(worst->where, sizeof worst->where, format, arguments);
    worst->value = value;
    worst->bound = bound;
}

void worst_note(struct worst *worst, double value, double bound, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(worst, SENS_IN_OTHER, value, bound, format, arguments);
    va_end(arguments);
}

void worst_note_in(struct worst *worst, unsigned part, double value, double bound, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(worst, part, value, bound, format, arguments);
    va_end(arguments);
}

bool worst_passes(const struct worst *worst)
{
    return ratio(worst->value, worst->bound) <= 1;
}

/* ---- results ------------------------------------------------------------------------------------------- */

struct verify_result verify_open(const char *check, const char *module, const char *subject)
{
    struct verify_result result = {.verdict = VERIFY_PASS, .value = NAN, .bound = NAN};
    snprintf(result.check, sizeof result.check, "%s", check);
    snprintf(result.module, sizeof result.module, "%s", module);
    snprintf(result.subject, sizeof result.subject, "%s", subject);
    return result;
}

static void say(struct verify_result *result, const char *format, va_list arguments)
{
    const size_t used = strlen(result->text);
    const char *const gap = used ? "; " : "";
    const int length = snprintf(result->text + used, sizeof result->text - used, "%s", gap);
    const size_t start = used + (size_t)length;
    if (start < sizeof result->text)
        vsnprintf(result->text + start, sizeof result->text - start, format, arguments);
}

void verify_say(struct verify_result *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(result, format, arguments);
    va_end(arguments);
}

void verify_fail(struct verify_result *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result->verdict = VERIFY_FAIL;
    say(result, format, arguments);
    va_end(arguments);
}

void verify_skip(struct verify_result *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result->verdict = VERIFY_SKIP;
    say(result, format, arguments);
    va_end(arguments);
}

void verify_judge(struct verify_result *result, const struct worst *worst)
{
    if (worst->count == 0) {
        if (worst->unbounded)
            verify_skip(result,
                        "no bound is finite: what is allowed moves each number by as much as its size");
        else
            verify_skip(result, "no case applies to this module");
        return;
    }
    result->value = worst->value;
    result->bound = worst->bound;
    result->parts = worst->parts;
    if (!worst_passes(worst))
        verify_fail(result, "%s: found %.3g, allowed %.3g", worst->where, worst->value, worst->bound);
}

void verify_judge_or(struct verify_result *result, const struct worst *worst, const char *why)
{
    if (worst->count == 0 && worst->unbounded == 0)
        verify_skip(result, "%s", why);
    else
        verify_judge(result, worst);
}

void verify_blame(struct verify_result *result, enum cause cause, double weight)
{
    const char *const name = cause_name(cause);
    int i = 0;
    if (!(weight > 0)) return;
    while (i < result->blames && strcmp(result->blame[i].cause, name) != 0) i++;
    if (i < result->blames && result->blame[i].weight >= weight) return;
    if (i == VERIFY_BLAMES && result->blame[--i].weight >= weight) return;
    if (i == result->blames) result->blames++;
    for (; i > 0 && result->blame[i - 1].weight < weight; i--) result->blame[i] = result->blame[i - 1];
    snprintf(result->blame[i].cause, sizeof result->blame[i].cause, "%s", name);
    result->blame[i].weight = weight;
}

/* The method whose module the result is of; NULL: another kind of module. */
static const struct sens_method_type *method_of(const struct verify *v, const struct verify_result *result)
{
    static const char kind[] = "method ";
    if (strncmp(result->module, kind, sizeof kind - 1) != 0) return NULL;
    for (size_t k = 0; v->reg && v->reg->methods && v->reg->methods[k]; k++)
        if (strcmp(v->reg->methods[k]->name, result->module + sizeof kind - 1) == 0)
            return v->reg->methods[k];
    return v->method;
}

/* Takes out the causes that the method cannot have. */
static void drop_impossible(const struct verify *v, struct verify_result *result)
{
    const struct sens_method_type *const method = v->method ? method_of(v, result) : NULL;
    int kept = 0;
    for (int i = 0; i < result->blames; i++)
        if (cause_possible(result->blame[i].cause, method, v->reintegrates))
            result->blame[kept++] = result->blame[i];
    result->blames = kept;
}

void verify_close(struct verify *v, struct verify_result *result)
{
    drop_impossible(v, result);
    const struct sens_method_type *const method = method_of(v, result);
    if (method) limits_apply(v, method, result);
    if (result->verdict != VERIFY_FAIL) result->blames = 0;
    if (result->verdict == VERIFY_PASS) result->text[0] = '\0';
    v->emit(v->self, result);
}

void verify_skip_check(struct verify *v, const char *check, const char *module, const char *subject,
                       const char *reason)
{
    struct verify_result result = verify_open(check, module, subject);
    verify_skip(&result, "%s", reason);
    verify_close(v, &result);
}

void verify_not_varied(struct verify *v, const char *check, const char *module, const char *subject,
                       const char *words)
{
    struct verify_result result = verify_open(check, module, subject);
    verify_skip(&result, "not varied: %s", words);
    verify_close(v, &result);
}

const struct verify_check *verify_find_check(const struct verify_group *const *groups, const char *id)
{
    for (size_t g = 0; groups[g]; g++)
        for (const struct verify_check *check = groups[g]->checks; check->id; check++)
            if (strcmp(check->id, id) == 0) return check;
    return NULL;
}

void verify_module(const char *kind, const char *name, char module[VERIFY_NAME])
{
    snprintf(module, VERIFY_NAME, "%s %s", kind, name);
}

/* ---- options ------------------------------------------------------------------------------------------- */

bool verify_held(const struct verify *v, const struct sens_option *option)
{
    for (size_t i = 0; v->held && v->held[i]; i++)
        if (v->held[i] == option) return true;
    return false;
}

double verify_towards(const struct sens_option *option, double end, double far)
{
    const double usual = fabs(option->fallback), most = (usual == 0 ? 1 : usual) * far;
    return end == 0 ? 0 : copysign(fmin(fmax(fabs(end), usual / far), most), end);
}

void verify_name_held(const struct verify *v, const struct sens_option *table, const char *separator,
                      size_t size, char *text)
{
    for (size_t i = 0; i < sens_option_count(table); i++) {
        const struct sens_option *const option = &table[i];
        const size_t used = strlen(text);
        if (!verify_held(v, option)) continue;
        if (option->kind == SENS_OPT_CHOICE)
            snprintf(text + used, size - used, "%s%s=%s", separator, option->name,
                     option->choices[(size_t)option->fallback]);
        else
            snprintf(text + used, size - used, "%s%s=%.17g", separator, option->name, option->fallback);
    }
}

/* ---- memory and random numbers ------------------------------------------------------------------------- */

void *verify_memory(struct verify *v, size_t count, size_t size)
{
    void *made = sens_arena_alloc(&v->ctx.arena, count ? count : 1, size);
    if (!made) longjmp(session->no_memory, 1);
    return made;
}

double *verify_array(struct verify *v, size_t count)
{
    return verify_memory(v, count, sizeof(double));
}

double *verify_copy(struct verify *v, size_t count, const double *from)
{
    double *made = verify_array(v, count);
    if (count) memcpy(made, from, count * sizeof *made);
    return made;
}

double *verify_random(struct verify *v, size_t count)
{
    double *made = verify_array(v, count);
    for (size_t i = 0; i < count; i++) made[i] = gsl_ran_gaussian_ziggurat(v->rng, 1);
    return made;
}

double *verify_perturbed(struct verify *v, size_t count, const double *from, double amount)
{
    double *made = verify_array(v, count), mean = 0;
    for (size_t i = 0; i < count; i++) mean += fabs(from[i]) / (double)count;
    if (mean == 0) mean = 1;
    for (size_t i = 0; i < count; i++)
        made[i] =
            from[i] + amount * gsl_ran_gaussian_ziggurat(v->rng, 1) * (from[i] != 0 ? fabs(from[i]) : mean);
    return made;
}

double verify_uniform(struct verify *v, double low, double high)
{
    return gsl_ran_flat(v->rng, low, high);
}

long verify_integer(struct verify *v, long low, long high)
{
    return low + (long)gsl_rng_uniform_int(v->rng, (unsigned long)(high - low + 1));
}

/* ---- what is derived ------------------------------------------------------------------------------------ */

const struct sens_provider *verify_deriver(const struct verify *v)
{
    for (size_t i = 0; v->reg->providers && v->reg->providers[i]; i++)
        if (strcmp(v->reg->providers[i]->name, "tape") == 0) return v->reg->providers[i];
    return NULL;
}

sens_status verify_create_cost(struct verify *v, const struct sens_cost_type *type,
                               const struct sens_value *value, const struct sens_problem *problem,
                               struct sens_cost *cost)
{
    const struct sens_provider *deriver = v->cost && v->provider ? v->provider : verify_deriver(v);
    const struct sens_provider_request request = {.inner = problem, .variant = v->reg, .threads = 1};
    const sens_status status = sens_cost_create(&v->ctx, type, value, problem, cost);
    const bool wanted = (v->cost && v->provider) || sens_gradients_lack(type);
    if (status != SENS_OK || !wanted) return status;
    return deriver ? deriver->wrap_cost(&v->ctx, &request, cost, cost)
                   : sens_fail(&v->ctx, SENS_UNSUPPORTED, "cost %s: there is nothing to derive its gradients",
                               type->name);
}
