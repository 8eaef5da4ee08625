/* A cost's derivatives against its values:
 *
 *     D [rows][m] from phi_dx, phi_dp, g_dx, g_dp   and   N from differences of phi, g,   |D - N| <= bound,
 *
 * entry by entry. Where they differ, each hypothesis about D is tested on the numbers: N with a factor, N at
 * another place, time or observation, N where lanes are taken one by one. */
#include <string.h>

#include "cost_terms.h"

struct finding { /* a term's derivative that is wrong */
    struct term term;
    enum part part;
    struct place place, nominal;
    size_t rows, m;
    const double *D, *rounding; /* [rows][m] */
    struct differences N;
};

/* Is |D - f N| within the bounds everywhere? */
static bool fits(const struct finding *f, const double *D, double factor, const struct differences *N)
{
    for (size_t q = 0; q < f->rows * f->m; q++) {
        const double bound = f->rounding[q] + fabs(factor) * N->bound[q];
        if (!(fabs(D[q] - factor * N->d[q]) <= bound)) return false;
    }
    return true;
}

/* Is the matrix no zero, by more than its uncertainty? */
static bool present(const struct finding *f, const struct differences *N)
{
    for (size_t q = 0; q < f->rows * f->m; q++)
        if (fabs(N->d[q]) > N->bound[q]) return true;
    return false;
}

/* ---- hypotheses ---------------------------------------------------------------------------------------- */

static bool all_zero(const struct finding *f)
{
    for (size_t q = 0; q < f->rows * f->m; q++)
        if (f->D[q] != 0) return false;
    return true;
}

static bool blame_absence(const struct finding *f, struct verify_result *result)
{
    if (!all_zero(f)) return false;
    verify_say(result, "the derivative is zero, the value is not constant");
    verify_blame(result, f->part == PART_DP ? CAUSE_missing_explicit_cost : CAUSE_product_factor,
                 f->part == PART_DP ? 1 : 0.6);
    return true;
}

/* D = f N in the sense of least squares over the entries that have a bound. */
static double common_factor(const struct finding *f)
{
    double DN = 0, NN = 0;
    for (size_t q = 0; q < f->rows * f->m; q++) {
        if (!isfinite(f->N.bound[q])) continue;
        DN += f->D[q] * f->N.d[q];
        NN += f->N.d[q] * f->N.d[q];
    }
    return NN > 0 ? DN / NN : NAN;
}

/* How many entries are something. */
static size_t numbers(const struct finding *f)
{
    size_t count = 0;
    for (size_t q = 0; q < f->rows * f->m; q++) count += fabs(f->N.d[q]) > f->N.bound[q];
    return count;
}

/* One number is a multiple of any other: the factor has to be one that is made by mistake. */
static bool is_plain(double factor)
{
    return fabs(factor) == 1 || fabs(fabs(factor) - 2) < 1e-6 || fabs(fabs(factor) - 0.5) < 1e-6;
}

/* Is the derivative of another term right, at the same place? */
static bool is_right_of(const struct finding *f, const struct term *term)
{
    struct finding other = *f;
    other.term = *term;
    other.D = term_part(term, f->part, f->place);
    other.rounding = term_rounding(term, f->part, f->place, other.D);
    other.N = term_differences(term, f->part, f->place);
    return present(&other, &other.N) && fits(&other, other.D, 1, &other.N);
}

/* A factor at some observations only is another observation's. */
static bool right_at_another(const struct finding *f, struct verify_result *result)
{
    const size_t n_obs = f->term.at->cost.n_obs, ends[] = {0, n_obs - 1};
    for (size_t k = 0; !f->term.running && k < 2; k++) {
        struct term term = f->term;
        term.j = ends[k];
        if (ends[k] == f->term.j || !is_right_of(f, &term)) continue;
        verify_say(result, "right at observation %zu", ends[k]);
        return true;
    }
    return false;
}

static bool blame_factor(const struct finding *f, struct verify_result *result)
{
    const double factor = common_factor(f);
    const bool sign = fits(f, f->D, -1, &f->N);
    if (numbers(f) < 2 && !sign && !is_plain(factor)) return false;
    if (!isfinite(factor) || factor == 0 || !fits(f, f->D, factor, &f->N)) return false;
    verify_say(result, "every entry is %.6g times what it should be", factor);
    const bool elsewhere = right_at_another(f, result);
    if (elsewhere) verify_blame(result, CAUSE_cost_observation, 1);
    verify_blame(result, sign ? CAUSE_product_sign : CAUSE_product_factor, elsewhere ? 0.6 : 1);
    return true;
}

