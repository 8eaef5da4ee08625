/* Every choice of every option of CVODES' methods against a closed form, or where the cost has none against
 * the engine's gradient at a tolerance four orders tighter; and what the modules add to the library: lanes,
 * bands, checkpoints, refusals.
 *
 * A multistep code holds the error of a step to the tolerance, and the sum of some hundred steps' errors, in
 * a gradient that may be more sensitive than the state, is what is left: WITHIN tolerances, ten times the
 * most that was seen. A wrong term shows as 1e-2 and more. */
#include "method/support.h"

#include "cvodes.h"
#include "sens/plugin.h"

static const double TOL = 1e-8, WITHIN = 2e3, TIGHTER = 1e-4;

extern const struct sens_plugin sens_plugin;

struct peer {
    struct method_bed bed;
    struct sens_registry registry; /* with CVODES' methods */
    const struct sens_method_type *methods[64];
    sens_real *truth; /* the gradient */
    size_t count;
};

/* Of the final state: dG/dp = S, dG/dx0 = S0. */
static bool closed_form(struct peer *peer)
{
    struct method_bed *bed = &peer->bed;
    const struct sens_problem *pb = &bed->problem;
    const struct sens_exact_query query = {.level = SENS_EXACT_ODE, .t = pb->t1};
    return strcmp(bed->cost.type->name, "identity") == 0 && pb->type->exact &&
           pb->type->exact(pb, &query, pb->p, bed->out.x, bed->out.dGdp, bed->out.dGdx0);
}

static void prepare_truth(struct peer *peer)
{
    struct method_bed *bed = &peer->bed;
    size_t count = 0;
    peer->registry = *bed->registry;
    for (; peer->registry.methods[count]; count++) peer->methods[count] = peer->registry.methods[count];
    for (size_t k = 0; sens_plugin.methods[k]; k++) peer->methods[count++] = sens_plugin.methods[k];
    peer->registry.methods = peer->methods;
    bed->registry = &peer->registry;
    bed->task.rtol = bed->task.atol = TOL * TIGHTER;
    if (!closed_form(peer)) {
        bed->task.tableau = named(bed->registry->tableaux, "dop853");
        assert_int_equal(bed_run(bed, "discrete_adjoint", NULL), SENS_OK);
    }
    peer->truth = bed_gradient(bed, &peer->count);
    bed->task.rtol = bed->task.atol = TOL;
}

static void peer_free(struct peer *peer)
{
    free(peer->truth);
    bed_free(&peer->bed);
}

/* ---- options ------------------------------------------------------------------------------------------- */

struct setting {
    const char *name, *value; /* NULL: none */
};

static void set_option(struct method_bed *bed, const struct setting *setting)
{
    const int i = sens_option_find(bed->method->options, setting->name);
    if (i < 0) fail_msg("no option named %s", setting->name);
    const struct sens_option *option = &bed->method->options[i];
    if (option->kind != SENS_OPT_CHOICE) {
        bed->method_value[i].number = atof(setting->value);
        return;
    }
    for (long c = 0; option->choices[c]; c++)
        if (strcmp(option->choices[c], setting->value) == 0) {
            bed->method_value[i].number = (double)c;
            return;
        }
    fail_msg("no choice %s", setting->value);
}

enum { SETTINGS = 4 };

/* Prepared once and run twice. */
static sens_real *solve(struct peer *peer, const char *method, const struct setting *setting)
{
    struct method_bed *bed = &peer->bed;
    size_t count;
    void *state = NULL;
    bed->method = named(bed->registry->methods, method);
    sens_option_defaults(bed->method->options, bed->method_value);
    for (int k = 0; k < SETTINGS && setting[k].name; k++) set_option(bed, &setting[k]);
    sens_status status = bed->method->prepare(&bed->ctx, &bed->task, &state);
    if (status == SENS_OK) status = bed->method->run(&bed->ctx, state, &bed->out, &bed->work);
    if (status != SENS_OK) fail_msg("%s: %s", method, bed->ctx.message);
    sens_real *first = bed_gradient(bed, &count);
    assert_int_equal(bed->method->run(&bed->ctx, state, &bed->out, &bed->work), SENS_OK);
    sens_real *second = bed_gradient(bed, &count);
    assert_memory_equal(first, second, count * sizeof *first);
    bed->method->release(state);
    free(second);
    return first;
}

