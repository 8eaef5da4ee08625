/* Files of one line: see first_line.h. */
#include "first_line.h"

#include <stdio.h>

enum { PATH_ROOM = 16384 };

bool first_line(const char *folder, const char *name, size_t size, char *line)
{
    char path[PATH_ROOM];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = length > 0 && length < PATH_ROOM ? fopen(path, "re") : NULL;
    const bool ok = file && fgets(line, (int)size, file);
    if (file) fclose(file);
    if (!ok) line[0] = '\0';
    return ok;
}
