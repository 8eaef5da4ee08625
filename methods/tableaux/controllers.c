/* Step-size controllers: the scaled norm of the error estimate e, and the factor it puts on the step.
 *
 * odeint     max_i |e_i| / (atol + rtol (|y_i| + |h f_i|)); Boost.Numeric.Odeint, controlled_runge_kutta.
 * hairer-pi  rms_i e_i / (atol + rtol max(|y_i|, |y1_i|)), PI control; Hairer, Norsett, Wanner, Solving ODEs
 *            I, II.4, the programs dopri5 and (where the tableau has a third-order estimate) dop853.
 * petsc      rms_i e_i / (atol + rtol max(|y1_i|, |yhat1_i|)); PETSc, TSADAPTBASIC with the 2-norm.
 * gustafsson rms_i e_i / (atol + rtol max(|y_i|, |y1_i|)), the predictive controller; K. Gustafsson, ACM Trans. Math.
 *            Softw. 20 (1994) 496; Hairer & Wanner, Solving ODEs II, IV.8, and their program RADAU5.
 *
 * In each, err <= 1 accepts. p is the order of the pair, q that of its embedded formula. */
#include "controllers.h"

#include <tgmath.h>

#include "rules.h"

enum {
    LANES = 8, /* partial results of a norm: one order of summation, and vectors for the compiler */
    TILE = 64  /* ratios at a time */
};

static sens_real clip(sens_real low, sens_real x, sens_real high)
{
    return fmin(high, fmax(low, x));
}

/* 0 where e is 0, whatever the scale: a component at rest must not fail a purely relative test. The division
 * is no part of the choice, so that the compiler may take many at once. */
static inline sens_real scaled(sens_real e, sens_real scale)
{
    const sens_real ratio = e / scale;
    return e == 0 ? e : ratio;
}

/* ---- odeint -------------------------------------------------------------------------------------------- */

static inline sens_real odeint_ratio(const struct sens_ode_part *piece, const struct sens_trial *trial,
                                     size_t i)
{
    const sens_real scale =
        piece->atol + piece->rtol * (fabs(trial->y[i]) + fabs(trial->h) * fabs(trial->f[i]));
    return fabs(scaled(trial->e[i], scale));
}

static void odeint_add(const struct sens_ode_part *piece, const struct sens_trial *trial,
                       struct sens_error_norm *norm)
{
    sens_real top[LANES] = {0}, ratio[TILE];
    const size_t whole = piece->count - piece->count % LANES;
    for (size_t i = 0, tile; i < whole; i += tile) {
        tile = whole - i < TILE ? whole - i : TILE;
        for (size_t q = 0; q < tile; q++) ratio[q] = odeint_ratio(piece, trial, i + q);
        for (size_t l = 0; l < LANES; l++)
            for (size_t q = l; q < tile; q += LANES) top[l] = sens_larger(ratio[q], top[l]);
    }
    sens_real most = norm->top;
    for (size_t l = 0; whole && l < LANES; l++) most = sens_larger(top[l], most);
    for (size_t i = whole; i < piece->count; i++) most = sens_larger(odeint_ratio(piece, trial, i), most);
    norm->top = most;
    norm->tested += piece->count;
}

static sens_real odeint_norm(const struct sens_error_norm *norm)
{
    return norm->top;
}

/* 5^-k by repeated division, which the compiler does for the usual orders. */
static sens_real power_of_fifth(int k)
{
    static const sens_real known[] = {1,
                                      SENS_C(1.) / 5,
                                      SENS_C(1.) / 5 / 5,
                                      SENS_C(1.) / 5 / 5 / 5,
                                      SENS_C(1.) / 5 / 5 / 5 / 5,
                                      SENS_C(1.) / 5 / 5 / 5 / 5 / 5,
                                      SENS_C(1.) / 5 / 5 / 5 / 5 / 5 / 5,
                                      SENS_C(1.) / 5 / 5 / 5 / 5 / 5 / 5 / 5,
                                      SENS_C(1.) / 5 / 5 / 5 / 5 / 5 / 5 / 5 / 5};
    const int most = (int)(sizeof known / sizeof *known) - 1;
    sens_real power = known[k < most ? k : most];
    for (int j = most; j < k; j++) power /= 5;
    return power;
}

