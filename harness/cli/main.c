/* sensbench: dispatch to the commands. */
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "cli.h"
#include "exit_codes.h"
#include "machine.h"
#include "model.h"
#include "modules.h"
#include "names.h"
#include "process.h"
#include "providers.h"
#include "streams.h"

/* The children that were there when the program began. A handler has no other way to know them. */
static struct process_kin kin;

/* Contenders, and what they have started, go with us. A sweep takes the signals in another way, to stop between rows
 * (isolate.c). All that is called here is made of what signal-safety(7) lists. */
static void leave(int signal_number)
{
    (void)signal_number;
    process_end_orphans(&kin, 0, NULL); // NOLINT(bugprone-signal-handler)
    _exit(EXIT_INTERRUPTED);
}

/* Those that whoever started us wants ignored stay so (nohup, a job in the background). */
static void take_signals(void)
{
    static const int ordinary[] = {SIGINT, SIGTERM, SIGHUP};
    process_kin(&kin);
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
        if (signal(ordinary[i], leave) == SIG_IGN) signal(ordinary[i], SIG_IGN);
}

static int refuse_command(const char *word)
{
    const char *known[32] = {"help"};
    size_t count = 1;
    struct bench_error error;
    for (const struct cli_command *command = cli_commands(); command->name; command++)
        known[count++] = command->name;
    const char *near = nearest_name(word, known, count);
    bench_refuse(&error, "unknown command '%s'%s%s; see sensbench --help", word,
                 near ? "; did you mean " : "", near ? near : "");
    return cli_complain(&error, EXIT_USAGE);
}

/* `sensbench help [COMMAND]`: what `sensbench COMMAND --help` prints. */
static int help(const char *name)
{
    if (!name || strcmp(name, "help") == 0) return help_overview(our_stdout()), EXIT_OK;
    const struct cli_command *command = cli_find(name);
    if (!command) return refuse_command(name);
    help_command(our_stdout(), command);
    return EXIT_OK;
}

static int dispatch(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) return help_overview(our_stderr()), EXIT_USAGE;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help(NULL);
    if (strcmp(word, "help") == 0) return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(word, "--version") == 0) {
        say("sensbench %s (%s, %s)\n", SENS_VERSION_TEXT, machine_git(), SENS_COMPILER_TEXT);
        return EXIT_OK;
    }
    struct bench_error error;
    if (!models_load_path(&error) || !plugin_load_path(&error)) return cli_complain(&error, EXIT_USAGE);
    if (strcmp(word, "--man") == 0) return manual_write(our_stdout());
    if (strcmp(word, "--completion") == 0) return completion_write(our_stdout());
    const struct cli_command *command = cli_find(word);
    return command ? cli_run(command, argv + 1) : refuse_command(word);
}

int main(int argc, char **argv)
{
    take_signals();
    if (!streams_open())
        return fputs("sensbench: no descriptor or no memory for the output\n", stderr), EXIT_USAGE;
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* numbers have a point, whatever a module sets */
    if (!providers_add(derive_providers)) return fputs("sensbench: no memory\n", stderr), EXIT_USAGE;
    const int code = dispatch(argc, argv);
    process_end_orphans(&kin, 0, NULL); /* what a contender has left behind */
    if (streams_finish()) return code;
    struct bench_error error;
    bench_refuse(&error, "standard output could not be written");
    return cli_complain(&error, code == EXIT_OK ? EXIT_CHECK : code);
}
