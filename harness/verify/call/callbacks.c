/* A problem's products as linear maps. */
#include "callbacks.h"

#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 3, QUICK_POINTS = 2, ATTEMPTS = 8 };
enum { MOST_ROWS = 256, MOST_COLUMNS = 64, QUICK_ROWS = 64, QUICK_COLUMNS = 24 };

/* ---- what is looked at --------------------------------------------------------------------------------- */

static struct subject subject_of(struct verify *v, const struct instance *instance)
{
    return (struct subject){.v = v, .pb = &instance->problem, .label = instance->label};
}

/* A provider that lets another run in its place (account->ran) is not looked at by the other's products. */
static bool runs_itself(struct verify *v, const struct sens_problem *wrapped)
{
    struct sens_provider_account account = {.ran = NULL};
    if (!v->provider->account) return true;
    const struct sens_at at = {wrapped->t0, wrapped->x0, wrapped->p};
    wrapped->type->vjp(wrapped, &at, 1, verify_array(v, wrapped->n), verify_array(v, wrapped->n));
    v->provider->account(wrapped, &account);
    if (!account.ran || strstr(account.ran, v->provider->name)) return true;
    sens_fail(&v->ctx, SENS_UNSUPPORTED, "%s runs in its place: %s", account.ran,
              account.why ? account.why : "");
    return false;
}

bool subject_create(struct verify *v, struct instance *instance, struct subject *subject)
{
    *subject = subject_of(v, instance);
    v->ctx.message[0] = '\0';
    const bool derived = v->provider && !v->problem->vjp; /* by another provider: that goes */
    const struct sens_provider_request request = {derived ? instance->problem.inner : &instance->problem,
                                                  v->reg, 1};
    return !v->provider || (v->provider->wrap(&v->ctx, &request, &instance->problem) == SENS_OK &&
                            runs_itself(v, &instance->problem));
}

static void skip_all(const struct subject *subject, const struct verify_check *checks, const char *why)
{
    const char *const message = subject->v->ctx.message;
    char reason[VERIFY_TEXT];
    snprintf(reason, sizeof reason, "%s%s%s", why, message[0] ? ": " : "", message);
    for (; checks->id; checks++) subject_skip(subject, checks->id, reason);
}