/* err > 1: max(0.9 err^(-1/(q-1)), 1/5).  err < 1/2: 0.9 max(err, 5^-p)^(-1/p).  Otherwise 1. */
static sens_real odeint_factor(struct sens_controller_memory *memory, sens_real h, sens_real err,
                               const struct sens_tableau *tableau)
{
    (void)h;
    memory->rejected = err > 1;
    if (err > 1) {
        const sens_real shrink = SENS_C(0.9) * pow(err, -1 / (sens_real)(tableau->order_hat - 1));
        return sens_larger(shrink, SENS_Q(1, 5));
    }
    if (err >= 0.5) return 1;
    const sens_real least = power_of_fifth(tableau->order);
    return SENS_C(0.9) * pow(sens_larger(err, least), -1 / (sens_real)tableau->order);
}

/* ---- root mean square ---------------------------------------------------------------------------------- */

/* A component's scale is atol + rtol max(|y1_i|, |other_i|), with other_i = y_i (hairer) or y1_i - e_i
 * (petsc). */
enum other { OTHER_Y, OTHER_EMBEDDED };

static inline sens_real rms_ratio(const struct sens_ode_part *piece, const struct sens_trial *trial,
                                  const sens_real *e, enum other other, size_t i)
{
    const sens_real second = other == OTHER_Y ? trial->y[i] : trial->y1[i] - trial->e[i];
    return scaled(e[i], piece->atol + piece->rtol * sens_larger(fabs(trial->y1[i]), fabs(second)));
}

static inline __attribute__((always_inline)) sens_real sum_squares(const struct sens_ode_part *piece,
                                                                   const struct sens_trial *trial,
                                                                   const sens_real *e, enum other other)
{
    sens_real sum[LANES] = {0}, ratio[TILE];
    const size_t whole = piece->count - piece->count % LANES;
    for (size_t i = 0, tile; i < whole; i += tile) {
        tile = whole - i < TILE ? whole - i : TILE;
        for (size_t q = 0; q < tile; q++) ratio[q] = rms_ratio(piece, trial, e, other, i + q);
        for (size_t l = 0; l < LANES; l++)
            for (size_t q = l; q < tile; q += LANES) sum[l] += ratio[q] * ratio[q];
    }
    for (size_t i = whole; i < whole + LANES;
         i++) { /* two exits: no vectors, which would not be contracted */
        if (i == piece->count) break;
        const sens_real last = rms_ratio(piece, trial, e, other, i);
        sum[0] += last * last;
    }
    for (size_t l = 1; whole && l < LANES; l++) sum[0] += sum[l];
    return sum[0];
}

/* The mean of the squares over the tested components; 0 when there is none. */
static sens_real mean_square(const struct sens_error_norm *norm, sens_real sum)
{
    return norm->tested ? sum / (sens_real)norm->tested : 0;
}

/* ---- hairer-pi ----------------------------------------------------------------------------------------- */

static void hairer_add(const struct sens_ode_part *piece, const struct sens_trial *trial,
                       struct sens_error_norm *norm)
{
    norm->sum += sum_squares(piece, trial, trial->e, OTHER_Y);
    norm->has_e3 = trial->e3;
    if (trial->e3) norm->sum3 += sum_squares(piece, trial, trial->e3, OTHER_Y);
    norm->tested += piece->count;
}

/* dopri5: the root mean square. dop853: err5^2 / sqrt(err5^2 + 0.01 err3^2), of eighth order. */
static sens_real hairer_norm(const struct sens_error_norm *norm)
{
    const sens_real err5 = mean_square(norm, norm->sum);
    if (!norm->has_e3) return sqrt(err5);
    const sens_real denominator = err5 + SENS_C(0.01) * mean_square(norm, norm->sum3);
    return denominator > 0 ? err5 / sqrt(denominator) : 0;
}

struct hairer_constants {
    sens_real exponent; /* 1 / order of the error norm in h */
    sens_real beta;     /* weight of the old error */
    sens_real least, most;
};

static struct hairer_constants hairer_constants(const struct sens_tableau *tableau)
{
    const int order = tableau->order, order_hat = tableau->order_hat;
    if (tableau->e3) return (struct hairer_constants){1 / (sens_real)order, 0, SENS_C(0.333), 6};
    const int lower = order < order_hat ? order : order_hat;
    return (struct hairer_constants){1 / (sens_real)(lower + 1), SENS_C(0.04), SENS_C(0.2), 10};
}

/* Accepted: 0.9 err^-(exponent - 0.75 beta) err_old^beta within the limits, at most 1 after a rejection.
 * Rejected: 0.9 err^-(exponent - 0.75 beta), the lower limit only. */
