/* harness/machine/first_line.h - files of one line, in which the kernel tells what it knows. */
#ifndef MACHINE_FIRST_LINE_H
#define MACHINE_FIRST_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* The first line of a file in a folder, cut at `size` - 1 characters; false, and "", where there is none. */
bool first_line(const char *folder, const char *name, size_t size, char *line);

#endif
