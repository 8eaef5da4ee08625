/* harness/truth/fingerprint.h - what a problem and a cost are, in numbers: so that a stored solution of
 * another problem of the same name is known as such.
 *
 *     t      t0, t1, and the observation times
 *     p, x0  nominal; x0 also at the parameters of the probes, where it depends on them
 *     f      the right-hand side at the probes
 *     phi, g the cost at the probes: observations, each with a weight of its own, and running cost
 *
 * The probes are PROBES points (t, x, p) that depend on the problem's n, np, t0, t1, x0 and p alone: the
 * nominal point at t0, and points at later times with every entry of x and p moved by up to a quarter of
 * itself (an entry that is zero: away from zero). A vector of more than FOLD entries is folded into FOLD
 * weighted sums.
 *
 * Two fingerprints are the same when each number differs by no more than
 *
 *     1e-12 times the largest of its kind over the probes (sums by absolute values),
 *
 * for f 4e-16 of its largest component more: rounding of other instruction sets and contraction stay below
 * it by a factor of a hundred and more, and a constant that is altered in its tenth digit does not. What no
 * probe calls cannot be seen: a term that is switched on far from the nominal point. */
#ifndef TRUTH_FINGERPRINT_H
#define TRUTH_FINGERPRINT_H

#include "cell.h"

enum {
    FINGERPRINT_PROBES = 4,
    FINGERPRINT_FOLD = 32,
    FINGERPRINT_MAX = FINGERPRINT_PROBES * FINGERPRINT_FOLD
};
enum fingerprint_part { PRINT_T, PRINT_P, PRINT_X0, PRINT_F, PRINT_PHI, PRINT_G, FINGERPRINT_PARTS };
extern const char *const fingerprint_part_name[FINGERPRINT_PARTS];

struct fingerprint_numbers {
    size_t count, width; /* width divides count: number k is of the same kind as k - width */
    double value[FINGERPRINT_MAX];
    double size[FINGERPRINT_MAX]; /* the same sums over absolute values */
};

struct fingerprint {
    struct fingerprint_numbers part[FINGERPRINT_PARTS];
};

/* Of the problem and cost of a resolved cell. SENS_NO_MEMORY; scratch from the arena, given back. Where the
 * right-hand side fails at a probe, its numbers are NaN. */
sens_status fingerprint_make(struct sens_ctx *ctx, const struct cell *cell, struct fingerprint *print);

/* Whether `stored`, of which count and value are read, is the same as `now`. false: difference says where. */
bool fingerprint_same(const struct fingerprint *now, const struct fingerprint *stored,
                      struct bench_error *difference);

#endif
