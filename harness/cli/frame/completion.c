/* Completion for bash, from the tables of commands, keys and modules. */
#include <string.h>

#include "cli.h"
#include "modules.h"
#include "peers.h"
#include "variants.h"

/* bash breaks words at '=', so that a key and its value are words of their own. */
static const char functions[] =
    "_sensbench_pick() {\n"
    "    COMPREPLY=($(compgen -W \"$1\" -- \"$2\"))\n"
    "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
    "    return 0\n"
    "}\n"
    "\n"
    "_sensbench_files() {\n"
    "    local files\n"
    "    mapfile -t files < <(compgen -f -- \"$1\")\n"
    "    COMPREPLY+=(\"${files[@]}\")\n"
    "    [[ ${#files[@]} -gt 0 ]] && compopt -o filenames\n"
    "    return 0\n"
    "}\n"
    "\n"
    "_sensbench() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} key= options= i\n"
    "    COMPREPLY=()\n"
    "    [[ $word == = ]] && { word=; key=$before; }\n"
    "    [[ $before == = ]] && key=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    if [[ -n $key && $key != -* ]]; then\n"
    "        _sensbench_pick \"$(_sensbench_values \"$key\")\" \"$word\"\n"
    "        [[ ${#COMPREPLY[@]} -eq 0 ]] && _sensbench_files \"$word\"\n"
    "        return 0\n"
    "    fi\n"
    "    case $before in\n"
    "        --plugin|--contender|--dump|--out|--junit) _sensbench_files \"$word\"; return 0;;\n"
    "        --tsv) [[ ${COMP_WORDS[1]} == compare ]] && { _sensbench_files \"$word\"; return 0; };;\n"
    "        --problem|--method|--cost|--isa) _sensbench_pick \"$(_sensbench_values ${before#--})\" "
    "\"$word\"; "
    "return 0;;\n"
    "        --check|--explain) _sensbench_pick \"$(sensbench verify --list 2>/dev/null | awk '/^ / { print "
    "$1 }')\" "
    "\"$word\"\n"
    "            return 0;;\n"
    "    esac\n"
    "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
    "        _sensbench_pick \"$_sensbench_commands help --help --version --man --completion\" \"$word\"\n"
    "        return 0\n"
    "    fi\n"
    "    [[ $word == -* ]] && { _sensbench_pick \"$(_sensbench_flags \"${COMP_WORDS[1]}\")\" \"$word\"; "
    "return 0; }\n"
    "    case ${COMP_WORDS[1]}:$COMP_CWORD in\n"
    "        help:2) _sensbench_pick \"$_sensbench_commands\" \"$word\";;\n"
    "        list:*) _sensbench_pick \"problems costs methods providers tableaux controllers policies "
    "variants sweeps columns\" \"$word\";;\n"
    "        new:2) _sensbench_pick \"problem cost method\" \"$word\";;\n"
    "        show:*) _sensbench_pick \"$(for i in problem cost method tableau controller; do "
    "_sensbench_values $i; "
    "done; sensbench list policies 2>/dev/null | cut -d ' ' -f 1)\" \"$word\";;\n"
    "        sweep:*) _sensbench_pick \"$(sensbench list sweeps 2>/dev/null)\" \"$word\"\n"
    "            _sensbench_files \"$word\";;\n"
    "        run:2|compare:2|truth:2) _sensbench_pick \"$(_sensbench_values problem)\" \"$word\";;\n"
    "        run:3|compare:3) _sensbench_pick \"$(_sensbench_values method)\" \"$word\";;\n"
    "        run:*|compare:*|truth:*)\n"
    "            options=\"$_sensbench_keys\"\n"
    "            for i in 2 3; do options+=\" $(_sensbench_options \"${COMP_WORDS[i]-}\")\"; done\n"
    "            for ((i = 4; i + 2 < ${#COMP_WORDS[@]}; i++)); do\n"
    "                [[ ${COMP_WORDS[i]} == cost ]] && options+=\" $(_sensbench_options "
    "\"${COMP_WORDS[i+2]}\")\"\n"
    "            done\n"
    "            _sensbench_pick \"$options\" \"$word\";;\n"
    "        *) _sensbench_files \"$word\";;\n"
    "    esac\n"
    "    return 0\n"
    "}\n"
    "complete -F _sensbench sensbench\n";

