#!/bin/bash
# Methods, tableaux and step controllers in one-file modules built against the contract headers alone. Argument 1:
# sensbench; argument 2: the folder of the headers (default: the source tree's). Skipped without a C compiler.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
here=$(cd "$(dirname "$0")" && pwd)
headers=${2:-$here/../../harness/include}
compiler=$(command -v cc || command -v gcc || command -v clang) || exit 77
cd "$work" || exit 1

# build NAME [FLAG ...]: NAME.so from module.c
build() {
    local name=$1
    shift
    "$compiler" -std=c11 -Wall -Wextra -Werror -O2 -fPIC -shared -fvisibility=hidden -I"$headers" "$@" \
        -o "$name.so" module.c || fail "the module does not compile: $*"
}

cat >module.c <<'CODE'
/* Euler's method with `steps` equal steps and its tangent: S += h (J S + f_p), S(t0) = [dx0/dp | 1]. Costs:
 * G = x(t1). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sens/plugin.h"

#ifndef NAME
#define NAME "euler_tangent"
#endif
#ifndef SUMMARY
#define SUMMARY "tangent of Euler's method"
#endif

/* Seen from outside: another module may have one, too. */
extern const char module_summary[];
__attribute__((visibility("default"))) const char module_summary[] = SUMMARY;

#ifdef OPTION
#include <math.h>
__attribute__((unused)) static const char *const words[] = {"one", "two", NULL};
#endif

#ifdef CONSTRUCTOR
#include <fenv.h>
#include <xmmintrin.h>
__attribute__((constructor)) static void constructor(void)
{
    CONSTRUCTOR;
}
#endif

struct state {
    const struct sens_task *task;
    size_t cols;
    sens_real *x, *f, *S, *JS;
};

static const struct sens_option options[] = {
    {.name = "steps", .kind = SENS_OPT_INT, .fallback = 100, .min = 1, .max = 1e6, .help = "equal steps"},
#ifdef OPTION
    {OPTION},
#endif
    SENS_OPTIONS_END};

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    const size_t n = task->problem->n;
    if (strcmp(task->cost->type->name, "identity") != 0)
        return sens_fail(ctx, SENS_UNSUPPORTED, "euler_tangent: cost=identity only");
    st->task = task;
    st->cols = task->problem->np + n;
    st->x = SENS_NEW(ctx, sens_real, n);
    st->f = SENS_NEW(ctx, sens_real, n);
    st->S = SENS_NEW(ctx, sens_real, n * st->cols);
    st->JS = SENS_NEW(ctx, sens_real, n * st->cols);
    if (!st->x || !st->f || !st->S || !st->JS) return SENS_NO_MEMORY;
    *made = st;
    return SENS_OK;
}

/* JS += f_p in the first np of the cols columns */
static void add_parameter_columns(const struct state *st, const struct sens_at *at)
{
    const struct sens_problem *pb = st->task->problem;
    for (size_t k = 0; k < pb->np; k++) {
        memset(st->f, 0, pb->n * sizeof *st->f);
        pb->type->jvp_p_cols(pb, at, k, 1, st->f);
        for (size_t i = 0; i < pb->n; i++) st->JS[i * st->cols + k] += st->f[i];
    }
}

static sens_status run(struct sens_ctx *ctx, void *self, const struct sens_out *out, struct sens_work *work)
{
    struct state *st = self;
    const struct sens_problem *pb = st->task->problem;
    const size_t n = pb->n, np = pb->np, cols = st->cols;
    const long steps = (long)st->task->option[0].number;
    const sens_real h = (pb->t1 - pb->t0) / (sens_real)steps;
    const double start = sens_now(ctx);
    sens_problem_x0(pb, pb->p, st->x);
    memset(st->S, 0, n * cols * sizeof *st->S);
    for (size_t i = 0; i < n; i++) st->S[i * cols + np + i] = 1;
    for (long k = 0; k < steps; k++) {
        const struct sens_at at = {pb->t0 + (sens_real)k * h, st->x, pb->p};
        pb->type->jvp(pb, &at, cols, st->S, st->JS);
        add_parameter_columns(st, &at);
        sens_lanes_axpy(n, cols, h, st->JS, st->S);
        const sens_status status = pb->type->rhs(pb, &at, st->f);
        if (status != SENS_OK) return sens_fail(ctx, SENS_DIVERGED, "at step %ld", k);
        sens_lanes_axpy(n, 1, h, st->f, st->x);
    }
    for (size_t i = 0; i < n; i++) {
        out->x[i] = out->G[i] = st->x[i];
        if (out->dGdp) memcpy(out->dGdp + i * np, st->S + i * cols, np * sizeof *st->S);
        if (out->dGdx0) memcpy(out->dGdx0 + i * n, st->S + i * cols + np, n * sizeof *st->S);
    }
    *work = (struct sens_work){.steps = steps, .t_forward = sens_now(ctx) - start};
    return SENS_OK;
}

static SENS_METHOD(euler_tangent) = {
    .name = NAME,
    .summary = module_summary,
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_euler_tangent, NULL};

