/* The derivative products of a problem against rhs, and against one another:
 *
 *     J = df/dx and f_p = df/dp, entry by entry, by extrapolated differences of rhs
 *     |f(x + eps v) - f(x) - eps J v| = O(eps^2), component by component, and the same in p
 *     <W, J V> = <J^T W, V>,   <W, f_p u> = <f_p^T W, u>
 *     the same at several times
 *
 * All with one lane at one point: lanes and batches are checked on their own (lanes.c). */
#include "products.h"
#include "oracle.h"
#include "taylor.h"

static const struct verify_check checks[] = {
    {.id = "jvp.reference",
     .level = VERIFY_TO_ROUNDING,
     .essential = true,
     .summary = "jvp gives J = df/dx, entry by entry, as differences of rhs have it",
     .bound = "truncation and rounding of extrapolated central differences, estimated for each entry",
     .explanation =
         "Each column of J is formed by jvp and, from rhs alone, by central differences that are "
         "extrapolated to step 0. The error of the differences is read off the extrapolation table and off "
         "evaluations of rhs at inputs that differ by a few roundings. This is done at the nominal point "
         "and at perturbed ones, at other times. A failure names the worst entry: compare that partial "
         "derivative in the source with the formula of rhs. If all products agree with one another, "
         "suspect rhs."},
    {.id = "vjp.reference",
     .level = VERIFY_TO_ROUNDING,
     .essential = true,
     .summary = "vjp gives J^T = (df/dx)^T, entry by entry, as differences of rhs have it",
     .bound = "truncation and rounding of extrapolated central differences, estimated for each entry",
     .explanation =
         "As jvp.reference, with the rows of J formed by vjp. If this fails and jvp.reference passes, the "
         "transposed product has a fault of its own: the report says which entry, or that J stands where J^T "
         "is due."},
    {.id = "jvp_p.reference",
     .level = VERIFY_TO_ROUNDING,
     .summary = "jvp_p_cols gives the columns of df/dp as differences of rhs have them",
     .bound = "truncation and rounding of extrapolated central differences, estimated for each entry",
     .explanation = "As jvp.reference, for the parameters. Columns are asked for one at a time, so that a "
                    "failure is one of the derivative and not of the handling of blocks. Look first at the "
                    "parameter that is named, and at the order in which parameters are stored."},
    {.id = "vjp_p.reference",
     .level = VERIFY_TO_ROUNDING,
     .summary = "vjp_p_batch gives the rows of df/dp as differences of rhs have them",
     .bound = "truncation and rounding of extrapolated central differences, estimated for each entry",
     .explanation = "As jvp_p.reference, with vjp_p_batch at one point and with one lane. A wrong time or "
                    "point inside a batch of several is found by batch.count."},
    {.id = "jvp.taylor",
     .summary = "the Taylor remainder of rhs along a random direction of states falls as eps^2",
     .bound = "slope 2 less 3/4 over the lowest clean stretch of a decade of eps; rounding for a linear f",
     .explanation =
         "f(x + eps v) - f(x) - eps J v is formed for eps over seven decades, with J v from jvp, and its "
         "slope is taken component by component where it is well above rounding: 2 or more if J v is the "
         "derivative, 1 if it is not, however small the error. All states take part, also where "
         "jvp.reference looks at a sample of columns."},
    {.id = "jvp_p.taylor",
     .summary = "the Taylor remainder of rhs along a random direction of parameters falls as eps^2",
     .bound = "slope 2 less 3/4 over the lowest clean stretch of a decade of eps; rounding for a linear f",
     .explanation = "As jvp.taylor, in the parameters: f(p + eps u) - f(p) - eps f_p u, with f_p u from all "
                    "columns of jvp_p_cols."},
    {.id = "vjp.transpose",
     .summary = "<W, J V> = <J^T W, V> for random W and V",
     .bound = "rounding of two sums of n products of n terms, with their measured magnitudes",
     .explanation =
         "A method that goes forward uses jvp and one that goes backward uses vjp; they compute the same "
         "gradient only if the two are transposes. This holds to rounding, so that it finds errors far "
         "below those that differences of rhs can show. Which of the two is wrong is told by jvp.reference "
         "and vjp.reference."},
    {.id = "vjp_p.transpose",
     .summary = "<W, f_p u> = <f_p^T W, u> for random W and u",
     .bound = "rounding of two sums of products, with their measured magnitudes",
     .explanation = "As vjp.transpose, for jvp_p_cols and vjp_p_batch."},
    {.id = "products.time",
     .summary = "the products agree with rhs at every time",
     .bound = "truncation and rounding of extrapolated differences along a line, and rounding of the product",
     .explanation =
         "At one state and several times from t0 to t1, J v and f_p u are compared with differences of rhs "
         "at that time, and the transposed products with the same numbers. A product that takes another "
         "time than rhs does, or none, fails here; autonomous problems pass at once. Look at which time "
         "the product evaluates its forcing terms."},
    {.id = NULL}};

