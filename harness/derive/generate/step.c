/* derive/generate/step.c - the step of the state as C, and what both steps are made of, see step.h. */
#include "step_parts.h"

#include <stdio.h>
#include <stdlib.h>

/* gcc's vectors of straight-line code take three times as long as its plain code for f of ten states. */
enum { PLAIN_STATES = 8 };

/* f of more is a function that the stages share: written once for each, it is fetched more slowly than it is run. */
enum { INLINE_STATES = 6 };

/* ---- both ---------------------------------------------------------------------------------------------- */

sens_status step_products(const struct step_request *request, unsigned wanted, struct text *text,
                          struct generate_found *found, struct generate_count *count)
{
    char *source;
    if (request->n > PLAIN_STATES) text_add(text, "#pragma GCC optimize(\"no-tree-slp-vectorize\")\n");
    const unsigned calls = request->lanes > 0 ? generate_call_of(request->lanes) : 0;
    const sens_status status =
        generate_source(request->f, request->n, request->np, wanted, calls, request->widest, &source, found);
    if (status != SENS_OK) return status;
    for (int which = 0; which < GENERATE_PRODUCTS; which++) {
        count->operations += found->count[which].operations;
        count->operators += found->count[which].operators;
    }
    text_add(text, "%s", source);
    free(source);
    return SENS_OK;
}

sens_status step_take(struct text *text, sens_status status, char **source)
{
    char *const taken = text_take(text);
    *source = status == SENS_OK ? taken : NULL;
    if (status != SENS_OK) free(taken);
    return status == SENS_OK && !taken ? SENS_NO_MEMORY : status;
}

void step_add_time(struct text *text, const struct step_request *request, int i)
{
    text_add(text, "t + ");
    text_add_number(text, request->tableau->c[i]);
    text_add(text, " * h");
}

/* ---- the step of the state ----------------------------------------------------------------------------- */

/* to[q] = base[q] + h sum_j w_j k_j[q]; no weight is left out: a slope that is not finite is to be seen. */
static void add_sum(struct text *text, size_t n, int terms, const double *w, const char *base, const char *to)
{
    text_add(text, "#pragma GCC unroll 16\n    for (int q = 0; q < %zu; q++)\n        %s[q] = ", n, to);
    text_add(text, base ? "%s[q] + h * (" : "%sh * (", base ? base : "");
    for (int j = 0; j < terms; j++) {
        text_add(text, j ? " + " : "");
        text_add_number(text, w[j]);
        text_add(text, " * k%d[q]", j);
    }
    text_add(text, ");\n");
}

static void add_copy(struct text *text, size_t n, const char *to, size_t row, const char *from, int of)
{
    text_add(text, "#pragma GCC unroll 16\n    for (int q = 0; q < %zu; q++) %s[%zu + q] = %s%d[q];\n", n, to,
             row * n, from, of);
}

static void add_stages(struct text *text, const struct step_request *request)
{
    const struct sens_tableau *tb = request->tableau;
    const size_t n = request->n;
    for (int i = 0; i < tb->stages; i++) {
        char stage[16];
        snprintf(stage, sizeof stage, "y%d", i);
        text_add(text, "    double y%d[%zu], k%d[%zu];\n", i, n, i, n);
        if (i == 0)
            text_add(text, "    for (int q = 0; q < %zu; q++) y0[q] = Y[q];\n", n);
        else
            add_sum(text, n, i, tb->a + i * (tb->stages + tb->extra_stages), "y0", stage);
        text_add(text, "    core_sens_generated_rhs(");
        step_add_time(text, request, i);
        text_add(text, ", y%d, p, k%d);\n", i, i);
        if (i > 0) add_copy(text, n, "Y", (size_t)i, "y", i);
        add_copy(text, n, "K", (size_t)i, "k", i);
    }
}

sens_status step_write_forward(const struct step_request *request, char **source,
                               struct generate_count *count)
{
    const struct sens_tableau *tb = request->tableau;
    struct text text = {.at = NULL};
    struct generate_found found;
    *count = (struct generate_count){.seconds = 0};
    text_add(&text,
             "static %s void core_sens_generated_rhs(double t,\n"
             "    const double *restrict x, const double *restrict p, double *restrict OUT);\n",
             request->n <= INLINE_STATES ? "inline __attribute__((always_inline))"
                                         : "__attribute__((noinline))");
    const sens_status status = step_products(request, 1u << GENERATE_RHS, &text, &found, count);
    if (status == SENS_OK) generate_found_release(&found);
    text_add(&text,
             "void sens_step_forward(double t, double h, const double *restrict p, double *restrict Y,\n"
             "    double *restrict K, double *restrict end, double *restrict est)\n{\n"
             "    (void)t, (void)end, (void)est;\n");
    add_stages(&text, request);
    if (!tb->fsal) add_sum(&text, request->n, tb->stages, tb->b, "y0", "end");
    if (tb->e) add_sum(&text, request->n, tb->stages, tb->e, NULL, "est");
    text_add(&text, "}\n");
    return step_take(&text, status, source);
}