#ifdef OTHER_SIZE
SENS_PLUGIN = {.size = 8, .abi = SENS_PLUGIN_ABI, .name = "test", .methods = methods};
#elif defined OTHER_ABI
SENS_PLUGIN = {.size = sizeof(struct sens_plugin), .abi = 99, .name = "test", .methods = methods};
#elif defined NO_SYMBOL
__attribute__((visibility("default"))) const struct sens_method_type *const *other = methods;
#elif defined NOTHING
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "test"};
void use(void);
void use(void) { (void)methods; }
#else
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "test", .methods = methods};
#endif
CODE

build good
expect 0 "euler_tangent" list methods --plugin ./good.so
expect 0 "steps=100" show euler_tangent --plugin=good.so
expect 2 "euler_tangent" run decay euler_tangent
expect 2 "steps=0: out of range" run decay euler_tangent steps=0 --plugin good.so
expect 2 "takes no notice of tableau" run decay euler_tangent tableau=dopri5 --plugin good.so
expect 2 "cost=identity only" run decay euler_tangent cost=terminal --plugin good.so

# y' = -y, y(0) = 1, h = 2/1000: y = (1 - h)^1000, dy/dk = -1000 h (1 - h)^999, dy/dy0 = y
expect 0 "status     ok" run decay euler_tangent steps=1000 --plugin good.so --dump dump
awk -F'\t' 'BEGIN { h = 0.002; y = exp(1000 * log(1 - h)); want["x"] = y; want["dGdx0"] = y
                    want["dGdp"] = -2 * y / (1 - h) }
            $1 in want { seen++; e = $4 / want[$1] - 1; if (e < 0) e = -e; if (e > 1e-10) bad++ }
            END { exit !(seen == 3 && !bad) }' dump || fail "values of the module's method"
expect 0 "status     ok" run initial euler_tangent --plugin good.so
for isa in $("$program" list variants | grep -v "not supported" | awk '{ print $1 }'); do
    expect 0 "status     ok" run glv euler_tangent isa="$isa" --plugin good.so
done

# a sweep takes it as any other method
printf '[cells]\nproblem = decay logistic\nmethod = euler_*\n' >module.sweep
expect 0 "method=euler_tangent problem=logistic" sweep ./module.sweep --dry-run --plugin good.so

# what is not such a module is refused by name
build other_size -DOTHER_SIZE
build other_abi -DOTHER_ABI
build no_symbol -DNO_SYMBOL
build nothing -DNOTHING
build taken '-DNAME="cfsa"'
build nameless '-DNAME=NULL'
expect 2 "8 bytes" list --plugin other_size.so
expect 2 "ABI 99" list --plugin other_abi.so
expect 2 "no symbol sens_plugin" list --plugin no_symbol.so
expect 2 "nothing in it" list --plugin nothing.so
expect 2 "taken" list --plugin taken.so
expect 2 "taken" list --plugin good.so --plugin good.so
expect 2 "lacks a name" list --plugin nameless.so
build forged '-DSUMMARY="a text\ncfsa  forged"'
expect 2 "has a control character in its text" list --plugin forged.so

# an option that could not be given, or is at first what cannot be given, is refused by name and value
# refuse_option TEXT OPTION
refuse_option() {
    build option "-DOPTION=$2"
    expect 2 "plugin option.so: method 'euler_tangent': option $1" list --plugin option.so
}
int='.kind = SENS_OPT_INT, .help = "an option"' real='.kind = SENS_OPT_REAL, .help = "an option"'
choice='.kind = SENS_OPT_CHOICE, .choices = words, .help = "an option"'
build option "-DOPTION=.name = \"q\", .fallback = -1, .min = -1, .max = 1, $real"
expect 0 "q=-1" show euler_tangent --plugin option.so
refuse_option "'steps' has the name of another option" ".name = \"steps\", $int"
refuse_option "'tol' has the name of a key that every cell has" ".name = \"tol\", $real"
refuse_option "'q' is of a kind that this program does not know: 77" \
    '.name = "q", .kind = (enum sens_option_kind)77, .help = "an option"'
refuse_option "'q': its default nan is not from min 0 to max 1" ".name = \"q\", .fallback = NAN, .max = 1, $real"
refuse_option "'q': its default 3 is not from min 3 to max 2" \
    ".name = \"q\", .fallback = 3, .min = 3, .max = 2, $real"
refuse_option "'q': its max 1.5 is no whole number" ".name = \"q\", .max = 1.5, $int"
refuse_option "'q': its min -inf is no whole number" ".name = \"q\", .min = -INFINITY, $int"
refuse_option "'q': its default 2 is the index of none of its 2 choices" ".name = \"q\", .fallback = 2, $choice"

# symbols of modules are their own: two of the same name, each keeps its text
build one '-DNAME="one"' '-DSUMMARY="the text of one"'
build two '-DNAME="two"' '-DSUMMARY="the text of two"'
expect 0 "the text of one" list methods --plugin one.so --plugin two.so
expect 0 "the text of two" list methods --plugin one.so --plugin two.so

