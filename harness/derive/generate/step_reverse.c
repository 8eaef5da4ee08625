/* derive/generate/step_reverse.c - the step of the discrete adjoint as C, see step.h:
 *
 *     kappa_i = h (b_i lambda + sum_{j>i} a_ji theta_j),    theta_i = (df/dx)(t_i, Y_i)^T kappa_i,    i = s ... 1
 *     lambda += sum_i theta_i,                              mu += sum_i (df/dp)(t_i, Y_i)^T kappa_i
 *
 * as methods/discrete/adjoint_runge_kutta.c has it, for explicit pairs. The entries of df/dx are formed at all live
 * stages; then the lanes go through them, some vectors of lanes in turns, whose chains of operations overlap.
 * Where df_i/dp = s_i phi_j, mu is read and written once a step: its sums over the stages are in registers. Where df/dx
 * = diag(d) + diag(s) M, too, and the library would take it so, theta_i = d kappa_i + M^T (s kappa_i). */
#include <stdlib.h>

#include "step_parts.h"

enum {
    INLINE_STATES =
        6, /* J^T kappa of more is a function that the stages share: its operands fill the registers */
    MOST_VECTORS = 4,
    FEW_STATES = 8 /* as SENS_FEW_STATES of the kernels: of more, a coupling is made use of */
};

struct reverse {
    const struct step_request *request;
    struct text text;
    struct generate_found found;
    int live[SENS_MAX_STAGES]; /* stages that an output depends on, the last one first */
    int n_live;
    size_t vectors; /* side by side */
};

static double weight(const struct reverse *rev, int j, int i)
{
    return sens_tableau_a(rev->request->tableau, j, i);
}

static void find_live(struct reverse *rev)
{
    const struct sens_tableau *tb = rev->request->tableau;
    for (int i = tb->stages - 1; i >= 0; i--) {
        bool live = tb->b[i] != 0;
        for (int s = 0; s < rev->n_live; s++) live = live || weight(rev, rev->live[s], i) != 0;
        if (live) rev->live[rev->n_live++] = i;
    }
}

static size_t entries(const struct reverse *rev)
{
    const size_t n = rev->request->n;
    return rev->found.sparsity ? rev->found.sparsity->start[n] : n * n;
}

/* ---- J^T kappa ------------------------------------------------------------------------------------------- */

static bool coupled(const struct reverse *rev)
{
    return rev->found.coupling && rev->request->n > FEW_STATES;
}

static void add_row(struct reverse *rev, size_t k)
{
    const struct sens_pattern *pattern = rev->found.sparsity;
    const size_t n = rev->request->n, first = pattern ? pattern->start[k] : k * n;
    const size_t end = pattern ? pattern->start[k + 1] : first + n;
    for (size_t e = first; e < end; e++)
        text_add(&rev->text, "    o%zu += J[%zu] * v[%zu];\n", pattern ? pattern->col[e] : e - first, e, k);
}

/* out = J^T v; where df/dx is coupled, J is M, v is s kappa, and out begins with d kappa. */
static void add_transposed(struct reverse *rev)
{
    struct text *text = &rev->text;
    const size_t n = rev->request->n;
    text_add(
        text,
        "static %s void transposed(const double *restrict J, const vec *restrict v, vec *restrict out)\n{\n",
        n <= INLINE_STATES ? "inline __attribute__((always_inline))" : "__attribute__((noinline))");
    for (size_t r = 0; r < n; r++)
        text_add(text, coupled(rev) ? "    vec o%zu = out[%zu];\n" : "    vec o%zu = {0};\n", r, r);
    for (size_t k = 0; k < n; k++) add_row(rev, k);
    for (size_t r = 0; r < n; r++) text_add(text, "    out[%zu] = o%zu;\n", r, r);
    text_add(text, "}\n\n");
}

/* ---- the numbers of the stages --------------------------------------------------------------------------- */

