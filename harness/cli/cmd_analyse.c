/* sensbench analyse: S(t) of one problem, and what follows from it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"
#include "cli.h"
#include "exit_codes.h"
#include "files.h"
#include "fits.h"
#include "machine.h"
#include "measure.h"
#include "names.h"
#include "questions.h"
#include "streams.h"

struct analyse {
    struct cli_arguments *arguments;
    const struct question *question;          /* of S(t), or */
    const struct fit_question *data_question; /* of data */
    struct analysis_request request;
    struct fit_request fit;
    const char *save, *experiments;
    bool unsaved; /* save could not be written */
    bool json, dry_run;
    struct sens_ctx ctx;
    struct experiments made;
    struct cell *cell; /* the first */
    struct analysis analysis;
    struct fit_model model;
    struct tables tables;
    struct bench_error error;
};

static const struct question *find_question(const char *name)
{
    const struct question *question = questions();
    while (question->name && strcmp(question->name, name) != 0) question++;
    return question->name ? question : NULL;
}

static const struct fit_question *find_data_question(const char *name)
{
    const struct fit_question *question = fit_questions();
    while (question->name && strcmp(question->name, name) != 0) question++;
    return question->name ? question : NULL;
}

static bool refuse_question(struct analyse *me, const char *word)
{
    const char *known[16];
    char listed[256] = "";
    size_t count = 0;
    for (const struct question *question = questions(); question->name && count < 12; question++)
        known[count++] = question->name;
    for (const struct fit_question *question = fit_questions(); question->name && count < 16; question++)
        known[count++] = question->name;
    for (size_t q = 0; q < count; q++) {
        const size_t used = strlen(listed);
        snprintf(listed + used, sizeof listed - used, "%s%s", q ? ", " : "", known[q]);
    }
    const char *const near = nearest_name(word, known, count);
    return bench_refuse(&me->error, "analyse: unknown question '%s'%s%s; questions: %s", word,
                        near ? "; did you mean " : "", near ? near : "", listed);
}

static bool take_words(struct analyse *me)
{
    struct cli_arguments *const given = me->arguments;
    if (given->words > 2)
        return bench_refuse(&me->error, "analyse: unexpected word '%s'; values are given as key=value",
                            given->word[2]);
    if (given->words == 0)
        return bench_refuse(&me->error, "analyse: which problem? see sensbench analyse --help");
    me->question = given->words > 1 ? find_question(given->word[1]) : questions();
    if (!me->question) me->data_question = find_data_question(given->word[1]);
    if (!me->question && !me->data_question) return refuse_question(me, given->word[1]);
    if (me->question && me->question->needs_sigma && !me->request.sigma)
        return bench_refuse(&me->error, "analyse %s: how large are the errors of the data? --sigma",
                            me->question->name);
    if (me->question && !me->question->needs_sigma && me->request.sigma)
        return bench_refuse(&me->error, "analyse %s: --sigma is for uncertainty", me->question->name);
    return spec_set(&given->spec, "problem", given->word[0], "command line", &me->error);
}

/* Keys that are not given: an analysis has defaults of its own. */
static bool set_defaults(struct analyse *me)
{
    static const char *const lone[][2] = {{"wrt", "p"}, {"truth", "none"}};
    static const char *const tangent[][2] = {{"method", "discrete_tangent"}, {"tableau", "radau_iia5"}};
    static const char *const tolerance[][2] = {{"rtol", "1e-8"}, {"atol", "1e-12"}};
    struct spec *const spec = &me->arguments->spec;
    const bool own_method = !spec_get(spec, "method");
    const char *const controller = spec_get(spec, "controller");
    const bool own_tolerance = !spec_get(spec, "tol") && !spec_get(spec, "rtol") && !spec_get(spec, "atol") &&
                               !(controller && strcmp(controller, "fixed") == 0); /* refused for that alone */
    bool good = true;
    for (size_t i = 0; i < 2; i++) {
        const struct {
            bool wanted;
            const char *const *pair;
        } set[] = {{!spec_get(spec, lone[i][0]), lone[i]},
                   {own_method && !spec_get(spec, tangent[i][0]), tangent[i]},
                   {own_tolerance, tolerance[i]}};
        for (size_t s = 0; s < 3 && good; s++)
            good = !set[s].wanted ||
                   spec_set(spec, set[s].pair[0], set[s].pair[1], "default of analyse", &me->error);
    }
    return good;
}

static bool read_memory(struct analyse *me, const char *text)
{
    double mebibytes = 1024;
    if (text && (!read_number(text, &mebibytes) || !(mebibytes >= 1) || mebibytes > 1 << 20))
        return bench_refuse(&me->error, "--memory %s: not a number of MiB from 1 to %d", text, 1 << 20);
    me->request.memory = (size_t)(mebibytes * 1048576);
    return true;
}

static bool read_subsets(struct analyse *me, const char *text)
{
    me->request.subsets = 100000;
    if (!text) return true;
    return (read_number(text, &me->request.subsets) && me->request.subsets >= 1 &&
            me->request.subsets <= 1e9) ||
           bench_refuse(&me->error, "--subsets %s: not a number from 1 to 1e9", text);
}

