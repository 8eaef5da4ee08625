/* methods/discrete/tangent_test.h - the tangent in the error test of the problem's own solve.
 *
 * The steps of a discrete method are those of the state. Where the state says nothing of its derivative (it
 * is at rest, or small against atol), they are long, and the derivative of the map on them, though exact, is
 * far from that of the solution. With this test two directions of the tangent are carried along and tested
 * with the state: one among the initial states, one among the parameters, as far as each is asked for. Each
 * is a sum of all with irregular weights, so that no column is left out; one that hides behind another,
 * larger by 1/rtol and more, is not seen. A trial step costs two Jacobian products and the np columns of
 * df/dp more a stage, or one pass over the entries of df/dp that a problem declares. */
#ifndef SENS_TANGENT_TEST_H
#define SENS_TANGENT_TEST_H

#include "error_test.h"
#include "sens/option.h"
#include "trajectory.h"

struct sens_tangent_test;

/* The option table of the discrete methods. */
enum { OPT_TANGENT_TEST, OPT_STAGE_SOLVE, OPT_FACTORS, OPT_LINEAR };
enum { SOLVE_DIRECT, SOLVE_NEWTON };
enum { FACTORS_AGAIN, FACTORS_KEPT };
extern const struct sens_option sens_tangent_test_options[];

/* *test stays NULL where there is nothing to test: not wanted, a fixed step, no direction. Memory from the
 * arena; SENS_NO_MEMORY. */
sens_status sens_tangent_test_create(struct sens_ctx *ctx, const struct sens_task *task, bool wanted,
                                     struct sens_tangent_test **test);

/* For sens_traj_create; NULL for NULL. */
const struct sens_traj_followers *sens_tangent_test_followers(const struct sens_tangent_test *test);

/* Adds the vectors multiplied through structure since the last call to *work; test may be NULL. */
void sens_tangent_test_count(struct sens_tangent_test *test, struct sens_work *work);

#endif
