/* Second derivatives of a Rosenbrock step, see rosenbrock_second.h. */
#include "rosenbrock_second.h"

#include <string.h>
#include <tgmath.h>

#include "kernels.h"

enum { UNITS = 32 };

/* ---- along a direction --------------------------------------------------------------------------------- */

/* The direction in L lanes, L <= UNITS. */
static struct sens_direction in_lanes(struct rosenbrock_along *along, size_t L)
{
    const size_t n = along->of->n, np = along->of->np;
    sens_real *const t = along->lanes, *const x = t + UNITS, *const p = x + n * UNITS;
    for (size_t l = 0; along->width != L && l < L; l++) {
        t[l] = along->tau;
        for (size_t r = 0; r < n; r++) x[r * L + l] = along->u[r];
        for (size_t k = 0; k < np; k++) p[k * L + l] = along->p[k];
    }
    along->width = L;
    if (!along->of_state) return (struct sens_direction){.p = p};
    return (struct sens_direction){.t = along->of->type->autonomous ? NULL : t, .x = x};
}

static void along_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                      sens_real *OUT)
{
    struct rosenbrock_along *along = *(struct rosenbrock_along *const *)pb->data;
    const struct sens_direction v = in_lanes(along, L);
    along->of->type->hvp(along->of, at, L, &v, W, OUT, NULL);
}

static sens_status create_along(struct sens_ctx *ctx, const struct sens_problem *pb,
                                struct rosenbrock_along *along)
{
    struct rosenbrock_along **const self = SENS_NEW(ctx, struct rosenbrock_along *, 1);
    along->of = pb;
    along->u = SENS_NEW(ctx, sens_real, pb->n);
    along->p = SENS_NEW(ctx, sens_real, pb->np);
    along->lanes = SENS_NEW(ctx, sens_real, (1 + pb->n + pb->np) * UNITS);
    if (!self || !along->u || !along->p || !along->lanes) return SENS_NO_MEMORY;
    *self = along;
    along->type.vjp = along_vjp;
    along->structure.sparsity = sens_structure_of(pb)->sparsity;
    along->problem = *pb;
    along->problem.type = &along->type;
    along->problem.structure = &along->structure;
    along->problem.data = self;
    return sens_jacobian_create(ctx, &along->problem, SENS_VJP, NULL, &along->H);
}

static const sens_real *increment(const struct rosenbrock_second *second, const struct sens_step *step,
                                  size_t i)
{
    const size_t n = second->pb->n;
    return sens_rosenbrock_increments(second->formula, n, step->Y) + i * n;
}

static struct sens_at start_of(const struct rosenbrock_second *second, const struct sens_step *step)
{
    return (struct sens_at){step->t, step->y, second->pb->p};
}

/* From now on along (h gamma_i, u_i, 0). */
static void turn_to_stage(struct rosenbrock_second *second, const struct sens_step *step, size_t i)
{
    struct rosenbrock_along *along = &second->along;
    along->tau = step->h * second->formula->gamma_i[i];
    along->of_state = true;
    along->width = 0;
    memcpy(along->u, increment(second, step, i), second->pb->n * sizeof *along->u);
}

/* From now on along the parameters of column k. */
static void turn_to_parameters(struct rosenbrock_second *second, size_t k)
{
    struct rosenbrock_along *along = &second->along;
    along->of_state = false;
    along->width = 0;
    for (size_t q = 0; q < second->pb->np; q++) along->p[q] = second->weight ? second->weight[q] : q == k;
}

void rosenbrock_second_at(struct rosenbrock_second *second, const struct sens_step *step)
{
    const struct sens_at at = start_of(second, step);
    second->P_known = false;
    for (size_t i = 0; i < second->stages; i++) {
        turn_to_stage(second, step, i);
        sens_jacobian_at(second->along.H, &at, second->H + i * second->along.H->entries);
    }
}

/* OUT [n][L] += A S with the values of a matrix of J's pattern. */
static void multiply(const struct rosenbrock_second *second, const sens_real *A, size_t L, const sens_real *S,
                     sens_real *OUT)
{
    const struct sens_pattern *pattern = second->along.H->pattern;
    if (pattern) {
        sens_lanes_add_csr((struct sens_csr){pattern->rows, pattern->cols, pattern->start, pattern->col, A},
                           L, S, OUT);
        return;
    }
    const size_t n = second->pb->n;
    const struct sens_matrix matrix = {.rows = n, .cols = n, .a = A, .row_step = n, .col_step = 1};
    sens_lanes_add_product(matrix, (struct sens_lanes){.v = S, .step = L}, L, OUT);
}

void rosenbrock_second_add(const struct rosenbrock_second *second, size_t i, size_t L, const sens_real *S,
                           sens_real *OUT)
{
    multiply(second, second->H + i * second->along.H->entries, L, S, OUT);
}

/* ---- df/dp along it ------------------------------------------------------------------------------------ */

/* A row of P from lane l of MU. */
static void take_row(const struct rosenbrock_second *second, size_t L, size_t l, sens_real *row)
{
    const size_t np = second->pb->np;
    for (size_t k = 0; !second->weight && k < np; k++) row[k] = second->MU[k * L + l];
    if (!second->weight) return;
    *row = 0;
    for (size_t k = 0; k < np; k++) *row += second->weight[k] * second->MU[k * L + l];
}

