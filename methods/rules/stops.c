/* The stops of a task, see stops.h. */
#include "stops.h"

sens_status sens_stops_create(struct sens_ctx *ctx, const struct sens_task *task, struct sens_stops *stops)
{
    const struct sens_problem *pb = task->problem;
    const struct sens_cost *cost = task->cost;
    sens_real *t = SENS_NEW(ctx, sens_real, cost->n_obs + 1);
    long *obs = SENS_NEW(ctx, long, cost->n_obs + 1);
    if (!t || !obs) return SENS_NO_MEMORY;
    size_t n = 0;
    long obs_at_t0 = -1;
    for (size_t j = 0; j < cost->n_obs; j++) {
        if (cost->t_obs[j] == pb->t0) {
            obs_at_t0 = (long)j;
            continue;
        }
        t[n] = cost->t_obs[j];
        obs[n++] = (long)j;
    }
    if (n == 0 || t[n - 1] != pb->t1) {
        t[n] = pb->t1;
        obs[n++] = -1;
    }
    *stops = (struct sens_stops){.n = n, .t = t, .obs = obs, .obs_at_t0 = obs_at_t0};
    return SENS_OK;
}
