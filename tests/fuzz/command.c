/* The command line, a word a line: the words of every command are sorted and read up to where work would
 * begin. Commands that only look are run; a sweep is listed, verify lists its checks. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "compare.h"
#include "exit_codes.h"
#include "fuzz.h"

enum { WORDS = 64 };

struct line {
    char *text;
    int words;
    char *word[WORDS + 2]; /* and one to be added, and NULL */
};

/* Each line of the input a word. A word ends at a NUL byte too, as every argument does. */
static void split(const uint8_t *data, size_t size, struct line *line)
{
    line->text = malloc(size + 1);
    fuzz_promise(line->text, "there is memory for the input");
    if (size) memcpy(line->text, data, size);
    line->text[size] = '\0';
    line->words = 0;
    for (char *next = line->text; next && line->words < WORDS;) {
        line->word[line->words++] = next;
        next = memchr(next, '\n', (size_t)(line->text + size - next));
        if (next) *next++ = '\0';
    }
    line->word[line->words] = NULL;
}

/* Runs a command, with one more word. It stands first: behind an option that takes a value it
 * would be that. */
static void run(const struct cli_command *command, struct line *line, const char *more)
{
    char word[16];
    if (more) {
        snprintf(word, sizeof word, "%s", more);
        memmove(line->word + 2, line->word + 1, (size_t)line->words * sizeof *line->word);
        line->word[1] = word;
        line->words++;
    }
    const int code = cli_run(command, line->word);
    fuzz_promise(code >= EXIT_OK && code <= EXIT_SOLVER, "a command ends as documented");
}

/* In the place of contender_load: no program is started. */
bool __wrap_contender_load(const char *path, struct bench_error *error);
bool __wrap_contender_load(const char *path, struct bench_error *error)
{
    return bench_refuse(error, "contender %s: not run", path);
}

/* The contenders of compare, as far as they can be refused. */
static void plan(const struct cli_arguments *arguments)
{
    struct compare_plan made;
    struct bench_error error = {.text = ""};
    const struct compare_targets targets = {.count = 0};
    if (compare_plan_create(&made, &arguments->spec, arguments->versus_count, arguments->versus, &targets,
                            &error))
        compare_plan_free(&made);
    else
        fuzz_refusal(&error);
}

/* Sorts the words, and resolves the cell that they name. */
static void parse(const struct cli_command *command, const struct line *line)
{
    static struct cli_arguments arguments;
    struct bench_error error = {.text = ""};
    if (!cli_parse(command, (char **)line->word, &arguments, &error)) {
        fuzz_refusal(&error);
        return;
    }
    if (command->takes_keys && !cli_take_names(command, &arguments, &error))
        fuzz_refusal(&error);
    else if (command->takes_keys && arguments.versus_count > 0)
        plan(&arguments);
    else if (command->takes_keys)
        fuzz_resolve(&arguments.spec);
    spec_free(&arguments.spec);
}

static void obey(const struct cli_command *command, struct line *line)
{
    const char *const name = command->name;
    if (strcmp(name, "list") == 0 || strcmp(name, "show") == 0 || strcmp(name, "summary") == 0)
        run(command, line, NULL);
    else if (strcmp(name, "sweep") == 0)
        run(command, line, "--dry-run");
    else if (strcmp(name, "verify") == 0)
        run(command, line, "--list");
    else
        parse(command, line);
}

/* Commands look for files in the current folder: an empty one, the same for all inputs. */
static void leave_home(void)
{
    static bool left;
    if (!left) fuzz_promise(chdir(fuzz_folder()) == 0, "the folder for files of no use can be entered");
    left = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line line;
    leave_home();
    split(data, size, &line);
    const struct cli_command *command = cli_find(line.word[0]);
    if (command) obey(command, &line);
    free(line.text);
    return 0;
}
