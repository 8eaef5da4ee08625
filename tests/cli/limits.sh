#!/bin/bash
# Files and lists that are too much are refused with a sentence, in little time and memory. Argument 1: sensbench.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
here=$(cd "$(dirname "$0")" && pwd)
headers=$here/../../harness/include
cd "$work" || exit 1

# refused TEXT ARGUMENT...: exit 2 and the text. A minute is not what it takes, but what shows that it would never end.
refused() {
    local text=$1 code
    shift
    timeout 60 "$program" "$@" >stdout 2>stderr </dev/null
    code=$?
    [ $code -eq 2 ] && grep -qF -- "$text" stderr && [ ! -s stdout ] || fail "$*: exit $code: $(head -c 300 stderr)"
}

# what has no end, or never begins
mkfifo pipe.tsv pipe.sweep pipe
refused "not a regular file" summary pipe.tsv
refused "not a regular file" summary /dev/zero
refused "not a regular file" sweep ./pipe.sweep --dry-run
refused "not a regular file" run decay discrete_adjoint params=pipe
refused "not a regular file" run decay discrete_adjoint params=/dev/zero
mkdir folder && mkfifo folder/pipe.tsv
refused "no result file in it" summary folder
ln -s /dev/zero zero.sweep
refused "not a regular file" sweep ./zero.sweep --dry-run
truncate -s 3G endless.tsv
refused "endless.tsv:1: longer than" summary endless.tsv
refused "longer than" sweep ./endless.tsv --dry-run
mv endless.tsv endless.sweep
refused "endless.sweep:1: longer than" sweep ./endless.sweep --dry-run

# 210 KB of rows, in a tenth of the memory that it took
{
    printf '#! schema: sens-result/1\nstatus\tproblem\tmethod\n'
    yes "$(printf 'ok\tp\tm')" | head -n 30000
} >rows.tsv
if (ulimit -v 1000000 && "$program" list methods) >/dev/null 2>&1; then # else the program has a sanitizer in it
    (ulimit -v 300000 && exec "$program" summary rows.tsv) >stdout 2>stderr || fail "30000 rows: $(head -c 300 stderr)"
    # without memory the end of what could be read is not the end of the file
    for limit in 90000 80000 70000 60000; do
        (ulimit -v $limit && exec "$program" summary rows.tsv --json) >some 2>stderr
        code=$?
        [ $code -eq 0 ] || [ -s stderr ] || fail "limit $limit: exit $code without a word"
    done
fi
{
    cat rows.tsv
    for _ in 1 2 3 4 5 6; do tail -n +3 rows.tsv; done
} >many.tsv
refused "more than 200000 rows" summary many.tsv

# lists whose product is more than anything holds
{
    printf '[sweep]\nsamples = 0\n[cells]\nproblem = decay\nmethod = discrete_adjoint\n'
    for key in tol rtol atol dt; do printf '%s = lin(1, 4000, 4000)\n' "$key"; done
    printf 'skip = problem=decay\n'
} >product.sweep
refused "2.56e+14 combinations" sweep ./product.sweep --dry-run
list=$(printf '%0255d' 0 | sed 's/0/1,/g')1
refused "combinations of values" compare decay discrete_adjoint "x0=$list" "params=$list" "tol=$list" "t1=$list" \
    "dt=$list" "max_steps=$list" "rtol=$list" "atol=$list" --vs tol=1e-3

# a dump behind a link to nothing: the link stays, and leads to the dump
ln -s target link
"$program" run decay discrete_adjoint --dump link >/dev/null 2>stderr || fail "a dangling link: $(cat stderr)"
[ -L link ] && [ -s target ] || fail "a dangling link: $(ls -l link target 2>&1)"
rm target
"$program" run decay discrete_adjoint max_steps=1 --dump link >/dev/null 2>&1
[ -L link ] && [ ! -e target ] || fail "no result: something is left at the end of the link, or no link"

# a method that leaves another rounding mode behind
compiler=$(command -v cc || command -v gcc || command -v clang)
cat >module.c <<'CODE'
#include <fenv.h>
#include "sens/plugin.h"

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    (void)ctx;
    *state = (void *)(size_t)task;
    return SENS_OK;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    const struct sens_problem *pb = ((const struct sens_task *)state)->problem;
    const int before = fegetround();
    fesetround(FE_UPWARD);
    for (size_t i = 0; i < pb->n; i++) out->x[i] = out->G[i] = 1;
    for (size_t i = 0; out->dGdp && i < pb->n * pb->np; i++) out->dGdp[i] = 0;
    for (size_t i = 0; out->dGdx0 && i < pb->n * pb->n; i++) out->dGdx0[i] = 0;
#ifdef TIDY
    fesetround(before);
#endif
    (void)ctx, (void)before;
    *work = (struct sens_work){.steps = 1};
    return SENS_OK;
}

static SENS_METHOD(upward) = {.name = "upward", .summary = "rounds upward", .derivative = SENS_DERIVATIVE_DISCRETE,
                              .prepare = prepare, .run = run};
static const struct sens_method_type *const methods[] = {&sens_method_upward, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "test", .methods = methods};
CODE
if [ -n "$compiler" ] && [ "$(uname -m)" = x86_64 ]; then
    for flag in -DUNTIDY -DTIDY; do
        "$compiler" -std=gnu11 $flag -fPIC -shared -fvisibility=hidden -I"$headers" -o upward.so module.c -lm ||
            fail "no module"
        "$program" run decay upward --plugin ./upward.so --json >stdout 2>stderr
        case $flag in
        -DTIDY) grep -q '"status": *"ok"' stdout || fail "a tidy method: $(cat stderr)" ;;
        *) grep -q '"status": *"fp_state"' stdout && grep -q 'rounding mode' stderr || fail "rounding: $(cat stderr)" ;;
        esac
    done
fi

# a library that does not look at what malloc returns: the limit is to blame, not a fault of its own
if "$program" list methods 2>/dev/null | grep '^ *cvodes_adjoint' | grep -qv 'built without' &&
    (ulimit -v 1000000 && "$program" list methods) >/dev/null 2>&1; then
    printf '%s\n' '[sweep]' 'samples = 0' 'memory = 1e9' '[cells]' 'problem = vdp' 'method = cvodes_adjoint' \
        'interval = 1000000' >memory.sweep
    "$program" sweep ./memory.sweep --out memory >/dev/null 2>stderr || fail "cvodes without memory: $(cat stderr)"
    status=$(grep -v '^#' memory/memory/*.tsv | cut -f 1 | tail -n 1)
    [ "$status" = memory_limit ] || fail "cvodes without memory: $status"
fi

echo "$failures failures"
test $failures -eq 0
