/* The registry of one compiled variant, from the sens_add_* lines of CMake. */
#include <stddef.h>

#include "controllers.h"
#include "sens/registry.h"
#include "store.h"
#include "tableaux.h"
#include "tangent.h"
#include "written.h"

#define SENS_PROBLEM_ENTRY(id) extern SENS_PROBLEM(id);
#define SENS_COST_ENTRY(id)    extern SENS_COST(id);
#define SENS_METHOD_ENTRY(id)  extern SENS_METHOD(id);
#include "registry.def"
#undef SENS_PROBLEM_ENTRY
#undef SENS_COST_ENTRY
#undef SENS_METHOD_ENTRY

#define SENS_PROBLEM_ENTRY(id) &sens_problem_##id,
#define SENS_COST_ENTRY(id)
#define SENS_METHOD_ENTRY(id)
static const struct sens_problem_type *const problems[] = {
#include "registry.def"
    NULL};
#undef SENS_PROBLEM_ENTRY
#undef SENS_COST_ENTRY

#define SENS_PROBLEM_ENTRY(id)
#define SENS_COST_ENTRY(id) &sens_cost_##id,
static const struct sens_cost_type *const costs[] = {
#include "registry.def"
    NULL};
#undef SENS_COST_ENTRY
#undef SENS_METHOD_ENTRY

#define SENS_COST_ENTRY(id)
#define SENS_METHOD_ENTRY(id) &sens_method_##id,
static const struct sens_method_type *const methods[] = {
#include "registry.def"
    NULL};

#define TEXT_OF(x)       #x
#define TEXT(x)          TEXT_OF(x)
#define REGISTRY_OF(isa) sens_registry_##isa
#define REGISTRY(isa)    REGISTRY_OF(isa)

const struct sens_registry *REGISTRY(SENS_VARIANT)(void);

const struct sens_registry *REGISTRY(SENS_VARIANT)(void)
{
    static const struct sens_registry registry = {
        .isa = TEXT(SENS_VARIANT),
        .problems = problems,
        .costs = costs,
        .methods = methods,
        .tableaux = sens_tableaux,
        .implicit_tableaux = sens_implicit_tableaux,
        .theta_tableau = sens_theta_tableau,
        .controllers = sens_controllers,
        .ckpt_policies = sens_ckpt_policies,
        .tangent_columns = sens_tangent_columns,
        .tangent_steps = sens_tangent_steps,
        .written = &sens_problem_written,
        .own = &sens_cost_own,
        .peak = &sens_peak,
        .tape = &sens_tape,
    };
    return &registry;
}
