/* The initial state of M x' = f(t, x, p) where rows of M are 0: their equations, 0 = f_i(t0, x0(p), p), hold for all p.
 *
 * An equation that holds to nine digits of its terms at the nominal parameters, of sum_j |df_i/dx_j x_j| +
 * sum_k |df_i/dp_k p_k|, which is the same in all units, is held to eight of them at others. Published states have some
 * digits only: where it holds to fewer, what counts is by how much x0 would have to move, as for `run`. That is
 *
 *     d = A^-1 f,   A = M with its rows of zeros replaced by those of -df/dx. */
#include <gsl/gsl_linalg.h>
#include <stdio.h>
#include <string.h>

#include "products.h"

static const double DIGITS = 1.4901161193847656e-8; /* sqrt(eps); of x0, what `run` takes for consistent */
static const double EXACT = 1e-9; /* of the terms at the nominal parameters: held to them at others */

struct start {
    const struct subject *subject;
    size_t rows, *row; /* which are algebraic */
    double *J, *F;     /* [rows][n], [rows][np]: df/dx and df/dp at the nominal parameters */
    double *x0;        /* [n] there */
    bool *exact;       /* [rows] they hold there */
};

struct place {
    const double *p;
    double *x, *f; /* [n]: x0(p), f(t0, x0(p), p) */
    char words[64];
};

static bool is_zero(const struct sens_mass *mass, size_t i)
{
    for (size_t e = mass->pattern.start[i]; e < mass->pattern.start[i + 1]; e++)
        if (mass->value[e] != 0) return false;
    return true;
}

/* false: there is no initial state for these parameters, or f has no values there. */
static bool place_create(const struct subject *subject, const double *p, struct place *place)
{
    const struct sens_problem *const pb = subject->pb;
    double sum = 0;
    place->p = p;
    place->x = verify_array(subject->v, pb->n), place->f = verify_array(subject->v, pb->n);
    sens_problem_x0(pb, p, place->x);
    for (size_t i = 0; i < pb->n; i++) sum += fabs(place->x[i]);
    const struct sens_at at = {pb->t0, place->x, p};
    if (!isfinite(sum) || pb->type->rhs(pb, &at, place->f) != SENS_OK) return false;
    for (size_t i = 0; i < pb->n; i++) sum += fabs(place->f[i]);
    return isfinite(sum);
}

/* ---- the terms of an equation --------------------------------------------------------------------------- */

/* Of the algebraic equations, by one lane at a time: [rows][cols]. */
static double *slopes(const struct start *start, const struct place *place, enum product product, size_t cols)
{
    struct verify *const v = start->subject->v;
    const struct sens_at at = {start->subject->pb->t0, place->x, place->p};
    const struct linear map = linear_at(start->subject, product, &at);
    const struct sample sample = {start->rows, cols, start->row, verify_memory(v, cols, sizeof(size_t))};
    for (size_t k = 0; k < cols; k++) sample.col[k] = k;
    return linear_matrix(&map, &sample);
}

/* With the larger of the numbers there and at the nominal parameters, one of which may be 0. */
static double terms(const struct start *start, const struct place *place, size_t r)
{
    const struct sens_problem *const pb = start->subject->pb;
    const double *const J = start->J + r * pb->n, *const F = start->F + r * pb->np;
    double sum = 0;
    for (size_t j = 0; j < pb->n; j++) sum += fabs(J[j]) * fmax(fabs(start->x0[j]), fabs(place->x[j]));
    for (size_t k = 0; k < pb->np; k++) sum += fabs(F[k]) * fmax(fabs(pb->p[k]), fabs(place->p[k]));
    return sum;
}

