/* harness/verify/method/transforms.h - checks of the group transforms that have a file of their own. */
#ifndef VERIFY_TRANSFORMS_H
#define VERIFY_TRANSFORMS_H

#include "check.h"

/* scale.components: difference quotients by components of very different sizes. */
void transforms_check_components(struct verify *v);

#endif
