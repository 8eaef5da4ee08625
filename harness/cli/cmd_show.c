/* sensbench show: all that is known of what has a name. */
#include <string.h>

#include "cli.h"
#include "exit_codes.h"
#include "modules.h"
#include "names.h"
#include "peers.h"
#include "show.h"
#include "streams.h"

enum { NAMES = 512 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* A member's name, with blanks. */
static void print_name(const char *key)
{
    int width = 0;
    for (; key[width]; width++) fputc(key[width] == '_' ? ' ' : key[width], our_stdout());
    say("%*s", width < 19 ? 19 - width : 1, "");
}

static void print_value(const json_t *value)
{
    if (json_is_string(value)) say("%s", json_string_value(value));
    if (json_is_integer(value)) say("%lld", (long long)json_integer_value(value));
    if (json_is_real(value)) say("%g", json_real_value(value));
    for (size_t i = 0; i < json_array_size(value); i++)
        say("%s%s", i ? ", " : "", json_string_value(json_array_get(value, i)));
    if (json_is_array(value) && json_array_size(value) == 0) say("none");
    say("\n");
}

static void print_options(const json_t *options)
{
    if (json_array_size(options) == 0) return;
    say("  options:\n");
    for (size_t i = 0; i < json_array_size(options); i++) {
        const json_t *option = json_array_get(options, i);
        const char *value = text_of(option, "default");
        say("    %s%s%s\n", text_of(option, "name"), value[0] ? "=" : "", value);
        say("        %s; %s\n", text_of(option, "help"), text_of(option, "range"));
    }
}

static void print_text(json_t *object)
{
    static const char *const special[] = {"kind", "name", "summary", "options"};
    const char *key;
    json_t *value;
    say("%s %s: %s\n", text_of(object, "kind"), text_of(object, "name"), text_of(object, "summary"));
    json_object_foreach(object, key, value)
    {
        bool plain = true;
        for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
            plain = plain && strcmp(key, special[i]) != 0;
        if (!plain) continue;
        say("  ");
        print_name(key);
        print_value(value);
    }
    print_options(json_object_get(object, "options"));
}

static bool refuse_name(const struct sens_registry *reg, const char *word, struct bench_error *error)
{
    const char *name[NAMES];
    size_t count = show_names(reg, name, NAMES);
    count += peer_names(PEER_METHOD, name + count, NAMES - count);
    const char *near = nearest_name(word, name, count);
    return bench_refuse(error, "show: nothing has the name '%s'%s%s; see sensbench list", word,
                        near ? "; did you mean " : "", near ? near : "");
}

static int show(const char *name, bool json)
{
    struct bench_error error, reason;
    const struct sens_registry *reg = variant_find("auto", &error);
    if (peer_load(PEER_METHOD, name, &reason) != SENS_OK) {
        bench_refuse(&error, "show: %s: %s", name, reason.text);
        return cli_complain(&error, EXIT_MISSING);
    }
    if (!problem_read(name, &error)) return cli_complain(&error, EXIT_USAGE);
    json_t *found = show_describe(reg, name);
    const size_t count = json_array_size(found);
    if (json && count) {
        json_dumpf(found, our_stdout(), JSON_INDENT(2));
        say("\n");
    }
    for (size_t i = 0; !json && i < count; i++) print_text(json_array_get(found, i));
    json_decref(found);
    if (count) return EXIT_OK;
    refuse_name(reg, name, &error);
    return cli_complain(&error, EXIT_USAGE);
}

int cmd_show(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct bench_error error;
    if (arguments->words == 1)
        return show(arguments->word[0], cli_flag(command, arguments, "--json") != NULL);
    bench_refuse(&error, "show: %s; see sensbench show --help",
                 arguments->words ? "one name at a time" : "no name given");
    return cli_complain(&error, EXIT_USAGE);
}
