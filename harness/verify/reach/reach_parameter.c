/* An option s that is a parameter, p_k(s) = s and no other p moves, must act through p alone:
 *
 *     f_s(t, x, p(s)) = f_(s0)(t, x, p(s)),   M_s = M_(s0)        f_s: rhs of the instance that was created with s
 *
 * bit for bit; and where the type has no x0(p), or one of the two says that x0 does not depend on p, both begin at the
 * same state. What create makes of p otherwise no derivative sees. x0 is held on purpose where another choice, or flag,
 * begins at the same state (an iteration may have found it), and lets it depend on p. */
#include <string.h>

#include "reach.h"

/* 0 for equal numbers, and for two that are none. */
static double distance(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b))) return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
}

/* The one parameter in which they differ, if it is the option in both; np: there is none. */
static size_t parameter_of(const struct sens_problem *usual, double fallback,
                           const struct sens_problem *other, double value)
{
    size_t moved = 0, k = usual->np;
    for (size_t i = 0; i < usual->np; i++)
        if (usual->p[i] != other->p[i]) moved++, k = i;
    return moved == 1 && usual->p[k] == fallback && other->p[k] == value ? k : usual->np;
}

static size_t entries(const struct sens_mass *mass)
{
    return mass ? mass->pattern.start[mass->pattern.rows] : 0;
}

static void note_mass(const char *name, const struct sens_mass *usual, const struct sens_mass *other,
                      struct worst *worst)
{
    const size_t count = entries(usual) < entries(other) ? entries(usual) : entries(other);
    if (entries(usual) != entries(other))
        worst_note(worst, INFINITY, 0, "M has %zu entries, and %zu with another %s", entries(usual),
                   entries(other), name);
    for (size_t e = 0; e < count; e++)
        worst_note(worst, distance(usual->value[e], other->value[e]), 0,
                   "entry %zu of M is %.10g, and %.10g with another %s, which is a parameter: no derivative "
                   "sees that",
                   e, usual->value[e], other->value[e], name);
}

static bool same_sizes(const struct sens_problem *a, const struct sens_problem *b)
{
    return a->n == b->n && a->np == b->np && a->t0 == b->t0;
}

static const double SAME = 1e-6; /* relative, of states that are the same */

static bool same_start(const struct sens_problem *a, const struct sens_problem *b)
{
    bool same = same_sizes(a, b);
    for (size_t i = 0; same && i < a->n; i++)
        same = fabs(a->x0[i] - b->x0[i]) <= SAME * fmax(fabs(a->x0[i]), fabs(b->x0[i]));
    return same;
}

/* The values of a choice, or of a whole number that is one of a few, from its least; 0: it is no such option. */
static long few_values(const struct sens_option *option)
{
    enum { FEW = 8 };
    const double count = option->max - option->min + 1;
    if (option->kind == SENS_OPT_INT) return count <= FEW ? (long)count : 0;
    return sens_option_choices(option);
}

/* Does another choice of an option begin at the same state, as a function of p? */
static bool free_elsewhere(struct verify *v, const double *set, const struct sens_problem *held)
{
    const struct sens_option *const table = v->problem->options;
    const size_t count = sens_option_count(table);
    bool is_free = false;
    for (size_t i = 0; i < count; i++)
        for (long c = 0; c < few_values(&table[i]) && !is_free; c++) {
            const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
            double *const chosen = verify_copy(v, count, set);
            struct instance made;
            chosen[i] = (double)c + (table[i].kind == SENS_OPT_INT ? table[i].min : 0);
            is_free =
                reach_create(v, chosen, &made) && !made.problem.x0_fixed && same_start(&made.problem, held);
            sens_arena_rewind(&v->ctx.arena, mark);
        }
    return is_free;
}

/* Both initial states, where the type has no x0(p) or it is declared not to count. */
static void note_start(struct verify *v, const double *set, const char *name,
                       const struct sens_problem *usual, const struct sens_problem *other,
                       struct worst *worst)
{
    const bool fixed = usual->x0_fixed || other->x0_fixed;
    if (usual->type->x0 && (!fixed || (usual->x0_fixed && free_elsewhere(v, set, usual)))) return;
    for (size_t i = 0; i < other->n; i++)
        worst_note(worst, distance(other->x0[i], usual->x0[i]), 0,
                   usual->type->x0 ? "x0_%zu moves with the parameter %s, and is declared fixed"
                                   : "x0_%zu moves with the parameter %s, and the problem has no x0(p)",
                   i, name);
}

/* x0(p) of both at the parameters of the other. */
static void note_kept_start(struct verify *v, const char *name, const struct sens_problem *usual,
                            const struct sens_problem *other, struct worst *worst)
{
    double *const x = verify_array(v, other->n), *const y = verify_array(v, other->n);
    if (!sens_problem_x0_depends(usual) || !sens_problem_x0_depends(other)) return;
    sens_problem_x0(usual, other->p, x);
    sens_problem_x0(other, other->p, y);
    for (size_t i = 0; i < other->n; i++)
        worst_note(
            worst, distance(x[i], y[i]), 0,
            "x0_%zu is %.10g at the p of another %s, and %.10g of an instance that was created with it: "
            "create reads p, and no derivative sees that",
            i, x[i], name, y[i]);
}

/* Both right-hand sides at the parameters of the other, and both mass matrices. */
static void note_kept(struct verify *v, const char *name, const struct sens_problem *usual,
                      const struct sens_problem *other, struct worst *worst)
{
    enum { POINTS = 3 };
    double *f = verify_array(v, other->n), *g = verify_array(v, other->n);
    note_mass(name, usual->mass, other->mass, worst);
    for (int k = 0; k < POINTS; k++) {
        const struct sens_at at = instance_point(v, other, k);
        if (usual->type->rhs(usual, &at, f) != SENS_OK || other->type->rhs(other, &at, g) != SENS_OK)
            continue;
        for (size_t i = 0; i < other->n; i++)
            worst_note(worst, distance(f[i], g[i]), 0,
                       "f_%zu is %.10g at the p of another %s, and %.10g of an instance that was created "
                       "with it: create reads p, and no derivative sees that",
                       i, f[i], name, g[i]);
    }
}

bool reach_same_interval(const struct sens_problem *a, const struct sens_problem *b)
{
    return same_sizes(a, b) && a->t1 == b->t1;
}

bool reach_other_end(const struct sens_problem *a, const struct sens_problem *b)
{
    return same_sizes(a, b) && a->t1 != b->t1;
}

void reach_note_parameter(struct verify *v, const double *usual_set, const double *set, size_t which,
                          struct worst *worst)
{
    const struct sens_option *option = &v->problem->options[which];
    struct instance usual, other;
    if (!reach_create(v, usual_set, &usual) || !reach_create(v, set, &other)) return;
    const struct sens_problem *a = &usual.problem, *b = &other.problem;
    if (!reach_same_interval(a, b) || parameter_of(a, option->fallback, b, set[which]) == a->np) return;
    note_start(v, usual_set, option->name, a, b, worst);
    note_kept_start(v, option->name, a, b, worst);
    note_kept(v, option->name, a, b, worst);
}
