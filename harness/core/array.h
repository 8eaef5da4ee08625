/* core/array.h - arrays that grow. */
#ifndef SENS_ARRAY_H
#define SENS_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* array: the address of a pointer to *room elements of `size` bytes from malloc, NULL where *room is 0. There is room
 * for `wanted` of them afterwards, more than asked for, so that n elements appended one by one are moved O(log n)
 * times. false: no memory, and nothing has changed. */
bool array_grow(void *array, size_t wanted, size_t *room, size_t size);

#endif
