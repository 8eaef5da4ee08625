/* What an instance of a cost must be, and what sens_cost_create must refuse to make. */
#include "cost_terms.h"
#include "probe.h"

/* What is wrong with the instance, in words; NULL: nothing. What sens_cost_create refuses is not valid. */
static const char *breach(const struct cost_case *at)
{
    const struct sens_cost *cost = &at->cost;
    const struct sens_cost_type *type = cost->type;
    if (!at->valid) return at->v->ctx.message;
    if (cost->n != at->problem.n || cost->np != at->problem.np) return "n or np is not the problem's";
    if (cost->n_obs > 0 && !type->phi) return "observations without phi";
    if (cost->n_obs == 0 && !type->g) return "neither observations nor a running cost";
    if (!type->phi != !type->phi_dx || (type->phi_dp && !type->phi))
        return "phi without phi_dx, or these without phi";
    if (!type->g != !type->g_dx || (type->g_dp && !type->g)) return "g without g_dx, or these without g";
    return NULL;
}

bool cost_check_times(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.times", at->v->module, at->label);
    const char *const words = breach(at);
    if (words) {
        verify_fail(&result, "%s", words);
        const bool created = !at->valid && at->cost.type; /* what was missing came later */
        verify_blame(&result, created ? CAUSE_cost_recorded : CAUSE_cost_times, 1);
    }
    verify_close(at->v, &result);
    return !words;
}

/* Lengths that a user gives: those of one decimal, and any. What is made of t0, t1 and a count by arithmetic ends a
 * rounding beside t1 on some. */
void cost_check_intervals(struct verify *v)
{
    const int intervals = v->quick ? 200 : 2000;
    struct verify_result result = verify_open("cost.times", v->module, "probe, other intervals");
    int broken = 0;
    for (int k = 0; k < intervals; k++) {
        const double length = verify_uniform(v, 0.1, 50), t0 = k % 4 < 2 ? 0 : verify_uniform(v, -2, 2);
        const struct probe_settings settings = {
            .n = 4, .np = 5, .t0 = t0, .t1 = t0 + (k % 2 ? length : round(10 * length) / 10)};
        if (!cost_breaks_contract(v, &settings)) continue;
        if (broken++ == 0)
            verify_fail(&result, "from t0 = %.17g to t1 = %.17g: %s", t0, settings.t1, v->ctx.message);
    }
    if (broken > 0) verify_say(&result, "so it is on %d of %d intervals", broken, intervals);
    if (broken > 0) verify_blame(&result, CAUSE_cost_times, 1);
    verify_close(v, &result);
}

/* ---- what create makes of the problem ---------------------------------------------------------------------- */

/* The unit's cost as its own create makes it for the case's problem, nobody's gradients beside it. */
static bool create_plain(const struct cost_case *at, struct cost_case *made)
{
    *made = *at;
    made->cost = (struct sens_cost){
        .type = at->v->cost, .n = at->problem.n, .np = at->problem.np, .option = at->cost.option};
    return at->v->cost->create(&at->v->ctx, at->cost.option, &made->problem, &made->cost) == SENS_OK;
}

static bool same_times(const struct sens_cost *a, const struct sens_cost *b)
{
    bool same = a->m == b->m && a->n_obs == b->n_obs;
    for (size_t j = 0; same && j < a->n_obs; j++) same = a->t_obs[j] == b->t_obs[j];
    return same;
}

/* Values of both instances at one place: that is what phi and g are given. */
static void note_values(const struct cost_case *nominal, const struct cost_case *moved, struct place place,
                        const char *of, struct worst *worst)
{
    struct term one[MOST_TERMS];
    char name[VERIFY_NAME];
    for (size_t k = 0, terms = cost_terms(nominal, one); k < terms; k++) {
        struct term other = one[k]; /* at the same time, which is drawn */
        other.at = moved;
        const double *G = term_part(&one[k], PART_VALUE, place);
        const double *H = term_part(&other, PART_VALUE, place);
        term_name(&one[k], PART_VALUE, name);
        for (size_t c = 0; c < nominal->cost.m; c++)
            worst_note(
                worst, entry_distance(G[c], H[c]), 0,
                "%s is %.10g, and %.10g of an instance that was created at other %s, at the same x and p: "
                "create reads %s of the problem, and no derivative sees that",
                name, G[c], H[c], of, of);
    }
}

