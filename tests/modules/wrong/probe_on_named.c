/* As probe_past_byte, on the problem that is named beside it: its own checks are what is looked at.
 * verify: --quick --cost probe_on_named --problem heat n=19 --check cost.taylor
 * module: cost probe_on_named
 * cause: size_limit jacobian_entry */
#include "probes.h"

PROBES("probe_on_named", unsigned char)
