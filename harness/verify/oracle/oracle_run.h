/* harness/verify/oracle/oracle_run.h - one run of the discrete map and its derivative, with what may be altered
 * in it: the numbers it works with (noise) and the formulas it follows (scheme).
 *
 *     Y_i = x + h sum_j a_ij K_j,   K_i = f(t + c_i h, Y_i),   x+ = x + h sum_i b_i K_i
 *     kappa_i = h (b_i lambda + sum_{j>=i} a_ji theta_j),   theta_i = J_i^T kappa_i + hq bq_i g_x(i)
 *     lambda += sum_i theta_i,   mu += sum_i f_p(i)^T kappa_i + hq bq_i g_p(i)
 *
 * and of additive steps, with K_i of f_I and N_i of f - f_I, the sums with aE of these (oracle_additive.c). */
#ifndef VERIFY_ORACLE_RUN_H
#define VERIFY_ORACLE_RUN_H

#include <stdint.h>

#include "oracle.h"

/* ---- noise --------------------------------------------------------------------------------------------- */

struct noise {       /* all zero: none */
    double relative; /* of every number computed */
    enum noise_bias { BIAS_NONE, BIAS_UP, BIAS_FIXED } bias;
    double rtol, atol; /* of the state, the tangents, lambda, mu and the quadrature after every step */
    uint64_t state;    /* of the generator of `relative` */
    uint64_t draw;     /* chooses the signs of the errors of steps */
};

/* v[i] (1 + relative u), u uniform in [-1, 1]. Rounding is not as random as that: on symmetric data it errs
 * alike everywhere, and at every step. With a bias, u is in [0, 1], or has one sign for each index. */
void noise_touch(struct noise *noise, size_t count, double *v);
/* from, or a perturbed copy of it in `to`. */
const double *noise_input(struct noise *noise, size_t count, const double *from, double *to);
/* v[i] +- (rtol |v[i]| + atol), the sign fixed for each entry of each array (`place`). */
enum noise_place { PLACE_STATE, PLACE_TANGENT, PLACE_QUADRATURE };
void noise_step(const struct noise *noise, enum noise_place place, size_t first, size_t count, double *v);

/* ---- scheme -------------------------------------------------------------------------------------------- */

struct rule {   /* where a product is taken in stage i: at t + c[i] h, x + stretch (Y_(state[i]) - x) */
    double *c;  /* [s] */
    int *state; /* [s] */
    double stretch;
    const double *t;  /* [steps] the times it reckons from; NULL: those of the steps */
    bool first_state; /* at x0, for all steps */
};

enum single {                  /* what is rounded to single precision */
              SINGLE_TIME = 1, /* t, of callbacks */
              SINGLE_STATE = 2,
              SINGLE_PARAMETERS = 4,
              SINGLE_KEPT = 8,     /* the state between two steps */
              SINGLE_ADJOINT = 16, /* lambda and mu, after each step */
              SINGLE_ALL = 31
};

enum { RULE_JACOBIAN, RULE_PARAMETER, RULE_COST, RULES };

enum scheme_term {               /* each has a factor: 1 where it is right */
                   TERM_INITIAL, /* dx0/dp */
                   TERM_PHI_X,
                   TERM_PHI_P,
                   TERM_G, /* g in G */
                   TERM_G_X,
                   TERM_G_P,
                   TERM_JACOBIAN,   /* J^T kappa */
                   TERM_PARAMETERS, /* f_p^T kappa */
                   TERM_SECOND,     /* of Rosenbrock steps: the derivative of J and df/dt */
                   TERM_SLOPE_T,    /* of those: df/dt */
                   TERMS
};

struct scheme {
    int stages;
    long steps;
    double *a, *b, *c; /* [s][s], [s], [s] */
    double *ae;        /* [s][s] of the explicit part of additive steps; else NULL */
    double *ha, *h;    /* [steps]: in the stages, in the step */
    double *t;         /* [steps] */
    double *bq, *hq;   /* weights of the quadrature */
    struct rule rule[RULES];
    bool *taken;            /* [steps]: false: the step is not made */
    double *in_lambda;      /* [steps][s]: factor of theta_i in lambda */
    double *in_mu;          /* [steps][s]: factor of the parameter product */
    long *observation;      /* [steps + 1]: the one that enters after step k - 1, or -1 */
    long *observed;         /* [steps + 1]: the state it is taken at */
    const struct rule *g_p; /* where g_p is taken; NULL: where g and g_x are */
    long *phi_p,
        *phi_p_at;  /* [steps + 1]: of which observation phi_p is taken, at which state; NULL: its own */
    int slope_from; /* K_1 of a step is its own (0), or the last slope of that many steps before */
    size_t *phi_row, *g_row; /* [m]: the output whose derivatives are taken; m: none */
    bool not_transposed;     /* J where J^T is due */
    bool x0_always;          /* dx0/dp enters, though the task holds x0 */
    unsigned single;         /* enum single */
    /* Of Rosenbrock steps, in the sweep: J of step k + J_from, and h before it of step k + h_gamma_from; J for J^T. */
    long J_from, h_gamma_from;
    bool matrix_not_transposed;
    bool unsolved_in_mu; /* of implicit stages: the parameter product takes what kappa is solved from */
    bool explicit_not_transposed; /* of additive steps: J where J^T is due, in the explicit part alone */
    /* Of steps that switch, in the sweep: the part of all steps, or that of step k + part_from. */
    const struct sens_tableau *one_part;
    long part_from;
    double factor[TERMS];
};

