/* As probe_past_byte, with 16 bits: wrong for more than 65,536 states, of which a full run has an instance.
 * verify: --cost probe_past_short
 * module: cost probe_past_short
 * cause: size_limit */
#include "probes.h"

PROBES("probe_past_short", unsigned short)
