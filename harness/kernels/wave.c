/* A polynomial of a sparse matrix as one front over a grid, see wave.h. */
#include "wave.h"

#include <string.h>

#include "vectors.h"

enum { MOST_OTHERS = 6 };

/* Stage s = 0 ... degree - 1 of a chunk: out = start lambda + scale A u, u lambda or what the stage before has left. */
struct stage {
    const sens_real *u[3]; /* of the chunk before, of this one, of the next */
    const sens_real *lambda;
    sens_real *out;
    sens_real start, scale;
};

/* What a loop knows before it is compiled of the entries and the scale. */
enum values { ANY, ONES, ONES_UNSCALED, KINDS };

ALWAYS_INLINE vector load(const sens_real *from)
{
    return *(const vector_in_memory *)from;
}

ALWAYS_INLINE const sens_real *row_of(const struct stage *stage, size_t L,
                                      const struct sens_wave_entry *entry)
{
    return stage->u[1 + entry->chunk] + entry->row * L;
}

/* ---- any rows in any lanes: the numbers of a piece are contiguous -------------------------------------------- */

/* Where all values are 1 there is an entry, which the analyzer cannot know. */
ALWAYS_INLINE void piece_known(const size_t entries, const enum values values, size_t L,
                               const struct stage *stage, const struct sens_wave_piece *piece)
{
    const size_t at = piece->row * L, size = piece->count * L;
    const sens_real start = stage->start, scale = stage->scale, *const lambda = stage->lambda + at;
    const sens_real *from[SENS_WAVE_ENTRIES];
    sens_real value[SENS_WAVE_ENTRIES], *const out = stage->out + at;
#pragma GCC unroll 12
    for (size_t e = 0; e < entries; e++) {
        from[e] = row_of(stage, L, &piece->entry[e]);
        if (values == ANY) value[e] = scale * piece->entry[e].value;
    }
    size_t q = 0;
    for (; q + VECTOR <= size; q += VECTOR) {
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
        vector sum = values == ANY ? start * load(&lambda[q]) : load(&from[0][q]);
#pragma GCC unroll 12
        for (size_t e = values == ANY ? 0 : 1; e < entries; e++)
            sum += values == ANY ? value[e] * load(&from[e][q]) : load(&from[e][q]);
        if (values == ONES) sum *= scale;
        if (values != ANY) sum += start * load(&lambda[q]);
        *(vector_in_memory *)&out[q] = sum;
    }
    for (size_t rest = size % VECTOR; rest > 0; rest--, q++) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
        sens_real sum = values == ANY ? start * lambda[q] : from[0][q];
#pragma GCC unroll 12
        for (size_t e = values == ANY ? 0 : 1; e < entries; e++)
            sum += values == ANY ? value[e] * from[e][q] : from[e][q];
        if (values == ONES) sum *= scale;
        if (values != ANY) sum += start * lambda[q];
        out[q] = sum;
    }
}

ALWAYS_INLINE void piece_of(const enum values values, size_t L, const struct stage *stage,
                            const struct sens_wave_piece *piece)
{
    switch (piece->entries) {
        CASES_1_TO_6(piece_known, values, L, stage, piece)
        CASES_7_TO_12(piece_known, values, L, stage, piece)
    default:
        piece_known(piece->entries, ANY, L, stage, piece);
        return;
    }
}

static void any_piece(const enum values values, size_t L, const struct stage *stage,
                      const struct sens_wave_piece *piece)
{
    switch (values) {
    case ONES:
        piece_of(ONES, L, stage, piece);
        return;
    case ONES_UNSCALED:
        piece_of(ONES_UNSCALED, L, stage, piece);
        return;
    default:
        piece_of(ANY, L, stage, piece);
        return;
    }
}

/* ---- one vector a row, or two -------------------------------------------------------------------------------- */

/* A row alone, as at an edge: little is made ready. */
ALWAYS_INLINE void lone_row(const size_t vectors, const enum values values, const struct stage *stage,
                            const struct sens_wave_piece *piece)
{
    const size_t L = vectors * VECTOR, at = piece->row * L;
    const sens_real start = stage->start, scale = stage->scale;
    vector sum[2];
#pragma GCC unroll 2
    for (size_t l = 0; l < vectors; l++)
        sum[l] = values == ANY ? start * load(&stage->lambda[at + l * VECTOR]) : (vector){0};
    for (const struct sens_wave_entry *entry = piece->entry; entry < piece->entry + piece->entries; entry++) {
        const sens_real *const from = row_of(stage, L, entry);
#pragma GCC unroll 2
        for (size_t l = 0; l < vectors; l++)
            sum[l] +=
                values == ANY ? scale * entry->value * load(&from[l * VECTOR]) : load(&from[l * VECTOR]);
    }
#pragma GCC unroll 2
    for (size_t l = 0; l < vectors; l++) {
        if (values == ONES) sum[l] *= scale;
        if (values != ANY) sum[l] += start * load(&stage->lambda[at + l * VECTOR]);
        *(vector_in_memory *)&stage->out[at + l * VECTOR] = sum[l];
    }
}

