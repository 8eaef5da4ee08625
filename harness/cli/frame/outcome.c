/* How a command ends: its message, and the exit code that says its status. */
#include "cli.h"
#include "exit_codes.h"
#include "modules.h"
#include "streams.h"

int cli_complain(const struct bench_error *error, int code)
{
    complain_line("%s", error->text);
    if (error->shown[0]) fprintf(our_stderr(), "%s\n", error->shown);
    return code;
}

int cli_read_problems(void)
{
    int code = EXIT_OK;
    struct bench_error error;
    for (struct waiting_problem *problem = waiting_problems(); problem; problem = problem->next)
        if (!waiting_read(problem, &error)) code = cli_complain(&error, EXIT_USAGE);
    return code;
}

int cli_exit_code(sens_status status)
{
    switch (status) {
    case SENS_OK:
        return EXIT_OK;
    case SENS_NOT_REPEATABLE:
        return EXIT_CHECK;
    case SENS_BAD_INPUT:
    case SENS_UNSUPPORTED:
    case SENS_DT_MISFIT:
    case SENS_IO_ERROR:
        return EXIT_USAGE;
    case SENS_UNAVAILABLE:
    case SENS_NO_TRUTH:
        return EXIT_MISSING;
    case SENS_INTERRUPTED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_SOLVER;
    }
}
