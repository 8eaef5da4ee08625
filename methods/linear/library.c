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

#ifdef SENS_KERNEL_HAS_LAPACK
/* OpenBLAS has these two; the reference LAPACK, which keeps nothing between its calls, has not. */
static bool shares_a_buffer(void)
{
    int (*parallel)(void) = NULL;
    return sens_kernel_function(SENS_LAPACK_LIBRARY, "openblas_get_parallel", &parallel) && parallel() == 0;
}

static void take_one_thread(void)
{
    void (*set_threads)(int) = NULL;
    if (sens_kernel_function(SENS_LAPACK_LIBRARY, "openblas_set_num_threads", &set_threads)) set_threads(1);
}

bool sens_kernel_lapack_functions(size_t count, const struct sens_kernel_name *wanted,
                                  pthread_mutex_t **alone)
{
    static pthread_mutex_t one_caller = PTHREAD_MUTEX_INITIALIZER; /* the buffer is the process's, too */
    for (size_t k = 0; k < count; k++)
        if (!sens_kernel_function(SENS_LAPACK_LIBRARY, wanted[k].name, wanted[k].place)) return false;
    take_one_thread();
    *alone = shares_a_buffer() ? &one_caller : NULL;
    return true;
}
#endif
