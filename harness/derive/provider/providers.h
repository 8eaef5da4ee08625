/* derive/provider/providers.h - the providers of the program itself. */
#ifndef DERIVE_PROVIDERS_H
#define DERIVE_PROVIDERS_H

#include "sens/provider.h"

extern const struct sens_provider derive_compiled;

/* Ends with NULL. */
extern const struct sens_provider *const derive_providers[];

#endif
