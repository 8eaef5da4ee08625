/* Which fault explains structure that disagrees with a problem's own products. */
#include <stdio.h>
#include <string.h>

#include "structure.h"

/* What one place says of a cause. */
enum evidence { AGAINST, SILENT, FOR };

/* ---- df/dx --------------------------------------------------------------------------------------------- */

struct whole { /* all n^2 entries at a place */
    size_t n;
    double *right, *tol, *got;
};

static struct whole whole_at(const struct both *both, const struct sens_at *at)
{
    struct verify *v = both->own->v;
    const size_t n = both->own->pb->n;
    const struct linear map = linear_at(both->own, PRODUCT_JVP, at);
    size_t *all = verify_memory(v, n, sizeof *all);
    for (size_t i = 0; i < n; i++) all[i] = i;
    const struct sample sample = {n, n, all, all};
    struct whole made = {.n = n, .right = linear_matrix(&map, &sample), .got = verify_array(v, n * n)};
    made.tol = linear_matrix_rounding(&map, &sample, made.right);
    for (size_t q = 0; q < n * n; q++) made.tol[q] *= 2; /* of both */
    declared_jacobian(v, both->own->pb, both->by, at, made.got);
    return made;
}

/* How many of the entries of J are wrong. */
static size_t wrong_entries(const struct whole *whole, const double *J)
{
    size_t wrong = 0;
    for (size_t q = 0; q < whole->n * whole->n; q++)
        wrong += !(fabs(J[q] - whole->right[q]) <= whole->tol[q]);
    return wrong;
}

/* Are all errors of J on its diagonal? */
static enum evidence diagonal_alone(const struct both *both, const struct sens_at *at)
{
    const struct whole whole = whole_at(both, at);
    const size_t n = whole.n, wrong = wrong_entries(&whole, whole.got);
    size_t diagonal = 0;
    for (size_t q = 0; q < n * n; q += n + 1)
        diagonal += !(fabs(whole.got[q] - whole.right[q]) <= whole.tol[q]);
    if (wrong > diagonal) return AGAINST;
    return wrong == 0 ? SILENT : wrong == 1 && n > 1 ? AGAINST : FOR;
}

/* Is diag(d) + diag(s) M^T right? */
static enum evidence coupling_transposed(const struct both *both, const struct sens_at *at)
{
    const struct whole whole = whole_at(both, at);
    double *J = verify_array(both->own->v, whole.n * whole.n);
    if (wrong_entries(&whole, whole.got) == 0) return SILENT;
    declared_coupling(both->own->v, both->own->pb, true, at, J);
    return wrong_entries(&whole, J) == 0 ? FOR : AGAINST;
}

/* Is it right with the nominal parameters alone? */
static enum evidence nominal_parameters(const struct both *both, const struct sens_at *at)
{
    const struct whole whole = whole_at(both, at);
    const struct sens_problem *pb = both->own->pb;
    if (wrong_entries(&whole, whole.got) == 0) return SILENT;
    return pb->np > 0 && memcmp(at->p, pb->p, pb->np * sizeof *at->p) != 0 ? FOR : AGAINST;
}

/* ---- df/dp --------------------------------------------------------------------------------------------- */

/* Is every column of df/dp that is wrong another parameter's? */
static enum evidence columns_permuted(const struct both *both, const struct sens_at *at)
{
    struct verify *v = both->own->v;
    const size_t n = both->own->pb->n, np = both->own->pb->np;
    double *right = verify_array(v, n * np), *got = verify_array(v, n * np);
    both->own->pb->type->jvp_p_cols(both->own->pb, at, 0, np, right);
    both->declared->pb->type->jvp_p_cols(both->declared->pb, at, 0, np, got);
    size_t moved = 0;
    for (size_t k = 0; k < np; k++) {
        bool found = false;
        for (size_t c = 0; c < np && !found; c++) {
            const size_t other = (k + c) % np; /* its own first */
            bool same = true;
            for (size_t i = 0; i < n && same; i++)
                same = fabs(got[i * np + k] - right[i * np + other]) <=
                       64 * DBL_EPSILON * fabs(right[i * np + other]);
            found = same, moved += same && c > 0;
        }
        if (!found) return AGAINST;
    }
    return moved > 0 ? FOR : SILENT;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

struct explanation {
    enum evidence (*look)(const struct both *both, const struct sens_at *at);
    enum cause cause;
    const char *words; /* NULL: the cause says it all */
};

static const struct explanation of_jacobian[] = {{diagonal_alone, CAUSE_missing_diagonal, NULL},
                                                 {.look = NULL}},
                                of_coupling[] = {{diagonal_alone, CAUSE_missing_diagonal, NULL},
                                                 {coupling_transposed, CAUSE_jacobian_transposed,
                                                  "with M^T for M it is right"},
                                                 {nominal_parameters, CAUSE_product_point,
                                                  "right with the nominal parameters, wrong with all others"},
                                                 {.look = NULL}},
                                of_parameters[] = {{columns_permuted, CAUSE_outer_order, NULL},
                                                   {.look = NULL}};

/* Does it hold at a place at least, and nowhere not? */
static bool explains(const struct explanation *explanation, const struct both *both,
                     const struct points *points)
{
    bool against = false, holds = false;
    for (int k = 0; k < points->count && !against; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&both->own->v->ctx.arena);
        const enum evidence here = explanation->look(both, &points->at[k]);
        against = here == AGAINST, holds = holds || here == FOR;
        sens_arena_rewind(&both->own->v->ctx.arena, mark);
    }
    return holds && !against;
}

/* The words name the product that was asked, "jvp: 2 of 4 entries", which the structure made. */
static void name_declared(const struct both *both, struct suspicion *suspicion)
{
    char words[sizeof suspicion->words];
    const char *const rest = strchr(suspicion->words, ':');
    if (!rest) return;
    snprintf(words, sizeof words, "the declared %s%s", both->by == DECLARED_COUPLED ? "coupling" : "Jacobian",
             rest);
    snprintf(suspicion->words, sizeof suspicion->words, "%s", words);
}

/* What agrees with rhs is not what is wrong. */
void structure_blame(const struct both *both, const struct points *points, enum product product,
                     struct verify_result *result)
{
    const struct explanation *explanation = product != PRODUCT_JVP         ? of_parameters
                                            : both->by == DECLARED_COUPLED ? of_coupling
                                                                           : of_jacobian;
    struct suspicion suspicion = {.places = 0};
    for (int k = 0; k < points->count; k++)
        suspicion_look(&suspicion, both->declared, product, &points->at[k]);
    suspicion.weight[CAUSE_pair_agrees_wrongly] = 0; /* they share the numbers */
    suspicion.weight[CAUSE_rhs_itself] = 0;
    if (product == PRODUCT_JVP) name_declared(both, &suspicion);
    const bool suspected = suspicion_tell(&suspicion, result);
    if (suspected) verify_blame(result, CAUSE_structure_entry, 0.9);
    if (!suspected && isfinite(result->value)) /* what is no number agrees with nothing */
        verify_say(result, "differences of rhs agree with the structure: look at the products");
    for (; explanation->look; explanation++) {
        if (!explains(explanation, both, points)) continue;
        verify_blame(result, explanation->cause, 1);
        if (explanation->words) verify_say(result, "%s", explanation->words);
    }
}
