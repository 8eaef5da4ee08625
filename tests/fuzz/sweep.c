/* Sweep files: whatever is in one, it is refused with a message or becomes cells, in both profiles. A file
 * that includes "40" includes itself (see fuzz_file). */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "sweep.h"

static void check_order(const struct sweep *sweep)
{
    size_t *order = sweep_order(sweep);
    bool *seen = calloc(sweep->count, sizeof *seen);
    for (size_t i = 0; order && seen && i < sweep->count; i++) {
        fuzz_promise(order[i] < sweep->count && !seen[order[i]], "each cell is run once");
        seen[order[i]] = true;
    }
    free(seen);
    free(order);
}

static void check_cells(const struct sweep *sweep)
{
    fuzz_promise(sweep->count > 0 && sweep->count <= SWEEP_CELLS_MAX, "an accepted sweep has cells");
    for (size_t i = 0; i < sweep->count; i++) {
        char *identity = spec_identity(&sweep->cell[i]);
        fuzz_promise(!identity || strlen(identity) < RECORD_TEXT, "the name of a cell fits its column");
        free(identity);
    }
}

static void read_profile(const char *path, bool quick)
{
    struct sweep sweep;
    struct bench_error error = {.text = ""};
    if (!sweep_read(path, quick, &sweep, &error)) {
        fuzz_refusal(&error);
        return;
    }
    fuzz_promise(!strchr(sweep.name, '/') && sweep.name[0] != '.', "the name of a sweep is one folder's");
    check_cells(&sweep);
    check_order(&sweep);
    sweep_free(&sweep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file_create(data, size);
    read_profile(file.path, false);
    read_profile(file.path, true);
    fuzz_file_close(&file);
    return 0;
}
