/* What the checks of the group steps are. */
#include "step_rules.h"

const struct verify_check steps_checks[] = {
    {.id = "steps.cover",
     .summary =
         "the reported steps chain from t0 to t1, land on every observation, and are as many as counted",
     .bound = "exact, but t + h = t1 to 8 eps max |t|",
     .explanation = "The accepted steps that the method tells the task's listener are walked through: the "
                    "first starts at t0, the last ends at t1, each starts where the one before ended, h > "
                    "0, t + h is t1, every observation time is the end of a step, and work.steps is their "
                    "number. A failure means that the method integrated over another interval than the "
                    "problem's, that an observation is taken from a state of another time, or that what it "
                    "reports is not what it did. Look at the end of the interval and at the handling of "
                    "stops first."},
    {.id = "steps.accepted",
     .summary = "every accepted step passes the error test of the controller that the task names",
     .bound = "scaled error <= 1 + what rounding can do to the estimate",
     .explanation =
         "Stages and error estimate of every reported step are computed again by plain loops, and the "
         "controller's norm by its published formula. A step whose scaled error exceeds 1 would have been "
         "rejected by the controller that the task names: the method uses another norm (a mean where a "
         "maximum is due, other weights atol + rtol |x|, components left out) or another estimate. Of a "
         "method that takes tolerances of each component (SENS_CAP_COMPONENTS) some tasks have them: look "
         "at which of them is taken with which component. Where another norm explains all steps, the text "
         "names it."},
    {.id = "steps.law",
     .summary = "each step follows from the one before by the step-size law that the task names",
     .bound = "rounding of the error estimate, carried through the law, + 16 eps h",
     .explanation =
         "From each reported step the next is predicted: scaled error, factor, cut at the next stop (or the "
         "rest up to it shared, or the step before it continued: docs/adding-a-method.md, Steps at a stop), "
         "and all trials that the law rejects on the way; the number of rejections must agree too. A failure "
         "is another exponent, safety factor or limit, or a norm that is larger than it should be (steps too "
         "small, so that every one still passes its test). Where another law or norm makes exactly these "
         "steps, the text names it."},
    {.id = "steps.fixed",
     .summary = "with the fixed step all steps are (t1 - t0) / M, and there are M",
     .bound = "8 eps max |t|",
     .explanation = "A task with the fixed step is run and the reported steps are counted and compared. "
                    "Fewer steps mean that the solve stops before t1, more that a sliver is left at the "
                    "end by accumulated rounding; other sizes that the step is adapted after all."},
    {.id = "steps.rejected",
     .summary = "state and gradient are right after rejected trials with a first-same-as-last pair",
     .bound = "rounding, measured on the oracle (Monte Carlo arithmetic)",
     .explanation = "The first trial step is the whole interval, so that trials are rejected. A "
                    "first-same-as-last pair takes the last slope of a step for the first of the next one: "
                    "after a rejection the slope of the rejected trial must not be taken. State and "
                    "gradient are compared with the oracle over the reported steps. Look at where the "
                    "first slope is declared known."},
    {.id = "steps.stiff",
     .summary = "steps of implicit formulas are as long as the solution allows, however stiff the equation",
     .bound = "40 steps, where growth from the first takes nine",
     .explanation = "y' = -1e6 (y - cos t) - sin t from y = 1 is cos t. An error estimate that is not "
                    "filtered takes stages "
                    "that are far off the slow solution for its error, and makes hundreds of steps. Look at "
                    "where h sum e_i "
                    "K_i is multiplied by (I - h gamma df/dx)^-1."},
    {.id = NULL}};
