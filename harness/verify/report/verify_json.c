/* The report as one JSON object. Numbers that JSON has no word for are null. */
#include "build_info.h"
#include "json.h"
#include "machine.h"
#include "verify_report.h"

static json_t *blames(const struct verify_result *result)
{
    json_t *array = json_array();
    for (int i = 0; i < result->blames; i++)
        json_array_append_new(array, json_pack("{s:s, s:o}", "cause", result->blame[i].cause, "weight",
                                               json_of_number(result->blame[i].weight)));
    return array;
}

static json_t *one_result(const struct verify_result *result)
{
    return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "check", result->check, "module",
                     json_of_text(result->module), "subject", json_of_text(result->subject), "verdict",
                     verdict_word(result->verdict), "value", json_of_number(result->value), "bound",
                     json_of_number(result->bound), "text", json_of_text(result->text), "blames",
                     blames(result));
}

static json_t *all_results(const struct verify_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->results; i++) json_array_append_new(array, one_result(report->result[i]));
    return array;
}

static json_t *one_module(const struct ranked_module *module)
{
    json_t *array = json_array();
    for (size_t i = 0; i < module->causes; i++)
        json_array_append_new(array, json_pack("{s:s, s:f, s:s}", "cause", module->cause[i].name, "score",
                                               module->cause[i].score, "sentence",
                                               cause_sentence(module->cause[i].name)));
    return json_pack("{s:s, s:I, s:o}", "module", module->module, "failures", (json_int_t)module->failures,
                     "causes", array);
}

static json_t *failing_modules(const struct verify_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->ranking.count; i++)
        json_array_append_new(array, one_module(&report->ranking.module[i]));
    return array;
}

static json_t *levels(const struct verify_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->lines; i++) {
        if (!report_begins(report, i)) continue;
        const struct report_level level = report_level_of(report, report->line[i].module);
        json_array_append_new(array, json_pack("{s:s, s:s, s:s?, s:I}", "module", level.module, "level",
                                               report_level_name(&level), "check", level.check,
                                               "limits_declared", (json_int_t)level.declared));
    }
    return array;
}

static const char *state_word(enum runner_state state)
{
    return state == RUNNER_DONE ? "done" : state == RUNNER_SKIPPED ? "skipped" : "not run";
}

static json_t *all_units(const struct verify_report *report)
{
    const struct verify_plan *plan = report->task->plan;
    json_t *array = json_array();
    for (size_t u = 0; u < plan->count; u++) {
        char name[VERIFY_SUBJECT];
        verify_unit_name(&plan->unit[u].unit, name);
        json_array_append_new(array, json_pack("{s:s, s:o, s:s, s:f}", "group",
                                               plan->unit[u].unit.group->name, "modules", json_of_text(name),
                                               "state", state_word(report->unit[u].state), "seconds",
                                               report->unit[u].seconds));
    }
    return array;
}

static json_t *counts(const struct verify_report *report)
{
    json_t *object = json_object();
    for (int verdict = 0; verdict < VERDICTS; verdict++)
        json_object_set_new(object, verdict_word((enum verify_verdict)verdict),
                            json_integer((json_int_t)report->count[verdict]));
    return object;
}

bool verify_write_json(FILE *out, const struct verify_report *report)
{
    const struct runner_task *task = report->task;
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:I, s:b, s:s, s:f, s:b, s:o, s:o, s:o, s:o, s:o}", "version", SENS_VERSION_TEXT,
        "git", machine_git(), "isa", task->reg->isa, "seed", (json_int_t)task->seed, "quick",
        (int)task->quick, "options", task->given ? task->given : "", "seconds", report->seconds,
        "interrupted", (int)report->interrupted, "counts", counts(report), "modules", failing_modules(report),
        "levels", levels(report), "results", all_results(report), "units", all_units(report));
    if (!object) return false;
    json_dumpf(object, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(object);
    return true;
}
