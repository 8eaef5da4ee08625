/* harness/base/exit_codes.h - how the program ends. */
#ifndef BASE_EXIT_CODES_H
#define BASE_EXIT_CODES_H

enum {
    EXIT_OK = 0,
    EXIT_CHECK = 1,
    EXIT_USAGE = 2,
    EXIT_MISSING = 3,
    EXIT_SOLVER = 4,
    EXIT_INTERRUPTED = 130
};

#endif
