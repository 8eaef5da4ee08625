/* Descriptions of modules, from their own tables and from an instance with default options. */
#include "show.h"

#include <stdio.h>
#include <string.h>

#include "json.h"
#include "modules.h"
#include "values.h"
#include "variants.h"

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text && text[0]) json_object_set_new(object, key, json_of_text(text));
}

static json_t *describe(const char *kind, const char *name, const char *summary)
{
    json_t *object = json_object();
    set_text(object, "kind", kind);
    set_text(object, "name", name);
    set_text(object, "summary", summary);
    return object;
}

static json_t *describe_option(const struct sens_option *option)
{
    static const char *const kinds[] = {[SENS_OPT_INT] = "int",
                                        [SENS_OPT_REAL] = "real",
                                        [SENS_OPT_CHOICE] = "choice",
                                        [SENS_OPT_DATA] = "file"};
    char text[RANGE_TEXT];
    json_t *object = json_object();
    set_text(object, "name", option->name);
    set_text(object, "kind", kinds[option->kind]);
    set_text(object, "default", option_text(option, option->fallback, text));
    set_text(object, "range", option_range(option, text));
    set_text(object, "help", option->help);
    return object;
}

static void add_options(json_t *object, const struct sens_option *options)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sens_option_count(options); i++)
        json_array_append_new(array, describe_option(&options[i]));
    json_object_set_new(object, "options", array);
}

/* ---- problems ------------------------------------------------------------------------------------------ */

/* The levels at which this instance has a closed form, as a list of names. */
static json_t *closed_forms(struct sens_ctx *ctx, const struct sens_registry *reg,
                            const struct sens_problem *pb)
{
    static const char *const level[] = {
        [SENS_EXACT_PDE] = "pde", [SENS_EXACT_ODE] = "ode", [SENS_EXACT_DISCRETE] = "discrete"};
    json_t *array = json_array();
    sens_real *x = SENS_NEW(ctx, sens_real, pb->n);
    for (int k = 0; pb->type->exact && x && k < 3; k++) {
        const struct sens_exact_query query = {.level = (enum sens_exact_level)k,
                                               .t = pb->t1,
                                               .tableau = reg->tableaux[0],
                                               .dt = (pb->t1 - pb->t0) / 16};
        if (pb->type->exact(pb, &query, pb->p, x, NULL, NULL))
            json_array_append_new(array, json_string(level[k]));
    }
    return array;
}

/* What the instance declares of its derivatives, as a list of texts. */
static json_t *structure(const struct sens_problem *pb)
{
    const struct sens_structure *declared = sens_structure_of(pb);
    char text[96];
    json_t *array = json_array();
    if (declared->sparsity) {
        snprintf(text, sizeof text, "sparse df/dx (%zu entries of %zu)", declared->sparsity->start[pb->n],
                 pb->n * pb->n);
        json_array_append_new(array, json_string(text));
    } else if (declared->jacobian) {
        json_array_append_new(array, json_string("dense df/dx"));
    }
    if (declared->jacobian_constant)
        json_array_append_new(array, json_string("df/dx the same for all t and x"));
    if (declared->coupling)
        json_array_append_new(array, json_string("df/dx = diag(d) + diag(s) M with one M for all points"));
    if (declared->outer) {
        snprintf(text, sizeof text, "outer products for df/dp (%zu block%s)", declared->n_blocks,
                 declared->n_blocks == 1 ? "" : "s");
        json_array_append_new(array, json_string(text));
    }
    if (declared->jacobian_p) {
        snprintf(text, sizeof text, "sparse df/dp (%zu entries of %zu)", declared->sparsity_p->start[pb->np],
                 pb->np * pb->n);
        json_array_append_new(array, json_string(text));
    }
    return array;
}

/* Sizes and times of the instance with default options. */
static void add_instance(json_t *object, const struct sens_registry *reg,
                         const struct sens_problem_type *type)
{
    struct sens_ctx ctx = {.now = NULL};
    struct sens_problem pb;
    struct sens_value *value = SENS_NEW(&ctx, struct sens_value, sens_option_count(type->options));
    if (value) sens_option_defaults(type->options, value);
    if (value && sens_problem_create(&ctx, type, value, &pb) == SENS_OK) {
        json_object_set_new(object, "n", json_integer((json_int_t)pb.n));
        json_object_set_new(object, "np", json_integer((json_int_t)pb.np));
        json_object_set_new(object, "t0", json_real((double)pb.t0));
        json_object_set_new(object, "t1", json_real((double)pb.t1));
        json_object_set_new(object, "closed_forms", closed_forms(&ctx, reg, &pb));
        json_object_set_new(object, "structure", structure(&pb));
        set_text(object, "initial_state",
                 sens_problem_x0_depends(&pb) ? "depends on the parameters" : "free (x0=FILE)");
    }
    set_text(object, "wrt", type->many_states ? "p by default" : "both by default");
    sens_arena_release(&ctx.arena);
}

