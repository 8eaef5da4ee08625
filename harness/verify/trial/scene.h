/* harness/verify/trial/scene.h - a method's tasks on the probe, a Runge-Kutta step by plain loops, and the order
 * that a sequence of errors shows. For the groups gradient, convergence, steps and tableau. */
#ifndef VERIFY_SCENE_H
#define VERIFY_SCENE_H

#include "expected.h"
#include "probe.h"

/* ---- tasks --------------------------------------------------------------------------------------------- */

struct scene_settings {
    const char *tableau,
        *controller; /* methods that take none keep their own steps; NULL: cash_karp, odeint */
    long steps;      /* of the controller "fixed"; a multiple of 8, for the observations */
    double tol;      /* of the others; 0: that of bed_create */
    double length;   /* of the interval; 0: 2 */
    size_t n, np, m;
    bool autonomous, x0_depends;
    bool uneven;        /* observations: fewer than 10,000 equal steps do not meet them; with no fixed step */
    unsigned parts;     /* of the cost, as far as the method can do them */
    const char *choice; /* a choice of an option, "type=2a"; NULL: as by default */
    bool inside;        /* what is outside the error test by default is taken into it; else not made */
    bool mass, turned;  /* probe_mass(n, turned) before x'; not made of methods that take none */
};

struct scene {
    struct bed bed;
    char module[VERIFY_NAME], subject[VERIFY_SUBJECT];
};
/* The probe on [1/4, 1/4 + length] and a bed for v->method. false: the method does not take these
 * settings. */
bool scene_create(struct verify *v, const struct scene_settings *settings, struct scene *scene);
void scene_free(struct scene *scene);

/* Blames what reproduces the wrong gradient, and the wrong state where that is beyond its bound too. Is the
 * state right? */
bool scene_blame(const struct oracle *oracle, const struct sens_out *got, const struct expected *expected,
                 struct verify_result *result);

/* The state itself, G_i = x_i(t1), i < n. */
void scene_state_cost(struct verify *v, const struct sens_problem *problem, struct sens_cost *cost);

/* ---- a step -------------------------------------------------------------------------------------------- */

struct rk_step {
    double *Y, *K;       /* [stages + extra_stages][n]; the extra ones by rk_dense only */
    double *x1, *e, *e3; /* [n]; e, e3 are 0 where the tableau has none */
    double *f1;          /* [n]; by rk_dense only */
};
struct rk_step rk_step_create(struct verify *v, const struct sens_tableau *tableau, size_t n);
/* Y_i = x + h sum a_ij K_j, K_i = f(t + c_i h, Y_i), x1 = x + h sum b_i K_i, e = h sum e_i K_i. */
sens_status rk_step(const struct sens_problem *problem, const struct sens_tableau *tableau, double t,
                    double h, const double *x, struct rk_step *step);
/* The dense output x(t + theta h) of the step that rk_step made from x. */
sens_status rk_dense(const struct sens_problem *problem, const struct sens_tableau *tableau, double t,
                     double h, const double *x, struct rk_step *step, double theta, double *out);
/* sum_d B_id theta^d */
double rk_dense_weight(const struct sens_tableau *tableau, int i, double theta);

/* ---- the order of errors ------------------------------------------------------------------------------- */

enum { LADDER = 12 };
struct ladder { /* errors for falling h (or tolerances), each with what rounding can make of it */
    int count;
    double h[LADDER], error[LADDER], floor[LADDER];
};
void ladder_add(struct ladder *ladder, double h, double error, double floor);
/* Is error k far enough above the floor to have a meaning? */
bool ladder_clean(const struct ladder *ladder, int k);
/* Is every error a number? */
bool ladder_finite(const struct ladder *ladder);
/* d log error / d log h at the fine end: over the last two clean rungs or the last three, the larger (one
 * error that is small by accident spoils one of them), and no less than the next rung shows with its floor added.
 * NaN: a rung is no number. false: fewer than two clean rungs. */
bool ladder_slope(const struct ladder *ladder, double *slope);
/* order - slope, and 0 where there is more than the order; NaN, which no bound allows, where there is no slope. */
double ladder_missing(double order, double slope);
/* "1.2e-03 4.5e-05 ..." */
void ladder_words(const struct ladder *ladder, char text[VERIFY_SUBJECT]);

#endif
