/* harness/verify/run/verify_settings.h - options on the command line of verify. */
#ifndef VERIFY_SETTINGS_H
#define VERIFY_SETTINGS_H

#include "plan.h"
#include "spec.h"

enum { SETTINGS_TEXT = 512 };

struct verify_settings {
    struct sens_registry reg;        /* the same modules, in whose tables what was given is the default */
    const struct sens_option **held; /* those options of reg, ends with NULL */
    char given[SETTINGS_TEXT];       /* "T=20 lmm=bdf" */
};

/* Each pair is an option of at least one of the modules that the patterns of choice name, and is set in all
 * that have it: of the problems, else of the costs, else of the methods, unless the key says whose (problem.,
 * cost., method.). Memory from the arena. false: refused, and error says why. */
bool settings_apply(struct sens_ctx *ctx, const struct sens_registry *reg, const struct verify_choice *choice,
                    const struct spec *spec, struct verify_settings *settings, struct bench_error *error);

#endif
