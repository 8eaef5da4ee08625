/* sensbench truth: a reference solution, computed in two independent ways and stored when they agree.
 *
 * Agreed digits of a part: -log10 of the worst |a - b| / max_k |a_rk| over its rows r (entry), and of |a - b|
 * / |a| in the Frobenius norm. x and G count as one row each. A row whose largest entry is below a hundredth of that of
 * the part is held against this hundredth: of a state that has all but gone, errors are told in the norm of all. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "build_info.h"
#include "cli.h"
#include "exit_codes.h"
#include "extended.h"
#include "files.h"
#include "machine.h"
#include "reference.h"
#include "seconds.h"
#include "streams.h"

enum { COLUMNS_P = 56, COLUMNS_X0 = 8 }; /* checked for a sample of rows */
#define ADJOINT_TABLEAU "dop853"

/* What is tried, until two ways agree: a finer tolerance, where the derivative is more sensitive to errors of a step
 * than the state (the second implicit way, of order 8, then lacks digits before rounding does), and then more bits, in
 * which the same steps are taken. The tolerance of the explicit ways is at rounding: they are tried once. */
enum { TRIALS = 3 };
static const struct trial {
    int bits;
    sens_extended_function *solve; /* NULL: not in this build */
} trials[TRIALS] = {
    {64, sens_extended_solve},
    {64, sens_extended_solve},
#ifdef SENS_HAVE_QUAD
    {REFERENCE_MOST_BITS, sens_quad_solve},
#else
    {REFERENCE_MOST_BITS, NULL},
#endif
};

/* The ways of extended.h: as a file names them, and the tolerance in each trial. */
static const struct way {
    const char *text;
    double tolerance[TRIALS];
} ways[] = {
    [SENS_EXTENDED_ADJOINT] = {"discrete adjoint, " ADJOINT_TABLEAU ", rtol = atol", {1e-18}},
    [SENS_EXTENDED_GBS] = {"Gragg-Bulirsch-Stoer, variational equations, tolerance", {1e-16}},
    [SENS_EXTENDED_RADAU] = {REFERENCE_STIFF " of order 13, variational equations, tolerance",
                             {1e-12, 1e-14, 1e-16}},
    [SENS_EXTENDED_EULER] = {"extrapolated implicit Euler rule, variational equations, tolerance",
                             {1e-13, 1e-15, 1e-18}},
};

struct truth_job {
    struct sens_ctx ctx;
    struct cell cell;
    struct spec *spec;
    struct bench_error error;
    size_t sample;   /* --rows; 0: all */
    const char *dir; /* --out; NULL: the first folder of SENSBENCH_REFERENCE */
    bool check;      /* --check */
    bool stiff;      /* --stiff, or the stored one was made so */
    int trial;       /* of trials */
    char path[DATA_PATH];
    struct reference stored, made, second; /* in the store; to be stored; computed the other way */
    size_t cols;                           /* columns checked; 0: all */
    size_t *col;
};

/* ---- the command line ---------------------------------------------------------------------------------- */

static bool parse_count(const char *text, size_t *count, struct bench_error *error)
{
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || value == 0)
        return bench_refuse(error, "truth: --rows '%s' is not a positive whole number", text);
    *count = value;
    return true;
}

static bool read_arguments(struct truth_job *job, const struct cli_command *command,
                           const struct cli_arguments *arguments)
{
    const char *rows = cli_flag(command, arguments, "--rows");
    job->dir = cli_flag(command, arguments, "--out");
    job->check = cli_flag(command, arguments, "--check") != NULL;
    job->stiff = cli_flag(command, arguments, "--stiff") != NULL;
    if (arguments->words == 0)
        return bench_refuse(&job->error, "truth: no problem given; see sensbench truth --help");
    if (arguments->words > 1)
        return bench_refuse(&job->error, "truth: unexpected word '%s'", arguments->word[1]);
    if (job->check && rows)
        return bench_refuse(&job->error, "truth: --rows and --check: the stored rows are checked");
    if (rows && !parse_count(rows, &job->sample, &job->error)) return false;
    return spec_set(job->spec, "problem", arguments->word[0], "command line", &job->error) &&
           spec_set(job->spec, "method", "discrete_adjoint", "sensbench truth", &job->error);
}

