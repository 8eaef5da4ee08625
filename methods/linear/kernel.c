/* What kernels share, see kernel.h: complex lanes as pairs of numbers and back, functions of libraries. */
#include "kernel.h"

#include <dlfcn.h>

/* ---- pairs --------------------------------------------------------------------------------------------- */

static sens_real *pair_of(const struct sens_kernel_pairs *how, const sens_real *pairs, size_t i, size_t c)
{
    return (sens_real *)pairs + 2 * (i * how->down + c * how->right);
}

void sens_kernel_to_pairs(const struct sens_kernel_pairs *how, const sens_real *X, sens_real *pairs)
{
    for (size_t i = 0; i < how->n; i++)
        for (size_t c = 0; c < how->count; c++) {
            const sens_real *const lane = X + 2 * i * how->L + how->first + c;
            pair_of(how, pairs, i, c)[0] = lane[0];
            pair_of(how, pairs, i, c)[1] = lane[how->L];
        }
}

void sens_kernel_from_pairs(const struct sens_kernel_pairs *how, const sens_real *pairs, sens_real *X)
{
    for (size_t i = 0; i < how->n; i++)
        for (size_t c = 0; c < how->count; c++) {
            sens_real *const lane = X + 2 * i * how->L + how->first + c;
            lane[0] = pair_of(how, pairs, i, c)[0];
            lane[how->L] = pair_of(how, pairs, i, c)[1];
        }
}

/* ---- libraries ----------------------------------------------------------------------------------------- */

bool sens_kernel_function(const char *library, const char *name, void *place)
{
    void *const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *const function = loaded ? dlsym(loaded, name) : NULL;
    if (loaded) dlclose(loaded); /* it stays */
    if (function) *(void **)place = function;
    return function;
}

#ifndef SENS_EXTENDED
/* OpenBLAS has these two; the reference LAPACK, which keeps nothing between its calls, has not. */
static bool shares_a_buffer(const char *library)
{
    int (*parallel)(void) = NULL;
    return sens_kernel_function(library, "openblas_get_parallel", &parallel) && parallel() == 0;
}

static void take_one_thread(const char *library)
{
    void (*set_threads)(int) = NULL;
    if (sens_kernel_function(library, "openblas_set_num_threads", &set_threads)) set_threads(1);
}

bool sens_kernel_blas_functions(const char *library, size_t count, const struct sens_kernel_name *wanted,
                                pthread_mutex_t **alone)
{
    static pthread_mutex_t one_caller = PTHREAD_MUTEX_INITIALIZER; /* the buffer is the process's, too */
    for (size_t k = 0; k < count; k++)
        if (!sens_kernel_function(library, wanted[k].name, wanted[k].place)) return false;
    take_one_thread(library);
    *alone = shares_a_buffer(library) ? &one_caller : NULL;
    return true;
}
#endif