static bool outer(const struct reverse *rev)
{
    return rev->request->with_mu && rev->found.n_blocks > 0;
}

static size_t factors(const struct reverse *rev)
{
    size_t columns = 0;
    for (size_t b = 0; b < rev->found.n_blocks; b++) columns += rev->found.blocks[b].cols;
    return columns;
}

static void add_call(struct reverse *rev, const char *function, const char *to, int s)
{
    struct text *text = &rev->text;
    text_add(text, "    core_sens_generated_%s(", function);
    step_add_time(text, rev->request, rev->live[s]);
    text_add(text, ", Y + %zu, p, %s[%d]);\n", (size_t)rev->live[s] * rev->request->n, to, s);
}

static bool needs_s(const struct reverse *rev)
{
    return outer(rev) || coupled(rev);
}

static void add_points(struct reverse *rev)
{
    struct text *text = &rev->text;
    const size_t n = rev->request->n;
    const int live = rev->n_live;
    if (coupled(rev))
        text_add(text, "    double J[%zu], D[%d][%zu];\n    core_sens_generated_coupling(t, Y, p, J);\n",
                 n * n, live, n);
    else
        text_add(text, "    double J[%d][%zu];\n", live, entries(rev) + 1);
    if (needs_s(rev)) text_add(text, "    double S[%d][%zu];\n", live, n);
    if (outer(rev)) text_add(text, "    double PHI[%d][%zu];\n", live, factors(rev));
    for (int s = 0; s < live; s++) {
        if (coupled(rev))
            add_call(rev, "diagonal", "D", s);
        else
            add_call(rev, "jacobian", "J", s);
        if (needs_s(rev)) add_call(rev, "s", "S", s);
        if (outer(rev)) add_call(rev, "phi", "PHI", s);
    }
}

/* ---- the lanes ------------------------------------------------------------------------------------------- */

/* The vectors in turns. */
static void add_turns(struct reverse *rev)
{
    text_add(&rev->text, "#pragma GCC unroll 1\n        for (size_t v = 0; v < %zu; v++) {\n", rev->vectors);
}

static void add_loop(struct reverse *rev)
{
    text_add(&rev->text, "#pragma GCC unroll 16\n            for (size_t r = 0; r < %zu; r++)",
             rev->request->n);
}

/* lambda as it was: [vectors][n]; and the sum that it becomes. */
static void add_load(struct reverse *rev)
{
    add_turns(rev);
    add_loop(rev);
    text_add(&rev->text, " total[v][r] = lambda[v][r] = GET(LAMBDA + r * %zu + l + v * %zu);\n        }\n",
             rev->request->lanes, rev->request->width);
}

static void add_store(struct reverse *rev)
{
    add_turns(rev);
    add_loop(rev);
    text_add(&rev->text, " PUT(LAMBDA + r * %zu + l + v * %zu) = total[v][r];\n        }\n",
             rev->request->lanes, rev->request->width);
}

/* The first term begins the sum; the weights are rounded with h, as the library's are. */
static void add_term(struct reverse *rev, bool first, double w, const char *vector, int of)
{
    struct text *text = &rev->text;
    add_loop(rev);
    text_add(text, " kappa[r] %s (h * ", first ? "=" : "+=");
    text_add_number(text, w);
    text_add(text, of < 0 ? ") * %s[v][r];\n" : ") * %s%d[v][r];\n", vector, of);
}

static void add_kappa(struct reverse *rev, int s)
{
    const int i = rev->live[s];
    const double b = rev->request->tableau->b[i];
    bool first = true;
    text_add(&rev->text, "            vec kappa[%zu];\n", rev->request->n);
    if (b != 0) add_term(rev, true, b, "lambda", -1), first = false;
    for (int earlier = 0; earlier < s; earlier++) {
        const double w = weight(rev, rev->live[earlier], i);
        if (w != 0) add_term(rev, first, w, "theta", rev->live[earlier]), first = false;
    }
}