/* false: the problem has no algebraic equations, or no values where it begins. */
static bool start_create(const struct subject *subject, struct start *start, struct place *nominal)
{
    const struct sens_problem *const pb = subject->pb;
    *start = (struct start){.subject = subject, .rows = 0};
    if (!pb->mass) return false;
    start->row = verify_memory(subject->v, pb->n, sizeof *start->row);
    for (size_t i = 0; i < pb->n; i++)
        if (is_zero(pb->mass, i)) start->row[start->rows++] = i;
    if (start->rows == 0 || !place_create(subject, pb->p, nominal)) return false;
    snprintf(nominal->words, sizeof nominal->words, "at the %s parameters",
             subject->v->seed ? "drawn" : "nominal");
    start->x0 = nominal->x;
    start->exact = verify_memory(subject->v, start->rows, sizeof *start->exact);
    start->J = slopes(start, nominal, PRODUCT_JVP, pb->n);
    start->F = slopes(start, nominal, PRODUCT_JVP_P, pb->np);
    for (size_t r = 0; r < start->rows; r++)
        start->exact[r] = fabs(nominal->f[start->row[r]]) <= EXACT * terms(start, nominal, r);
    return true;
}

/* ---- by how much x0 would have to move ------------------------------------------------------------------ */

static void set_matrix(const struct start *start, const struct place *place, double *A)
{
    const struct sens_problem *const pb = start->subject->pb;
    const size_t n = pb->n;
    const struct sens_pattern *const M = &pb->mass->pattern;
    const double *const J = slopes(start, place, PRODUCT_JVP, n);
    for (size_t r = 0; r < start->rows; r++)
        for (size_t j = 0; j < n; j++) A[start->row[r] * n + j] = -J[r * n + j];
    for (size_t i = 0; i < n; i++)
        for (size_t e = M->start[i]; e < M->start[i + 1]; e++) A[i * n + M->col[e]] += pb->mass->value[e];
}

/* d [n], by the equations alone that are not exact. false: there are too many, or A is singular. */
static bool find_moves(const struct start *start, const struct place *place, double *d)
{
    enum { LARGEST = 1024 };
    const size_t n = start->subject->pb->n;
    struct verify *const v = start->subject->v;
    if (n > LARGEST) return false;
    double *const A = verify_array(v, n * n);
    gsl_matrix_view matrix = gsl_matrix_view_array(A, n, n);
    gsl_vector_view moves = gsl_vector_view_array(d, n);
    gsl_permutation order = {n, verify_memory(v, n, sizeof(size_t))};
    int sign;
    set_matrix(start, place, A);
    for (size_t r = 0; r < start->rows; r++)
        if (!start->exact[r]) d[start->row[r]] = place->f[start->row[r]];
    gsl_linalg_LU_decomp(&matrix.matrix, &order, &sign);
    for (size_t i = 0; i < n; i++)
        if (A[i * n + i] == 0 || !isfinite(A[i * n + i])) return false;
    gsl_linalg_LU_svx(&matrix.matrix, &order, &moves.vector);
    return true;
}

static size_t largest(size_t n, const double *v)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(v[i])) return i; /* what is no number is large */
        if (fabs(v[i]) > fabs(v[at])) at = i;
    }
    return at;
}

/* ---- one place ------------------------------------------------------------------------------------------ */

static void note_row(const struct start *start, const struct place *place, size_t r, struct worst *worst)
{
    const size_t i = start->row[r];
    const double size = terms(start, place, r);
    worst_note(worst, fabs(place->f[i]), DIGITS * size,
               "%s: equation %zu of %zu is algebraic, and f there is %.3g at t0 and x0(p), its terms %.3g",
               place->words, i + 1, start->subject->pb->n, place->f[i], size);
}

static void note_place(const struct start *start, const struct place *place, struct worst *worst)
{
    const size_t n = start->subject->pb->n;
    double *const d = verify_array(start->subject->v, n);
    size_t rough = 0, first = 0;
    for (size_t r = 0; r < start->rows; r++)
        if (start->exact[r])
            note_row(start, place, r, worst);
        else if (rough++ == 0)
            first = start->row[r];
    if (rough == 0) return;
    if (!find_moves(start, place, d)) {
        for (size_t r = 0; r < start->rows; r++)
            if (!start->exact[r]) note_row(start, place, r, worst);
        return;
    }
    const size_t moved = largest(n, d);
    worst_note(
        worst, fabs(d[moved]), DIGITS * fabs(place->x[largest(n, place->x)]),
        "%s: equation %zu of %zu is algebraic, and f there is %.3g at t0 and x0(p); x0[%zu] = %.6g would "
        "have to move by %.3g",
        place->words, first + 1, n, place->f[first], moved, place->x[moved], d[moved]);
}

