/* A cell: what a spec stands for, in the order modules, problem, cost, task, checks, names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"
#include "data_file.h"
#include "modules.h"
#include "names.h"
#include "override.h"
#include "peers.h"
#include "replace.h"
#include "tolerances.h"
#include "variants.h"

/* ---- the problem and its cost -------------------------------------------------------------------------- */

/* What create said, or what its status means. */
static sens_status refuse_create(struct resolution *re, sens_status status, const char *kind,
                                 const char *name)
{
    const char *message = re->ctx->message[0] ? re->ctx->message : sens_status_message(status);
    const struct spec_pair *given = resolve_given(re, kind);
    bench_refuse(re->error, "%s: %s=%s: %s", given ? given->origin : "default", kind, name, message);
    return status;
}

static bool override_t1(struct resolution *re)
{
    const struct spec_pair *given = resolve_given(re, "t1");
    struct sens_problem *pb = &re->cell->problem;
    struct key_value t1;
    if (!given) return true;
    const int T = sens_option_find(re->problem->options, "T");
    if (T >= 0 && re->table[OWNER_PROBLEM].given[T]) return refuse_pair(re->error, given, "together with T");
    if (!key_value(bench_key_find("t1"), given, &t1, re->error)) return false;
    if (!(t1.number > pb->t0))
        return refuse_pair(re->error, given, "out of range; allowed: more than t0 = %g", (double)pb->t0);
    if (t1.number - (double)pb->t0 < sens_interval_least((double)pb->t0, t1.number))
        return refuse_pair(re->error, given, "too near to t0 = %.17g; allowed: later by at least %.3g",
                           (double)pb->t0, sens_interval_least((double)pb->t0, t1.number));
    if (T >= 0) re->cell->problem_used[T].number = t1.number;
    pb->t1 = t1.number;
    return true;
}

/* The files that options of the cost name: of numbers, or of measurements by names, of the one experiment that its
 * option of this name says; with a likelihood each has to have its standard deviation. */
static sens_status read_cost_data(struct resolution *re)
{
    const struct resolve_table *table = &re->table[OWNER_COST];
    const int chosen = sens_option_find(table->options, "experiment");
    const int likelihood = sens_option_find(table->options, "likelihood");
    const struct data_wanted wanted = {.experiment = chosen >= 0 ? table->value[chosen].number : 0,
                                       .sigma = likelihood >= 0 && table->value[likelihood].number == 1};
    sens_status status = SENS_OK;
    for (size_t i = 0; i < sens_option_count(table->options) && status == SENS_OK; i++) {
        const struct spec_pair *given = table->given[i];
        if (!given || table->options[i].kind != SENS_OPT_DATA) continue;
        status = data_file_read(re->ctx, given, &re->cell->problem, &wanted, &table->value[i], re->error);
    }
    return status;
}

/* What is used of the options, as long as nothing takes their place. */
static sens_status copy_values(struct resolution *re)
{
    struct cell *const cell = re->cell;
    const size_t options = sens_option_count(re->problem->options);
    cell->problem_used = SENS_NEW(re->ctx, struct sens_value, options);
    if (!cell->problem_used) return SENS_NO_MEMORY;
    for (size_t o = 0; o < options; o++) cell->problem_used[o] = cell->problem_value[o];
    return SENS_OK;
}

static bool check_mass(const struct resolution *re)
{
    if (!re->cell->problem.mass || re->method->caps & SENS_CAP_MASS) return true;
    return refuse_pair(re->error, resolve_given(re, "method"),
                       "problem %s has a mass matrix, which this method does not take: discrete_adjoint, "
                       "discrete_tangent and finite_difference do",
                       re->problem->name);
}

static sens_status create_problem(struct resolution *re)
{
    struct cell *cell = re->cell;
    re->ctx->message[0] = '\0';
    sens_status status = sens_problem_create(re->ctx, re->problem, cell->problem_value, &cell->problem);
    if (status == SENS_OK) status = copy_values(re);
    if (status != SENS_OK) return refuse_create(re, status, "problem", re->problem->name);
    if (!check_mass(re)) return SENS_BAD_INPUT;
    status = override_numbers(re);
    if (status != SENS_OK) return status;
    if (!override_t1(re)) return SENS_BAD_INPUT;
    status = read_cost_data(re);
    if (status != SENS_OK) return status;
    status = replace_parts(re);
    if (status != SENS_OK) return status;
    cell->cost_option = re->cost->options;
    status = sens_cost_create(re->ctx, re->cost, cell->cost_value, &cell->problem, &cell->cost);
    if (status == SENS_OK) status = replace_gradients(re);
    return status == SENS_OK ? status : refuse_create(re, status, "cost", re->cost->name);
}

