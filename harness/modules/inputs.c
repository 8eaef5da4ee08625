/* What was loaded beside the program, as one number, see modules.h. */
#include "files.h"
#include "modules.h"

static unsigned long sum; /* as the tables that the files fill, the process' */

bool inputs_note(const char *path, struct bench_error *error)
{
    unsigned long one;
    if (!file_sum(path, &one)) return bench_refuse(error, "%s: it cannot be read again", path);
    sum += one;
    return true;
}

unsigned long inputs_sum(void)
{
    return sum;
}
