/* PETSc as a library of this process: its start, its name and version, its messages.
 *
 * It is started in the process that prepares a method (a cell's child), once, and never ended: MPI cannot be
 * started twice. The libraries' own state is the only one; what this file keeps is the text of the version,
 * because the caller is given a pointer without an owner. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petsc.h"
#include <petscmachineinfo.h>

/* A singleton without a daemon or folders, and no transport to others, for there are none. */
static void set_environment(void)
{
    static const char *const pair[][2] = {{"OMPI_MCA_ess_singleton_isolated", "1"},
                                          {"OMPI_MCA_orte_create_session_dirs", "0"},
                                          {"OMPI_MCA_btl", "self"},
                                          {"OMPI_MCA_pml", "ob1"}};
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) setenv(pair[k][0], pair[k][1], 0);
    unsetenv("PETSC_OPTIONS"); /* what is measured is what a record says */
}

/* The headers' constants, structures and record of flags must be those of the library that runs. */
static sens_status require_version(struct sens_ctx *ctx)
{
    PetscInt major = 0, minor = 0, patch = 0, release = 0;
    if (PetscGetVersionNumber(&major, &minor, &patch, &release))
        return sens_fail(ctx, SENS_UNAVAILABLE, "PETSc does not tell its version");
    if (major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR && patch == PETSC_VERSION_SUBMINOR)
        return SENS_OK;
    return sens_fail(ctx, SENS_UNAVAILABLE, "built for PETSc %d.%d.%d, which is %d.%d.%d here",
                     PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, (int)major, (int)minor,
                     (int)patch);
}

sens_status petsc_start(struct sens_ctx *ctx)
{
    const sens_status version = require_version(ctx);
    if (version != SENS_OK) return version;
    PetscBool done = PETSC_FALSE, ended = PETSC_FALSE;
    if (PetscFinalized(&ended) || ended)
        return sens_fail(ctx, SENS_UNAVAILABLE, "PETSc was ended in this process and cannot start again");
    if (PetscInitialized(&done) == 0 && done) return SENS_OK;
    char name[] = "sensbench", no_file[] = "-skip_petscrc", no_handler[] = "-no_signal_handler";
    char *words[] = {name, no_file, no_handler, NULL}, **argv = words;
    int argc = 3;
    set_environment();
    if (PetscInitialize(&argc, &argv, NULL, NULL) == 0) return SENS_OK;
    return sens_fail(ctx, SENS_UNAVAILABLE, "PetscInitialize failed");
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Called at every level that an error passes; the first one knows what happened. */
static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file,
                                   PetscErrorCode code, PetscErrorType type, const char *text, void *self)
{
    struct petsc_peer *peer = self;
    (void)comm, (void)line, (void)function, (void)file;
    if (type == PETSC_ERROR_INITIAL && text && *text && !*peer->message) {
        snprintf(peer->message, sizeof peer->message, "%s", text);
        for (char *c = peer->message; *c; c++)
            if (*c == '\n' || *c == '\t') *c = ' ';
    }
    return code;
}

sens_status petsc_listen(struct sens_ctx *ctx, struct petsc_peer *peer)
{
    *peer->message = '\0';
    peer->status = SENS_OK;
    if (PetscPushErrorHandler(keep_message, peer) == 0) return SENS_OK;
    return sens_fail(ctx, SENS_NO_MEMORY, "PETSc took no error handler");
}

void petsc_unlisten(void)
{
    PetscPopErrorHandler();
}

sens_status petsc_explain(struct sens_ctx *ctx, const struct petsc_peer *peer, PetscErrorCode code)
{
    const char *text = *peer->message ? peer->message : "no message";
    if (sens_fatal(peer->status)) return peer->status;
    if (sens_recoverable(peer->status))
        return sens_fail(ctx, SENS_DIVERGED, "%s; PETSc does not try a smaller step",
                         sens_status_message(peer->status));
    switch ((int)code) {
    case PETSC_ERR_MEM:
        return SENS_NO_MEMORY;
    case PETSC_ERR_SUP:
        return sens_fail(ctx, SENS_UNSUPPORTED, "PETSc: %s", text);
    default:
        return sens_fail(ctx, SENS_DIVERGED, "PETSc, error %d: %s", (int)code, text);
    }
}

/* ---- the name ------------------------------------------------------------------------------------------ */

/* The optimisation flag in PETSc's record of its own compilation, "-O2". The record is a header of the
 * version that require_version holds the library to. */
static void find_flag(char flag[8])
{
    const char *at = strstr(petsccompilerinfo, " -O");
    size_t size = 0;
    for (at = at ? at + 1 : ""; *at && *at != ' ' && size + 1 < 8; at++) flag[size++] = *at;
    flag[size] = '\0';
}

/* "Open MPI v4.1.4", the first words of MPI's description. */
static void find_mpi(char *name, size_t size)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) *text = '\0';
    text[strcspn(text, ",\n")] = '\0';
    snprintf(name, size, "%.60s", *text ? text : "MPI");
}

/* The object that PETSc's calls of BLAS reach; NULL: not found. Of several that are loaded PETSc's
 * dependencies name the first. */
static void *open_blas(Dl_info *of)
{
    void *product = NULL;
    if (dladdr(__extension__(void *) PetscInitialize, of)) {
        void *petsc = dlopen(of->dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        product = petsc ? dlsym(petsc, "dgemm_") : NULL;
        if (petsc) dlclose(petsc);
    }
    return product && dladdr(product, of) ? dlopen(of->dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* OpenBLAS describes itself; of another one the file is named, without its folder. */
static void find_blas(char *name, size_t size)
{
    Dl_info of;
    char *(*config)(void) = NULL;
    void *blas = open_blas(&of);
    snprintf(name, size, "unknown");
    if (!blas) return;
    *(void **)&config = dlsym(blas, "openblas_get_config");
    if (config) {
        snprintf(name, size, "%s", config());
    } else {
        char *path = realpath(of.dli_fname, NULL);
        const char *file = path ? path : of.dli_fname, *slash = strrchr(file, '/');
        snprintf(name, size, "%s", slash ? slash + 1 : file);
        free(path);
    }
    dlclose(blas);
}

const char *petsc_library(const struct sens_method_type *type)
{
    static char line[256];
    char flag[8], mpi[64], blas[96];
    (void)type;
    if (*line) return line;
    PetscInt major, minor, patch, release;
    PetscGetVersionNumber(&major, &minor, &patch, &release);
    find_flag(flag);
    find_mpi(mpi, sizeof mpi);
    find_blas(blas, sizeof blas);
    snprintf(line, sizeof line, "PETSc %d.%d.%d (%s, %s), %s, BLAS %s", (int)major, (int)minor, (int)patch,
             PetscDefined(USE_DEBUG) ? "debug" : "optimised", flag, mpi, blas);
    return line;
}
