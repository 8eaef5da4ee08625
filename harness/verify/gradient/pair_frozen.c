/* The derivative on frozen steps: a discrete method against the tangent of its own map, and against the map
 * itself by Taylor's remainder. */
#include <string.h>

#include "pair.h"
#include "probe.h"
#include "taylor.h"

enum {
    DIRECTIONS = 2,
    OUTPUTS = 3,
    TIGHTENINGS = 2,
    IMPLICIT_LARGEST = 32,  /* states: the oracle is dense */
    ADDITIVE_LARGEST = 128, /* where nothing else looks at the method's additive steps */
    ITERATED = 2
};
static const double WEAK = 1e-6, LEAST_FRACTION = 1.0 / 32;

/* Is it that of the map? */
static bool check_frozen(struct pair *pair, const struct bed *bed, const struct expected *frozen)
{
    struct verify_result result = pair_open(pair, bed, "pair.frozen");
    struct oracle oracle;
    pair_judge(&result, bed, frozen);
    oracle_create(bed, bed->task.tableau, &bed->grid, &oracle);
    if (result.verdict == VERIFY_FAIL && pair_state_fails(bed, frozen))
        oracle_blame_state(&oracle, &bed->out, &frozen->value, &result);
    if (result.verdict == VERIFY_FAIL)
        oracle_blame_gradient(&oracle, &bed->out, &frozen->value, &bed->work, &result);
    const bool passes = result.verdict == VERIFY_PASS;
    verify_close(pair->v, &result);
    return passes;
}

/* `right`: the gradient is that of the harness's own tangent. What fails here then is in the products. */
static void check_taylor(struct pair *pair, const struct bed *bed, const struct expected *frozen, bool right)
{
    struct verify_result result = pair_open(pair, bed, "pair.taylor");
    struct worst worst = {.count = 0};
    for (int k = 0; k < (pair->v->quick ? 1 : DIRECTIONS); k++)
        taylor_remainders(&worst, bed, &bed->out, &frozen->value, &frozen->bound);
    verify_judge(&result, &worst);
    if (result.verdict == VERIFY_FAIL) {
        if (right) verify_module("problem", pair->v->problem->name, result.module);
        verify_blame(&result, CAUSE_derivative_not_solver, right ? 0 : 0.4);
        verify_blame(&result, CAUSE_pair_agrees_wrongly, right ? 0.6 : 0.3);
        verify_blame(&result, CAUSE_product_window, right ? 0.5 : 0);
    }
    verify_close(pair->v, &result);
}

/* Why both checks of this file were not made. */
static void skip_both(struct pair *pair, const char *reason)
{
    pair_skip(pair, "pair.frozen", reason);
    pair_skip(pair, "pair.taylor", reason);
}

/* Explicit steps of a stiff problem are at the boundary of stability, where rounding may grow from step to
 * step: the tolerance is tightened until it does not. NULL, or why there is nothing to be checked. */
static const char *solve_well(struct pair *pair, struct bed *bed, struct expected *frozen)
{
    for (int k = 0; k <= TIGHTENINGS; k++) {
        if (!pair_solve(pair, bed)) return "no numbers: see pair.status";
        if (bed->grid.steps == 0) return "the method reports no steps: its map cannot be made again";
        if (expected_reported_map(bed, frozen) != SENS_OK) break;
        if (k == TIGHTENINGS || expected_weakness(bed, frozen) < WEAK) return NULL;
        bed_tolerance(bed, bed->task.rtol / 100);
    }
    return "the tangent cannot be followed over the reported steps";
}

/* What is done with the factors of a step, where the method has a choice. */
enum factors { FACTORS_AGAIN, FACTORS_KEPT, FACTORS_BOTH };

struct formula {
    const char *tableau; /* NULL: the explicit one that tasks start with */
    enum factors factors;
    bool solved; /* by iteration, so that a map takes long: a quick run leaves Taylor's remainder to others */
};

static bool keep_factors(struct bed *bed)
{
    const struct sens_option *const table = bed->method->options;
    const int factors = sens_option_find(table, "factors");
    if (factors < 0 || verify_held(bed->v, &table[factors])) return false;
    for (long c = 0; table[factors].choices && table[factors].choices[c]; c++)
        if (strcmp(table[factors].choices[c], "kept") == 0) {
            bed->option[factors].number = (double)c;
            return true;
        }
    return false;
}

static bool create_bed(struct pair *pair, double fraction, struct formula formula, struct bed *bed)
{
    struct sens_problem problem = pair->instance->problem;
    struct sens_cost cost;
    if (fraction < 1) problem.t1 = problem.t0 + fraction * (problem.t1 - problem.t0);
    probe_cost(pair->v, &problem, OUTPUTS, probe_parts_for(pair->v->method), &cost);
    bed_create(pair->v, &problem, &cost, pair->v->method, bed);
    if (formula.tableau) bed_tableau(bed, formula.tableau);
    return formula.factors != FACTORS_KEPT || keep_factors(bed);
}

