/* harness/verify/report/verify_ranking.h - the probable causes of all failures of a module together.
 *
 * Over the failures of the module that name a cause at all,
 *     score(cause) = (max weight + mean weight) / 2,
 * so that a cause that reproduces one failure exactly counts, and one that fits them all counts as well.
 * Where a specific cause reproduces a failure, a general one (cause_is_general) has half its score: it fits
 * as well, and says less. */
#ifndef VERIFY_RANKING_H
#define VERIFY_RANKING_H

#include "check.h"

struct ranked_cause {
    const char *name; /* of causes.h */
    double score, max;
};
struct ranked_module { /* that has a failure */
    char module[VERIFY_NAME];
    size_t failures, causes;
    size_t unmade;                          /* of the failures: required checks that were skipped */
    struct ranked_cause cause[CAUSE_COUNT]; /* best first; equal ones by max, then in the order of causes.h */
};
struct ranking { /* modules in the order of their first failures */
    size_t count;
    struct ranked_module *module;
};

enum { RANKING_SHOWN = 3 }; /* causes that are told to people */

/* false without memory; else ranking_free. */
bool ranking_create(size_t count, const struct verify_result *const *result, struct ranking *ranking);
void ranking_free(struct ranking *ranking);

#endif
