/* harness/cli/frame/cli.h - the commands in one table, from which dispatch, help, man page and completion are
 * made. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include "sens/status.h"
#include "spec.h"

struct cli_flag {
    const char *name, *value, *help; /* "--dump", "FILE" (NULL: takes none), one line */
};

struct cli_arguments;
struct cli_command {
    const char *name, *arguments, *summary;
    const struct cli_flag *flags; /* its own: ends with name == NULL; NULL: none */
    int shared;                   /* the first that it takes of the flags that commands share */
    bool takes_keys;              /* key=value words, keys of the harness among them */
    bool takes_options;           /* key=value words for options of modules alone */
    const char *const *notes;     /* paragraphs after the options, ends with NULL; or NULL */
    /* On the words after its name, unless they ask for --help; the exit code. */
    int (*run)(const struct cli_command *command, struct cli_arguments *arguments);
};

const struct cli_command *cli_commands(void); /* ends with name == NULL */
const struct cli_command *cli_find(const char *name);
/* The flags of a command, its own first; NULL: no more. */
const struct cli_flag *cli_flag_at(const struct cli_command *command, int index);

enum { CLI_WORDS = 256, CLI_FLAGS = 24, CLI_VERSUS = 31 };
struct cli_arguments {
    size_t words;
    const char *word[CLI_WORDS];
    const char *
        flag[CLI_FLAGS]; /* in the order of the command's table: the value, "" without one; NULL: not given */
    size_t versus_count;
    const char *versus[CLI_VERSUS]; /* the values of --vs, which may be repeated */
    struct
        cli_load { /* modules, models and contenders, in the order given; those past CLI_VERSUS are not noted */
        const char *flag, *value;
    } load[CLI_VERSUS];
    size_t loads;
    bool help; /* --help or -h was among them: print the usage and do nothing */
    struct spec spec;
};
/* Sorts the words after argv[0], the last of which is NULL, and loads the modules of --plugin. On false nothing
 * has to be freed, else arguments->spec. */
bool cli_parse(const struct cli_command *command, char **argv, struct cli_arguments *arguments,
               struct bench_error *error);
/* The same, then runs the command or prints its help; the exit code. */
int cli_run(const struct cli_command *command, char **argv);
const char *cli_flag(const struct cli_command *command, const struct cli_arguments *arguments,
                     const char *name);

/* The two words before the keys are the problem and the method: they become keys, as which they are taken as
 * well. */
bool cli_take_names(const struct cli_command *command, struct cli_arguments *arguments,
                    struct bench_error *error);

/* "sensbench: message" on stderr; returns code. */
int cli_complain(const struct bench_error *error, int code);

/* Reads all problems, for a command that looks at each; complains of those that cannot be read. EXIT_USAGE if
 * there are any. */
int cli_read_problems(void);

/* The exit code that says this status. */
int cli_exit_code(sens_status status);

/* help.c, manual.c, completion.c: text on out. */
void help_overview(FILE *out);
void help_command(FILE *out, const struct cli_command *command);
int manual_write(FILE *out);     /* exit code */
int completion_write(FILE *out); /* exit code */

/* ---- commands ------------------------------------------------------------------------------------------ */

int cmd_list(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_show(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_run(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_analyse(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_advise(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_compare(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_sweep(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_truth(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_summary(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_report(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_derive(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_new(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_verify(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_figures(const struct cli_command *command, struct cli_arguments *arguments);
int cmd_peak(const struct cli_command *command, struct cli_arguments *arguments);

#endif
