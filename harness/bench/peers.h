/* harness/bench/peers.h - methods that the libraries of others compute.
 *
 * Each library has a module (sens/plugin.h) of its own, which is loaded when one of its methods is asked for:
 * what does not use it neither waits for it nor carries its memory. A module that was not built, because the
 * library was missing or switched off, is SENS_UNAVAILABLE, with the packages to install. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench.h"

struct peer_method {
    const char *method, *module; /* "petsc_tsadjoint", "petsc" */
};
const struct peer_method *peer_methods(void); /* ends with method == NULL */
/* Those of a module, NULL for any; at most `max` names; returns how many. */
size_t peer_names(const char *name[], size_t max);

/* Loads the module, once. SENS_OK; SENS_UNAVAILABLE, or SENS_BAD_INPUT for a file that is no module of this
 * program, with a message in *error. */
sens_status peer_load_module(const char *module, struct bench_error *error);
/* Loads the module of this method; SENS_OK also where the method is none of a peer. */
sens_status peer_load_method(const char *method, struct bench_error *error);
/* Loads whatever is there with a method that matches the pattern (fnmatch; NULL: any). Where nothing that
 * matches can be had: SENS_UNAVAILABLE, with the message of the last. */
sens_status peer_load_matching(const char *pattern, struct bench_error *error);

#endif
