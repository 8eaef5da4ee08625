/* Option tables: counting, defaults, look-up. */
#include <string.h>

#include "sens/option.h"

size_t sens_option_count(const struct sens_option *table)
{
    size_t count = 0;
    if (table)
        while (table[count].name) count++;
    return count;
}

long sens_option_choices(const struct sens_option *option)
{
    long count = 0;
    while (option->kind == SENS_OPT_CHOICE && option->choices[count]) count++;
    return count;
}

void sens_option_defaults(const struct sens_option *table, struct sens_value *value)
{
    for (size_t i = 0; i < sens_option_count(table); i++)
        value[i] = (struct sens_value){.number = table[i].fallback};
}

int sens_option_find(const struct sens_option *table, const char *name)
{
    for (size_t i = 0; i < sens_option_count(table); i++)
        if (strcmp(table[i].name, name) == 0) return (int)i;
    return -1;
}
