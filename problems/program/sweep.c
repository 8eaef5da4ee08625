/* Forward and reverse sweeps over a list of operations, EVALUATE_LANES vectors at a time: see evaluate.h. */
#include <string.h>
#include <tgmath.h>

#include "evaluate.h"

enum { LANES = EVALUATE_LANES };

struct edge { /* the derivative of an operation in one of its operands */
    graph_node from;
    sens_real slope;
};

/* The derivative of a function of one argument, whose value is v. */
static sens_real slope_of(enum graph_op op, sens_real a, sens_real v)
{
    switch (op) {
    case GRAPH_NEG:
        return -1;
    case GRAPH_SQRT:
        return 1 / (2 * v);
    case GRAPH_CBRT:
        return 1 / (3 * v * v);
    case GRAPH_EXP:
        return v;
    case GRAPH_EXPM1:
        return v + 1;
    case GRAPH_LOG:
        return 1 / a;
    case GRAPH_LOG1P:
        return 1 / (1 + a);
    case GRAPH_SIN:
        return cos(a);
    case GRAPH_COS:
        return -sin(a);
    case GRAPH_TAN:
        return 1 + v * v;
    case GRAPH_ASIN:
        return 1 / sqrt((1 - a) * (1 + a));
    case GRAPH_ACOS:
        return -1 / sqrt((1 - a) * (1 + a));
    case GRAPH_ATAN:
        return 1 / (1 + a * a);
    case GRAPH_SINH:
        return cosh(a);
    case GRAPH_COSH:
        return sinh(a);
    case GRAPH_TANH:
        return (1 - v) * (1 + v);
    case GRAPH_FABS:
        return a < 0 ? -1 : 1;
    default:
        return 0; /* comparisons: flat wherever they are smooth */
    }
}

/* The slopes of an operation with two operands. */
static void slopes_of(enum graph_op op, sens_real a, sens_real b, sens_real v, struct edge edge[2])
{
    const sens_real square = a * a + b * b;
    switch (op) {
    case GRAPH_ADD:
    case GRAPH_SUB:
        edge[0].slope = 1, edge[1].slope = op == GRAPH_ADD ? 1 : -1;
        break;
    case GRAPH_MUL:
        edge[0].slope = b, edge[1].slope = a;
        break;
    case GRAPH_DIV:
        edge[0].slope = 1 / b, edge[1].slope = -v / b;
        break;
    case GRAPH_POW: /* a^(b-1) b, which is right at a = 0 and for a < 0; a^b log a */
        edge[0].slope = b * pow(a, b - 1), edge[1].slope = a == 0 && b > 0 ? 0 : v * log(a);
        break;
    case GRAPH_ATAN2:
        edge[0].slope = b / square, edge[1].slope = -a / square;
        break;
    case GRAPH_HYPOT:
        edge[0].slope = a / v, edge[1].slope = b / v;
        break;
    default:
        break;
    }
}

/* The edges of an operation that carry anything to the leaves in `on`; returns how many. */
static size_t edges(const struct program *program, const struct program_operation *op, graph_node k,
                    const sens_real *v, unsigned on, struct edge edge[2])
{
    const enum graph_op code = (enum graph_op)op->op;
    const struct program_operation *const all = program->operation;
    size_t count = 0;
    edge[0] = (struct edge){op->a, 1};
    edge[1] = (struct edge){op->b, 0};
    if (code == GRAPH_SELECT) { /* one side, as it is */
        edge[0].from = v[op->a] != 0 ? op->b : op->c;
        count = 1;
    } else if (code == GRAPH_FMIN || code == GRAPH_FMAX) { /* where they tie, the first */
        const bool first = code == GRAPH_FMIN ? !(v[op->b] < v[op->a]) : !(v[op->b] > v[op->a]);
        edge[0].from = first || v[op->b] != v[op->b] ? op->a : op->b;
        count = 1;
    } else if (code == GRAPH_LESS || code == GRAPH_LESS_EQUAL) {
        return 0;
    } else if (graph_operands(code) == 2) {
        slopes_of(code, v[op->a], v[op->b], v[k], edge);
        count = 2;
    } else {
        edge[0].slope = slope_of(code, v[op->a], v[k]);
        count = 1;
    }
    if (count == 2 && !(all[edge[1].from].on & on)) count = 1;
    if (!(all[edge[0].from].on & on)) edge[0] = edge[--count];
    return count;
}

/* ---- forward ------------------------------------------------------------------------------------------- */

/* Of one that is an input: does any lane move it? Then its dot is set. */
static bool seed_leaf(const struct program_operation *op, const struct evaluation_seed *seed, size_t l0,
                      size_t lanes, sens_real *dot)
{
    const size_t k = op->a, first = seed->first + l0;
    if (op->op == GRAPH_P && !(k >= first && k < first + lanes)) return false;
    memset(dot, 0, LANES * sizeof *dot);
    for (size_t l = 0; l < lanes; l++) {
        if (op->op == GRAPH_T) dot[l] = 1;
        if (op->op == GRAPH_X && seed->V) dot[l] = seed->V[k * seed->L + l0 + l];
        if (op->op == GRAPH_P) dot[l] = k == first + l;
    }
    return true;
}

/* to += slope from. Not inlined: beside other sums the compiler may round the lanes of one sum differently. */
static __attribute__((noinline)) void add_lanes(sens_real slope, const sens_real *from, sens_real *to)
{
    for (size_t l = 0; l < LANES; l++) to[l] += slope * from[l];
}

