/* A method's second task at the place of its first: the same structures, other numbers in them.
 *
 * What a method keeps must be told by what it was made from. A cache that is told by an address (of the
 * problem, the task, p) and the time is right as long as each task has a place of its own; one who fits
 * parameters overwrites them in place and solves again. */
#include <stdio.h>

#include "trial.h"

static const double MOVED = 1.0 / 1024; /* of each number: so little that the steps are as many */
static const double LOOSE = 1e-4;

struct place {
    struct worst worst;
    struct verify_result result;
};

static void move(size_t count, double *q)
{
    for (size_t k = 0; k < count; k++) q[k] *= 1 + MOVED * (double)(k + 1);
}

/* Solves; overwrites p or x0 and solves again; then compares with the same numbers at places never used. */
static void overwrite(struct verify *v, const struct scene *scene, bool of_p, struct place *place)
{
    const struct sens_problem *pb = &scene->bed.problem;
    double *const p = verify_copy(v, pb->np, pb->p), *const x0 = verify_copy(v, pb->n, pb->x0);
    struct bed here, fresh;
    trial_decorated(scene, pb, &scene->bed.cost, &here);
    here.problem.p = p;
    here.problem.x0 = x0;
    if (bed_solve(&here) == SENS_OK) {
        const struct sens_out first = bed_keep(&here), nothing = trial_nothing(&here);
        char what[96];
        move(of_p ? pb->np : pb->n, of_p ? p : x0);
        bed_solve(&here);
        trial_decorated(scene, pb, &scene->bed.cost, &fresh);
        fresh.problem.p = verify_copy(v, pb->np, p);
        fresh.problem.x0 = verify_copy(v, pb->n, x0);
        if (bed_solve(&fresh) == SENS_OK) {
            const bool fine = worst_passes(&place->worst);
            snprintf(what, sizeof what, "%s overwritten in place, %s:", of_p ? "p" : "x0",
                     bed_is_fixed(&scene->bed) ? "fixed steps" : "its own steps");
            trial_compare(&place->worst, &here, &fresh.out, &nothing, what);
            const struct pattern old = trial_pattern(&here, &here.out, &first, &nothing);
            if (fine && !worst_passes(&place->worst) && !old.any)
                verify_say(&place->result, "what is returned is the first task's");
        }
        bed_free(&fresh);
    }
    bed_free(&here);
}

static void run(struct verify *v)
{
    static const char *const controller[] = {"fixed", "odeint"};
    struct place place = {.worst = {.count = 0}};
    place.result = verify_open("again.place", v->module, "probe, p and x0 overwritten");
    for (int k = 0; k < 2; k++) {
        struct scene_settings settings = trial_settings(v, 3);
        struct scene scene;
        settings.controller = controller[k];
        settings.tol = LOOSE;
        settings.x0_depends = false;
        if (scene_create(v, &settings, &scene))
            for (int of_p = 0; of_p < 2; of_p++) overwrite(v, &scene, of_p, &place);
        scene_free(&scene);
    }
    verify_judge(&place.result, &place.worst);
    verify_blame(&place.result, CAUSE_cache_by_address, 0.97);
    verify_blame(&place.result, CAUSE_stale_workspace, 0.3);
    verify_close(v, &place.result);
}

static const struct verify_check checks[] = {
    {.id = "again.place",
     .summary = "a task at the place of another gets its own numbers",
     .bound = "0: the same numbers at another place give the same bits",
     .explanation =
         "A task is solved; its parameters, or its initial state, are overwritten where they stand, and it "
         "is prepared and run again; then the new numbers are solved for in structures that were never used. "
         "Both results must agree bit for bit, over fixed steps and over those of a loose tolerance. A "
         "difference means that something is kept from solve to solve and told by an address: look for a "
         "static variable or a thread's, and for what it is compared with before it is used. Key it by the "
         "numbers, or keep it in the state that prepare makes."},
    {.id = NULL}};

const struct verify_group verify_place = {
    .name = "place", .kind = VERIFY_METHOD, .checks = checks, .run = run};
