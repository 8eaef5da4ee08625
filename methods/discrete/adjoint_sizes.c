/* Lanes, threads, and the sizes of batches and groups of the discrete adjoint, see adjoint_sizes.h. */
#include "adjoint_sizes.h"

#include "batch.h"
#include "kernels.h"
#include "products.h"

enum {
    AUTO_LANES = 8, /* one to four vectors */
    HALF_LANES = 4,
    ONE_SINGLE = 16,  /* states from which on one output is better alone than in a block of HALF_LANES */
    TWO_SINGLES = 32, /* the same for two, where HALF_LANES are half a vector, ... */
    FEW_ROWS = 64     /* ... up to here: each goes through all of J, which has to lie near */
};

static bool formed(const struct sens_task *task)
{
    return sens_products_formed(task->problem, task->cost->m);
}

/* Is a dense J formed, or a dense coupling in its place? */
static bool dense(const struct sens_task *task)
{
    return formed(task) && !task->problem->structure->sparsity;
}

/* Are the lanes right-hand sides of sparse systems? */
static bool solves_sparse(const struct sens_task *task)
{
    const struct sens_structure *structure = task->problem->structure;
    return task->tableau->family != SENS_FAMILY_EXPLICIT && structure && structure->sparsity;
}

/* Outputs beyond whole vectors that cost less one by one, along the rows of matrices, than together in a vector that is
 * idle for the most part: the more rows, the less a block costs beside its products. */
static size_t singles(const struct sens_ctx *ctx, const struct sens_task *task)
{
    const struct sens_problem *pb = task->problem;
    const bool along_rows = dense(task) && pb->structure->outer &&
                            task->tableau->family == SENS_FAMILY_EXPLICIT &&
                            !sens_problem_engine(pb, task->tableau);
    if (!along_rows || pb->n < ONE_SINGLE) return 0;
    const bool half_idle = sens_full_vector(ctx->vector) > HALF_LANES;
    return pb->n >= TWO_SINGLES && pb->n <= FEW_ROWS && half_idle ? 2 : 1;
}

/* Two of the widest vectors that are worth their width, for with two a register block does more than one multiplication
 * a load. Eight lanes are that, or more, for all but the widest, which pay where a dense J has a few times as many
 * rows. */
static size_t wide_lanes(const struct sens_ctx *ctx, const struct sens_task *task)
{
    const size_t pair = 2 * sens_full_vector(ctx->vector);
    return dense(task) && task->problem->n >= pair && pair > AUTO_LANES ? pair : AUTO_LANES;
}

/* One output is a block of one lane, whose vectors are the states themselves: blocks of four were 1.1 to 1.9 times as
 * long, but for a dense J of few states, whose points are taken together (1.2 to 1.8 times as long alone). Otherwise
 * eight, or more that are wide. Few right-hand sides of sparse systems are no more than they are: a solve counts for
 * more than a product, and fewer than four go without a copy of UMFPACK's factors. Four where no Jacobian is formed and
 * the vectors of a step in eight lanes would not stay in the cache. Few outputs, up to two blocks of them, make one
 * block without much padding: that saves calls; with few states, blocks of eight or four. */
static size_t auto_lanes(const struct sens_ctx *ctx, const struct sens_task *task,
                         const struct adjoint_plan *plan)
{
    const size_t n = task->problem->n, m = task->cost->m, vectors = plan->vectors + 2;
    if (plan->lanes > 0 && m >= plan->lanes) return plan->lanes;
    if (m == 1 && !sens_products_together(task->problem, m)) return 1;
    if (m < HALF_LANES && solves_sparse(task)) return m;
    if (!formed(task) && vectors * n * AUTO_LANES * sizeof(sens_real) > sens_third_level(ctx) / 4)
        return HALF_LANES;
    if (m > 2 * AUTO_LANES || (n <= SENS_FEW_STATES && m > HALF_LANES)) return wide_lanes(ctx, task);
    return m > HALF_LANES ? (m + HALF_LANES - 1) / HALF_LANES * HALF_LANES : HALF_LANES;
}

size_t adjoint_lanes(const struct adjoint_sizes *size, size_t rest)
{
    if (rest >= size->L) return size->L;
    const size_t beyond = rest % AUTO_LANES;
    if (beyond > 0 && beyond <= size->singles) return rest > beyond ? rest - beyond : 1;
    const size_t whole = (rest + size->least - 1) / size->least * size->least;
    return whole < size->L ? whole : size->L;
}

/* Auto: no more lanes than the first block of all outputs has. */
static void choose_lanes(const struct sens_ctx *ctx, const struct sens_task *task,
                         const struct adjoint_plan *plan, struct adjoint_sizes *size)
{
    size->L = task->lanes > 0 ? (size_t)task->lanes : auto_lanes(ctx, task, plan);
    size->least = task->problem->n > SENS_FEW_STATES ? HALF_LANES : size->L;
    size->singles = size->L > HALF_LANES ? singles(ctx, task) : 0;
    if (task->lanes == 0 && size->singles > 0) size->L = adjoint_lanes(size, task->cost->m);
}

/* What a share takes, in lanes: idle parts of a vector take as long as others, and a single lane as long as three. */
static size_t share_time(const struct sens_ctx *ctx, const struct adjoint_sizes *size, size_t share)
{
    const size_t full = sens_full_vector(ctx->vector), vector = full > HALF_LANES ? full : HALF_LANES;
    size_t time = 0;
    while (share > 0) {
        const size_t lanes = adjoint_lanes(size, share);
        const size_t whole = (lanes + vector - 1) / vector * vector;
        time += lanes == 1 ? 3 : whole;
        share -= lanes < share ? lanes : share;
    }
    return time;
}

