/* The keys that every cell has beside the options of its problem, cost and method. */
#include "keys.h"

#include <stddef.h>
#include <string.h>

#include "sens/method.h"

static const char *const automatic[] = {"auto", NULL};
static const char *const states[] = {"states", NULL};
static const char *const wrts[] = {"auto", "p", "x0", "both", NULL};
static const char *const truths[] = {"auto", "pde", "ode", "discrete", "reference", "none", NULL};
static const char *const isas[] = {"auto", "baseline", "avx2", "avx512", NULL};
static const char *const structures[] = {"auto", "none", NULL};
static const char *const products[] = {"none", "vjp", "vjp_p", "jvp", "hvp", NULL};
static const char *const sides[] = {"own", "generated", "auto", NULL};
static const char *const engines[] = {"library", "compiled", NULL};
static const char *const tracks[] = {"natural", "controlled", NULL};

static const struct bench_key keys[] = {
    {.name = "problem", .fallback = "", .unit = "-", .kind = KEY_NAME, .help = "the problem"},
    {.name = "method", .fallback = "", .unit = "-", .kind = KEY_NAME, .help = "the method"},
    {.name = "cost", .fallback = "identity", .unit = "-", .kind = KEY_NAME, .help = "the cost functionals G"},
    {.name = "tableau",
     .fallback = "cash_karp",
     .unit = "-",
     .kind = KEY_NAME,
     .caps = SENS_CAP_TABLEAU,
     .help = "Runge-Kutta pair; implicit ones for stiff problems; theta:NUMBER is the theta method of that "
             "theta"},
    {.name = "controller",
     .fallback = "odeint",
     .unit = "-",
     .kind = KEY_NAME,
     .caps = SENS_CAP_CONTROLLER,
     .help = "step-size controller; fixed: steps of dt, no error control"},
    {.name = "tol",
     .fallback = "1e-6",
     .unit = "-",
     .kind = KEY_REAL,
     .min = 1e-30,
     .max = 1,
     .caps = SENS_CAP_TOLERANCE,
     .help = "rtol and atol at once"},
    {.name = "rtol",
     .fallback = "tol",
     .unit = "-",
     .kind = KEY_REALS,
     .max = 1,
     .caps = SENS_CAP_TOLERANCE,
     .help = "relative tolerance; alone: atol is equal to it; FILE: one for each component of the state"},
    {.name = "atol",
     .fallback = "tol",
     .unit = "-",
     .kind = KEY_REALS,
     .max = 1e100,
     .caps = SENS_CAP_TOLERANCE,
     .help = "absolute tolerance; alone: rtol is equal to it; FILE: one for each component of the state"},
    {.name = "dt",
     .fallback = "auto",
     .unit = "time",
     .kind = KEY_REAL,
     .min = 1e-30,
     .max = 1e30,
     .words = automatic,
     .help = "controller=fixed: the step, to be given; else the first trial step"},
    {.name = "ckpt",
     .fallback = "stages",
     .unit = "-",
     .kind = KEY_INT,
     .min = 1,
     .max = 1e9,
     .words = states,
     .caps = SENS_CAP_CKPT,
     .help = "trajectory kept: stages, or every:K, every K-th state (sensbench list policies); K is every:K, "
             "states every:1"},
    {.name = "lanes",
     .fallback = "auto",
     .unit = "-",
     .kind = KEY_INT,
     .min = 1,
     .max = 4096,
     .words = automatic,
     .caps = SENS_CAP_LANES,
     .help = "vectors carried together"},
    {.name = "threads",
     .fallback = "auto",
     .unit = "-",
     .kind = KEY_INT,
     .min = 1,
     .max = 1024,
     .words = automatic,
     .caps = SENS_CAP_THREADS,
     .help = "threads"},
    {.name = "batch",
     .fallback = "auto",
     .unit = "-",
     .kind = KEY_INT,
     .min = 1,
     .max = 1e6,
     .words = automatic,
     .caps = SENS_CAP_BATCH,
     .help = "points in a batch of parameter products"},
    {.name = "isa",
     .fallback = "auto",
     .unit = "-",
     .kind = KEY_WORD,
     .words = isas,
     .help = "instruction set of the numerical code; auto: the best this CPU has"},
    {.name = "structure",
     .fallback = "auto",
     .unit = "-",
     .kind = KEY_WORD,
     .words = structures,
     .help = "auto: methods see the structure that the problem declares; none: its products alone"},
    {.name = "track",
     .fallback = "natural",
     .unit = "-",
     .kind = KEY_WORD,
     .words = tracks,
     .help = "natural: each method as its authors recommend; controlled: structure=none for all"},
    {.name = "vjp",
     .fallback = "auto",
     .unit = "-",
     .kind = KEY_NAME,
     .help =
         "derivative products: the problem's own (hand), or of a provider: see sensbench list providers; "
         "auto: its own, where they were written for it and are all that the tableau takes (implicit, more "
         "than 32 states: df/dx; Rosenbrock: second derivatives), else compiled; without a compiler those "
         "of the tape run"},
    {.name = "product",
     .fallback = "none",
     .unit = "-",
     .kind = KEY_WORD,
     .words = products,
     .help =
         "times one derivative product of so many lanes, and the right-hand side in turns with it, in place "
         "of runs"},
    {.name = "rhs",
     .fallback = "auto",
     .unit = "-",
     .kind = KEY_WORD,
     .words = sides,
     .help =
         "right-hand side: the problem's own, or C generated from a recording of it, compared with it; auto: "
         "generated for a model whose products are compiled, where it can be had, else own"},
    {.name = "engine",
     .fallback = "library",
     .unit = "-",
     .kind = KEY_WORD,
     .caps = SENS_CAP_ENGINE,
     .words = engines,
     .help =
         "who takes the steps: the library, or C generated and compiled for this problem, tableau and number "
         "of lanes; explicit tableaux, up to 16 states"},
    {.name = "wrt",
     .fallback = "auto",
     .unit = "-",
     .kind = KEY_WORD,
     .words = wrts,
     .help = "differentiate with respect to p, x0 or both; auto: both, or p for a problem of many states"},
    {.name = "t1",
     .fallback = "the problem's",
     .unit = "time",
     .kind = KEY_REAL,
     .min = -1e30,
     .max = 1e30,
     .help = "final time"},
    {.name = "params",
     .fallback = "the problem's",
     .unit = "-",
     .kind = KEY_FILE,
     .help = "file with the parameters, in the order of p; one that is given by its name counts before it"},
    {.name = "x0",
     .fallback = "the problem's",
     .unit = "-",
     .kind = KEY_FILE,
     .help = "file with the initial state; likewise"},
    {.name = "truth",
     .fallback = "auto",
     .unit = "-",
     .kind = KEY_WORD,
     .words = truths,
     .help = "what err_* compare with; auto: the closed form, else the stored reference, else nothing"},
    {.name = "max_steps",
     .fallback = "1000000",
     .unit = "-",
     .kind = KEY_INT,
     .min = 1,
     .max = 1e12,
     .help = "trial steps at most, rejected ones included"},
    {.name = "sample_seed",
     .fallback = "1",
     .unit = "-",
     .kind = KEY_INT,
     .min = 0,
     .max = 4294967295.0,
     .help = "seed of the columns and rows that are sampled where all would be too many"},
    {.name = NULL},
};

const struct bench_key *bench_keys(void)
{
    return keys;
}

const struct bench_key *bench_key_find(const char *name)
{
    for (const struct bench_key *key = keys; key->name; key++)
        if (strcmp(key->name, name) == 0) return key;
    return NULL;
}