/* Right where the running cost has the weight 1? */
static bool blame_weight(const struct finding *f, struct verify_result *result)
{
    struct term unit = f->term;
    unit.w = 1;
    if (!f->term.running || f->term.w == 1 || !is_right_of(f, &unit)) return false;
    verify_say(result, "right for w = 1");
    verify_blame(result, CAUSE_cost_weight, 1);
    return true;
}

static bool right_for(const struct finding *f, const struct term *term, struct place place)
{
    const struct differences N = term_differences(term, f->part, place);
    return present(f, &N) && fits(f, f->D, 1, &N);
}

static bool blame_time(const struct finding *f, struct verify_result *result)
{
    const double t0 = f->term.at->problem.t0, t1 = f->term.at->problem.t1;
    const double other[] = {t0, t1, 0, f->term.t - t0, f->term.t + t0};
    for (size_t k = 0; f->term.running && k < sizeof other / sizeof *other; k++) {
        struct term term = f->term;
        term.t = other[k];
        if (!right_for(f, &term, f->place)) continue;
        verify_say(result, "right for t = %.6g", other[k]);
        verify_blame(result, CAUSE_product_time, 1);
        return true;
    }
    return false;
}

static bool blame_observation(const struct finding *f, struct verify_result *result)
{
    const size_t j = f->term.j, n_obs = f->term.at->cost.n_obs, other[] = {0, n_obs - 1, j - 1, j + 1};
    for (size_t k = 0; !f->term.running && k < sizeof other / sizeof *other; k++) {
        struct term term = f->term;
        term.j = other[k];
        if (other[k] >= n_obs || other[k] == j || !right_for(f, &term, f->place)) continue;
        verify_say(result, "right for observation %zu", other[k]);
        verify_blame(result, CAUSE_product_time, 1);
        return true;
    }
    return false;
}

static bool blame_place(const struct finding *f, struct verify_result *result)
{
    const struct place other[] = {{f->nominal.x, f->place.p}, {f->place.x, f->nominal.p}, f->nominal};
    static const char *const words[] = {"x0", "the nominal p", "x0 and the nominal p"};
    for (size_t k = 0; f->place.x != f->nominal.x && k < sizeof other / sizeof *other; k++) {
        if (!right_for(f, &f->term, other[k])) continue;
        verify_say(result, "right for %s instead of what is given", words[k]);
        verify_blame(result, CAUSE_product_point, 1);
        return true;
    }
    return false;
}

/* The derivative from blocks of L lanes, where D is from one of all m. */
static double *by_blocks(const struct finding *f, size_t L)
{
    struct verify *v = f->term.at->v;
    double *made = verify_array(v, f->rows * f->m), *block = verify_array(v, f->rows * L);
    for (size_t c0 = 0; c0 < f->m; c0 += L) {
        memset(block, 0, f->rows * L * sizeof *block);
        term_add(&f->term, f->part, f->place, c0, L, block);
        for (size_t i = 0; i < f->rows; i++)
            for (size_t l = 0; l < L && c0 + l < f->m; l++) made[i * f->m + c0 + l] = block[i * L + l];
    }
    return made;
}

static bool is_wrong(const struct finding *f, size_t q)
{
    return !(fabs(f->D[q] - f->N.d[q]) <= f->rounding[q] + f->N.bound[q]);
}

/* Right in blocks of one lane, or of whole vectors, where only the place in the block spoils it? */
static bool blame_lanes(const struct finding *f, struct verify_result *result)
{
    enum { VECTORS = 16 };
    const bool alone = fits(f, by_blocks(f, 1), 1, &f->N), whole = fits(f, by_blocks(f, VECTORS), 1, &f->N);
    bool lost = true;
    if (!alone && !whole) return false;
    for (size_t q = 0; q < f->rows * f->m; q++) lost = lost && (!is_wrong(f, q) || f->D[q] == 0);
    verify_say(result, "right in blocks of %d lanes, wrong in one of %zu", alone ? 1 : VECTORS, f->m);
    verify_blame(result, CAUSE_lane_tail, lost ? 1 : 0.4);
    verify_blame(result, CAUSE_lane_mixed, lost ? 0.4 : 0.9);
    return true;
}

/* Are all wrong entries zeros, and those of the last functionals? */
static bool blame_tail(const struct finding *f, struct verify_result *result)
{
    size_t first = f->m;
    for (size_t q = 0; q < f->rows * f->m; q++) {
        if (is_wrong(f, q) && f->D[q] != 0) return false;
        if (is_wrong(f, q) && q % f->m < first) first = q % f->m;
    }
    if (first == 0) return false;
    for (size_t q = 0; q < f->rows * f->m; q++)
        if (q % f->m >= first && f->D[q] != 0) return false;
    verify_say(result, "functionals from %zu on have no derivative", first);
    verify_blame(result, CAUSE_lane_tail, 0.9);
    verify_blame(result, CAUSE_lanes_lost, 0.6);
    return true;
}

