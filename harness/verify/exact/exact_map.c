/* identity.map: an identity that is declared for every Runge-Kutta map holds for one. */
#include "exact.h"
#include "scene.h"

enum { MOST_STEPS = 300, SHORTENINGS = 4 };
static const double COARSE = 1e-2, SHORTER = 8; /* tolerance of the steps; what the interval is divided by */
static const double ROUNDINGS = 64;             /* in the sums of an identity */

struct map { /* of a few coarse steps, with its derivatives and what rounding can do to them */
    struct bed bed;
    struct expected expected;
};

/* Steps so coarse that the map is far from the exact solution. A stiff problem takes them on a part of its
 * interval. */
static bool map_create(const struct subject *subject, struct map *map)
{
    static const struct sens_method_type no_method = {.name = "none"};
    struct verify *v = subject->v;
    const struct sens_tableau *const tableau = verify_formula(v, "cash_karp");
    struct sens_problem pb = *subject->pb;
    for (int k = 0; tableau && k <= SHORTENINGS; k++) {
        struct sens_cost cost;
        struct grid grid = {.steps = 0};
        scene_state_cost(v, &pb, &cost);
        bed_create(v, &pb, &cost, &no_method, &map->bed);
        map->bed.task.tableau = tableau;
        const bool made = oracle_steps(v, &pb, &cost, tableau, COARSE, MOST_STEPS, &grid) == SENS_OK &&
                          expected_map(&map->bed, &grid, &map->expected) == SENS_OK;
        grid_free(&grid);
        if (made) return true;
        pb.t1 = pb.t0 + (pb.t1 - pb.t0) / SHORTER;
    }
    return false;
}

/* Why it cannot be checked; NULL: it can. */
static const char *why_not(const struct sens_problem *pb)
{
    const struct sens_identity *identity = pb->type->identities;
    while (identity && identity->name && !identity->discrete) identity++;
    if (!identity || !identity->name) return "the problem declares no identity of every Runge-Kutta map";
    return pb->type->many_states ? "dx/dx0 is not computed for this problem" : NULL;
}

void exact_check_map(const struct subject *subject)
{
    static const char check[] = "identity.map";
    const char *const reason = why_not(subject->pb);
    struct worst worst = {.count = 0};
    struct map map;
    if (reason || !map_create(subject, &map)) {
        subject_skip(subject, check,
                     reason ? reason : "plain steps do not get through any part of the interval");
        return;
    }
    const struct sens_identity *identity = subject->pb->type->identities;
    for (; identity->name; identity++)
        if (identity->discrete)
            expected_note_identity(&worst, &map.bed, identity, &map.expected, NULL, ROUNDINGS);
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_identity_wrong, 0.95);
    verify_blame(&result, CAUSE_rhs_itself, 0.2);
    verify_close(subject->v, &result);
    bed_free(&map.bed);
}