void subject_each(struct verify *v, const struct verify_check *checks, void (*look)(struct subject *subject))
{
    struct subject subject;
    struct instance instance;
    int number = 0;
    for (; instance_create(v, v->problem, number, &instance); number++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        if (subject_create(v, &instance, &subject))
            look(&subject);
        else
            skip_all(&subject, checks, "nothing of the provider to look at");
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    instance = (struct instance){.label = ""};
    snprintf(instance.label, sizeof instance.label, "%s", v->problem->name);
    subject = subject_of(v, &instance);
    if (number == 0) skip_all(&subject, checks, "no instance could be created");
}

void subject_with_size(struct verify *v, size_t n, void (*look)(struct subject *subject))
{
    struct instance instance;
    struct subject subject;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    if (instance_sized(v, v->problem, n, &instance) && subject_create(v, &instance, &subject)) look(&subject);
    sens_arena_rewind(&v->ctx.arena, mark);
}

void subject_with_states(struct verify *v, size_t states, void (*look)(struct subject *subject))
{
    struct instance instance;
    struct subject subject;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    if (instance_of_states(v, v->problem, states, &instance) && subject_create(v, &instance, &subject))
        look(&subject);
    sens_arena_rewind(&v->ctx.arena, mark);
}

void subject_each_edge(struct verify *v, void (*look)(struct subject *subject))
{
    enum { EDGES = 5, LARGEST = 16 }; /* a least size past LARGEST is no edge of a formula */
    const int option = sens_option_find(v->problem->options, "n");
    if (option < 0) return;
    const size_t least = (size_t)fmax(1, v->problem->options[option].min);
    const size_t size[EDGES] = {least, least + 1, 2, 3, 4};
    for (int k = 0; k < EDGES; k++)
        if (size[k] <= LARGEST && (k < 2 || size[k] > least + 1)) subject_with_size(v, size[k], look);
}

void subject_with_part(struct subject *subject, void (*look)(struct subject *subject))
{
    const struct sens_problem *const whole = subject->pb;
    look(subject);
    if (!whole->implicit || subject->v->provider) return;
    char label[VERIFY_SUBJECT];
    struct sens_problem part = *whole->implicit;
    part.t0 = whole->t0, part.t1 = whole->t1;
    part.x0 = whole->x0, part.p = whole->p;
    snprintf(label, sizeof label, "%s, implicit part", subject->label);
    look(
        &(struct subject){.v = subject->v, .pb = &part, .label = label, .whole = whole, .own = subject->own});
}

struct verify_result subject_open(const struct subject *subject, const char *check)
{
    return verify_open(check, subject->v->module, subject->label);
}

void subject_skip(const struct subject *subject, const char *check, const char *reason)
{
    verify_skip_check(subject->v, check, subject->v->module, subject->label, reason);
}

int subject_points(const struct subject *subject)
{
    return subject->v->quick ? QUICK_POINTS : POINTS;
}

/* Slopes far beyond any other: their products, and the squares that measure them, are no numbers any more. */
static const double FASTEST = 1e100;

bool subject_usable(const struct subject *subject, const struct sens_at *at)
{
    const struct sens_problem *pb = subject->pb;
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    double *dx = verify_array(subject->v, pb->n), sum = 0;
    const bool ok = pb->type->rhs(pb, at, dx) == SENS_OK;
    for (size_t i = 0; i < pb->n; i++) sum += fabs(dx[i]);
    sens_arena_rewind(&subject->v->ctx.arena, mark);
    return ok && sum <= FASTEST;
}

struct sens_at subject_point(const struct subject *subject, int which)
{
    const struct sens_problem *pb = subject->pb;
    struct verify *v = subject->v;
    struct sens_at at = instance_point(v, pb, which);
    double amount = 0.05;
    for (int k = 0; k < ATTEMPTS && which > 0 && !subject_usable(subject, &at); k++, amount /= 2) {
        at.x = verify_perturbed(v, pb->n, pb->x0, amount);
        at.p = verify_perturbed(v, pb->np, pb->p, amount);
    }
    return at;
}

double *subject_direction(const struct subject *subject, size_t count, const double *from)
{
    double *direction = verify_perturbed(subject->v, count, from, 0.1);
    for (size_t i = 0; i < count; i++) direction[i] -= from[i];
    return direction;
}

/* ---- maps ---------------------------------------------------------------------------------------------- */

bool linear_forward(enum product product)
{
    return product == PRODUCT_JVP || product == PRODUCT_JVP_P || product == PRODUCT_X0_JVP;
}

const char *linear_name(enum product product)
{
    static const char *const name[] = {"jvp", "vjp", "jvp_p", "vjp_p", "x0_jvp", "x0_vjp"};
    return name[product];
}

static size_t columns_of(const struct sens_problem *pb, enum product product)
{
    return product == PRODUCT_JVP || product == PRODUCT_VJP ? pb->n : pb->np;
}

struct linear linear_at(const struct subject *subject, enum product product, const struct sens_at *at)
{
    const size_t n = subject->pb->n, cols = columns_of(subject->pb, product);
    const bool forward = linear_forward(product);
    return (struct linear){.v = subject->v,
                           .pb = subject->pb,
                           .product = product,
                           .in = forward ? cols : n,
                           .out = forward ? n : cols,
                           .K = 1,
                           .t = verify_copy(subject->v, 1, &at->t),
                           .X = at->x,
                           .p = at->p};
}

struct linear linear_batch(const struct subject *subject, size_t K, const double *t, const double *X,
                           const double *p)
{
    return (struct linear){.v = subject->v,
                           .pb = subject->pb,
                           .product = PRODUCT_VJP_P,
                           .in = K * subject->pb->n,
                           .out = subject->pb->np,
                           .K = K,
                           .t = t,
                           .X = X,
                           .p = p};
}

/* OUT += C V for a column C [n], V [L]. Of the entries of f_p most are zero where parameters are many. */
static void add_column(size_t n, const double *C, size_t L, const double *V, double *OUT)
{
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; C[i] != 0 && l < L; l++) OUT[i * L + l] += C[i] * V[l];
}

