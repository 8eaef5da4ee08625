/* harness/modules/peers.h - methods and derivative products by the libraries of others.
 *
 * Each library has a module (sens/plugin.h) of its own, which is loaded when one of its methods is asked for:
 * what does not use it neither waits for it nor carries its memory. A module that was not built, because the
 * library was missing or switched off, is SENS_UNAVAILABLE, with the packages to install. */
#ifndef MODULES_PEERS_H
#define MODULES_PEERS_H

#include <stddef.h>

#include "refuse.h"
#include "sens/status.h"

enum peer_kind { PEER_METHOD, PEER_PROVIDER }; /* PEER_PROVIDER: of derivative products, sens/provider.h */

/* The names of a kind, built or not; at most `max`; returns how many. */
size_t peer_names(enum peer_kind kind, const char *name[], size_t max);

/* Loads the module that has this name, once; SENS_OK also where it is none of a peer's. SENS_UNAVAILABLE with
 * a message in *error. */
sens_status peer_load(enum peer_kind kind, const char *name, struct bench_error *error);
/* Loads whatever is there of the kind that matches the pattern (fnmatch; NULL: any). Where nothing that
 * matches can be had: SENS_UNAVAILABLE, with the message of the last. */
sens_status peer_load_matching(enum peer_kind kind, const char *pattern, struct bench_error *error);

#endif
