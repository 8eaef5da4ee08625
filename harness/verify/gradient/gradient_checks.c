/* What the checks of the group gradient are. */
#include "gradient_case.h"

const struct verify_check gradient_checks[] = {
    {.id = "solve.completes",
     .summary = "the method solves the probe: success, every output a finite number, nothing else written",
     .bound = "exact",
     .explanation =
         "The probe problem is smooth and mild, so that every method must solve it. Outputs are filled "
         "with NaN before the run and surrounded by guard values. A status other than success is the "
         "method's own; an output that is not finite was never written or came from something unset; a "
         "changed guard is a write outside an output. The probe offers neither rhs_t nor hvp, as a "
         "problem need not. If the method answers unsupported, and solves the probe once it offers hvp, "
         "rhs_t or both, all checks are made on that probe, and the report says so. Look at the message, "
         "then at the last outputs and at the loops over blocks."},
    {.id = "state.map",
     .summary =
         "x(t1) and G are those of the tableau over the same steps (or the exact ones to the tolerance)",
     .bound = "rounding, measured on the oracle by Monte Carlo arithmetic; or local errors of the tolerance",
     .explanation =
         "Where the steps are reported or fixed, the Runge-Kutta map is evaluated again over them by plain "
         "loops that share nothing with the method but rhs and the cost; otherwise state and cost are "
         "compared with the exact ones. A failure lies in the forward solve or in the sum that makes the "
         "cost, not in the derivative: stage times, coefficients, a lost step, an observation, the weights "
         "of the quadrature. Each such fault is tried on the oracle, and the one that reproduces the "
         "numbers is named first. Gradients need not be looked at before this passes."},
    {.id = "gradient.frozen",
     .level = VERIFY_TO_ROUNDING,
     .summary = "the gradient is the derivative of the discrete map over the reported steps, to rounding",
     .bound = "rounding, measured on the oracle by Monte Carlo arithmetic",
     .explanation =
         "Methods that declare the discrete derivative report their accepted steps. The derivative of the "
         "map over just these steps is computed forwards and in reverse by plain loops, one direction and "
         "one output at a time. Agreement must be to rounding: there is no tolerance behind which a wrong "
         "digit could hide. A failure with a right state.map is a fault of the sweep; the catalogue of "
         "single faults is tried, and those that reproduce the wrong numbers are named. The text also "
         "gives the distances from the exact derivative and from that of the map with its step controller, "
         "in case another kind is computed."},
    {.id = "gradient.exact",
     .level = VERIFY_TO_TOLERANCE,
     .summary = "the gradient is that of the exact solution, within the method's tolerance",
     .bound = "local errors of the tolerance and of the interpolant, carried through the problem's own "
              "conditioning; for quotients |G''| h + 2 noise / h",
     .explanation = "The exact derivative is the tangent of the eighth-order pair on fine steps, halved "
                    "for its uncertainty. The bound is measured: the same derivative is computed with "
                    "disturbances of the size of the tolerance in every step. A difference quotient may be "
                    "off by its truncation, from second derivatives, and by the noise of what is divided. "
                    "A failure with a right state.map means that the equations of the sensitivities or of "
                    "the adjoint are wrong, or that they are outside the error test."},
    {.id = "gradient.taylor",
     .summary = "G(q + eps d) - G(q) - eps G' d falls as eps^2 over the frozen steps, in random directions",
     .bound = "2 - slope <= 1/2 over the lowest clean decade of eps; else remainders at rounding level",
     .explanation =
         "Only rhs and the cost itself are used: the map over the frozen steps is evaluated along random "
         "directions of p and x0 for many eps, and the method's gradient is subtracted. A right derivative "
         "leaves a remainder of second order; a wrong one leaves its error times eps, and the slope at the "
         "fine end is 1. This finds what a jvp and a vjp that share one mistake would hide. The slope is "
         "taken from the lowest clean stretch and not from one eps."},
    {.id = "gradient.bilinear",
     .summary =
         "lambda(t)^T delta x(t) is the same wherever the method is started again along the trajectory",
     .bound = "four times rounding (discrete, fixed step) or four times the tolerance's bound (continuous)",
     .explanation = "The method is started again at inner times from the state there; its derivative by "
                    "that state is lambda. Contracted with the oracle's delta x it must give the gradient "
                    "from t0, whatever the time. A failure means that the reverse sweep is not the "
                    "transpose of the tangent at some step, or that the result depends on where the "
                    "interval begins (absolute time, the first step, terms at t0)."},
    {.id = "kind.declared",
     .summary = "the gradient is of the kind that the method declares, where the kinds differ",
     .bound = "distances between the three derivatives, against rounding",
     .explanation =
         "On every task where the exact and the frozen derivative are clearly apart, the gradient must not "
         "be the other one: a discrete method ten times nearer to the exact derivative, a continuous one "
         "that equals to rounding the discrete derivative over steps chosen for the state alone (its "
         "sensitivities are then outside the error test), or a quotient without any quotient's error is "
         "misdeclared. The declaration decides what the other checks demand."},
    {.id = "gradient.own",
     .level = VERIFY_TO_ROUNDING,
     .summary = "a method of unknown steps: the gradient is the derivative of the method's own values",
     .bound = "truncation and rounding of the differences, measured by extrapolation and repetition; for "
              "rounding, what the method's iterations leave",
     .explanation =
         "Where a discrete method has a tableau or steps of its own, its map cannot be made again. Its "
         "values G at moved parameters and initial states can: their central differences, extrapolated, must "
         "be the gradient along the direction moved, if the steps are the same for all of them. With a step "
         "controller they are where the problem has a faint copy of itself beside it, 2^-100 times as large, "
         "and only the copy's parameters and states are moved: no error test with an absolute tolerance sees "
         "it. A method whose iterations leave something of the equations of its steps says how much "
         "(sens_work.residual); it counts as rounding does, and must be at most a tenth of the tolerance, or "
         "1e-8 without one. The tolerance is loose, 1e-4, so that the derivative of the solution is far "
         "away. One task is observed at times that fewer than 10,000 equal steps do not meet, so that steps "
         "change their length. A failure says that the gradient is not the derivative of what the method "
         "computes. Where it is the exact one to the tight tolerance of the task, no term is missing, and it "
         "is another kind of derivative; else look at the parameter product, then at the initial state."},
    {.id = "gradient.rounding",
     .summary = "a declared discrete derivative is held to rounding in at least one way",
     .bound = "none: it is so or not",
     .explanation = "A derivative of the discrete map is right to rounding or wrong, and a comparison to a "
                    "tolerance does not tell it from a continuous one. gradient.frozen compares it over the "
                    "reported steps, for methods with SENS_CAP_TABLEAU and SENS_CAP_STEPS; gradient.own with "
                    "differences of the method's own values, whose steps must not move with a faint copy of "
                    "the problem. Where neither could be made in any task, this check fails: let the method "
                    "take a tableau and report its steps, or let its error test have an absolute tolerance."},
    {.id = NULL}};
