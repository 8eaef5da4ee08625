/* harness/derive/compile/object.h - is a file all there? */
#ifndef COMPILE_OBJECT_H
#define COMPILE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* A shared object of this machine whose headers speak of no byte beyond its end. The loader maps what they
 * say, and dies of a signal where the file is shorter. */
bool object_is_whole(const char *bytes, size_t length);

#endif
