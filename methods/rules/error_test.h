/* methods/rules/error_test.h - the choice that several methods offer: a part of the state in or out of the
 * error test; and what follows for those that have all of it inside. */
#ifndef SENS_ERROR_TEST_H
#define SENS_ERROR_TEST_H

#include "sens/method.h"

enum { TEST_INSIDE, TEST_OUTSIDE };
static const char *const error_test_choices[] = {"inside", "outside", NULL};

/* The option, by its default and its help. */
#define SENS_TEST_OPTION(chosen, text)                                                                       \
    {                                                                                                        \
        .name = "sens_test", .kind = SENS_OPT_CHOICE, .fallback = (chosen), .choices = error_test_choices,   \
        .help = (text)                                                                                       \
    }

/* Of `verify`: with a controller whose norm is a mean, outputs that are zero change the steps. */
#define MEAN_NORM_LIMIT                                                                                      \
    {                                                                                                        \
        "test.dilution", "*hairer-pi*",                                                                      \
            "the controller's norm is a root mean square over the whole system that is solved, "             \
            "sensitivities and quadratures among it",                                                        \
            .always = true                                                                                   \
    }

#endif
