/* harness/verify/tasks/diagonal.h - problems whose states do not see one another, with one parameter:
 *
 *     x_i' = f_i(t, x_i, p),      J = diag(df_i/dx_i) = J^T
 *
 * A group that needs an equation of its own writes down f and its two slopes; the products follow. */
#ifndef VERIFY_DIAGONAL_H
#define VERIFY_DIAGONAL_H

#include "check.h"

struct diagonal_slopes {
    double by_x, by_p; /* df_i/dx_i, df_i/dp */
};
typedef struct diagonal_slopes diagonal_function(const struct sens_problem *pb, const struct sens_at *at,
                                                 size_t i);

/* From the unit's arena. */
const struct sens_problem_type *diagonal_type(struct verify *v, const char *name,
                                              sens_status (*rhs)(const struct sens_problem *pb,
                                                                 const struct sens_at *at, double *dx),
                                              diagonal_function *slopes);

#endif
