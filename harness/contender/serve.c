/* Values of f, x0, phi and g and of their derivatives, by the task's own functions; see serve.h. */
#include "serve.h"

#include <math.h>
#include <string.h>

#include "json.h"

/* ---- functions: value [rows][cols] ---------------------------------------------------------------------- */

struct question {
    struct sens_at at;
    size_t j; /* of the observation */
};

typedef sens_status function(const struct serve *serve, const struct question *q, sens_real *value);

static sens_status f(const struct serve *serve, const struct question *q, sens_real *value)
{
    return serve->task->problem->type->rhs(serve->task->problem, &q->at, value);
}

static sens_status f_x(const struct serve *serve, const struct question *q, sens_real *value)
{
    const struct sens_problem *pb = serve->task->problem;
    pb->type->jvp(pb, &q->at, pb->n, serve->unit, value);
    return SENS_OK;
}

static sens_status f_p(const struct serve *serve, const struct question *q, sens_real *value)
{
    const struct sens_problem *pb = serve->task->problem;
    if (pb->np > 0) pb->type->jvp_p_cols(pb, &q->at, 0, pb->np, value);
    return SENS_OK;
}

static sens_status x0(const struct serve *serve, const struct question *q, sens_real *value)
{
    sens_problem_x0(serve->task->problem, q->at.p, value);
    return SENS_OK;
}

static sens_status x0_p(const struct serve *serve, const struct question *q, sens_real *value)
{
    const struct sens_problem *pb = serve->task->problem;
    if (sens_problem_x0_depends(pb) && pb->np > 0) pb->type->x0_jvp_cols(pb, q->at.p, 0, pb->np, value);
    return SENS_OK;
}

static sens_status phi(const struct serve *serve, const struct question *q, sens_real *value)
{
    const struct sens_cost *cost = serve->task->cost;
    if (cost->n_obs > 0) cost->type->phi(cost, q->j, q->at.x, q->at.p, value);
    return SENS_OK;
}

static sens_status phi_x(const struct serve *serve, const struct question *q, sens_real *value)
{
    const struct sens_cost *cost = serve->task->cost;
    if (cost->n_obs > 0) cost->type->phi_dx(cost, q->j, q->at.x, q->at.p, 0, cost->m, value);
    return SENS_OK;
}

static sens_status phi_p(const struct serve *serve, const struct question *q, sens_real *value)
{
    const struct sens_cost *cost = serve->task->cost;
    if (cost->n_obs > 0 && cost->type->phi_dp)
        cost->type->phi_dp(cost, q->j, q->at.x, q->at.p, 0, cost->m, value);
    return SENS_OK;
}

static sens_status g(const struct serve *serve, const struct question *q, sens_real *value)
{
    const struct sens_cost *cost = serve->task->cost;
    if (cost->type->g) cost->type->g(cost, &q->at, 1, value);
    return SENS_OK;
}

static sens_status g_x(const struct serve *serve, const struct question *q, sens_real *value)
{
    const struct sens_cost *cost = serve->task->cost;
    if (cost->type->g) cost->type->g_dx(cost, &q->at, 1, 0, cost->m, value);
    return SENS_OK;
}

static sens_status g_p(const struct serve *serve, const struct question *q, sens_real *value)
{
    const struct sens_cost *cost = serve->task->cost;
    if (cost->type->g && cost->type->g_dp) cost->type->g_dp(cost, &q->at, 1, 0, cost->m, value);
    return SENS_OK;
}

/* What can be asked. Shapes: of n states, of m outputs; by one (a vector), by x, by p. of_lanes: the function writes
 * the transpose. Each takes p, nominal where it is not given. */
enum { BY_ONE, BY_X, BY_P };
static const struct {
    const char *name;
    function *function;
    bool of_outputs, of_lanes;
    int by;
    bool t, x, j; /* what it takes beside p */
} asked[] = {
    {"f", f, false, false, BY_ONE, true, true, false},
    {"f_x", f_x, false, false, BY_X, true, true, false},
    {"f_p", f_p, false, false, BY_P, true, true, false},
    {"x0", x0, false, false, BY_ONE, false, false, false},
    {"x0_p", x0_p, false, false, BY_P, false, false, false},
    {"phi", phi, true, false, BY_ONE, false, true, true},
    {"phi_x", phi_x, true, true, BY_X, false, true, true},
    {"phi_p", phi_p, true, true, BY_P, false, true, true},
    {"g", g, true, false, BY_ONE, true, true, false},
    {"g_x", g_x, true, true, BY_X, true, true, false},
    {"g_p", g_p, true, true, BY_P, true, true, false},
};
enum { ASKED = sizeof asked / sizeof asked[0] };

