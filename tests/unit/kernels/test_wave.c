/* A polynomial of a sparse matrix as one front, against the same power by power: lines, planes and boxes with any
 * neighbours, in place and apart, in lanes that are whole vectors and in others. */
#include "lane_support.h"

#include "wave.h"

static const size_t lane_counts[] = {1, 2, 3, 4, 5, 8, 9, 12, 16, 17};
enum { LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts, MOST_DEGREE = 7 };

/* Rows by a number of neighbours on both sides: their distance, and how many rows lie on a line. */
struct grid {
    size_t n, side, chunk;
    size_t distance[6], distances;
    bool ones;   /* all values are 1, and none is on the diagonal */
    bool broken; /* values differ from row to row, and some rows have no entry */
};

/* The chunk is as long as the farthest neighbour is away, or longer. */
static const struct grid grids[] = {
    {.n = 49, .side = 49, .chunk = 8, .distance = {1}, .distances = 1, .ones = true},
    {.n = 49, .side = 49, .chunk = 7, .distance = {1}, .distances = 1},
    {.n = 56, .side = 7, .chunk = 7, .distance = {1, 7}, .distances = 2, .ones = true},
    {.n = 56, .side = 7, .chunk = 14, .distance = {1, 7}, .distances = 2},
    {.n = 53, .side = 7, .chunk = 21, .distance = {1, 7}, .distances = 2, .ones = true},
    {.n = 60, .side = 5, .chunk = 20, .distance = {1, 5, 20}, .distances = 3, .ones = true},
    {.n = 60, .side = 5, .chunk = 20, .distance = {1, 5, 20}, .distances = 3},
    {.n = 72, .side = 9, .chunk = 18, .distance = {1, 2, 9, 18}, .distances = 4, .ones = true},
    {.n = 72, .side = 9, .chunk = 18, .distance = {1, 2, 9, 18}, .distances = 4},
    {.n = 90, .side = 9, .chunk = 18, .distance = {1, 2, 3, 8, 9, 18}, .distances = 6},
    {.n = 56, .side = 7, .chunk = 7, .distance = {1, 7}, .distances = 2, .broken = true},
    {.n = 40, .side = 40, .chunk = 32, .distance = {3}, .distances = 1, .ones = true},
    {.n = 5, .side = 5, .chunk = 32, .distance = {1}, .distances = 1},
    {.n = 1, .side = 1, .chunk = 4, .distance = {1}, .distances = 1},
};

struct matrix {
    struct sens_wave_matrix A;
    double *dense; /* [n][n] */
    size_t *first;
    struct sens_wave_piece *piece;
    struct sens_wave_entry *entry;
};

/* Neighbours on a row's own line do not go round its ends. */
static bool joined(const struct grid *grid, size_t i, size_t j)
{
    const size_t apart = i > j ? i - j : j - i;
    if (grid->broken && (i % 11 == 3 || j % 11 == 3)) return false;
    if (i == j) return !grid->ones;
    for (size_t d = 0; d < grid->distances; d++)
        if (apart == grid->distance[d]) return apart >= grid->side || i / grid->side == j / grid->side;
    return false;
}

static double value_at(const struct grid *grid, size_t i, size_t j)
{
    if (grid->ones) return 1;
    if (grid->broken) return 0.1 * (double)(1 + (5 * i + 3 * j) % 7);
    return i == j ? -0.75 : i > j ? 0.25 / (double)(i - j) : 0.5 / (double)(j - i);
}

static void add_row(const struct grid *grid, struct matrix *matrix, size_t i, size_t *entries, size_t *pieces)
{
    struct sens_wave_piece *const piece = &matrix->piece[*pieces];
    const size_t chunk = grid->chunk, near = grid->ones ? 2 : 3;
    struct sens_wave_entry *const entry = &matrix->entry[*entries];
    size_t count = 0, on_line = 0;
    for (int others = 0; others < 2; others++)
        for (size_t j = 0; j < grid->n; j++) {
            const bool beside = j + 1 >= i && j <= i + 1 && j / chunk == i / chunk;
            if (!joined(grid, i, j) || beside == others) continue;
            on_line += beside;
            matrix->dense[i * grid->n + j] = value_at(grid, i, j);
            entry[count++] = (struct sens_wave_entry){(int)(j / chunk) - (int)(i / chunk), j % chunk,
                                                      matrix->dense[i * grid->n + j]};
        }
    *piece = (struct sens_wave_piece){.row = i % chunk, .count = 1, .entries = count, .entry = entry};
    piece->line = on_line == near;
    *entries += count;
}

/* Is row i as the one before it, a row on? */
static bool continues(const struct sens_wave_piece *last, const struct sens_wave_piece *piece)
{
    if (last->entries != piece->entries || last->row + last->count != piece->row) return false;
    for (size_t e = 0; e < piece->entries; e++) {
        const struct sens_wave_entry *const a = &last->entry[e], *const b = &piece->entry[e];
        if (a->chunk != b->chunk || a->row + last->count != b->row || a->value != b->value) return false;
    }
    return true;
}

