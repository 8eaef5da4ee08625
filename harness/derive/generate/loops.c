/* derive/generate/loops.c - each operator of the rolled form becomes loops around its expression. */
#include "loops.h"

#include <stdlib.h>

#include "along.h"
#include "expression.h"
#include "generate.h"

enum {
    LOCAL = 4096,    /* stored numbers up to which they stand on the stack */
    FEW_TOKENS = 160 /* of a product that is so small that one block more does not matter */
};

/* Lanes of a block: 16 where a run reads numbers once for all of them; 16 and 2 also where that makes little more to
 * compile. */
static const unsigned blocks[] = {16, 8, 4, 2, 1};
enum { BLOCKS = sizeof blocks / sizeof *blocks, MOST_LANES = 16 };

struct writer {
    struct text *text;
    const struct frame *frame;
    const struct rolled *rolled;
    struct plan *plan; /* [n_operators] */
};

/* ---- loops of an operator ------------------------------------------------------------------------------ */

static void open_loops(struct text *text, const struct plan *plan)
{
    const size_t pieces = plan->operator->cover.n_pieces;
    text_add(text, "{\n");
    plan_write_table(plan, text);
    if (pieces > 1) text_add(text, "for (size_t r = 0; r < %zu; r++) {\n", pieces);
    if (plan->columns > 0) text_add(text, "const int *const q = TABLE_%zu[r];\n", plan->id);
    for (size_t l = plan->depth; l-- > 1;) {
        text_add(text, "for (ptrdiff_t i%zu = 0; i%zu < ", l, l);
        plan_write_number(text, plan->count[l]);
        text_add(text, "; i%zu++) {\n", l);
    }
    if (plan->depth == 0) return;
    text_add(text, "const ptrdiff_t n0 = ");
    plan_write_number(text, plan->count[0]);
    if (!plan_is(plan->grow, 0)) {
        text_add(text, " + ");
        plan_write_number(text, plan->grow);
        text_add(text, " * i1");
    }
    text_add(text, ";\nptrdiff_t i0 = 0;\n");
}

static void close_loops(struct text *text, const struct plan *plan)
{
    for (size_t l = plan->depth; l-- > 1;) text_add(text, "}\n");
    if (plan->operator->cover.n_pieces> 1) text_add(text, "}\n");
    text_add(text, "}\n");
}

/* Turns of the innermost loop that can be left over when `done` at a time were taken; -1: not known. */
static int32_t left_after(int32_t turns, unsigned done)
{
    return turns < 0 ? turns : turns % (int32_t)done;
}

static int32_t turns_of(const struct plan *plan)
{
    return plan->depth == 0                                      ? 1
           : plan_is(plan->grow, 0) && plan->count[0].column < 0 ? plan->count[0].value
                                                                 : -1;
}

/* The innermost loop, so many turns at a time, as far as that goes. Returns what can be left of `turns`. */
static int32_t write_turns(const struct writer *w, const struct plan *plan,
                           const struct expression_style *style, int32_t turns)
{
    const unsigned unit = style->rows * (style->axis == EXPRESSION_OUTPUTS ? style->width : 1);
    if (turns >= 0 && turns < (int32_t)unit) return turns;
    if (plan->depth > 0)
        text_add(w->text, "for (; i0 + %u <= n0; i0 += %u) {\n", unit, unit);
    else
        text_add(w->text, "{\n");
    expression_write(w->text, plan, style, w->rolled->constant, w->frame->adds);
    text_add(w->text, "}\n");
    return left_after(turns, unit);
}

/* Vectors of outputs to the end: the last one starts early enough and computes some a second time. */
static void write_overlapping(const struct writer *w, const struct plan *plan,
                              const struct expression_style *style)
{
    text_add(w->text, "for (; i0 < n0; i0 += %u) {\nif (i0 + %u > n0) i0 = n0 - %u;\n", style->width,
             style->width, style->width);
    expression_write(w->text, plan, style, w->rolled->constant, w->frame->adds);
    text_add(w->text, "}\n");
}

/* Rows together where they share what a run reads. Returns what can be left of `turns`. */
static int32_t write_rows(const struct writer *w, const struct plan *plan, struct expression_style style,
                          unsigned rows, int32_t turns)
{
    style.rows = rows;
    return plan->depth > 0 && rows > 1 && expression_has_run(plan) ? write_turns(w, plan, &style, turns)
                                                                   : turns;
}

