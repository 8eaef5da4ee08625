/* From words to a cell: the store of keys, numbers and files of numbers, the nearest name, and what a
 * resolved cell holds. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "modules.h"
#include "names.h"
#include "show.h"
#include "testing.h"
#include "truth.h"
#include "variants.h"

/* ---- spec ---------------------------------------------------------------------------------------------- */

static void later_value_replaces(void **state)
{
    (void)state;
    struct spec spec = {.count = 0}, copy;
    struct bench_error error;
    assert_true(spec_set(&spec, "tol", "1e-3", "a:1", &error));
    assert_true(spec_set(&spec, "n", "5", "a:2", &error));
    assert_true(spec_set(&spec, "tol", "1e-4", "b:1", &error));
    assert_int_equal(spec.count, 2);
    assert_string_equal(spec_get(&spec, "tol"), "1e-4");
    assert_string_equal(spec.pair[0].origin, "b:1");
    assert_null(spec_get(&spec, "t"));
    assert_true(spec_copy(&copy, &spec));
    spec_free(&spec);
    assert_string_equal(spec_get(&copy, "n"), "5");
    spec_free(&copy);
}

static void identity_does_not_depend_on_order(void **state)
{
    (void)state;
    struct spec one = {.count = 0}, two = {.count = 0}, none = {.count = 0};
    struct bench_error error;
    assert_true(spec_set(&one, "b", "2", "x", &error) && spec_set(&one, "a", "1", "x", &error));
    assert_true(spec_set(&two, "a", "1", "y", &error) && spec_set(&two, "b", "2", "y", &error));
    char *first = spec_identity(&one), *second = spec_identity(&two), *empty = spec_identity(&none);
    assert_string_equal(first, "a=1 b=2");
    assert_string_equal(second, first);
    assert_string_equal(empty, "");
    free(first);
    free(second);
    free(empty);
    spec_free(&one);
    spec_free(&two);
}

static void malformed_pairs_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"", "1"}, {"1a", "1"},   {"a b", "1"},
                                         {"a", ""}, {"a", "x\ty"}, {"a", "\n"}};
    struct spec spec = {.count = 0};
    struct bench_error error;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        error.text[0] = '\0';
        assert_false(spec_set(&spec, bad[i][0], bad[i][1], "here:7", &error));
        assert_non_null(strstr(error.text, "here:7"));
    }
    assert_int_equal(spec.count, 0);
    char key[16];
    for (int i = 0; i < SPEC_MAX; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_true(spec_set(&spec, key, "1", "x", &error));
    }
    assert_false(spec_set(&spec, "more", "1", "x", &error));
    assert_true(spec_set(&spec, "k0", "2", "x", &error));
    spec_free(&spec);
}

/* ---- words and numbers --------------------------------------------------------------------------------- */

static void nearest_names(void **state)
{
    (void)state;
    static const char *const names[] = {"tol", "rtol",        "tableau",         "max_steps",
                                        "n",   "sample_seed", "discrete_adjoint"};
    static const char *const found[][2] = {{"tl", "tol"},
                                           {"tol ", "tol"},
                                           {"tablaeu", "tableau"},
                                           {"maxsteps", "max_steps"},
                                           {"N", "n"},
                                           {"seed", "sample_seed"},
                                           {"adjoint", "discrete_adjoint"},
                                           {"dicsrete_adjiont", "discrete_adjoint"},
                                           {"RTOL", "rtol"}};
    const size_t count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        const char *near = nearest_name(found[i][0], names, count);
        assert_non_null(near);
        assert_string_equal(near, found[i][1]);
    }
    assert_null(nearest_name("", names, count));
    assert_null(nearest_name("elephant", names, count));
    assert_null(nearest_name("tol", names, 0));
    char endless[3000];
    memset(endless, 't', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(nearest_name(endless, names, count));
}

