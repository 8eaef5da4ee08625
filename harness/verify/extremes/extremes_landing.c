/* extremes.landing: a step ends where a stop is, and not nearly there.
 *
 *     x' = p v cos(v t),   x(t1) = x0 + p sin(v t1)
 *
 * asks for steps of one length, whatever the method. Observations are 1.2 to 3.2 of them apart, at random, so that the
 * step before a stop falls short of it by any part of itself: by less than a thousandth once in a thousand. A method
 * that takes such a step for one that has arrived is off by what is missing, for good. */
#include "extremes.h"

enum {
    STOPS = 3000,
    QUICK_STOPS = 1500,
    FEW_STEPS = 20000, /* of the first solve, over one swing or so */
    MOST_STEPS = 200000
};
static const double TIGHTEST = 1e-10, LOOSEST = 1e-6, LOOSER = 100;
static const double FIRST_SWING = 2, LEAST_GAP = 1.2, MOST_GAP = 3.2; /* in steps */

/* The steps over the interval where nothing is observed before its end; 0: it is not solved in some thousands. */
static double count_steps(struct verify *v, double tolerance)
{
    struct bed bed;
    extremes_create(v, (struct extremes_shape){.swing = FIRST_SWING}, EXTREMES_SLOPE, 1, &EXTREMES_LENGTH,
                    &bed);
    bed_tolerance(&bed, tolerance);
    bed.task.max_steps = FEW_STEPS;
    const double steps = bed_solve(&bed) == SENS_OK ? (double)bed.work.steps : 0;
    bed_free(&bed);
    return steps;
}

/* As many gaps, drawn; they end with the interval. */
static double *draw_stops(struct verify *v, size_t count)
{
    double *const at = verify_array(v, count), sum = 0;
    for (size_t j = 0; j < count; j++) at[j] = sum += verify_uniform(v, LEAST_GAP, MOST_GAP);
    for (size_t j = 0; j < count; j++) at[j] *= EXTREMES_LENGTH / sum;
    at[count - 1] = EXTREMES_LENGTH;
    return at;
}

/* `steps`: over the interval, of the first swing. */
static void land(struct verify *v, double tolerance, double steps, struct worst *worst,
                 struct verify_result *result)
{
    const size_t count = v->quick ? QUICK_STOPS : STOPS;
    const double wanted = (double)count * (LEAST_GAP + MOST_GAP) / 2;
    struct bed bed;
    extremes_create(v, (struct extremes_shape){.swing = FIRST_SWING * wanted / steps}, EXTREMES_SLOPE, count,
                    draw_stops(v, count), &bed);
    bed_tolerance(&bed, tolerance);
    bed.task.max_steps = MOST_STEPS;
    const double x = EXTREMES_START + EXTREMES_SLOPE * extremes_integral(&bed.problem, EXTREMES_LENGTH);
    if (bed_solve(&bed) != SENS_OK)
        verify_skip(result, "%s: %s", sens_status_name(bed.status), bed.message);
    else
        worst_note_in(worst, SENS_IN_X, fabs(bed.out.x[0] - x),
                      EXTREMES_NORMS * (double)bed.work.steps * tolerance * (1 + fabs(x)),
                      "x is %.12g behind %zu stops, right is %.12g", bed.out.x[0], count, x);
    bed_free(&bed);
}

void extremes_check_landing(struct verify *v)
{
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("extremes.landing", v->module,
                                              "x' = p v cos(v t), seen at random times, some steps apart");
    double tolerance = TIGHTEST, steps = 0;
    const bool applies = v->method->caps & SENS_CAP_TOLERANCE && v->method->caps & SENS_CAP_OBSERVATIONS &&
                         v->method->derivative != SENS_DERIVATIVE_DIFFERENCE;
    while (applies && tolerance <= LOOSEST && (steps = count_steps(v, tolerance)) < 1) tolerance *= LOOSER;
    if (!applies)
        verify_skip(
            &result,
            "the method takes no tolerance or no observations, or its quotients no steps of their own");
    else if (steps < 1)
        verify_skip(&result, "the method tells no steps, or takes more than %d for one swing", FEW_STEPS);
    else
        land(v, tolerance, steps, &worst, &result);
    if (worst.count) verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_lands_beside, 0.98);
    verify_close(v, &result);
}
