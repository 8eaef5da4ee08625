/* Files of numbers: as they are, as the parameters and the initial state of a problem, as the (named)
 * data of a cost. */
#include <math.h>
#include <stdlib.h>

#include "files.h"

#include "fuzz.h"

static void read_plain(const char *path, size_t expect)
{
    struct bench_error error = {.text = ""};
    double *number = NULL;
    size_t count = 0;
    if (!read_numbers(path, numbers_any(expect), &number, &count, &error)) {
        fuzz_refusal(&error);
        return;
    }
    fuzz_promise(count > 0 && (!expect || count == expect), "as many numbers as were asked for");
    for (size_t i = 0; i < count; i++) fuzz_promise(isfinite(number[i]), "every number is finite");
    free(number);
}

struct pair {
    const char *key, *value; /* value NULL: the file */
};

static void resolve(const char *path, const struct pair *pair)
{
    struct spec spec = {.count = 0};
    struct bench_error error;
    for (; pair->key; pair++)
        fuzz_promise(spec_set(&spec, pair->key, pair->value ? pair->value : path, "fuzz", &error),
                     "these keys can be set");
    fuzz_resolve(&spec);
    spec_free(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pair params[] = {
        {"problem", "vdp"}, {"method", "discrete_adjoint"}, {"params", NULL}, {NULL, NULL}};
    static const struct pair state[] = {
        {"problem", "glv"}, {"n", "2"},           {"method", "discrete_tangent"},
        {"x0", NULL},       {"cost", "terminal"}, {NULL, NULL}};
    static const struct pair tracked[] = {{"problem", "decay"},
                                          {"method", "discrete_adjoint"},
                                          {"cost", "tracking"},
                                          {"data", NULL},
                                          {NULL, NULL}};
    struct fuzz_file file = fuzz_file_create(data, size);
    read_plain(file.path, 0);
    read_plain(file.path, 3);
    resolve(file.path, params);
    resolve(file.path, state);
    resolve(file.path, tracked);
    fuzz_file_close(&file);
    return 0;
}
