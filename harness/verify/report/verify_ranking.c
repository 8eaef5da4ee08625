/* Weights of single failures, put together for each module. */
#include "verify_ranking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally { /* of one cause over the failures of one module */
    double sum, max;
};

static int cause_index(const char *name)
{
    int i = 0;
    while (i < CAUSE_COUNT && strcmp(cause_name((enum cause)i), name) != 0) i++;
    return i;
}

static bool fails_on(const struct verify_result *result, const char *module)
{
    return result->verdict == VERIFY_FAIL && strcmp(result->module, module) == 0;
}

/* Adds the weights of one failure; names that are in no list are passed over. */
static void add_blames(struct tally tally[CAUSE_COUNT], const struct verify_result *result)
{
    for (int b = 0; b < result->blames; b++) {
        const int cause = cause_index(result->blame[b].cause);
        if (cause == CAUSE_COUNT) continue;
        tally[cause].sum += result->blame[b].weight;
        tally[cause].max = fmax(tally[cause].max, result->blame[b].weight);
    }
}

static bool is_better(const struct ranked_cause *a, const struct ranked_cause *b)
{
    return a->score > b->score || (!(a->score < b->score) && a->max > b->max);
}

/* Behind all that are as good. */
static void insert(struct ranked_module *module, struct ranked_cause cause)
{
    size_t i = module->causes++;
    for (; i > 0 && is_better(&cause, &module->cause[i - 1]); i--) module->cause[i] = module->cause[i - 1];
    module->cause[i] = cause;
}

/* From here on a weight says that the cause makes the very numbers, or is all that a wrong scene needs. */
static const double REPRODUCES = 0.95;

static bool is_explained(const struct tally tally[CAUSE_COUNT])
{
    for (int c = 0; c < CAUSE_COUNT; c++)
        if (tally[c].max >= REPRODUCES && !cause_is_general((enum cause)c)) return true;
    return false;
}

/* What gives other bits for equal inputs, changes its inputs, or asks for what there is not, spoils every other
 * check of the module: where a check has seen it, no other cause is better. */
static bool spoils_all(enum cause cause, double weight)
{
    return (cause == CAUSE_impure || cause == CAUSE_nominal_read || cause == CAUSE_input_changed ||
            cause == CAUSE_contract_broken) &&
           !(weight < 1);
}

static bool blames(const struct verify_result *result, enum cause cause)
{
    for (int b = 0; b < result->blames; b++)
        if (cause_index(result->blame[b].cause) == (int)cause) return true;
    return false;
}

/* Did the check of a cost pass on the same problem without what the subject says last, an option of the cost? What
 * cost.many varies in one case after another it says itself. */
static bool cost_passes_by_default(size_t count, const struct verify_result *const *result,
                                   const struct verify_result *failed)
{
    const char *const option = strrchr(failed->subject, ' ');
    if (strcmp(failed->check, "cost.many") == 0) return blames(failed, CAUSE_option_path);
    if (!option) return false;
    const size_t length = (size_t)(option - failed->subject);
    for (size_t i = 0; i < count; i++)
        if (result[i]->verdict == VERIFY_PASS && strcmp(result[i]->check, failed->check) == 0 &&
            strcmp(result[i]->module, failed->module) == 0 && strlen(result[i]->subject) == length &&
            strncmp(result[i]->subject, failed->subject, length) == 0)
            return true;
    return false;
}

/* Did the check pass on the instance of the same problem with its defaults, whose subject is its name? What
 * fails at another size alone is no choice's fault. */
static bool passes_by_default(size_t count, const struct verify_result *const *result,
                              const struct verify_result *failed)
{
    static const char KIND[] = "problem ", COST[] = "cost ";
    if (strncmp(failed->module, COST, strlen(COST)) == 0)
        return cost_passes_by_default(count, result, failed);
    const char *const name = failed->module + strlen(KIND);
    const size_t length = strlen(name);
    if (strcmp(failed->check, "reach.options") == 0) return true; /* on all instances but that one */
    if (strncmp(failed->module, KIND, strlen(KIND)) != 0 || strncmp(failed->subject, name, length) != 0 ||
        failed->subject[length] != ' ' || strncmp(failed->subject + length, " n=", 3) == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (result[i]->verdict == VERIFY_PASS && strcmp(result[i]->check, failed->check) == 0 &&
            strcmp(result[i]->module, failed->module) == 0 && strcmp(result[i]->subject, name) == 0)
            return true;
    return false;
}

/* The weight of an option, where all that fails is right with the defaults. */
static const double BY_DEFAULT = 0.85;

static void rank(size_t count, const struct verify_result *const *result, struct ranked_module *module)
{
    struct tally tally[CAUSE_COUNT] = {{0}};
    size_t blaming = 0;
    bool options_alone = true;
    for (size_t i = 0; i < count; i++) {
        if (!fails_on(result[i], module->module)) continue;
        options_alone = options_alone && passes_by_default(count, result, result[i]);
        module->failures++;
        module->unmade += result[i]->unmade;
        blaming += result[i]->blames > 0;
        add_blames(tally, result[i]);
    }
    if (options_alone && blaming > 0) {
        tally[CAUSE_option_path].max = fmax(tally[CAUSE_option_path].max, BY_DEFAULT);
        tally[CAUSE_option_path].sum = (double)blaming * tally[CAUSE_option_path].max;
    }
    const bool explained = is_explained(tally);
    for (int c = 0; c < CAUSE_COUNT; c++) {
        if (!(tally[c].max > 0)) continue;
        const double share = explained && cause_is_general((enum cause)c) ? 0.5 : 1;
        const double mixed = share * (0.5 * tally[c].max + 0.5 * tally[c].sum / (double)blaming);
        const double score = spoils_all((enum cause)c, tally[c].max) ? 1 : mixed;
        insert(module, (struct ranked_cause){cause_name((enum cause)c), score, tally[c].max});
    }
}

static bool is_known(const struct ranking *ranking, const char *module)
{
    for (size_t i = 0; i < ranking->count; i++)
        if (strcmp(ranking->module[i].module, module) == 0) return true;
    return false;
}

static bool add_module(struct ranking *ranking, const char *name)
{
    struct ranked_module *grown = realloc(ranking->module, (ranking->count + 1) * sizeof *grown);
    if (!grown) return false;
    ranking->module = grown;
    struct ranked_module *module = &ranking->module[ranking->count++];
    *module = (struct ranked_module){.failures = 0};
    snprintf(module->module, sizeof module->module, "%s", name);
    return true;
}

bool ranking_create(size_t count, const struct verify_result *const *result, struct ranking *ranking)
{
    *ranking = (struct ranking){.count = 0};
    for (size_t i = 0; i < count; i++) {
        if (result[i]->verdict != VERIFY_FAIL || is_known(ranking, result[i]->module)) continue;
        if (!add_module(ranking, result[i]->module)) {
            ranking_free(ranking);
            return false;
        }
        rank(count, result, &ranking->module[ranking->count - 1]);
    }
    return true;
}

void ranking_free(struct ranking *ranking)
{
    free(ranking->module);
    *ranking = (struct ranking){.count = 0};
}