enum { MOST_POINTS = 3, VISITS = PRODUCT_POINTS - MOST_POINTS, TIMES = 5, PAIRS = 3, LOWEST = 4 };

/* Adds points on the solution. */
static void visit_solution(const struct subject *subject, struct points *points)
{
    const struct sens_problem *pb = subject->pb;
    for (int k = 1; k <= VISITS; k++) {
        struct sens_at at = {.t = pb->t0 + (pb->t1 - pb->t0) * k / VISITS, .p = pb->p};
        double *const x = verify_array(subject->v, pb->n);
        if (oracle_visit(subject->v, pb, at.t, x) != SENS_OK) return;
        at.x = x;
        if (subject_usable(subject, &at)) points->at[points->count++] = at;
    }
}

struct points points_create(const struct subject *subject)
{
    struct points points = {.count = subject_points(subject)};
    for (int k = 0; k < points.count; k++) points.at[k] = subject_point(subject, k);
    visit_solution(subject, &points);
    return points;
}

/* Looks for causes among the products at the points, and closes. */
static void conclude_result(const struct subject *subject, struct verify_result result,
                            const struct points *points, int products, const enum product *product)
{
    for (int q = 0; q < products && result.verdict == VERIFY_FAIL; q++) {
        struct suspicion suspicion = {.places = 0};
        for (int k = 0; k < points->count; k++)
            suspicion_look(&suspicion, subject, product[q], &points->at[k]);
        suspicion_tell(&suspicion, &result);
    }
    verify_close(subject->v, &result);
}

/* Judges before that. */
static void conclude(const struct subject *subject, const char *check, const struct worst *worst,
                     const struct points *points, int products, const enum product *product)
{
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, worst);
    conclude_result(subject, result, points, products, product);
}

/* ---- entry by entry ------------------------------------------------------------------------------------ */

static void note_matrix(struct worst *worst, const struct subject *subject, enum product product,
                        const struct sens_at *at, const struct reference *right)
{
    const struct linear map = linear_at(subject, product, at);
    const size_t cols = right->sample.cols;
    const double *got = linear_matrix(&map, &right->sample);
    const double *rounding = linear_matrix_rounding(&map, &right->sample, got);
    const char *const of = product <= PRODUCT_VJP_P ? "f" : "x0", *const by =
                                                                      product <= PRODUCT_VJP ? "x" : "p";
    for (size_t q = 0; q < right->sample.rows * cols; q++)
        if (isfinite(right->bound[q]))
            worst_note(worst, fabs(got[q] - right->d[q]), right->bound[q] + rounding[q],
                       "d%s_%zu/d%s_%zu at t = %.4g", of, right->sample.row[q / cols], by,
                       right->sample.col[q % cols], at->t);
}