/* ---- the task ------------------------------------------------------------------------------------------ */

bool cell_is_fixed(const struct cell *cell)
{
    return (cell->method->caps & SENS_CAP_CONTROLLER) && !cell->task.controller->adaptive;
}

/* K of NAME:K. */
static bool policy_number(const struct resolution *re, const struct spec_pair *given, char *text, long *k)
{
    const struct bench_key *const key = bench_key_find("ckpt");
    struct spec_pair number = *given;
    struct key_value value;
    struct bench_error reason;
    number.value = text;
    if (!key_value(key, &number, &value, &reason) || value.word >= 0)
        return refuse_pair(re->error, given, "behind the colon belongs a whole number from %.10g to %.10g",
                           key->min, key->max);
    *k = (long)value.number;
    return true;
}

/* A policy by its name, with `rest` behind it: ":K" where the policy takes a number. */
static bool set_policy(struct resolution *re, const struct spec_pair *given,
                       const struct sens_ckpt_policy *policy, char *rest)
{
    long k = 0;
    if (policy->numbered != (rest[0] == ':'))
        return refuse_pair(re->error, given, policy->numbered ? "needs a number: %s:K" : "%s takes no number",
                           policy->name);
    if (policy->numbered && !policy_number(re, given, rest + 1, &k)) return false;
    re->cell->task.ckpt = (struct sens_ckpt){policy, k};
    return true;
}

/* No policy, no number, no `states`. */
static bool refuse_policy(const struct resolution *re, const struct spec_pair *given)
{
    struct variant_names names;
    variant_names(re->cell->variant, "ckpt", &names);
    const char *const near = nearest_name(given->value, names.name, names.count);
    return refuse_pair(re->error, given,
                       "is no checkpoint policy and no whole number%s%s; see sensbench list policies",
                       near ? "; did you mean " : "", near ? near : "");
}

/* `states` is every:1, and a number K is every:K. */
static bool set_ckpt(struct resolution *re)
{
    const struct spec_pair *given = resolve_given(re, "ckpt");
    struct key_value plain;
    if (!given) return true; /* the first of all */
    for (const struct sens_ckpt_policy *const *policy = re->cell->variant->ckpt_policies; *policy; policy++) {
        const size_t length = strlen((*policy)->name);
        if (strncmp(given->value, (*policy)->name, length) == 0 &&
            (!given->value[length] || given->value[length] == ':'))
            return set_policy(re, given, *policy, given->value + length);
    }
    if (strcmp(given->value, "states") != 0 && !strchr("+-.0123456789", given->value[0]))
        return refuse_policy(re, given);
    if (!resolve_value(re, "ckpt", &plain)) return false;
    re->cell->task.ckpt =
        (struct sens_ckpt){find_policy(re->cell->variant, "every"), plain.word < 0 ? (long)plain.number : 1};
    return true;
}

static bool set_steps(struct resolution *re)
{
    struct sens_task *task = &re->cell->task;
    struct key_value dt, max_steps;
    if (!resolve_value(re, "dt", &dt) || !resolve_value(re, "max_steps", &max_steps) || !set_ckpt(re))
        return false;
    if (cell_is_fixed(re->cell) && dt.word >= 0)
        return refuse_pair(re->error, resolve_given(re, "controller"), "needs a step: dt=NUMBER");
    task->dt = dt.word < 0 ? dt.number : 0;
    task->max_steps = (long)max_steps.number;
    return true;
}

static bool set_counts(struct resolution *re)
{
    struct sens_task *task = &re->cell->task;
    struct key_value lanes, threads, batch, seed;
    if (!resolve_value(re, "lanes", &lanes) || !resolve_value(re, "threads", &threads) ||
        !resolve_value(re, "batch", &batch) || !resolve_value(re, "sample_seed", &seed))
        return false;
    task->lanes = lanes.word < 0 ? (int)lanes.number : 0;
    task->threads = replace_one_thread(re->cell) ? 1 : threads.word < 0 ? (int)threads.number : 0;
    task->batch = batch.word < 0 ? (int)batch.number : 0;
    re->cell->seed = (unsigned long)seed.number;
    return true;
}

