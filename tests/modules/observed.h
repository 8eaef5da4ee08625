/* Creates a cost of one number G that observes the solution four times, at equal distances, at last in the end. */
enum { OBSERVATIONS = 4 };

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option;
    sens_real *t = SENS_NEW(ctx, sens_real, OBSERVATIONS);
    if (!t) return SENS_NO_MEMORY;
    for (int j = 0; j < OBSERVATIONS; j++)
        t[j] = j + 1 < OBSERVATIONS ? pb->t0 + (pb->t1 - pb->t0) * (j + 1) / OBSERVATIONS : pb->t1;
    cost->m = 1;
    cost->n_obs = OBSERVATIONS;
    cost->t_obs = t;
    return SENS_OK;
}
