/* Tolerances, see tolerances.h. */
#include "tolerances.h"

#include <string.h>
#include <unistd.h>

/* One of the two, as given. */
struct side {
    const char *key;
    const struct spec_pair *given; /* NULL: not */
    char *file;                    /* [size]; stays "" without one */
    size_t size;
    double number;
    const double *of; /* [n]; NULL: the number, for all */
};

static bool is_number(const char *text)
{
    double number;
    return read_number(text, &number);
}

static sens_status read_file(struct resolution *re, struct side *side)
{
    const struct bench_key *key = bench_key_find(side->key);
    const char *const path = side->given->value;
    char range[RANGE_TEXT];
    size_t count;
    key_range(key, range);
    if (access(path, F_OK) != 0)
        refuse_pair(re->error, side->given, "neither a number nor a file; allowed: %s", range);
    else if (!(re->method->caps & SENS_CAP_COMPONENTS))
        refuse_pair(re->error, side->given, "method %s takes one number for all components, no file",
                    re->method->name);
    else if (strlen(path) >= side->size)
        refuse_pair(re->error, side->given, "a path of %zu characters or more", side->size);
    else {
        strcpy(side->file, path);
        const struct numbers_wanted wanted = {re->cell->problem.n, key->min, key->max};
        return pair_numbers(re->ctx, side->given, wanted, &side->of, &count, re->error);
    }
    return SENS_BAD_INPUT;
}

static sens_status read_side(struct resolution *re, struct side *side)
{
    struct key_value value;
    side->given = resolve_given(re, side->key);
    if (!side->given) return SENS_OK;
    if (!is_number(side->given->value)) return read_file(re, side);
    if (!key_value(bench_key_find(side->key), side->given, &value, re->error)) return SENS_BAD_INPUT;
    side->number = value.number;
    return SENS_OK;
}

/* What is not given follows from the other, or from tol, if that is one number. */
static bool complete(const struct resolution *re, struct side *rtol, struct side *atol)
{
    const struct side *one = rtol->given ? rtol : atol;
    struct key_value both;
    if (rtol->given && atol->given) return true;
    if (one->of)
        return refuse_pair(re->error, one->given, "needs %s=NUMBER or FILE beside it",
                           one == rtol ? atol->key : rtol->key);
    if (!resolve_value(re, "tol", &both)) return false;
    const double number = one->given ? one->number : both.number;
    if (number > 1) return refuse_pair(re->error, one->given, "as rtol out of range; allowed: at most 1");
    rtol->number = atol->number = number;
    return true;
}

static double component(const struct side *side, size_t i)
{
    return side->of ? side->of[i] : side->number;
}

static bool check_zero(const struct resolution *re, const struct side *rtol, const struct side *atol)
{
    const struct spec_pair *given = rtol->given ? rtol->given : atol->given;
    const bool each = rtol->of || atol->of;
    for (size_t i = 0; i < (each ? re->cell->problem.n : 1); i++) {
        if (component(rtol, i) > 0 || component(atol, i) > 0) continue;
        return each ? refuse_pair(re->error, given, "rtol and atol of component %zu are both 0", i + 1)
                    : refuse_pair(re->error, given, "rtol and atol are both 0");
    }
    return true;
}

/* The parts of the state, and the least of each tolerance. */
static sens_status set_parts(struct resolution *re, const struct side *rtol, const struct side *atol)
{
    struct sens_task *task = &re->cell->task;
    const size_t n = re->cell->problem.n;
    struct sens_ode_part *part = SENS_NEW(re->ctx, struct sens_ode_part, n);
    if (!part) {
        refuse_pair(re->error, (rtol->of ? rtol : atol)->given, "no memory for %zu tolerances", n);
        return SENS_NO_MEMORY;
    }
    for (size_t i = 0, k = 0; i < n; i++) {
        const double r = component(rtol, i), a = component(atol, i);
        task->rtol = i == 0 || r < task->rtol ? r : task->rtol;
        task->atol = i == 0 || a < task->atol ? a : task->atol;
        if (i > 0 && part[k].rtol == r && part[k].atol == a) {
            part[k].count++;
            continue;
        }
        k = task->n_tolerances++;
        part[k] = (struct sens_ode_part){1, r, a, true};
    }
    task->tolerance = part;
    return SENS_OK;
}

sens_status resolve_tolerances(struct resolution *re)
{
    struct cell *cell = re->cell;
    const struct spec_pair *tol = resolve_given(re, "tol");
    struct side rtol = {.key = "rtol", .file = cell->rtol_file, .size = sizeof cell->rtol_file},
                atol = {.key = "atol", .file = cell->atol_file, .size = sizeof cell->atol_file};
    sens_status status = read_side(re, &rtol);
    if (status == SENS_OK) status = read_side(re, &atol);
    if (status != SENS_OK) return status;
    const struct spec_pair *one = rtol.given ? rtol.given : atol.given, *any = tol ? tol : one;
    if (any && cell_is_fixed(cell)) {
        refuse_pair(re->error, any, "controller=fixed has no error control");
        return SENS_BAD_INPUT;
    }
    if (tol && one) {
        refuse_pair(re->error, tol, "together with %s", one->key);
        return SENS_BAD_INPUT;
    }
    if (!complete(re, &rtol, &atol) || !check_zero(re, &rtol, &atol)) return SENS_BAD_INPUT;
    if (rtol.of || atol.of) return set_parts(re, &rtol, &atol);
    cell->task.rtol = rtol.number;
    cell->task.atol = atol.number;
    return SENS_OK;
}
