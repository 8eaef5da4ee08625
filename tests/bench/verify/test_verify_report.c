/* The ranking of verify's causes, and its report in all formats. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "testing.h"
#include "verify_demands.h"
#include "verify_report.h"

/* ---- the ranking --------------------------------------------------------------------------------------- */

static struct verify_result failure(const char *module, int blames, const struct verify_blame *blame)
{
    struct verify_result result = {.verdict = VERIFY_FAIL, .check = "first", .value = NAN, .bound = NAN};
    strcpy(result.module, module);
    result.blames = blames;
    for (int i = 0; i < blames; i++) result.blame[i] = blame[i];
    return result;
}

static void causes_are_ranked(void **state)
{
    (void)state;
    const struct verify_blame exact[] = {{"stage_time", 1}, {"missing_weight", 0.4}, {"no_such_cause", 0.4}},
                              vague[] = {{"missing_weight", 0.8}, {"crash", 0.2}},
                              other[] = {{"crash", 0.3}, {"dirty_buffer", 0.3}};
    struct verify_result result[] = {failure("method b", 3, exact), failure("method a", 2, other),
                                     failure("method b", 0, NULL),  failure("method b", 2, vague),
                                     failure("problem c", 0, NULL), failure("method b", 2, exact)};
    result[5].verdict = VERIFY_LIMIT; /* no failure: not counted */
    const struct verify_result *all[] = {&result[0], &result[1], &result[2],
                                         &result[3], &result[4], &result[5]};
    struct ranking ranking;
    assert_true(ranking_create(6, all, &ranking));
    assert_int_equal(ranking.count, 3);
    const struct ranked_module *b = &ranking.module[0], *a = &ranking.module[1], *c = &ranking.module[2];
    assert_string_equal(b->module, "method b");
    assert_int_equal(b->failures, 3);
    assert_int_equal(b->causes, 3);
    assert_string_equal(b->cause[0].name, "stage_time"); /* (1 + 1/2) / 2 = 0.75; (0.8 + 0.6) / 2 = 0.7 */
    assert_float_equal(b->cause[0].score, 0.75, 1e-12);
    assert_string_equal(b->cause[1].name, "missing_weight");
    assert_float_equal(b->cause[1].score, 0.7, 1e-12);
    assert_string_equal(b->cause[2].name, "crash");
    assert_float_equal(b->cause[2].score, 0.15, 1e-12);
    assert_string_equal(a->cause[0].name, "dirty_buffer"); /* equal: the order of causes.h */
    assert_string_equal(a->cause[1].name, "crash");
    assert_int_equal(c->failures, 1);
    assert_int_equal(c->causes, 0);
    ranking_free(&ranking);
}

/* ---- the report ---------------------------------------------------------------------------------------- */

static const char nasty[] = "a < b & \"c\" \\ 'd' # e > f";

static struct verify_result outcome(const char *module, const char *check, enum verify_verdict verdict)
{
    struct verify_result result = {.verdict = verdict, .value = 1, .bound = verdict == VERIFY_FAIL ? 0 : 4};
    strcpy(result.module, module);
    strcpy(result.check, check);
    strcpy(result.subject, nasty);
    if (verdict != VERIFY_PASS) strcpy(result.text, nasty);
    if (verdict == VERIFY_LIMIT) strcat(result.text, "; known limit: stiff");
    return result;
}

static const struct sens_registry registry = {.isa = "none"};
static const struct sens_problem_type x = {.name = "x"};
static const struct sens_method_type y = {.name = "y"};
static const struct verify_check checks[] = {{.id = "sound", .level = VERIFY_TO_ROUNDING},
                                             {.id = "left", .level = VERIFY_TO_ROUNDING},
                                             {.id = "limited", .level = VERIFY_TO_TOLERANCE},
                                             {.id = NULL}};
static const struct verify_group on_problem = {.name = "on_problem",
                                               .kind = VERIFY_PROBLEM,
                                               .checks = checks},
                                 on_method = {.name = "on_method", .kind = VERIFY_METHOD};

