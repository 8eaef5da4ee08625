/* The switch of the mutants: SENS_MUTANT in the environment is the number of the fault that is
 * on; 0: none. */
#include <stdio.h>
#include <stdlib.h>

extern int sens_mutant;
int sens_mutant;

__attribute__((constructor)) static void read_switch(void)
{
    const char *const text = getenv("SENS_MUTANT");
    char *end;
    if (!text) return;
    const long number = strtol(text, &end, 10);
    if (*end || end == text || number < 0 || number > 100000) {
        fprintf(stderr, "SENS_MUTANT=%s is not the number of a mutant\n", text);
        exit(2);
    }
    sens_mutant = (int)number;
}
