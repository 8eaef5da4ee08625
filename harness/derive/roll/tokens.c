/* derive/roll/tokens.c - walks over the tokens of an expression. */
#include "normal.h"
#include "roll.h"

size_t roll_operands(roll_token token)
{
    switch (roll_kind(token)) {
    case ROLL_SUM:
    case ROLL_PRODUCT:
        return roll_detail(token);
    case ROLL_OP:
        return graph_operands((enum graph_op)roll_detail(token));
    case ROLL_NEG:
    case ROLL_RUN:
        return 1;
    default:
        return 0;
    }
}

size_t roll_length(const roll_token *token)
{
    size_t length = 0;
    for (size_t left = 1; left > 0; left--) left += roll_operands(token[length++]);
    return length;
}

/* One expression inside `runs` runs. Moves both along. */
static void flag_expression(const roll_token **token, size_t runs, unsigned char **flag)
{
    const roll_token here = *(*token)++;
    if (roll_kind(here) == ROLL_STORED) *(*flag)++ = NORMAL_FIXED | NORMAL_CLASS;
    if (roll_has_quantity(here)) {
        const unsigned char kind = roll_kind(here) == ROLL_CONSTANT ? NORMAL_CONSTANT : 0;
        for (size_t k = 0; k <= runs; k++)
            *(*flag)++ = (unsigned char)((k == 0 ? kind : NORMAL_FIXED) | (k == runs ? NORMAL_LAST : 0));
    }
    if (roll_kind(here) == ROLL_RUN) runs++;
    for (size_t left = roll_operands(here); left > 0; left--) flag_expression(token, runs, flag);
}

void normal_flags(const roll_token *token, unsigned char *flag)
{
    flag_expression(&token, 0, &flag);
}