/* With its factors kept, beside the map that was made for those of before: on the same steps it is the same one, and
 * what Taylor's remainder says of its products has been said. */
static void check_kept(struct pair *pair, struct bed *bed, const struct expected *frozen)
{
    struct expected other;
    if (!keep_factors(bed)) return;
    struct grid before = bed->grid;
    bed->grid = (struct grid){.steps = 0};
    if (!pair_solve(pair, bed)) {
        pair_skip(pair, "pair.frozen", "no numbers with kept factors: see pair.status");
    } else if (grid_same(&before, &bed->grid)) {
        check_frozen(pair, bed, frozen);
    } else if (expected_reported_map(bed, &other) == SENS_OK) {
        check_frozen(pair, bed, &other);
    } else {
        pair_skip(pair, "pair.frozen", "the tangent cannot be followed over the reported steps");
    }
    grid_free(&before);
}

/* On the whole interval, or on as much of it as the method's explicit steps reach of a stiff one. */
static void check_both(struct pair *pair, struct formula formula)
{
    struct expected frozen;
    const char *why = NULL;
    bool done = false;
    for (double fraction = 1; !done && fraction > LEAST_FRACTION; fraction /= 2) {
        struct bed bed;
        if (!create_bed(pair, fraction, formula, &bed)) {
            bed_free(&bed);
            return;
        }
        why = solve_well(pair, &bed, &frozen);
        done = !why || bed.status != SENS_STEP_LIMIT;
        if (!why) {
            const bool right = check_frozen(pair, &bed, &frozen);
            if (!formula.solved || !pair->v->quick) check_taylor(pair, &bed, &frozen, right);
            if (formula.factors == FACTORS_BOTH) check_kept(pair, &bed, &frozen);
        }
        bed_free(&bed);
    }
    if (why) skip_both(pair, why);
}

/* Of those that iterate, a quick run takes one a problem, another with another seed; a full one takes both. So it
 * is with factors that are kept: of a diagonally implicit formula, or of a fully implicit one and a Rosenbrock pair. */
static bool takes_formula(const struct pair *pair, size_t formula)
{
    size_t turn = pair->v->seed;
    for (const char *letter = pair->instance->problem.type->name; *letter; letter++) turn += (size_t)*letter;
    return !pair->v->quick || turn % ITERATED == formula;
}

enum { SWITCHED_QUICK = 3 };

/* Additive pairs, where the problem has a split. */
static void check_additive(struct pair *pair)
{
    check_both(pair, (struct formula){"ark43", FACTORS_AGAIN, false});
    check_both(pair, (struct formula){"ark32", FACTORS_KEPT, false});
}

static void check_implicit(struct pair *pair)
{
    static const char *const iterated[ITERATED] = {"sdirk4a", "radau_iia5"};
    const struct sens_problem_type *type = pair->instance->problem.type;
    const bool rosenbrock = type->hvp && (type->rhs_t || type->autonomous);
    const size_t n = pair->instance->problem.n;
    if (pair->instance->problem.implicit && n <= ADDITIVE_LARGEST) check_additive(pair);
    if (n > IMPLICIT_LARGEST) {
        skip_both(pair, "by implicit formulas: the oracle's matrices are dense, and left to 32 states");
        return;
    }
    if (pair->instance->problem.mass) check_both(pair, (struct formula){"kvaerno54", FACTORS_AGAIN, true});
    for (size_t k = 0; k < ITERATED; k++)
        if (takes_formula(pair, k)) check_both(pair, (struct formula){iterated[k], FACTORS_BOTH, true});
    if (rosenbrock)
        check_both(pair,
                   (struct formula){"rodas4", takes_formula(pair, 1) ? FACTORS_BOTH : FACTORS_AGAIN, false});
    /* where a step costs least, a quick run takes it too */
    if (!pair->v->quick || pair->instance->problem.n <= SWITCHED_QUICK)
        check_both(pair, (struct formula){"auto", FACTORS_AGAIN, false});
}

void pair_frozen(struct pair *pair)
{
    if (!pair_declares(pair, SENS_DERIVATIVE_DISCRETE))
        skip_both(pair, "the method does not declare a discrete derivative");
    else if (!(pair->v->method->caps & SENS_CAP_TABLEAU))
        skip_both(pair, "the tableau is the method's own: its map cannot be made again");
    else
        check_both(pair, (struct formula){NULL, FACTORS_AGAIN, false});
    if ((pair->v->method->caps & SENS_CAP_IMPLICIT) && pair_declares(pair, SENS_DERIVATIVE_DISCRETE))
        check_implicit(pair);
}