static sens_real hairer_factor(struct sens_controller_memory *memory, sens_real h, sens_real err,
                               const struct sens_tableau *tableau)
{
    (void)h;
    const sens_real safety = SENS_C(0.9), least_err_old = SENS_C(1e-4);
    const struct hairer_constants c = hairer_constants(tableau);
    const sens_real response = safety * pow(err, SENS_C(0.75) * c.beta - c.exponent);
    if (err > 1) {
        memory->rejected = true;
        return fmax(c.least, response);
    }
    const sens_real memory_term = c.beta > 0 ? pow(fmax(memory->err_old, least_err_old), c.beta) : 1;
    const sens_real factor = clip(c.least, response * memory_term, c.most);
    const bool after_rejection = memory->rejected;
    memory->err_old = fmax(err, least_err_old);
    memory->rejected = false;
    return after_rejection ? fmin(factor, 1) : factor;
}

/* ---- petsc --------------------------------------------------------------------------------------------- */

static void petsc_add(const struct sens_ode_part *piece, const struct sens_trial *trial,
                      struct sens_error_norm *norm)
{
    norm->sum += sum_squares(piece, trial, trial->e, OTHER_EMBEDDED);
    norm->tested += piece->count;
}

static sens_real petsc_norm(const struct sens_error_norm *norm)
{
    return sqrt(mean_square(norm, norm->sum));
}

/* 0.9 err^(-1/p) within [0.1, 10]; the safety is halved when the trial before was rejected too. */
static sens_real petsc_factor(struct sens_controller_memory *memory, sens_real h, sens_real err,
                              const struct sens_tableau *tableau)
{
    (void)h;
    const sens_real safety = err > 1 && memory->rejected ? SENS_C(0.45) : SENS_C(0.9);
    memory->rejected = err > 1;
    return clip(SENS_C(0.1), safety * pow(err, -1 / (sens_real)tableau->order), 10);
}

/* ---- gustafsson ---------------------------------------------------------------------------------------- */

/* An implicit step's error, C h^k, has a C that changes slowly: its change from the last accepted step to this one is
 * taken to be that to the next (Hairer & Wanner (8.25)),
 *
 *     predicted = 0.9 h/h_old (err_old / err)^(1/k) err^(-1/k),        usual = 0.9 err^(-1/k),
 *
 * and the smaller of both is the factor, within [1/5, 8]; `usual` in the first step and where rejected, and at most 1
 * after a rejection. err_old is not taken below 1/100. The constants are those of RADAU5, but for its safety that falls
 * with the number of iterations: here these go on to rounding, and say nothing of the tolerance. */
static sens_real gustafsson_factor(struct sens_controller_memory *memory, sens_real h, sens_real err,
                                   const struct sens_tableau *tableau)
{
    const sens_real safety = SENS_C(0.9), least = SENS_Q(1, 5), most = 8;
    const int lower = tableau->order < tableau->order_hat ? tableau->order : tableau->order_hat;
    const sens_real root = 1 / (sens_real)(lower + 1), usual = clip(least, safety * pow(err, -root), most);
    if (err > 1) {
        memory->rejected = true;
        return usual;
    }
    sens_real factor = usual;
    if (memory->h_old != 0) {
        const sens_real lengths = h / memory->h_old, errors = memory->err_old / (err * err);
        factor = fmin(usual, clip(least, safety * lengths * pow(errors, root), most));
    }
    const bool after_rejection = memory->rejected;
    *memory =
        (struct sens_controller_memory){.h_old = h, .err_old = fmax(err, SENS_C(0.01)), .rejected = false};
    return after_rejection ? fmin(factor, 1) : factor;
}

static const struct sens_controller odeint = {
    .name = "odeint",
    .summary = "Boost odeint: maximum norm, grows only below half the tolerance",
    .adaptive = true,
    .add = odeint_add,
    .norm = odeint_norm,
    .factor = odeint_factor,
};
static const struct sens_controller hairer_pi = {
    .name = "hairer-pi",
    .summary = "Hairer's dopri5 and dop853: root mean square, PI control",
    .adaptive = true,
    .uses_e3 = true,
    .add = hairer_add,
    .norm = hairer_norm,
    .factor = hairer_factor,
};
static const struct sens_controller petsc = {
    .name = "petsc",
    .summary = "PETSc's basic adaptor: root mean square, factors 0.1 to 10",
    .adaptive = true,
    .add = petsc_add,
    .norm = petsc_norm,
    .factor = petsc_factor,
};
static const struct sens_controller gustafsson = {
    .name = "gustafsson",
    .summary = "Gustafsson's predictive control as in RADAU5: root mean square, for implicit steps",
    .adaptive = true,
    .add = hairer_add,
    .norm = hairer_norm,
    .factor = gustafsson_factor,
};
static const struct sens_controller fixed = {
    .name = "fixed",
    .summary = "fixed step dt, which must divide the interval",
};

const struct sens_controller *const sens_controllers[] = {&odeint,     &hairer_pi, &petsc,
                                                          &gustafsson, &fixed,     NULL};