static void add_stage(struct reverse *rev, int s)
{
    struct text *text = &rev->text;
    const int i = rev->live[s];
    text_add(text, "        vec theta%d[%zu][%zu];\n", i, rev->vectors, rev->request->n);
    add_turns(rev);
    add_kappa(rev, s);
    if (needs_s(rev)) {
        add_loop(rev);
        text_add(text, " u[%d][v][r] = S[%d][r] * kappa[r];\n", s, s);
    } else if (rev->request->with_mu) {
        add_loop(rev);
        text_add(text, " PUT(KAPPA[%d] + r * %zu + l + v * %zu) = kappa[r];\n", s, rev->request->lanes,
                 rev->request->width);
    }
    if (coupled(rev)) {
        add_loop(rev);
        text_add(text,
                 " theta%d[v][r] = D[%d][r] * kappa[r];\n            transposed(J, u[%d][v], theta%d[v]);\n",
                 i, s, s, i);
    } else
        text_add(text, "            transposed(J[%d], kappa, theta%d[v]);\n", s, i);
    add_loop(rev);
    text_add(text, " total[v][r] += theta%d[v][r];\n        }\n", i);
}

/* A block of outer products, of `rows` rows from r on: mu_(first + r cols + j) += sum_s u_s,r phi_s,j. */
static void add_block(struct reverse *rev, const struct sens_outer *block, size_t column, int rows)
{
    struct text *text = &rev->text;
    text_add(text,
             "            for (int j = 0; j < %zu; j++) {\n                double *const mu = MU + (%zu + r "
             "* %zu + j) "
             "* %zu + l + v * %zu;\n",
             block->cols, block->first, block->cols, rev->request->lanes, rev->request->width);
    for (int a = 0; a < rows; a++)
        text_add(text, "                vec sum%d = GET(mu + %zu);\n", a,
                 (size_t)a * block->cols * rev->request->lanes);
    for (int s = 0; s < rev->n_live; s++)
        for (int a = 0; a < rows; a++)
            text_add(text, "                sum%d += PHI[%d][%zu + j] * u%d_%d;\n", a, s, column, s, a);
    for (int a = 0; a < rows; a++)
        text_add(text, "                PUT(mu + %zu) = sum%d;\n",
                 (size_t)a * block->cols * rev->request->lanes, a);
    text_add(text, "            }\n");
}

/* Rows [begin, end), so many at a time: they share the numbers phi. */
static void add_rows(struct reverse *rev, size_t begin, size_t end, int rows)
{
    struct text *text = &rev->text;
    size_t column = 0;
    if (begin == end) return;
    text_add(text, "#pragma GCC unroll 1\n        for (size_t r = %zu; r < %zu; r += %d) {\n", begin, end,
             rows);
    for (int s = 0; s < rev->n_live; s++)
        for (int a = 0; a < rows; a++)
            text_add(text, "            const vec u%d_%d = u[%d][v][r + %d];\n", s, a, s, a);
    for (size_t b = 0; b < rev->found.n_blocks; b++) {
        add_block(rev, &rev->found.blocks[b], column, rows);
        column += rev->found.blocks[b].cols;
    }
    text_add(text, "        }\n");
}

static void add_outer(struct reverse *rev)
{
    const size_t n = rev->request->n, pairs = n / 2 * 2;
    text_add(&rev->text, "#pragma GCC unroll 1\n        for (size_t v = 0; v < %zu; v++) {\n", rev->vectors);
    add_rows(rev, 0, pairs, 2);
    add_rows(rev, pairs, n, 1);
    text_add(&rev->text, "        }\n");
}