static bool all_zero(size_t count, const double *v)
{
    for (size_t i = 0; i < count; i++)
        if (v[i] != 0) return false;
    return true;
}

/* One column a call, so that a column is not blamed for its neighbours' fault. */
static void apply_columns(const struct linear *map, size_t L, const double *V, double *OUT)
{
    const struct sens_problem *pb = map->pb;
    const struct sens_at at = {map->t[0], map->X, map->p};
    const struct sens_arena_mark mark = sens_arena_mark(&map->v->ctx.arena);
    double *C = verify_array(map->v, pb->n);
    for (size_t k = 0; k < pb->np; k++) {
        if (all_zero(L, V + k * L)) continue;
        memset(C, 0, pb->n * sizeof *C);
        if (map->product == PRODUCT_JVP_P)
            pb->type->jvp_p_cols(pb, &at, k, 1, C);
        else
            pb->type->x0_jvp_cols(pb, map->p, k, 1, C);
        add_column(pb->n, C, L, V + k * L, OUT);
    }
    sens_arena_rewind(&map->v->ctx.arena, mark);
}

void linear_apply(const struct linear *map, size_t L, const double *V, double *OUT)
{
    const struct sens_problem_type *type = map->pb->type;
    const struct sens_at at = {map->t[0], map->X, map->p};
    memset(OUT, 0, map->out * L * sizeof *OUT);
    if (linear_forward(map->product) && map->product != PRODUCT_JVP)
        apply_columns(map, L, V, OUT);
    else if (map->product == PRODUCT_JVP)
        type->jvp(map->pb, &at, L, V, OUT);
    else if (map->product == PRODUCT_VJP)
        type->vjp(map->pb, &at, L, V, OUT);
    else if (map->product == PRODUCT_VJP_P)
        type->vjp_p_batch(map->pb, map->K, map->t, map->X, map->p, L, V, OUT);
    else
        type->x0_vjp(map->pb, map->p, L, V, OUT);
}

/* ---- matrices ------------------------------------------------------------------------------------------ */

/* `most` of the numbers below count at random, in order; all of them where there are no more. */
static size_t *choose(struct verify *v, size_t count, size_t most, size_t *chosen)
{
    *chosen = count < most ? count : most;
    size_t *all = verify_memory(v, count, sizeof *all), *some = verify_memory(v, *chosen, sizeof *some);
    for (size_t i = 0; i < count; i++) all[i] = i;
    if (*chosen) gsl_ran_choose(v->rng, some, *chosen, all, count, sizeof *all);
    return some;
}

struct sample sample_create(const struct subject *subject, enum product product)
{
    struct verify *v = subject->v;
    struct sample sample;
    sample.row = choose(v, subject->pb->n, v->quick ? QUICK_ROWS : MOST_ROWS, &sample.rows);
    sample.col =
        choose(v, columns_of(subject->pb, product), v->quick ? QUICK_COLUMNS : MOST_COLUMNS, &sample.cols);
    return sample;
}

double *linear_matrix(const struct linear *map, const struct sample *s)
{
    const bool forward = linear_forward(map->product);
    double *matrix = verify_array(map->v, s->rows * s->cols);
    const struct sens_arena_mark mark = sens_arena_mark(&map->v->ctx.arena);
    double *unit = verify_array(map->v, map->in), *image = verify_array(map->v, map->out);
    for (size_t k = 0; k < (forward ? s->cols : s->rows); k++) {
        const size_t place = forward ? s->col[k] : s->row[k];
        unit[place] = 1;
        linear_apply(map, 1, unit, image);
        unit[place] = 0;
        for (size_t r = 0; forward && r < s->rows; r++) matrix[r * s->cols + k] = image[s->row[r]];
        for (size_t c = 0; !forward && c < s->cols; c++) matrix[k * s->cols + c] = image[s->col[c]];
    }
    sens_arena_rewind(&map->v->ctx.arena, mark);
    return matrix;
}
