/* methods/rules/linear_option.h - the choice that methods with implicit steps offer: what solves their linear systems
 * (methods/linear/shifted.h). Who prepares such a method hands it to its context, as ctx->linear. */
#ifndef SENS_LINEAR_OPTION_H
#define SENS_LINEAR_OPTION_H

#include "sens/option.h"

/* In the order of enum sens_kernel_choice. */
static const char *const linear_choices[] = {"auto", "own", "lapack", "klu", "umfpack", NULL};

#define SENS_LINEAR_OPTION                                                                                   \
    {                                                                                                        \
        .name = "linear", .kind = SENS_OPT_CHOICE, .fallback = SENS_KERNEL_AUTO, .choices = linear_choices,  \
        .help = "linear systems of implicit steps: by what they are; dense by own loops or LAPACK; sparse "  \
                "by KLU or UMFPACK"                                                                          \
    }

#endif