/* The longest of the shares. */
static size_t longest_share(size_t m, size_t unit, size_t threads)
{
    const size_t units = (m + unit - 1) / unit, share = (units + threads - 1) / threads * unit;
    return share < m ? share : m;
}

/* Where J is formed, a lane's bits do not depend on its neighbours: shares may then end inside a block. */
static size_t usual_unit(const struct sens_task *task, const struct adjoint_sizes *size)
{
    return formed(task) && size->L > HALF_LANES ? HALF_LANES : size->L;
}

/* Is there less work for the thread that has most of it where shares may end behind any output? */
static bool finer_is_shorter(const struct sens_ctx *ctx, size_t m, const struct adjoint_sizes *size,
                             size_t threads)
{
    return size->singles > 0 && share_time(ctx, size, longest_share(m, 1, threads)) <
                                    share_time(ctx, size, longest_share(m, size->unit, threads));
}

/* Threads that the reverse sweep keeps busy, each for longer than it takes to wake: `worth` seconds at the
 * rates of one core, operations or numbers a second. */
static int auto_threads(const struct sens_ctx *ctx, const struct sens_task *task,
                        const struct adjoint_plan *plan, double points)
{
    const double dense_rate = 3e10, free_rate = 3e9, worth = 1e-4;
    const double n = (double)task->problem->n, vectors = (double)plan->vectors;
    const double lane = dense(task) ? 4 * n * n / dense_rate : vectors * n / free_rate;
    const double threads = points * (double)task->cost->m * lane / worth;
    if (ctx->cores < 2 || threads < 2) return 1;
    return threads < ctx->cores ? (int)threads : ctx->cores;
}

/* The points of a step stay together. Auto: batches of equal size, as few as SENS_BATCH_MOST points each allow, or
 * fewer where those would not stay in the cache. */
static size_t batch_points(const struct sens_task *task, size_t steps, size_t live, size_t most)
{
    if (live == 0) live = 1;
    if (task->batch > 0) return (size_t)task->batch > live ? (size_t)task->batch : live;
    const size_t limit = most < SENS_BATCH_MOST ? most : SENS_BATCH_MOST,
                 of_batch = limit > live ? limit / live : 1;
    const size_t batches = (steps + of_batch - 1) / of_batch;
    return (batches > 1 ? (steps + batches - 1) / batches : steps) * live;
}

/* As many blocks travel together as keep their cotangents within the cache: the third level where they share
 * a Jacobian, which is worth the way, else the second. Where next to nothing is shared, as many as have their
 * gradients in a part of the third level too, for each flush goes through these; the threads share it. Without
 * cotangents, as many as have their lambda in the second level, or the third where a step is prepared for a group. */
static size_t group_blocks(const struct sens_ctx *ctx, const struct sens_task *task,
                           const struct adjoint_plan *plan, const struct adjoint_sizes *size, size_t threads)
{
    const size_t K = size->K, L = size->L, vector = task->problem->n * L * sizeof(sens_real);
    const size_t gradient = task->parts & SENS_IN_DGDP ? task->problem->np * L * sizeof(sens_real) : 0;
    const size_t cotangents = (K + plan->vectors + 1) * vector + 1;
    const bool per_step = plan->kept > 0 && !size->keep;
    const size_t lambdas = per_step ? sens_third_level(ctx) / 4 / threads : sens_second_level(ctx) / 2;
    const size_t blocks = plan->no_slots ? lambdas / (vector + gradient)
                          : size->keep   ? sens_third_level(ctx) / 8 / threads / (cotangents + gradient)
                          : formed(task) ? sens_third_level(ctx) / cotangents
                                         : sens_second_level(ctx) / cotangents;
    return blocks > 1 ? blocks : 1;
}

void adjoint_choose_sizes(const struct sens_ctx *ctx, const struct sens_task *task,
                          const struct adjoint_plan *plan, long steps, struct adjoint_sizes *size)
{
    choose_lanes(ctx, task, plan, size);
    const double points = (double)steps * (double)plan->points;
    const size_t m = task->cost->m, L = size->L, vector = task->problem->n * L * sizeof(sens_real);
    const size_t budget = formed(task) ? sens_third_level(ctx) : sens_second_level(ctx);
    size->threads = task->threads > 0 ? task->threads : auto_threads(ctx, task, plan, points);
    size->unit = usual_unit(task, size);
    const size_t units = (m + size->unit - 1) / size->unit;
    if ((size_t)size->threads > units) size->threads = (int)units; /* more would have nothing to do */
    const size_t threads = size->threads > 1 ? (size_t)size->threads : 1;
    if (finer_is_shorter(ctx, m, size, threads)) size->unit = 1;

    size->K = plan->no_slots ? 0 : batch_points(task, (size_t)steps, plan->points, budget / 2 / vector);

    size->keep =
        plan->kept > 0 && sens_ckpt_stages(&task->ckpt); /* else it would take what checkpoints save */
    const size_t blocks = (longest_share(m, size->unit, threads) + L - 1) / L + size->singles;
    size->group = group_blocks(ctx, task, plan, size, threads);
    if (size->group > blocks) size->group = blocks;
}