/* The right one, in the arena. */
struct scheme *scheme_create(const struct oracle *oracle);
/* Where steps have formulas of their own: the coefficients become those of step k. */
void scheme_take(const struct oracle *oracle, const struct scheme *scheme, long k);

/* ---- runs ---------------------------------------------------------------------------------------------- */

struct run {
    const struct oracle *oracle;
    const struct scheme *forward; /* of the map */
    const struct scheme *replay;  /* of the stages in which a derivative takes its products */
    const struct scheme *reverse; /* of the adjoint */
    struct noise noise;
    const double *p;
    size_t n, np, m;
    double *state;       /* [steps + 1][n]; filled by run_forward */
    double *Y, *K;       /* [s][n] of the step at hand */
    double *kept;        /* [steps][n] last slopes of the steps of the map */
    double *rounded;     /* [n] the state that a step starts from, in single precision */
    const double *given; /* [steps][s][n] states for the products; NULL: those of the stages */
    double *x_in, *p_in; /* perturbed inputs of a callback, [n], [np] */
    /* Of implicit stages: a matrix [n][n], [n] vectors, the exchanges of its rows. */
    double *M, *base, *d;
    /* By how much noise has moved the entries of df/dx, as numbers: [n][n] of the stage at hand, of fully implicit ones
     * [s][n][n]; NULL: the states are many, and products alone are taken. */
    double *moved;
    double *unit, *J; /* [n][n]: the identity; df/dx at a stage */
    /* Whose f is implicit: the problem, or f_I of additive steps; then N [s][n] at the stages, else NULL. */
    const struct sens_problem *system;
    double *N, *other, *other_in; /* [n] scratch of oracle_additive.c */
    double *mass;                 /* [n][n]; NULL: the problem has none */
    bool algebraic;               /* some row of it is 0 */
    size_t *order, unknowns;      /* n */
    /* They are fully implicit: M, d, order, unknowns are of all stages but the first together. */
    bool coupled;
    struct rosenbrock *rosenbrock; /* NULL: steps of another family */
};

/* ---- implicit stages (oracle_implicit.c) ---------------------------------------------------------------- */

void run_implicit_create(struct run *run);
/* Y, which is y + h sum_{j<i} a_ij K_j, becomes the stage state, and z = h a_ii K_i; t and p from *at.
 * SENS_SINGULAR, or what rhs says. */
sens_status run_implicit_stage(struct run *run, double h_gamma, const struct sens_at *at, double *Y,
                               double *z);
/* mass, of a problem that has one; an entry of it or of its transpose, and of its product with z, else of I. */
void run_mass_create(struct run *run);
double run_mass_entry(const struct run *run, bool transposed, size_t i, size_t j);
double run_mass_times(const struct run *run, size_t i, const double *z);
/* A mass matrix is there: K [n], which is f of an explicit stage, becomes K_i with mass K_i = f, or with its transpose
 * where `transposed`. 0 where there are algebraic equations: such a stage does not enter. false: it is singular. */
bool run_mass_solve(struct run *run, bool transposed, double *K);
/* M [unknowns][unknowns] becomes its factors; x [unknowns] the solution of the system with them. false: it has none. */
void run_factor(struct run *run);
bool run_solve(const struct run *run, double *x);
/* Newton's method for the stages, all zero before the first correction: is another one to be made, and with a new
 * matrix (anew) or with that of the last? Told the size of the last one, the largest of its components relative to
 * theirs. Ends where rounding lets corrections become no smaller, or after 50. */
struct iteration {
    int count;
    double size, before;
    bool anew;
};
bool run_iterates(struct iteration *it);
/* unit, J, moved. */
void run_entries_create(struct run *run);
/* J [n][n] becomes J + dJ, rounded entry by entry; dJ is kept in stage i's place of `moved`; run_form_entries does so
 * with the J of a point, or its transpose by vjp. Then out += dJ v, both [n]. Who takes df/dx as numbers multiplies and
 * solves with the same wrong ones. Where modes cancel in the entries, the slow ones are wrong by this alone: neither a
 * product's own rounding nor a solve by I - h gamma (J + dJ) would show it. */
void run_move_entries(struct run *run, int i, double *J);
void run_form_entries(struct run *run, int i, const struct sens_at *at, bool transposed);
void run_add_moved(const struct run *run, int i, const double *v, double *out);
/* The factors of I - h_gamma J at a point, or of its transpose by vjp. */
void run_implicit_factor(struct run *run, const struct sens_at *at, double h_gamma, bool transposed);

/* ---- additive steps (oracle_additive.c) ------------------------------------------------------------------- */