static void write_flags(FILE *out)
{
    const struct cli_flag *flag;
    fputs("_sensbench_commands=\"", out);
    for (const struct cli_command *command = cli_commands(); command->name; command++)
        fprintf(out, "%s%s", command == cli_commands() ? "" : " ", command->name);
    fputs("\"\n_sensbench_keys=\"", out);
    for (const struct bench_key *key = bench_keys(); key->name; key++) fprintf(out, "%s= ", key->name);
    fputs("\"\n\n_sensbench_flags() {\n    case $1 in\n", out);
    for (const struct cli_command *command = cli_commands(); command->name; command++) {
        fprintf(out, "        %s) echo \"", command->name);
        for (int i = 0; (flag = cli_flag_at(command, i)); i++) fprintf(out, "%s ", flag->name);
        fputs("\";;\n", out);
    }
    fputs("    esac\n}\n\n", out);
}

static void write_options(FILE *out, const char *name, const struct sens_option *options)
{
    if (sens_option_count(options) == 0) return;
    fprintf(out, "        %s) echo \"", name);
    for (size_t i = 0; i < sens_option_count(options); i++) fprintf(out, "%s= ", options[i].name);
    fputs("\";;\n", out);
}

static void write_all_options(FILE *out, const struct sens_registry *reg)
{
    fputs("_sensbench_options() {\n    case $1 in\n", out);
    for (size_t i = 0; reg->problems[i]; i++)
        write_options(out, reg->problems[i]->name, reg->problems[i]->options);
    for (size_t i = 0; reg->costs[i]; i++) write_options(out, reg->costs[i]->name, reg->costs[i]->options);
    for (size_t i = 0; reg->methods[i]; i++)
        write_options(out, reg->methods[i]->name, reg->methods[i]->options);
    fputs("    esac\n}\n\n", out);
}

static void write_words(FILE *out, const char *key, const char *const *words)
{
    if (!words) return;
    fprintf(out, "        %s) echo \"", key);
    for (size_t i = 0; words[i]; i++) fprintf(out, "%s ", words[i]);
    fputs("\";;\n", out);
}

/* The names and words that a key, or an option that is a choice, can take. An option's name can stand in
 * several tables: the first counts. */
static void write_values(FILE *out, const struct sens_registry *reg)
{
    fputs("_sensbench_values() {\n    case $1 in\n", out);
    for (const struct bench_key *key = bench_keys(); key->name; key++) {
        struct variant_names names;
        variant_names(reg, key->name, &names);
        names.name[names.count < NAMES_MAX ? names.count : NAMES_MAX - 1] = NULL;
        write_words(out, key->name, names.count ? names.name : key->words);
    }
    for (size_t k = 0; reg->problems[k]; k++)
        for (size_t i = 0; i < sens_option_count(reg->problems[k]->options); i++)
            write_words(out, reg->problems[k]->options[i].name, reg->problems[k]->options[i].choices);
    for (size_t k = 0; reg->methods[k]; k++)
        for (size_t i = 0; i < sens_option_count(reg->methods[k]->options); i++)
            write_words(out, reg->methods[k]->options[i].name, reg->methods[k]->options[i].choices);
    fputs("    esac\n}\n\n", out);
}

int completion_write(FILE *out)
{
    const int code = cli_read_problems();
    struct bench_error lacking;
    peer_load_matching(PEER_METHOD, NULL, &lacking);
    struct bench_error error;
    const struct sens_registry *reg = variant_find("auto", &error);
    fputs("# bash completion for sensbench; written by `sensbench --completion`\n", out);
    write_flags(out);
    write_all_options(out, reg);
    write_values(out, reg);
    fputs(functions, out);
    return code;
}