/* ---- which rows and columns ---------------------------------------------------------------------------- */

/* `count` different numbers below `range`, increasing; NULL without memory. */
static size_t *sample(struct sens_ctx *ctx, gsl_rng *rng, size_t range, size_t count)
{
    size_t *all = SENS_NEW(ctx, size_t, range), *chosen = SENS_NEW(ctx, size_t, count);
    if (!all || !chosen) return NULL;
    for (size_t i = 0; i < range; i++) all[i] = i;
    if (count && gsl_ran_choose(rng, chosen, count, all, range, sizeof *all) != 0) return NULL;
    return chosen;
}

/* Columns to check for a sample of rows: 56 parameters and 8 initial states, as far as there are so many. */
static sens_status choose_columns(struct truth_job *job, gsl_rng *rng)
{
    const struct reference *made = &job->made;
    const size_t n_p = made->parts & SENS_IN_DGDP ? made->np : 0,
                 n_x0 = made->parts & SENS_IN_DGDX0 ? made->n : 0;
    if (n_p + n_x0 <= COLUMNS_P + COLUMNS_X0) return SENS_OK;
    const size_t take_p = n_p < COLUMNS_P ? n_p : COLUMNS_P, take_x0 = n_x0 < COLUMNS_X0 ? n_x0 : COLUMNS_X0;
    const size_t *p = sample(&job->ctx, rng, n_p, take_p), *x0 = sample(&job->ctx, rng, n_x0, take_x0);
    job->cols = take_p + take_x0;
    job->col = SENS_NEW(&job->ctx, size_t, job->cols);
    if (!p || !x0 || !job->col) return SENS_NO_MEMORY;
    for (size_t k = 0; k < job->cols; k++) job->col[k] = k < take_p ? p[k] : made->np + x0[k - take_p];
    return SENS_OK;
}

/* Shape, rows and columns of job->made: all, a seeded sample, or those of the stored file. */
static sens_status choose(struct truth_job *job)
{
    const struct cell *cell = &job->cell;
    struct reference *made = &job->made;
    made->n = cell->problem.n;
    made->np = cell->problem.np;
    made->m = cell->cost.m;
    made->parts = job->check ? job->stored.parts : cell->task.parts;
    made->rows = job->check ? job->stored.rows : job->sample && job->sample < made->m ? job->sample : made->m;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng) return SENS_NO_MEMORY;
    gsl_rng_set(rng, cell->seed);
    made->row = job->check ? job->stored.row : sample(&job->ctx, rng, made->m, made->rows);
    const sens_status status = made->rows < made->m ? choose_columns(job, rng) : SENS_OK;
    gsl_rng_free(rng);
    return made->row ? status : SENS_NO_MEMORY;
}

/* ---- the two solutions --------------------------------------------------------------------------------- */