static void hold(struct peer *peer, const char *method, const struct setting *setting, double tolerances)
{
    sens_real *gradient = solve(peer, method, setting);
    const double error = relative_error(peer->count, gradient, peer->truth);
    if (!(error <= tolerances * TOL))
        fail_msg("%s %s=%s %s=%s on %s, %s: relative error %.2g > %.2g", method, setting[0].name,
                 setting[0].value, setting[1].name, setting[1].value, peer->bed.problem.type->name,
                 peer->bed.cost.type->name, error, tolerances * TOL);
    if (getenv("CVODES_ERRORS"))
        printf("%s %s=%s %s=%s %s %s: %.2g\n", method, setting[0].name, setting[0].value, setting[1].name,
               setting[1].value, peer->bed.problem.type->name, peer->bed.cost.type->name, error);
    free(gradient);
}

static const struct setting forward[][SETTINGS] = {
    {{NULL, NULL}},
    {{"errcon", "inside"}},
    {{"errcon", "inside"}, {"scale", "none"}},
    {{"corrector", "staggered"}},
    {{"corrector", "staggered1"}},
    {{"sens_rhs", "difference"}},
    {{"sens_rhs", "difference"}, {"corrector", "staggered1"}},
    {{"vectors", "shipped"}},
    {{"quad", "inside"}},
    {{"lmm", "bdf"}, {"errcon", "inside"}},
    {{"lmm", "bdf"}, {"corrector", "staggered"}, {"errcon", "inside"}},
    {{"lmm", "bdf"}, {"corrector", "staggered1"}, {"errcon", "inside"}},
    {{"lmm", "bdf"}, {"quad", "inside"}, {"errcon", "inside"}},
    {{"lmm", "bdf"}, {"matrix", "dense"}},
    {{"lmm", "bdf"}, {"matrix", "band"}},
};

static const struct setting adjoint[][SETTINGS] = {
    {{"quad", "inside"}},
    {{"quad", "inside"}, {"interval", "20"}},
    {{"quad", "inside"}, {"interpolation", "polynomial"}},
    {{"quad", "inside"}, {"interpolation", "polynomial"}, {"interval", "20"}},
    {{"quad", "inside"}, {"vectors", "shipped"}},
    {{"quad", "inside"}, {"tol_backward", "0.1"}, {"tol_quad", "0.1"}},
    {{"quad", "inside"}, {"lmm", "bdf"}},
    {{"quad", "inside"}, {"lmm", "bdf"}, {"interval", "20"}},
    {{"quad", "inside"}, {"lmm", "bdf"}, {"matrix", "dense"}},
    {{"quad", "inside"}, {"lmm", "bdf"}, {"matrix", "band"}},
    {{"quad", "outside"}},
};

static void hold_all(struct peer *peer)
{
    prepare_truth(peer);
    for (size_t k = 0; k < sizeof forward / sizeof *forward; k++)
        hold(peer, "cvodes_forward", forward[k], WITHIN);
    for (size_t k = 0; k < sizeof adjoint / sizeof *adjoint; k++)
        for (int lanes = 0; lanes < 2; lanes++) {
            peer->bed.task.lanes = lanes;
            hold(peer, "cvodes_adjoint", adjoint[k], WITHIN);
            assert_true(lanes == 0 || peer->bed.work.lanes == 1);
        }
    peer_free(peer);
}

static void every_choice_is_right(void **unused)
{
    struct peer peer;
    (void)unused;
    bed_create(&peer.bed, "oscillator", "identity", NULL);
    hold_all(&peer);
    bed_create(&peer.bed, "oscillator", "running", NULL); /* g, g_dp */
    hold_all(&peer);
    bed_create(&peer.bed, "initial", "identity", NULL); /* x0(p) */
    hold_all(&peer);
    bed_create(&peer.bed, "glv", "tracking", "n", 4.0, NULL); /* stops on the way, a declared matrix */
    hold_all(&peer);
}

/* ---- lanes and bands ----------------------------------------------------------------------------------- */

/* 25 functionals: two whole blocks and a part, of a band by products or by the declared pattern. */
static void hold_lanes(struct peer *peer)
{
    static const struct setting settings[][SETTINGS] = {
        {{"quad", "inside"}},
        {{"quad", "inside"}, {"lmm", "bdf"}},
        {{"quad", "inside"}, {"lmm", "bdf"}, {"matrix", "dense"}},
        {{"quad", "inside"}, {"lmm", "bdf"}, {"interval", "20"}},
    };
    static const int lanes[] = {0, 1, 10};
    prepare_truth(peer);
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
            peer->bed.task.lanes = lanes[i];
            hold(peer, "cvodes_adjoint", settings[k], WITHIN);
            const size_t used = lanes[i] ? (size_t)lanes[i] : peer->bed.cost.m;
            assert_int_equal(peer->bed.work.lanes, used);
        }
    peer_free(peer);
}