/* Rows of a line, with `others` entries behind those on it. */
ALWAYS_INLINE void line_known(const size_t others, const size_t vectors, const enum values values,
                              const struct stage *stage, const struct sens_wave_piece *piece)
{
    const size_t L = vectors * VECTOR, at = piece->row * L, size = piece->count * L,
                 near = values == ANY ? 3 : 2;
    const sens_real start = stage->start, scale = stage->scale, *const lambda = stage->lambda + at;
    const sens_real *const u = stage->u[1] + at, *from[MOST_OTHERS];
    sens_real *const out = stage->out + at, value[3 + MOST_OTHERS];
    vector left[2], middle[2];
#pragma GCC unroll 12
    for (size_t e = 0; e < others; e++) from[e] = row_of(stage, L, &piece->entry[near + e]);
#pragma GCC unroll 12
    for (size_t e = 0; e < near + others; e++) value[e] = values == ANY ? scale * piece->entry[e].value : 1;
#pragma GCC unroll 2
    for (size_t l = 0; l < vectors; l++) left[l] = load(&u[l * VECTOR] - L), middle[l] = load(&u[l * VECTOR]);
#pragma GCC unroll 2
    for (size_t q = 0; q < size; q += L) {
#pragma GCC unroll 2
        for (size_t l = 0; l < vectors; l++) {
            const size_t k = q + l * VECTOR;
            const vector right = load(&u[k + L]);
            vector sum = values == ANY ? start * load(&lambda[k]) + value[0] * left[l] +
                                             value[1] * middle[l] + value[2] * right
                                       : left[l] + right;
#pragma GCC unroll 12
            for (size_t e = 0; e < others; e++)
                sum += values == ANY ? value[near + e] * load(&from[e][k]) : load(&from[e][k]);
            if (values == ONES) sum *= scale;
            if (values != ANY) sum += start * load(&lambda[k]);
            *(vector_in_memory *)&out[k] = sum;
            left[l] = middle[l], middle[l] = right;
        }
    }
}

/* As functions of their own, which have less to make ready than one for all. */
typedef void line_function(const struct stage *stage, const struct sens_wave_piece *piece);
#define LINE(name, others, vectors, values)                                                                  \
    static void name(const struct stage *stage, const struct sens_wave_piece *piece)                         \
    {                                                                                                        \
        line_known(others, vectors, values, stage, piece);                                                   \
    }
