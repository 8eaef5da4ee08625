/* derive/provider/providers.h - the providers of the program itself. */
#ifndef DERIVE_PROVIDERS_H
#define DERIVE_PROVIDERS_H

#include "sens/provider.h"

/* A provider is one file that defines derive_NAME, and a line here. */
#define DERIVE_PROVIDER_LIST(X)                                                                              \
    X(tape)                                                                                                  \
    X(fd)                                                                                                    \
    X(compiled)

#define DERIVE_PROVIDER_EXTERN(name) extern const struct sens_provider derive_##name;
DERIVE_PROVIDER_LIST(DERIVE_PROVIDER_EXTERN)
#undef DERIVE_PROVIDER_EXTERN

/* Of that list; ends with NULL. */
extern const struct sens_provider *const derive_providers[];

#endif
