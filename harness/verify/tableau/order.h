/* harness/verify/tableau/order.h - the order of a formula from its errors for halved steps. */
#ifndef VERIFY_TABLEAU_ORDER_H
#define VERIFY_TABLEAU_ORDER_H

#include "scene.h"

/* Do they fall as h^order, or faster, but for 1/2? false where they do not fall: as bad as no order. */
bool order_is_met(const struct ladder *ladder, int order);
/* The same as the verdict of a result, with the errors. */
void order_judge(const struct ladder *ladder, int order, struct verify_result *result);

#endif
