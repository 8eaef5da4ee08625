/* Arrays that grow, see array.h. */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 16 };

bool array_grow(void *array, size_t wanted, size_t *room, size_t size)
{
    void *elements;
    if (wanted <= *room) return true;
    const size_t twice = wanted / 2 < *room ? 2 * *room : wanted;
    const size_t larger = twice < LEAST_ROOM ? LEAST_ROOM : twice;
    if (larger > SIZE_MAX / size) return false;
    memcpy(&elements, array, sizeof elements);
    elements = realloc(elements, larger * size);
    if (!elements) return false;
    memcpy(array, &elements, sizeof elements);
    *room = larger;
    return true;
}
