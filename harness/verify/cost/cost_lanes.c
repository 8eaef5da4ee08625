/* A cost's lane blocks: lane l of a block that starts at c0 is functional c0 + l, whatever c0 and L are;
 * lanes past m, and what lies before and behind the block, stay as they are. */
#include "cost_terms.h"
#include "guard.h"

static const size_t counts[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                                18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 64, 65};
enum { COUNTS = sizeof counts / sizeof *counts, STARTS = 6 };

struct wanted { /* a term's derivative, all functionals at once */
    const struct term *term;
    enum part part;
    struct place place;
    size_t rows, m;
    const double *D, *bound; /* [rows][m] */
};

struct block {
    size_t c0, L;
    const double *out; /* [rows][L], between guards */
};

static struct block compute(const struct wanted *w, size_t c0, size_t L)
{
    double *const out = guard_create(w->term->at->v, w->rows * L);
    term_add(w->term, w->part, w->place, c0, L, out);
    return (struct block){c0, L, out};
}

static bool guards_alive(const struct wanted *w, const struct block *b)
{
    return guard_breaches(w->rows * b->L, b->out) == 0;
}

/* visit(self, w, block) for every start and lane count. */
static void each_block(const struct wanted *w, void *self,
                       void (*visit)(void *self, const struct wanted *w, const struct block *block))
{
    const size_t start[STARTS] = {0, 1, w->m / 2, w->m - 1, w->m, w->m + 3};
    struct verify *v = w->term->at->v;
    for (int a = 0; a < STARTS; a++)
        for (int b = 0; b < COUNTS; b++) {
            const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
            const struct block block = compute(w, start[a], counts[b]);
            visit(self, w, &block);
            sens_arena_rewind(&v->ctx.arena, mark);
        }
}

static void note_block(void *self, const struct wanted *w, const struct block *b)
{
    struct worst *worst = self;
    char name[VERIFY_NAME];
    term_name(w->term, w->part, name);
    worst_note(worst, guards_alive(w, b) ? 0 : INFINITY, 0,
               "%s, c0 = %zu, L = %zu: written outside the block", name, b->c0, b->L);
    for (size_t i = 0; i < w->rows; i++)
        for (size_t l = 0; l < b->L; l++) {
            const size_t c = b->c0 + l;
            const double got = b->out[i * b->L + l], want = c < w->m ? w->D[i * w->m + c] : 0;
            worst_note(worst, entry_distance(got, want), c < w->m ? w->bound[i * w->m + c] : 0,
                       "%s, c0 = %zu, L = %zu, row %zu, lane %zu: %.10g is not %.10g", name, b->c0, b->L, i,
                       l, got, want);
        }
}

/* ---- causes -------------------------------------------------------------------------------------------- */

struct tally { /* of entries that contradict the differences of the value, by what they are instead */
    size_t wrong, outside, past, lost, unshifted, another;
    bool wrong_in[COUNTS]; /* numbers of lanes */
};

static bool is_near(const struct wanted *w, double value, size_t i, size_t c)
{
    return c < w->m && fabs(value - w->D[i * w->m + c]) <= w->bound[i * w->m + c];
}

static bool is_another(const struct wanted *w, double value, size_t i)
{
    for (size_t c = 0; c < w->m; c++)
        if (is_near(w, value, i, c)) return true;
    return false;
}

static void tally_entry(struct tally *tally, const struct wanted *w, const struct block *b, size_t i,
                        size_t l)
{
    const double got = b->out[i * b->L + l];
    const size_t c = b->c0 + l;
    if (c < w->m ? is_near(w, got, i, c) : got == 0) return;
    tally->wrong++;
    if (c >= w->m) tally->past++;
    if (c < w->m && got == 0) tally->lost++;
    if (b->c0 > 0 && is_near(w, got, i, l)) tally->unshifted++;
    if (got != 0 && is_another(w, got, i)) tally->another++;
}

