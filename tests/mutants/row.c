/* mutants_row MODULE CAUSES - one line of the mutant table from verify's JSON on standard input:
 *
 *     killed by <TAB> first three causes <TAB> yes | no
 *
 * CAUSES: the names of the causes that are right, apart by blanks. A failure of another module than MODULE is
 * named where MODULE has none. "survived" when nothing failed. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 3, CHECKS = 4 };

static const char *text(const json_t *object, const char *key)
{
    const char *const value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

/* The failing module named so, or the first one that fails. */
static const json_t *find_module(const json_t *modules, const char *name)
{
    for (size_t i = 0; i < json_array_size(modules); i++)
        if (strcmp(text(json_array_get(modules, i), "module"), name) == 0) return json_array_get(modules, i);
    return json_array_get(modules, 0);
}

/* The first few checks that failed on the module, each once. */
static void print_checks(const json_t *results, const char *module)
{
    const char *shown[CHECKS];
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(results) && count < CHECKS; i++) {
        const json_t *result = json_array_get(results, i);
        const char *const check = text(result, "check");
        bool known =
            strcmp(text(result, "verdict"), "fail") != 0 || strcmp(text(result, "module"), module) != 0;
        for (size_t k = 0; k < count && !known; k++) known = strcmp(shown[k], check) == 0;
        if (known) continue;
        printf("%s%s", count ? ", " : "", check);
        shown[count++] = check;
    }
}

static bool is_word_of(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc != 3) return fprintf(stderr, "usage: mutants_row MODULE CAUSES < JSON\n"), 2;
    json_t *const report = json_loadf(stdin, 0, &error);
    if (!report) return fprintf(stderr, "mutants_row: line %d: %s\n", error.line, error.text), 2;
    const json_t *const module = find_module(json_object_get(report, "modules"), argv[1]);
    bool right = false;
    if (!module) {
        printf("survived\t-\tno\n");
    } else {
        const json_t *const causes = json_object_get(module, "causes");
        print_checks(json_object_get(report, "results"), text(module, "module"));
        printf("\t");
        for (size_t i = 0; i < json_array_size(causes) && i < SHOWN; i++) {
            const char *const cause = text(json_array_get(causes, i), "cause");
            printf("%s%s", i ? ", " : "", cause);
            right = right || is_word_of(argv[2], cause);
        }
        printf("\t%s\n", right ? "yes" : "no");
    }
    json_decref(report);
    return 0;
}