static bool read_scale(struct analyse *me, const char *text)
{
    if (!text) return true;
    const bool largest = strcmp(text, "largest") == 0;
    if (!largest && strcmp(text, "value") != 0)
        return bench_refuse(&me->error, "--scale %s: not value or largest", text);
    me->request.scale = largest ? SCALE_LARGEST : SCALE_VALUE;
    return true;
}

static bool takes(const char *flags, const char *flag)
{
    return flags && strstr(flags, flag);
}

static bool refuse_flag(struct analyse *me, const char *asked, const char *flag)
{
    char who[256] = "";
    for (const struct question *q = questions(); q->name; q++)
        if (takes(q->takes, flag)) append(who, sizeof who, "%s%s", who[0] ? ", " : "", q->name);
    for (const struct fit_question *q = fit_questions(); q->name; q++)
        if (takes(q->takes, flag)) append(who, sizeof who, "%s%s", who[0] ? ", " : "", q->name);
    return bench_refuse(&me->error, "analyse %s: %s is for %s", asked, flag, who);
}

/* Flags that some questions take, of those of their kind. */
static bool check_question(struct analyse *me, const struct cli_command *command)
{
    static const char *const some[] = {"--scale", "--subsets", "--range", NULL};
    const char *const asked = me->question ? me->question->name : me->data_question->name;
    const char *const taken = me->question ? me->question->takes : me->data_question->takes;
    for (size_t f = 0; some[f]; f++)
        if (cli_flag(command, me->arguments, some[f]) && !takes(taken, some[f]))
            return refuse_flag(me, asked, some[f]);
    return true;
}

/* What is of the other kind of question is refused, not overlooked. */
static bool check_flags(struct analyse *me, const struct cli_command *command)
{
    static const char *const of_grids[] = {"--times", "--states", "--scale", "--sigma", "--subsets", NULL};
    static const char *const of_data[] = {"--log", "--level", "--range", "--save", "--experiments", NULL};
    const char *const *const refused = me->data_question ? of_grids : of_data;
    for (size_t f = 0; refused[f]; f++)
        if (cli_flag(command, me->arguments, refused[f]))
            return bench_refuse(&me->error, "analyse %s: %s is %s",
                                me->arguments->words > 1 ? me->arguments->word[1] : "sensitivities",
                                refused[f],
                                me->data_question ? "of no use: the data say when, of what and how exactly"
                                                  : "for fit and profile");
    return check_question(me, command);
}

static bool read_fit(struct analyse *me, const struct cli_command *command)
{
    const struct cli_arguments *const given = me->arguments;
    me->fit.parameters = me->request.parameters;
    me->fit.memory = me->request.memory;
    me->fit.log = cli_flag(command, given, "--log");
    me->fit.level = cli_flag(command, given, "--level");
    me->fit.range = cli_flag(command, given, "--range");
    me->save = cli_flag(command, given, "--save");
    me->experiments = cli_flag(command, given, "--experiments");
    if (!me->data_question) return true;
    return spec_set(&me->arguments->spec, "cost", "tracking", "analyse", &me->error);
}

static bool read_request(struct analyse *me, const struct cli_command *command)
{
    const struct cli_arguments *const given = me->arguments;
    me->json = cli_flag(command, given, "--json");
    me->dry_run = cli_flag(command, given, "--dry-run");
    me->request.times = cli_flag(command, given, "--times");
    me->request.states = cli_flag(command, given, "--states");
    me->request.parameters = cli_flag(command, given, "--parameters");
    me->request.sigma = cli_flag(command, given, "--sigma");
    if (spec_get(&given->spec, "cost"))
        return bench_refuse(&me->error, "analyse: cost=%s: an analysis is of the states themselves",
                            spec_get(&given->spec, "cost"));
    return read_memory(me, cli_flag(command, given, "--memory")) &&
           read_scale(me, cli_flag(command, given, "--scale")) &&
           read_subsets(me, cli_flag(command, given, "--subsets")) && take_words(me) &&
           check_flags(me, command) && set_defaults(me) && read_fit(me, command);
}

static void about_grid(const struct analyse *me, json_t *object)
{
    const struct analysis *const analysis = &me->analysis;
    char memory[128];
    snprintf(memory, sizeof memory, "%.3g MiB for S and x, at most %.0f MiB with what the method keeps",
             analysis_bytes(analysis) / 1048576, (double)me->request.memory / 1048576);
    json_object_set_new(object, "times", json_integer((json_int_t)analysis->grid.times));
    json_object_set_new(object, "last time", json_of_number(analysis->grid.t[analysis->grid.times - 1]));
    json_object_set_new(object, "memory", json_of_text(memory));
}

