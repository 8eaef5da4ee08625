/* A solve by a contender: a process of its own, which is given the instance once and runs as often as it is told to.
 * What it needs and cannot work out for itself it asks for while it runs. */
#include "method.h"

#include <math.h>
#include <string.h>

#include "instance.h"
#include "seconds.h"
#include "serve.h"

struct solve {
    const struct contender *contender;
    const struct sens_task *task;
    struct link link;
    struct serve serve;
    size_t longest; /* bytes of a result */
};

enum { SHORT_ANSWER = 1 << 20, NUMBER = 64 /* bytes that a number may take, with what stands between */ };

/* Leaves the message with ctx. */
static sens_status fail(struct sens_ctx *ctx, sens_status status, const struct bench_error *error)
{
    return sens_fail(ctx, status, "%s", error->text);
}

/* ---- words ---------------------------------------------------------------------------------------------- */

sens_status contender_greet(struct link *link, double seconds, json_t **answer, struct bench_error *error)
{
    json_t *const question =
        json_pack("{s:{s:[i], s:s}}", "hello", "protocols", CONTENDER_PROTOCOL, "from", "sensbench");
    if (!question) return bench_refuse(error, "no memory"), SENS_NO_MEMORY;
    const sens_status status = link_ask(link, question, SHORT_ANSWER, seconds, answer, error);
    json_decref(question);
    return status;
}

/* A status that the program gives, with its sentence: SENS_OK where there is none, or "ok". */
static sens_status read_status(struct sens_ctx *ctx, const struct solve *solve, const json_t *answer)
{
    const json_t *const word = json_object_get(answer, "status"), *const message =
                                                                      json_object_get(answer, "message");
    sens_status status;
    if (!word) return SENS_OK;
    if (!json_is_string(word) || !sens_status_from_name(json_string_value(word), &status) ||
        (status != SENS_OK && sens_status_class(status) == SENS_CLASS_HARNESS))
        return sens_fail(ctx, SENS_IO_ERROR, "contender %s: '%.40s' is no status that a method has",
                         solve->contender->path, json_is_string(word) ? json_string_value(word) : "");
    if (status == SENS_OK) return status;
    return sens_fail(ctx, status, "%s: %s", solve->contender->type.name,
                     json_is_string(message) ? json_string_value(message) : sens_status_message(status));
}

static sens_status tell_instance(struct sens_ctx *ctx, struct solve *solve)
{
    struct bench_error error;
    json_t *instance = NULL, *answer = NULL;
    sens_status status = instance_write(ctx, solve->task, &instance);
    json_t *const question = status == SENS_OK ? json_pack("{s:O}", "prepare", instance) : NULL;
    json_decref(instance);
    if (!question) return SENS_NO_MEMORY;
    status = link_ask(&solve->link, question, SHORT_ANSWER, solve->contender->seconds, &answer, &error);
    json_decref(question);
    if (status != SENS_OK) return fail(ctx, status, &error);
    status = read_status(ctx, solve, answer);
    if (status == SENS_OK && !json_is_true(json_object_get(answer, "ready")))
        status = sens_fail(ctx, SENS_IO_ERROR,
                           "contender %s: it answered 'prepare' with neither \"ready\": true nor a status",
                           solve->contender->path);
    json_decref(answer);
    return status;
}

/* ---- prepare and release ---------------------------------------------------------------------------------- */

static void end(void *self)
{
    link_close(&((struct solve *)self)->link);
}

static size_t numbers_asked(const struct sens_task *task)
{
    size_t count = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape =
            sens_part_shape(k, task->problem->n, task->problem->np, task->cost->m);
        if (sens_task_asks(task, k)) count += shape.rows * (shape.cols + 1);
    }
    return count;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    const struct contender *const contender = task->method->data;
    struct solve *const solve = SENS_NEW(ctx, struct solve, 1);
    struct bench_error error;
    json_t *answer;
    if (!solve) return SENS_NO_MEMORY;
    *solve = (struct solve){.contender = contender, .task = task};
    solve->longest = SHORT_ANSWER + NUMBER * numbers_asked(task);
    sens_status status = serve_create(ctx, task, &solve->serve);
    if (status == SENS_OK) status = sens_arena_attach(&ctx->arena, end, solve);
    if (status != SENS_OK) return status;
    status = link_open(&solve->link, contender->path, &error);
    if (status == SENS_OK) status = contender_greet(&solve->link, contender->seconds, &answer, &error);
    if (status != SENS_OK) return fail(ctx, status, &error);
    json_decref(answer);
    status = tell_instance(ctx, solve);
    if (status == SENS_OK)
        *state = solve;
    else
        end(solve);
    return status;
}

/* ---- run ---------------------------------------------------------------------------------------------------- */

static sens_status read_row(struct sens_ctx *ctx, const struct solve *solve, const char *part,
                            const json_t *row, size_t cols, sens_real *number)
{
    const char *const path = solve->contender->path;
    if (!json_is_array(row) || json_array_size(row) != cols)
        return sens_fail(ctx, SENS_IO_ERROR, "contender %s: %s has a row that is no array of %zu numbers",
                         path, part, cols);
    for (size_t i = 0; i < cols; i++) {
        const json_t *const one = json_array_get(row, i);
        if (json_is_null(one))
            return sens_fail(ctx, SENS_NONFINITE, "contender %s: %s holds a null", path, part);
        if (!json_is_number(one))
            return sens_fail(ctx, SENS_IO_ERROR, "contender %s: %s holds what is no number", path, part);
        number[i] = json_number_value(one);
    }
    return SENS_OK;
}

