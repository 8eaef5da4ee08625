/* harness/verify/base/bed.h - a task, solved by a method as often as a check needs. */
#ifndef VERIFY_BED_H
#define VERIFY_BED_H

#include "check.h"

/* The accepted steps, as the method reported them (sens_listener). */
struct grid {
    long steps;
    double *t, *h, *t1; /* [steps]; malloc'ed: a solve tells us how many there are while it runs */
    const struct sens_tableau **part; /* [steps] as it was told of each (sens_listener); NULL: of none */
    size_t room[4];                   /* that the four have */
};

/* false without memory. */
bool grid_append(struct grid *grid, double t, double h, double t1);
void grid_free(struct grid *grid);
/* The same steps, bit for bit. */
bool grid_same(const struct grid *a, const struct grid *b);

struct bed {
    struct verify *v;
    struct sens_problem problem;
    struct sens_cost cost;
    const struct sens_method_type *method;
    struct sens_task task;     /* points to the members above; change its numbers freely before bed_solve */
    struct sens_value *option; /* of the method; its defaults */
    struct sens_caches cache;  /* what the method is told of the machine's; zeros: not known */
    size_t vector;             /* the same of its vectors */
    double (*now)(void);       /* its clock; NULL: it tells no times */
    double unit;               /* verify_state_unit of the problem: atol is tol times that */
    struct sens_out out;       /* caller's arrays, canaries round each */
    struct sens_work work;
    const struct sens_tableau *part; /* of the step that is told of next; NULL: the task's tableau */
    struct grid grid;                /* of the last bed_solve; 0 steps when the method does not report */
    sens_status status;
    char message[256]; /* of the method, for the evidence */
};

/* The tableau of the registry by its name; NULL: there is none. */
const struct sens_tableau *verify_formula(const struct verify *v, const char *name);
/* In what the state is measured: 1; where it begins far below, all of it, the largest of its components. An atol of
 * 1e-7 would leave a state of 1e-12 to itself, and a step of any length would do. */
double verify_state_unit(struct verify *v, const struct sens_problem *problem);
/* A task with cash_karp, odeint, rtol = 1e-7 (drawn in a random run: 1e-9 ... 1e-5) and the atol of bed_tolerance,
 * max_steps 20000, all stages kept, everything automatic, both gradients (dG/dp alone for many states). Problem and
 * cost are copied by value. */
void bed_create(struct verify *v, const struct sens_problem *problem, const struct sens_cost *cost,
                const struct sens_method_type *method, struct bed *bed);
/* rtol = tol, atol = tol bed->unit. */
void bed_tolerance(struct bed *bed, double tol);
/* Tableau, controller by name; false when the method does not take it or the registry has none. */
bool bed_tableau(struct bed *bed, const char *name);
bool bed_controller(struct bed *bed, const char *name);
/* Every k-th state kept; 0: all stages. */
struct sens_ckpt bed_every(const struct verify *v, long k);
/* The fixed step of which `steps` make up [t0, t1]. false: the method has no fixed step. */
bool bed_fixed(struct bed *bed, const char *tableau, long steps);
/* The pair that the method steps with, or cash_karp where it has its own or takes fixed steps. */
const struct sens_tableau *bed_pair(const struct bed *bed);
/* Does the method take fixed steps on this task? */
bool bed_is_fixed(const struct bed *bed);
/* prepare, run once, release; outputs are filled with NaN first. Memory of the method is given back. After a
 * change of parts, set out = bed_outputs(bed) first. */
sens_status bed_solve(struct bed *bed);
/* prepare, then `runs` runs of one state; after each, visit(self, bed, number). */
sens_status bed_solve_repeatedly(struct bed *bed, int runs,
                                 void (*visit)(void *self, struct bed *bed, int number), void *self);
/* The same by hand: one state, run as often as wanted, also after a failure. Begin with zeros; the arena of
 * ctx may be given a limit first. Release it also when it could not be prepared. */
struct bed_state {
    struct sens_ctx ctx;
    void *state;
    bool ready; /* prepared */
};
sens_status bed_prepare(struct bed *bed, struct bed_state *state);
sens_status bed_run(struct bed *bed, struct bed_state *state);
void bed_release(struct bed *bed, struct bed_state *state);
/* Did a solve write outside its outputs? */
bool bed_canaries_alive(const struct bed *bed);
/* Name and shape of a part of the results, and how many numbers it has. */
struct sens_part_shape bed_part(const struct bed *bed, enum sens_part part);
size_t bed_count(const struct bed *bed, enum sens_part part);
/* A copy of the outputs, in the unit's arena; zeros of the same shape; and zeros for those parts alone that
 * the harness can compute itself. Parts that one of two lacks are not compared. */
struct sens_out bed_keep(const struct bed *bed);
struct sens_out bed_outputs(const struct bed *bed);
struct sens_out bed_shape(const struct bed *bed);
void bed_free(struct bed *bed); /* the grid */

/* "glv n=5, cost probe m=3, cash_karp odeint tol 1e-7": the subject of a result. */
void bed_subject(const struct bed *bed, const char *instance, char subject[VERIFY_SUBJECT]);
/* The index of a choice of option i, if that is of a part inside or `outside` the error test; else -1. What
 * is outside is named in the subject. */
long bed_error_test(const struct bed *bed, size_t i, const char *choice);

/* Compares what both have, entry by entry, value |a - b| against the entry of bound. `what` goes before the
 * entry's name: "dG/dp[3][7]". */
void out_compare(struct worst *worst, const struct bed *bed, const struct sens_out *a,
                 const struct sens_out *b, const struct sens_out *bound, const char *what);
/* |a - b|_F / |b|_F over all gradients, and over each part; NaN where one of the two lacks it. */
struct distance {
    double gradient, part[SENS_PARTS];
};
struct distance out_distance(const struct bed *bed, const struct sens_out *a, const struct sens_out *b);
/* to += weight from, entry by entry, over what both have. */
void out_add(const struct bed *bed, struct sens_out *to, double weight, const struct sens_out *from);
/* to += weight |a - b|, likewise. */
void out_add_apart(const struct bed *bed, struct sens_out *to, double weight, const struct sens_out *a,
                   const struct sens_out *b);
/* |a - b|_F over those of the parts that both have; b NULL: |a|_F. */
double out_norm(const struct bed *bed, const struct sens_out *a, const struct sens_out *b, unsigned parts);
/* The same arrays, but for those of other parts, which are NULL. */
struct sens_out out_only(const struct sens_out *out, unsigned parts);
bool out_finite(const struct bed *bed, const struct sens_out *a);

#endif