static void tally_block(void *self, const struct wanted *w, const struct block *b)
{
    struct tally *tally = self;
    const size_t before = tally->wrong;
    if (!guards_alive(w, b)) tally->outside++;
    for (size_t i = 0; i < w->rows; i++)
        for (size_t l = 0; l < b->L; l++) tally_entry(tally, w, b, i, l);
    for (int k = 0; k < COUNTS; k++)
        if (counts[k] == b->L && tally->wrong > before) tally->wrong_in[k] = true;
}

/* One or two numbers of lanes, with right ones above? */
static void blame_count(const struct tally *tally, struct verify_result *result)
{
    int wrong = 0, last = 0;
    for (int k = 0; k < COUNTS; k++)
        if (tally->wrong_in[k]) wrong++, last = k;
    if (wrong == 0 || wrong > 2 || last + 1 == COUNTS) return;
    verify_say(result, "with %zu lanes, and right with more", counts[last]);
    verify_blame(result, CAUSE_lane_count, 0.97);
}

/* Every block, the one of all functionals too, against the differences of the value. */
static void blame(const struct wanted *w, struct verify_result *result)
{
    struct verify *v = w->term->at->v;
    const double *again = term_part(w->term, w->part, w->place);
    for (size_t q = 0; q < w->rows * w->m; q++)
        if (entry_distance(again[q], w->D[q]) > 0) verify_blame(result, CAUSE_impure, 1);
    const struct differences N = term_differences(w->term, w->part, w->place);
    struct wanted truth = *w;
    struct tally tally = {.wrong = 0};
    double *bound = verify_array(v, w->rows * w->m);
    for (size_t q = 0; q < w->rows * w->m; q++) bound[q] = w->bound[q] + N.bound[q];
    truth.D = N.d;
    truth.bound = bound;
    each_block(&truth, &tally, tally_block);
    blame_count(&tally, result);
    const double wrong = tally.wrong ? (double)tally.wrong : 1;
    if (tally.outside) verify_blame(result, CAUSE_out_of_bounds, 1);
    verify_blame(result, CAUSE_lane_past_end, (double)tally.past / wrong);
    verify_blame(result, CAUSE_lane_tail, (double)tally.lost / wrong);
    verify_blame(result, CAUSE_lane_offset, (double)tally.unshifted / wrong);
    verify_blame(result, CAUSE_lane_mixed,
                 tally.wrong || tally.outside ? 0.7 * (double)tally.another / wrong : 0.5);
    verify_say(result,
               "of %zu wrong entries %zu are lanes past the last functional, %zu are missing, %zu are those "
               "of c0 = 0, %zu another functional's",
               tally.wrong, tally.past, tally.lost, tally.unshifted, tally.another);
}

/* ---- the check ----------------------------------------------------------------------------------------- */

static void look_at_part(const struct term *term, enum part part, struct place place, struct worst *worst,
                         struct verify_result *result)
{
    struct verify *v = term->at->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const size_t rows = term_rows(term, part), m = term->at->cost.m;
    const double *D = term_part(term, part, place);
    const struct wanted w = {term, part, place, rows, m, D, term_rounding(term, part, place, D)};
    const bool right = worst->count == 0 || worst_passes(worst);
    each_block(&w, worst, note_block);
    if (right && !worst_passes(worst)) blame(&w, result); /* the first that fails is examined */
    sens_arena_rewind(&v->ctx.arena, mark);
}

void cost_check_lanes(const struct cost_case *at)
{
    const struct place place = cost_place(at, 1);
    struct verify_result result = verify_open("cost.lanes", at->v->module, at->label);
    struct term term[MOST_TERMS];
    struct worst worst = {.count = 0};
    const size_t terms = cost_terms(at, term);
    for (size_t k = 0; k < terms; k++)
        for (enum part part = PART_DX; part <= PART_DP; part++)
            if (term_has(&term[k], part)) look_at_part(&term[k], part, place, &worst, &result);
    verify_judge(&result, &worst);
    verify_close(at->v, &result);
}
