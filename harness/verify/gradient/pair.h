/* harness/verify/gradient/pair.h - what the checks of a method on a problem share. */
#ifndef VERIFY_PAIR_H
#define VERIFY_PAIR_H

#include "expected.h"

enum { PAIR_STEPS = 8000 }; /* that a method is given */

struct pair {
    struct verify *v;
    const struct instance *instance;
    bool first;               /* instance */
    bool status_told, solved; /* of this instance */
};

/* Does the method of the unit declare this kind of derivative? */
bool pair_declares(const struct pair *pair, enum sens_derivative kind);
/* bed_solve; false: there are no numbers to go on with, and a result of pair.status says why. */
bool pair_solve(struct pair *pair, struct bed *bed);
/* The instance, and the end of its interval where that is not the problem's own. */
void pair_name_interval(const struct pair *pair, const struct bed *bed, char label[VERIFY_SUBJECT]);
struct verify_result pair_open(const struct pair *pair, const struct bed *bed, const char *check);
/* One result that says why the check was not made on this instance. */
void pair_skip(struct pair *pair, const char *check, const char *reason);
/* State, cost and gradient against the target, entry by entry; a skip where the bound is no smaller than the
 * derivative. */
void pair_judge(struct verify_result *result, const struct bed *bed, const struct expected *target);
/* Is the method no worse than it must be, though its gradient is beyond the target's bound? Where the state
 * is right and the error test sees nothing else: a state at rest, one that needs no such short steps as its
 * derivative, a part outside the test across a jump of rhs; or sees no quadrature. Then why is in reason. */
bool pair_excuse(const struct bed *bed, const struct expected *exact, const struct expected *target,
                 char reason[VERIFY_TEXT]);
/* SENS_IN_* that no error test of the task's backward solve need see. */
unsigned pair_untested_back(const struct bed *bed);
/* Is the result no farther off in these than a backward solve over equal steps, and right in all else? */
bool pair_quadrature_back(const struct bed *bed, const struct sens_out *got, const struct expected *exact,
                          const struct expected *target);
/* Blames single faults by what they do on the steps that the method reported, or on steps of its tolerance. */
void pair_blame(const struct bed *bed, const struct sens_out *right, struct verify_result *result);
/* Are x or G beyond their bounds? */
bool pair_state_fails(const struct bed *bed, const struct expected *target);

void pair_frozen(struct pair *pair); /* pair.frozen, pair.taylor */
void pair_exact(struct pair *pair);  /* pair.exact */
/* pair.exact on the whole interval, where that is stiff and explicit steps of ours do not reach its end. */
void pair_stiff(struct pair *pair, double tol);
void pair_identities(struct pair *pair); /* pair.identity */

#endif