void run_additive_create(struct run *run);
/* N_i at the stage state Y_i. What rhs says. */
sens_status run_additive_slope(struct run *run, const struct sens_at *at, int i);
/* out = (J - J_I) v, or by vjp their transposes; jvp for parameter >= 0 with its column of f_p - f_I,p. All [n]. */
void run_additive_jvp(struct run *run, const struct sens_at *at, const double *v, long parameter,
                      double *out);
void run_additive_vjp(struct run *run, const struct sens_at *at, bool not_transposed, const double *v,
                      double *out);
/* mu [np] += factor (f_p^T nu + f_I,p^T (kappa - nu)). */
void run_additive_parameters(struct run *run, const struct sens_at *at, double factor, const double *nu,
                             const double *kappa, double *mu);

/* ---- fully implicit stages (oracle_coupled.c) ------------------------------------------------------------ */

enum run_side { SIDE_PLAIN, SIDE_TRANSPOSED, SIDE_NOT_TRANSPOSED /* J where J^T is due */ };

void run_coupled_create(struct run *run);
/* Y and K of step k from x [n]. SENS_SINGULAR, or what rhs says. */
sens_status run_coupled_stages(struct run *run, const struct scheme *scheme, long k, const double *x);
/* The part of stage i, at a point, of the matrix I - h (a_ij J_i)_ij, or its transpose. */
void run_coupled_block(struct run *run, const struct scheme *scheme, double h, int i,
                       const struct sens_at *at, enum run_side side);

/* ---- Rosenbrock steps (oracle_rosenbrock.c) --------------------------------------------------------------- */

void run_rosenbrock_create(struct run *run);
/* J, df/dt and the matrix of step k. */
void run_rosenbrock_start(struct run *run, const struct scheme *scheme, long k);
/* K, which is f(t_i, Y_i), becomes K_i. SENS_SINGULAR. */
sens_status run_rosenbrock_slope(struct run *run, const struct scheme *scheme, long k, int i, double *K);
/* What the directions of stage i have in common; then L_i [n] of L [s][n], which is J_i Z_i + f_q, becomes L_i. S [n];
 * parameter >= np: the direction is an initial state. */
void run_rosenbrock_tangent(struct run *run, long k, int i);
void run_rosenbrock_direction(struct run *run, long k, int i, size_t parameter, const double *S, double *L);
/* Where a running cost is taken, and with which weight *w; x there is x + h sum_j weights[j] K_j. 0 nodes: at the
 * stages. */
int run_rosenbrock_nodes(const struct run *run);
const double *run_rosenbrock_weights(const struct run *run, int q);
struct sens_at run_rosenbrock_node(struct run *run, const struct scheme *scheme, long k, int q, double *w);
/* Before the sweep's step k, whose stages are known, for the outputs row[0 ... count); then kappa of output e in stage
 * i = s ... 1, which is h (b_i lambda + sum_j alpha_ji theta_j), becomes w_i, and mu (or NULL) has its second
 * derivatives; then [n] what lambda gains beside the theta. */
void run_rosenbrock_reverse_start(struct run *run, size_t count, const size_t *row, long k);
void run_rosenbrock_cotangent(struct run *run, long k, int i, size_t e, double *kappa, double *mu);
const double *run_rosenbrock_extra(const struct run *run, size_t e);

void run_create(const struct oracle *oracle, const struct scheme *forward, struct run *run);
/* to [i] = from [i] in single precision. */
void run_round(size_t count, const double *from, double *to);
/* out [n] = x + h sum_{j<count} w_j K_j. */
void run_combine(size_t n, const double *x, double h, int count, const double *w, const double *K,
                 double *out);
/* Fills state and G [m]; x0 [n] is the initial state. */
sens_status run_forward(struct run *run, const double *x0, double *G);
/* Y and K of step k from state[k]. */
sens_status run_stages(struct run *run, const struct scheme *scheme, long k);
/* The point (t, x) of a right-hand side in a step of h, perturbed; valid until the next. */
struct sens_at run_input(struct run *run, const struct scheme *scheme, double t, double h, const double *x);
/* The point of a product of stage i, perturbed; valid until the next. run_stages has been called. */
struct sens_at run_point(struct run *run, const struct rule *rule, long k, int i);
/* The state `seen` for the observation after step k - 1, perturbed. */
struct sens_at run_observed(struct run *run, const struct scheme *scheme, long k, long seen);

/* x, G and those of dGdp, dGdx0 that *out has. Only the outputs row[0 .. rows) of the gradient, or all of
 * them (row NULL). */
sens_status run_tangent(struct run *run, struct sens_out *out);
sens_status run_adjoint(struct run *run, size_t rows, const size_t *row, struct sens_out *out);
/* The adjoint of a run whose states are filled in, by run_forward or otherwise: all but G. */
sens_status run_reverse(struct run *run, size_t rows, const size_t *row, struct sens_out *out);

/* Are there so many directions, and so few outputs, that the adjoint has to stand in for the tangent? */
enum { DIRECTIONS_MOST = 100, DEAR = 16 };
bool run_too_dear(const struct oracle *oracle, const struct sens_out *out);

/* Each step of the grid as two, appended to *half. false without memory. */
bool oracle_halve(const struct grid *grid, struct grid *half);

#endif
