/* harness/verify/method/step_rules.h - what the named step controllers are, from their publications.
 *
 *     odeint     max_i |e_i| / (atol + rtol (|x_i| + |h f_i|))
 *                Ahnert & Mulansky, Boost.Numeric.Odeint
 *     hairer-pi  rms_i e_i / (atol + rtol max(|x_i|, |x1_i|))
 *                Hairer, Norsett, Wanner, Solving ODEs I, II.4; dop853: err5^2 / sqrt(err5^2 + 0.01 err3^2)
 *     petsc      rms_i e_i / (atol + rtol max(|x1_i|, |x1_i - e_i|))
 *                PETSc, TSADAPTBASIC
 *     gustafsson rms_i e_i / (atol + rtol max(|x_i|, |x1_i|))
 *                Gustafsson 1994; Hairer & Wanner, Solving ODEs II, IV.8.(8.25) */
#ifndef VERIFY_STEP_RULES_H
#define VERIFY_STEP_RULES_H

#include "scene.h"

enum step_reduce { REDUCE_MAX, REDUCE_MEAN, REDUCE_SUM, REDUCES }; /* of the scaled |e_i|, or their squares */
enum step_scale { SCALE_SLOPE, SCALE_ENDS, SCALE_EMBEDDED, SCALES };
enum step_law { LAW_ODEINT, LAW_HAIRER, LAW_PETSC, LAW_GUSTAFSSON, LAWS };

struct step_rule {
    enum step_reduce reduce;
    enum step_scale scale;
    enum step_law law;
    bool e3; /* uses the third-order estimate where the tableau has one */
};
/* false: no controller of that name is known here. */
bool step_rule_named(const char *controller, struct step_rule *rule);
/* The rules that differ from the named one in the norm alone or in the law alone: number 0, 1, ... */
bool step_rule_variant(const struct step_rule *named, int number, struct step_rule *variant);
const char *step_norm_words(const struct step_rule *rule);
const char *step_law_words(const struct step_rule *rule);

struct step_error {
    double err, noise; /* the scaled norm, and what rounding can do to it */
};
/* Of the step h from x that rk_step made. */
struct step_error step_error(const struct step_rule *rule, const struct bed *bed, double h, const double *x,
                             const struct rk_step *step);

struct step_memory {       /* from trial to trial; starts as zero */
    double h_old, err_old; /* of the last accepted step */
    bool rejected;
};
/* h_next / h after a trial h with this error. */
double step_factor(const struct step_rule *rule, struct step_memory *memory, double h, double err,
                   const struct sens_tableau *tableau);

/* Results against the oracle's over the reported steps (steps.c). */
sens_status steps_compare(struct scene *scene, struct worst *worst, struct sens_out *right);
/* That each step of the last solve starts where the one before ended, and ends at t + h. */
void steps_note_chain(const struct bed *bed, struct worst *worst);
/* steps.accepted and steps.law, of the last solve (steps_law.c). `step` takes one as rk_step does, for the task's
 * problem and tableau. */
typedef sens_status step_function(const struct sens_problem *pb, const struct sens_tableau *tb, double t,
                                  double h, const double *x, struct rk_step *step);
void steps_check_controller(struct scene *scene, step_function *step);

/* The same of implicit formulas, and steps.stiff (steps_implicit.c); the method takes tableaux and controllers. */
void steps_check_implicit(struct verify *v);

#endif
