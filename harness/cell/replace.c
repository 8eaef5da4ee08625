/* Products of another source, a generated right-hand side, and a problem that declares nothing. */
#include "replace.h"

#include <string.h>

#include "modules.h"
#include "peers.h"

/* structure=none, track=controlled: from here on the problem is one that declares nothing. */
static sens_status drop_structure(struct resolution *re)
{
    struct sens_problem *pb = &re->cell->problem;
    const struct spec_pair *given = resolve_given(re, "structure");
    struct key_value structure, track;
    sens_problem_operations(pb, &re->cell->operations);
    if (!resolve_value(re, "structure", &structure) || !resolve_value(re, "track", &track))
        return SENS_BAD_INPUT;
    const bool declared = structure.word == 0;
    re->cell->controlled = track.word == 1;
    if (re->cell->controlled && given && declared) {
        refuse_pair(re->error, given, "track=controlled means structure=none");
        return SENS_BAD_INPUT;
    }
    if (!declared || re->cell->controlled) re->cell->problem.structure = NULL;
    return SENS_OK;
}

static sens_status refuse_products(struct resolution *re, const struct spec_pair *given, const char *why,
                                   sens_status status)
{
    const char *const reason = why[0] ? why : sens_status_message(status);
    if (given)
        refuse_pair(re->error, given, "%s", reason);
    else
        bench_refuse(re->error, "problem=%s: its products cannot be derived: %s", re->problem->name, reason);
    return status == SENS_UNSUPPORTED ? SENS_BAD_INPUT : status;
}

bool replace_one_thread(const struct cell *cell)
{
    return cell->provider && !cell->provider->parallel;
}

/* threads=K, where the products may be called by several. */
static bool set_request_threads(struct resolution *re, struct sens_provider_request *request)
{
    const struct spec_pair *given = resolve_given(re, "threads");
    struct key_value threads;
    if (!resolve_value(re, "threads", &threads)) return false;
    if (replace_one_thread(re->cell) && threads.word < 0 && threads.number != 1)
        return refuse_pair(re->error, given, "with products that work on one thread");
    request->threads = replace_one_thread(re->cell) ? 1
                       : threads.word < 0           ? (int)threads.number
                       : re->ctx->cores > 1         ? re->ctx->cores
                                                    : 1;
    return true;
}

/* Does what the method makes of the tableau take second derivatives, which the problem does not have? */
static bool lacks_second(const struct resolution *re)
{
    const struct sens_tableau *tableau = re->cell->task.tableau;
    return tableau && tableau->family == SENS_FAMILY_ROSENBROCK &&
           re->method->derivative == SENS_DERIVATIVE_DISCRETE && !re->problem->hvp;
}

static bool is_given(const struct resolution *re, const char *key, const char *value)
{
    const struct spec_pair *given = resolve_given(re, key);
    return given && strcmp(given->value, value) == 0;
}

/* Does an implicit tableau take df/dx, which the problem does not declare? It would be made of n products, which few
 * states are not worth another source for; nor is a df/dx that is to be left out. */
static bool lacks_jacobian(const struct resolution *re)
{
    enum { FEW_PRODUCTS = 32 };
    const struct sens_tableau *tableau = re->cell->task.tableau;
    const struct sens_problem *pb = &re->cell->problem;
    return tableau && tableau->family != SENS_FAMILY_EXPLICIT && pb->n > FEW_PRODUCTS &&
           !sens_structure_of(pb)->jacobian && !is_given(re, "structure", "none") &&
           !is_given(re, "track", "controlled");
}

/* Are its functions a walk over a list of operations, as those of a model? The same list is soon compiled. */
static bool is_written(const struct resolution *re)
{
    const struct sens_problem_type *written = re->cell->variant->written;
    return written && re->problem->vjp == written->vjp;
}

/* By choice, and not auto's. */
static bool is_chosen(const struct spec_pair *given)
{
    return given && strcmp(given->value, "auto") != 0;
}

/* auto: the problem's own products; where it has none that were written for it, or lacks those that are wanted, the
 * ones that are derived. */
static const char *products_name(const struct resolution *re, const struct spec_pair *given)
{
    const struct sens_provider *deriver = sens_registry_deriver(re->cell->variant);
    if (is_chosen(given)) return given->value;
    const bool has = re->problem->vjp && !is_written(re) && !lacks_second(re) && !lacks_jacobian(re);
    return !deriver || has ? "hand" : deriver->name;
}

/* Those of the implicit part of a split. */
static sens_status replace_implicit(struct resolution *re, struct sens_provider_request request)
{
    struct cell *cell = re->cell;
    if (!cell->problem.implicit) return SENS_OK;
    struct sens_problem *const part = SENS_NEW(re->ctx, struct sens_problem, 1);
    if (!part) return SENS_NO_MEMORY;
    *part = *cell->problem.implicit;
    request.inner = part;
    cell->problem.implicit = part;
    return cell->provider->wrap(re->ctx, &request, part);
}

/* Do the problem's own products do where those that auto would rather have cannot be had (a module that was not
 * compiled to be recorded)? */
static bool has_others(const struct resolution *re, const struct spec_pair *given)
{
    return !is_chosen(given) && re->problem->vjp && !lacks_second(re);
}

/* vjp=NAME: from here on the products are the provider's. Where they take turns, more than one thread would
 * only be seen waiting. */
