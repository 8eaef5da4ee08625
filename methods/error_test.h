/* methods/error_test.h - the choice that several methods offer: a part of the state in or out of the error
 * test. */
#ifndef SENS_ERROR_TEST_H
#define SENS_ERROR_TEST_H

#include <stddef.h>

enum { TEST_INSIDE, TEST_OUTSIDE };
static const char *const error_test_choices[] = {"inside", "outside", NULL};

#endif