static void strict_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    " 1",   "1 ",  "1x",       "x",   "0x1", "nan",
                                      "inf", "-inf", "1e",  "1e+-",     "1,5", "--",  "1e999",
                                      ".",   "1..2", "1_0", "\xd9\xa1", "1f",  "e5"};
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1}, {"-1e-3", -1e-3}, {"+.5", .5}, {"5.", 5}, {"1E3", 1000}, {"0", 0}, {"1e-400", 0}};
    double number = 42;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(read_number(bad[i], &number));
    assert_true(number == 42); /* untouched */
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(read_number(good[i].text, &number));
        assert_true(number == good[i].value);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void files_of_numbers(void **state)
{
    (void)state;
    char path[] = "/tmp/sensbench-numbers-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    struct bench_error error;
    double *number = NULL;
    size_t count = 0;
    write_file(path, "# head\n1, 2\t3 # tail 9\r\n\n,,4e0#5\n#end");
    assert_true(read_numbers(path, numbers_any(4), &number, &count, &error));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < 4; i++) assert_true(number[i] == (double)i + 1);
    free(number);
    static const struct {
        const char *text, *message;
        size_t expect;
    } bad[] = {{"1 2\n3\n", ":2: more than the 2 numbers expected: 3", 2},
               {"1 2\n3\n", "4 expected; the last is 3", 4},
               {"1\n\n2x", ":3: '2x'", 0},
               {"", ":1: no number", 0},
               {"1 nan", ":1: 'nan'", 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_file(path, bad[i].text);
        assert_false(read_numbers(path, numbers_any(bad[i].expect), &number, &count, &error));
        assert_non_null(strstr(error.text, bad[i].message));
        assert_non_null(strstr(error.text, path));
    }
    unlink(path);
    assert_false(read_numbers(path, numbers_any(0), &number, &count, &error));
}

/* ---- cells --------------------------------------------------------------------------------------------- */

struct fixture {
    struct sens_ctx ctx;
    struct spec spec;
    struct cell cell;
    struct bench_error error;
};

/* Resolves "key=value key=value ...". */
static sens_status resolve(struct fixture *fx, const char *words)
{
    char text[1024], *rest = NULL;
    memset(&fx->spec, 0, sizeof fx->spec);
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = '\0';
        assert_true(spec_set(&fx->spec, word, equals + 1, "test:1", &fx->error));
    }
    return cell_resolve(&fx->ctx, &fx->spec, &fx->cell, &fx->error);
}

static void release(struct fixture *fx)
{
    spec_free(&fx->spec);
    sens_arena_release(&fx->ctx.arena);
}

static void defaults(void **state)
{
    (void)state;
    struct fixture fx = {.ctx = {.now = NULL}};
    assert_int_equal(resolve(&fx, "problem=glv method=discrete_adjoint"), SENS_OK);
    const struct sens_task *task = &fx.cell.task;
    assert_ptr_equal(task->problem, &fx.cell.problem);
    assert_true(fx.cell.problem.structure && fx.cell.problem.structure->outer);
    assert_string_equal(task->tableau->name, "cash_karp");
    assert_string_equal(task->controller->name, "odeint");
    assert_string_equal(fx.cell.cost.type->name, "identity");
    assert_true(task->rtol == 1e-6 && task->atol == 1e-6 && task->dt == 0 && task->max_steps == 1000000);
    assert_true(sens_ckpt_stages(&task->ckpt) && task->lanes == 0 && task->threads == 0 && task->batch == 0);
    assert_int_equal(task->parts, SENS_IN_FIRST);
    assert_int_equal(fx.cell.truth, TRUTH_AUTO);
    assert_int_equal(fx.cell.seed, 1);
    assert_string_equal(fx.cell.reference_key, "glv n=5 seed=1 kind=random T=10 t1=10 cost=identity");
    release(&fx);
    assert_int_equal(resolve(&fx, "problem=heat method=discrete_adjoint n=4"), SENS_OK);
    assert_int_equal(fx.cell.task.parts, SENS_IN_STATE | SENS_IN_DGDP); /* many states */
    release(&fx);
}