/* P [n][columns] = D df/dp along the direction, a row for each unit vector. */
static void find_rows(struct rosenbrock_second *second, const struct sens_at *at, sens_real *P)
{
    const size_t n = second->pb->n, np = second->pb->np;
    for (size_t first = 0; first < n; first += UNITS) {
        const size_t L = n - first < UNITS ? n - first : UNITS;
        const struct sens_direction v = in_lanes(&second->along, L);
        memset(second->unit, 0, n * L * sizeof *second->unit);
        memset(second->MU, 0, np * L * sizeof *second->MU);
        for (size_t l = 0; l < L; l++) second->unit[(first + l) * L + l] = 1;
        second->pb->type->hvp(second->pb, at, L, &v, second->unit, second->OUT, second->MU);
        for (size_t l = 0; l < L; l++) take_row(second, L, l, P + (first + l) * second->columns);
    }
}

/* Column k of all P_i = (d/dp_k df/dx) u_i. */
static void find_column(struct rosenbrock_second *second, const struct sens_step *step, size_t k)
{
    const size_t n = second->pb->n;
    const struct sens_at at = start_of(second, step);
    turn_to_parameters(second, k);
    sens_jacobian_at(second->along.H, &at, second->J_p);
    for (size_t i = 0; i < second->stages; i++) {
        memset(second->OUT, 0, n * sizeof *second->OUT);
        multiply(second, second->J_p, 1, increment(second, step, i), second->OUT);
        for (size_t r = 0; r < n; r++) second->P[(i * n + r) * second->columns + k] = second->OUT[r];
    }
}

/* From now on along (1, 0, 0). */
static void turn_to_time(struct rosenbrock_second *second)
{
    struct rosenbrock_along *along = &second->along;
    along->tau = 1;
    along->of_state = true;
    along->width = 0;
    memset(along->u, 0, second->pb->n * sizeof *along->u);
}

/* Along the direction, is df/dp all 0? Its rows are added with irregular weights, twice: what is not 0 does not become
 * it. */
static bool nothing_along(struct rosenbrock_second *second, const struct sens_at *at)
{
    enum { TWICE = 2 };
    const double golden = 0.6180339887498949;
    const size_t n = second->pb->n, np = second->pb->np;
    const struct sens_direction v = in_lanes(&second->along, TWICE);
    for (size_t q = 0; q < TWICE * n; q++)
        second->unit[q] = (sens_real)(0.5 + fmod((double)(q + 1) * golden, 1));
    memset(second->MU, 0, TWICE * np * sizeof *second->MU);
    second->pb->type->hvp(second->pb, at, TWICE, &v, second->unit, second->OUT, second->MU);
    for (size_t k = 0; k < TWICE * np; k++)
        if (second->MU[k] != 0) return false;
    return true;
}

/* P_i += h gamma_i d/dt df/dp */
static void add_time(struct rosenbrock_second *second, const struct sens_step *step)
{
    const size_t size = second->pb->n * second->columns;
    const struct sens_at at = start_of(second, step);
    turn_to_time(second);
    if (second->pb->type->autonomous || nothing_along(second, &at)) return;
    find_rows(second, &at, second->P_t);
    for (size_t i = 0; i < second->stages; i++) {
        const sens_real tau = step->h * second->formula->gamma_i[i];
        for (size_t q = 0; q < size; q++) second->P[i * size + q] += tau * second->P_t[q];
    }
}

/* Are the columns of P fewer vectors of hvp than its rows? */
static bool by_columns(const struct rosenbrock_second *second)
{
    const size_t once = second->pb->type->autonomous ? 0 : second->pb->n;
    return second->columns * second->along.H->colours + once < second->stages * second->pb->n;
}

void rosenbrock_second_find_columns(struct rosenbrock_second *second, const struct sens_step *step)
{
    const size_t n = second->pb->n;
    const struct sens_at at = start_of(second, step);
    if (second->P_known) return;
    second->P_known = true;
    if (by_columns(second)) {
        for (size_t k = 0; k < second->columns; k++) find_column(second, step, k);
        add_time(second, step);
        return;
    }
    for (size_t i = 0; i < second->stages; i++) {
        turn_to_stage(second, step, i);
        find_rows(second, &at, second->P + i * n * second->columns);
    }
}

void rosenbrock_second_add_columns(const struct rosenbrock_second *second, size_t i,
                                   const struct tangent_block *block, sens_real *OUT)
{
    const size_t n = second->pb->n, L = block->L, columns = second->columns;
    const sens_real *const P = second->P + i * n * columns;
    for (size_t l = 0; l < block->count; l++)
        for (size_t r = 0; block->col[l] < second->pb->np && r < n; r++)
            OUT[r * L + l] += P[r * columns + block->col[l]];
    for (size_t r = 0; block->weight && r < n; r++) OUT[r * L + L - 1] += P[r];
}

/* ---- creation ------------------------------------------------------------------------------------------ */

sens_status rosenbrock_second_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                     const struct sens_rosenbrock *formula, const sens_real *weight,
                                     struct rosenbrock_second *second)
{
    const size_t n = pb->n, np = pb->np, stages = (size_t)formula->stages;
    *second = (struct rosenbrock_second){
        .pb = pb, .formula = formula, .stages = stages, .weight = weight, .columns = weight ? 1 : np};
    const sens_status status = create_along(ctx, pb, &second->along);
    if (status != SENS_OK) return status;
    second->H = SENS_NEW(ctx, sens_real, stages * second->along.H->entries);
    second->J_p = SENS_NEW(ctx, sens_real, second->along.H->entries);
    second->P = SENS_NEW(ctx, sens_real, stages * n * second->columns);
    second->P_t = SENS_NEW(ctx, sens_real, n * second->columns);
    second->unit = SENS_NEW(ctx, sens_real, n * UNITS);
    second->OUT = SENS_NEW(ctx, sens_real, n * UNITS);
    second->MU = SENS_NEW(ctx, sens_real, np * UNITS);
    return second->H && second->J_p && second->P && second->P_t && second->unit && second->OUT && second->MU
               ? SENS_OK
               : SENS_NO_MEMORY;
}
