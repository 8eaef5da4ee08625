/* An adaptive implicit trapezoid, of second order: what it steps with and how is its own.
 *
 * verify: --quick --method trapezoid */
#define NAME     "trapezoid"
#define ADAPTIVE 1
#include "trapezoid.h"