static bool set_wrt(struct resolution *re)
{
    static const unsigned meaning[] = {0, SENS_WRT_P, SENS_WRT_X0,
                                       SENS_WRT_P | SENS_WRT_X0}; /* auto p x0 both */
    struct cell *cell = re->cell;
    struct key_value wrt, truth, product;
    if (!resolve_value(re, "wrt", &wrt) || !resolve_value(re, "truth", &truth) ||
        !resolve_value(re, "product", &product))
        return false;
    cell->product = (enum bench_product)product.word;
    cell->truth = (enum bench_truth)truth.word;
    unsigned by = meaning[wrt.word];
    if (!by && cell->problem.np == 0) by = SENS_WRT_X0;
    if (!by) by = re->problem->many_states ? SENS_WRT_P : SENS_WRT_P | SENS_WRT_X0;
    cell->task.parts = sens_method_parts(re->method, by);
    if (!(by & SENS_WRT_P) || cell->problem.np > 0) return true;
    return refuse_pair(re->error, resolve_given(re, "wrt"), "problem %s has no parameters",
                       re->problem->name);
}

static bool set_task(struct resolution *re)
{
    struct sens_task *task = &re->cell->task;
    task->method = re->method;
    task->problem = &re->cell->problem;
    task->cost = &re->cell->cost;
    task->option = re->cell->method_value;
    return set_steps(re) && set_counts(re) && set_wrt(re);
}

/* ---- what contradicts ---------------------------------------------------------------------------------- */

/* A key that the method takes no notice of. Every method runs on one thread: that may be asked of all. */
static bool check_caps(const struct resolution *re)
{
    for (const struct bench_key *key = bench_keys(); key->name; key++) {
        const struct spec_pair *given = resolve_given(re, key->name);
        if (given && key->caps == SENS_CAP_THREADS && strcmp(given->value, "1") == 0) continue;
        if (given && (key->caps & ~re->method->caps))
            return refuse_pair(re->error, given, "method %s takes no notice of %s", re->method->name,
                               key->name);
    }
    return true;
}

/* All methods need them, difference quotients for what they are compared with. */
static bool check_products(const struct resolution *re)
{
    return re->cell->problem.type->vjp || (re->check_only && re->cell->provider) ||
           bench_refuse(re->error,
                        "problem=%s: it has no derivative products of its own; name who makes them: "
                        "vjp=NAME, see sensbench list providers",
                        re->problem->name);
}

static bool check_estimate(const struct resolution *re)
{
    const struct cell *cell = re->cell;
    const struct spec_pair *given = resolve_given(re, "tableau");
    if (cell_is_fixed(cell) || cell->task.tableau->e) return true;
    if (!(cell->method->caps & SENS_CAP_TABLEAU) || !(cell->method->caps & SENS_CAP_CONTROLLER)) return true;
    return refuse_pair(re->error, given,
                       "no error estimate, which controller=%s needs; use controller=fixed dt=NUMBER",
                       cell->task.controller->name);
}

