#!/bin/bash
# Costs of a module whose gradients are derived: from a function of five lines to a verified gradient; branches as
# guards; what cannot be recorded or differentiated, with its place. Argument 1: sensbench. Skipped without a compiler.
# shellcheck source=tests/cli/common.bash
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
source=$(cd "$(dirname "$0")/../../.." && pwd)
compiler=$(command -v gcc || command -v cc || command -v clang)
[ -n "$compiler" ] || exit 77
cd "$work" || exit 1
plugin=$source/harness/templates/plugin.c.in
record="-include sens/recorded.h -mlong-double-128 -O0 -g1 -fno-builtin -ffp-contract=off"

# module NAME: NAME.so of NAME.c; NAME_bare.so: without the part that can be recorded
module() {
    sed -e "s/@NAME@/$1/g; s/@KIND@/COST/g; s/@kind@/cost/g" "$plugin" >"$1_plugin.c"
    local each flags="-std=c11 -Wall -Wextra -Werror -fPIC -I$source/harness/include"
    for each in "$1" "$1_plugin"; do
        # shellcheck disable=SC2086 # words are wanted
        "$compiler" $flags -O2 -c "$each.c" -o "$each.o" && "$compiler" $flags $record -c "$each.c" -o "r_$each.o" ||
            fail "$each.c does not compile"
    done
    "$compiler" -shared -o "$1.so" "$1.o" "$1_plugin.o" "r_$1.o" "r_$1_plugin.o"
    "$compiler" -shared -o "$1_bare.so" "$1.o" "$1_plugin.o"
}

# cost NAME SLOT PARAMETERS BODY [SLOTS]: m = 1, observed at t1; more slots by hand
cost() {
    cat >"$1.c" <<END
#include <tgmath.h>

#include "sens/cost.h"

static void $2($3, sens_real *G)
{
$4
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, const struct sens_problem *pb,
                          struct sens_cost *cost)
{
    (void)option;
    sens_real *t = SENS_NEW(ctx, sens_real, 1);
    if (!t) return SENS_NO_MEMORY;
    *t = pb->t1;
    cost->m = 1;
    cost->n_obs = $([ "$2" = phi ] && echo 1 || echo 0);
    cost->t_obs = t;
    return SENS_OK;
}
SENS_COST($1) = {.name = "$1", .summary = "a cost of the tests", .create = create, .$2 = $2};
END
    module "$1"
}
at_end="const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p"
along="const struct sens_cost *cost, const struct sens_at *at, sens_real w"
cell="discrete_adjoint tol=1e-10"

# ---- five lines: the gradient is that of the built-in cost, which has its own ----
cost half phi "$at_end" "    (void)j, (void)p;
    for (size_t i = 0; i < cost->n; i++) G[0] += x[i] * x[i] / 2;"