static sens_status solve(struct truth_job *job, enum sens_extended_method method, struct reference *ref,
                         char *text, size_t size)
{
    const struct cell *cell = &job->cell;
    const struct sens_extended_request request = {
        .problem = cell->problem.type->name,
        .cost = cell->cost.type->name,
        .model = cell->problem.type->model,
        .model_options = cell->problem.type->options,
        .problem_value = cell->problem_value,
        .cost_value = cell->cost_value,
        .p = cell->problem.p,
        .x0 = sens_problem_x0_depends(&cell->problem) ? NULL : cell->problem.x0,
        .t1 = cell->problem.t1,
        .rows = ref->rows < ref->m ? ref->rows : 0,
        .row = ref->row,
        .cols = job->cols,
        .col = job->col,
        .parts = ref->parts,
        .method = method,
        .tableau = ADJOINT_TABLEAU,
        .tolerance = ways[method].tolerance[job->trial],
    };
    sens_status status = reference_allocate(&job->ctx, ref);
    if (status != SENS_OK) return status;
    struct sens_extended_result result = {.steps = 0};
    memcpy(result.part, ref->part, sizeof result.part);
    const double start = seconds_now();
    status = trials[job->trial].solve(&job->ctx, &request, &result);
    if (!job->stiff && (status == SENS_STEP_LIMIT || status == SENS_STEP_UNDERFLOW))
        return sens_fail(&job->ctx, status, "%s; is the problem stiff? Try --stiff",
                         sens_status_message(status));
    if (status != SENS_OK) return status;
    snprintf(text, size, "%s = %g, %d-bit significand, %ld steps", ways[method].text, request.tolerance,
             trials[job->trial].bits, result.steps);
    say("%s, %ld rejected, %.2f s\n", text, result.rejects, seconds_now() - start);
    fflush(our_stdout());
    return SENS_OK;
}

/* What the check covers, after the text that says what it is. */
static void describe_columns(const struct truth_job *job, char *text, size_t size)
{
    size_t at = strlen(text);
    at += (size_t)snprintf(text + at, size - at, ", ");
    if (!job->cols) snprintf(text + at, size - at, "all columns");
    if (job->cols)
        at += (size_t)snprintf(text + at, size - at, "%zu sampled columns (p, then x0):", job->cols);
    for (size_t k = 0; k < job->cols && at < size; k++)
        at += (size_t)snprintf(text + at, size - at, " %zu", job->col[k]);
}

/* job->made is what is stored. Stiff: the collocation, of the higher order. Else the extrapolation, whose few
 * steps leave less rounding, unless only the adjoint has all columns. */
static sens_status solve_both(struct truth_job *job)
{
    const enum sens_extended_method first = job->stiff ? SENS_EXTENDED_RADAU : SENS_EXTENDED_ADJOINT,
                                    other = job->stiff ? SENS_EXTENDED_EULER : SENS_EXTENDED_GBS;
    struct reference *made = &job->made, *second = &job->second;
    sens_status status = choose(job);
    if (status != SENS_OK) return status;
    job->second = job->made;
    status = solve(job, first, made, made->generator, sizeof made->generator);
    if (status != SENS_OK) return status;
    status = solve(job, other, second, second->generator, sizeof second->generator);
    if (status != SENS_OK) return status;
    if (!job->stiff && !job->cols) {
        const struct reference swap = job->made;
        job->made = job->second;
        job->second = swap;
    }
    snprintf(job->made.check, sizeof job->made.check, "%s", job->second.generator);
    describe_columns(job, job->made.check, sizeof job->made.check);
    return SENS_OK;
}

/* ---- agreement ----------------------------------------------------------------------------------------- */

static double digits_of(long double relative_error)
{
    if (isnan(relative_error)) return 0;
    return (double)-log10l(fmaxl(relative_error, LDBL_EPSILON));
}

/* Was column k of a part computed both ways? */
static bool compared(const struct truth_job *job, enum sens_part part, size_t k)
{
    if (!job->cols || !sens_part_wrt(part)) return true;
    const size_t wanted = part == SENS_PART_DGDP ? k : job->made.np + k;
    size_t at = 0;
    while (at < job->cols && job->col[at] != wanted) at++;
    return at < job->cols;
}

