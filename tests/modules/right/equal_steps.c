/* Equal steps, as many as an option says, of an implicit method of its own: no tolerance, no tableau, no
 * report.
 *
 * verify: --quick --method equal_steps */
#define NAME     "equal_steps"
#define ADAPTIVE 0
#include "trapezoid.h"
