/* derive/provider/step_agree.h - do the steps of an engine do what plain loops over a problem's functions do? */
#ifndef DERIVE_STEP_AGREE_H
#define DERIVE_STEP_AGREE_H

#include "refuse.h"
#include "sens/problem.h"

/* Compares a step with the formulas of sens/tableau.h, or of the discrete adjoint, in plain loops over rhs, vjp and
 * vjp_p_batch of the problem: from points near the initial state and with vectors that are drawn. The difference of
 * each number is held against what it changes by when all inputs change by one part in 2^36. Steps that the engine was
 * not made for, or that are not finite, are passed over. False, with a sentence: they differ, or there is no memory.
 * engine->holds is used; which step is compared, the caller says. */
bool step_forward_agrees(const struct sens_problem *pb, const struct sens_step_engine *engine,
                         struct bench_error *error);
bool step_reverse_agrees(const struct sens_problem *pb, const struct sens_step_engine *engine,
                         sens_step_reverse *reverse, size_t L, bool with_mu, struct bench_error *error);

#endif