/* What is left of rows is taken together, too, where it is known how many these are. */
static void write_rows_and_rest(const struct writer *w, const struct plan *plan,
                                const struct expression_style *style, unsigned rows)
{
    int32_t left = write_rows(w, plan, *style, rows, turns_of(plan));
    if (left > 1 && left < (int32_t)rows) left = write_rows(w, plan, *style, (unsigned)left, left);
    write_turns(w, plan, style, left);
}

static void write_along_outputs(const struct writer *w, const struct plan *plan,
                                struct expression_style style)
{
    const bool again = !w->frame->adds || plan->operator->target != ROLL_OUTPUT;
    style.axis = EXPRESSION_OUTPUTS;
    while (turns_of(plan) >= 2 && turns_of(plan) < (int32_t)style.width) style.width /= 2;
    int32_t left = write_rows(w, plan, style, 4, turns_of(plan));
    if (again && turns_of(plan) >= (int32_t)style.width) {
        if (left != 0) write_overlapping(w, plan, &style);
        return;
    }
    left = write_turns(w, plan, &style, left);
    style.axis = EXPRESSION_NUMBERS;
    write_turns(w, plan, &style, left);
}

/* Without lanes, or with one lane: by vectors of outputs or of terms where they lie side by side. */
static void write_numbers(const struct writer *w, const struct plan *plan)
{
    struct expression_style style = {EXPRESSION_NUMBERS, w->frame->widest, 1, 1};
    open_loops(w->text, plan);
    if (expression_can(plan, EXPRESSION_OUTPUTS))
        write_along_outputs(w, plan, style);
    else if (expression_can(plan, EXPRESSION_TERMS)) {
        style.axis = EXPRESSION_TERMS;
        write_rows_and_rest(w, plan, &style, 4);
    } else
        write_turns(w, plan, &style, turns_of(plan));
    close_loops(w->text, plan);
}

/* Sums of a row that are vectors of lanes: those of the runs before are still needed when the last is added up. */
static unsigned sums_of(const struct plan *plan)
{
    const roll_token *const token = plan->operator->token;
    unsigned sums = 0;
    for (size_t k = 0; k < plan->operator->n_tokens; k++) {
        if (roll_kind(token[k]) != ROLL_RUN) continue;
        bool lanes = false;
        for (size_t inner = k + roll_length(token + k); --inner > k;)
            lanes = lanes || along_is_lane(token[inner]);
        sums += lanes;
    }
    return sums > 0 ? sums : 1;
}

/* As many rows as the registers hold sums of. */
static void write_lanes(const struct writer *w, const struct plan *plan, unsigned lanes)
{
    enum { SUMS = 12, SUMS_OF_FEW = 8, FEW_LANES = 4 };
    const unsigned width = lanes < w->frame->widest ? lanes : w->frame->widest, vectors = lanes / width;
    const struct expression_style style = {EXPRESSION_LANES, width, vectors, 1};
    open_loops(w->text, plan);
    const unsigned rows = (lanes <= FEW_LANES ? SUMS_OF_FEW : SUMS) / vectors / sums_of(plan);
    write_rows_and_rest(w, plan, &style, rows > 1 ? rows : 1);
    close_loops(w->text, plan);
}

/* ---- functions ----------------------------------------------------------------------------------------- */

/* Storage that no other thread sees; large storage is not put on the stack. */
static void declare_storage(struct text *text, const char *array, size_t numbers)
{
    if (numbers > 0)
        text_add(text, "%sdouble %s[%zu] __attribute__((aligned(64)));\n",
                 numbers > LOCAL ? "static _Thread_local " : "", array, numbers);
}

static const char arguments[] =
    "double t, const double *restrict x, const double *restrict p,\n"
    "    const double *restrict S, size_t L, size_t first, const double *restrict W,\n"
    "    const double *restrict DT, const double *restrict DX,\n"
    "    const double *restrict DP, double *restrict OUT";

static bool is_for_lanes(const struct writer *w, const struct roll_operator *o)
{
    return o->in_lanes || (w->frame->lanes && o->target == ROLL_OUTPUT);
}

