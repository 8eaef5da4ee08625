/* A loop that is unrolled, or a rule that takes steps in pairs, forgets what is left over: the sizes that are
 * wrong are then every second, fourth or eighth, or all but these. A limit is another thing: past it all are
 * wrong. */
#include "remainder.h"

#include <stdio.h>
#include <string.h>

enum { WINDOW = 9 }; /* a period of 8 is seen once */

static bool repeats(const bool wrong[WINDOW], int period)
{
    for (int k = 0; k + period < WINDOW; k++)
        if (wrong[k] != wrong[k + period]) return false;
    return true;
}

bool remainder_blame(bool (*wrong)(const void *self, long size), const void *self, long size,
                     const char *name, struct verify_result *result)
{
    bool is_wrong[WINDOW];
    char words[VERIFY_NAME] = "";
    int count = 0;
    for (int k = 0; k < WINDOW; k++) {
        const size_t used = strlen(words);
        is_wrong[k] = wrong(self, size + k);
        if (is_wrong[k]) snprintf(words + used, sizeof words - used, " %ld", size + k);
        count += is_wrong[k];
    }
    if (!is_wrong[0] || count == WINDOW) return false;
    for (int period = 2; period < WINDOW; period *= 2) {
        if (!repeats(is_wrong, period)) continue;
        verify_say(result, "of %s = %ld to %ld it shows with%s alone: every %s", name, size,
                   size + WINDOW - 1, words,
                   period == 2   ? "second"
                   : period == 4 ? "fourth"
                                 : "eighth");
        verify_blame(result, CAUSE_remainder, 0.97);
        return true;
    }
    return false;
}