static void functionals_go_together(void **unused)
{
    struct peer peer;
    (void)unused;
    bed_create(&peer.bed, "heat", "identity", "n", 6.0, NULL);
    hold_lanes(&peer);
    bed_create(&peer.bed, "conduction", "identity", "n", 25.0, NULL);
    hold_lanes(&peer);
}

/* Notes the most vectors that a product was called with: of the matrix, those of sensitivities come alone. */
struct counting {
    struct sens_problem_type type;
    const struct sens_problem_type *own;
    size_t *most;
};

static void counted_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                        sens_real *OUT)
{
    const struct counting *counting = (const struct counting *)pb->type; /* its first member */
    if (L > *counting->most) *counting->most = L;
    counting->own->jvp(pb, at, L, V, OUT);
}

/* 5 sub- and superdiagonals of 25: 11 products, and the numbers of the 25 of a dense matrix, which is
 * factorised in another order of additions. */
static void bands_take_fewer_products(void **unused)
{
    static const struct setting kinds[][SETTINGS] = {{{"lmm", "bdf"}, {"matrix", "dense"}},
                                                     {{"lmm", "bdf"}, {"matrix", "band"}},
                                                     {{"lmm", "bdf"}, {"matrix", "auto"}}};
    static const size_t products[] = {25, 11, 11};
    sens_real *gradient[3];
    struct peer peer;
    (void)unused;
    bed_create(&peer.bed, "heat", "identity", "n", 6.0, NULL);
    peer.bed.problem.structure = NULL; /* its df/dx is made of products */
    prepare_truth(&peer);
    size_t most;
    const struct sens_problem_type *own = peer.bed.problem.type;
    struct counting counting = {.type = *own, .own = own, .most = &most};
    counting.type.jvp = counted_jvp;
    peer.bed.problem.type = &counting.type;
    long steps = 0;
    for (int k = 0; k < 3; k++) {
        most = 0;
        gradient[k] = solve(&peer, "cvodes_forward", kinds[k]);
        assert_int_equal(most, products[k]);
        assert_true(k == 0 || peer.bed.work.steps == steps);
        assert_true(relative_error(peer.count, gradient[k], gradient[0]) <= TOL);
        steps = peer.bed.work.steps;
    }
    for (int k = 0; k < 3; k++) free(gradient[k]);
    peer_free(&peer);
}

/* A wrong matrix would cost steps: the declared one and that of products have to lead to the same. */
static void same_matrix_of_either_source(struct peer *peer)
{
    static const char *const methods[] = {"cvodes_forward", "cvodes_adjoint"};
    static const struct setting bdf[SETTINGS] = {{"lmm", "bdf"}};
    prepare_truth(peer);
    const struct sens_problem declared = peer->bed.problem;
    struct sens_problem plain = declared;
    assert_non_null(declared.structure);
    plain.structure = NULL;
    for (int k = 0; k < 2; k++) {
        sens_real *a = solve(peer, methods[k], bdf);
        const struct sens_work work = peer->bed.work;
        peer->bed.problem = plain;
        sens_real *b = solve(peer, methods[k], bdf);
        peer->bed.problem = declared;
        assert_true(relative_error(peer->count, a, b) <= TOL);
        assert_int_equal(work.steps + work.rejects, peer->bed.work.steps + peer->bed.work.rejects);
        assert_int_equal(work.steps_reverse + work.rejects_reverse,
                         peer->bed.work.steps_reverse + peer->bed.work.rejects_reverse);
        free(a);
        free(b);
    }
    peer_free(peer);
}