/* A report of two units: every verdict, every character. */
static struct verify_report *create_report(void)
{
    static struct verify_report report;
    static struct verify_result first[6], second[1];
    static struct plan_unit planned[] = {{.unit = {.group = &on_problem, .problem = &x}},
                                         {.unit = {.group = &on_method, .method = &y}}};
    static const struct verify_plan plan = {.count = 2, .unit = planned};
    static const struct runner_task task = {.plan = &plan, .reg = &registry};
    static struct runner_unit unit[2];
    const struct verify_choice all = {.problem = NULL};
    first[0] = outcome("problem x", "unit.completes", VERIFY_PASS);
    first[1] = outcome("problem x", "sound", VERIFY_PASS);
    first[2] = outcome("method y", "sound", VERIFY_FAIL);
    first[3] = outcome("problem x", "sound", VERIFY_SKIP);
    first[4] = outcome("problem x", "left", VERIFY_SKIP);
    first[5] = outcome("problem x", "limited", VERIFY_LIMIT);
    first[5].declared = true;
    verify_blame(&first[2], CAUSE_stage_time, 0.5);
    second[0] = outcome("method y", "sound", VERIFY_PASS);
    second[0].value = NAN;
    unit[0] = (struct runner_unit){RUNNER_DONE, 6, 6, first, 0.25};
    unit[1] = (struct runner_unit){RUNNER_WAITING, 1, 1, second, 0.5};
    report = (struct verify_report){.task = &task, .unit = unit, .seconds = 1.5, .interrupted = true};
    assert_true(verify_report_create(&all, &report));
    return &report;
}

static void results_are_folded(void **state)
{
    (void)state;
    struct verify_report *report = create_report();
    char summary[REPORT_SUMMARY];
    assert_int_equal(report->results, 7);
    assert_int_equal(report->lines, 5);
    assert_string_equal(report->line[0].check, "sound");
    assert_int_equal(report_line_verdict(&report->line[0]), VERIFY_PASS);
    report_line_summary(&report->line[0], summary);
    assert_string_equal(summary, "1 case, worst 0.25 of its bound; 1 skipped: a < b & \"c\" \\ 'd' # e > f");
    assert_string_equal(report->line[1].check, "left");
    assert_int_equal(report_line_verdict(&report->line[1]), VERIFY_SKIP);
    report_line_summary(&report->line[2], summary);
    assert_string_equal(summary, "1 known limit: stiff");
    assert_string_equal(report->line[3].check, "unit.completes"); /* the last of its module */
    assert_string_equal(report->line[4].module, "method y");
    report_line_summary(&report->line[4], summary);
    assert_string_equal(summary, "1 of 2 cases fail");
    assert_int_equal(report->count[VERIFY_PASS], 3);
    assert_int_equal(report_units_run(report), 1);
    verify_report_free(report);
}

/* The text that a writer writes, to be freed. */
static char *written(void (*write)(FILE *out, const struct verify_report *report))
{
    char *text = NULL;
    size_t size = 0;
    struct verify_report *report = create_report();
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write(out, report);
    fclose(out);
    verify_report_free(report);
    return text;
}

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("no '%s' in:\n%s", part, text);
}

static void write_json(FILE *out, const struct verify_report *report)
{
    assert_true(verify_write_json(out, report));
}

static void json_parses(void **state)
{
    (void)state;
    char *text = written(write_json);
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!object) fail_msg("line %d: %s", error.line, error.text);
    const json_t *results = json_object_get(object, "results"), *modules = json_object_get(object, "modules");
    assert_int_equal(json_array_size(results), 7);
    const json_t *fails = json_array_get(results, 2);
    assert_string_equal(json_string_value(json_object_get(fails, "verdict")), "fail");
    assert_string_equal(json_string_value(json_object_get(fails, "text")), nasty);
    assert_true(json_is_null(json_object_get(json_array_get(results, 6), "value")));
    assert_int_equal(json_array_size(modules), 1);
    const json_t *cause = json_array_get(json_object_get(json_array_get(modules, 0), "causes"), 0);
    assert_string_equal(json_string_value(json_object_get(cause, "cause")), "stage_time");
    assert_true(json_is_true(json_object_get(object, "interrupted")));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(object, "counts"), "limit")), 1);
    const json_t *level = json_array_get(json_object_get(object, "levels"), 0);
    assert_string_equal(json_string_value(json_object_get(level, "module")), "problem x");
    assert_string_equal(json_string_value(json_object_get(level, "level")), "rounding");
    assert_string_equal(json_string_value(json_object_get(level, "check")), "sound");
    assert_int_equal(json_integer_value(json_object_get(level, "limits_declared")), 1);
    json_decref(object);
    free(text);
}

