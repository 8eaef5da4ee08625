/* A spec: key = value pairs with their origins, as given. What a key means is known when the problem and the
 * method are (resolve.c); here only its form is checked. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "spec.h"

enum { VALUE_LENGTH = 1023 };

static bool is_value(const char *value)
{
    for (const char *c = value; *c; c++)
        if (iscntrl((unsigned char)*c)) return false;
    return value[0] && strlen(value) <= VALUE_LENGTH;
}

static struct spec_pair *find_pair(struct spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->count; i++)
        if (strcmp(spec->pair[i].key, key) == 0) return &spec->pair[i];
    return NULL;
}

static void free_pair(struct spec_pair *pair)
{
    free(pair->key);
    free(pair->value);
    free(pair->origin);
    *pair = (struct spec_pair){.key = NULL};
}

static bool make_pair(struct spec_pair *pair, const char *key, const char *value, const char *origin)
{
    *pair = (struct spec_pair){.key = strdup(key), .value = strdup(value), .origin = strdup(origin)};
    if (pair->key && pair->value && pair->origin) return true;
    free_pair(pair);
    return false;
}

bool spec_set(struct spec *spec, const char *key, const char *value, const char *origin,
              struct bench_error *error)
{
    struct spec_pair *old = find_pair(spec, key), made;
    if (!is_key(key))
        return bench_refuse(error, "%s: '%.80s' is not a key (value '%.80s')", origin, key, value);
    if (!is_value(value))
        return bench_refuse(error, "%s: %s='%.80s': empty, too long, or with control characters", origin, key,
                            value);
    if (!old && spec->count == SPEC_MAX)
        return bench_refuse(error, "%s: %s=%s: more than %d keys", origin, key, value, SPEC_MAX);
    if (!make_pair(&made, key, value, origin))
        return bench_refuse(error, "%s: %s=%s: no memory", origin, key, value);
    if (old)
        free_pair(old);
    else
        old = &spec->pair[spec->count++];
    *old = made;
    return true;
}

void spec_unset(struct spec *spec, const char *key)
{
    struct spec_pair *const old = find_pair(spec, key);
    if (!old) return;
    free_pair(old);
    memmove(old, old + 1, (size_t)(spec->pair + spec->count - (old + 1)) * sizeof *old);
    spec->count--;
}

const char *spec_get(const struct spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->count; i++)
        if (strcmp(spec->pair[i].key, key) == 0) return spec->pair[i].value;
    return NULL;
}

bool spec_copy(struct spec *to, const struct spec *from)
{
    struct spec copy = {.count = 0};
    for (size_t i = 0; i < from->count; i++) {
        const struct spec_pair *pair = &from->pair[i];
        if (!make_pair(&copy.pair[i], pair->key, pair->value, pair->origin)) {
            spec_free(&copy);
            return false;
        }
        copy.count++;
    }
    *to = copy;
    return true;
}

void spec_free(struct spec *spec)
{
    for (size_t i = 0; i < spec->count; i++) free_pair(&spec->pair[i]);
    spec->count = 0;
}

static int compare_keys(const void *left, const void *right)
{
    const struct spec_pair *a = left, *b = right;
    return strcmp(a->key, b->key);
}

char *spec_identity(const struct spec *spec)
{
    struct spec_pair sorted[SPEC_MAX];
    size_t length = 1;
    for (size_t i = 0; i < spec->count; i++) {
        sorted[i] = spec->pair[i];
        length += strlen(sorted[i].key) + strlen(sorted[i].value) + 2;
    }
    qsort(sorted, spec->count, sizeof sorted[0], compare_keys);
    char *text = malloc(length), *end = text;
    if (!text) return NULL;
    *end = '\0';
    for (size_t i = 0; i < spec->count; i++)
        end += snprintf(end, length - (size_t)(end - text), "%s%s=%s", i ? " " : "", sorted[i].key,
                        sorted[i].value);
    return text;
}