static void every_key(void **state)
{
    (void)state;
    struct fixture fx = {.ctx = {.now = NULL}};
    assert_int_equal(
        resolve(&fx, "problem=glv method=discrete_adjoint n=3 cost=terminal cost.m=2 rho=0.5 tableau=dopri5 "
                     "controller=petsc rtol=1e-4 atol=1e-5 dt=1e-3 ckpt=7 lanes=4 threads=2 batch=16 "
                     "isa=baseline structure=none wrt=x0 t1=2.5 truth=none max_steps=99 sample_seed=3"),
        SENS_OK);
    const struct sens_task *task = &fx.cell.task;
    assert_string_equal(fx.cell.variant->isa, "baseline");
    assert_int_equal(fx.cell.problem.n, 3);
    assert_int_equal(fx.cell.cost.m, 2);
    assert_string_equal(task->tableau->name, "dopri5");
    assert_string_equal(task->controller->name, "petsc");
    assert_true(task->rtol == 1e-4 && task->atol == 1e-5 && task->dt == 1e-3);
    assert_string_equal(task->ckpt.policy->name, "every");
    assert_true(task->ckpt.number == 7);
    assert_true(task->lanes == 4 && task->threads == 2 && task->batch == 16 && task->max_steps == 99);
    assert_int_equal(task->parts, SENS_IN_STATE | SENS_IN_DGDX0);
    assert_true(!fx.cell.problem.structure);
    assert_true(fx.cell.operations.vjp == 2 * 3 * 3); /* what it costs does not change with what is told */
    assert_true(fx.cell.problem.t1 == 2.5 && fx.cell.seed == 3 && fx.cell.truth == TRUTH_NONE);
    assert_string_equal(fx.cell.reference_key,
                        "glv n=3 seed=1 kind=random T=10 t1=2.5 cost=terminal m=2 rho=0.5");
    release(&fx);
    assert_int_equal(resolve(&fx, "problem=decay method=discrete_adjoint ckpt=states atol=1e-9"), SENS_OK);
    assert_string_equal(fx.cell.task.ckpt.policy->name, "every");
    assert_true(fx.cell.task.ckpt.number == 1 && fx.cell.task.rtol == 1e-9);
    release(&fx);
    assert_int_equal(resolve(&fx, "problem=decay method=discrete_adjoint rtol=1e-9"), SENS_OK);
    assert_true(fx.cell.task.atol == 1e-9);
    release(&fx);
}

/* What comes from files: the numbers, an initial state that follows its parameters, and no name of a
 * reference. */
static void numbers_from_files(void **state)
{
    (void)state;
    struct fixture fx = {.ctx = {.now = NULL}};
    char path[] = "/tmp/sensbench-numbers-XXXXXX", words[256];
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    write_file(path, "0.5 7 9"); /* k a b: y(0) = (a, k b) */
    snprintf(words, sizeof words, "problem=initial method=discrete_adjoint params=%s", path);
    assert_int_equal(resolve(&fx, words), SENS_OK);
    assert_true(fx.cell.problem.p[1] == 7 && fx.cell.problem.x0[0] == 7 && fx.cell.problem.x0[1] == 4.5);
    assert_string_equal(fx.cell.reference_key, "");
    assert_string_equal(fx.cell.params_file, path);
    release(&fx);
    write_file(path, "1 0.25  2 0.5"); /* rows t, z */
    snprintf(words, sizeof words, "problem=decay method=discrete_adjoint cost=tracking data=%s", path);
    assert_int_equal(resolve(&fx, words), SENS_OK);
    assert_int_equal(fx.cell.cost.n_obs, 2);
    assert_string_equal(fx.cell.reference_key, "");
    release(&fx);
    assert_int_equal(resolve(&fx, "problem=decay method=discrete_adjoint cost=tracking"), SENS_OK);
    assert_string_equal(
        fx.cell.reference_key,
        "decay k=1 y0=1 T=2 t1=2 cost=tracking count=5 likelihood=off experiment=0 residuals=off");
    release(&fx);
    unlink(path);
}

/* The numbers of the reference key read back as the same doubles. */
static void key_is_exact(void **state)
{
    (void)state;
    struct fixture fx = {.ctx = {.now = NULL}};
    assert_int_equal(resolve(&fx, "problem=decay method=discrete_adjoint k=0.1 y0=0.30000000000000004"),
                     SENS_OK);
    assert_string_equal(fx.cell.reference_key, "decay k=0.1 y0=0.30000000000000004 T=2 t1=2 cost=identity");
    release(&fx);
}

static void statuses_of_refusals(void **state)
{
    (void)state;
    struct fixture fx = {.ctx = {.now = NULL}};
    assert_int_equal(resolve(&fx, "problem=decay"), SENS_BAD_INPUT);
    release(&fx);
    assert_int_equal(resolve(&fx, "problem=decay method=discrete_adjoint isa=avx3"), SENS_BAD_INPUT);
    release(&fx);
    for (const struct sens_registry *const *variant = variant_all(); *variant; variant++) {
        char words[128];
        snprintf(words, sizeof words, "problem=decay method=discrete_adjoint isa=%s", (*variant)->isa);
        assert_int_equal(resolve(&fx, words), variant_supported(*variant) ? SENS_OK : SENS_UNAVAILABLE);
        release(&fx);
    }
}

