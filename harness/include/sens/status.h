/* sens/status.h - every outcome of a solve, in one list.
 *
 * A status is of one class: success; recoverable, where a smaller step may help; fatal; or harness, what is
 * said of a cell from outside and by no problem or method. The values are kept, because modules are built
 * with them, and say nothing. A function that returns a status other than SENS_OK has left its outputs
 * untouched, unless its comment says otherwise. The names are also the `status` column of a record. */
#ifndef SENS_STATUS_H
#define SENS_STATUS_H

#include <stdbool.h>

/*  X(code, value, class, name, message) */
#define SENS_STATUS_LIST(X)                                                                                  \
    X(SENS_OK, 0, SUCCESS, "ok", "success")                                                                  \
    X(SENS_NONFINITE, 1, RECOVERABLE, "nonfinite",                                                           \
      "the right-hand side or the state became infinite or NaN")                                             \
    X(SENS_OUT_OF_DOMAIN, 2, RECOVERABLE, "out_of_domain",                                                   \
      "the state left the domain of the right-hand side")                                                    \
    X(SENS_SINGULAR, 3, RECOVERABLE, "singular", "a linear system has no unique solution")                   \
    X(SENS_NOT_CONVERGED, 4, RECOVERABLE, "not_converged", "an iteration did not come to an end")            \
    X(SENS_NO_MEMORY, -1, FATAL, "no_memory", "memory could not be allocated")                               \
    X(SENS_BAD_INPUT, -2, FATAL, "bad_input", "an argument is out of its range or contradicts another")      \
    X(SENS_UNSUPPORTED, -3, FATAL, "unsupported", "the method cannot do what the task asks for")             \
    X(SENS_STEP_LIMIT, -4, FATAL, "step_limit", "max_steps was reached before the final time")               \
    X(SENS_STEP_UNDERFLOW, -5, FATAL, "step_underflow", "the step size fell below the spacing of t")         \
    X(SENS_DT_MISFIT, -6, FATAL, "dt_misfit",                                                                \
      "the fixed step does not divide the interval into whole steps")                                        \
    X(SENS_DIVERGED, -7, FATAL, "diverged",                                                                  \
      "the solution became infinite or NaN and no smaller step helped")                                      \
    X(SENS_RHS_FAILED, -8, FATAL, "rhs_failed", "the right-hand side reported an unrecoverable error")       \
    X(SENS_NOT_REPEATABLE, -9, FATAL, "not_repeatable", "a repeated solve took different steps")             \
    X(SENS_NO_TRUTH, -10, HARNESS, "no_truth", "no closed form and no stored reference for this cell")       \
    X(SENS_UNAVAILABLE, -11, FATAL, "unavailable",                                                           \
      "built without a library or an instruction set this needs")                                            \
    X(SENS_TIMEOUT, -12, HARNESS, "timeout", "the cell exceeded its time limit and was stopped")             \
    X(SENS_MEMORY_LIMIT, -13, HARNESS, "memory_limit", "the cell exceeded its memory limit")                 \
    X(SENS_CRASHED, -14, HARNESS, "crashed", "the cell's process died of a signal")                          \
    X(SENS_INTERRUPTED, -15, HARNESS, "interrupted", "stopped by the user")                                  \
    X(SENS_IO_ERROR, -16, HARNESS, "io_error", "a file could not be read or written")                        \
    X(SENS_NOT_REACHED, -17, HARNESS, "not_reached",                                                         \
      "no tolerance tried brings the error down to what was asked for")                                      \
    X(SENS_DISTURBED, -18, HARNESS, "disturbed",                                                             \
      "the cell's process could not be started, or was killed from outside")                                 \
    X(SENS_FP_STATE, -19, HARNESS, "fp_state",                                                               \
      "the method left another rounding mode or flush-to-zero behind")

enum sens_status {
#define SENS_STATUS_ENUM(code, value, class, name, message) code = (value),
    SENS_STATUS_LIST(SENS_STATUS_ENUM)
#undef SENS_STATUS_ENUM
};
typedef enum sens_status sens_status;

enum sens_status_class { SENS_CLASS_SUCCESS, SENS_CLASS_RECOVERABLE, SENS_CLASS_FATAL, SENS_CLASS_HARNESS };

/* Fatal for a value outside the list. */
static inline enum sens_status_class sens_status_class(sens_status status)
{
#define SENS_STATUS_CLASS(code, value, class, name, message)                                                 \
    if (status == (code)) return SENS_CLASS_##class;
    SENS_STATUS_LIST(SENS_STATUS_CLASS)
#undef SENS_STATUS_CLASS
    return SENS_CLASS_FATAL;
}

/* May a smaller step help? */
static inline bool sens_recoverable(sens_status status)
{
    return status != SENS_OK && sens_status_class(status) == SENS_CLASS_RECOVERABLE;
}

/* Does the solve end here? */
static inline bool sens_fatal(sens_status status)
{
    return status != SENS_OK && sens_status_class(status) != SENS_CLASS_RECOVERABLE;
}

/* The short name, as it stands in records ("step_limit"); "unknown" for a value outside the list. */
const char *sens_status_name(sens_status status);

/* One sentence for people. */
const char *sens_status_message(sens_status status);

/* The status with this name; returns 1 and stores it, or 0 when there is none. */
int sens_status_from_name(const char *name, sens_status *status);

#endif