/* Is a row (column) of D that of N at another index? */
static bool is_row(const struct finding *f, size_t i, size_t other)
{
    for (size_t c = 0; c < f->m; c++) {
        const size_t q = i * f->m + c, r = other * f->m + c;
        if (!(fabs(f->D[q] - f->N.d[r]) <= f->rounding[q] + f->N.bound[r])) return false;
    }
    return true;
}

static bool is_column(const struct finding *f, size_t c, size_t other)
{
    for (size_t i = 0; i < f->rows; i++) {
        const size_t q = i * f->m + c, r = i * f->m + other;
        if (!(fabs(f->D[q] - f->N.d[r]) <= f->rounding[q] + f->N.bound[r])) return false;
    }
    return true;
}

/* Is every row (column) of D one of N, if not always its own? */
static bool are_exchanged(const struct finding *f, size_t count,
                          bool (*is)(const struct finding *f, size_t k, size_t other))
{
    for (size_t k = 0; k < count; k++) {
        size_t other = 0;
        while (other < count && !is(f, k, other)) other++;
        if (other == count) return false;
    }
    return true;
}

static bool blame_exchange(const struct finding *f, struct verify_result *result)
{
    const bool functionals = are_exchanged(f, f->m, is_column);
    if (!functionals && !are_exchanged(f, f->rows, is_row)) return false;
    verify_say(result, "right for another %s", functionals ? "functional" : "index of x or p");
    verify_blame(result, functionals ? CAUSE_lanes_shifted : CAUSE_jacobian_entry, functionals ? 1 : 0.8);
    verify_blame(result, functionals ? CAUSE_lane_mixed : CAUSE_jacobian_row, 0.5);
    return true;
}

/* The quotient [rows][m] of the values with a bump of h, of x or p, times the size of the number where `relative`; from
 * both sides, or from the side of `sides` alone. */
static double *quotients(const struct finding *f, double h, bool relative, int sides)
{
    struct verify *v = f->term.at->v;
    const bool of_x = f->part == PART_DX;
    double *const made = verify_array(v, f->rows * f->m);
    double *const moved = verify_copy(v, f->rows, of_x ? f->place.x : f->place.p);
    const struct place place = {of_x ? moved : f->place.x, of_x ? f->place.p : moved};
    for (size_t i = 0; i < f->rows; i++) {
        const double at = moved[i], bump = relative ? h * fmax(fabs(at), 1) : h;
        const double above = sides >= 0 ? at + bump : at, below = sides <= 0 ? at - bump : at;
        moved[i] = above;
        const double *const high = term_part(&f->term, PART_VALUE, place);
        moved[i] = below;
        const double *const low = term_part(&f->term, PART_VALUE, place);
        moved[i] = at;
        for (size_t c = 0; c < f->m; c++) made[i * f->m + c] = (high[c] - low[c]) / (above - below);
    }
    return made;
}

/* Is D far nearer to these numbers than to the derivatives, wherever it is wrong? */
static bool is_nearer(const struct finding *f, const double *quotient)
{
    static const double NEARER = 0.05; /* of the error; steps of other lengths are off by more */
    for (size_t q = 0; q < f->rows * f->m; q++)
        if (is_wrong(f, q) && !(fabs(f->D[q] - quotient[q]) <= NEARER * fabs(f->D[q] - f->N.d[q])))
            return false;
    return true;
}

/* Is D a difference quotient with one of the usual bumps? */
static bool blame_quotient(const struct finding *f, struct verify_result *result)
{
    static const double bump[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0x1p-26, 6.055454452393343e-06};
    static const char *const words[] = {"backward", "central", "forward"};
    for (size_t k = 0; k < sizeof bump / sizeof *bump; k++)
        for (int form = 0; form < 6; form++) {
            const struct sens_arena_mark mark = sens_arena_mark(&f->term.at->v->ctx.arena);
            const int sides = form % 3 - 1;
            const bool fits = is_nearer(f, quotients(f, bump[k], form >= 3, sides));
            sens_arena_rewind(&f->term.at->v->ctx.arena, mark);
            if (!fits) continue;
            verify_say(result, "a %s difference quotient with a bump of %.2g", words[sides + 1], bump[k]);
            verify_blame(result, CAUSE_difference_quotient, 1);
            return true;
        }
    return false;
}

