/* Weighted squares, with weights from a file.
 *
 * verify: --quick --cost weighted */
#define NAME      "weighted"
#define FACTOR(w) ((w) * (w))
#include "weighted.h"
