/* Tasks in one process, one after the other, each behind each: what comes out does not depend on what was solved
 * before.
 *
 * A method that keeps something from solve to solve tells it by what it was made from, and by all of that. A
 * copy of a tableau that is told by its name, or its number of stages, is another one's for some neighbours;
 * so is a workspace that is told by n alone. The tasks 0, 1, ..., K - 1 are solved in the order
 *
 *     0 1 0 2 0 3 ... 1 2 1 3 ... 0,
 *
 * in which each follows each other once. Then neighbours are prepared both, before the first of them is run. */
#include <stdio.h>
#include <string.h>

#include "trial.h"

enum { USUAL, ALTERED, OTHER_SIZES, OTHER_STEPS, OTHER_OPTIONS, TASKS };
static const char *const names[TASKS] = {"the usual task", "a formula of the same name and sizes",
                                         "other sizes and another tableau", "other steps and parts",
                                         "other options"};
static const double LOOSE = 1e-4, TIGHT = 1e-11;
/* What is moved from a_31 to a_32: more than any rounding, and little enough for a formula of the same order. */
static const double ALTERATION = 0x1p-20;

struct neighbours {
    struct scene scene[TASKS];
    struct sens_tableau altered;
    bool solved[TASKS], taken[TASKS]; /* taken: the method takes the task; solved: `first` is there */
    struct sens_out first[TASKS];
    int behind[TASKS]; /* which one was solved before `first` */
    struct worst worst;
};

/* Stage 3 at the same time, at another state. */
static bool alter(struct verify *v, struct bed *bed, struct sens_tableau *altered)
{
    const struct sens_tableau *const tb = bed->task.tableau;
    const size_t all = tb ? (size_t)(tb->stages + tb->extra_stages) : 0;
    if (!(bed->method->caps & SENS_CAP_TABLEAU) || all < 3) return false;
    double *const a = verify_copy(v, all * all, tb->a);
    a[2 * all] -= ALTERATION;
    a[2 * all + 1] += ALTERATION;
    *altered = *tb;
    altered->a = a;
    bed->task.tableau = altered;
    return true;
}

/* Every choice of the method at another value. false: it has none. */
static bool choose_others(struct bed *bed)
{
    const struct sens_option *const table = bed->method->options;
    bool any = false;
    for (size_t i = 0; i < sens_option_count(table); i++) {
        if (table[i].kind != SENS_OPT_CHOICE || verify_held(bed->v, &table[i]) || !table[i].choices[1])
            continue;
        bed->option[i].number = table[i].fallback == 0 ? 1 : 0;
        any = true;
    }
    return any;
}

static bool create(struct verify *v, struct neighbours *of, int which)
{
    struct scene_settings settings = trial_settings(v, 3);
    struct scene *const scene = &of->scene[which];
    settings.tol = which == OTHER_STEPS ? TIGHT : LOOSE;
    if (which == OTHER_SIZES) {
        settings.n += 3, settings.np += 2, settings.m += 5;
        settings.tableau = "bs32";
    }
    if (which == OTHER_STEPS && v->method->caps & SENS_CAP_CONTROLLER)
        settings.controller = strcmp(settings.controller, "fixed") ? "fixed" : "odeint";
    if (!scene_create(v, &settings, scene)) return false;
    if (which == ALTERED) return alter(v, &scene->bed, &of->altered);
    if (which == OTHER_STEPS) scene->bed.task.parts = SENS_IN_STATE | SENS_IN_DGDX0;
    if (which == OTHER_STEPS) scene->bed.out = bed_outputs(&scene->bed);
    return which != OTHER_OPTIONS || choose_others(&scene->bed);
}

static const char *name_of(int behind)
{
    return behind < 0 ? "nothing" : names[behind];
}

/* Solves the task behind another one; the first time is what the others are compared with. It was solved alone. */
static void solve(struct neighbours *of, int which, int behind)
{
    struct bed *const bed = &of->scene[which].bed;
    char what[160];
    const sens_status status = bed_solve(bed);
    if (!of->solved[which]) {
        of->taken[which] = status == SENS_OK;
        of->solved[which] = true;
        of->behind[which] = behind;
        if (status == SENS_OK) of->first[which] = bed_keep(bed);
        if (status != SENS_OK)
            worst_note(&of->worst, INFINITY, 0, "%s, behind %s: %s: %s; alone it is solved", names[which],
                       name_of(behind), sens_status_name(status), bed->message);
        return;
    }
    const struct sens_out nothing = trial_nothing(bed);
    snprintf(what, sizeof what, "%s, behind %s and behind %s:", names[which], name_of(behind),
             name_of(of->behind[which]));
    trial_compare(&of->worst, bed, &of->first[which], &nothing, what);
}

