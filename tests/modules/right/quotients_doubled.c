/* Central differences over steps that prepare doubles until the state has settled: a right-hand side that fails
 * there once is answered by more of them.
 *
 * verify: --method quotients_doubled --check fail.* */
#define NAME    "quotients_doubled"
#define DOUBLES 1
#include "quotients.h"
