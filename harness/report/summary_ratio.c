/* Quotients of the median times of two rows, with intervals that have a level of their own.
 *
 * With [a, b] and [c, d] the intervals of the two medians, which cover them with 1 - alpha and 1 - beta, the
 * quotient is in [a / d, b / c] with 1 - alpha - beta at least (Bonferroni), whatever the two have to do with
 * each other. The ends are order statistics, so that alpha and beta follow from the number of samples alone
 * (stats.h). Rows keep the intervals of 97.5 %, for a level of 95 %; rows of before have those of 95 % alone,
 * for a level of 90 %. */
#include <math.h>

#include "stats.h"
#include "summary.h"

struct interval {
    double lo, hi, level;
};

/* Of the median time of a row, wide or not. */
static struct interval interval_of(const struct record *row, bool wide)
{
    const size_t samples = row->number[COL_samples] > 0 ? (size_t)row->number[COL_samples] : 0;
    return (struct interval){row->number[wide ? COL_t_lo_wide_s : COL_t_lo_s],
                             row->number[wide ? COL_t_hi_wide_s : COL_t_hi_s],
                             stats_coverage(samples, wide ? STATS_WIDE_LEVEL : STATS_LEVEL)};
}

static bool has_wide(const struct record *row)
{
    return isfinite(row->number[COL_t_lo_wide_s]) && isfinite(row->number[COL_t_hi_wide_s]);
}

struct ratio summary_ratio(const struct record *over, const struct record *under)
{
    if (!row_ok(over) || !row_ok(under)) return (struct ratio){NAN, NAN, NAN, NAN};
    const bool wide = has_wide(over) && has_wide(under);
    const struct interval a = interval_of(over, wide), b = interval_of(under, wide);
    return (struct ratio){over->number[COL_t_total_s] / under->number[COL_t_total_s], a.lo / b.hi,
                          a.hi / b.lo, fmax(a.level + b.level - 1, 0)};
}

struct ratio summary_ratio_to(const struct record *row, double seconds)
{
    if (!row_ok(row)) return (struct ratio){NAN, NAN, NAN, NAN};
    const struct interval a = interval_of(row, false);
    return (struct ratio){row->number[COL_t_total_s] / seconds, a.lo / seconds, a.hi / seconds, a.level};
}

void summary_ratio_text(struct ratio ratio, int digits, char text[RATIO_TEXT])
{
    const double percent = floor(100 * ratio.level + 1e-9); /* at least; 0.95 is 95, and not 94.99... */
    if (ratio.level > 0 && isfinite(ratio.lo) && isfinite(ratio.hi))
        snprintf(text, RATIO_TEXT, "%.*f [%.*f, %.*f] %.0f %%", digits, ratio.value, digits, ratio.lo, digits,
                 ratio.hi, percent);
    else
        snprintf(text, RATIO_TEXT, "%.*f [no interval]", digits, ratio.value);
}