# a module that changes the arithmetic of the process is refused, and what it changed is named
if [ "$(uname -m)" = x86_64 ]; then
    build flush '-DCONSTRUCTOR=_mm_setcsr(_mm_getcsr() | 0x8000)'
    build denormals '-DCONSTRUCTOR=_mm_setcsr(_mm_getcsr() | 0x0040)'
    build mask '-DCONSTRUCTOR=_mm_setcsr(_mm_getcsr() & ~0x0200u)'
    build upward '-DCONSTRUCTOR=fesetround(FE_UPWARD)' -lm
    build precision '-DCONSTRUCTOR=__asm__ volatile("fldcw %0" : : "m"((unsigned short){0x027f}))'
    build harmless '-DCONSTRUCTOR=_mm_setcsr(_mm_getcsr() | 0x20)'
    expect 2 "flush-to-zero" list --plugin flush.so
    expect 2 "denormals-are-zero" list --plugin denormals.so
    expect 2 "mask" list --plugin mask.so
    expect 2 "rounding" list --plugin upward.so
    expect 2 "x87" list --plugin precision.so
    expect 0 "euler_tangent" list methods --plugin harmless.so # a raised flag is no change of the arithmetic
    # the linker adds such a constructor for -Ofast, with some compilers
    build fast -Ofast
    if "$program" list methods --plugin fast.so >output 2>&1; then
        grep -q euler_tangent output || fail "a module built with -Ofast: not listed"
    else
        expect 2 "flush-to-zero" list --plugin fast.so
    fi
fi
# tableaux and step controllers; what the numerical code relies on is looked at
cp "$here/../modules/ralston.h" . || exit 1
cat >module.c <<'CODE'
#ifndef A32
#define A32 0.75
#endif
#ifndef FAULT
#include "ralston.h"
#else
#define RALSTON_ALONE
#include "ralston.h"
static sens_real full[3 * 3] = {[0] = 0.5};
static struct sens_tableau tableau;
static struct sens_controller controller;
static const struct sens_tableau *const all_tableaux[] = {&tableau, NULL};
static const struct sens_controller *const all_controllers[] = {&controller, NULL};
__attribute__((constructor)) static void constructor(void)
{
    (void)full;
    tableau = ralston;
    controller = plain;
    FAULT;
}
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "faulty", .tableaux = all_tableaux, .controllers = all_controllers};
#endif
CODE
build ralston -lm
expect 0 "ralston" list tableaux --plugin ralston.so
expect 0 "maximum norm by the new state" list controllers --plugin ralston.so
expect 0 "Math. Comput. 16" show ralston --plugin ralston.so
expect 2 "no tableau of this name" run decay discrete_adjoint tableau=ralston
for isa in $("$program" list variants | grep -v "not supported" | awk '{ print $1 }'); do
    expect 0 "status     ok" run decay discrete_adjoint tableau=ralston controller=plain tol=1e-9 ckpt=3 isa="$isa" \
        --plugin ralston.so --dump dump
    awk -F'\t' '$1 == "x" { e = $4 / exp(-2) - 1; seen = 1 }
                END { exit !(seen && e < 1e-7 && e > -1e-7 && e != 0) }' dump ||
        fail "isa=$isa: the state by the module's tableau and controller"
done
expect 0 "status     ok" run glv cfsa n=3 tableau=ralston controller=plain --plugin ralston.so
expect 2 "needs a step" run decay cfsa tableau=ralston controller=fixed --plugin ralston.so
expect 2 "takes no notice of" run decay finite_difference controller=plain ckpt=2 --plugin ralston.so

# refuse TEXT FAULT
refuse() {
    build faulty "-DFAULT=$2" -lm
    expect 2 "$1" list --plugin faulty.so
}
refuse "more than SENS_MAX_STAGES" 'tableau.extra_stages = SENS_MAX_STAGES - 2'
refuse "has no stage" 'tableau.stages = 0'
refuse "is of a family that this program does not know" 'tableau.family = SENS_FAMILIES'
refuse "a is not strictly lower" 'tableau.a = full'
refuse "e and order_hat" 'tableau.order_hat = 0'
refuse "lacks a name, a summary, its source" 'tableau.b = NULL'
refuse "has dense output of a degree below 4" 'tableau.dense_degree = 3'
refuse "taken" 'tableau.name = "dopri5"'
refuse "is no name" 'tableau.name = "two words"'
refuse "taken" 'tableau.name = "other", controller.name = "odeint"'
refuse "is not adaptive" 'controller.adaptive = false'
refuse "lacks a name, a summary or a function" 'controller.factor = NULL'

# Modules that are always there: files, and folders of them. module.c is another by now.
mkdir always
cp good.so always/euler.so
: >always/notes.txt
SENSBENCH_PLUGIN=$work/always expect 0 "euler_tangent" list methods
SENSBENCH_PLUGIN=:$work/always/euler.so: expect 0 "status     ok" run logistic euler_tangent
SENSBENCH_PLUGIN=$work/nowhere expect 2 "nowhere" list methods
SENSBENCH_PLUGIN=$work/always/notes.txt expect 2 "plugin" list methods

exit $((failures > 0))