/* dot = sum of slope times dot over the operands that move; false: none does. */
static bool forward_one(const struct program *program, const struct workspace *work, size_t k, unsigned on)
{
    const struct program_operation *const op = &program->operation[k];
    sens_real *const dot = work->lane + k * LANES;
    struct edge edge[2];
    bool moves = false;
    if (!work->moves[op->a] && !work->moves[op->b] && !work->moves[op->c]) return false;
    const size_t count = edges(program, op, (graph_node)k, work->value, on, edge);
    memset(dot, 0, LANES * sizeof *dot);
    for (size_t e = 0; e < count; e++) {
        if (!work->moves[edge[e].from]) continue;
        add_lanes(edge[e].slope, work->lane + edge[e].from * LANES, dot);
        moves = true;
    }
    return moves;
}

static void forward_block(const struct evaluation *evaluation, const struct workspace *work,
                          const struct evaluation_seed *seed, size_t l0, size_t lanes, sens_real *OUT)
{
    const struct program *program = evaluation->program;
    const unsigned on = seed->V ? PROGRAM_ON_X : seed->t ? PROGRAM_ON_T : PROGRAM_ON_P;
    for (size_t k = 0; k < program->count; k++) {
        const struct program_operation *op = &program->operation[k];
        const bool leaf = op->op == GRAPH_T || op->op == GRAPH_X || op->op == GRAPH_P;
        work->moves[k] = false;
        if (!(op->on & on)) continue;
        work->moves[k] =
            leaf ? seed_leaf(op, seed, l0, lanes, work->lane + k * LANES) : forward_one(program, work, k, on);
    }
    for (size_t c = 0; c < program->outputs; c++) {
        if (!work->moves[program->output[c]]) continue;
        const sens_real *const dot = work->lane + program->output[c] * LANES;
        for (size_t l = 0; l < lanes; l++) OUT[c * seed->L + l0 + l] += dot[l];
    }
}

void evaluation_forward(const struct evaluation *evaluation, const struct workspace *work,
                        const struct evaluation_seed *seed, sens_real *OUT)
{
    for (size_t l = 0; l < seed->L; l += LANES)
        forward_block(evaluation, work, seed, l, seed->L - l < LANES ? seed->L - l : LANES, OUT);
}

/* ---- reverse ------------------------------------------------------------------------------------------- */

static void seed_outputs(const struct program *program, const struct evaluation_pull *pull, size_t l0,
                         size_t lanes, sens_real *bar)
{
    for (size_t c = 0; c < program->outputs && pull->W; c++)
        for (size_t l = 0; l < lanes; l++)
            bar[program->output[c] * LANES + l] += pull->W[c * pull->L + l0 + l];
    for (size_t l = 0; l < lanes && !pull->W; l++)
        if (pull->first + l0 + l < program->outputs)
            bar[program->output[pull->first + l0 + l] * LANES + l] += pull->weight;
}

static bool any(const sens_real *bar)
{
    bool found = false;
    for (size_t l = 0; l < LANES; l++) found |= bar[l] != 0;
    return found;
}

/* From the outputs, which are seeded, to lanes l0 + l of L, l < lanes. */
static void reverse_sweep(const struct evaluation *evaluation, const struct workspace *work, size_t L,
                          size_t l0, size_t lanes, sens_real *X, sens_real *P)
{
    const struct program *program = evaluation->program;
    const unsigned on = (X ? PROGRAM_ON_X : 0u) | (P ? PROGRAM_ON_P : 0u);
    for (size_t k = program->count; k-- > 0;) {
        const struct program_operation *op = &program->operation[k];
        const sens_real *const bar = work->lane + k * LANES;
        struct edge edge[2];
        if (!(op->on & on) || !any(bar)) continue;
        if (op->op == GRAPH_X || op->op == GRAPH_P) {
            sens_real *const part = op->op == GRAPH_X ? X : P;
            for (size_t l = 0; part && l < lanes; l++) part[op->a * L + l0 + l] += bar[l];
            continue;
        }
        const size_t count = edges(program, op, (graph_node)k, work->value, on, edge);
        for (size_t e = 0; e < count; e++) add_lanes(edge[e].slope, bar, work->lane + edge[e].from * LANES);
    }
}

static void clear_lanes(const struct evaluation *evaluation, const struct workspace *work)
{
    memset(work->lane, 0, evaluation->program->count * LANES * sizeof *work->lane);
}

void evaluation_reverse(const struct evaluation *evaluation, const struct workspace *work,
                        const struct evaluation_pull *pull, sens_real *X, sens_real *P)
{
    for (size_t l = 0; l < pull->L; l += LANES) {
        const size_t lanes = pull->L - l < LANES ? pull->L - l : LANES;
        clear_lanes(evaluation, work);
        seed_outputs(evaluation->program, pull, l, lanes, work->lane);
        reverse_sweep(evaluation, work, pull->L, l, lanes, X, P);
    }
}

void evaluation_reverse_one(const struct evaluation *evaluation, const struct workspace *work,
                            const struct evaluation_one *one, sens_real *X, sens_real *P)
{
    clear_lanes(evaluation, work);
    work->lane[evaluation->program->output[one->output] * LANES] = one->weight;
    reverse_sweep(evaluation, work, one->L, one->lane, 1, X, P);
}
