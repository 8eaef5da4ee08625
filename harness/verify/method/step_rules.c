/* Error norms and step-size laws, a second time. */
#include "step_rules.h"

#include <string.h>

static const char *const law_names[LAWS] = {"odeint", "hairer-pi", "petsc", "gustafsson"};
static const struct step_rule named_rules[LAWS] = {
    {REDUCE_MAX, SCALE_SLOPE, LAW_ODEINT, false},
    {REDUCE_MEAN, SCALE_ENDS, LAW_HAIRER, true},
    {REDUCE_MEAN, SCALE_EMBEDDED, LAW_PETSC, false},
    {REDUCE_MEAN, SCALE_ENDS, LAW_GUSTAFSSON, false},
};

bool step_rule_named(const char *controller, struct step_rule *rule)
{
    for (int k = 0; k < LAWS; k++)
        if (strcmp(controller, law_names[k]) == 0) {
            *rule = named_rules[k];
            return true;
        }
    return false;
}

bool step_rule_variant(const struct step_rule *named, int number, struct step_rule *variant)
{
    const int norms = REDUCES * SCALES;
    *variant = *named;
    if (number >= norms + LAWS + 1) return false;
    if (number < norms) {
        variant->reduce = (enum step_reduce)(number / SCALES);
        variant->scale = (enum step_scale)(number % SCALES);
    } else if (number < norms + LAWS) {
        variant->law = (enum step_law)(number - norms);
    } else {
        variant->e3 = !variant->e3;
    }
    return true;
}

const char *step_norm_words(const struct step_rule *rule)
{
    static const char *const words[REDUCES][SCALES] = {
        {"max |e| / (atol + rtol (|x| + |h f|))", "max |e| / (atol + rtol max(|x|, |x1|))",
         "max |e| / (atol + rtol max(|x1|, |x1 - e|))"},
        {"rms e / (atol + rtol (|x| + |h f|))", "rms e / (atol + rtol max(|x|, |x1|))",
         "rms e / (atol + rtol max(|x1|, |x1 - e|))"},
        {"the root of the sum (not mean) of squares with |x| + |h f|",
         "the root of the sum (not mean) of squares with max(|x|, |x1|)",
         "the root of the sum (not mean) of squares with max(|x1|, |x1 - e|)"}};
    return words[rule->reduce][rule->scale];
}

const char *step_law_words(const struct step_rule *rule)
{
    return law_names[rule->law];
}

/* ---- norms --------------------------------------------------------------------------------------------- */

static struct sens_ode_part tolerances_of(const struct sens_task *task, size_t i)
{
    for (size_t k = 0; k < task->n_tolerances; k++) {
        if (i < task->tolerance[k].count) return task->tolerance[k];
        i -= task->tolerance[k].count;
    }
    return (struct sens_ode_part){.rtol = task->rtol, .atol = task->atol};
}

static double scale_of(const struct step_rule *rule, const struct bed *bed, double h, const double *x,
                       const struct rk_step *step, size_t i)
{
    const double first = rule->scale == SCALE_SLOPE ? fabs(x[i]) + fabs(h * step->K[i])
                         : rule->scale == SCALE_ENDS
                             ? fmax(fabs(x[i]), fabs(step->x1[i]))
                             : fmax(fabs(step->x1[i]), fabs(step->x1[i] - step->e[i]));
    const struct sens_ode_part of = tolerances_of(&bed->task, i);
    return of.atol + of.rtol * first;
}

static double norm(const struct step_rule *rule, const struct bed *bed, double h, const double *x,
                   const struct rk_step *step, const double *e)
{
    const size_t n = bed->problem.n;
    double sum = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        const double ratio = e[i] == 0 ? 0 : fabs(e[i]) / scale_of(rule, bed, h, x, step, i);
        sum += ratio * ratio;
        largest = fmax(largest, ratio);
    }
    if (rule->reduce == REDUCE_MAX) return largest;
    return sqrt(rule->reduce == REDUCE_MEAN ? sum / (double)n : sum);
}

static double largest_of(size_t count, const double *v)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(v[i]));
    return largest;
}

/* Each slope is known to a few units in the last place of the slopes and of the states that enter it; the
 * smallest scale of all components bounds every norm. */
static double estimate_noise(const struct step_rule *rule, const struct bed *bed, double h, const double *x,
                             const struct rk_step *step)
{
    const struct sens_tableau *tb = bed->task.tableau;
    const size_t n = bed->problem.n, s = (size_t)tb->stages;
    const double size = largest_of(s * n, step->K) + largest_of(s * n, step->Y);
    double weights = 0, scale = INFINITY;
    for (size_t i = 0; i < s; i++) weights += fabs(tb->e[i]) + (tb->e3 ? 0.1 * fabs(tb->e3[i]) : 0);
    for (size_t i = 0; i < n; i++) scale = fmin(scale, scale_of(rule, bed, h, x, step, i));
    return 64 * DBL_EPSILON * fabs(h) * weights * size / scale;
}