/* Cotangents times df/dp, of all lanes. */
static void add_cotangents(struct reverse *rev)
{
    struct text *text = &rev->text;
    for (int s = 0; s < rev->n_live; s++) {
        text_add(text, "    sens_generated_vjp_p(");
        step_add_time(text, rev->request, rev->live[s]);
        text_add(text, ", Y + %zu, p, %zu, KAPPA[%d], MU);\n", (size_t)rev->live[s] * rev->request->n,
                 rev->request->lanes, s);
    }
}

static void add_lanes(struct reverse *rev)
{
    struct text *text = &rev->text;
    const size_t L = rev->request->lanes, n = rev->request->n, V = rev->vectors;
    const bool stores = rev->request->with_mu && !outer(rev);
    if (stores) text_add(text, "    double KAPPA[%d][%zu];\n", rev->n_live, n * L);
    text_add(text,
             "    for (size_t l = 0; l < %zu; l += %zu) {\n        vec lambda[%zu][%zu], total[%zu][%zu];\n",
             L, rev->request->width * V, V, n, V, n);
    if (needs_s(rev)) text_add(text, "        vec u[%d][%zu][%zu];\n", rev->n_live, V, n);
    add_load(rev);
    for (int s = 0; s < rev->n_live; s++) add_stage(rev, s);
    add_store(rev);
    if (outer(rev)) add_outer(rev);
    text_add(text, "    }\n");
    if (stores) add_cotangents(rev);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

/* What is there: *found of outer products and a coupling. */
static sens_status look(const struct step_request *request, struct generate_found *found)
{
    char *source;
    const unsigned structure = 1u << GENERATE_S | 1u << GENERATE_PHI;
    const sens_status status =
        generate_source(request->f, request->n, request->np, structure, 0, request->widest, &source, found);
    if (status == SENS_OK) free(source);
    return status;
}

/* Outer products and a coupling where there are any, else df/dx, and cotangents times df/dp by the product of that
 * name. */
static sens_status write_products(struct reverse *rev, struct generate_count *count)
{
    const unsigned s = 1u << GENERATE_S, phi = 1u << GENERATE_PHI;
    sens_status status = look(rev->request, &rev->found);
    if (status != SENS_OK) return status;
    unsigned wanted =
        coupled(rev) ? s | 1u << GENERATE_COUPLING | 1u << GENERATE_DIAGONAL : 1u << GENERATE_JACOBIAN;
    if (rev->request->with_mu) wanted |= rev->found.n_blocks > 0 ? s | phi : 1u << GENERATE_VJP_P;
    generate_found_release(&rev->found);
    return step_products(rev->request, wanted, &rev->text, &rev->found, count);
}

sens_status step_write_reverse(const struct step_request *request, char **source,
                               struct generate_count *count)
{
    struct reverse rev = {.request = request};
    *count = (struct generate_count){.seconds = 0};
    const sens_status status = write_products(&rev, count);
    if (status != SENS_OK) return step_take(&rev.text, status, source);
    find_live(&rev);
    rev.vectors = request->n <= INLINE_STATES ? 1 : MOST_VECTORS; /* of few states they fill the registers */
    while (request->lanes / request->width % rev.vectors != 0) rev.vectors--;
    if (request->width > 1)
        text_add(&rev.text, "typedef lanes%zu vec;\n#define GET(a) GET%zu(a)\n#define PUT(a) PUT%zu(a)\n\n",
                 request->width, request->width, request->width);
    else
        text_add(&rev.text, "typedef double vec;\n#define GET(a) (*(a))\n#define PUT(a) (*(a))\n\n");
    add_transposed(&rev);
    text_add(
        &rev.text,
        "void sens_step_reverse(double t, double h, const double *restrict p, const double *restrict Y,\n"
        "    double *restrict LAMBDA, double *restrict MU)\n{\n    (void)t, (void)p, (void)MU;\n");
    add_points(&rev);
    add_lanes(&rev);
    text_add(&rev.text, "}\n");
    generate_found_release(&rev.found);
    return step_take(&rev.text, SENS_OK, source);
}