static void tap_is_escaped(void **state)
{
    (void)state;
    char *text = written(verify_write_tap);
    assert_contains(text, "TAP version 14\n1..5\n");
    assert_contains(text, "ok 2 - problem x: left # SKIP 1 skipped: a < b & \"c\" \\\\ 'd' \\# e > f\n");
    assert_contains(text, "\nnot ok 3 - problem x: limited # TODO 1 known limit: stiff\n");
    assert_contains(text, "\nnot ok 5 - method y: sound: 1 of 2 cases fail\n  ---\n  failures:\n");
    assert_contains(text, "    - subject: \"a < b & \\\"c\\\" \\\\ 'd' # e > f\"\n");
    assert_contains(text, "    - cause: stage_time\n      score: 0.500\n");
    assert_contains(text, "\n  ...\n");
    assert_contains(text, "\n# level rounding: problem x\n# level failed: method y\n");
    assert_contains(text, "Bail out!");
    free(text);
}

/* Every tag is closed by its own name, and no text between tags has a bare & or ". */
static void assert_well_formed(const char *text)
{
    char open[16][32];
    int depth = 0;
    for (const char *c = strchr(text, '\n'); (c = strchr(c, '<')) != NULL; c++) {
        char name[32];
        const char *end = strchr(c, '>');
        assert_non_null(end);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(c + 1, " >/\n"), c + 1);
        if (c[1] == '/') {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(c + 2, ">"), c + 2);
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
    for (const char *c = text; (c = strchr(c, '&')) != NULL; c++)
        assert_true(strncmp(c, "&amp;", 5) == 0 || strncmp(c, "&lt;", 4) == 0 || strncmp(c, "&gt;", 4) == 0 ||
                    strncmp(c, "&quot;", 6) == 0);
}

static void junit_is_well_formed(void **state)
{
    (void)state;
    char *text = written(verify_write_junit);
    assert_well_formed(text);
    assert_contains(
        text, "<testsuites name=\"sensbench verify\" tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"2\"");
    assert_contains(text, "<testcase classname=\"problem x\" name=\"unit.completes\"/>");
    assert_contains(text, "<properties>\n      <property name=\"level\" value=\"rounding\"/>\n");
    assert_contains(text, "<skipped message=\"1 known limit: stiff\"/>");
    assert_contains(text, "message=\"a &lt; b &amp; &quot;c&quot; \\ 'd' # e &gt; f\"");
    free(text);
}

static void write_text(FILE *out, const struct verify_report *report)
{
    verify_write_text(out, report, true);
}

static void text_tells_causes(void **state)
{
    (void)state;
    char *text = written(write_text);
    assert_contains(text, "\nfail  method y   sound           1 of 2 cases fail\n");
    assert_contains(text, "\nmethod y: 1 failure\n  sound, a < b");
    assert_contains(text, "    1. stage times ignore c_i h");
    assert_contains(text, "(stage_time, score 0.50)");
    assert_contains(text, "\n3 passed, 1 failed, 2 skipped, 1 known limits; 1.5 s");
    assert_contains(text, "interrupted: 1 of 2 units");
    assert_contains(text, "\nchecked to rounding:\n  problem x\nfailed:\n  method y\n"
                          "problem x: 1 failure is a limit it declares\n");
    free(text);
}

/* Units that ended and are not listed are not taken for lost ones. */
static void an_interruption_tells_of_support(void **state)
{
    (void)state;
    static struct plan_unit planned[] = {{.unit = {.group = &on_problem, .problem = &x}, .support = true},
                                         {.unit = {.group = &on_method, .method = &y}}};
    static const struct verify_plan plan = {.count = 2, .unit = planned};
    static const struct runner_task task = {.plan = &plan, .reg = &registry};
    struct verify_result passed = outcome("problem x", "sound", VERIFY_PASS);
    struct runner_unit unit[] = {{RUNNER_DONE, 1, 1, &passed, 0.25}, {.state = RUNNER_WAITING}};
    struct verify_report report = {.task = &task, .unit = unit, .interrupted = true};
    const struct verify_choice all = {.problem = NULL};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(verify_report_create(&all, &report));
    verify_write_text(out, &report, false);
    fclose(out);
    assert_contains(text, "0 passed");
    assert_contains(text,
                    "interrupted: 1 of 2 units were not run to their end\n  1 of those that were check");
    verify_report_free(&report);
    free(text);
}