/* The altered formula has its own numbers the first time, behind the one that it looks like. */
static void judge_altered(struct neighbours *of, struct verify_result *result)
{
    struct scene *const scene = of->scene;
    struct expected expected;
    struct worst worst = {.count = 0};
    if (scene->bed.method->derivative != SENS_DERIVATIVE_DISCRETE || !of->taken[ALTERED]) return;
    if (!trial_right(&scene[USUAL]) || bed_solve(&scene[ALTERED].bed) != SENS_OK ||
        expected_declared(&scene[ALTERED].bed, &expected) != SENS_OK)
        return;
    expected_compare(&worst, &scene[ALTERED].bed, &scene[ALTERED].bed.out, &expected);
    worst_note(&of->worst, worst.value, worst.bound, "%s, behind the usual one: %s", names[ALTERED],
               worst.where);
    if (!worst_passes(&worst)) verify_say(result, "the formula at hand is not the one that is taken");
}

static void walk(struct neighbours *of, const int *task, int count)
{
    int behind = -1;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            solve(of, task[i], behind);
            solve(of, task[j], task[i]);
            behind = task[j];
        }
    if (count > 1) solve(of, task[0], behind);
}

/* Two prepared states at once, of which the older one is run first and the younger one behind it. */
static void solve_beside(struct neighbours *of, int older, int younger)
{
    struct bed *const first = &of->scene[older].bed, *const second = &of->scene[younger].bed;
    const struct sens_out nothing[2] = {trial_nothing(first), trial_nothing(second)};
    struct bed_state state[2] = {{.ready = false}, {.ready = false}};
    char what[160];
    if (bed_prepare(first, &state[0]) == SENS_OK && bed_prepare(second, &state[1]) == SENS_OK) {
        bed_run(first, &state[0]);
        snprintf(what, sizeof what, "%s, run when %s had been prepared:", names[older], names[younger]);
        trial_compare(&of->worst, first, &of->first[older], &nothing[0], what);
        bed_run(second, &state[1]);
        snprintf(what, sizeof what, "%s, prepared before the run of %s, and run after it:", names[younger],
                 names[older]);
        trial_compare(&of->worst, second, &of->first[younger], &nothing[1], what);
    }
    bed_release(second, &state[1]);
    bed_release(first, &state[0]);
}

static void run(struct verify *v)
{
    struct neighbours of = {.worst = {.count = 0}};
    int task[TASKS], count = 0;
    struct verify_result result =
        verify_open("again.others", v->module, "tasks on the probe, each behind each");
    for (int which = 0; which < TASKS; which++)
        if (create(v, &of, which) && bed_solve(&of.scene[which].bed) == SENS_OK) task[count++] = which;
    walk(&of, task, count);
    for (int i = 0; i + 1 < count; i++) solve_beside(&of, task[i], task[i + 1]);
    judge_altered(&of, &result);
    verify_judge_or(&result, &of.worst,
                    "the method takes one task of those that are tried: there is none to follow it");
    verify_blame(&result, CAUSE_kept_between_solves, 0.98);
    verify_blame(&result, CAUSE_stale_workspace, 0.4);
    verify_close(v, &result);
    for (int which = 0; which < TASKS; which++) scene_free(&of.scene[which]);
}

static const struct verify_check checks[] = {
    {.id = "again.others",
     .summary = "a task gives the same numbers whatever was solved before it",
     .bound = "0: the same bits; of a formula that was altered, rounding, measured on the oracle",
     .explanation =
         "Up to five tasks are solved in one process, each behind each: a usual one; the same with a tableau "
         "of the same name, order and stages, of which two coefficients differ by 1e-6; one with other sizes "
         "and another tableau; one with another tolerance and controller, for dG/dx0 alone; one with other "
         "choices of the method's options. Each must give the same bits every time, also where the next task "
         "is prepared before it is run, and a discrete method the numbers of the altered formula. A "
         "difference is something that is kept between solves and told by too little, or shared by all that "
         "are prepared: look for a static variable, or a thread's, and for what decides whether it is made "
         "anew."},
    {.id = NULL}};

const struct verify_group verify_neighbours = {
    .name = "neighbours", .kind = VERIFY_METHOD, .checks = checks, .run = run};
