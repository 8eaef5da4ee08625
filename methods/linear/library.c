/* Functions of the libraries behind kernels, see kernel.h. */
#include <dlfcn.h>

#include "kernel.h"

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
