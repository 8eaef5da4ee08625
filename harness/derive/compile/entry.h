/* harness/derive/compile/entry.h - one object as a file: finished, checked, loaded.
 *
 * After the object, which a loader reads by its own headers, stands a seal: what this file is, the key that it
 * was made for, the length and the SHA-256 of the object. */
#ifndef COMPILE_ENTRY_H
#define COMPILE_ENTRY_H

#include <sys/types.h>

#include "compile.h"

#define ENTRY_IDENTITY "sens_compiled_key" /* the text that the object carries of its key */

enum entry_state {
    ENTRY_SOUND,
    ENTRY_DAMAGED, /* cut, changed, of another key or format: to be made anew */
    ENTRY_REFUSED, /* not the user's alone, or no file */
    ENTRY_FAILED   /* cannot be read, or no memory */
};

/* Writes all of it at this place, to the disk; false: errno. A limit of file sizes is an error, and no signal. */
bool entry_write(int descriptor, const void *bytes, size_t length, off_t at);

/* Seals an object that a compiler has just written, for the user alone, and has it written to the disk. On
 * failure a sentence. */
sens_status entry_seal(int descriptor, const char *key, struct bench_error *error);

/* What may be said of the file before anything of it is run. A sentence, where it is not sound. */
enum entry_state entry_check(int descriptor, const char *key, struct bench_error *error);

/* Loads what was checked, by its descriptor, and compares the key that it carries. False, and a sentence:
 * nothing is loaded. */
bool entry_load(int descriptor, struct compiled *compiled, struct bench_error *error);

#endif