/* Digits on which a part of a and b agree; rows and columns as in the head of this file. */
static struct reference_digits agree(const struct truth_job *job, enum sens_part part,
                                     const struct reference *a, const struct reference *b, bool sampled)
{
    const struct sens_part_shape shape = reference_part(a, part);
    const size_t rows = shape.wrt ? shape.rows : 1, cols = shape.wrt ? shape.cols : shape.rows;
    long double worst = 0, square = 0, norm_square = 0, of_all = 0;
    for (size_t q = 0; q < rows * cols; q++) of_all = fmaxl(of_all, fabsl(a->part[part][q]));
    for (size_t r = 0; r < rows; r++) {
        const long double *u = a->part[part] + r * cols, *v = b->part[part] + r * cols;
        long double largest = of_all / 100, error = 0;
        for (size_t k = 0; k < cols; k++) {
            largest = fmaxl(largest, fabsl(u[k]));
            if (sampled && !compared(job, part, k)) continue;
            const long double e = fabsl(u[k] - v[k]);
            error = fmaxl(error, e); /* a NaN is caught by the norm */
            square += e * e;
            norm_square += u[k] * u[k];
        }
        if (error > 0) worst = fmaxl(worst, error / largest);
    }
    const long double norm = square == 0 ? 0 : sqrtl(square / norm_square);
    return (struct reference_digits){digits_of(worst), digits_of(norm)};
}

/* Prints the agreement of two solutions; false when it is too poor in any part. */
static bool report_agreement(const struct truth_job *job, const struct reference *a,
                             const struct reference *b, bool sampled, const char *title,
                             struct reference_digits *digits)
{
    const double least = reference_least(&job->made);
    bool enough = true;
    say("%-16s %6s %6s\n", title, "entry", "norm");
    for (enum sens_part part = 0; part < REFERENCE_PARTS; part++) {
        digits[part] = (struct reference_digits){0, 0};
        if (!a->part[part]) continue;
        digits[part] = agree(job, part, a, b, sampled);
        say("  %-14s %6.1f %6.1f\n", reference_part(a, part).name, digits[part].entry, digits[part].norm);
        if (!(digits[part].entry >= least && digits[part].norm >= least)) enough = false;
    }
    return enough;
}

/* ---- the command --------------------------------------------------------------------------------------- */

static sens_status complete(struct truth_job *job)
{
    struct reference *made = &job->made;
    const time_t now = time(NULL);
    snprintf(made->key, sizeof made->key, "%s", job->cell.reference_key);
    snprintf(made->problem, sizeof made->problem, "%s", job->cell.problem.type->name);
    snprintf(made->cost, sizeof made->cost, "%s", job->cell.cost.type->name);
    snprintf(made->compiler, sizeof made->compiler, "%s", SENS_COMPILER_TEXT);
    struct tm utc;
    strftime(made->date, sizeof made->date, "%Y-%m-%d", gmtime_r(&now, &utc));
    for (enum sens_part part = 0; reference_is_binary(made) && part < REFERENCE_PARTS; part++) {
        made->digits[part].entry = fmin(made->digits[part].entry, REFERENCE_DOUBLE_DIGITS);
        made->digits[part].norm = fmin(made->digits[part].norm, REFERENCE_DOUBLE_DIGITS);
    }
    return fingerprint_make(&job->ctx, &job->cell, &made->print);
}

static int fail(struct truth_job *job, sens_status status)
{
    const char *message = job->ctx.message[0] ? job->ctx.message : sens_status_message(status);
    if (!job->error.text[0]) bench_refuse(&job->error, "truth: %s", message);
    return cli_complain(&job->error, cli_exit_code(status));
}

/* After a trial: is there another? Steps that rounding keeps from the end want more bits, not finer tolerances. */
static bool try_next(struct truth_job *job, sens_status status)
{
    const int bits = trials[job->trial].bits;
    const bool rounding = status == SENS_STEP_LIMIT || status == SENS_STEP_UNDERFLOW ||
                          status == SENS_DIVERGED || status == SENS_NOT_CONVERGED;
    if (!job->stiff || (status != SENS_OK && !rounding)) return false;
    int next = job->trial + 1;
    while (next < TRIALS && rounding && trials[next].bits == bits) next++;
    if (next == TRIALS) return false;
    if (trials[next].bits > bits)
        complain_line("truth: %d bits are too few (%s); %s %d", bits,
                      rounding ? sens_status_message(status) : "two ways do not agree",
                      trials[next].solve
                          ? "now with"
                          : "this program was built without the quadruple precision of GCC and glibc,",
                      trials[next].bits);
    if (!trials[next].solve) return false;
    job->trial = next;
    job->ctx.message[0] = '\0';
    return true;
}

