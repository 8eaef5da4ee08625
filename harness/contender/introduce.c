/* What a program says of itself becomes a method; see contender.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "files.h"
#include "method.h"
#include "modules.h"
#include "names.h"
#include "options.h"

enum { OPTIONS_MOST = 64, CHOICES_MOST = 64, LIMITS_MOST = 64, TEXT_MOST = 240 };
static const double seconds_to_answer = 600; /* unless SENSBENCH_CONTENDER_SECONDS says otherwise */
static const double seconds_to_start = 60;

/* What is read of contenders stays as long as the process, whether it is taken or refused. */
static struct sens_arena kept;

struct introduction {
    const char *path;
    struct bench_error *error;
};

static bool refuse(const struct introduction *in, const char *what, const char *why)
{
    return bench_refuse(in->error, "contender %s: %s %s", in->path, what, why);
}

static char *keep_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *const copy = sens_arena_alloc(&kept, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* A copy of a text on one line. NULL, and a message. */
static char *copy_text(const struct introduction *in, const json_t *object, const char *key)
{
    const char *const text = json_string_value(json_object_get(object, key));
    if (!text || !*text || strlen(text) > TEXT_MOST) {
        refuse(in, key, "is no text, or too long a one");
        return NULL;
    }
    if (!is_line(text)) {
        refuse(in, key, "holds a control character");
        return NULL;
    }
    char *const copy = keep_text(text);
    if (!copy) refuse(in, key, "finds no memory");
    return copy;
}

/* ---- options -------------------------------------------------------------------------------------------- */

static bool read_choices(const struct introduction *in, const json_t *object, struct sens_option *option)
{
    const json_t *const list = json_object_get(object, "choices"), *const word =
                                                                       json_object_get(object, "default");
    const size_t count = json_array_size(list);
    const char **const choices = sens_arena_alloc(&kept, count + 1, sizeof *choices);
    if (!choices || count == 0 || count > CHOICES_MOST || !json_is_string(word))
        return refuse(in, option->name, "has no choices, too many, or no default");
    option->choices = choices;
    option->fallback = -1;
    for (size_t i = 0; i < count; i++) {
        const char *const one = json_string_value(json_array_get(list, i));
        if (!one || !(choices[i] = keep_text(one)))
            return refuse(in, option->name, "has a choice that is no text");
        if (strcmp(one, json_string_value(word)) == 0) option->fallback = (double)i;
    }
    return option->fallback >= 0 || refuse(in, option->name, "has a default that is none of its choices");
}

static bool read_range(const struct introduction *in, const json_t *object, struct sens_option *option)
{
    const json_t *const fallback = json_object_get(object, "default"),
                        *const min = json_object_get(object, "min"),
                        *const max = json_object_get(object, "max");
    if (!json_is_number(fallback) || !json_is_number(min) || !json_is_number(max))
        return refuse(in, option->name, "lacks a number: default, min, max");
    option->fallback = json_number_value(fallback);
    option->min = json_number_value(min);
    option->max = json_number_value(max);
    return true;
}

static bool read_option(const struct introduction *in, const json_t *object, struct sens_option *option)
{
    static const char *const kinds[] = {
        [SENS_OPT_INT] = "int", [SENS_OPT_REAL] = "real", [SENS_OPT_CHOICE] = "choice"};
    const char *const kind = json_string_value(json_object_get(object, "kind"));
    if (!(option->name = copy_text(in, object, "name")) || !(option->help = copy_text(in, object, "help")))
        return false;
    int k = 0;
    while (kind && k < 3 && strcmp(kinds[k], kind) != 0) k++;
    if (!kind || k == 3) return refuse(in, option->name, "has another kind than int, real or choice");
    option->kind = (enum sens_option_kind)k;
    return k == SENS_OPT_CHOICE ? read_choices(in, object, option) : read_range(in, object, option);
}

static bool read_options(const struct introduction *in, const json_t *said, struct sens_method_type *type)
{
    const json_t *const list = json_object_get(said, "options");
    const size_t count = json_array_size(list);
    if ((list && !json_is_array(list)) || count > OPTIONS_MOST)
        return refuse(in, "options", "is no array, or too long");
    struct sens_option *const options =
        sens_arena_alloc(&kept, count + 1, sizeof *options); /* the last is the end */
    if (!options) return refuse(in, "options", "finds no memory");
    type->options = options;
    for (size_t i = 0; i < count; i++)
        if (!read_option(in, json_array_get(list, i), &options[i])) return false;
    return true;
}

/* ---- the method ------------------------------------------------------------------------------------------ */

static bool read_protocol(const struct introduction *in, const json_t *said)
{
    const json_t *const protocol = json_object_get(said, "protocol");
    if (json_is_integer(protocol) && json_integer_value(protocol) == CONTENDER_PROTOCOL) return true;
    return bench_refuse(in->error, "contender %s: it speaks protocol %lld; this program speaks %d", in->path,
                        json_is_integer(protocol) ? (long long)json_integer_value(protocol) : 0LL,
                        CONTENDER_PROTOCOL);
}

static bool read_derivative(const struct introduction *in, const json_t *said, struct sens_method_type *type)
{
    static const char *const words[] = {[SENS_DERIVATIVE_DISCRETE] = "discrete",
                                        [SENS_DERIVATIVE_CONTINUOUS] = "continuous",
                                        [SENS_DERIVATIVE_DIFFERENCE] = "difference"};
    const char *const word = json_string_value(json_object_get(said, "derivative"));
    for (int k = 0; word && k < 3; k++) {
        if (strcmp(words[k], word) != 0) continue;
        type->derivative = (enum sens_derivative)k;
        return true;
    }
    return refuse(in, "derivative", "is none of discrete, continuous, difference");
}

static bool read_abilities(const struct introduction *in, const json_t *said, struct sens_method_type *type)
{
    static const struct {
        const char *word;
        unsigned cap;
    } known[] = {{"tolerance", SENS_CAP_TOLERANCE},
                 {"observations", SENS_CAP_OBSERVATIONS},
                 {"running_cost", SENS_CAP_RUNNING_COST}};
    const json_t *const list = json_object_get(said, "can");
    if (list && !json_is_array(list)) return refuse(in, "can", "is no array");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *const word = json_string_value(json_array_get(list, i));
        size_t k = 0;
        while (word && k < 3 && strcmp(known[k].word, word) != 0) k++;
        if (!word || k == 3)
            return refuse(in, "can", "names something else than tolerance, observations, running_cost");
        type->caps |= known[k].cap;
    }
    return true;
}

