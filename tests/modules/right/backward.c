/* Two-step backward differences by the lengths of both steps, which differ behind a stop.
 * verify: --quick --method backward */
#define NAME             "backward"
#define RATIO(h, before) ((h) / (before))
#include "backward.h"
