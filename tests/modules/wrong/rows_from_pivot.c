/* The implicit midpoint rule, whose elimination exchanges rows from the column of the pivot on, and leaves the factors
 * before it where they were.
 *
 * verify: --quick --method rows_from_pivot
 * cause: row_exchange */
#define NAME             "rows_from_pivot"
#define FACTORS_OF_START 0
#define EXCHANGED_FROM   k
#include "implicit_midpoint.h"
