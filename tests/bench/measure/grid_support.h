/* What the tests of how work is cut up share: glv, solved as a choice says, its calls counted. The steps are fixed, so
 * that every copy of the program differentiates the same map. */
#ifndef TESTS_BENCH_GRID_SUPPORT_H
#define TESTS_BENCH_GRID_SUPPORT_H

#include <stdatomic.h>
#include <stdio.h>

#include "cell.h"
#include "counted.h"
#include "modules.h"
#include "testing.h"

/* Of T = 0.4; CORES: what `threads = auto` may use; VECTOR: the widest that `lanes = auto` goes by. */
enum { STEPS = 4, CORES = 4, VECTOR = 64 };

struct choice { /* values of keys; NULL: not given */
    const char *isa, *lanes, *threads, *batch, *structure, *tableau, *ckpt, *wrt, *cost, *m;
    size_t cache;  /* bytes that a core calls its own, 0: not known. One: no two blocks travel together */
    size_t vector; /* bytes that it multiplies at its full rate, 0: VECTOR */
};

struct solve {
    struct sens_ctx ctx;
    struct cell cell;
    struct sens_counts counts;
    unsigned long diagonals; /* calls of `diagonal` */
    struct sens_problem counted;
    struct sens_structure structure; /* of it */
    struct sens_out out;
    struct sens_work work;
};

static void set(struct spec *spec, const char *key, const char *value)
{
    struct bench_error error;
    if (value && !spec_set(spec, key, value, "test", &error)) fail_msg("%s", error.text);
}

/* Calls of `diagonal` are counted on top of what the decorator counts. */
static const struct sens_structure *decorated;
static atomic_ulong diagonals;

static void diagonal(const struct sens_problem *pb, const struct sens_at *at, sens_real *d)
{
    atomic_fetch_add(&diagonals, 1);
    decorated->diagonal(pb, at, d);
}

static void count_diagonals(struct solve *s)
{
    decorated = s->counted.structure;
    if (!decorated) return;
    s->structure = *decorated;
    if (decorated->diagonal) s->structure.diagonal = diagonal;
    s->counted.structure = &s->structure;
}

/* Solves twice; counted are the calls of the second run. */
static void solve(const char *method, int n, struct choice choice, struct solve *s)
{
    char species[16];
    struct spec spec = {.count = 0};
    struct bench_error error;
    void *state = NULL;
    *s = (struct solve){.ctx = {.cores = CORES,
                                .cache = {.l2 = choice.cache, .l3 = choice.cache},
                                .vector = choice.vector ? choice.vector : VECTOR}};
    snprintf(species, sizeof species, "%d", n);
    set(&spec, "problem", "glv"), set(&spec, "cost", choice.cost ? choice.cost : "identity"),
        set(&spec, "method", method);
    set(&spec, "n", species), set(&spec, "T", "0.4"), set(&spec, "controller", "fixed"),
        set(&spec, "dt", "0.1");
    set(&spec, "isa", choice.isa ? choice.isa : "baseline"), set(&spec, "structure", choice.structure);
    set(&spec, "lanes", choice.lanes), set(&spec, "threads", choice.threads),
        set(&spec, "batch", choice.batch);
    set(&spec, "tableau", choice.tableau ? choice.tableau : "cash_karp");
    set(&spec, "ckpt", choice.ckpt), set(&spec, "wrt", choice.wrt), set(&spec, "m", choice.m);
    if (cell_resolve(&s->ctx, &spec, &s->cell, &error) != SENS_OK) fail_msg("%s", error.text);
    struct sens_task task = s->cell.task;
    task.problem = &s->counted;
    assert_int_equal(sens_counted_create(&s->ctx, &s->cell.problem, &s->counts, &s->counted), SENS_OK);
    count_diagonals(s);
    assert_int_equal(cell_out_create(&s->ctx, &s->cell, &s->out), SENS_OK);
    assert_int_equal(s->cell.method->prepare(&s->ctx, &task, &state), SENS_OK);
    for (int run = 0; run < 2; run++) { /* the second finds what the first has left in its work space */
        s->counts = (struct sens_counts){0}, diagonals = 0;
        assert_int_equal(s->cell.method->run(&s->ctx, state, &s->out, &s->work), SENS_OK);
    }
    if (s->cell.method->release) s->cell.method->release(state);
    s->diagonals = diagonals;
    assert_int_equal(s->work.steps, STEPS);
    spec_free(&spec);
}

static void solve_free(struct solve *s)
{
    sens_arena_release(&s->ctx.arena);
}

/* On both sides of where the adjoint goes another way: steps as a whole up to 8 states, the coupling matrix from 9 on,
 * wide lanes and single ones from 16 on. */
static const int sizes[] = {2, 3, 5, 8, 9, 11, 12, 13, 17, 20, 50};
static const char *const structures[] = {"auto", "none"};
static const char *const lanes[] = {"auto", "1", "2", "3", "4", "5", "8", "16", "32"};
static const char *const threads[] = {"auto", "1", "2", "3"};
static const char *const batches[] = {"auto", "6", "7", "64", "1000"};
enum { SIZES = 11, STRUCTURES = 2, LANES = 9, THREADS = 4, BATCHES = 5 };

#endif
