/* harness/compare/compare.h - contenders that take turns, so that A can be said to be so many times faster than
 * B.
 *
 * Every contender of a group lives in a process of its own, which is prepared and then asked for one sample
 * at a time while the others wait; the order is drawn anew in each round r. What is told is ratio_c = median
 * over r of t_c(r) / t_0(r): a slow spell of the machine, which lasts longer than a round, falls on both
 * sides of each quotient. */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "process.h"
#include "progress.h"
#include "record.h"
#include "spec.h"

enum { COMPARE_ROUNDS = 21, COMPARE_ROUNDS_LEAST = 5, COMPARE_ROUNDS_MAX = 10001, COMPARE_TEXT = 256 };

/* compare_calibrate.c: the loosest tolerance on a ladder 10^(-rung/4) with which an error is reached. */
enum { RUNGS_A_DECADE = 4, RUNG_LOOSEST = 8, RUNG_TIGHTEST = 56, COMPARE_TOLERANCE = 32 };
struct calibration {
    int rung;     /* -1: not reached, or not looked for */
    double error; /* there */
    double best;  /* least error of all tries; NaN: all failed */
    int best_rung, tried;
    bool stopped; /* for want of time, also after a rung was found: a looser one might do */
};
struct calibration_subject {
    /* The error at a rung; NaN: the solve fails there. A status other than SENS_OK: it would everywhere. */
    sens_status (*achieve)(void *self, int rung, double *error);
    void *self;
    double seconds; /* for all tries; 0: no limit */
};
sens_status compare_calibrate(const struct calibration_subject *subject, double target,
                              struct calibration *found);
void compare_rung_text(int rung, char text[COMPARE_TOLERANCE]); /* "1e-06" */
double compare_rung_tolerance(int rung);

struct compare_sample {
    double total, forward, reverse; /* seconds of one run */
    double cpu;                     /* processor time by wall time */
    double peak;                    /* GFLOP/s of multiply-adds right after it; NaN: not measured */
    double disturbed;               /* by others: 1, else 0 (disturbance.h); NaN: not known */
};

/* What a contender does in its process. On failure a function leaves a message. */
struct compare_subject {
    /* What it is: fills *rec as far as nothing has to be run for it. */
    sens_status (*describe)(void *self, struct record *rec, char message[COMPARE_TEXT]);
    /* Finds the tolerance for a wanted error. NULL: the tolerance is given. */
    sens_status (*calibrate)(void *self, struct calibration *found, char message[COMPARE_TEXT]);
    /* In the parent: what was found, for the processes to come, which do not look again. */
    void (*learn)(void *self, const struct calibration *found);
    /* Gets ready and warm, and adds the results. *repeat: the runs in a sample. */
    sens_status (*prepare)(void *self, struct record *rec, int *repeat, char message[COMPARE_TEXT]);
    sens_status (*sample)(void *self, struct compare_sample *sample, char message[COMPARE_TEXT]);
    void (*release)(void *self);
    void *self;
};

struct compare_ratio {
    size_t count; /* rounds in which both gave a sample */
    double median, lo, hi, min, max;
};

struct contender {
    struct compare_subject subject;
    const char *changes; /* "lanes=1 isa=avx2"; "" for contender 0 */
    sens_status status;
    struct record *rec;            /* times in it are medians over the rounds */
    struct compare_sample *sample; /* [COMPARE_ROUNDS_MAX at most]; NaN where there is none */
    int repeat;
    struct calibration found;
    double calibrating; /* seconds; 0: nothing to look for */
    struct compare_ratio ratio;
    double cpu;             /* median over the rounds */
    struct process process; /* pid 0: none */
};

struct compare_group {
    size_t index, rounds, contenders; /* rounds: whole ones, done */
    struct contender *contender;
    const char *keys; /* what sets this group apart, "n=50"; "" */
    double target;    /* the error that all are to reach; NaN: tolerances are given */
};

struct compare_options {
    size_t rounds;
    double seconds; /* for the rounds of a group; a few rounds are made however long they take */
    double timeout, memory_limit; /* of getting ready, and of a sample; of a process. 0: none */
    unsigned long seed;           /* of the orders */
};

/* compare_group.c. Memory for the contenders' records and samples; they start out not measured. */
bool compare_group_create(struct compare_group *group, size_t contenders, size_t rounds);
void compare_group_free(struct compare_group *group);
/* Whether a group that has made so many rounds in so many seconds stops. */
bool compare_is_enough(const struct compare_options *options, size_t rounds, double elapsed);
/* Runs the group and summarises it. SENS_INTERRUPTED: SIGINT, SIGTERM or SIGHUP came (to be blocked before,
 * see process_block_signals); the whole rounds until then are summarised. SENS_OK else, whatever becomes of
 * single contenders: their status tells. */
sens_status compare_group_run(struct compare_group *group, const struct compare_options *options,
                              struct progress *progress);

/* compare_process.c: the process of a contender. A sens_status other than SENS_OK and SENS_INTERRUPTED has
 * become the contender's own, and its process is gone. */
sens_status compare_start(struct contender *contender, const struct compare_options *options, int signals);
sens_status compare_ask(struct contender *contender, const struct compare_options *options, int signals,
                        struct compare_sample *sample);
void compare_stop(struct contender *contender, bool at_once); /* at_once: it may be at work */
void compare_fail(struct contender *contender, sens_status status, const char *message);

/* compare_summary.c. t_c / t_0 over the rounds that both have. */
void compare_ratio(size_t rounds, const struct compare_sample *sample, const struct compare_sample *base,
                   double *scratch, struct compare_ratio *ratio);
void compare_summarise(struct compare_group *group);

/* compare_cell.c: a cell as a contender. The spec must outlive it. target: the error to be reached by the
 * loosest tolerance; NaN: the spec has it. false: no memory. */
bool compare_cell_create(const struct spec *spec, const struct compare_options *options, double target,
                         struct compare_subject *subject);
void compare_cell_free(struct compare_subject *subject);

/* compare_plan.c: from the words of the command to the specs of all contenders of all groups. */
enum { COMPARE_TARGETS = 16 };
struct compare_targets {
    size_t count;
    double error[COMPARE_TARGETS];
};
struct compare_plan {
    size_t groups, contenders;
    struct spec *spec; /* [groups][contenders] */
    char **keys;       /* [groups] */
    char **changes;    /* [contenders] */
    double *target;    /* [groups]; NaN: none */
};
/* base: contender 0, whose values may be lists "2,5,10", a group for each combination, the last one fastest.
 * vs[count]: "key=value ..." to be replaced or added; "key=" takes a key away. targets: the errors to be
 * reached, each a group, fastest of all; no tolerance may be given then, and there has to be a truth; NULL or
 * none: tolerances are given. Refuses what no cell can be, with the origin of the bad pair. */
bool compare_plan_create(struct compare_plan *plan, const struct spec *base, size_t count,
                         const char *const *vs, const struct compare_targets *targets,
                         struct bench_error *error);
void compare_plan_free(struct compare_plan *plan);

/* compare_report.c */
void compare_print(FILE *out, const struct compare_group *group);
bool compare_tsv_header(FILE *out);
void compare_tsv_rows(FILE *out, const struct compare_group *group); /* flushes */
void compare_json(FILE *out, const struct compare_group *group);     /* one object */

#endif
