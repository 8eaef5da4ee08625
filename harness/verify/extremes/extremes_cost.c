/* extremes.cost: the gradient of 2^-100 G is 2^-100 that of G. */
#include "decorate.h"
#include "extremes.h"
#include "trial.h"

enum { SMALL = -100 }; /* 2^-100 = 8e-31 */

static void turn_back(const struct bed *bed)
{
    static const enum sens_part parts[] = {SENS_PART_G, SENS_PART_DGDP, SENS_PART_DGDX0};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (size_t q = 0; bed->out.part[parts[k]] && q < bed_count(bed, parts[k]); q++)
            bed->out.part[parts[k]][q] = ldexp(bed->out.part[parts[k]][q], -SMALL);
}

void extremes_check_cost(struct verify *v)
{
    const struct scene_settings settings = trial_settings(v, 3);
    struct worst worst = {.count = 0};
    struct scene scene;
    struct sens_out apart;
    const bool created = scene_create(v, &settings, &scene);
    struct verify_result result = verify_open("extremes.cost", scene.module, scene.subject);
    if (v->method->derivative == SENS_DERIVATIVE_CONTINUOUS) {
        verify_skip(&result, "the tolerance of a continuous derivative is absolute");
    } else if (created && bed_solve(&scene.bed) == SENS_OK && trial_apart(&scene, &apart) == SENS_OK) {
        const struct sens_out first = bed_keep(&scene.bed);
        struct sens_cost small;
        struct bed bed;
        decorate_multiply_cost(v, &scene.bed.cost, SMALL, &small);
        trial_decorated(&scene, &scene.bed.problem, &small, &bed);
        bed_solve(&bed);
        turn_back(&bed);
        trial_compare_anew(&worst, &bed, &scene.bed.grid, &first, &apart, "2^-100 G:");
        verify_judge(&result, &worst);
        bed_free(&bed);
    } else {
        trial_skip(&scene.bed, &result);
    }
    verify_blame(&result, CAUSE_scale_threshold, 0.97);
    verify_close(v, &result);
    scene_free(&scene);
}
