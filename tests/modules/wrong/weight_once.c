/* Weighted squares, whose gradient has the weight once and not twice: right without a file.
 *
 * verify: --quick --cost weight_once
 * module: cost weight_once
 * cause: option_path cost_weight */
#define NAME      "weight_once"
#define FACTOR(w) (w)
#include "weighted.h"
