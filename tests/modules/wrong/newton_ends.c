/* The implicit midpoint rule, whose Newton iteration ends after eight steps and takes what it has for the solution. On
 * short steps that is enough.
 *
 * verify: --quick --method newton_ends --check gradient.*
 * cause: not_converged */
#define NAME             "newton_ends"
#define FACTORS_OF_START 0
#define MOST_TRIES       8
#define TAKES_ANY        1
#include "implicit_midpoint.h"