static sens_status read_part(struct sens_ctx *ctx, const struct solve *solve,
                             const struct sens_part_shape *shape, const json_t *answer, sens_real *number)
{
    const json_t *const value = json_object_get(answer, shape->name);
    if (shape->wrt == 0) return read_row(ctx, solve, shape->name, value, shape->rows, number);
    if (!json_is_array(value) || json_array_size(value) != shape->rows)
        return sens_fail(ctx, SENS_IO_ERROR, "contender %s: %s is no array of %zu rows",
                         solve->contender->path, shape->name, shape->rows);
    sens_status status = SENS_OK;
    for (size_t r = 0; r < shape->rows && status == SENS_OK; r++)
        status = read_row(ctx, solve, shape->name, json_array_get(value, r), shape->cols,
                          number + r * shape->cols);
    return status;
}

/* A count that may be left out; -1: it is no count. */
static double read_count(const json_t *answer, const char *name)
{
    const json_t *const value = json_object_get(answer, name);
    if (!value) return 0;
    const double number = json_is_number(value) ? json_number_value(value) : -1;
    return number >= 0 && number < 9e15 && number == floor(number) ? number : -1;
}

static sens_status read_work(struct sens_ctx *ctx, const struct solve *solve, const json_t *answer,
                             double here, struct sens_work *work)
{
    const struct {
        const char *name;
        long *count;
    } counts[] = {{"steps", &work->steps},
                  {"rejects", &work->rejects},
                  {"steps_reverse", &work->steps_reverse},
                  {"rejects_reverse", &work->rejects_reverse},
                  {"n_factor", &work->factorisations},
                  {"n_solve", &work->solves},
                  {"n_newton", &work->newton}};
    const char *const path = solve->contender->path;
    *work = (struct sens_work){.lanes = 1, .threads = 1, .batch = 1};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const double number = read_count(answer, counts[i].name);
        if (number < 0)
            return sens_fail(ctx, SENS_IO_ERROR, "contender %s: '%s' is no count", path, counts[i].name);
        *counts[i].count = (long)number;
    }
    const json_t *const seconds = json_object_get(answer, "seconds");
    const double own = json_is_number(seconds) ? json_number_value(seconds) : NAN;
    if (!(own > 0)) return sens_fail(ctx, SENS_IO_ERROR, "contender %s: it tells no 'seconds' above 0", path);
    if (own > here)
        return sens_fail(ctx, SENS_IO_ERROR,
                         "contender %s: it says that the run took %g s; its answer took %g s", path, own,
                         here);
    work->t_elsewhere = work->t_forward = own;
    return SENS_OK;
}

/* Sends the question and serves those that come back, until there is an answer. */
static sens_status converse(struct sens_ctx *ctx, struct solve *solve, json_t **answer)
{
    struct bench_error error;
    const double deadline =
        seconds_now() + solve->contender->seconds; /* its own questions do not put it off */
    json_t *question = json_pack("{s:{}}", "run");
    sens_status status = question ? SENS_OK : SENS_NO_MEMORY;
    for (;;) {
        *answer = NULL;
        const double left = fmax(0, deadline - seconds_now());
        if (status == SENS_OK)
            status = link_ask(&solve->link, question, solve->longest, left, answer, &error);
        json_decref(question);
        if (status == SENS_TIMEOUT)
            bench_refuse(&error, "contender %s: no answer in %g s", solve->contender->path,
                         solve->contender->seconds);
        if (status != SENS_OK) return status == SENS_NO_MEMORY ? status : fail(ctx, status, &error);
        if (!json_object_get(*answer, "ask")) return SENS_OK;
        status = serve_answer(&solve->serve, *answer, &question, &error);
        json_decref(*answer);
        if (status == SENS_IO_ERROR)
            return sens_fail(ctx, status, "contender %s: %s", solve->contender->path, error.text);
    }
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct solve *const solve = state;
    const struct sens_task *const task = solve->task;
    const double start = sens_now(ctx);
    json_t *answer;
    sens_status status = converse(ctx, solve, &answer);
    if (status != SENS_OK) return status;
    const double here = ctx->now ? sens_now(ctx) - start : INFINITY;
    status = read_status(ctx, solve, answer);
    for (enum sens_part k = 0; k < SENS_PARTS && status == SENS_OK; k++) {
        const struct sens_part_shape shape =
            sens_part_shape(k, task->problem->n, task->problem->np, task->cost->m);
        if (out->part[k]) status = read_part(ctx, solve, &shape, answer, out->part[k]);
    }
    if (status == SENS_OK) status = read_work(ctx, solve, answer, here, work);
    json_decref(answer);
    return status;
}

static const char *library(const struct sens_method_type *type)
{
    return ((const struct contender *)type->data)->library;
}

void contender_functions(struct sens_method_type *type)
{
    type->prepare = prepare;
    type->run = run;
    type->release = end;
    type->library = library;
}
