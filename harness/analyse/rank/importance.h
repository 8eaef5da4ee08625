/* harness/analyse/rank/importance.h - how much a parameter matters, as one number (Brun, Reichert and Kuensch, Water
 * Resour. Res. 37 (2001) 1015, equations 8-10; Soetaert and Petzoldt, J. Stat. Softw. 33(3) (2010), whose L1 and L2,
 * divided by the number N of values, are mabs and msqr). Of the values s = p_k S_ik(t_j)/unit that exist:
 *
 *     msqr = sqrt(sum s^2 / N),   mabs = sum |s| / N,   L1 = sum |s|,   L2 = sqrt(sum s^2). */
#ifndef ANALYSE_IMPORTANCE_H
#define ANALYSE_IMPORTANCE_H

#include "analysis.h"

enum importance_kind { MSQR, MABS, L1, L2, IMPORTANCES };
extern const char *const importance_name[IMPORTANCES];

struct importance {
    size_t parameter, values;  /* N */
    double value[IMPORTANCES]; /* NaN where N is 0 */
    double error[IMPORTANCES]; /* distance to the same of the closer solve */
};

/* Of the states first ... first + count - 1 of the choice, all times together; every chosen parameter, the largest
 * msqr first, NaN last. importance [parameters]; SENS_NO_MEMORY. */
sens_status importance_rank(struct sens_ctx *ctx, const struct analysis *analysis, size_t first, size_t count,
                            struct importance *importance);

#endif
