/* harness/derive/record/place.h - where in the sources an instruction of this process comes from. */
#ifndef DERIVE_PLACE_H
#define DERIVE_PLACE_H

enum { PLACE_TEXT = 512 };

/* "problems/glv.c:57" of a call, by its return address; without debugging information, or without libdw, the
 * function or the file that it is in. Returns text. */
const char *place_of(const void *caller, char text[PLACE_TEXT]);

#endif