/* Every refused allocation is SENS_NO_MEMORY with a message. */
static void no_memory(void **state)
{
    (void)state;
    sens_status status = SENS_NO_MEMORY;
    size_t request = 0;
    while (status != SENS_OK) {
        struct fixture fx = {.ctx = {.arena = {.fail_at = ++request}}};
        status = resolve(&fx, "problem=initial method=discrete_adjoint cost=terminal m=2");
        assert_true(status == SENS_OK || (status == SENS_NO_MEMORY && fx.error.text[0]));
        release(&fx);
    }
    assert_true(request > 5);
}

/* ---- the registry -------------------------------------------------------------------------------------- */

static void check_options(const char *name, const struct sens_option *option)
{
    for (size_t i = 0; i < sens_option_count(option); i++) {
        const struct sens_option *o = &option[i];
        for (const struct bench_key *key = bench_keys(); key->name; key++)
            if (strcmp(key->name, o->name) == 0)
                fail_msg("%s: option %s hides behind a key of the harness", name, o->name);
        if (strchr(o->name, '.') || !o->help || !o->help[0])
            fail_msg("%s: option %s: name or help", name, o->name);
        if (o->kind == SENS_OPT_DATA) continue;
        const double max = o->kind == SENS_OPT_CHOICE ? 1e9 : o->max;
        if (!(o->fallback >= o->min && o->fallback <= max)) fail_msg("%s: option %s: default", name, o->name);
    }
}

static void options_of_all_modules(void **state)
{
    (void)state;
    struct bench_error error;
    const struct sens_registry *reg = variant_find("auto", &error);
    for (size_t i = 0; reg->problems[i]; i++)
        check_options(reg->problems[i]->name, reg->problems[i]->options);
    for (size_t i = 0; reg->costs[i]; i++) check_options(reg->costs[i]->name, reg->costs[i]->options);
    for (size_t i = 0; reg->methods[i]; i++) check_options(reg->methods[i]->name, reg->methods[i]->options);
}

/* The defaults of keys resolve for every problem with every method. */
static void every_pair_resolves(void **state)
{
    (void)state;
    struct bench_error error;
    const struct sens_registry *reg = variant_find("auto", &error);
    for (size_t i = 0; reg->problems[i]; i++)
        for (size_t k = 0; reg->methods[k]; k++) {
            char words[256];
            struct fixture fx = {.ctx = {.now = NULL}};
            snprintf(words, sizeof words, "problem=%s method=%s", reg->problems[i]->name,
                     reg->methods[k]->name);
            if (resolve(&fx, words) != SENS_OK) fail_msg("%s: %s", words, fx.error.text);
            assert_true(fx.cell.reference_key[0]);
            release(&fx);
        }
}

static void descriptions(void **state)
{
    (void)state;
    struct bench_error error;
    const struct sens_registry *reg = variant_find("auto", &error);
    const char *name[512];
    const size_t count = show_names(reg, name, 512);
    assert_true(count > 20);
    for (size_t i = 0; i < count; i++) {
        json_t *found = show_describe(reg, name[i]);
        assert_true(json_array_size(found) > 0);
        for (size_t k = 0; k < json_array_size(found); k++) {
            json_t *object = json_array_get(found, k);
            assert_string_equal(json_string_value(json_object_get(object, "name")), name[i]);
            assert_non_null(json_string_value(json_object_get(object, "summary")));
        }
        char *text = json_dumps(found, 0);
        json_t *again = json_loads(text, 0, NULL);
        assert_true(json_equal(found, again));
        free(text);
        json_decref(again);
        json_decref(found);
    }
    json_t *glv = show_describe(reg, "glv");
    const json_t *options = json_object_get(json_array_get(glv, 0), "options");
    assert_int_equal(json_array_size(options), sens_option_count(find_problem(reg, "glv")->options));
    json_decref(glv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_value_replaces),
        cmocka_unit_test(identity_does_not_depend_on_order),
        cmocka_unit_test(malformed_pairs_are_refused),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(strict_numbers),
        cmocka_unit_test(files_of_numbers),
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_key),
        cmocka_unit_test(numbers_from_files),
        cmocka_unit_test(key_is_exact),
        cmocka_unit_test(statuses_of_refusals),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(options_of_all_modules),
        cmocka_unit_test(every_pair_resolves),
        cmocka_unit_test(descriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
