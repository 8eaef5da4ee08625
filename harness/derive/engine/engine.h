/* derive/engine/engine.h - a way to run the products of a recorded function.
 *
 * f(t, x, p) has m outputs; with an x0(p), x is not there. Shapes are those of sens/problem.h. */
#ifndef DERIVE_ENGINE_H
#define DERIVE_ENGINE_H

#include "compile.h"
#include "graph.h"
#include "sens/problem.h"
#include "sens/tape.h"
#include "structure.h"

enum product_kind {
    PRODUCT_VJP,        /* out = (df/dx)^T v */
    PRODUCT_VJP_P,      /* sum += (df/dp)^T v */
    PRODUCT_JVP,        /* out = (df/dx) v */
    PRODUCT_JVP_P,      /* out = (df/dp) v */
    PRODUCT_RHS_T,      /* out = df/dt */
    PRODUCT_RHS,        /* out = f */
    PRODUCT_JACOBIAN,   /* out = df/dx, [m][n] or the entries of a pattern */
    PRODUCT_JACOBIAN_P, /* out = (df/dp)^T, the entries of a pattern */
    PRODUCT_S,          /* out = a part of the structure that was found (structure.h): s, phi, M, d */
    PRODUCT_PHI,
    PRODUCT_COUPLING, /* of p alone */
    PRODUCT_DIAGONAL,
    PRODUCT_HVP,    /* with the parts of the direction: out = D (df/dx)^T v, sum += D (df/dp)^T v */
    PRODUCT_GUARDS, /* nothing: do they hold? */
    PRODUCT_KINDS
};

struct product_call {
    enum product_kind kind;
    unsigned
        parts; /* PRODUCT_HVP: DERIVE_T | DERIVE_X | DERIVE_P, at least one; a sum is wanted where it is not NULL */
    bool at_its_own;          /* this is the point that was recorded: its guards hold but for rounding */
    struct sens_tape_call on; /* points, numbers, lanes, where to write */
};

/* Numbers that no vector is multiplied with, as many as there are entries. */
static inline bool product_is_entries(enum product_kind kind)
{
    return kind >= PRODUCT_JACOBIAN && kind <= PRODUCT_DIAGONAL;
}

struct function_shape {
    size_t outputs, n, np; /* numbers in f, x and p; n = 0: there is no x */
    int threads;           /* so many calls at a time, seldom more */
};

/* C that may be called in place of run() at any point, as generate.h has it, where a call needs what it serves (enum
 * generate_call), no more and no less. It stays as long as the engine. */
struct engine_direct {
    compiled_function *function;
    unsigned serves;
};

struct engine_maker;
struct compiled_setting;
struct taper;

/* What an engine makes of one recording. Calls may come from several threads. */
struct engine {
    const struct engine_maker *maker;
    double seconds; /* that it took to analyse or compile so far */
};

struct engine_maker {
    /* f was recorded at this point; the graph stays as long as the engine. SENS_NO_MEMORY, SENS_UNSUPPORTED,
     * SENS_UNAVAILABLE. */
    sens_status (*create)(const struct engine_maker *maker, const struct graph *f,
                          const struct function_shape *shape, const struct sens_at *at,
                          struct engine **engine);
    void (*destroy)(struct engine *engine);
    /* Can the product be had? A tape of it is made now; C is compiled when a product is first run, so that nobody
     * waits for products that no method asks for. */
    sens_status (*plan)(struct engine *engine, enum product_kind kind);
    /* SENS_OK; SENS_OUT_OF_DOMAIN: a guard does not hold at one of the points; other statuses: it cannot be done.
     * Nothing is written but with SENS_OK. */
    sens_status (*run)(struct engine *engine, const struct product_call *call);
    /* The C that was made for such a call. NULL: there is none yet, or there are guards. May be NULL itself: never. */
    const struct engine_direct *(*direct)(struct engine *engine, const struct product_call *call);
    /* The pattern of PRODUCT_JACOBIAN, PRODUCT_JACOBIAN_P. NULL: [m][n], as where there are guards, on whose other
     * side the pattern may be another; or no memory. */
    const struct sens_pattern *(*pattern)(struct engine *engine, enum product_kind kind);
    /* What was found, looked for when it is first asked for; it stays as long as the engine. Nothing is found where
     * there are guards. NULL: no memory. */
    const struct structure *(*structure)(struct engine *engine);
    /* Operations of a product: shared by the vectors of a call, and of each vector. */
    void (*operations)(struct engine *engine, enum product_kind kind, double *shared, double *vector);
    const struct sens_tape_functions *tape; /* of the instruction set */
    double (*now)(void);                    /* seconds; NULL: nothing is timed */
    struct compiled_setting *compiled;      /* of the engine of this name (compiled_engine.h); else NULL */
    bool compiles;                          /* there is a compiler */
    /* Of a library (taper.h), which has but the products of vectors by x and p: what else there is is the problem's
     * own. Else NULL. */
    const struct taper *taper;
};

/* The tape. */
struct engine_maker tape_engine(const struct sens_tape_functions *functions, double (*clock)(void));

#endif