void products_note_entries(struct worst *worst, const struct subject *subject, const enum product product[2],
                           const struct sens_at *at)
{
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    const struct sample sample = sample_create(subject, product[0]);
    const struct reference right = reference_create(subject, product[0], at, &sample);
    for (int side = 0; side < 2; side++) note_matrix(worst, subject, product[side], at, &right);
    sens_arena_rewind(&subject->v->ctx.arena, mark);
}

/* A product and its transpose share the reference. */
void products_check_reference(const struct subject *subject, const enum product product[2],
                              const char *const check[2])
{
    struct worst worst[2] = {{.count = 0}, {.count = 0}};
    const struct points points = points_create(subject);
    for (int k = 0; k < points.count; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        const struct sample sample = sample_create(subject, product[0]);
        const struct reference right = reference_create(subject, product[0], &points.at[k], &sample);
        for (int side = 0; side < 2; side++)
            note_matrix(&worst[side], subject, product[side], &points.at[k], &right);
        sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
    for (int side = 0; side < 2; side++)
        if (check[side]) conclude(subject, check[side], &worst[side], &points, 1, &product[side]);
}

/* ---- Taylor remainders --------------------------------------------------------------------------------- */

struct remainders { /* [n][TAYLOR_POINTS] */
    double eps[TAYLOR_POINTS];
    double *r, *noise;
    double *change; /* |f(x + eps v) - f(x)| */
};

/* r and noise of point k along the line with f' = slope. */
static void remainder_at(const struct subject *subject, const struct line *line, const double *slope, int k,
                         const struct remainders *to)
{
    const size_t n = subject->pb->n;
    const double eps = to->eps[k];
    double *f0 = verify_array(subject->v, n), *f = verify_array(subject->v, n);
    double *shaken = verify_array(subject->v, n);
    const bool ok = line_value(line, 0, false, f0) && line_value(line, eps, false, f) &&
                    line_value(line, eps, true, shaken);
    for (size_t i = 0; i < n; i++) {
        const size_t q = i * TAYLOR_POINTS + (size_t)k;
        const double last = DBL_EPSILON * (fabs(f0[i]) + fabs(f[i]) + fabs(eps * slope[i]));
        to->change[q] = ok ? fabs(f[i] - f0[i]) : NAN;
        to->r[q] = ok ? fabs(f[i] - f0[i] - eps * slope[i]) : NAN;
        to->noise[q] = ok ? 2 * fabs(shaken[i] - f[i]) + last : 0;
    }
}

/* Where f stops changing as eps falls, the last change before is what it can resolve. */
static double resolution(const double *change)
{
    int k = TAYLOR_POINTS - 1;
    if (change[k] != 0) return 0;
    while (k > 0 && change[k] == 0) k--;
    return isfinite(change[k]) ? change[k] : 0;
}

/* Adds the rounding of the slope, and the noise of lower points: one sample may be small by accident. At the
 * lowest points there is nothing but noise in the remainder, or an error that will show higher up. */
static void settle_noise(const struct remainders *made, size_t i, double rounding)
{
    const double *r = made->r + i * TAYLOR_POINTS, *eps = made->eps;
    const double resolved = resolution(made->change + i * TAYLOR_POINTS);
    double *noise = made->noise + i * TAYLOR_POINTS;
    for (int k = TAYLOR_POINTS - LOWEST; k < TAYLOR_POINTS; k++) noise[k] = fmax(noise[k], r[k]);
    for (int k = TAYLOR_POINTS - 2; k >= 0; k--) noise[k] = fmax(noise[k], noise[k + 1]);
    for (int k = 0; k < TAYLOR_POINTS; k++) noise[k] += eps[k] * rounding + resolved + UNDERFLOW_LOSS;
}

/* Half-way between an error of the derivative, 1, and the least that terms in eps^2 and eps^3 of opposite
 * sign leave over a straight decade, 3/2. */
static const double SLOPE_DEFICIT = 0.75;
/* Above this many times its noise a remainder has a meaning (taylor.c). */
static const double NOISE_FACTOR = 30;

/* An error of the derivative shows down to the noise. A kink beside the point gives the same slope, but no
 * further than down to the kink. */
static bool goes_on(const struct remainders *made, const double *r, const double *noise, double low)
{
    double at_low = 0;
    for (int k = 0; k < TAYLOR_POINTS; k++) {
        if (made->eps[k] >= low) at_low = r[k] / made->eps[k];
        const double expected = at_low * made->eps[k];
        if (made->eps[k] < low && expected > NOISE_FACTOR * noise[k] && !(r[k] > expected / 4)) return false;
    }
    return true;
}

/* Of component i; nothing where the remainder neither stays within the noise nor clears it for a decade. */
static void note_remainder(struct worst *worst, const struct remainders *made, size_t i, double t)
{
    const double *r = made->r + i * TAYLOR_POINTS, *noise = made->noise + i * TAYLOR_POINTS;
    struct taylor fit;
    if (taylor_slope(TAYLOR_POINTS, made->eps, r, noise, &fit)) {
        const double deficit = goes_on(made, r, noise, fit.low) ? fmax(2 - fit.slope, 0) : 0;
        worst_note(worst, deficit, SLOPE_DEFICIT,
                   "component %zu at t = %.4g: remainder as eps^%.2f, eps = %.1g ... %.1g; 2 - slope", i, t,
                   fit.slope, fit.high, fit.low);
    } else if (r[0] <= NOISE_FACTOR * noise[0])
        worst_note(worst, r[0], NOISE_FACTOR * noise[0], "component %zu at t = %.4g: remainder of a linear f",
                   i, t);
}

static void note_taylor(struct worst *worst, const struct subject *subject, enum product product,
                        const struct sens_at *at)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n;
    const bool states = product == PRODUCT_JVP;
    const double *along =
        states ? subject_direction(subject, n, at->x) : subject_direction(subject, subject->pb->np, at->p);
    const struct linear map = linear_at(subject, product, at);
    struct remainders made = {.r = verify_array(v, n * TAYLOR_POINTS),
                              .noise = verify_array(v, n * TAYLOR_POINTS),
                              .change = verify_array(v, n * TAYLOR_POINTS)};
    double *slope = verify_array(v, n);
    struct line line;
    line_create(subject, at, states ? along : NULL, states ? NULL : along, &line);
    linear_apply(&map, 1, along, slope);
    const double *rounding = linear_rounding(&map, along);
    taylor_scales(1, made.eps);
    for (int k = 0; k < TAYLOR_POINTS; k++) remainder_at(subject, &line, slope, k, &made);
    for (size_t i = 0; i < n; i++) {
        settle_noise(&made, i, rounding[i]);
        note_remainder(worst, &made, i, at->t);
    }
}