/* The function of a block of lanes; of 1 where all the lanes are one. */
static void write_block(const struct writer *w, unsigned lanes, bool one_lane)
{
    text_add(w->text, "static void %s_%s%u(%s)\n{\n", w->frame->name, one_lane ? "only_" : "", lanes,
             arguments);
    text_add(w->text, "(void)t, (void)x, (void)p, (void)S, (void)W, (void)DT, (void)DX, (void)DP;\n"
                      "const ptrdiff_t LL = (ptrdiff_t)L, l = (ptrdiff_t)first;\n(void)LL, (void)l;\n");
    declare_storage(w->text, "SL", w->rolled->slots_in_lanes * lanes);
    for (size_t k = 0; k < w->rolled->n_operators; k++) {
        if (!is_for_lanes(w, &w->rolled->operators[k])) continue;
        if (one_lane)
            write_numbers(w, &w->plan[k]);
        else
            write_lanes(w, &w->plan[k], lanes);
    }
    text_add(w->text, "}\n\n");
}

/* The table of constants, where an operator reads one. */
static void write_constants(const struct writer *w)
{
    bool any = false;
    for (size_t k = 0; k < w->rolled->n_operators; k++) any = any || expression_reads_table(&w->plan[k]);
    if (!any) return;
    text_add(w->text, "static const double C_%s[] = {", w->frame->name);
    for (size_t k = 0; k < w->rolled->n_constants; k++) {
        text_add(w->text, k % 8 == 0 ? "\n    " : " ");
        text_add_number(w->text, w->rolled->constant[k]);
        text_add(w->text, ",");
    }
    text_add(w->text, "%s\n};\n#undef C\n#define C C_%s\n", w->rolled->n_constants ? "" : "0",
             w->frame->name);
}

static bool has_block(const struct writer *w, unsigned lanes)
{
    bool any = lanes < MOST_LANES && lanes != 2;
    size_t tokens = 0;
    for (size_t k = 0; k < w->rolled->n_operators; k++) {
        any = any || expression_has_run(&w->plan[k]);
        tokens += w->rolled->operators[k].n_tokens;
    }
    return any || tokens <= FEW_TOKENS;
}

/* Is it called? Two smaller blocks do the work of one that there is none of. */
static bool is_written(const struct writer *w, unsigned lanes)
{
    unsigned calls = w->frame->calls & GENERATE_BLOCKS;
    for (size_t k = 0; k + 1 < BLOCKS; k++)
        if (calls & blocks[k] && !has_block(w, blocks[k])) calls |= blocks[k + 1];
    return calls & lanes && has_block(w, lanes);
}

static void write_core(const struct writer *w)
{
    frame_open(w->text, w->frame);
    declare_storage(w->text, "S", w->rolled->slots);
    for (size_t k = 0; k < w->rolled->n_operators; k++)
        if (!is_for_lanes(w, &w->rolled->operators[k])) write_numbers(w, &w->plan[k]);
    if (w->frame->lanes) {
        const char *S = w->rolled->slots ? "S" : "NULL", *name = w->frame->name;
        if (w->frame->calls & GENERATE_ONE_LANE)
            text_add(w->text,
                     "if (L == 1) {\n%s_only_1(t, x, p, %s, L, 0, W, DT, DX, DP, OUT);\nreturn;\n}\n", name,
                     S);
        text_add(w->text, "size_t l = 0;\n(void)l;\n");
        for (size_t k = 0; k < BLOCKS; k++)
            if (is_written(w, blocks[k]))
                text_add(w->text,
                         "for (; l + %u <= L; l += %u) %s_%u(t, x, p, %s, L, l, W, DT, DX, DP, OUT);\n",
                         blocks[k], blocks[k], name, blocks[k], S);
    }
    text_add(w->text, "}\n\n");
}

sens_status loops_write(struct text *text, const struct frame *frame, const struct rolled *rolled)
{
    struct writer w = {text, frame, rolled, calloc(rolled->n_operators + 1, sizeof *w.plan)};
    bool done = w.plan;
    for (size_t k = 0; done && k < rolled->n_operators; k++)
        done = plan_make(&rolled->operators[k], k, &w.plan[k]);
    if (done) {
        write_constants(&w);
        for (size_t k = 0; frame->lanes && k < BLOCKS; k++)
            if (is_written(&w, blocks[k])) write_block(&w, blocks[k], false);
        if (frame->lanes && frame->calls & GENERATE_ONE_LANE) write_block(&w, 1, true);
        write_core(&w);
    }
    for (size_t k = 0; w.plan && k < rolled->n_operators; k++) plan_release(&w.plan[k]);
    free(w.plan);
    return done && !text->failed ? SENS_OK : SENS_NO_MEMORY;
}
