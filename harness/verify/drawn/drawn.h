/* harness/verify/drawn/drawn.h - scenes drawn at random from what a method declares.
 *
 * A scene is a point in a space of axes: sizes, times, tolerances, what the task asks for, and the options of
 * the method. Each axis has a usual value. What a method gets wrong at a drawn point is led back: axes are
 * put to their usual values as long as the fault stays, so that those that are left are what it needs. */
#ifndef VERIFY_DRAWN_H
#define VERIFY_DRAWN_H

#include "scene.h"

/* ---- axes ---------------------------------------------------------------------------------------------- */

enum drawn_axis {
    AXIS_STATES,
    AXIS_PARAMETERS,
    AXIS_OUTPUTS,
    AXIS_STEPS, /* of the fixed step */
    AXIS_LANES,
    AXIS_BATCH,
    AXIS_THREADS,
    AXIS_CKPT,
    AXIS_TIMES,  /* observations between t0 and t1 */
    AXIS_LAYOUT, /* 0: equally far apart; 1: irregular; 2: in close pairs */
    AXIS_ENDS,   /* 1: an observation at t0, 2: one at t1 */
    AXIS_START,  /* t0 */
    AXIS_LENGTH, /* t1 - t0 */
    AXIS_RATIO,  /* log10(atol / rtol); the smaller one is the usual tolerance */
    AXIS_SCALE,  /* log2 of the size of the states */
    AXIS_WRT,    /* SENS_WRT_* */
    AXIS_PARTS,  /* 1: a running cost, 2: explicit dependence on p */
    AXIS_FORM,   /* 1: autonomous, 2: x0 depends on p */
    AXIS_TABLEAU,
    AXIS_CONTROLLER,
    AXIS_LIMIT,  /* max_steps */
    AXIS_OPTION, /* the first option of the method */
    AXIS_OPTIONS = 24,
    AXES = AXIS_OPTION + AXIS_OPTIONS
};

struct drawn { /* a scene */
    double value[AXES];
    unsigned long layout; /* seed of irregular times */
    bool scaled;          /* atol goes with the size of the states */
};

struct drawing { /* of one method */
    struct verify *v;
    struct drawn usual;
    double tol;                 /* of the usual scene; 0: the method takes none */
    long steps;                 /* of the usual scene; 0: not known */
    bool every_state;           /* ckpt > 1 is refused as such */
    int led_back;               /* wrong scenes that were */
    double most_states;         /* of a drawn scene, whose time is to stay short */
    char left[VERIFY_TEXT / 2]; /* values of options that are not tried, or refused */
};

/* The usual scene with this tolerance. */
void drawn_usual(struct verify *v, double tol, struct drawing *drawing);
/* Does the method declare that the axis can be varied? */
bool axis_declared(const struct drawing *drawing, int axis);
/* Why not, in words: "the method declares none". */
const char *axis_why_not(const struct drawing *drawing, int axis);
const char *axis_name(const struct drawing *drawing, int axis);
/* A whole number with an order, in which a border between right and wrong can be sought. */
bool axis_is_size(int axis);
/* One of a few alternatives, which a method may refuse as such. */
bool axis_is_choice(int axis);
/* "m = 173", "lmm = bdf" */
void axis_words(const struct drawing *drawing, int axis, double value, char words[VERIFY_NAME]);
/* Blames what goes with an axis on which alone a fault hangs; value: where it shows. */
void axis_blame(int axis, double value, double weight, struct verify_result *result);

/* Another value, near the usual one. */
double axis_draw(const struct drawing *drawing, int axis);
/* One far from it. */
double axis_draw_large(const struct drawing *drawing, int axis);

/* ---- scenes -------------------------------------------------------------------------------------------- */

/* A bed that has the values; the problem and the cost are in the arena. false: the method does not take them
 * together. */
bool drawn_scene(const struct drawing *drawing, const struct drawn *drawn, struct scene *scene);
/* What is drawn, in words: every value that is not usual. */
void drawn_subject(const struct drawing *drawing, const struct drawn *drawn, char subject[VERIFY_SUBJECT]);

/* The cost sum_c w_c G_c, w_c > 0, sum_c w_c = 1, of the bed's cost; and the same of its outputs. */
void drawn_mean_cost(struct bed *bed, struct sens_cost *mean);
void drawn_mean_out(const struct bed *bed, const struct bed *mean, struct sens_out *out);

/* ---- judgement ----------------------------------------------------------------------------------------- */

enum drawn_outcome {
    DRAWN_RIGHT,
    DRAWN_WRONG,   /* numbers, or the steps reported */
    DRAWN_REFUSED, /* SENS_UNSUPPORTED */
    DRAWN_FAILED,  /* any other status */
    DRAWN_UNJUDGED /* solved, but nothing is known to hold it against */
};
struct drawn_verdict {
    enum drawn_outcome outcome;
    sens_status status;
    char message[VERIFY_TEXT / 2];
    struct worst worst;
    enum cause cause; /* of wrong steps or guards */
    bool known_cause;
    long steps;
};
/* Solves the scene and holds it against what the method declares. */
struct drawn_verdict drawn_judge(const struct drawing *drawing, const struct drawn *drawn);
/* The same on the scene solved already; full: adds what the catalogue of faults makes of it. */
void drawn_blame_catalogue(const struct drawing *drawing, const struct drawn *drawn,
                           struct verify_result *result);

/* Does a wrong scene hang on two of n, np and m being equal, or on the rest that a size leaves? Then it is
 * said and blamed. */
bool drawn_blame_equal(const struct drawing *drawing, const struct drawn *drawn, enum drawn_outcome outcome,
                       struct verify_result *result);
bool drawn_blame_rest(const struct drawing *drawing, const struct drawn *drawn, int axis,
                      struct verify_result *result);

/* Leads a scene back to what its outcome needs, and says and blames it. */
void drawn_explain(const struct drawing *drawing, const struct drawn *drawn,
                   const struct drawn_verdict *verdict, struct verify_result *result);

/* drawn.ends: options at their least and their most. Notes in `left` what was not tried. `usual`: the usual
 * scene is right; else it is skipped. */
void drawn_check_ends(struct drawing *drawing, bool usual);
/* The end, or how far there is towards it. */
double drawn_farthest(const struct sens_option *option, double end);
/* Notes the option of the axis at this value, with all else as usual. What is wrong is led back into the result. */
void drawn_look_at_value(struct drawing *drawing, int axis, double value, struct worst *worst,
                         struct verify_result *result);
enum { DRAWN_ENDS_LIMIT = 4000 }; /* max_steps */
/* drawn.between: options between their default and their ends (drawn_between.c). */
void drawn_check_between(struct drawing *drawing, bool usual);

/* drawn.tried: between which ends everything lay that was solved in this unit (drawn_tried.c). */
void drawn_tell_tried(struct verify *v);

/* drawn.scaled: states and atol scaled together by a power of two take the same steps. */
void drawn_check_scaled(const struct drawing *drawing);

#endif