static void check_taylor(const struct subject *subject, enum product product, const char *check)
{
    struct worst worst = {.count = 0};
    const struct points points = points_create(subject);
    for (int k = 0; k < points.count; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        note_taylor(&worst, subject, product, &points.at[k]);
        sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
    conclude(subject, check, &worst, &points, 1, &product);
}

/* ---- transposes ---------------------------------------------------------------------------------------- */

static void note_transpose(struct worst *worst, const struct subject *subject, const enum product product[2],
                           const struct sens_at *at)
{
    struct verify *v = subject->v;
    const struct linear forward = linear_at(subject, product[0], at);
    const struct linear transposed = linear_at(subject, product[1], at);
    const double *V = verify_random(v, forward.in), *W = verify_random(v, forward.out);
    double *image = verify_array(v, forward.out), *pulled = verify_array(v, forward.in);
    linear_apply(&forward, 1, V, image);
    linear_apply(&transposed, 1, W, pulled);
    const double bound = products_dot_sizes(forward.out, W, linear_rounding(&forward, V)) +
                         products_dot_sizes(forward.in, V, linear_rounding(&transposed, W));
    const double left = products_dot(forward.out, W, image), right = products_dot(forward.in, pulled, V);
    worst_note(worst, fabs(left - right), bound, "%s and %s at t = %.4g: %.10g is not %.10g",
               linear_name(product[0]), linear_name(product[1]), at->t, left, right);
}

void products_check_transpose(const struct subject *subject, const enum product product[2], const char *check)
{
    struct worst worst = {.count = 0};
    const struct points points = points_create(subject);
    for (int k = 0; k < points.count; k++)
        for (int pair = 0; pair < PAIRS; pair++) {
            const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
            note_transpose(&worst, subject, product, &points.at[k]);
            sens_arena_rewind(&subject->v->ctx.arena, mark);
        }
    conclude(subject, check, &worst, &points, 2, product);
}

/* ---- times --------------------------------------------------------------------------------------------- */

static const enum product of_states[] = {PRODUCT_JVP, PRODUCT_VJP};
static const enum product of_parameters[] = {PRODUCT_JVP_P, PRODUCT_VJP_P};

static void check_time(const struct subject *subject)
{
    static const enum product all[] = {PRODUCT_JVP, PRODUCT_VJP, PRODUCT_JVP_P, PRODUCT_VJP_P};
    const struct sens_problem *pb = subject->pb;
    struct worst worst = {.count = 0}, between = {.count = 0};
    struct points points = {.count = 0};
    struct sens_at at = subject_point(subject, 1);
    for (int k = 0; k < TIMES; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        const double inside = verify_uniform(subject->v, (double)k - 0.5, (double)k + 0.5) / (TIMES - 1);
        at.t = pb->t0 + (pb->t1 - pb->t0) * (k == 0 ? 0 : k == TIMES - 1 ? 1 : inside);
        if (points.count < MOST_POINTS && k > 0) points.at[points.count++] = at;
        struct worst *const here = k > 0 && k < TIMES - 1 ? &between : &worst;
        if (subject_usable(subject, &at)) products_note_along(here, subject, of_states, &at);
        if (subject_usable(subject, &at) && pb->np > 0)
            products_note_along(here, subject, of_parameters, &at);
        sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
    struct verify_result result = subject_open(subject, "products.time");
    const bool ends_alone = between.count > 0 && worst_passes(&between) && !worst_passes(&worst);
    if (between.count > 0) worst_note(&worst, between.value, between.bound, "%s", between.where);
    verify_judge(&result, &worst);
    if (ends_alone) {
        verify_say(&result, "at t0 or t1 alone: right at times between");
        verify_blame(&result, CAUSE_product_window, 0.98);
    }
    conclude_result(subject, result, &points, pb->np > 0 ? 4 : 2, all);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void skip_parameters(const struct subject *subject)
{
    static const char *const check[] = {"jvp_p.reference", "vjp_p.reference", "jvp_p.taylor",
                                        "vjp_p.transpose"};
    for (size_t k = 0; k < sizeof check / sizeof *check; k++)
        subject_skip(subject, check[k], "the problem has no parameters");
}

static void look_at_products(struct subject *subject)
{
    static const char *const states[] = {"jvp.reference", "vjp.reference"};
    static const char *const parameters[] = {"jvp_p.reference", "vjp_p.reference"};
    products_check_reference(subject, of_states, states);
    check_taylor(subject, PRODUCT_JVP, "jvp.taylor");
    products_check_transpose(subject, of_states, "vjp.transpose");
    check_time(subject);
    if (subject->pb->np == 0) {
        skip_parameters(subject);
        return;
    }
    products_check_reference(subject, of_parameters, parameters);
    check_taylor(subject, PRODUCT_JVP_P, "jvp_p.taylor");
    products_check_transpose(subject, of_parameters, "vjp_p.transpose");
}

static void look(struct subject *subject)
{
    subject_with_part(subject, look_at_products);
}

static void run(struct verify *v)
{
    subject_each(v, checks, look);
    subject_each_edge(v, look);
}

const struct verify_group verify_products = {
    .name = "products", .kind = VERIFY_PROBLEM, .checks = checks, .run = run, .wraps = true};
