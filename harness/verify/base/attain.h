/* harness/verify/base/attain.h - what may be asked of a method whose order is its own. */
#ifndef VERIFY_ATTAIN_H
#define VERIFY_ATTAIN_H

#include "bed.h"

/* The tolerance `wanted`, or a looser one where the method would take more than `most` trial steps for it:
 * its order is observed in solves of the bed's task at loose tolerances, N ~ tol^(-1/order), and a looser
 * tolerance is one that it has met. A method of
 * fourth order and above, one with a tableau of ours, or one whose steps are not known is asked for what is
 * wanted. The bed's tolerances stay; its last solve does not. */
double attain_tolerance(struct bed *bed, double wanted, long most);

#endif
