/* harness/verify/base/causes.h - the probable causes that a failure can be given, in one list.
 *
 * X(id, sentence): what is wrong, and after the colon what gives it away. */
#ifndef VERIFY_CAUSES_H
#define VERIFY_CAUSES_H

#include <stdbool.h>

#include "sens/method.h"

#define VERIFY_CAUSE_LIST(X)                                                                                 \
    /* the derivative products of a problem or a cost */                                                     \
    X(jacobian_entry, "one entry of the Jacobian is wrong: the error is in one row and column only")         \
    X(jacobian_row, "one component's derivative is wrong: the error is in one row of the Jacobian")          \
    X(jacobian_transposed, "J and J^T are exchanged: the product is right for the transposed matrix")        \
    X(product_sign, "a product has the wrong sign: its negative is right")                                   \
    X(product_factor, "a product has a wrong factor: every entry is off by the same one")                    \
    X(parameter_entry, "the derivative by one parameter is wrong: the error is in one column of f_p, or in " \
                       "one number of a cost's phi_p or g_p")                                                \
    X(missing_diagonal,                                                                                      \
      "the diagonal of the declared Jacobian is wrong or missing: the error is in entries "                  \
      "of equal row and column only")                                                                        \
    X(structure_entry,                                                                                       \
      "declared structure has wrong numbers: the products are right, and entries of the declared Jacobian "  \
      "or df/dp are not")                                                                                    \
    X(sparsity_pattern,                                                                                      \
      "the declared sparsity leaves an entry out: a product is not zero where the pattern "                  \
      "has nothing")                                                                                         \
    X(not_constant, "df/dx depends on t or on the state, and the problem declares jacobian_constant")        \
    X(outer_order, "the factors phi of an outer product are in another order than the parameters: right up " \
                   "to a permutation of columns")                                                            \
    X(product_time, "a product uses another time than rhs: it is right at one t only")                       \
    X(time_derivative, "df/dt is wrong: rhs_t is not the slope of rhs in t at a held state")                 \
    X(not_autonomous, "rhs depends on t, and the problem declares that it is autonomous")                    \
    X(second_derivative, "second derivatives are wrong: hvp is not the derivative of vjp and vjp_p_batch")   \
    X(product_point, "a product uses another state or other parameters than it is given: right at the "      \
                     "nominal point only")                                                                   \
    X(pair_agrees_wrongly, "jvp and vjp share one mistake: they are transposes, yet rhs says otherwise")     \
    X(rhs_itself, "rhs itself is wrong: its products agree with one another and with the closed form")       \
    X(output_overwritten, "an output that is to be added to is overwritten: wrong where it was not zero")    \
    X(output_read,                                                                                           \
      "what an output that is to be added to holds before is read, and goes into what is added")             \
    X(output_accumulated, "an output that is to be written is added to: wrong where it was not zero")        \
    X(lane_tail, "the last lanes are lost: wrong where the lane count is no multiple of a vector")           \
    X(lane_mixed, "lanes are mixed up: a lane's result depends on its place or its neighbours")              \
    X(lane_offset, "the first cost or column of a block is ignored: wrong for c0 > 0 or k0 > 0")             \
    X(batch_last_point, "the last point of a batch is lost: right for K = 0 and where the last weight is 0") \
    X(batch_one_point,                                                                                       \
      "points of a batch are not taken each by itself: one's time or state stands for all, "                 \
      "or what was found for the one before is kept or led on; right for K = 1")                             \
    X(lane_count, "one number of lanes goes a way of its own: right for fewer and for more")                 \
    X(lane_past_end, "lanes past the last functional are written: they must stay as they are")               \
    X(cost_weight, "the weight w of the running cost is left out or enters twice: right for w = 1")          \
    X(cost_times, "observation times or callbacks of the cost do not belong together")                       \
    X(cost_nominal,                                                                                          \
      "create of a cost makes numbers of the problem's p or x0: G moves with them, its gradient does not")   \
    X(cost_jump, "a cost jumps in time or at a state: steps go across it, and no derivative tells of it")    \
    X(nominal_read, "rhs or a product reads the parameters of the instance, not those that it is given")     \
    X(nominal_kept,                                                                                          \
      "create of a problem makes numbers of the nominal p: f or x0 moves with them, no derivative does")     \
    X(cost_recorded, "a cost has no gradients of its own, and they cannot be derived from its functions")    \
    X(product_window, "a product is wrong in a part of the interval only: right at other times")             \
    X(product_off_solution, "a product is right only where the solution goes: wrong at states beside it")    \
    X(branch, "a function in pieces (abs, min, max, if) is differentiated as if it were one: right for "     \
              "some states or parameters, wrong for others")                                                 \
    X(difference_quotient, "a product is a difference quotient: half of its digits are right, and it is "    \
                           "not linear in its vector")                                                       \
    X(quotient_bump,                                                                                         \
      "the bump of a difference quotient is too small or too large, or a column is moved by none")           \
    X(common_bump,                                                                                           \
      "one bump of a difference quotient serves components of different sizes (from the largest, or "        \
      "another one): right where all are of one size")                                                       \
    X(jump_moves, "f jumps at a time or a state that depends on a parameter: df/dp lacks the derivative of " \
                  "the time of the jump")                                                                    \
    X(branch_gap, "two formulas for the same thing, on either side of a comparison, do not meet: f jumps "   \
                  "there by a small part of itself")                                                         \
    X(option_path,                                                                                           \
      "what an option switches on or scales is differentiated wrongly: right with the defaults")             \
    X(measured_quantities,                                                                                   \
      "quantities that are measured beside the states enter a derivative wrongly: another column is read, "  \
      "or what they have of p is left out; right where states alone are measured")                           \
    X(repeated_entries,                                                                                      \
      "rows of a table that name the same places overwrite one another where they are to be added: right "   \
      "where each is named once")                                                                            \
    X(size_limit, "something has a fixed size: right for few states, parameters, lanes or points, wrong "    \
                  "past a number of them")                                                                   \
    X(zero_cotangent_skipped,                                                                                \
      "work is skipped where a vector is zero: what the output held stays, or other lanes lose it")          \
    X(scale_threshold,                                                                                       \
      "small numbers are dropped or large ones clipped: a product is not linear in its vector")              \
    X(cost_observation, "the derivative of a cost is wrong at some observations: right at the others")       \
    X(cost_window,                                                                                           \
      "the derivative of a running cost is wrong in a part of the interval: right at other times")           \
    X(cost_order, "a cost depends on the order of its calls: right term by term, wrong in a solve")          \
    X(race_in_callback,                                                                                      \
      "a callback keeps numbers in memory that threads share: wrong when two call it at once")               \
    X(shared_between_instances, "instances share memory: one changes when another is created or used")       \
    X(structure_kept, "a provider leaves the problem's structure declared: its products are never called")   \
    X(contract_unchecked, "an instance is created that the contract forbids")                                \
    X(out_of_bounds, "memory outside an output is written: the guard round it has changed")                  \
    X(input_changed, "an input is changed by the call")                                                      \
    X(impure, "the result depends on earlier calls: equal inputs give other bits")                           \
    X(exact_zero,                                                                                            \
      "a number that is exactly 0, or whole, is treated apart: a product is right on both sides of it, and " \
      "is neither of them there")                                                                            \
    X(initial_products, "x0, x0_vjp and x0_jvp_cols do not belong together")                                 \
    X(initial_algebraic, "x0 does not satisfy the algebraic equations, which are the rows of zeros of M")    \
    X(initial_held,                                                                                          \
      "x0 does not follow the parameters: the algebraic equations hold at the nominal ones alone")           \
    X(no_values,                                                                                             \
      "rhs has no values where the solution goes: it ends with a status, or is no number, before t1")        \
    X(closed_form_wrong, "the closed form is wrong: it does not satisfy the equations it is to solve")       \
    X(identity_wrong, "the identity is wrong: the oracle's derivative breaks it too")                        \
    X(fp_environment, "the floating-point environment is changed and not restored")                          \
    /* the forward solve */                                                                                  \
    X(stage_time, "stage times ignore c_i h: the error vanishes on autonomous problems")                     \
    X(stage_time_shifted, "stage times are those of another stage: the error vanishes on autonomous "        \
                          "problems")                                                                        \
    X(tableau_transposed, "transposed tableau, a_ij for a_ji: stages do not feel one another")               \
    X(tableau_coefficient, "a coefficient of the tableau is wrong: the order in h is too low")               \
    X(wrong_weights, "wrong weights b_i: those of the embedded formula or of another stage")                 \
    X(missing_weight, "b_i is missing: stages count equally")                                                \
    X(missing_step, "the step size is missing or is another step's")                                         \
    X(step_from_times,                                                                                       \
      "the step is taken from differences of stored times: wrong in the last digits, where "                 \
      "steps are recomputed")                                                                                \
    X(stops_early, "the solve stops before t1, or skips its last step")                                      \
    X(first_step_lost, "the first step is left out: as if the solve began at t0 + h")                        \
    X(stale_slope, "a step starts from another step's slope (first same as last): wrong after rejected or "  \
                   "recomputed steps")                                                                       \
    X(stale_stage, "products are taken at another state than the stage's: right for linear problems")        \
    X(controller_norm, "the error norm of the step controller is not the one it names: accepted steps fail " \
                       "its test, or steps are too small")                                                   \
    X(controller_law, "the step-size law is not the one it names: h_(k+1) / h_k is another function of err") \
    X(estimate_unfiltered,                                                                                   \
      "the error estimate of an implicit step is not filtered: steps are short where the equation is stiff " \
      "and the solution slow")                                                                               \
    X(diluted_test, "the error test averages over more than the state: outputs or parameters that change "   \
                    "nothing change the steps")                                                              \
    X(outside_test, "sensitivities are outside the error test: their error does not follow the tolerance")   \
    X(checkpoint, "recomputed steps differ from those taken: the gradient depends on the checkpoint policy") \
    /* the reverse or tangent sweep */                                                                       \
    X(last_batch, "the last batch of parameter cotangents is lost: error only in dG/dp, from the first "     \
                  "steps in time")                                                                           \
    X(zero_weight_stages, "stages with b_i = 0 are skipped in the parameter product: error only in dG/dp, "  \
                          "only for tableaux with such stages")                                              \
    X(parameter_sum, "products with df/dp are summed with other weights, or at other stages, than the "      \
                     "derivative by the state: error only in dG/dp")                                         \
    X(missing_initial_term, "missing initial-state term: the error is proportional to dx0/dp")               \
    X(missing_parameter_term, "missing df/dp: dG/dp has only what comes through the initial state")          \
    X(missing_explicit_cost, "missing explicit dependence of the cost on p: error only in dG/dp, only for "  \
                             "costs with phi_p or g_p")                                                      \
    X(explicit_elsewhere,                                                                                    \
      "the cost's explicit derivative (phi_p, g_p) is taken at another time, state or observation than "     \
      "the cost: error only in dG/dp, only for costs that depend on p")                                      \
    X(missing_running_cost, "missing g_x in the sweep: error only for running costs")                        \
    X(observation_t0, "the observation at t0 is skipped")                                                    \
    X(observation_t1, "the observation at t1 is skipped")                                                    \
    X(observation_between, "observations between t0 and t1 are skipped or enter at another step")            \
    X(quadrature_weights, "the quadrature uses another step's weights: error only for running costs, gone "  \
                          "with equal steps")                                                                \
    X(quadrature_state, "the quadrature is evaluated at another state than the stage's: error only for "     \
                        "running costs")                                                                     \
    X(gradient_sign, "the gradient has the wrong sign")                                                      \
    X(gradient_factor, "the gradient has a wrong factor: every entry is off by the same one")                \
    X(dropped_stage, "a stage's contribution is dropped from lambda (or from the tangent)")                  \
    X(mass_matrix, "the mass matrix M is transposed, left out or in a wrong place: right for x' = f")        \
    X(jacobian_not_transposed, "the reverse sweep multiplies by J where J^T is due: right for symmetric J")  \
    X(second_left_out,                                                                                       \
      "second derivatives are left out where df/dx is part of the formula: right for linear problems")       \
    X(slope_t_left_out, "df/dt is left out where it is part of the formula: right for autonomous problems")  \
    X(matrix_of_other_step, "a linear system has the matrix of another step")                                \
    X(h_gamma_of_other_step, "the matrix of a linear system has h gamma of another step: right for equal "   \
                             "steps")                                                                        \
    X(row_exchange,                                                                                          \
      "rows of a linear system are exchanged wrongly or not at all: right where its diagonal dominates")     \
    X(part_of_other_step, "a step is differentiated by a formula that did not take it: right where steps "   \
                          "do not switch")                                                                   \
    X(coefficients_of_other_part, "one part of a split is taken with the coefficients of the other")         \
    X(jacobian_held,                                                                                         \
      "one Jacobian is used for the whole solve, that of t0 and x0: right where it is constant")             \
    X(matrix_entries,                                                                                        \
      "a matrix lacks entries that are 0 where the solve begins, or keeps those of factors that its "        \
      "pattern "                                                                                             \
      "has no place for: right where all entries are there from the start, and none fills in")               \
    X(initial_term_added, "dx0/dp enters although the task holds x0: right where x0 depends on p")           \
    X(single_precision, "numbers pass through single precision, or have as few digits: errors of about "     \
                        "1e-8, whatever the steps and the tolerance")                                        \
    X(negative_weight, "a negative weight is taken for none, or for its size: right where all b_i > 0")      \
    X(stale_jacobian, "the Jacobian of another point is used, or one that was formed before: right for "     \
                      "linear problems")                                                                     \
    X(structure_misused, "declared structure is multiplied wrongly: without it the gradient is another")     \
    X(dirty_buffer, "results are added to what the last run left: the second run differs from the first")    \
    X(stale_workspace, "work space is not reset between runs, outputs or blocks")                            \
    X(lanes_lost, "outputs at the end of the list are lost: wrong from one output on")                       \
    X(lanes_shifted, "outputs are shifted: a row of the gradient is another output's")                       \
    X(later_block, "blocks of lanes after the first take numbers of the first: wrong past one block of "     \
                   "outputs or columns")                                                                     \
    X(extra_sweep, "a sweep too many: more work than the outputs need where their number fills the lanes")   \
    X(cache_by_address,                                                                                      \
      "a cache is keyed by an address: another task at the same place gets the numbers of the first")        \
    X(kept_between_solves,                                                                                   \
      "something is kept from one solve to the next and told by too little: right alone, "                   \
      "wrong behind another task")                                                                           \
    X(data_race, "threads share memory: the result depends on the thread count or differs between runs")     \
    X(equal_sizes,                                                                                           \
      "sizes are taken for one another: wrong where two of n, np and m are equal, or right there only")      \
    X(remainder, "numbers that leave a rest are treated wrongly: right for even ones or multiples of a "     \
                 "block, wrong for others, or the other way round")                                          \
    X(too_few,                                                                                               \
      "a size is taken to be two or more: wrong for one state, parameter or output, right for several")      \
    X(empty_set, "an empty set is not expected: wrong without parameters or observations, right with some")  \
    X(after_rejection, "something of a rejected trial step stays: right where no trial is rejected")         \
    X(many_threads, "there is room for a few threads only: right with up to some number of them")            \
    X(many_states, "there is room for a few states only: right up to some n, wrong beyond it")               \
    X(many_parameters, "there is room for a few parameters only: right up to some np, wrong beyond it")      \
    X(many_outputs, "there is room for a few outputs only: right up to some m, wrong beyond it")             \
    X(many_lanes, "there is room for a few lanes only: right up to some number of lanes")                    \
    X(large_batch, "there is room for a few points of a batch only: right up to some batch")                 \
    X(many_steps, "there is room for a few steps only: right up to some number, wrong beyond it")            \
    X(many_observations, "there is room for a few observations only: right up to some number of them")       \
    X(observation_times,                                                                                     \
      "observation times are rounded or merged: right for equally spaced ones, wrong for "                   \
      "irregular or close ones")                                                                             \
    X(rest_skipped,                                                                                          \
      "while the state rests, steps are skipped or iterations end, although its derivatives still change")   \
    X(lands_beside,                                                                                          \
      "a step that ends near a stop is taken for one that ends there: the state behind it is late or early") \
    X(initial_time, "t0 is taken to be 0 or positive: wrong for another t0")                                 \
    X(interval_length, "a length of time is built in: right on one interval, wrong on a longer or shorter")  \
    X(tolerance_of_other,                                                                                    \
      "a tolerance is that of another component or part, or one that is given is ignored: right where all "  \
      "are equal")                                                                                           \
    X(unseen_component,                                                                                      \
      "a component is not looked at: by the error test, or by what says that the state has settled")         \
    X(tolerance_floor, "a tolerance of its own is built in: right at a loose one, no nearer at a tight one") \
    X(tolerances_mixed, "rtol and atol are exchanged, or one is taken for both: right where they are equal") \
    X(state_scale, "a size is built in: right for states near 1, wrong for large or small ones")             \
    X(cancels, "digits cancel in a formula that divides by a small number: right at a value of its own, "    \
               "wrong beside it")                                                                            \
    X(option_value, "an option, tableau or controller changes more than it says: right at its default, "     \
                    "wrong at another value")                                                                \
    X(refuses_declared, "what the method declares to take is refused: unsupported for some sizes or values") \
    X(step_limit,                                                                                            \
      "max_steps is taken for something else: the result depends on a limit that is not reached")            \
    X(least_step, "a step shorter than some least one is accepted whatever its error")                       \
    X(one_part_only, "dG/dp and dG/dx0 disagree with what is computed when only one is asked for")           \
    X(absolute_time, "the method takes t - t0 for t: a shifted problem gives another gradient")              \
    X(zero_tolerance,                                                                                        \
      "an error of 0 over a tolerance of 0 is no number: a step is accepted whatever the other errors")      \
    X(settled_by_cost, "steps follow G and not the state: too few where G is small or does not move")        \
    X(held_time, "t0 is passed for t in a part of the work: right where nothing depends on t")               \
    X(derivative_not_solver, "the derivative is wrong, not the solver: its error stays as the tolerance "    \
                             "falls while the state converges")                                              \
    X(lower_order,                                                                                           \
      "the derivative is of lower order than the state: the state between the steps is interpolated, "       \
      "or a quadrature made, by a formula of low order")                                                     \
    X(solver_not_derivative, "the solver is wrong, not the derivative: the state is off on the same steps")  \
    X(unstable_reverse, "the backward re-integration is unstable: it grows what the solution damps")         \
    X(kind_misdeclared, "the method computes another kind of derivative than it declares")                   \
    /* failures */                                                                                           \
    X(failure_swallowed, "a failure of rhs is swallowed: success is reported with numbers of another solve") \
    X(not_made_smaller, "a step that failed is not made smaller as often as it takes")                       \
    X(not_converged, "an iteration ends before its equations are solved, and success is reported")           \
    X(nan_masked, "NaN is mapped to a number: a product that is not finite gives a finite gradient")         \
    X(misfit_accepted, "a fixed step that does not divide the interval is taken for one that does")          \
    X(limit_ignored, "max_steps is ignored, or a truncated solve is returned as a number")                   \
    X(allocation_unchecked, "a refused allocation is not noticed")                                           \
    X(allocates_in_run, "run allocates memory")                                                              \
    X(contract_broken,                                                                                       \
      "a callback is asked for what the contract excludes: columns past np, an observation that is not "     \
      "there, a time outside [t0, t1], memory shared by input and output")                                   \
    X(machine_path,                                                                                          \
      "what is known of the machine changes the numbers: caches and cores lead to a path that is wrong")     \
    X(memory_lost, "memory is taken in each solve and never given back")                                     \
    X(work_miscounted, "the work that is told (steps, lanes, threads) is not the work that was done")        \
    X(limit_too_wide, "a known limit is declared that would excuse more than a limit may")                   \
    X(crash, "the module crashes")                                                                           \
    X(no_return, "the module does not return, or takes longer than the limit of time")

enum cause {
#define VERIFY_CAUSE_ENUM(id, sentence) CAUSE_##id,
    VERIFY_CAUSE_LIST(VERIFY_CAUSE_ENUM)
#undef VERIFY_CAUSE_ENUM
        CAUSE_COUNT
};

/* "last_batch", as it stands in results. */
const char *cause_name(enum cause cause);
/* Says where to look and not what to mend, and fits most faults: the solver, the derivative, a factor, the
 * kind. */
bool cause_is_general(enum cause cause);
/* Can a failure of this method have the cause? Not one of what the method does not have: a step controller of
 * ours, checkpoints, threads, a state that is integrated back (`reintegrates`: as its work shows). method may
 * be NULL. */
bool cause_possible(const char *name, const struct sens_method_type *method, bool reintegrates);
/* The sentence for a name; NULL when there is none. */
const char *cause_sentence(const char *name);

#endif
