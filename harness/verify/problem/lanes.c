/* Blocks of lanes, batches of points and ranges of columns against one at a time.
 *
 * A lane of a block holds one vector, and its result must not depend on how many others there are, where it
 * stands among them, or what they hold. */
#include "calls.h"

static const struct verify_check checks[] = {
    {.id = "lanes.count",
     .summary = "a lane has the same result alone and in a block of any number of lanes",
     .bound = "rounding of a sum of n terms with its measured magnitude; equal bits without contraction",
     .explanation =
         "jvp, vjp, vjp_p_batch and x0_vjp are called with 0 to 33, 64 and 65 lanes, and each lane is "
         "compared with the same vector in a block of its own. Counts that are no multiple of a vector "
         "register are among them, because the remainder of a vectorised loop is where lanes get lost: "
         "look there first."},
    {.id = "lanes.permutation",
     .summary = "a permutation of the lanes permutes the results",
     .bound = "rounding of a sum of n terms with its measured magnitude; equal bits without contraction",
     .explanation =
         "The lanes of a block are put in another order. A result that does not move along depends on its "
         "place or on its neighbours: look for an index that mixes the lane with the row, and for a sum over "
         "lanes."},
    {.id = "lanes.tail",
     .summary = "lanes that are zero stay zero and change nothing in the others",
     .bound = "rounding of a sum of n terms with its measured magnitude; 0 for the zero lanes",
     .explanation =
         "A method fills the lanes of its last block that carry no cost or parameter with zeros. The last "
         "lanes of a block are set to zero: they must give exactly zero, and the others what they give "
         "alone."},
    {.id = "batch.count",
     .summary = "vjp_p_batch of K points is the sum over single points, for K = 0 ... 130",
     .bound = "rounding of a sum of K n terms with its measured magnitude; equal bits for K = 0",
     .explanation =
         "Each point of the batch has a time and a state of its own. The batch is compared with the sum of K "
         "calls for one point, and K = 0 must leave the output alone. On failure the batch is compared with "
         "the sum without its last point, and with one time or one state for all points."},
    {.id = "columns.parts",
     .summary = "jvp_p_cols and x0_jvp_cols give the same columns whatever range they are asked for",
     .bound = "a few roundings of the column",
     .explanation =
         "Ranges of columns with different first column k0 and length L are compared with columns asked for "
         "one by one. A failure points at the offset k0 or at the end of the range."},
    {.id = NULL}};

enum { POOL = 65, BATCH = 2, MAPS = 4 };

#ifdef SENS_TEST_REPRO
static const bool EQUAL_BITS = true;
#else
static const bool EQUAL_BITS = false; /* contraction may differ between a loop and its remainder */
#endif

/* The maps that take lanes: jvp, vjp, vjp_p at two points, x0_vjp. */
static int maps_create(const struct subject *subject, struct linear map[MAPS])
{
    const struct batch b = batch_create(subject, BATCH);
    const struct sens_at at = {b.t[0], b.X, b.p};
    int count = 0;
    map[count++] = linear_at(subject, PRODUCT_JVP, &at);
    map[count++] = linear_at(subject, PRODUCT_VJP, &at);
    if (subject->pb->np > 0) map[count++] = linear_batch(subject, b.K, b.t, b.X, b.p);
    if (call_applies(subject, CALL_X0_VJP)) map[count++] = linear_at(subject, PRODUCT_X0_VJP, &at);
    return count;
}

/* ---- lanes --------------------------------------------------------------------------------------------- */

struct pool { /* vectors, each with the result that it has alone */
    const struct linear *map;
    double *V, *alone; /* [in][POOL], [out][POOL] */
    double *bound;     /* [out] */
};

static struct pool pool_create(const struct linear *map)
{
    struct verify *v = map->v;
    struct pool pool = {map, verify_random(v, map->in * POOL), verify_array(v, map->out * POOL), NULL};
    double *one = verify_array(v, map->in), *image = verify_array(v, map->out);
    double *most = verify_array(v, map->in);
    for (size_t l = 0; l < POOL; l++) {
        for (size_t i = 0; i < map->in; i++) {
            one[i] = pool.V[i * POOL + l];
            most[i] = fmax(most[i], fabs(one[i]));
        }
        linear_apply(map, 1, one, image);
        for (size_t i = 0; i < map->out; i++) pool.alone[i * POOL + l] = image[i];
    }
    pool.bound = linear_rounding(map, most);
    return pool;
}

/* Which vector of the pool each lane holds; ZERO: none. */
enum { ZERO = POOL };

/* Runs a block of L lanes that hold pool vectors `holds`; wrong [L] says which lanes differ from
 * those alone. */
static void note_block(struct worst *worst, const struct pool *pool, size_t L, const size_t *holds,
                       bool *wrong)
{
    const struct linear *map = pool->map;
    double *block = verify_array(map->v, map->in * L), *OUT = verify_array(map->v, map->out * L);
    for (size_t q = 0; q < map->in * L; q++)
        block[q] = holds[q % L] == ZERO ? 0 : pool->V[q / L * POOL + holds[q % L]];
    linear_apply(map, L, block, OUT);
    for (size_t q = 0; q < map->out * L; q++) {
        const size_t i = q / L, l = q % L;
        const bool zero = holds[l] == ZERO;
        const double want = zero ? 0 : pool->alone[i * POOL + holds[l]];
        const double bound = EQUAL_BITS || zero ? 0 : pool->bound[i];
        if (!(fabs(OUT[q] - want) <= bound)) wrong[l] = true;
        worst_note(worst, fabs(OUT[q] - want), bound, "%s, L = %zu, lane %zu, entry %zu",
                   linear_name(map->product), L, l, i);
    }
}

