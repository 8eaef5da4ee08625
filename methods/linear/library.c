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