/* ---- questions ------------------------------------------------------------------------------------------ */

sens_status serve_create(struct sens_ctx *ctx, const struct sens_task *task, struct serve *serve)
{
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m;
    const size_t rows = n > m ? n : m, cols = n > np ? n : np;
    *serve = (struct serve){.task = task,
                            .x = SENS_NEW(ctx, sens_real, n),
                            .p = SENS_NEW(ctx, sens_real, np + 1),
                            .unit = SENS_NEW(ctx, sens_real, n * n),
                            .value = SENS_NEW(ctx, sens_real, 2 * rows * cols)};
    if (!serve->x || !serve->p || !serve->unit || !serve->value) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) serve->unit[i * n + i] = 1;
    return SENS_OK;
}

static sens_status refuse(struct bench_error *error, const char *why, const char *name)
{
    bench_refuse(error, "it asked for '%.40s', %s", name, why);
    return SENS_IO_ERROR;
}

static bool read_vector(const json_t *array, size_t count, sens_real *number)
{
    if (!json_is_array(array) || json_array_size(array) != count) return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *const one = json_array_get(array, i);
        if (!json_is_number(one)) return false;
        number[i] = (sens_real)json_number_value(one);
    }
    return true;
}

static sens_status read_question(struct serve *serve, const json_t *question, int which, struct question *q,
                                 struct bench_error *error)
{
    const struct sens_problem *pb = serve->task->problem;
    const json_t *const t = json_object_get(question, "t"), *const p = json_object_get(question, "p"),
                        *const j = json_object_get(question, "j");
    const char *const name = asked[which].name;
    *q = (struct question){{pb->t0, serve->x, serve->p}, 0};
    memcpy(serve->p, pb->p, pb->np * sizeof *serve->p);
    memcpy(serve->x, pb->x0, pb->n * sizeof *serve->x);
    if (p && !read_vector(p, pb->np, serve->p)) return refuse(error, "with another p than np numbers", name);
    if (asked[which].x && !read_vector(json_object_get(question, "x"), pb->n, serve->x))
        return refuse(error, "without an x of n numbers", name);
    if (asked[which].t && !json_is_number(t)) return refuse(error, "without a number t", name);
    if (asked[which].t) q->at.t = (sens_real)json_number_value(t);
    if (!asked[which].j) return SENS_OK;
    const json_int_t number = json_is_integer(j) ? json_integer_value(j) : -1;
    if (number < 0 || (size_t)number >= serve->task->cost->n_obs)
        return refuse(error, "without a j of one of the observations", name);
    q->j = (size_t)number;
    return SENS_OK;
}

static void transpose(size_t rows, size_t cols, const sens_real *from, sens_real *to)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) to[c * rows + r] = from[r * cols + c];
}

sens_status serve_answer(struct serve *serve, const json_t *question, json_t **answer,
                         struct bench_error *error)
{
    const char *const name = json_string_value(json_object_get(question, "ask"));
    int which = 0;
    *answer = NULL;
    while (name && which < ASKED && strcmp(asked[which].name, name) != 0) which++;
    if (!name || which == ASKED) return refuse(error, "which is no question", name ? name : "nothing");
    struct question q;
    sens_status status = read_question(serve, question, which, &q, error);
    if (status != SENS_OK) return status;
    const size_t n = serve->task->problem->n, np = serve->task->problem->np, m = serve->task->cost->m;
    const size_t rows = asked[which].of_outputs ? m : n, cols = asked[which].by == BY_ONE ? 1
                                                                : asked[which].by == BY_X ? n
                                                                                          : np;
    sens_real *const value = serve->value, *const turned = value + rows * cols;
    memset(value, 0, rows * cols * sizeof *value);
    status = asked[which].function(serve, &q, value);
    if (asked[which].of_lanes) transpose(cols, rows, value, turned);
    const sens_real *const matrix = asked[which].of_lanes ? turned : value;
    *answer = status != SENS_OK           ? json_pack("{s:s}", "status", sens_status_name(status))
              : asked[which].by == BY_ONE ? json_pack("{s:o}", name, json_of_vector(rows, matrix))
                                          : json_pack("{s:o}", name, json_of_matrix(rows, cols, matrix));
    return *answer ? SENS_OK : SENS_NO_MEMORY;
}