static bool check_cost(const struct resolution *re)
{
    const struct sens_cost *cost = &re->cell->cost;
    bool inside = false;
    for (size_t j = 0; j < cost->n_obs; j++) inside = inside || cost->t_obs[j] < re->cell->problem.t1;
    if (cost->type->g && !(re->method->caps & SENS_CAP_RUNNING_COST))
        return bench_refuse(re->error, "cost=%s: method %s cannot do a running cost", re->cost->name,
                            re->method->name);
    return !inside || (re->method->caps & SENS_CAP_OBSERVATIONS) ||
           bench_refuse(re->error, "cost=%s: method %s cannot do observations before t1", re->cost->name,
                        re->method->name);
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* Of a model what is not the default alone: it may have more options than fit, and a reference says itself
 * which problem it is of (fingerprint.h). So of a cost that is another type than was asked for (cost=own without
 * integrals): stored references are named without its options. */
static bool append_options(struct cell *cell, const struct sens_option *option,
                           const struct sens_value *value)
{
    const bool replaced = option == cell->cost_option && cell->cost.type->options != option;
    const bool all = !replaced && (!cell->problem.type->model || option != cell->problem.type->options);
    char shown[RANGE_TEXT];
    bool fits = true;
    for (size_t i = 0; fits && i < sens_option_count(option); i++) {
        if (value[i].count) return false; /* numbers of a file have no name */
        if (option[i].kind == SENS_OPT_DATA || (!all && value[i].number == option[i].fallback)) continue;
        fits = append(cell->reference_key, sizeof cell->reference_key, " %s=%s", option[i].name,
                      option_text(&option[i], value[i].number, shown));
    }
    return fits;
}

/* "glv n=5 ... t1=10 cost=identity ...": all that the exact solution depends on, whatever the method. */
static void name_reference(struct cell *cell)
{
    char t1[NUMBER_TEXT], *key = cell->reference_key;
    const size_t size = sizeof cell->reference_key;
    const bool named = !cell->params_file[0] && !cell->x0_file[0] &&
                       append(key, size, "%s", cell->problem.type->name) &&
                       append_options(cell, cell->problem.type->options, cell->problem_value) &&
                       append(key, size, " t1=%s", number_text((double)cell->problem.t1, t1)) &&
                       append(key, size, " cost=%s", cell->cost.type->name) &&
                       append_options(cell, cell->cost_option, cell->cost_value);
    if (!named) key[0] = '\0';
}

/* What sets a curve of a method apart from its others: the tableau, the options of the method that were given
 * (the first of its table by the value alone), the track. Joined by commas; cut where it is too long. */
static void name_series(const struct resolution *re)
{
    struct cell *cell = re->cell;
    const struct resolve_table *table = &re->table[OWNER_METHOD];
    const size_t size = sizeof cell->series;
    char shown[RANGE_TEXT];
    if (re->method->caps & SENS_CAP_TABLEAU) append(cell->series, size, "%s", cell->task.tableau->name);
    for (size_t i = 0; i < sens_option_count(table->options); i++) {
        const struct sens_option *option = &table->options[i];
        if (!table->given[i] || option->kind == SENS_OPT_DATA) continue;
        append(cell->series, size, "%s%s%s%s", cell->series[0] ? "," : "", i ? option->name : "",
               i ? "=" : "", option_text(option, table->value[i].number, shown));
    }
    if (cell->provider)
        append(cell->series, size, "%svjp=%s", cell->series[0] ? "," : "", cell->provider->name);
    if (cell->asked_rhs) append(cell->series, size, "%srhs=generated", cell->series[0] ? "," : "");
    if (cell->compiled_steps) append(cell->series, size, "%sengine=compiled", cell->series[0] ? "," : "");
    if (cell->controlled) append(cell->series, size, "%scontrolled", cell->series[0] ? "," : "");
}

static void name_cell(const struct resolution *re)
{
    char *identity = spec_identity(re->spec);
    snprintf(re->cell->text, sizeof re->cell->text, "%s", identity ? identity : "");
    free(identity);
    name_reference(re->cell);
    name_series(re);
}

static sens_status resolve(struct sens_ctx *ctx, const struct spec *spec, bool check_only, struct cell *cell,
                           struct bench_error *error)
{
    struct resolution re = {.ctx = ctx, .spec = spec, .cell = cell, .error = error, .check_only = check_only};
    *cell = (struct cell){.variant = NULL};
    error->text[0] = '\0';
    sens_status status = resolve_modules(&re);
    if (status != SENS_OK) return status;
    if (!check_caps(&re)) return SENS_BAD_INPUT;
    status = create_problem(&re);
    if (status != SENS_OK) return status;
    status = resolve_tolerances(&re);
    if (status != SENS_OK) return status;
    if (!check_products(&re) || !set_task(&re) || !check_estimate(&re) || !check_cost(&re))
        return SENS_BAD_INPUT;
    name_cell(&re);
    return SENS_OK;
}

sens_status cell_resolve(struct sens_ctx *ctx, const struct spec *spec, struct cell *cell,
                         struct bench_error *error)
{
    return resolve(ctx, spec, false, cell, error);
}

sens_status cell_check(struct sens_ctx *ctx, const struct spec *spec, struct bench_error *error)
{
    struct cell cell;
    return resolve(ctx, spec, true, &cell, error);
}

struct sens_part_shape cell_part(const struct cell *cell, enum sens_part part)
{
    return sens_part_shape(part, cell->problem.n, cell->problem.np, cell->cost.m);
}

sens_status cell_out_create(struct sens_ctx *ctx, const struct cell *cell, struct sens_out *out)
{
    struct sens_out made = {.x = NULL};
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(cell, k);
        if (!sens_task_asks(&cell->task, k)) continue;
        made.part[k] = SENS_NEW(ctx, sens_real, shape.rows * shape.cols);
        if (!made.part[k]) return SENS_NO_MEMORY;
    }
    *out = made;
    return SENS_OK;
}