struct step_error step_error(const struct step_rule *rule, const struct bed *bed, double h, const double *x,
                             const struct rk_step *step)
{
    const double err = norm(rule, bed, h, x, step, step->e);
    const double noise = estimate_noise(rule, bed, h, x, step) + 64 * DBL_EPSILON * err;
    if (!rule->e3 || !bed->task.tableau->e3) return (struct step_error){err, noise};
    const double root = sqrt(err * err + 0.01 * pow(norm(rule, bed, h, x, step, step->e3), 2));
    return (struct step_error){root > 0 ? err * err / root : 0, 3 * noise};
}

/* ---- laws ---------------------------------------------------------------------------------------------- */

/* err > 1: max(0.9 err^(-1/(q-1)), 1/5);  err < 1/2: 0.9 max(err, 5^-p)^(-1/p);  else 1. */
static double odeint_factor(struct step_memory *memory, double err, const struct sens_tableau *tb)
{
    memory->rejected = err > 1;
    if (err > 1) return fmax(0.9 * pow(err, -1.0 / (tb->order_hat - 1)), 0.2);
    if (err >= 0.5) return 1;
    return 0.9 * pow(fmax(err, pow(5, -tb->order)), -1.0 / tb->order);
}

/* dopri5: 0.9 err^-(1/k - 0.03) err_old^0.04 in [0.2, 10], k the order of the estimate in h; dop853: 0.9
 * err^(-1/8) in [0.333, 6]; no growth right after a rejection. */
static double hairer_factor(struct step_memory *memory, double err, const struct sens_tableau *tb)
{
    const bool dop853 = tb->e3 != NULL;
    const int lower = tb->order < tb->order_hat ? tb->order : tb->order_hat;
    const double beta = dop853 ? 0 : 0.04, least = dop853 ? 0.333 : 0.2, most = dop853 ? 6 : 10;
    const double exponent = (dop853 ? 1.0 / tb->order : 1.0 / (lower + 1)) - 0.75 * beta;
    const double response = 0.9 * pow(err, -exponent);
    if (err > 1) {
        memory->rejected = true;
        return fmax(least, response);
    }
    const double remembered = response * pow(fmax(memory->err_old, 1e-4), beta);
    const double limit = memory->rejected ? fmin(1, most) : most;
    memory->err_old = fmax(err, 1e-4);
    memory->rejected = false;
    return fmin(fmax(remembered, least), limit);
}

/* 0.9 err^(-1/p) in [0.1, 10]; half of it at the second rejection in a row. */
static double petsc_factor(struct step_memory *memory, double err, const struct sens_tableau *tb)
{
    const double safety = err > 1 && memory->rejected ? 0.45 : 0.9;
    memory->rejected = err > 1;
    return fmin(fmax(safety * pow(err, -1.0 / tb->order), 0.1), 10);
}

/* Of the two proposals h' the shorter one: 0.9 h err^(-1/k), k the order of the estimate in h; and the one that goes on
 * with the change from the step before, h' / h_old = 0.9 (h / h_old)^2 (err_old / err^2)^(1/k). h' / h in [1/5, 8], no
 * growth right after a rejection. */
static double gustafsson_factor(struct step_memory *memory, double h, double err,
                                const struct sens_tableau *tb)
{
    const double k = fmin(tb->order, tb->order_hat) + 1, growth = h / memory->h_old;
    const double usual = 0.9 * pow(err, -1 / k);
    if (err > 1) {
        memory->rejected = true;
        return fmax(usual, 0.2);
    }
    const double predicted = 0.9 * growth * pow(memory->err_old / err, 1 / k) * pow(err, -1 / k);
    const double least = memory->h_old > 0 ? fmin(usual, predicted) : usual;
    const double limit = memory->rejected ? 1 : 8;
    *memory = (struct step_memory){.h_old = h, .err_old = fmax(err, 0.01)};
    return fmin(fmax(least, 0.2), limit);
}

double step_factor(const struct step_rule *rule, struct step_memory *memory, double h, double err,
                   const struct sens_tableau *tb)
{
    if (rule->law == LAW_ODEINT) return odeint_factor(memory, err, tb);
    if (rule->law == LAW_GUSTAFSSON) return gustafsson_factor(memory, h, err, tb);
    return rule->law == LAW_HAIRER ? hairer_factor(memory, err, tb) : petsc_factor(memory, err, tb);
}