/* Which rows (x_i, p_k) and functionals are wrong. */
static void blame_pattern(const struct finding *f, struct verify_result *result)
{
    bool *row = verify_memory(f->term.at->v, f->rows, sizeof *row);
    bool *lane = verify_memory(f->term.at->v, f->m, sizeof *lane);
    size_t rows = 0, lanes = 0;
    for (size_t q = 0; q < f->rows * f->m; q++) {
        if (!is_wrong(f, q)) continue;
        rows += !row[q / f->m], lanes += !lane[q % f->m];
        row[q / f->m] = lane[q % f->m] = true;
    }
    verify_say(result, "wrong in %zu of %zu rows, for %zu of %zu functionals", rows, f->rows, lanes, f->m);
    const bool one_row = rows == 1, one_lane = lanes == 1 && f->m > 1;
    if (f->part == PART_DP) verify_blame(result, CAUSE_parameter_entry, one_row ? 1 : 0.3);
    verify_blame(result, CAUSE_jacobian_entry, one_row ? 0.9 : 0.25);
    verify_blame(result, CAUSE_jacobian_row, one_lane ? 0.8 : 0.3);
    verify_blame(result, CAUSE_product_point, one_row || one_lane ? 0.1 : 0.35);
    cost_blame_branch(&f->term, f->part, f->place, result);
}

/* One that reproduces the numbers ends the search; those without a number to fit come before the factor. */
static void blame(const struct finding *f, struct verify_result *result)
{
    static bool (*const hypothesis[])(const struct finding *, struct verify_result *) = {
        blame_lanes,       blame_absence, blame_weight, blame_tail,     blame_time,
        blame_observation, blame_place,   blame_factor, blame_exchange, blame_quotient};
    for (size_t k = 0; k < sizeof hypothesis / sizeof *hypothesis; k++)
        if (hypothesis[k](f, result)) return;
    blame_pattern(f, result);
}

/* ---- the check ----------------------------------------------------------------------------------------- */

/* Notes |D - N| entry by entry. false: some of them are too far apart. */
static bool compare(const struct finding *f, bool nominal, struct worst *worst)
{
    char name[VERIFY_NAME];
    struct worst here = {.count = 0};
    term_name(&f->term, f->part, name);
    for (size_t q = 0; q < f->rows * f->m; q++) {
        if (!isfinite(f->N.bound[q])) continue; /* no difference could be had */
        worst_note(&here, fabs(f->D[q] - f->N.d[q]), f->rounding[q] + f->N.bound[q],
                   "%s, %s_%zu, functional %zu, %s point: %.10g, by differences %.10g", name,
                   f->part == PART_DX ? "x" : "p", q / f->m, q % f->m, nominal ? "nominal" : "perturbed",
                   f->D[q], f->N.d[q]);
    }
    if (here.count) worst_note(worst, here.value, here.bound, "%s", here.where);
    return worst_passes(&here);
}

/* The first few failures are examined; the words are those of the first. */
enum { EXAMINED = 3 };

static void examine(const struct finding *f, int number, struct verify_result *result)
{
    char words[VERIFY_TEXT];
    memcpy(words, result->text, sizeof words);
    if (number < EXAMINED) blame(f, result);
    if (number > 0) memcpy(result->text, words, sizeof words);
}

static void look_at_part(const struct term *term, enum part part, struct place place, struct place nominal,
                         struct worst *worst, struct verify_result *result, int *failures)
{
    struct verify *v = term->at->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct finding f = {*term, part, place, nominal, term_rows(term, part), term->at->cost.m, .D = NULL};
    f.D = term_part(term, part, place);
    f.rounding = term_rounding(term, part, place, f.D);
    f.N = term_differences(term, part, place);
    if (!compare(&f, place.x == nominal.x, worst)) examine(&f, (*failures)++, result);
    sens_arena_rewind(&v->ctx.arena, mark);
}

void cost_check_taylor(const struct cost_case *at)
{
    const struct place nominal = cost_place(at, 0), perturbed = cost_place(at, 1);
    struct verify_result result = verify_open("cost.taylor", at->v->module, at->label);
    struct term term[MOST_TERMS];
    struct worst worst = {.count = 0};
    int failures = 0;
    /* The perturbed point first: what is wrong there tells more. */
    for (size_t k = 0, terms = cost_terms(at, term); k < 2 * terms; k++)
        for (enum part part = PART_DX; part <= PART_DP; part++)
            look_at_part(&term[k % terms], part, k < terms ? perturbed : nominal, nominal, &worst, &result,
                         &failures);
    verify_judge(&result, &worst);
    verify_close(at->v, &result);
}
