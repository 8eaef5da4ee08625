/* The columns of a record that say what its cell is, as opposed to what came out of it. */
#include <math.h>
#include <string.h>

#include "append.h"
#include "machine.h"
#include "measure.h"
#include "operations.h"

static void put_text(struct record *rec, int column, const char *text)
{
    snprintf(rec->text[column], RECORD_TEXT, "%s", text);
}

static void append_option(char *text, const struct sens_option *option, const struct sens_value *value)
{
    const char *gap = text[0] ? " " : "";
    switch (option->kind) {
    case SENS_OPT_CHOICE:
        append(text, RECORD_TEXT, "%s%s=%s", gap, option->name, option->choices[(size_t)value->number]);
        break;
    case SENS_OPT_DATA:
        if (value->count) append(text, RECORD_TEXT, "%s%s=<%zu numbers>", gap, option->name, value->count);
        break;
    case SENS_OPT_INT:
    case SENS_OPT_REAL:
        append(text, RECORD_TEXT, "%s%s=%.15g", gap, option->name, value->number);
        break;
    }
}

static void describe_options(const struct cell *cell, char *text)
{
    const struct {
        const struct sens_option *table;
        const struct sens_value *value;
    } part[] = {{cell->problem.type->options, cell->problem_used},
                {cell->cost_option, cell->cost_value},
                {cell->method->options, cell->method_value}};
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++)
        for (size_t i = 0; i < sens_option_count(part[k].table); i++)
            append_option(text, &part[k].table[i], &part[k].value[i]);
    if (cell->params_file[0]) append(text, RECORD_TEXT, "%sparams=%s", text[0] ? " " : "", cell->params_file);
    if (cell->x0_file[0]) append(text, RECORD_TEXT, "%sx0=%s", text[0] ? " " : "", cell->x0_file);
    if (cell->rtol_file[0]) append(text, RECORD_TEXT, "%srtol=%s", text[0] ? " " : "", cell->rtol_file);
    if (cell->atol_file[0]) append(text, RECORD_TEXT, "%satol=%s", text[0] ? " " : "", cell->atol_file);
}

/* As on the command line; a plain number is every:K. */
static void describe_ckpt(const struct sens_ckpt *ckpt, struct record *rec)
{
    const char *const name = ckpt->policy ? ckpt->policy->name : "stages";
    const bool plain = strcmp(name, "every") == 0;
    if (ckpt->policy && ckpt->policy->numbered)
        snprintf(rec->text[COL_ckpt], RECORD_TEXT, "%s%s%ld", plain ? "" : name, plain ? "" : ":",
                 ckpt->number);
    else
        put_text(rec, COL_ckpt, name);
}

static void describe_task(const struct cell *cell, struct record *rec)
{
    const struct sens_task *task = &cell->task;
    const unsigned caps = cell->method->caps;
    const char *controller = task->controller ? task->controller->name : "";
    const bool fixed = task->controller && !task->controller->adaptive;
    if (task->tableau && (caps & SENS_CAP_TABLEAU)) put_text(rec, COL_tableau, task->tableau->name);
    if (caps & SENS_CAP_CONTROLLER) put_text(rec, COL_controller, controller);
    if (!fixed) rec->number[COL_rtol] = task->rtol;
    if (!fixed) rec->number[COL_atol] = task->atol;
    if (task->dt > 0) rec->number[COL_dt] = task->dt;
    if (caps & SENS_CAP_CKPT) describe_ckpt(&task->ckpt, rec);
    const char *const wrt[] = {"", "p", "x0", "both"};
    put_text(rec, COL_wrt, wrt[sens_parts_wrt(task->parts)]);
}

/* Of the method, and of the derivative products. */
static void describe_library(const struct cell *cell, char *text)
{
    const char *method = cell->method->library ? cell->method->library(cell->method) : "",
               *products = cell->provider ? cell->provider->library() : "";
    snprintf(text, RECORD_TEXT, "%s%s%s", method, *method && *products ? "; " : "", products);
}

void measure_describe(const struct cell *cell, struct record *rec)
{
    record_clear(rec);
    put_text(rec, COL_problem, cell->problem.type->name);
    put_text(rec, COL_cost, cell->cost.type->name);
    put_text(rec, COL_method, cell->method->name);
    put_text(rec, COL_isa, cell->variant->isa);
    put_text(rec, COL_vjp, cell->provider ? cell->provider->name : "hand");
    put_text(rec, COL_cost_vjp, cell->deriver ? "tape" : "hand");
    put_text(rec, COL_rhs, cell->generated_rhs ? "generated" : "own");
    put_text(rec, COL_engine, cell->compiled_steps ? "compiled" : "library");
    put_text(rec, COL_machine, machine_name());
    put_text(rec, COL_git, machine_git());
    put_text(rec, COL_truth, "none");
    put_text(rec, COL_structure, operations_structure(&cell->problem));
    rec->number[COL_n] = (double)cell->problem.n;
    rec->number[COL_np] = (double)cell->problem.np;
    rec->number[COL_m] = (double)cell->cost.m;
    rec->number[COL_seed] = (double)cell->seed;
    rec->number[COL_t1] = cell->problem.t1;
    describe_task(cell, rec);
    describe_library(cell, rec->text[COL_library]);
    static const char *const product[] = {"none", "vjp", "vjp_p", "jvp", "hvp"};
    put_text(rec, COL_product, product[cell->product]);
    put_text(rec, COL_track, cell->controlled ? "controlled" : "natural");
    put_text(rec, COL_series, cell->series);
    describe_options(cell, rec->text[COL_options]);
}

static void add_seconds(double seconds, double *sum)
{
    *sum = seconds + (isnan(*sum) ? 0 : *sum);
}

void measure_engine(const struct cell *cell, struct record *rec)
{
    const struct sens_provider *maker = sens_registry_deriver(cell->variant);
    struct sens_engine_account account = {.by_library = 0};
    if (!cell->problem.engine) return;
    maker->account_engine(cell->problem.engine, &account);
    add_seconds(account.t_record, &rec->number[COL_t_record_s]);
    add_seconds(account.t_generate, &rec->number[COL_t_generate_s]);
    add_seconds(account.t_compile, &rec->number[COL_t_compile_s]);
    if (account.by_library > 0) snprintf(rec->text[COL_engine], RECORD_TEXT, "compiled+library");
}