static struct matrix matrix_new(const struct grid *grid)
{
    const size_t n = grid->n, chunks = (n + grid->chunk - 1) / grid->chunk;
    struct matrix made = {.dense = calloc(n * n, sizeof(double)),
                          .first = calloc(chunks + 1, sizeof(size_t)),
                          .piece = calloc(n + 1, sizeof *made.piece),
                          .entry = calloc(n * 16, sizeof *made.entry)};
    size_t entries = 0, pieces = 0;
    assert_true(made.dense && made.first && made.piece && made.entry);
    for (size_t i = 0; i < n; i++) {
        const bool starts = i % grid->chunk == 0;
        if (starts) made.first[i / grid->chunk] = pieces;
        add_row(grid, &made, i, &entries, &pieces);
        if (!starts && continues(&made.piece[pieces - 1], &made.piece[pieces]))
            made.piece[pieces - 1].count++;
        else
            pieces++;
    }
    made.first[chunks] = pieces;
    made.A = (struct sens_wave_matrix){n, grid->chunk, chunks, grid->ones, made.first, made.piece};
    return made;
}

static void matrix_free(struct matrix *matrix)
{
    free(matrix->dense), free(matrix->first), free(matrix->piece), free(matrix->entry);
}

/* sum_k r_k A^k lambda, and the same of absolute values. */
static void by_powers(const struct matrix *matrix, size_t degree, const double *r, size_t L,
                      const double *lambda, double *want, double *size)
{
    const size_t n = matrix->A.n;
    double *v = calloc(2 * n, sizeof *v), *next = calloc(2 * n, sizeof *next);
    assert_true(v && next);
    for (size_t l = 0; l < L; l++) {
        for (size_t i = 0; i < n; i++) {
            v[i] = lambda[i * L + l], v[n + i] = fabs(v[i]);
            want[i * L + l] = r[0] * v[i], size[i * L + l] = fabs(r[0]) * v[n + i];
        }
        for (size_t k = 1; k <= degree; k++) {
            for (size_t i = 0; i < n; i++) {
                next[i] = next[n + i] = 0;
                for (size_t j = 0; j < n; j++) {
                    next[i] += matrix->dense[i * n + j] * v[j];
                    next[n + i] += fabs(matrix->dense[i * n + j]) * v[n + j];
                }
                want[i * L + l] += r[k] * next[i], size[i * L + l] += fabs(r[k]) * next[n + i];
            }
            memcpy(v, next, 2 * n * sizeof *v);
        }
    }
    free(v), free(next);
}

static void require_wave(gsl_rng *rng, const struct grid *grid, size_t degree, size_t L, bool in_place)
{
    struct matrix matrix = matrix_new(grid);
    const size_t count = grid->n * L, room = sens_wave_room(&matrix.A, degree, L);
    double *lambda = random_new(rng, count), *r = random_new(rng, degree + 1), *out = fenced_new(count);
    double *want = random_new(rng, count), *size = random_new(rng, count), *ring = fenced_new(room);
    double *kept = random_new(rng, count);
    memcpy(kept, lambda, count * sizeof *kept);
    by_powers(&matrix, degree, r, L, lambda, want, size);
    if (in_place) memcpy(out, lambda, count * sizeof *out);
    sens_lanes_wave(&matrix.A, degree, r, L, ring, in_place ? out : lambda, out);
    assert_true(same_bits(count, kept, lambda));
    /* Each power takes at most 14 products and a sum. */
    for (size_t q = 0; q < count; q++)
        if (!(fabs(out[q] - want[q]) <= 2 * 16 * (double)(degree + 1) * DBL_EPSILON * size[q]))
            fail_msg("n = %zu, side %zu, chunk %zu, degree %zu, L = %zu%s: number %zu is %.17g for %.17g",
                     grid->n, grid->side, grid->chunk, degree, L, in_place ? ", in place" : "", q, out[q],
                     want[q]);
    free(lambda), free(r), free(want), free(size), free(kept);
    fenced_free(room, ring);
    fenced_free(count, out);
    matrix_free(&matrix);
}

static void test_wave(void **state)
{
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
        for (size_t degree = 1; degree <= MOST_DEGREE; degree++)
            for (size_t l = 0; l < LANE_COUNTS; l++)
                for (int in_place = 0; in_place < 2; in_place++)
                    require_wave(*state, &grids[g], degree, lane_counts[l], in_place);
}

/* The largest degree. */
static void test_degree(void **state)
{
    for (size_t l = 0; l < LANE_COUNTS; l++)
        require_wave(*state, &grids[2], SENS_WAVE_DEGREE, lane_counts[l], true);
}

/* Whole vectors, at least one, and one where two would not stay in the cache. */
static void test_lanes(void **state)
{
    (void)state;
    const size_t many = sens_wave_lanes(49, 4, 0), few = sens_wave_lanes(49, 4, 1);
    assert_true(many >= 2 && (few == many || 2 * few == many));
    assert_int_equal(sens_wave_lanes(49, 4, (size_t)1 << 30), many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wave),
        cmocka_unit_test(test_degree),
        cmocka_unit_test(test_lanes),
    };
    return supported() ? cmocka_run_group_tests(tests, make_rng, free_rng) : SKIPPED;
}