static void about_data(const struct analyse *me, json_t *object)
{
    const struct fit_model *const model = &me->model;
    double last = -INFINITY;
    size_t times = 0;
    for (size_t q = 0; q < model->parts; q++) {
        last = fmax(last, (double)model->part[q].cell->problem.t1);
        times += model->part[q].cell->cost.n_obs;
    }
    if (me->experiments) json_object_set_new(object, "experiments", json_integer((json_int_t)model->parts));
    json_object_set_new(object, "measurements", json_integer((json_int_t)model->measurements));
    json_object_set_new(object, "times", json_integer((json_int_t)times));
    json_object_set_new(object, "last time", json_of_number(last));
    json_object_set_new(object, "level", json_of_number(model->level));
    json_object_set_new(object, "fitted in", json_of_text(model->log ? "logarithms" : "the parameters"));
}

/* What the tables are of. */
static json_t *about(const struct analyse *me)
{
    const struct cell *const cell = me->cell;
    json_t *const object = json_object();
    json_object_set_new(object, "problem", json_of_text(cell->problem.type->name));
    json_object_set_new(object, "n", json_integer((json_int_t)cell->problem.n));
    json_object_set_new(object, "np", json_integer((json_int_t)cell->problem.np));
    if (me->question) about_grid(me, object);
    if (me->data_question) about_data(me, object);
    json_object_set_new(object, "method", json_of_text(cell->method->name));
    if (cell->method->caps & SENS_CAP_TABLEAU)
        json_object_set_new(object, "tableau", json_of_text(cell->task.tableau->name));
    json_object_set_new(object, "rtol", json_of_number((double)cell->task.rtol));
    json_object_set_new(object, "atol", json_of_number((double)cell->task.atol));
    return object;
}

static sens_status prepare(struct analyse *me)
{
    if (me->data_question) return fit_model_create(&me->ctx, &me->made, &me->fit, &me->model, &me->error);
    return analysis_plan(&me->ctx, me->cell, &me->request, &me->analysis, &me->error);
}

static sens_status refuse_save(struct analyse *me)
{
    me->unsaved = true;
    bench_refuse(&me->error, "--save %s: %s", me->save, strerror(errno));
    return SENS_IO_ERROR;
}

/* Before a fit that may take long: nothing is left there. */
static sens_status try_save(struct analyse *me)
{
    struct successor made;
    if (!me->save || is_stream(me->save)) return SENS_OK;
    if (!successor_open(&made, me->save)) return refuse_save(me);
    successor_close(&made, false);
    return SENS_OK;
}

/* All parameters of the model, where the fit left them. */
static sens_status save(struct analyse *me)
{
    const struct fit_model *const model = &me->model;
    struct successor made;
    const bool open = successor_open(&made, me->save);
    for (size_t k = 0; open && k < me->cell->problem.np; k++)
        fprintf(made.file, "%.17g\n", (double)model->p[k]);
    return open && successor_close(&made, true) ? SENS_OK : refuse_save(me);
}

static sens_status ask(struct analyse *me)
{
    if (me->dry_run) return SENS_OK;
    if (me->question) return me->question->answer(&me->ctx, &me->analysis, &me->tables, &me->error);
    const sens_status status = me->data_question->answer(&me->ctx, &me->model, &me->tables, &me->error);
    return status == SENS_OK && me->save ? save(me) : status;
}

/* Nothing is written before there is a table to write. */
static sens_status answer(struct analyse *me)
{
    sens_status status = SENS_OK;
    if (!me->dry_run && me->question) status = analysis_solve(&me->ctx, &me->analysis, &me->error);
    if (status != SENS_OK) return status;
    char warning[512];
    for (size_t q = 0; q < me->made.count && !me->dry_run; q++)
        if (frozen_at_rest(&me->ctx, &me->made.cell[q], warning, sizeof warning))
            complain_line("warning: %s", warning);
    tables_begin(&me->tables, our_stdout(), me->json, about(me));
    status = ask(me);
    tables_end(&me->tables, status == SENS_OK);
    if (!me->tables.failed || status != SENS_OK) return status;
    bench_refuse(&me->error, "no_memory: the tables above are not complete");
    return SENS_NO_MEMORY;
}

static int execute(struct analyse *me, const struct cli_command *command)
{
    if (!read_request(me, command)) return cli_complain(&me->error, EXIT_USAGE);
    machine_prepare(&me->ctx, true);
    sens_status status = me->dry_run ? SENS_OK : try_save(me);
    if (status == SENS_OK)
        status = experiments_read(&me->ctx, me->experiments, &me->arguments->spec, &me->made, &me->error);
    me->cell = me->made.cell;
    if (status == SENS_OK) status = prepare(me);
    if (status == SENS_OK) status = answer(me);
    if (status == SENS_OK) return EXIT_OK;
    return cli_complain(&me->error, me->unsaved ? EXIT_CHECK : cli_exit_code(status));
}

int cmd_analyse(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct analyse *const me = calloc(1, sizeof *me);
    if (!me) return EXIT_SOLVER;
    me->arguments = arguments;
    const int code = execute(me, command);
    sens_arena_release(&me->ctx.arena);
    free(me);
    return code;
}
