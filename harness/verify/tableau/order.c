/* The order of a formula from its errors, see order.h. */
#include "order.h"

#include <math.h>

static const double MISSING = 0.5; /* of an order: a slope at the fine end is no whole number */

/* NaN: the errors do not fall. */
static double slope_of(const struct ladder *ladder)
{
    double slope;
    return ladder_slope(ladder, &slope) ? slope : NAN;
}

bool order_is_met(const struct ladder *ladder, int order)
{
    return slope_of(ladder) >= order - MISSING;
}

void order_judge(const struct ladder *ladder, int order, struct verify_result *result)
{
    const double slope = slope_of(ladder);
    struct worst worst = {0};
    char words[VERIFY_SUBJECT];
    ladder_words(ladder, words);
    worst_note(&worst, ladder_missing(order, slope), MISSING,
               "error falls as h^%.2f, declared %d, errors for halved steps %s; order - slope", slope, order,
               words);
    verify_judge(result, &worst);
}
