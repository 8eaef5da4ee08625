/* sensbench advise: which scheme, mode and tolerance to take, from a few runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "append.h"
#include "cli.h"
#include "exit_codes.h"
#include "files.h"
#include "locate.h"
#include "streams.h"
#include "tables.h"

struct advising {
    struct cli_arguments *arguments;
    struct advise_request request;
    struct advice advice;
    struct tables tables;
    bool json, dry_run;
    struct bench_error error;
};

/* ---- what is asked ------------------------------------------------------------------------------------- */

static bool read_between(const char *flag, const char *text, double low, double high, double *number,
                         struct bench_error *error)
{
    return !text || (read_number(text, number) && *number >= low && *number <= high) ||
           bench_refuse(error, "%s %s: not a number from %g to %g", flag, text, low, high);
}

static bool read_unit(struct advising *me, const char *text)
{
    if (!text || strcmp(text, "time") == 0) return true;
    me->request.unit = ADVISE_OPERATIONS;
    return strcmp(text, "operations") == 0 ||
           bench_refuse(&me->error, "--by %s: not time or operations", text);
}

static bool read_request(struct advising *me, const struct cli_command *command)
{
    static const char *const chosen[] = {"method", "tableau",    "tol",     "rtol",
                                         "atol",   "controller", "product", NULL};
    struct cli_arguments *const given = me->arguments;
    for (size_t i = 0; chosen[i]; i++)
        if (spec_get(&given->spec, chosen[i]))
            return bench_refuse(&me->error, "advise: %s=%s: that is what it is asked for", chosen[i],
                                spec_get(&given->spec, chosen[i]));
    if (given->words != 1)
        return given->words
                   ? bench_refuse(&me->error, "advise: unexpected word '%s'", given->word[1])
                   : bench_refuse(&me->error, "advise: on which problem? see sensbench advise --help");
    me->request = (struct advise_request){.spec = &given->spec, .error = 1e-6, .seconds = 20};
    me->json = cli_flag(command, given, "--json");
    me->dry_run = cli_flag(command, given, "--dry-run");
    return read_between("--error", cli_flag(command, given, "--error"), 1e-10, 1e-1, &me->request.error,
                        &me->error) &&
           read_between("--seconds", cli_flag(command, given, "--seconds"), 1, 1e5, &me->request.seconds,
                        &me->error) &&
           read_unit(me, cli_flag(command, given, "--by")) &&
           spec_set(&given->spec, "problem", given->word[0], "command line", &me->error);
}

/* ---- what is told -------------------------------------------------------------------------------------- */

static const char *mode_of(const struct advise_row *row)
{
    return strcmp(row->method, "discrete_adjoint") == 0 ? "adjoint" : "forward";
}

static void write_row(struct advising *me, const struct advise_row *row, const char *note)
{
    table_text(&me->tables, mode_of(row));
    table_text(&me->tables, row->implicit ? "implicit" : "explicit");
    table_text(&me->tables, row->tableau);
    table_number(&me->tables, row->tol);
    table_text(&me->tables, row->status);
    table_number(&me->tables, row->error);
    table_count(&me->tables, (size_t)row->steps);
    table_number(&me->tables, row->cost);
    table_number(&me->tables, row->lo);
    table_number(&me->tables, row->hi);
    table_text(&me->tables, note);
    table_row_end(&me->tables);
}

static void write_rows(struct advising *me)
{
    const struct advice *const advice = &me->advice;
    const bool timed = me->request.unit == ADVISE_SECONDS;
    const char *const columns[] = {"mode",   "scheme", "tableau", "tol",
                                   "status", "error",  "steps",   timed ? "seconds" : "operations",
                                   "low",    "high",   "note",    NULL};
    table_begin(&me->tables, "rows", "every run; error: of the gradient, relative, against the reference",
                columns);
    for (size_t r = 0; r < advice->rows; r++) {
        const char *note = r == advice->other ? "the other mode" : "";
        for (size_t s = 0; s < ADVISE_SCHEMES; s++)
            if (advice->scheme[s] == r) note = "reaches the error";
        write_row(me, &advice->row[r], r == advice->best ? "cheapest of its mode" : note);
    }
    table_end(&me->tables);
}

/* The cheapest row of a family, or ADVISE_ROWS. */
static size_t cheapest(const struct advice *advice, bool implicit)
{
    size_t found = ADVISE_ROWS;
    for (size_t s = 0; s < ADVISE_SCHEMES; s++) {
        const size_t r = advice->scheme[s];
        if (r < ADVISE_ROWS && advice->row[r].implicit == implicit &&
            (found == ADVISE_ROWS || advice->row[r].cost < advice->row[found].cost))
            found = r;
    }
    return found;
}

/* One answer: what is taken, what would be instead, how many times more that costs. */
static void write_choice(struct advising *me, const char *question, const char *taken, const char *instead,
                         const struct advise_row *a, const struct advise_row *b)
{
    table_text(&me->tables, question);
    table_text(&me->tables, taken);
    table_text(&me->tables, instead);
    table_number(&me->tables, b ? b->cost / a->cost : NAN);
    table_text(&me->tables, !b                                     ? "the other does not reach the error"
                            : advise_apart(me->request.unit, a, b) ? "separable"
                                                                   : "not separable");
    table_row_end(&me->tables);
}

static const struct advise_row *row_at(const struct advice *advice, size_t row)
{
    return row < ADVISE_ROWS ? &advice->row[row] : NULL;
}

/* The row that is taken: the cheapest scheme in the cheaper mode. */
static const struct advise_row *taken(const struct advice *advice)
{
    const struct advise_row *const best = &advice->row[advice->best], *const other =
                                                                          row_at(advice, advice->other);
    return other && other->cost < best->cost ? other : best;
}