static sens_status replace_products(struct resolution *re)
{
    struct cell *cell = re->cell;
    const struct spec_pair *given = resolve_given(re, "vjp");
    const struct sens_problem before = cell->problem;
    struct sens_provider_request request = {.inner = &cell->problem, .variant = cell->variant};
    struct bench_error reason;
    const char *const name = products_name(re, given);
    if (strcmp(name, "hand") == 0)
        return re->problem->vjp
                   ? SENS_OK
                   : refuse_products(re, given, "the problem has no products of its own", SENS_BAD_INPUT);
    sens_status status = peer_load(PEER_PROVIDER, name, &reason);
    if (status != SENS_OK) return refuse_products(re, given, reason.text, status);
    cell->provider = find_provider(name);
    if (!cell->provider)
        return refuse_products(re, given, "no provider of this name; see sensbench list providers",
                               SENS_BAD_INPUT);
    if (!set_request_threads(re, &request)) return SENS_BAD_INPUT;
    if (re->check_only) return SENS_OK;
    status = cell->provider->wrap(re->ctx, &request, &cell->problem);
    if (status == SENS_OK) status = replace_implicit(re, request);
    if (status == SENS_UNSUPPORTED && has_others(re, given)) {
        cell->problem = before;
        cell->provider = NULL;
        re->ctx->message[0] = '\0';
        return SENS_OK;
    }
    return status == SENS_OK ? status : refuse_products(re, given, re->ctx->message, status);
}

/* The words of rhs, see keys.c. */
enum { RHS_OWN, RHS_GENERATED, RHS_AUTO };

/* auto: that of a model whose products are compiled, too. */
static bool wants_rhs(const struct resolution *re, const struct sens_provider *maker, int word)
{
    const bool compiled = maker && maker->wrap_rhs && re->cell->provider == maker;
    return word == RHS_GENERATED || (word == RHS_AUTO && compiled && is_written(re));
}

/* rhs=generated; `own` is the problem before its products were replaced. Where it was not asked for, one that cannot be
 * had is not missed. */
static sens_status replace_rhs(struct resolution *re, const struct sens_problem *own)
{
    struct cell *cell = re->cell;
    const struct spec_pair *given = resolve_given(re, "rhs");
    const struct sens_provider *maker = sens_registry_deriver(cell->variant);
    struct sens_provider_request request = {.inner = own, .variant = cell->variant};
    struct key_value side;
    if (!resolve_value(re, "rhs", &side)) return SENS_BAD_INPUT;
    if (!wants_rhs(re, maker, side.word)) return SENS_OK;
    cell->asked_rhs = cell->generated_rhs = side.word == RHS_GENERATED;
    if (!set_request_threads(re, &request)) return SENS_BAD_INPUT;
    if (re->check_only) return SENS_OK;
    re->ctx->message[0] = '\0';
    const sens_status status = maker && maker->wrap_rhs
                                   ? maker->wrap_rhs(re->ctx, &request, &cell->problem)
                                   : sens_fail(re->ctx, SENS_UNSUPPORTED, "there is nothing to make it");
    cell->generated_rhs = status == SENS_OK;
    if (status == SENS_OK || (status == SENS_UNSUPPORTED && !cell->asked_rhs)) return SENS_OK;
    return refuse_products(re, given, re->ctx->message, status);
}

/* engine=compiled; `own` as above. The steps are compared with those by the problem as it is now. */
static sens_status replace_steps(struct resolution *re, const struct sens_problem *own)
{
    struct cell *cell = re->cell;
    const struct spec_pair *given = resolve_given(re, "engine");
    const struct sens_provider *maker = sens_registry_deriver(cell->variant);
    struct sens_provider_request request = {.inner = own, .variant = cell->variant};
    struct key_value engine;
    if (!resolve_value(re, "engine", &engine)) return SENS_BAD_INPUT;
    cell->compiled_steps = engine.word == 1;
    if (!cell->compiled_steps) return SENS_OK;
    if (!set_request_threads(re, &request)) return SENS_BAD_INPUT;
    if (re->check_only) return SENS_OK;
    re->ctx->message[0] = '\0';
    const sens_status status = maker && maker->make_engine
                                   ? maker->make_engine(re->ctx, &request, cell->task.tableau, &cell->problem)
                                   : sens_fail(re->ctx, SENS_UNSUPPORTED, "there is nothing to make it");
    return status == SENS_OK ? status : refuse_products(re, given, re->ctx->message, status);
}

sens_status replace_parts(struct resolution *re)
{
    const struct sens_problem own = re->cell->problem;
    sens_status status = replace_products(re);
    if (status == SENS_OK) status = replace_rhs(re, &own);
    if (status == SENS_OK) status = drop_structure(re); /* also what a provider has found */
    return status == SENS_OK ? replace_steps(re, &own) : status;
}

sens_status replace_gradients(struct resolution *re)
{
    struct cell *cell = re->cell;
    const struct sens_provider *maker = sens_registry_deriver(cell->variant);
    struct sens_provider_request request = {.inner = &cell->problem, .variant = cell->variant};
    if (!sens_gradients_lack(cell->cost.type)) return SENS_OK;
    if (!set_request_threads(re, &request)) return SENS_BAD_INPUT;
    if (re->check_only) return SENS_OK;
    re->ctx->message[0] = '\0';
    const sens_status status = maker && maker->wrap_cost
                                   ? maker->wrap_cost(re->ctx, &request, &cell->cost, &cell->cost)
                                   : sens_fail(re->ctx, SENS_UNSUPPORTED,
                                               "it has no gradients, and there is nothing to derive them");
    if (status == SENS_OK) cell->deriver = maker;
    return status;
}