/* What it is known to fail of verify's checks, and why. */
static bool read_limits(const struct introduction *in, const json_t *said, struct sens_method_type *type)
{
    const json_t *const list = json_object_get(said, "limits");
    const size_t count = json_array_size(list);
    if ((list && !json_is_array(list)) || count > LIMITS_MOST)
        return refuse(in, "limits", "is no array, or too long");
    struct sens_limit *const limits =
        sens_arena_alloc(&kept, count + 1, sizeof *limits); /* the last is the end */
    if (!limits) return refuse(in, "limits", "finds no memory");
    type->limits = limits;
    for (size_t i = 0; i < count; i++) {
        const json_t *const one = json_array_get(list, i);
        if (!(limits[i].check = copy_text(in, one, "check")) ||
            !(limits[i].subject = copy_text(in, one, "subject")) ||
            !(limits[i].reason = copy_text(in, one, "reason")))
            return false;
    }
    return true;
}

static bool read_method(const struct introduction *in, const json_t *said, struct contender *contender)
{
    struct sens_method_type *const type = &contender->type;
    if (!read_protocol(in, said) || !(type->name = copy_text(in, said, "name")) ||
        !(type->summary = copy_text(in, said, "summary")) ||
        !(contender->library = copy_text(in, said, "library")))
        return false;
    return read_derivative(in, said, type) && read_abilities(in, said, type) &&
           read_options(in, said, type) && read_limits(in, said, type);
}

/* What plug-ins are asked for, too, in the words of a contender. */
static bool check_method(const struct introduction *in, const struct sens_method_type *type)
{
    char owner[512];
    if (!is_name(type->name))
        return refuse(in, type->name, "is no name: letters, digits and _ . + - only, at most 63");
    if (find_method(variant_all()[0], type->name)) return refuse(in, type->name, "is a name that is taken");
    if (type->derivative == SENS_DERIVATIVE_CONTINUOUS && !(type->caps & SENS_CAP_TOLERANCE))
        return refuse(in, type->name, "computes a continuous derivative, and takes no tolerance");
    snprintf(owner, sizeof owner, "contender %s", in->path);
    return options_check(owner, type->options, in->error);
}

static bool ask(const struct introduction *in, const struct contender *contender, json_t **said)
{
    struct link link;
    sens_status status = link_open(&link, contender->path, in->error);
    if (status == SENS_OK) status = contender_greet(&link, seconds_to_start, said, in->error);
    link_close(&link);
    return status == SENS_OK;
}

/* A relative name is still right where a command changes its folder. */
static bool find_program(const struct introduction *in, struct contender *contender)
{
    char *const path = realpath(in->path, NULL);
    contender->path = path ? keep_text(path) : NULL;
    free(path);
    return contender->path || bench_refuse(in->error, "contender %s: there is no such file", in->path);
}

static bool find_patience(const struct introduction *in, struct contender *contender)
{
    const char *const text = getenv("SENSBENCH_CONTENDER_SECONDS");
    contender->seconds = seconds_to_answer;
    if (!text || !*text) return true;
    return (read_number(text, &contender->seconds) && contender->seconds > 0) ||
           bench_refuse(in->error, "SENSBENCH_CONTENDER_SECONDS: '%.80s' is no number of seconds above 0",
                        text);
}

bool contender_load(const char *path, struct bench_error *error)
{
    const struct introduction in = {path, error};
    struct contender *const contender = sens_arena_alloc(&kept, 1, sizeof *contender);
    json_t *said = NULL;
    if (!contender) return refuse(&in, "it", "finds no memory");
    if (!find_program(&in, contender) || !find_patience(&in, contender) || !ask(&in, contender, &said))
        return false;
    const bool whole = read_method(&in, said, contender);
    json_decref(said);
    if (!whole || !check_method(&in, &contender->type)) return false;
    contender_functions(&contender->type);
    contender->type.data = contender;
    contender->methods[0] = &contender->type;
    contender->plugin =
        (struct sens_plugin){SENS_PLUGIN_HEADER, .name = contender->type.name, .methods = contender->methods};
    struct input from = {.path = contender->path, .read_again = true};
    input_sum(contender->path, from.sum);
    return plugin_add(path, &contender->plugin, &from, error);
}
