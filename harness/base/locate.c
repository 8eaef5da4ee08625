/* Where the program's own data are: beside the installed program, else in the source tree it
 * was built from. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "locate.h"

void program_folder(char path[DATA_PATH])
{
    const ssize_t length = readlink("/proc/self/exe", path, DATA_PATH - 1);
    path[length > 0 ? length : 0] = '\0';
    char *const slash = strrchr(path, '/');
    strcpy(slash ? slash : path, slash ? "" : ".");
}

bool data_folder(int place, const char *installed, const char *in_source, char path[DATA_PATH])
{
    char program[DATA_PATH];
    program_folder(program);
    const int length =
        place == 0 ? snprintf(path, DATA_PATH, "%s/%s/%s", program, SENS_DATA_FROM_PROGRAM_TEXT, installed)
                   : snprintf(path, DATA_PATH, "%s/%s", SENS_SOURCE_DIR_TEXT, in_source);
    return length > 0 && length < DATA_PATH && access(path, X_OK) == 0;
}
