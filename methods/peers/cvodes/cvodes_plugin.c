/* The module of SUNDIALS' methods. */
#include "sens/plugin.h"

extern SENS_METHOD(cvodes_forward);
extern SENS_METHOD(cvodes_adjoint);
static const struct sens_method_type *const methods[] = {&sens_method_cvodes_forward,
                                                         &sens_method_cvodes_adjoint, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "sundials", .methods = methods};
