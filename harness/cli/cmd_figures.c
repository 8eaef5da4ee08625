/* sensbench figures: the script that draws, in the place of this process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "exit_codes.h"
#include "locate.h"
#include "streams.h"

static bool find_script(char path[DATA_PATH])
{
    char folder[DATA_PATH];
    for (int place = 0; place < DATA_PLACES; place++) {
        if (!data_folder(place, "scripts", "harness/scripts", folder)) continue;
        const int length = snprintf(path, DATA_PATH, "%s/figures.sh", folder);
        if (length > 0 && length < DATA_PATH && access(path, R_OK) == 0) return true;
    }
    return false;
}

/* The numbers of a profile come from this program. */
static bool name_program(void)
{
    char path[DATA_PATH];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = '\0';
    return setenv("SENSBENCH", path, 1) == 0;
}

int cmd_figures(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct bench_error error;
    char script[DATA_PATH];
    (void)command;
    if (arguments->words != 1) {
        bench_refuse(&error, "figures: one folder of results is wanted; see sensbench figures --help");
        return cli_complain(&error, EXIT_USAGE);
    }
    if (!find_script(script)) {
        bench_refuse(&error,
                     "figures: the scripts are neither installed beside this program nor in its sources");
        return cli_complain(&error, EXIT_MISSING);
    }
    if (name_program() && streams_hand_over())
        execl("/bin/sh", "sh", script, arguments->word[0], (char *)NULL);
    bench_refuse(&error, "figures: %s cannot be run: %s", script, strerror(errno));
    return cli_complain(&error, EXIT_MISSING);
}
