/* The schemes on offer, by the family of the tableau. */
#include "scheme.h"

static const struct sens_scheme_type *const scheme_of[SENS_FAMILIES] = {
    [SENS_FAMILY_EXPLICIT] = &sens_scheme_explicit, [SENS_FAMILY_DIRK] = &sens_scheme_dirk,
    [SENS_FAMILY_FIRK] = &sens_scheme_firk,         [SENS_FAMILY_ROSENBROCK] = &sens_scheme_rosenbrock,
    [SENS_FAMILY_SWITCHED] = &sens_scheme_switched,
};

sens_status sens_scheme_create(struct sens_ctx *ctx, const struct sens_scheme_setup *setup,
                               struct sens_scheme **scheme)
{
    const struct sens_tableau *tb = setup->tableau;
    const bool known = (int)tb->family >= 0 && tb->family < SENS_FAMILIES;
    if (!known || tb->stages + tb->extra_stages > SENS_MAX_STAGES)
        return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s: no scheme of its family, or more than %d stages",
                         tb->name, SENS_MAX_STAGES);
    if (setup->ode->problem && setup->ode->problem->mass && tb->family != SENS_FAMILY_DIRK &&
        tb->family != SENS_FAMILY_FIRK)
        return sens_fail(
            ctx, SENS_UNSUPPORTED,
            "tableau %s takes no mass matrix: diagonally and fully implicit ones do, as sdirk4a and "
            "radau_iia5",
            tb->name);
    if (tb->a_explicit && setup->ode->problem && !setup->ode->problem->implicit)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "tableau %s is for problems that split f: declare the implicit part (in a model by "
                         "`implicit STATE = ...`), or take a tableau that needs none, as kvaerno43",
                         tb->name);
    const sens_status status = scheme_of[tb->family]->create(ctx, setup, scheme);
    if (status == SENS_OK && !(*scheme)->part) (*scheme)->part = tb;
    return status;
}

void sens_scheme_count(struct sens_scheme *scheme, struct sens_work *work)
{
    struct sens_scheme_work *did = &scheme->did;
    work->factorisations += did->factorisations;
    work->solves += did->solves;
    work->newton += did->newton;
    work->residual += did->residual;
    work->steps_implicit += did->steps_implicit;
    *did = (struct sens_scheme_work){.slopes = did->slopes};
}
