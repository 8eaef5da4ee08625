/* harness/derive/record/recording.h - the functions of a problem and a cost as graphs.
 *
 *     f(t, x, p) -> n outputs     x0(p) -> n outputs     g(t, x, p), phi_j(x, p) -> m outputs
 *
 * A model (type->model) is operations already: they are the graph, without guards, whatever the point.
 * Otherwise a graph is what the source does at one point, with the branches it takes there as guards. Nothing of t, x
 * and p is folded into it; all else that the source reads (options, data, nominal values) is constant. */
#ifndef DERIVE_RECORDING_H
#define DERIVE_RECORDING_H

#include "graph.h"
#include "refuse.h"
#include "sens/cost.h"

struct recording; /* an instance of a problem, and of a cost, that can be recorded; immutable, of the ctx */

/* Of *pb and, unless it is NULL, *cost, which must have been created (sens_problem_create, sens_cost_create)
 * and stay as they are; t0, t1, x0 and p may have been replaced since. SENS_UNSUPPORTED with a message in ctx
 * for a decorated one (sens/decorate.h), where there is no recorded part of its module, and where that part
 * is none of this problem: what it computes at the nominal point is compared. SENS_BAD_INPUT, SENS_NO_MEMORY. */
sens_status recording_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                             const struct sens_cost *cost, const struct recording **made);

/* The same of a cost alone, on any problem, also a decorated one, a model, or one without a recorded part, of which the
 * recorded cost then sees the numbers alone: recording_g and recording_phi are for it. */
sens_status recording_create_cost(struct sens_ctx *ctx, const struct sens_problem *pb,
                                  const struct sens_cost *cost, const struct recording **made);

/* Fills a graph that was just created: nodes, guards in the order in which they are met, outputs. May be
 * called from several threads, with a graph each. With a message in *error that names the place in the sources,
 *     SENS_NONFINITE      an operation is not finite at this point
 *     SENS_UNSUPPORTED    a value becomes a double or a whole number; too many nodes
 *     SENS_NO_MEMORY
 * and any status of rhs itself. The graph is then worth nothing. */
sens_status recording_rhs(const struct recording *recording, const struct sens_at *at, struct graph *graph,
                          struct bench_error *error);
/* Why f has no derivative at a point where it is finite itself: the first operation whose own derivative is not, with
 * its place in the sources; of a model, which has none, with the component of f. false: none is found. */
bool recording_lacks_slope(const struct recording *recording, const struct sens_at *at,
                           struct bench_error *error);
sens_status recording_x0(const struct recording *recording, const double *p, struct graph *graph,
                         struct bench_error *error);
sens_status recording_g(const struct recording *recording, const struct sens_at *at, struct graph *graph,
                        struct bench_error *error);
sens_status recording_phi(const struct recording *recording, size_t j, const double *x, const double *p,
                          struct graph *graph, struct bench_error *error);

#endif
