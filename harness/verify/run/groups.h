/* harness/verify/run/groups.h - all groups of checks. */
#ifndef VERIFY_GROUPS_H
#define VERIFY_GROUPS_H

#include "verify.h"

/* Ends with NULL; the order in which results are reported. */
extern const struct verify_group *const verify_groups[];

#endif
