/* sens/status.h - every outcome of a solve, in one list.
 *
 * > 0 is recoverable (a smaller step may help), < 0 is fatal. A function that returns a status other than
 * SENS_OK has left its outputs untouched, unless its comment says otherwise. The names are also the `status`
 * column of a record. */
#ifndef SENS_STATUS_H
#define SENS_STATUS_H

/*  X(code, value, name, message) */
#define SENS_STATUS_LIST(X)                                                                                  \
    X(SENS_OK, 0, "ok", "success")                                                                           \
    X(SENS_NONFINITE, 1, "nonfinite", "the right-hand side or the state became infinite or NaN")             \
    X(SENS_OUT_OF_DOMAIN, 2, "out_of_domain", "the state left the domain of the right-hand side")            \
    X(SENS_SINGULAR, 3, "singular", "a linear system has no unique solution")                                \
    X(SENS_NOT_CONVERGED, 4, "not_converged", "an iteration did not come to an end")                         \
    X(SENS_NO_MEMORY, -1, "no_memory", "memory could not be allocated")                                      \
    X(SENS_BAD_INPUT, -2, "bad_input", "an argument is out of its range or contradicts another")             \
    X(SENS_UNSUPPORTED, -3, "unsupported", "the method cannot do what the task asks for")                    \
    X(SENS_STEP_LIMIT, -4, "step_limit", "max_steps was reached before the final time")                      \
    X(SENS_STEP_UNDERFLOW, -5, "step_underflow", "the step size fell below the spacing of t")                \
    X(SENS_DT_MISFIT, -6, "dt_misfit", "the fixed step does not divide the interval into whole steps")       \
    X(SENS_DIVERGED, -7, "diverged", "the solution became infinite or NaN and no smaller step helped")       \
    X(SENS_RHS_FAILED, -8, "rhs_failed", "the right-hand side reported an unrecoverable error")              \
    X(SENS_NOT_REPEATABLE, -9, "not_repeatable", "a repeated solve took different steps")                    \
    X(SENS_NO_TRUTH, -10, "no_truth", "no closed form and no stored reference for this cell")                \
    X(SENS_UNAVAILABLE, -11, "unavailable", "built without a library or an instruction set this needs")      \
    X(SENS_TIMEOUT, -12, "timeout", "the cell exceeded its time limit and was stopped")                      \
    X(SENS_MEMORY_LIMIT, -13, "memory_limit", "the cell exceeded its memory limit")                          \
    X(SENS_CRASHED, -14, "crashed", "the cell's process died of a signal")                                   \
    X(SENS_INTERRUPTED, -15, "interrupted", "stopped by the user")                                           \
    X(SENS_IO_ERROR, -16, "io_error", "a file could not be read or written")                                 \
    X(SENS_NOT_REACHED, -17, "not_reached",                                                                  \
      "no tolerance tried brings the error down to what was asked for")                                      \
    X(SENS_DISTURBED, -18, "disturbed",                                                                      \
      "the cell's process could not be started, or was killed from outside")                                 \
    X(SENS_FP_STATE, -19, "fp_state", "the method left another rounding mode or flush-to-zero behind")

enum sens_status {
#define SENS_STATUS_ENUM(code, value, name, message) code = (value),
    SENS_STATUS_LIST(SENS_STATUS_ENUM)
#undef SENS_STATUS_ENUM
};
typedef enum sens_status sens_status;

/* The short name, as it stands in records ("step_limit"); "unknown" for a value outside the list. */
const char *sens_status_name(sens_status status);

/* One sentence for people. */
const char *sens_status_message(sens_status status);

/* The status with this name; returns 1 and stores it, or 0 when there is none. */
int sens_status_from_name(const char *name, sens_status *status);

#endif