static json_t *describe_problem(const struct sens_registry *reg, const struct sens_problem_type *type)
{
    json_t *object = describe("problem", type->name, type->summary);
    set_text(object, "reference", type->reference);
    add_instance(object, reg, type);
    add_options(object, type->options);
    return object;
}

/* ---- costs, methods, tableaux, controllers ------------------------------------------------------------- */

static json_t *describe_cost(const struct sens_cost_type *type)
{
    json_t *object = describe("cost", type->name, type->summary);
    set_text(object, "needs", type->g ? "a method that can do a running cost" : NULL);
    add_options(object, type->options);
    return object;
}

static json_t *capabilities(unsigned caps)
{
    json_t *array = json_array();
    if (caps & SENS_CAP_RUNNING_COST) json_array_append_new(array, json_string("running costs"));
    if (caps & SENS_CAP_OBSERVATIONS) json_array_append_new(array, json_string("observations before t1"));
    if (caps & SENS_CAP_IMPLICIT) json_array_append_new(array, json_string("implicit tableaux"));
    return array;
}

static json_t *keys_noticed(unsigned caps)
{
    json_t *array = json_array();
    for (const struct bench_key *key = bench_keys(); key->name; key++)
        if (key->caps & caps) json_array_append_new(array, json_string(key->name));
    return array;
}

static json_t *describe_method(const struct sens_method_type *type)
{
    static const char *const derivative[] = {
        [SENS_DERIVATIVE_DISCRETE] =
            "of the discrete map on its accepted steps, to rounding or what an iteration leaves",
        [SENS_DERIVATIVE_CONTINUOUS] = "of the exact solution, to the tolerance",
        [SENS_DERIVATIVE_DIFFERENCE] = "a difference quotient of discrete solutions"};
    json_t *object = describe("method", type->name, type->summary);
    set_text(object, "reference", type->reference);
    set_text(object, "library", type->library ? type->library(type) : NULL);
    set_text(object, "derivative", derivative[type->derivative]);
    json_object_set_new(object, "can_do", capabilities(type->caps));
    json_object_set_new(object, "keys", keys_noticed(type->caps));
    add_options(object, type->options);
    return object;
}

static const char *const family[SENS_FAMILIES] = {
    [SENS_FAMILY_EXPLICIT] = "explicit",
    [SENS_FAMILY_DIRK] = "diagonally implicit",
    [SENS_FAMILY_FIRK] = "fully implicit",
    [SENS_FAMILY_ROSENBROCK] = "Rosenbrock",
    [SENS_FAMILY_SWITCHED] = "explicit or diagonally implicit, step by step",
};

static json_t *describe_tableau(const struct sens_tableau *tableau)
{
    json_t *object = describe("tableau", tableau->name, tableau->summary);
    set_text(object, "source", tableau->source);
    json_object_set_new(object, "stages", json_integer(tableau->stages));
    json_object_set_new(object, "order", json_integer(tableau->order));
    if (tableau->e) json_object_set_new(object, "embedded_order", json_integer(tableau->order_hat));
    set_text(object, "error_estimate", tableau->e ? NULL : "none: controller=fixed only");
    const bool implicit = tableau->family != SENS_FAMILY_EXPLICIT;
    set_text(object, "family", family[tableau->family]);
    set_text(object, "last_stage",
             !tableau->fsal ? NULL
             : implicit     ? "is the next state: stiffly accurate"
                            : "is the first of the next step");
    json_object_set_new(object, "dense_output_order", json_integer(tableau->dense_order));
    set_text(object, "dense_output", tableau->dense_degree ? "of its own" : "cubic Hermite");
    return object;
}

json_t *show_describe(const struct sens_registry *reg, const char *name)
{
    json_t *found = json_array();
    const struct sens_problem_type *problem = find_problem(reg, name);
    const struct sens_cost_type *cost = find_cost(reg, name);
    const struct sens_method_type *method = find_method(reg, name);
    const struct sens_tableau *tableau = find_tableau(reg, name);
    const struct sens_controller *controller = find_controller(reg, name);
    const struct sens_ckpt_policy *policy = find_policy(reg, name);
    if (problem) json_array_append_new(found, describe_problem(reg, problem));
    if (cost) json_array_append_new(found, describe_cost(cost));
    if (method) json_array_append_new(found, describe_method(method));
    if (tableau) json_array_append_new(found, describe_tableau(tableau));
    if (controller) json_array_append_new(found, describe("controller", name, controller->summary));
    if (policy) json_array_append_new(found, describe("checkpoint policy", name, policy->summary));
    return found;
}

size_t show_names(const struct sens_registry *reg, const char **name, size_t max)
{
    static const char *const kind[] = {"problem", "cost", "method", "tableau", "controller"};
    size_t count = 0;
    for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++) {
        struct variant_names names;
        variant_names(reg, kind[k], &names);
        for (size_t i = 0; i < names.count && count < max; i++) name[count++] = names.name[i];
    }
    for (size_t i = 0; reg->ckpt_policies[i] && count < max; i++) name[count++] = reg->ckpt_policies[i]->name;
    return count;
}
