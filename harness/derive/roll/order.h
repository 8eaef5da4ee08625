/* derive/roll/order.h - the order of the operands of a sum or a product. */
#ifndef DERIVE_ORDER_H
#define DERIVE_ORDER_H

#include "normal.h"

/* < 0, 0, > 0: by number of tokens, then by the tokens. */
int order_of_shapes(const roll_token *token, const struct normal_item *one, const struct normal_item *two);

/* By sign, shape and then integers; stable. spare [count] */
void order_items(const roll_token *token, const int32_t *integer, struct normal_item *item, size_t count,
                 struct normal_item *spare);

#endif