#define LINES(others)                                                                                        \
    LINE(weighted_##others, others, 1, ANY)                                                                  \
    LINE(scaled_##others, others, 1, ONES)                                                                   \
    LINE(summed_##others, others, 1, ONES_UNSCALED)                                                          \
    LINE(weighted_pairs_##others, others, 2, ANY)                                                            \
    LINE(scaled_pairs_##others, others, 2, ONES)                                                             \
    LINE(summed_pairs_##others, others, 2, ONES_UNSCALED)
LINES(0)
LINES(2)
LINES(4)
LINES(6)

/* [KINDS][vectors - 1][others / 2] */
static line_function *const lines[KINDS][2][1 + MOST_OTHERS / 2] = {
    [ANY] = {{weighted_0, weighted_2, weighted_4, weighted_6},
             {weighted_pairs_0, weighted_pairs_2, weighted_pairs_4, weighted_pairs_6}},
    [ONES] = {{scaled_0, scaled_2, scaled_4, scaled_6},
              {scaled_pairs_0, scaled_pairs_2, scaled_pairs_4, scaled_pairs_6}},
    [ONES_UNSCALED] = {{summed_0, summed_2, summed_4, summed_6},
                       {summed_pairs_0, summed_pairs_2, summed_pairs_4, summed_pairs_6}},
};

/* ---- a chunk ------------------------------------------------------------------------------------------------- */

struct pieces {
    const struct sens_wave_piece *first, *end;
};

ALWAYS_INLINE void chunk_known(const size_t vectors, const enum values values, const struct stage *stage,
                               struct pieces pieces)
{
    for (const struct sens_wave_piece *piece = pieces.first; piece < pieces.end; piece++) {
        const size_t others = piece->entries - (values == ANY ? 3 : 2);
        if (piece->count == 1)
            lone_row(vectors, values, stage, piece);
        else if (piece->line && others <= MOST_OTHERS && others % 2 == 0)
            lines[values][vectors - 1][others / 2](stage, piece);
        else
            any_piece(values, vectors * VECTOR, stage, piece);
    }
}

ALWAYS_INLINE void chunk_of(const size_t vectors, const enum values values, const struct stage *stage,
                            struct pieces pieces)
{
    switch (values) {
    case ONES:
        chunk_known(vectors, ONES, stage, pieces);
        return;
    case ONES_UNSCALED:
        chunk_known(vectors, ONES_UNSCALED, stage, pieces);
        return;
    default:
        chunk_known(vectors, ANY, stage, pieces);
        return;
    }
}

static void take_pieces(const enum values values, size_t L, const struct stage *stage, struct pieces pieces)
{
    if (L == VECTOR)
        chunk_of(1, values, stage, pieces);
    else if (L == 2 * VECTOR)
        chunk_of(2, values, stage, pieces);
    else
        for (const struct sens_wave_piece *piece = pieces.first; piece < pieces.end; piece++)
            any_piece(values, L, stage, piece);
}

/* ---- the front ----------------------------------------------------------------------------------------------- */

enum { RING = 3 }; /* chunks */

struct wave {
    const struct sens_wave_matrix *A;
    size_t degree, stages; /* in place, a polynomial of degree 1 has a second stage, which copies */
    size_t L;
    const sens_real *lambda;
    sens_real *out;
};

size_t sens_wave_room(const struct sens_wave_matrix *A, size_t degree, size_t L)
{
    return (degree > 1 ? degree - 1 : 1) * RING * A->chunk * L;
}

/* All chunks that are at hand: the rings, and those of lambda between the first stage and the last. */
size_t sens_wave_lanes(size_t chunk, size_t degree, size_t l1)
{
    const size_t least = 4, width = VECTOR;
    if (width == 1) return 0;
    const size_t chunks = RING * (degree - 1) + degree + 1;
    const bool fits = l1 == 0 || chunks * chunk * 2 * width * sizeof(sens_real) <= l1;
    return fits || width < least ? 2 * width : width;
}

/* Before the first chunk. The first stage reads lambda, each other a ring, whose third chunk is the one that the stage
 * before, a chunk ahead, is at. */
static void begin(const struct wave *wave, const sens_real *r, sens_real *room, struct stage *stage)
{
    const size_t size = wave->A->chunk * wave->L, degree = wave->degree;
    for (size_t s = 0; s < wave->stages; s++) {
        sens_real *const ring = room + s * RING * size; /* that stage s fills */
        for (size_t i = 0; i < RING && s > 0; i++) stage[s].u[i] = ring - (RING - i) * size;
        stage[s].out = s + 1 < wave->stages ? ring + 2 * size : wave->out;
        stage[s].start = s < degree ? r[degree - 1 - s] : 0;
        stage[s].scale = s == 0 ? r[degree] : 1;
    }
}

/* Stage s comes to a chunk. Beyond the ends of lambda no entry leads. */
static void move_to(const struct wave *wave, size_t s, size_t chunk, struct stage *stage)
{
    const size_t size = wave->A->chunk * wave->L;
    stage->lambda = wave->lambda + chunk * size;
    if (s + 1 == wave->stages) stage->out = wave->out + chunk * size;
    if (s > 0) return;
    stage->u[0] = chunk > 0 ? stage->lambda - size : NULL;
    stage->u[1] = stage->lambda;
    stage->u[2] = chunk + 1 < wave->A->chunks ? stage->lambda + size : NULL;
}

/* All rings go on by a chunk: what stage s needs no more, the one before it overwrites. */
static void move_rings(size_t stages, struct stage *stage)
{
    for (size_t s = 1; s < stages; s++) {
        const sens_real *const last = stage[s].u[0];
        sens_real *const newest = stage[s - 1].out; /* which is u[2] */
        stage[s - 1].out += last - newest;
        stage[s].u[0] = stage[s].u[1], stage[s].u[1] = newest, stage[s].u[2] = last;
    }
}

static void copy_chunk(const struct wave *wave, size_t chunk, const struct stage *stage)
{
    const size_t most = wave->A->chunk, left = wave->A->n - chunk * most;
    memcpy(stage->out, stage->u[1], (left < most ? left : most) * wave->L * sizeof(sens_real));
}

static void take_chunk(const struct wave *wave, size_t s, size_t chunk, struct stage *stage)
{
    const struct sens_wave_matrix *const A = wave->A;
    const struct pieces pieces = {A->piece + A->first[chunk], A->piece + A->first[chunk + 1]};
    move_to(wave, s, chunk, stage);
    if (s < wave->degree)
        take_pieces(!A->ones ? ANY : s == 0 ? ONES : ONES_UNSCALED, wave->L, stage, pieces);
    else
        copy_chunk(wave, chunk, stage);
}

void sens_lanes_wave(const struct sens_wave_matrix *A, size_t degree, const sens_real *r, size_t L,
                     sens_real *room, const sens_real *lambda, sens_real *out)
{
    const size_t stages = degree == 1 && out == lambda ? 2 : degree;
    const struct wave wave = {
        .A = A, .degree = degree, .stages = stages, .L = L, .lambda = lambda, .out = out};
    struct stage stage[SENS_WAVE_DEGREE];
    begin(&wave, r, room, stage);
    for (size_t front = 0; front < A->chunks + stages - 1; front++) {
        for (size_t s = 0; s < stages && s <= front; s++)
            if (front - s < A->chunks) take_chunk(&wave, s, front - s, &stage[s]);
        move_rings(stages, stage);
    }
}
