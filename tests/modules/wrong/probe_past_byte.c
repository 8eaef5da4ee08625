/* Final cost of up to eight probes spread over the states, G_c = x_k^2 / 2 with k = c (n - 1) / (m - 1), whose
 * derivative keeps k in a byte: wrong for more than 256 states.
 * verify: --quick --cost probe_past_byte
 * module: cost probe_past_byte
 * cause: size_limit */
#include "probes.h"

PROBES("probe_past_byte", unsigned char)
