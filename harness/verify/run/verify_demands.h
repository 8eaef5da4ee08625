/* harness/verify/run/verify_demands.h - skips that may not be: what was asked for by --require, and the essential
 * checks of each module. A check that could not be made is not a check that passed. */
#ifndef VERIFY_DEMANDS_H
#define VERIFY_DEMANDS_H

#include "verify_runner.h"

/* Of the units that were asked for, turns into failures
 *     every skip of a check that matches choice->require;
 *     the first skip of an essential check that was made on none of a module's cases. */
void verify_demand(const struct verify_plan *plan, const struct verify_choice *choice,
                   struct runner_unit *unit);

#endif
