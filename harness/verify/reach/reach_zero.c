/* Products where a state or a parameter is exactly 0, or a parameter a whole number, as exponents are; see reach.c.
 *
 * A difference quotient across a kink at 0 gives the mean of two slopes, and either is a right derivative: the
 * products at 0 are held against those on both sides, which other checks hold against rhs. Where these agree, a
 * product at 0 that is no number (2 f / x for f = x |x|) is wrong; where they do not, there may be none. */
#include <string.h>

#include "reach.h"

enum { MOST_ENTRIES = 24 };
/* Beside 0, in parts of the entry's size: where their size is taken, and the sides. What is continuous, as the
 * root of |x| is, has come near its value at 0 there: to SMOOTH of that size. */
static const double AWAY = 1e-5, BESIDE = 1e-15, BESIDE_WHOLE = 8 * DBL_EPSILON, SMOOTH = 1e-3;
/* Numbers of which the next whole one is theirs. */
static const double LEAST_WHOLE = 0.5, MOST_WHOLE = 100;

struct vectors { /* that are multiplied */
    const double *dx, *dp, *w;
};

/* J dx, F dp [n] each, J^T w [n], F^T w [np], one behind the other, which need not be finite. false: rhs has no value
 * there. */
static bool products_at(const struct subject *subject, const struct sens_at *at, const struct vectors *of,
                        double *to)
{
    static const enum product product[] = {PRODUCT_JVP, PRODUCT_VJP, PRODUCT_JVP_P, PRODUCT_VJP_P};
    const size_t n = subject->pb->n, np = subject->pb->np, from[] = {0, n, 2 * n, 3 * n};
    const double *const V[] = {of->dx, of->w, of->dp, of->w};
    if (!subject_usable(subject, at)) return false;
    for (size_t k = 0; k < (np ? 4 : 2); k++) {
        const struct linear map = linear_at(subject, product[k], at);
        linear_apply(&map, 1, V[k], to + from[k]);
    }
    return true;
}

static bool all_finite(size_t count, const double *value)
{
    for (size_t q = 0; q < count; q++)
        if (!isfinite(value[q])) return false;
    return true;
}

/* Between a and b, but for SMOOTH of the largest of their kind. */
static void note_between(struct worst *worst, double value, double a, double b, double size, const char *name,
                         size_t entry, double to)
{
    const double low = fmin(a, b), high = fmax(a, b), allowed = SMOOTH * (size + high - low);
    if (!isfinite(value) && high - low > allowed) return; /* it jumps there, or has a pole */
    worst_note(worst, isfinite(value) ? fmax(fmax(low - value, value - high), 0) : INFINITY, allowed,
               "%s[%zu] = %.6g: %.6g, and %.6g and %.6g on its sides", name, entry, to, value, a, b);
}

static double largest(size_t count, const double *a, const double *b)
{
    double most = 0;
    for (size_t q = 0; q < count; q++) most = fmax(most, fmax(fabs(a[q]), fabs(b[q])));
    return most;
}

/* The entry of `number`, which is part of `at`, at `to` and beside it. */
static void note_entry(struct worst *worst, const struct subject *subject, const struct sens_at *at,
                       double *number, size_t entry, double to, const char *name, const struct vectors *of)
{
    enum { HERE, ABOVE, BELOW, UP, DOWN, PLACES };
    struct verify *v = subject->v;
    const size_t n = subject->pb->n, np = subject->pb->np, kinds[] = {n, n, n, np};
    const double kept = number[entry], size = to != 0 ? fabs(to) : kept != 0 ? fabs(kept) : 1;
    const double side = size * (to != 0 ? BESIDE_WHOLE : BESIDE), away = size * AWAY;
    const double set[PLACES] = {to, to + side, to - side, to + away, to - away};
    double *made[PLACES];
    bool all = true;
    for (int k = 0; k < PLACES; k++) {
        made[k] = verify_array(v, 3 * n + np);
        number[entry] = set[k];
        all = all && products_at(subject, at, of, made[k]) &&
              (k == HERE || all_finite(np ? 3 * n + np : 2 * n, made[k]));
    }
    number[entry] = kept;
    for (size_t k = 0, q = 0; all && k < (np ? 4 : 2); k++) {
        const double most = largest(kinds[k], made[UP] + q, made[DOWN] + q);
        for (const size_t end = q + kinds[k]; q < end; q++)
            note_between(worst, made[HERE][q], made[ABOVE][q], made[BELOW][q], most, name, entry, to);
    }
}

/* The parameters by default; NULL: there are others then. */
static const double *default_parameters(const struct subject *subject)
{
    struct verify *v = subject->v;
    const struct sens_option *const table = v->problem->options;
    struct sens_value *const value = verify_memory(v, sens_option_count(table) + 1, sizeof *value);
    struct sens_problem usual;
    sens_option_defaults(table, value);
    const bool made = sens_problem_create(&v->ctx, v->problem, value, &usual) == SENS_OK;
    return made && usual.np == subject->pb->np ? usual.p : NULL;
}

/* May parameter k be `to`? Not where an option that has its value by default takes no such number. */
static bool is_allowed(const struct subject *subject, const double *usual, size_t k, double to)
{
    const struct sens_option *const table = subject->v->problem->options;
    for (size_t i = 0; usual && i < sens_option_count(table); i++)
        if (table[i].kind == SENS_OPT_REAL && table[i].fallback == usual[k] &&
            (to < table[i].min || to > table[i].max))
            return false;
    return true;
}

static void note_parameter(struct worst *worst, const struct subject *subject, const struct sens_at *at,
                           const double *usual, double *p, size_t entry, const struct vectors *of)
{
    const double whole = round(p[entry]);
    if (is_allowed(subject, usual, entry, 0)) note_entry(worst, subject, at, p, entry, 0, "p", of);
    if (fabs(p[entry]) >= LEAST_WHOLE && fabs(whole) <= MOST_WHOLE)
        note_entry(worst, subject, at, p, entry, whole, "p", of);
}

void reach_check_at_zero(const struct subject *subject)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n, np = subject->pb->np, all = n + np;
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(subject, "reach.at_zero");
    const struct sens_at at = subject_point(subject, 1);
    double *const x = verify_copy(v, n, at.x), *const p = verify_copy(v, np, at.p);
    const double *const usual = default_parameters(subject);
    const struct sens_at place = {at.t, x, p};
    const struct vectors of = {subject_direction(subject, n, x), subject_direction(subject, np, p),
                               verify_random(v, n)};
    for (size_t k = 0; k < all && k < MOST_ENTRIES; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        const size_t q = all <= MOST_ENTRIES ? k : (size_t)verify_integer(v, 0, (long)all - 1);
        if (q < n)
            note_entry(&worst, subject, &place, x, q, 0, "x", &of);
        else
            note_parameter(&worst, subject, &place, usual, p, q - n, &of);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    verify_judge_or(&result, &worst, "rhs has no values on both sides of 0, for any entry");
    verify_blame(&result, CAUSE_exact_zero, 0.95);
    verify_close(v, &result);
}
