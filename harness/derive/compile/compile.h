/* harness/derive/compile/compile.h - from C text to functions that can be called.
 *
 * The system's compiler makes a shared object of the text, which is kept in a cache and loaded. The compiler
 * is run with a list of arguments and never by a shell; it works in a folder of its own, under names that are
 * ours, so that no name of anyone's is among the arguments.
 *
 * The cache is SENSBENCH_CACHE, else sensbench in $XDG_CACHE_HOME, else in ~/.cache. SENSBENCH_CACHE empty or
 * `none`, or none of the three set: nothing is kept, the work is done in a private folder below $TMPDIR (else
 * /tmp) that is removed. An entry is named by the SHA-256 of all that it depends on, and ends with its own
 * length and SHA-256. It is looked up, checked and loaded through one descriptor. Folder and entry must belong
 * to the user, and nobody else may write to them: otherwise they are refused, and nothing of them is run.
 *
 * Nothing here is a global: two processes, or two threads, may do all of this at once. */
#ifndef DERIVE_COMPILE_H
#define DERIVE_COMPILE_H

#include <stdbool.h>

#include "refuse.h"
#include "sens/status.h"

enum { COMPILER_PATH = 4096, COMPILER_ABOUT = 160, COMPILE_KEY = 64 };

struct compiler {
    char path[COMPILER_PATH];
    char about[COMPILER_ABOUT];     /* the first line of what it says of its version */
    char identity[COMPILE_KEY + 1]; /* hash of path, length, time of change and version */
};
/* $CC, where it is one name or an absolute path; else the first of gcc, cc, clang in PATH. Asks it for its
 * version. SENS_UNAVAILABLE and a sentence: there is none. */
sens_status compiler_find(struct compiler *compiler, struct bench_error *error);

struct compile_request {
    const char *source; /* C11, ended by NUL */
    const char *isa;    /* baseline, avx2 or avx512: the flags of that variant of the program */
    int level;          /* of optimisation, 2 or 3 */
    double limit;       /* seconds; 0: 60 */
};
struct compiled {
    void *handle;              /* of dlopen; NULL: none */
    char key[COMPILE_KEY + 1]; /* the name of its entry, in hexadecimal digits */
    bool was_kept;             /* it was in the cache */
    double seconds;            /* that the compiler took; 0 where it was in the cache */
};

/* Loads the object of this text, compiled now where the cache has none or one that is damaged. To be given to
 * compiled_close; one that is not stays until the process ends. On failure a sentence, and nothing is loaded:
 *     SENS_UNAVAILABLE  the compiler refuses the text or dies, or cache or entry are not the user's alone
 *     SENS_TIMEOUT      the compiler was stopped at the limit
 *     SENS_IO_ERROR     a file cannot be written or read, the disk is full
 *     SENS_BAD_INPUT    no such isa or level
 *     SENS_NO_MEMORY */
sens_status compile_load(const struct compiler *compiler, const struct compile_request *request,
                         struct compiled *compiled, struct bench_error *error);

/* Numbers of the widest vectors of this isa: 8, 4 or 2. */
unsigned compile_widest(const char *isa);

typedef void compiled_function(void); /* to be converted to what the text says it is */
/* NULL: the text defines no such function. */
compiled_function *compiled_find(const struct compiled *compiled, const char *name);
void compiled_close(struct compiled *compiled);

#endif