static double *elsewhere(struct verify *v, size_t count, const double *from)
{
    double *const to = verify_copy(v, count, from);
    for (size_t k = 0; k < count; k++) to[k] += to[k] == 0 ? 0.5 : 0.125 * to[k];
    return to;
}

/* An instance for the problem `there` against that of the case. NULL, or why they are not compared. */
static const char *compare_created(const struct cost_case *at, const struct cost_case *there, const char *of,
                                   struct worst *worst)
{
    struct cost_case nominal, moved;
    const struct place place = {cost_place(at, 1).x, there->problem.p};
    if (!create_plain(at, &nominal) || !create_plain(there, &moved))
        return "the cost is not made at other parameters or initial states";
    if (same_times(&nominal.cost, &moved.cost))
        note_values(&nominal, &moved, place, of, worst);
    else
        worst_note(worst, INFINITY, 0,
                   "create makes other times or functionals of another %s: no derivative sees that", of);
    return NULL;
}

void cost_check_parameters(const struct cost_case *at)
{
    struct verify *v = at->v;
    struct verify_result result = verify_open("cost.parameters", v->module, at->label);
    struct worst worst = {.count = 0};
    struct cost_case by_p = *at, by_x0 = *at;
    const char *why = NULL;
    by_p.problem.p = elsewhere(v, at->cost.np, at->problem.p);
    by_x0.problem.x0 = elsewhere(v, at->cost.n, at->problem.x0);
    if (at->cost.np > 0) why = compare_created(at, &by_p, "p", &worst);
    if (!why && !at->v->cost->data_of_x0) why = compare_created(at, &by_x0, "x0", &worst);
    if (worst.count)
        verify_judge(&result, &worst);
    else
        verify_skip(&result, "%s",
                    why ? why : "no parameters, and what create makes of x0 is said to be data");
    if (result.verdict == VERIFY_FAIL) verify_blame(&result, CAUSE_cost_nominal, 1);
    verify_close(v, &result);
}

/* ---- what must be refused ------------------------------------------------------------------------------ */

/* A cost with as many outputs as option 0 says, observed at the times of option 1. */
static sens_status create_flawed(struct sens_ctx *ctx, const struct sens_value *option,
                                 const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)ctx, (void)pb;
    cost->m = (size_t)option[0].number;
    cost->n_obs = option[1].count;
    cost->t_obs = option[1].data;
    return SENS_OK;
}

static void flawed_phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    (void)j, (void)p;
    for (size_t c = 0; c < cost->m; c++) G[c] += x[0];
}

static void flawed_phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                          size_t L, double *OUT)
{
    (void)j, (void)x, (void)p;
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) OUT[l] += 1;
}

/* What no instance may be, and one that may: on [t0, t1] = [0, 1]. */
static const struct {
    const char *words;
    double m;
    size_t n_obs;
    double t_obs[2];
    bool allowed;
} instances[] = {
    {"one output at t1", 1, 1, {1}, true},
    {"no output", 0, 1, {1}, false},
    {"an observation after t1", 1, 1, {1.5}, false},
    {"an observation before t0", 1, 2, {-0.5, 1}, false},
    {"the same time twice", 1, 2, {0.5, 0.5}, false},
    {"times that decrease", 1, 2, {1, 0.5}, false},
};

void cost_check_empty(struct verify *v)
{
    const struct sens_cost_type type = {
        .name = "flawed", .create = create_flawed, .phi = flawed_phi, .phi_dx = flawed_phi_dx};
    struct worst worst = {.count = 0};
    struct sens_problem pb;
    probe_problem(v, &(struct probe_settings){.n = 2, .np = 1, .t1 = 1}, &pb);
    struct verify_result result = verify_open("cost.empty", v->module, "instances that may not be");
    for (size_t k = 0; k < sizeof instances / sizeof *instances; k++) {
        const struct sens_value option[] = {{.number = instances[k].m},
                                            {.data = instances[k].t_obs, .count = instances[k].n_obs}};
        struct sens_cost cost = {.m = 42};
        const sens_status status = sens_cost_create(&v->ctx, &type, option, &pb, &cost);
        const bool kept = status == SENS_OK || cost.m == 42;
        worst_note(&worst, (status == SENS_OK) == instances[k].allowed && kept ? 0 : 1, 0,
                   "%s: sens_cost_create returns %s%s", instances[k].words, sens_status_name(status),
                   kept ? "" : " and has written its output");
    }
    if (!worst_passes(&worst)) verify_blame(&result, CAUSE_contract_unchecked, 1);
    verify_judge(&result, &worst);
    verify_close(v, &result);
}