/* ---- other parameters ----------------------------------------------------------------------------------- */

static double some_per_cent(struct verify *v)
{
    return verify_uniform(v, 0.02, 0.08) * (verify_integer(v, 0, 1) ? 1 : -1);
}

/* p with one parameter moved, or (one = np) all of them; one that is 0, by a part of the mean. */
static double *move(const struct subject *subject, size_t one, double sign)
{
    const struct sens_problem *const pb = subject->pb;
    double *const p = verify_copy(subject->v, pb->np, pb->p), mean = 0;
    for (size_t k = 0; k < pb->np; k++) mean += fabs(pb->p[k]) / (double)pb->np;
    for (size_t k = 0; k < pb->np; k++)
        if (k == one || one == pb->np)
            p[k] += sign * some_per_cent(subject->v) * (p[k] != 0 ? p[k] : mean > 0 ? mean : 1);
    return p;
}

/* The other way where there is no initial state on one side, as past the end of a range. */
static void note_moved(const struct start *start, size_t one, struct worst *worst)
{
    const struct subject *const subject = start->subject;
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    struct place place;
    bool made = place_create(subject, move(subject, one, 1), &place);
    if (!made) made = place_create(subject, move(subject, one, -1), &place);
    if (one < subject->pb->np)
        snprintf(place.words, sizeof place.words, "p[%zu] = %.6g for %.6g", one, place.p[one],
                 subject->pb->p[one]);
    else
        snprintf(place.words, sizeof place.words, "each p moved by some per cent");
    if (made) note_place(start, &place, worst);
    sens_arena_rewind(&subject->v->ctx.arena, mark);
}

/* One parameter after the other, a sample of them where they are many, then all. */
static void note_others(const struct start *start, struct worst *worst)
{
    enum { QUICK_ALONE = 32, TOGETHER = 4 };
    const size_t np = start->subject->pb->np;
    const size_t stride = start->subject->v->quick ? np / QUICK_ALONE + 1 : 1;
    for (size_t k = 0; k < np; k += stride) note_moved(start, k, worst);
    for (int k = 0; k < TOGETHER && np > 0; k++) note_moved(start, np, worst);
}

bool initial_note_followed(struct worst *worst, const struct subject *subject)
{
    struct worst here = {.count = 0};
    struct start start;
    struct place nominal;
    if (!start_create(subject, &start, &nominal)) return false;
    note_place(&start, &nominal, &here);
    if (!worst_passes(&here)) return false;
    note_others(&start, worst);
    return true;
}

void initial_check_algebraic(const struct subject *subject)
{
    struct verify_result result = subject_open(subject, "x0.algebraic");
    struct worst nominal = {.count = 0}, others = {.count = 0};
    struct start start;
    struct place place;
    if (start_create(subject, &start, &place)) {
        note_place(&start, &place, &nominal);
        if (worst_passes(&nominal)) note_others(&start, &others);
    }
    const bool begins = worst_passes(&nominal), follows = worst_passes(&others);
    if (start.rows == 0)
        verify_skip(&result, "the problem has no algebraic equations");
    else if (nominal.count == 0)
        verify_skip(&result, "the right-hand side has no values at the initial state");
    else
        verify_judge_or(&result, begins && subject->pb->np > 0 ? &others : &nominal,
                        "there is no initial state at other parameters");
    /* Drawn parameters are others already. */
    const bool moved = subject->v->seed && !sens_problem_x0_depends(subject->pb);
    if (!begins) verify_blame(&result, CAUSE_initial_algebraic, moved ? 0.8 : 0.95);
    if (!follows || (!begins && subject->v->seed))
        verify_blame(&result, CAUSE_initial_held, moved ? 0.95 : 0.9);
    verify_close(subject->v, &result);
}
