/* The implicit midpoint rule with steps that are doubled until the state settles, whose Newton iteration ends after
 * four steps and takes what it has for the solution. At a tight tolerance steps are short, and that is enough.
 *
 * verify: --quick --method newton_ends_doubled --check gradient.*
 * cause: not_converged */
#define NAME             "newton_ends_doubled"
#define FACTORS_OF_START 0
#define DOUBLES          1
#define MOST_TRIES       4
#define TAKES_ANY        1
#include "implicit_midpoint.h"
