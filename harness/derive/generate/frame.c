/* derive/generate/frame.c - heads of functions, and single operations as C. */
#include "frame.h"

static const char scalar_head[] =
    "static void core_%s(double t, const double *restrict x, const double *restrict p,\n"
    "    double *restrict OUT)\n{\n    (void)t, (void)x, (void)p, (void)OUT;\n";
static const char lanes_head[] =
    "static void core_%s(double t, const double *restrict x, const double *restrict p, size_t L,\n"
    "    const double *restrict W, const double *restrict DT, const double *restrict DX,\n"
    "    const double *restrict DP, double *restrict OUT)\n"
    "{\n    (void)t, (void)x, (void)p, (void)L, (void)W, (void)DT, (void)DX, (void)DP, (void)OUT;\n";

/* Vectors in memory need no alignment. */
static const char prelude[] =
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "typedef double lanes8 __attribute__((vector_size(64)));\n"
    "typedef double lanes4 __attribute__((vector_size(32)));\n"
    "typedef double lanes2 __attribute__((vector_size(16)));\n"
    "typedef double lanes1;\n"
    "typedef double memory8 __attribute__((vector_size(64), aligned(8), may_alias));\n"
    "typedef double memory4 __attribute__((vector_size(32), aligned(8), may_alias));\n"
    "typedef double memory2 __attribute__((vector_size(16), aligned(8), may_alias));\n"
    "typedef double memory1;\n"
    "#define GET8(a) (*(const memory8 *)(a))\n"
    "#define GET4(a) (*(const memory4 *)(a))\n"
    "#define GET2(a) (*(const memory2 *)(a))\n"
    "#define GET1(a) (*(a))\n"
    "#define PUT8(a) (*(memory8 *)(a))\n"
    "#define PUT4(a) (*(memory4 *)(a))\n"
    "#define PUT2(a) (*(memory2 *)(a))\n"
    "#define PUT1(a) (*(a))\n"
    "#define HALF(v) ((lanes4){(v)[0], (v)[1], (v)[2], (v)[3]} + (lanes4){(v)[4], (v)[5], (v)[6], (v)[7]})\n"
    "#define SUM4(v) (((v)[0] + (v)[1]) + ((v)[2] + (v)[3]))\n"
    "#define PAIRS(a, b) ((lanes4){(a)[0], (b)[0], (a)[2], (b)[2]} + (lanes4){(a)[1], (b)[1], (a)[3], "
    "(b)[3]})\n"
    "#define SUMS4(a, b) ((lanes4){(a)[0], (a)[1], (b)[0], (b)[1]} + (lanes4){(a)[2], (a)[3], (b)[2], "
    "(b)[3]})\n\n";

void frame_open(struct text *text, const struct frame *frame)
{
    text_add(text, frame->lanes ? lanes_head : scalar_head, frame->name);
}

void frame_prelude(struct text *text)
{
    text_add(text, "%s", prelude);
}

const char *frame_array(enum graph_op leaf)
{
    switch (leaf) {
    case GRAPH_X:
        return "x";
    case GRAPH_P:
        return "p";
    case GRAPH_W:
        return "W";
    case GRAPH_DT:
        return "DT";
    case GRAPH_DX:
        return "DX";
    default:
        return "DP";
    }
}

void frame_halve(struct text *text, size_t token, unsigned copies, unsigned widest)
{
    for (unsigned c = 0; c < copies; c++) {
        if (widest == 8) text_add(text, "lanes4 fa%zu_%u = HALF(va%zu_%u);\n", token, c, token, c);
        for (unsigned k = 0; k < 4 / widest; k++)
            text_add(text, "lanes%u f%c%zu_%u = v%c%zu_%u + v%c%zu_%u;\n", widest, 'a' + k, token, c, 'a' + k,
                     token, c, 'a' + k + 4 / widest, token, c);
    }
}

/* Four sums are added up side by side, each in the order of SUM4. */
static void add_four(struct text *text, size_t token)
{
    text_add(text, "const lanes4 g%zu_0 = PAIRS(fa%zu_0, fa%zu_1), ", token, token, token);
    text_add(text, "g%zu_1 = PAIRS(fa%zu_2, fa%zu_3), ", token, token, token);
    text_add(text, "g%zu = SUMS4(g%zu_0, g%zu_1);\n", token, token, token);
    for (unsigned c = 0; c < 4; c++) text_add(text, "double s%zu_%u = g%zu[%u];\n", token, c, token, c);
}

void frame_add_parts(struct text *text, size_t token, unsigned copies, unsigned widest)
{
    if (copies == 4 && widest >= 4) {
        add_four(text, token);
        return;
    }
    for (unsigned c = 0; c < copies; c++)
        if (widest >= 4)
            text_add(text, "double s%zu_%u = SUM4(fa%zu_%u);\n", token, c, token, c);
        else
            text_add(text, "double s%zu_%u = (fa%zu_%u[0] + fa%zu_%u[1]) + (fb%zu_%u[0] + fb%zu_%u[1]);\n",
                     token, c, token, c, token, c, token, c, token, c);
}

bool frame_in_lanes(enum graph_op leaf)
{
    return leaf == GRAPH_W || leaf == GRAPH_DT || leaf == GRAPH_DX || leaf == GRAPH_DP;
}

bool frame_is_linear(enum graph_op op)
{
    return op == GRAPH_NEG || op == GRAPH_ADD || op == GRAPH_SUB || op == GRAPH_MUL || op == GRAPH_DIV ||
           op == GRAPH_SELECT;
}

/* x^2, x^3, x^4 are products; others are left to the library. */
static bool power(struct text *text, const char *a, const long double *exponent)
{
    const int k = exponent && (*exponent == 2 || *exponent == 3 || *exponent == 4) ? (int)*exponent : 0;
    if (k == 2) text_add(text, "(%s * %s)", a, a);
    if (k == 3) text_add(text, "(%s * %s * %s)", a, a, a);
    if (k == 4) text_add(text, "((%s * %s) * (%s * %s))", a, a, a, a);
    return k != 0;
}

void frame_operation(struct text *text, enum graph_op op, const char *a, const char *b, const char *c,
                     const long double *b_constant)
{
    static const char *const infix[GRAPH_OPS] = {
        [GRAPH_ADD] = "+", [GRAPH_SUB] = "-",  [GRAPH_MUL] = "*",
        [GRAPH_DIV] = "/", [GRAPH_LESS] = "<", [GRAPH_LESS_EQUAL] = "<="};
    if (op == GRAPH_NEG)
        text_add(text, "(-%s)", a);
    else if (op == GRAPH_SELECT)
        text_add(text, "(%s != 0 ? %s : %s)", a, b, c);
    else if (op == GRAPH_LESS || op == GRAPH_LESS_EQUAL)
        text_add(text, "((double)(%s %s %s))", a, infix[op], b);
    else if (infix[op])
        text_add(text, "(%s %s %s)", a, infix[op], b);
    else if (op == GRAPH_POW && power(text, a, b_constant))
        return;
    else if (graph_operands(op) == 1)
        text_add(text, "%s(%s)", graph_op_name(op), a);
    else
        text_add(text, "%s(%s, %s)", graph_op_name(op), a, b);
}
