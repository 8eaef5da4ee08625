/* What --help prints, from the tables of commands and keys. */
#include <string.h>

#include "build_info.h"
#include "cli.h"
#include "streams.h"
#include "values.h"

void help_overview(FILE *out)
{
    fprintf(out,
            "sensbench %s - benchmark and validation of sensitivity analysis of ordinary differential "
            "equations\n\n",
            SENS_VERSION_TEXT);
    for (const struct cli_command *command = cli_commands(); command->name; command++)
        fprintf(out, "  sensbench %-8s %s\n  %18s %s\n", command->name,
                command->arguments[0] ? command->arguments : "[options]", "", command->summary);
    fprintf(
        out,
        "\n"
        "  sensbench COMMAND --help | help COMMAND   how a command is used\n"
        "  sensbench --version | --man | --completion\n"
        "\n"
        "Results on stdout, messages on stderr. Exit codes: 0 ok, 1 a check failed, 2 usage or bad input,\n"
        "3 unavailable, 4 the solver failed, 130 interrupted.\n");
}

static void help_keys(FILE *out)
{
    char range[RANGE_TEXT];
    fprintf(out, "Keys, beside the options of the problem, the cost and the method (sensbench show NAME):\n");
    for (const struct bench_key *key = bench_keys(); key->name; key++) {
        fprintf(out, "  %-12s %s", key->name, key->help);
        if (key->unit[0] != '-') fprintf(out, " [%s]", key->unit);
        fprintf(out, "\n  %12s %s", "", key_range(key, range));
        if (key->fallback[0]) fprintf(out, "; default: %s", key->fallback);
        fprintf(out, "\n");
    }
    fprintf(
        out,
        "A plain key is one of these, else an option of the first of problem, cost and method that has it;\n"
        "problem.KEY, cost.KEY and method.KEY say whose option is meant.\n"
        "A FILE of numbers: white space or commas between them, '#' starts a comment.\n");
}

void help_command(FILE *out, const struct cli_command *command)
{
    const struct cli_flag *flag;
    char text[64];
    fprintf(out, "usage: sensbench %s%s%s", command->name, command->arguments[0] ? " " : "",
            command->arguments);
    for (int i = 0; (flag = cli_flag_at(command, i)); i++)
        fprintf(out, " [%s%s%s]", flag->name, flag->value ? " " : "", flag->value ? flag->value : "");
    fprintf(out, "\n%s\n\n", command->summary);
    for (int i = 0; (flag = cli_flag_at(command, i)); i++) {
        snprintf(text, sizeof text, "%s %s", flag->name, flag->value ? flag->value : "");
        fprintf(out, "  %-18s %s\n", text, flag->help);
    }
    for (size_t i = 0; command->notes && command->notes[i]; i++) {
        fputc('\n', out);
        write_paragraph(out, "", command->notes[i]);
    }
    if (!command->takes_keys) return;
    fprintf(out, "\n");
    help_keys(out);
}