static void write_advice(struct advising *me)
{
    static const char *const columns[] = {"question", "take", "instead", "costs_more", "verdict", NULL};
    const struct advice *const advice = &me->advice;
    const struct advise_row *const best = &advice->row[advice->best], *const mode = taken(advice);
    char tol[32];
    table_begin(&me->tables, "advice", "what to take, and how many times more the other costs", columns);
    write_choice(me, "scheme", best->implicit ? "implicit" : "explicit",
                 best->implicit ? "explicit" : "implicit", best,
                 row_at(advice, cheapest(advice, !best->implicit)));
    write_choice(me, "mode", mode_of(mode), strcmp(mode_of(mode), "adjoint") == 0 ? "forward" : "adjoint",
                 mode, mode == best ? row_at(advice, advice->other) : best);
    snprintf(tol, sizeof tol, "%.0e", best->tol);
    table_text(&me->tables, "tolerance");
    table_text(&me->tables, tol);
    table_text(&me->tables, "");
    table_number(&me->tables, NAN);
    table_text(&me->tables, "the loosest power of ten that reaches the error");
    table_row_end(&me->tables);
    table_end(&me->tables);
}

static void write_crossing(struct advising *me, const char *what, double here, double there, const char *how)
{
    table_text(&me->tables, what);
    table_number(&me->tables, here);
    table_number(&me->tables, there);
    table_text(&me->tables, how);
    table_row_end(&me->tables);
}

static void write_crossover(struct advising *me)
{
    static const char *const columns[] = {"quantity", "here", "crossover", "modelled", NULL};
    const struct advice *const advice = &me->advice;
    const struct advise_crossover found = advise_crossover(advice);
    table_begin(
        &me->tables, "crossover",
        "where both modes cost the same, from one run of each: forward = state + P b, adjoint = state + m d",
        columns);
    write_crossing(me, "P", advice->columns, found.columns, "adjoint above, m as here");
    write_crossing(me, "m", advice->m, found.outputs, "forward above, P as here");
    write_crossing(me, "n", (double)advice->n, found.states, "adjoint above, if P grows as n and m does not");
    table_end(&me->tables);
}

enum { COMMAND_TEXT = 2 * DATA_PATH };

/* A blank and a word of the command. */
static void put_word(char text[COMMAND_TEXT], const char *key, const char *value)
{
    char word[COMMAND_TEXT];
    snprintf(word, sizeof word, "%s%s", key, value);
    append(text, COMMAND_TEXT, " ");
    append_word(text, COMMAND_TEXT, word);
}

static void write_command(struct advising *me)
{
    static const char *const columns[] = {"command", NULL};
    const struct spec *const spec = &me->arguments->spec;
    const struct advise_row *const row = taken(&me->advice);
    char text[COMMAND_TEXT] = "sensbench run", word[96];
    put_word(text, "", spec_get(spec, "problem"));
    put_word(text, "", row->method);
    put_word(text, "tableau=", row->tableau);
    snprintf(word, sizeof word, "%.0e", row->tol);
    put_word(text, "tol=", word);
    for (size_t i = 0; i < spec->count; i++) {
        if (strcmp(spec->pair[i].key, "problem") == 0) continue;
        snprintf(word, sizeof word, "%s=", spec->pair[i].key);
        put_word(text, word, spec->pair[i].value);
    }
    for (size_t i = 0; i < me->arguments->loads; i++) {
        snprintf(word, sizeof word, "%s=", me->arguments->load[i].flag);
        put_word(text, word, me->arguments->load[i].value);
    }
    table_begin(&me->tables, "command", "to take", columns);
    table_text(&me->tables, text);
    table_row_end(&me->tables);
    table_end(&me->tables);
}

static json_t *about(const struct advising *me)
{
    json_t *const object = json_object();
    char budget[96];
    snprintf(budget, sizeof budget, "at most %zu runs, about %g s", advise_runs(), me->request.seconds);
    json_object_set_new(object, "problem", json_of_text(spec_get(&me->arguments->spec, "problem")));
    json_object_set_new(object, "wanted error", json_of_number(me->request.error));
    json_object_set_new(object, "by",
                        json_of_text(me->request.unit == ADVISE_SECONDS ? "time" : "operations"));
    json_object_set_new(object, "budget", json_of_text(budget));
    if (me->dry_run) return object;
    json_object_set_new(object, "reference known to", json_of_number(me->advice.known));
    json_object_set_new(object, "measured",
                        json_of_text(me->advice.complete ? "all" : "not all: the time was used up"));
    return object;
}

static sens_status answer(struct advising *me)
{
    sens_status status = SENS_OK;
    if (!me->dry_run) {
        complain_line("advise: at most %zu runs, about %g s; --seconds, --dry-run", advise_runs(),
                      me->request.seconds);
        status = advise_measure(&me->request, &me->advice, &me->error);
    }
    if (status != SENS_OK && !me->advice.rows) return status;
    tables_begin(&me->tables, our_stdout(), me->json, about(me));
    if (!me->dry_run) write_rows(me);
    if (!me->dry_run && status == SENS_OK) {
        write_advice(me);
        write_crossover(me);
        write_command(me);
    }
    tables_end(&me->tables, true);
    return status;
}

int cmd_advise(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct advising *const me = calloc(1, sizeof *me);
    if (!me) return EXIT_SOLVER;
    me->arguments = arguments;
    int code = EXIT_USAGE;
    if (!read_request(me, command)) {
        cli_complain(&me->error, code);
    } else {
        const sens_status status = answer(me);
        code = status == SENS_OK ? EXIT_OK : cli_complain(&me->error, cli_exit_code(status));
    }
    free(me);
    return code;
}
