/* What a sweep was given beside the program: the modules, models and contenders that were loaded (modules.h), and the
 * files that keys of its cells name, by the sum of their CRC-32. Names do not count: a folder may be moved. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "modules.h"
#include "sweep_file.h"

struct names { /* of files that are in the sum */
    const char **name;
    size_t count;
};

static bool is_known(const struct names *names, const char *name)
{
    for (size_t k = 0; k < names->count; k++)
        if (strcmp(names->name[k], name) == 0) return true;
    return false;
}

/* A value that is the name of a file, whatever its key is: one more in the sum does no harm. */
static bool is_file(const char *value)
{
    struct stat about;
    return stat(value, &about) == 0 && S_ISREG(about.st_mode);
}

static bool add_file(struct names *names, const char *name, unsigned long *sum)
{
    unsigned long one;
    const char **more = realloc(names->name, (names->count + 1) * sizeof *more);
    if (!more) return false;
    names->name = more;
    names->name[names->count++] = name;
    if (file_sum(name, &one)) *sum += one; /* else its cells will say so */
    return true;
}

bool sweep_inputs(const struct sweep *sweep, unsigned long *sum)
{
    struct names names = {NULL, 0};
    bool ok = true;
    *sum = inputs_sum();
    for (size_t c = 0; c < sweep->count; c++)
        for (size_t k = 0; k < sweep->cell[c].count; k++) {
            const char *const value = sweep->cell[c].pair[k].value;
            if (ok && is_file(value) && !is_known(&names, value)) ok = add_file(&names, value, sum);
        }
    free(names.name);
    return ok;
}