/* Both solutions, and whether they agree. */
static sens_status solve_until_agreed(struct truth_job *job, bool *good)
{
    sens_status status;
    do {
        status = solve_both(job);
        *good = status == SENS_OK &&
                report_agreement(job, &job->made, &job->second, true, "agreed digits", job->made.digits);
    } while (!*good && try_next(job, status));
    return status;
}

static int finish(struct truth_job *job, bool good)
{
    struct reference_digits digits[REFERENCE_PARTS];
    if (!good) {
        complain_line("truth: fewer than %g agreed digits", reference_least(&job->made));
        return EXIT_CHECK;
    }
    if (job->check) {
        good = report_agreement(job, &job->made, &job->stored, false, "with the stored", digits);
        say("%s: %s\n", job->path, good ? "confirmed" : "NOT confirmed");
        return good ? EXIT_OK : EXIT_CHECK;
    }
    if (!job->cell.reference_key[0]) {
        say("not stored: parameters or initial state come from a file\n");
        return EXIT_OK;
    }
    const sens_status status = complete(job);
    if (status != SENS_OK) return fail(job, status);
    if (!reference_write(job->path, &job->made, &job->error)) return fail(job, SENS_IO_ERROR);
    say("stored %s\n", job->path);
    return EXIT_OK;
}

/* Where the reference goes: asked, and the folder made, before minutes of work. Never a folder of the program
 * itself, unless it is named. */
static bool choose_place(struct truth_job *job)
{
    const struct cell *cell = &job->cell;
    char dir[DATA_PATH];
    if (!job->dir && !reference_folder(dir))
        return bench_refuse(&job->error,
                            "truth: where to? Say --out DIR, or set SENSBENCH_REFERENCE, whose first "
                            "folder is taken; the program looks for references there");
    if (!reference_path(job->dir ? job->dir : dir, cell->problem.type->name, cell->reference_key, job->path,
                        sizeof job->path))
        return bench_refuse(&job->error, "truth: the name of the folder is too long");
    if (!make_folders(job->path, 0777, &job->error)) return false;
    snprintf(dir, sizeof dir, "%s", job->path);
    *strrchr(dir, '/') = '\0';
    return access(dir, W_OK) == 0 || bench_refuse(&job->error, "%s: %s", dir, strerror(errno));
}

static int execute(struct truth_job *job)
{
    const struct cell *cell = &job->cell;
    sens_status status = cell_resolve(&job->ctx, job->spec, &job->cell, &job->error);
    if (status != SENS_OK) return fail(job, status);
    if (job->check) {
        status = reference_find(&job->ctx, cell, job->dir, job->path, &job->stored, &job->error);
        if (status != SENS_OK) return fail(job, status), EXIT_CHECK;
        job->stiff = job->stiff || reference_is_stiff(&job->stored);
        while (trials[job->trial].bits < reference_bits(&job->stored)) job->trial++;
        if (!trials[job->trial].solve)
            return fail(job, sens_fail(&job->ctx, SENS_UNAVAILABLE,
                                       "%s was made with %d bits, and this program was built without the "
                                       "quadruple precision of GCC and glibc",
                                       job->path, trials[job->trial].bits));
    }
    if (!job->check && cell->reference_key[0] && !choose_place(job)) return fail(job, SENS_IO_ERROR);
    say("%s\n", cell->reference_key[0] ? cell->reference_key : cell->text);
    bool good = false;
    status = solve_until_agreed(job, &good);
    return status == SENS_OK ? finish(job, good) : fail(job, status);
}

int cmd_truth(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct truth_job job = {.ctx = {.now = seconds_now}, .spec = &arguments->spec};
    const int code = read_arguments(&job, command, arguments) ? execute(&job) : fail(&job, SENS_BAD_INPUT);
    sens_arena_release(&job.ctx.arena);
    return code;
}
