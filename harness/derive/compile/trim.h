/* harness/derive/compile/trim.h - the cache does not grow without end. */
#ifndef COMPILE_TRIM_H
#define COMPILE_TRIM_H

#include <stdint.h>

/* Removes entries, those first whose last use (time of change) is longest ago, until at most `limit` bytes are
 * left; and what killed processes left behind an hour ago or more. Only files with our names are looked at.
 * What cannot be removed stays, and nothing is said. */
void trim_cache(int folder, uint64_t limit);

#endif
