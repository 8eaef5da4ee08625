/* harness/verify/tasks/offers.h - what the harness's own problems offer beyond what every problem has: nothing, as a
 * method has to show what it does without it. A method may refuse such a problem (SENS_UNSUPPORTED), as a Rosenbrock
 * formula does that asks for df/dt, and second derivatives for its tangent. It is then looked at on problems that offer
 * the least that it takes. */
#ifndef VERIFY_OFFERS_H
#define VERIFY_OFFERS_H

#include "probe.h"

/* VERIFY_*: asked of the unit's method once, by solves of the probe of these sizes to a loose tolerance; without a
 * method none. */
unsigned offers_wanted(struct verify *v);
/* "rhs_t, hvp" */
const char *offers_words(unsigned offers);

#endif
