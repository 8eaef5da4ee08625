/* harness/verify/call/batches.h - vjp_p_batch for K points and jvp_p_cols for ranges of columns. */
#ifndef VERIFY_BATCHES_H
#define VERIFY_BATCHES_H

#include "callbacks.h"

struct batch { /* points with times and states of their own */
    size_t K;
    double *t, *X; /* [K], [K][n] */
    const double *p;
};
struct batch batch_create(const struct subject *subject, size_t K);

/* One call for K points beside K calls, in blocks of L. */
void batch_note(struct worst *worst, const struct subject *subject, size_t K, size_t L);

/* The checks of these ids; the problem has parameters. */
void batch_check(const struct subject *subject, const char *check);
void columns_check(const struct subject *subject, const char *check);

#endif