/* ---- skips that may not be ----------------------------------------------------------------------------- */

/* Two units of one module, on which the checks `needed` and `made` are essential; made is made
 * in the second. */
static struct verify_result *demanded(const char *pattern, bool support, struct verify_result result[4])
{
    static const struct verify_check essential[] = {{.id = "needed", .essential = true},
                                                    {.id = "made", .essential = true},
                                                    {.id = "other"},
                                                    {.id = NULL}};
    static const struct verify_group group = {.name = "g", .kind = VERIFY_METHOD, .checks = essential};
    struct plan_unit planned[] = {{.unit = {.group = &group, .method = &y}, .support = support},
                                  {.unit = {.group = &group, .method = &y}, .support = support}};
    const struct verify_plan plan = {.count = 2, .unit = planned};
    const struct verify_choice choice = {.require = pattern};
    struct runner_unit unit[] = {{RUNNER_DONE, 3, 3, result, 0}, {RUNNER_DONE, 1, 1, result + 3, 0}};
    result[0] = outcome("method y", "needed", VERIFY_SKIP);
    result[1] = outcome("method y", "made", VERIFY_SKIP);
    result[2] = outcome("method y", "other", VERIFY_SKIP);
    result[3] = outcome("method y", "made", VERIFY_PASS);
    verify_demand(&plan, &choice, unit);
    return result;
}

static void essential_checks_are_made(void **state)
{
    (void)state;
    struct verify_result kept[4], *result = demanded(NULL, false, kept);
    assert_int_equal(result[0].verdict, VERIFY_FAIL);
    assert_contains(result[0].text, "essential, and was not made: a < b");
    assert_false(result[0].unmade); /* of a module that is never held to it, something is wrong */
    assert_int_equal(result[1].verdict, VERIFY_SKIP); /* made elsewhere */
    assert_int_equal(result[2].verdict, VERIFY_SKIP);
    assert_int_equal(demanded(NULL, true, kept)[0].verdict, VERIFY_SKIP);
}

/* One that was made with a known limit for its result, and skipped where it should hold, is missing. */
static void a_limit_does_not_make_a_check(void **state)
{
    static const struct verify_check essential[] = {{.id = "needed", .essential = true}, {.id = NULL}};
    static const struct verify_group group = {.name = "g", .kind = VERIFY_METHOD, .checks = essential};
    struct plan_unit planned = {.unit = {.group = &group, .method = &y}};
    const struct verify_plan plan = {.count = 1, .unit = &planned};
    const struct verify_choice choice = {.require = NULL};
    struct verify_result result[] = {outcome("method y", "needed", VERIFY_LIMIT),
                                     outcome("method y", "needed", VERIFY_SKIP)};
    struct runner_unit unit = {RUNNER_DONE, 2, 2, result, 0};
    (void)state;
    verify_demand(&plan, &choice, &unit);
    assert_int_equal(result[0].verdict, VERIFY_LIMIT);
    assert_int_equal(result[1].verdict, VERIFY_FAIL);
}

static void required_checks_are_not_skipped(void **state)
{
    (void)state;
    struct verify_result kept[4], *result = demanded("[om]*", false, kept);
    assert_int_equal(result[1].verdict, VERIFY_FAIL); /* each skip, whatever was made elsewhere */
    assert_int_equal(result[2].verdict, VERIFY_FAIL);
    assert_contains(result[2].text, "required, and was not made: a < b");
    assert_true(result[2].unmade);
    assert_int_equal(result[3].verdict, VERIFY_PASS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes_are_ranked),
        cmocka_unit_test(results_are_folded),
        cmocka_unit_test(json_parses),
        cmocka_unit_test(tap_is_escaped),
        cmocka_unit_test(junit_is_well_formed),
        cmocka_unit_test(text_tells_causes),
        cmocka_unit_test(an_interruption_tells_of_support),
        cmocka_unit_test(essential_checks_are_made),
        cmocka_unit_test(a_limit_does_not_make_a_check),
        cmocka_unit_test(required_checks_are_not_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
