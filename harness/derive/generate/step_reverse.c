/* derive/generate/step_reverse.c - the step of the discrete adjoint as C, see step.h:
 *
 *     kappa_i = h (b_i lambda + sum_{j>i} a_ji theta_j),    theta_i = (df/dx)(t_i, Y_i)^T kappa_i,    i = s ... 1
 *     lambda += sum_i theta_i,                              mu += sum_i (df/dp)(t_i, Y_i)^T kappa_i
 *
 * as methods/discrete/adjoint_runge_kutta.c has it, for explicit pairs. The entries of df/dx are formed at all live
 * stages; then the lanes go through them, a vector of lanes at a time. Where df_i/dp = s_i phi_j, mu is read and
 * written once a step: its sums over the stages are in registers. */
#include <stdlib.h>

#include "step_parts.h"

enum { INLINE_STATES = 6 }; /* J^T kappa of more is a function that the stages share: its operands fill the registers */

struct reverse {
    const struct step_request *request;
    struct text text;
    struct generate_found found;
    int live[SENS_MAX_STAGES]; /* stages that an output depends on, the last one first */
    int n_live;
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

static void add_row(struct reverse *rev, size_t k)
{
    const struct sens_pattern *pattern = rev->found.sparsity;
    const size_t n = rev->request->n, first = pattern ? pattern->start[k] : k * n;
    const size_t end = pattern ? pattern->start[k + 1] : first + n;
    for (size_t e = first; e < end; e++)
        text_add(&rev->text, "    o%zu += J[%zu] * v[%zu];\n", pattern ? pattern->col[e] : e - first, e, k);
}

static void add_transposed(struct reverse *rev)
{
    struct text *text = &rev->text;
    const size_t n = rev->request->n;
    text_add(text, "static %s void transposed(const double *restrict J, const vec *restrict v, vec *restrict out)\n{\n",
             n <= INLINE_STATES ? "inline __attribute__((always_inline))" : "__attribute__((noinline))");
    for (size_t r = 0; r < n; r++) text_add(text, "    vec o%zu = {0};\n", r);
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

static void add_points(struct reverse *rev)
{
    struct text *text = &rev->text;
    const size_t n = rev->request->n;
    text_add(text, "    double J[%d][%zu];\n", rev->n_live, entries(rev) + 1);
    if (outer(rev)) text_add(text, "    double S[%d][%zu], PHI[%d][%zu];\n", rev->n_live, n, rev->n_live, factors(rev));
    for (int s = 0; s < rev->n_live; s++) {
        add_call(rev, "jacobian", "J", s);
        if (!outer(rev)) continue;
        add_call(rev, "s", "S", s);
        add_call(rev, "phi", "PHI", s);
    }
}

/* ---- the lanes ------------------------------------------------------------------------------------------- */

static void add_loop(struct reverse *rev)
{
    text_add(&rev->text, "#pragma GCC unroll 16\n        for (int r = 0; r < %zu; r++)", rev->request->n);
}

/* The first term begins the sum; the weights are rounded with h, as the library's are. */
static void add_term(struct reverse *rev, bool first, double w, const char *vector, int of)
{
    struct text *text = &rev->text;
    add_loop(rev);
    text_add(text, " kappa[r] %s (h * ", first ? "=" : "+=");
    text_add_number(text, w);
    text_add(text, of < 0 ? ") * %s[r];\n" : ") * %s%d[r];\n", vector, of);
}

static void add_stage(struct reverse *rev, int s)
{
    struct text *text = &rev->text;
    const int i = rev->live[s];
    const double b = rev->request->tableau->b[i];
    bool first = true;
    if (b != 0) add_term(rev, true, b, "lambda", -1), first = false;
    for (int earlier = 0; earlier < s; earlier++) {
        const double w = weight(rev, rev->live[earlier], i);
        if (w != 0) add_term(rev, first, w, "theta", rev->live[earlier]), first = false;
    }
    text_add(text, "        vec theta%d[%zu];\n        transposed(J[%d], kappa, theta%d);\n", i, rev->request->n, s, i);
    add_loop(rev);
    text_add(text, " total[r] += theta%d[r];\n", i);
    if (!rev->request->with_mu) return;
    add_loop(rev);
    if (outer(rev))
        text_add(text, " u[%d][r] = S[%d][r] * kappa[r];\n", s, s);
    else
        text_add(text, " PUT(KAPPA[%d] + r * %zu + l) = kappa[r];\n", s, rev->request->lanes);
}

/* A block of outer products: mu_(first + r cols + j) += sum_s u_s,r phi_s,j. */
static void add_block(struct reverse *rev, size_t b, size_t column)
{
    struct text *text = &rev->text;
    const struct sens_outer *block = &rev->found.blocks[b];
    const size_t L = rev->request->lanes;
    text_add(text,
             "            for (int j = 0; j < %zu; j++) {\n"
             "                double *const mu = MU + (%zu + (size_t)r * %zu + (size_t)j) * %zu + l;\n"
             "                vec sum = GET(mu);\n",
             block->cols, block->first, block->cols, L);
    for (int s = 0; s < rev->n_live; s++)
        text_add(text, "                sum += PHI[%d][%zu + j] * u%d;\n", s, column, s);
    text_add(text, "                PUT(mu) = sum;\n            }\n");
}

static void add_outer(struct reverse *rev)
{
    struct text *text = &rev->text;
    size_t column = 0;
    text_add(text, "#pragma GCC unroll 1\n        for (int r = 0; r < %zu; r++) {\n", rev->request->n);
    for (int s = 0; s < rev->n_live; s++) text_add(text, "            const vec u%d = u[%d][r];\n", s, s);
    for (size_t b = 0; b < rev->found.n_blocks; b++) {
        add_block(rev, b, column);
        column += rev->found.blocks[b].cols;
    }
    text_add(text, "        }\n");
}

static void add_lanes(struct reverse *rev)
{
    struct text *text = &rev->text;
    const size_t n = rev->request->n, L = rev->request->lanes;
    const bool stores = rev->request->with_mu && !outer(rev);
    if (stores) text_add(text, "    double KAPPA[%d][%zu];\n", rev->n_live, n * L);
    text_add(text, "    for (size_t l = 0; l < %zu; l += %zu) {\n        vec lambda[%zu], total[%zu], kappa[%zu];\n", L,
             rev->request->width, n, n, n);
    if (outer(rev)) text_add(text, "        vec u[%d][%zu];\n", rev->n_live, n);
    add_loop(rev);
    text_add(text, " total[r] = lambda[r] = GET(LAMBDA + r * %zu + l);\n", L);
    for (int s = 0; s < rev->n_live; s++) add_stage(rev, s);
    add_loop(rev);
    text_add(text, " PUT(LAMBDA + r * %zu + l) = total[r];\n", L);
    if (outer(rev)) add_outer(rev);
    text_add(text, "    }\n");
    for (int s = 0; stores && s < rev->n_live; s++) {
        text_add(text, "    sens_generated_vjp_p(");
        step_add_time(text, rev->request, rev->live[s]);
        text_add(text, ", Y + %zu, p, %zu, KAPPA[%d], MU);\n", (size_t)rev->live[s] * n, L, s);
    }
}

/* ---- all ------------------------------------------------------------------------------------------------- */

/* Outer products where there are any, else cotangents times df/dp by the product of that name. */
static sens_status write_products(struct reverse *rev, struct generate_count *count)
{
    const unsigned jacobian = 1u << GENERATE_JACOBIAN;
    const unsigned structure = jacobian | 1u << GENERATE_S | 1u << GENERATE_PHI;
    const bool wanted = rev->request->with_mu;
    sens_status status =
        step_products(rev->request, wanted ? structure : jacobian, &rev->text, &rev->found, count);
    if (status != SENS_OK || !wanted || rev->found.n_blocks > 0) return status;
    generate_found_release(&rev->found);
    free(text_take(&rev->text));
    *count = (struct generate_count){.seconds = 0};
    return step_products(rev->request, jacobian | 1u << GENERATE_VJP_P, &rev->text, &rev->found, count);
}

sens_status step_write_reverse(const struct step_request *request, char **source, struct generate_count *count)
{
    struct reverse rev = {.request = request};
    *count = (struct generate_count){.seconds = 0};
    const sens_status status = write_products(&rev, count);
    if (status != SENS_OK) return step_take(&rev.text, status, source);
    find_live(&rev);
    if (request->width > 1)
        text_add(&rev.text, "typedef lanes%zu vec;\n#define GET(a) GET%zu(a)\n#define PUT(a) PUT%zu(a)\n\n",
                 request->width, request->width, request->width);
    else
        text_add(&rev.text, "typedef double vec;\n#define GET(a) (*(a))\n#define PUT(a) (*(a))\n\n");
    add_transposed(&rev);
    text_add(&rev.text, "void sens_step_reverse(double t, double h, const double *restrict p, const double *restrict Y,\n"
                        "    double *restrict LAMBDA, double *restrict MU)\n{\n    (void)t, (void)p, (void)MU;\n");
    add_points(&rev);
    add_lanes(&rev);
    text_add(&rev.text, "}\n");
    generate_found_release(&rev.found);
    return step_take(&rev.text, SENS_OK, source);
}
