/* The rungs of refinement.h. */
#include "refinement.h"

#include <stdio.h>
#include <string.h>

/* An option refines when it makes the steps this many times as many, at least. */
static const double GROWS = 1.5;
static const double FIRST_TOL = 1e-4, LAST_TOL = 1e-11;
enum { FIRST_STEPS = 8 };

static const struct sens_option *option_of(const struct bed *bed, size_t i)
{
    return &bed->method->options[i];
}

static bool takes(const struct sens_option *option, double value)
{
    const bool number = option->kind == SENS_OPT_INT || option->kind == SENS_OPT_REAL;
    const bool whole = option->kind == SENS_OPT_REAL || value == floor(value);
    return number && whole && value >= option->min && value <= option->max;
}

long refinement_steps(const struct bed *bed)
{
    return bed->grid.steps > bed->work.steps ? bed->grid.steps : bed->work.steps;
}

/* Does the option, so changed, make the steps more than `before`? */
static bool grows(struct bed *bed, size_t i, double factor, long before)
{
    const double kept = bed->option[i].number, value = kept * factor;
    if (!takes(option_of(bed, i), value) || value == kept) return false;
    bed->option[i].number = value;
    const bool more = bed_solve(bed) == SENS_OK && (double)refinement_steps(bed) >= GROWS * (double)before;
    bed->option[i].number = kept;
    return more && before > 0;
}

static struct refinement find_option(struct bed *bed)
{
    static const double factors[] = {2, 0.5};
    const long before = bed_solve(bed) == SENS_OK ? refinement_steps(bed) : 0;
    for (size_t i = 0; i < sens_option_count(bed->method->options); i++)
        for (size_t k = 0; k < sizeof factors / sizeof *factors; k++)
            if (grows(bed, i, factors[k], before))
                return (struct refinement){.way = BY_OPTION, .option = i, .factor = factors[k]};
    return (struct refinement){.way = BY_INTERVAL};
}

struct refinement refinement_find(struct scene *scene)
{
    struct bed *bed = &scene->bed;
    if (bed->method->caps & SENS_CAP_TOLERANCE) return (struct refinement){.way = BY_TOLERANCE};
    if (bed_is_fixed(&scene->bed)) return (struct refinement){.way = BY_STEP};
    return find_option(bed);
}

bool refinement_take(struct bed *bed, const struct refinement *by, int k, double *h)
{
    const double base = by->way == BY_OPTION ? option_of(bed, by->option)->fallback : 0;
    /* A formula of its own may be of low order, and a small tolerance take it too many steps. */
    const bool few = bed->v->quick && (bed->method->caps & SENS_CAP_TABLEAU);
    *h = pow(2, -k);
    switch (by->way) {
    case BY_TOLERANCE:
        *h = FIRST_TOL * pow(few ? 1e-3 : 1e-2, k);
        bed_tolerance(bed, *h);
        return *h > LAST_TOL;
    case BY_STEP:
        bed->task.dt = *h * (bed->problem.t1 - bed->problem.t0) / FIRST_STEPS;
        return true;
    case BY_OPTION:
        bed->option[by->option].number = base * pow(by->factor, k);
        return takes(option_of(bed, by->option), bed->option[by->option].number);
    default:
        return false;
    }
}

bool refinement_turn_parity(struct bed *bed, const struct refinement *by, int k)
{
    const bool option = by->way == BY_OPTION && by->factor > 1;
    if (!option && by->way != BY_STEP) return false;
    const double base = option ? option_of(bed, by->option)->fallback : FIRST_STEPS;
    const double eighth = floor(base * exp2(k) / 8);
    const double steps = 8 * (fmod(eighth, 2) == 0 ? eighth + 1 : eighth - 1);
    if (steps < 8) return false;
    if (!option) {
        bed->task.dt = (bed->problem.t1 - bed->problem.t0) / steps;
        return true;
    }
    if (!takes(option_of(bed, by->option), steps)) return false;
    bed->option[by->option].number = steps;
    return true;
}

void refinement_say(const struct scene *scene, const struct refinement *by, char subject[VERIFY_SUBJECT])
{
    const char *const option = by->way == BY_OPTION ? option_of(&scene->bed, by->option)->name : "";
    const char *const words[] = {[BY_TOLERANCE] = "tolerances fall",
                                 [BY_STEP] = "dt halved",
                                 [BY_OPTION] = by->factor > 1 ? " doubled" : " halved",
                                 [BY_INTERVAL] = "nothing refines its steps: shorter intervals"};
    snprintf(subject, VERIFY_SUBJECT, "%.*s, %s%s", (int)strcspn(scene->subject, ","), scene->subject, option,
             words[by->way]);
}
