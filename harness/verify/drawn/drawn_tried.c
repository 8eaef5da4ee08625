/* Between which ends the tasks lay that a method solved in the unit. */
#include <stdio.h>
#include <string.h>

#include "drawn.h"

static const char *const names[TRIED_AXES] = {
    [TRIED_N] = "n",
    [TRIED_NP] = "np",
    [TRIED_M] = "m",
    [TRIED_STEPS] = "steps",
    [TRIED_OBSERVATIONS] = "observations",
    [TRIED_LANES] = "lanes",
    [TRIED_THREADS] = "threads",
    [TRIED_RTOL] = "rtol",
    [TRIED_ATOL] = "atol",
    [TRIED_T0] = "t0",
    [TRIED_LENGTH] = "t1 - t0",
};

void drawn_tell_tried(struct verify *v)
{
    const struct verify_tried *const tried = &v->tried;
    char words[VERIFY_TEXT / 2] = "";
    struct verify_result result = verify_open("drawn.tried", v->module, "all tasks of drawn");
    for (int k = 0; tried->tasks > 0 && k < TRIED_AXES; k++) {
        const size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%s %.3g", used ? ", " : "", names[k], tried->least[k]);
        if (tried->least[k] == tried->most[k]) continue;
        snprintf(words + strlen(words), sizeof words - strlen(words), " to %.3g", tried->most[k]);
    }
    verify_skip(&result, "tried in %ld solves: %s", tried->tasks, words);
    verify_close(v, &result);
}
