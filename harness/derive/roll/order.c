/* derive/roll/order.c - a merge sort, which ends at once where the items stand in order. */
#include "order.h"

#include <string.h>

int order_of_shapes(const roll_token *token, const struct normal_item *one, const struct normal_item *two)
{
    if (one->n_tokens != two->n_tokens) return one->n_tokens < two->n_tokens ? -1 : 1;
    const roll_token *a = token + one->token, *b = token + two->token;
    for (size_t k = 0; k < one->n_tokens; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int order_of(const roll_token *token, const int32_t *integer, const struct normal_item *one,
                    const struct normal_item *two)
{
    if (one->negative != two->negative) return one->negative ? 1 : -1;
    const int shapes = order_of_shapes(token, one, two);
    if (shapes != 0) return shapes;
    const int32_t *a = integer + one->integer, *b = integer + two->integer;
    for (size_t k = 0; k < one->n_integers; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static void merge(const roll_token *token, const int32_t *integer, struct normal_item *item, size_t half,
                  size_t count, struct normal_item *spare)
{
    size_t left = 0, right = half, at = 0;
    memcpy(spare, item, half * sizeof *item);
    while (left < half && right < count)
        item[at++] =
            order_of(token, integer, &spare[left], &item[right]) <= 0 ? spare[left++] : item[right++];
    memcpy(item + at, spare + left, (half - left) * sizeof *item);
}

void order_items(const roll_token *token, const int32_t *integer, struct normal_item *item, size_t count,
                 struct normal_item *spare)
{
    bool sorted = true;
    for (size_t k = 1; k < count && sorted; k++)
        sorted = order_of(token, integer, &item[k - 1], &item[k]) <= 0;
    if (sorted) return;
    const size_t half = count / 2;
    order_items(token, integer, item, half, spare);
    order_items(token, integer, item + half, count - half, spare);
    merge(token, integer, item, half, count, spare);
}
