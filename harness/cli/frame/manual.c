/* The manual page, in troff (man macros), from the tables of commands, keys and modules. */
#include <string.h>

#include "build_info.h"
#include "cli.h"
#include "modules.h"
#include "peers.h"
#include "values.h"

/* Text as it is to be read: no control line, no escape, hyphens that can be copied. */
static void put(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\\')
            fputs("\\e", out);
        else if (*c == '-')
            fputs("\\-", out);
        else if (*c == '\'')
            fputs("\\(aq", out);
        else if (*c == '.' && c == text)
            fputs("\\&.", out);
        else
            fputc(*c, out);
    }
}

/* A tagged paragraph: tag in bold, value in italics. */
static void put_tag(FILE *out, const char *name, const char *value)
{
    fputs(".TP\n\\fB", out);
    put(out, name);
    fputs("\\fR", out);
    if (value && value[0]) {
        fputs(" \\fI", out);
        put(out, value);
        fputs("\\fR", out);
    }
    fputs("\n", out);
}

static void put_line(FILE *out, const char *text)
{
    put(out, text);
    fputs("\n", out);
}

static void write_commands(FILE *out)
{
    const struct cli_flag *flag;
    fputs(".SH COMMANDS\n", out);
    for (const struct cli_command *command = cli_commands(); command->name; command++) {
        fputs(".SS ", out);
        put(out, command->name);
        fputs(" ", out);
        put_line(out, command->arguments);
        put_line(out, command->summary);
        for (int i = 0; (flag = cli_flag_at(command, i)); i++) {
            put_tag(out, flag->name, flag->value);
            put_line(out, flag->help);
        }
        for (size_t i = 0; command->notes && command->notes[i]; i++) {
            fputs(".PP\n", out);
            put_line(out, command->notes[i]);
        }
    }
}

static void write_keys(FILE *out)
{
    char range[RANGE_TEXT];
    fputs(".SH KEYS\nOf \\fBrun\\fR, \\fBtruth\\fR and sweep files, beside the options of the problem, the "
          "cost and the "
          "method. A plain key is one of these, else an option of the first of problem, cost and method that "
          "has it; "
          "\\fBproblem.\\fR\\fIKEY\\fR, \\fBcost.\\fR\\fIKEY\\fR and \\fBmethod.\\fR\\fIKEY\\fR say whose "
          "option is "
          "meant.\n",
          out);
    for (const struct bench_key *key = bench_keys(); key->name; key++) {
        put_tag(out, key->name, key->fallback);
        put(out, key->help);
        put(out, "; ");
        put_line(out, key_range(key, range));
    }
}

static void write_module(FILE *out, const char *name, const char *summary, const struct sens_option *options)
{
    char text[RANGE_TEXT];
    put_tag(out, name, NULL);
    put_line(out, summary);
    if (!options || sens_option_count(options) == 0) return;
    fputs(".RS\n", out);
    for (size_t i = 0; i < sens_option_count(options); i++) {
        put_tag(out, options[i].name, option_text(&options[i], options[i].fallback, text));
        put(out, options[i].help);
        put(out, "; ");
        put_line(out, option_range(&options[i], text));
    }
    fputs(".RE\n", out);
}

static void write_modules(FILE *out)
{
    struct bench_error error;
    const struct sens_registry *reg = variant_find("auto", &error);
    peer_load_matching(PEER_METHOD, NULL, &error); /* those that this build has */
    fputs(".SH PROBLEMS\n", out);
    for (size_t i = 0; reg->problems[i]; i++)
        write_module(out, reg->problems[i]->name, reg->problems[i]->summary, reg->problems[i]->options);
    fputs(".SH COSTS\n", out);
    for (size_t i = 0; reg->costs[i]; i++)
        write_module(out, reg->costs[i]->name, reg->costs[i]->summary, reg->costs[i]->options);
    fputs(".SH METHODS\n", out);
    for (size_t i = 0; reg->methods[i]; i++)
        write_module(out, reg->methods[i]->name, reg->methods[i]->summary, reg->methods[i]->options);
    fputs(".SH TABLEAUX\n", out);
    for (size_t i = 0; reg->tableaux[i]; i++)
        write_module(out, reg->tableaux[i]->name, reg->tableaux[i]->summary, NULL);
    for (size_t i = 0; reg->implicit_tableaux[i]; i++)
        write_module(out, reg->implicit_tableaux[i]->name, reg->implicit_tableaux[i]->summary, NULL);
    fputs(".SH CONTROLLERS\n", out);
    for (size_t i = 0; reg->controllers[i]; i++)
        write_module(out, reg->controllers[i]->name, reg->controllers[i]->summary, NULL);
    fputs(".SH CHECKPOINT POLICIES\n", out);
    for (size_t i = 0; reg->ckpt_policies[i]; i++)
        write_module(out, reg->ckpt_policies[i]->name, reg->ckpt_policies[i]->summary, NULL);
}

static void write_rest(FILE *out)
{
    static const char *const code[][2] = {
        {"0", "all went well"},
        {"1", "a check failed, or an output could not be written"},
        {"2", "usage or bad input"},
        {"3", "not available: an instruction set, a library, a truth that was asked for"},
        {"4", "the solver failed; the status is on standard output, no number is"},
        {"130", "interrupted; rows written so far are valid"},
    };
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof code / sizeof code[0]; i++) {
        put_tag(out, code[i][0], NULL);
        put_line(out, code[i][1]);
    }
    fputs(".SH ENVIRONMENT\n", out);
    put_tag(out, "SENSBENCH_REFERENCE", NULL);
    put_line(out, "folders of reference solutions, separated by colons, looked into before the one built in; "
                  "truth writes to the first");
    put_tag(out, "SENSBENCH_MODELS", NULL);
    put_line(out,
             "files of models and folders of them, separated by colons, that are problems like any other");
    put_tag(out, "SENSBENCH_PLUGIN", NULL);
    put_line(out, "modules, and folders of files *.so that are modules, separated by colons: loaded by every "
                  "command, as --plugin does");
    fputs(".SH EXAMPLES\n.nf\n", out);
    put_line(out, "sensbench run glv discrete_adjoint n=20 tol=1e-9");
    put_line(out, "sensbench run vdp discrete_tangent tableau=dopri5 rtol=1e-8 atol=1e-10 --json");
    put_line(out, "sensbench run heat discrete_tangent n=10 tableau=rk4 controller=fixed dt=1e-4 truth=pde");
    fputs(".fi\n", out);
}

int manual_write(FILE *out)
{
    const int code = cli_read_problems();
    fprintf(out, ".TH SENSBENCH 1 \"\" \"sensbench %s\"\n", SENS_VERSION_TEXT);
    fputs(".SH NAME\nsensbench \\- benchmark and validation of sensitivity analysis of ordinary differential "
          "equations\n"
          ".SH SYNOPSIS\n",
          out);
    for (const struct cli_command *command = cli_commands(); command->name; command++) {
        fprintf(out, "%s\\fBsensbench %s\\fR ", command == cli_commands() ? "" : ".br\n", command->name);
        put_line(out, command->arguments);
    }
    fputs(
        ".br\n\\fBsensbench\\fR \\-\\-help | \\-\\-version | \\-\\-man | \\-\\-completion\n.SH DESCRIPTION\n"
        "A cell is a problem, a cost and a method with all their options. sensbench solves cells, measures "
        "their time "
        "and work, and compares state and gradient with a closed form or a stored reference solution. "
        "Results go to "
        "standard output, messages to standard error.\n",
        out);
    write_commands(out);
    write_keys(out);
    write_modules(out);
    write_rest(out);
    return code;
}