static const size_t lane_counts[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                                     18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 64, 65};
enum { LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts };

/* Which lanes were wrong, over all counts. */
struct lane_record {
    bool wrong[LANE_COUNTS][POOL];
};

/* Are the wrong lanes those past the last full vector of `width`, and blocks of full vectors right? */
static bool tail_of(const struct lane_record *record, size_t width)
{
    bool any = false;
    for (size_t c = 0; c < LANE_COUNTS; c++)
        for (size_t l = 0; l < lane_counts[c]; l++) {
            if (!record->wrong[c][l]) continue;
            if (l < lane_counts[c] / width * width) return false;
            any = true;
        }
    return any;
}

/* Is it always the last lane? */
static bool last_only(const struct lane_record *record)
{
    for (size_t c = 0; c < LANE_COUNTS; c++)
        for (size_t l = 0; l + 1 < lane_counts[c]; l++)
            if (record->wrong[c][l]) return false;
    return true;
}

/* Does a block of one lane disagree with all the others? Then that one is wrong. */
static bool all_but_one(const struct lane_record *record)
{
    for (size_t c = 0; c < LANE_COUNTS; c++)
        for (size_t l = 0; lane_counts[c] > 1 && l < lane_counts[c]; l++)
            if (!record->wrong[c][l]) return false;
    return true;
}

static void blame_lanes(struct verify_result *result, const struct lane_record *record)
{
    const bool tail = tail_of(record, 2) || tail_of(record, 4) || tail_of(record, 8) || tail_of(record, 16);
    if (tail || last_only(record)) {
        verify_blame(result, CAUSE_lane_tail, 1);
        verify_say(result, "only lanes past the last full vector are wrong");
    } else if (all_but_one(record)) {
        verify_blame(result, CAUSE_lane_tail, 0.8);
        verify_say(result, "every block disagrees with a block of one lane");
    } else {
        verify_blame(result, CAUSE_lane_tail, 0.3);
    }
    verify_blame(result, CAUSE_lane_mixed, tail || all_but_one(record) ? 0.3 : 0.7);
}

static void merge(struct lane_record *record, size_t c, const bool *wrong)
{
    for (size_t l = 0; l < lane_counts[c]; l++) record->wrong[c][l] = record->wrong[c][l] || wrong[l];
}

/* Fills what each of L lanes holds. */
typedef void arrangement(struct verify *v, size_t L, size_t *holds);

static void in_order(struct verify *v, size_t L, size_t *holds)
{
    (void)v;
    for (size_t l = 0; l < L; l++) holds[l] = l;
}

static void shuffled(struct verify *v, size_t L, size_t *holds)
{
    in_order(v, L, holds);
    for (size_t l = L; l > 1; l--) {
        const size_t other = (size_t)verify_integer(v, 0, (long)l - 1), kept = holds[l - 1];
        holds[l - 1] = holds[other], holds[other] = kept;
    }
}

static void zero_at_the_end(struct verify *v, size_t L, size_t *holds)
{
    in_order(v, L, holds);
    const size_t first = L ? (size_t)verify_integer(v, 0, (long)L - 1) : 0;
    for (size_t l = first; l < L; l++) holds[l] = ZERO;
}

static void check_lanes(const struct subject *subject, const char *check, arrangement *arrange)
{
    struct verify *v = subject->v;
    struct worst worst = {.count = 0};
    struct lane_record record = {.wrong = {{false}}};
    struct linear map[MAPS];
    const int maps = maps_create(subject, map);
    for (int m = 0; m < maps; m++) {
        const struct pool pool = pool_create(&map[m]);
        for (size_t c = 0; c < LANE_COUNTS; c++) {
            const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
            size_t holds[POOL];
            bool wrong[POOL] = {false};
            arrange(v, lane_counts[c], holds);
            note_block(&worst, &pool, lane_counts[c], holds, wrong);
            merge(&record, c, wrong);
            sens_arena_rewind(&v->ctx.arena, mark);
        }
    }
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, &worst);
    if (result.verdict == VERIFY_FAIL) blame_lanes(&result, &record);
    verify_close(v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void look_at_lanes(struct subject *subject)
{
    check_lanes(subject, "lanes.count", in_order);
    check_lanes(subject, "lanes.permutation", shuffled);
    check_lanes(subject, "lanes.tail", zero_at_the_end);
    if (subject->pb->np == 0) {
        subject_skip(subject, "batch.count", "the problem has no parameters");
        subject_skip(subject, "columns.parts", "the problem has no parameters");
        return;
    }
    batch_check(subject, "batch.count");
    columns_check(subject, "columns.parts");
}

static void look(struct subject *subject)
{
    subject_with_part(subject, look_at_lanes);
}

static void run(struct verify *v)
{
    subject_each(v, checks, look);
    subject_each_edge(v, look);
}

const struct verify_group verify_lanes = {
    .name = "lanes", .kind = VERIFY_PROBLEM, .checks = checks, .run = run, .wraps = true};
