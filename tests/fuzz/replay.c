/* replay FOLDER - runs a fuzz target on every file of a folder, in the order of the names. What the fuzzer
 * once found stays found by every compiler. Exit 1 when there is nothing to run. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The whole file; NULL with a message on stderr. */
static uint8_t *read_input(const char *path, size_t *size)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    const bool sized = file && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
    *size = sized ? (size_t)info.st_size : 0;
    uint8_t *bytes = sized ? malloc(*size ? *size : 1) : NULL; /* no spare byte: ASan sees a read past it */
    const bool read = bytes && fread(bytes, 1, *size, file) == *size;
    if (file) fclose(file);
    if (read) return bytes;
    fprintf(stderr, "replay: %s cannot be read\n", path);
    free(bytes);
    return NULL;
}

static bool replay(const char *folder, const char *name)
{
    char path[4096];
    size_t size;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
    uint8_t *bytes = read_input(path, &size);
    if (!bytes) return false;
    fprintf(stderr, "replay: %s\n", path); /* the last one named is the one that failed */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return true;
}

int main(int argc, char **argv)
{
    struct dirent **entry = NULL;
    const int count = argc == 2 ? scandir(argv[1], &entry, is_input, alphasort) : -1;
    int done = 0;
    if (!freopen("/dev/null", "w", stdout)) return EXIT_FAILURE; /* what commands print */
    for (int i = 0; i < count; i++) {
        done += replay(argv[1], entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    fprintf(stderr, "replay: %d of %d inputs\n", done, count);
    return count > 0 && done == count ? EXIT_SUCCESS : EXIT_FAILURE;
}