static void matrices_are_those_of_products(void **unused)
{
    struct peer peer;
    (void)unused;
    bed_create(&peer.bed, "conduction", "identity", "n", 25.0, NULL); /* sparse, a band */
    same_matrix_of_either_source(&peer);
    bed_create(&peer.bed, "glv", "identity", "n", 4.0, NULL); /* dense, not symmetric */
    same_matrix_of_either_source(&peer);
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

/* By default there are none, as with an interval that is too long; seven steps apart they change the
 * interpolant in its last digits, as the second pass computes x' anew. */
static void checkpoints_are_not_needed(void **unused)
{
    static const struct setting automatic[SETTINGS] = {{"interval", "0"}},
                                enough[SETTINGS] = {{"interval", "100000"}},
                                few[SETTINGS] = {{"interval", "7"}};
    struct peer peer;
    (void)unused;
    bed_create(&peer.bed, "glv", "identity", "n", 4.0, NULL);
    prepare_truth(&peer);
    sens_real *a = solve(&peer, "cvodes_adjoint", automatic);
    const size_t bytes = peer.bed.work.bytes_traj;
    sens_real *b = solve(&peer, "cvodes_adjoint", enough);
    assert_memory_equal(a, b, peer.count * sizeof *a);
    assert_int_equal(peer.bed.work.bytes_traj, bytes);
    free(b);
    b = solve(&peer, "cvodes_adjoint", few);
    assert_memory_not_equal(a, b, peer.count * sizeof *a);
    free(a);
    free(b);
    peer_free(&peer);
}

/* Sizes of parameters that are not 1 loosen or tighten the test of sensitivities. */
static void scale_sets_the_tolerances(void **unused)
{
    static const struct setting pbar[SETTINGS] = {{"errcon", "inside"}, {"scale", "pbar"}},
                                none[SETTINGS] = {{"errcon", "inside"}, {"scale", "none"}};
    struct peer peer;
    (void)unused;
    bed_create(&peer.bed, "forced", "identity", NULL);
    prepare_truth(&peer);
    sens_real small = 1e-6;
    peer.bed.problem.p = &small;
    assert_int_equal(peer.bed.problem.np, 1);
    free(solve(&peer, "cvodes_forward", pbar));
    const long steps = peer.bed.work.steps;
    free(solve(&peer, "cvodes_forward", none));
    assert_true(peer.bed.work.steps > steps);
    peer_free(&peer);
}

static void refuse(struct peer *peer, const char *method, sens_status status, const char *reason)
{
    assert_int_equal(bed_run(&peer->bed, method, NULL), status);
    if (!strstr(peer->bed.ctx.message, reason)) fail_msg("%s: %s", method, peer->bed.ctx.message);
}

static void refusals_name_their_reason(void **unused)
{
    static const char *const methods[] = {"cvodes_forward", "cvodes_adjoint"};
    struct peer peer;
    (void)unused;
    bed_create(&peer.bed, "glv", "identity", "n", 4.0, NULL);
    prepare_truth(&peer);
    for (int k = 0; k < 2; k++) {
        peer.bed.task.rtol = peer.bed.task.atol = 0;
        refuse(&peer, methods[k], SENS_BAD_INPUT, "not both 0");
        peer.bed.task.rtol = TOL, peer.bed.task.atol = -TOL;
        refuse(&peer, methods[k], SENS_BAD_INPUT, "not both 0");
        peer.bed.task.atol = TOL;
        peer.bed.task.max_steps = 20;
        refuse(&peer, methods[k], SENS_STEP_LIMIT, k == 0 ? "more than 20" : "mxstep");
        peer.bed.task.max_steps = 1000000;
    }
    assert_int_equal(bed_run(&peer.bed, "cvodes_adjoint", "interpolation", 1.0, "interval", 5.0, NULL),
                     SENS_BAD_INPUT);
    peer_free(&peer);
}

/* The first step is the task's, where it names one. */
static void note_first(void *self, double t, double h, double t1)
{
    double *first = self;
    (void)h;
    if (*first == 0) *first = t1 - t;
}

static void first_step_is_the_task_s(void **unused)
{
    double first = 0;
    struct peer peer;
    (void)unused;
    bed_create(&peer.bed, "glv", "identity", "n", 4.0, NULL);
    prepare_truth(&peer);
    peer.bed.task.dt = 1e-7;
    peer.bed.task.listener = (struct sens_listener){.step = note_first, .self = &first};
    assert_int_equal(bed_run(&peer.bed, "cvodes_forward", NULL), SENS_OK);
    assert_true(fabs(first - 1e-7) <= 1e-12 * 1e-7);
    peer_free(&peer);
}

static void one_number_that_is_not_finite_is_seen(void **unused)
{
    double v[21] = {0};
    (void)unused;
    assert_true(sens_finite(0, v));
    for (size_t count = 1; count <= 21; count++)
        for (size_t i = 0; i < count; i++) {
            v[i] = 1e308;
            assert_true(sens_finite(count, v));
            v[i] = INFINITY;
            assert_false(sens_finite(count, v));
            v[i] = NAN;
            assert_false(sens_finite(count, v));
            v[i] = 0;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_is_right),
        cmocka_unit_test(functionals_go_together),
        cmocka_unit_test(bands_take_fewer_products),
        cmocka_unit_test(matrices_are_those_of_products),
        cmocka_unit_test(checkpoints_are_not_needed),
        cmocka_unit_test(scale_sets_the_tolerances),
        cmocka_unit_test(refusals_name_their_reason),
        cmocka_unit_test(first_step_is_the_task_s),
        cmocka_unit_test(one_number_that_is_not_finite_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