cost half_along g "$along" "    for (size_t i = 0; i < cost->n; i++) G[0] += w * at->x[i] * at->x[i] / 2;"
# shellcheck disable=SC2086
for pair in half:terminal half_along:running; do
    mine=${pair%:*} builtin=${pair#*:}
    for problem in vdp initial sir; do
        "$program" run $problem $cell cost=$mine --plugin ./$mine.so --dump mine.x >/dev/null || fail "run $mine"
        "$program" run $problem $cell cost=$builtin --dump builtin.x >/dev/null || fail "run $builtin"
        paste <(grep -v '^#' mine.x) <(grep -v '^#' builtin.x) | awk -F '\t' '
            NF % 2 { bad = 1 } { for (i = 1; i <= NF / 2; i++) {
                a = $i; b = $(i + NF / 2)
                if (a + 0 != a) { if (a != b) bad = 1; continue }
                d = a - b; if (d < 0) d = -d; s = b < 0 ? -b : b
                if (d > 1e-11 * s) bad = 1; n++ } } END { exit bad || n < 4 }' ||
            fail "the gradient of $mine on $problem is not that of $builtin"
    done
    tells 0 "cost $mine" "$program" verify --quick --plugin ./$mine.so --cost $mine
    tells 0 " 0 failed" "$program" verify --quick --plugin ./$mine.so --cost $mine
done
tells 0 '"cost_vjp":"tape"' "$program" run vdp $cell cost=half --plugin ./half.so --json
tells 0 '"vjp":"hand".*"n_recorded":1,' "$program" run vdp $cell cost=half --plugin ./half.so --json
tells 0 '"cost_vjp":"hand"' "$program" run vdp $cell cost=terminal --json
tells 0 "phi +1 +5 +0 +0 +9 " "$program" derive vdp cost=half --plugin ./half.so

# ---- branches: guards, caught and counted; the run meets both sides of each ----
cost sides g "$along" "    const sens_real half = SENS_C(0.5);
    for (size_t i = 0; i < cost->n; i++) {
        const sens_real x = at->x[i], up = fmax(x - half, 0), down = fmin(x + half, at->p[0] * 0);
        G[0] += w * (fabs(x - half) * (x - half) + up * up * up + down * down + (x > half ? x * x : x - half * half));
    }"
tells 0 '"n_recorded":([3-9]|[1-9][0-9]),' "$program" run vdp $cell T=6 cost=sides --plugin ./sides.so --json
tells 0 "g +1 +[0-9]+ +[1-9]" "$program" derive vdp cost=sides --plugin ./sides.so
tells 0 " 0 failed" "$program" verify --plugin ./sides.so --cost sides
# against differences of whole runs on the same steps
tells 0 "by the same products: [0-9.]*e-1[0-9]" "$program" run vdp $cell T=6 cost=sides --plugin ./sides.so

# ---- defined at t1 and not at t0, where it is recorded first: later, and right ----
cost logarithm phi "$at_end" "    (void)cost, (void)j, (void)p;
    G[0] += log(x[1] * x[1]);"
tells 0 "by the same products: [0-9.]*e-1[0-9]" \
    "$program" run oscillator $cell velocity=0 T=1 cost=logarithm --plugin ./logarithm.so

# ---- what cannot be ----
cost whole phi "$at_end" "    (void)cost, (void)j, (void)p;
    G[0] += (int)x[0];"
tells 2 \
    "cost=whole: its gradients cannot be derived: .*whole[.]c:8: a value that depends on t, x or p becomes a whole" \
    "$program" run vdp $cell cost=whole --plugin ./whole.so
tells 1 "no gradients of its own, and they cannot be derived" "$program" verify --quick --plugin ./whole.so --cost whole
tells 2 "cost half cannot be recorded: its module has no recorded part" \
    "$program" run vdp $cell cost=half --plugin ./half_bare.so
tells 1 "its module has no recorded part" "$program" verify --quick --plugin ./half_bare.so --cost half

# a cost that remembers, or is another function in double: its run ends, and there is no result
cost counts phi "$at_end" "    static int calls;
    (void)cost, (void)j, (void)p;
    G[0] += x[0] * (calls++ > 8 ? 2 : 1);"
tells 2 "cost counts: at t = .* phi\[0\] is .* by its recording" \
    "$program" run vdp $cell cost=counts --plugin ./counts.so

# a cost that is finite and whose derivative is not: the run says which, where
for part in 'integral(sqrt(t*k))' 'at(0, sqrt((x - 1)*k))'; do
    cat >steep.ode <<END
model steep "a cost with a root at 0"
parameter k = 0.5
state x = 1
interval 0 .. 1
x' = -k*x*x
cost a = $part
END
    for method in discrete_adjoint casa_dense; do
        tells 4 "diverged: at t = 0 the derivative of .*output 0 of the cost is not finite, while the state is" \
            "$program" run steep $method cost=own --models steep.ode
    done
done

# some gradients by hand and others not
awk '/^SENS_COST/ {
         print "static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p,"
         print "                   size_t c0, size_t L, sens_real *OUT)\n{"
         print "    (void)cost, (void)j, (void)x, (void)p, (void)c0, (void)L, (void)OUT;\n}"
     }
     { sub(/\.phi = phi}/, ".phi = phi, .phi_dp = phi_dx}"); sub(/\(half\)/, "(parts)"); sub(/"half"/, "\"parts\"") }
     { print }
' half.c >parts.c
module parts
tells 2 "cost .parts. lacks a name, a summary or a function" "$program" list costs --plugin ./parts.so

exit $((failures > 0))
