/* derive/provider/derived.h - a problem whose products are derived from its recorded right-hand side. */
#ifndef DERIVE_DERIVED_H
#define DERIVE_DERIVED_H

#include "paths.h"
#include "sens/decorate.h"
#include "sens/provider.h"

struct derived { /* the data of the wrapped problem */
    struct sens_decorated_problem room;
    struct sens_structure structure;
    struct watched watched; /* rhs in double */
    struct paths rhs, x0;
    bool has_x0; /* the initial state depends on p */
};

/* Wraps the problem with products by these engines. The arena ends what does not belong to it. Messages in ctx. */
sens_status derived_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                         const struct engine_maker *maker, struct sens_problem *wrapped);

/* Of a wrapped problem: the operation that has no derivative at the point, and its place; as explain of
 * sens/provider.h. */
bool derived_explain(const struct sens_problem *wrapped, const struct sens_at *at, size_t size, char *text);

/* Of a wrapped problem: what it cost beside its runs. */
void derived_account(const struct sens_problem *wrapped, struct sens_provider_account *account);

/* The functions of the type (inner ones in place of NULL) and of the structure. A product that cannot be had at a
 * point is NaN. */
extern const struct sens_problem_type derived_type;
void derived_jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J);
void derived_jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *value);
void derived_outer(const struct sens_problem *pb, const struct sens_at *at, sens_real *s, sens_real *phi);
void derived_coupling(const struct sens_problem *pb, const sens_real *p, sens_real *M);
void derived_diagonal(const struct sens_problem *pb, const struct sens_at *at, sens_real *d);

#endif
