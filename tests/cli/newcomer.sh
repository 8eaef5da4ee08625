#!/bin/bash
# A newcomer's session: a problem (the Brusselator) and two methods from the skeletons, each with a deliberate
# mistake, which `verify` finds and explains; mended, they pass. Argument 1: sensbench. Skipped without a C compiler.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
include=$(cd "$(dirname "$0")/../../harness/include" && pwd)
compiler=$(command -v cc || command -v gcc || command -v clang) || exit 77
cd "$work" || exit 1

# build NAME: NAME.so from the folder of that name
build() {
    "$compiler" -std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -I"$include" -o "$1.so" "$1"/*.c ||
        fail "$1 does not compile"
}

# line FILE OLD NEW: the one line that contains OLD becomes NEW
line() {
    [ "$(grep -cF -- "$2" "$1")" -eq 1 ] || { fail "$1: '$2' is not in one line"; return; }
    awk -v old="$2" -v new="$3" 'index($0, old) { print new; next } { print }' "$1" >changed && cp changed "$1"
}

# verify CODE KIND NAME: --quick on the module; the report is kept in the file report
verify() {
    "$program" verify --quick --plugin "$3.so" "--$2" "$3" >report 2>&1 </dev/null
    local got=$?
    [ $got -eq "$1" ] || { fail "verify $2 $3: exit $got, expected $1; report:"; tail -40 report; }
}

# explained TEXT: this cause is among the first three that the report names
explained() {
    grep -E '^ +[123]\. ' report | grep -qF -- "$1" || { fail "not explained by '$1':"; tail -40 report; }
}

# ---- a problem: x' = A + x^2 y - (B + 1) x, y' = B x - x^2 y, p = (A, B) ----
"$program" new problem my_brusselator --c >/dev/null || fail "new problem"
source=my_brusselator/my_brusselator.c
build my_brusselator
verify 0 problem my_brusselator
line $source "NP = 3" "enum { N = 2, NP = 2 };"
replace $source "static sens_status rhs" "}" <<'C'
static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real A = at->p[0], B = at->p[1], x = at->x[0], y = at->x[1];
    dx[0] = A + x * x * y - (B + 1) * x;
    dx[1] = B * x - x * x * y;
    return SENS_OK;
}
C
# the mistake: the sign of d f2/d x
replace $source "static void jacobian(" "}" <<'C'
static void jacobian(const struct sens_at *at, sens_real J[N][N])
{
    const sens_real B = at->p[1], x = at->x[0], y = at->x[1];
    J[0][0] = 2 * x * y - (B + 1), J[0][1] = x * x;
    J[1][0] = B + 2 * x * y, J[1][1] = -x * x;
}
C
replace $source "static void jacobian_p(" "}" <<'C'
static void jacobian_p(const struct sens_at *at, sens_real F[N][NP])
{
    F[0][0] = 1, F[0][1] = -at->x[0];
    F[1][0] = 0, F[1][1] = at->x[0];
}
C
line $source "p[2] =" ""
build my_brusselator
verify 1 problem my_brusselator
explained "one entry of the Jacobian is wrong"
grep -q "df_1/dx_0" report || fail "the entry is not named"
line $source "J[1][0] =" "    J[1][0] = B - 2 * x * y, J[1][1] = -x * x;"
build my_brusselator
verify 0 problem my_brusselator
"$program" run my_brusselator discrete_adjoint --plugin my_brusselator.so | grep -q "status     ok" ||
    fail "run my_brusselator"
"$program" advise my_brusselator wrt=p --plugin my_brusselator.so 2>/dev/null |
    grep -q "^sensbench run my_brusselator discrete_.* --plugin=my_brusselator.so$" || fail "advise my_brusselator"

# ---- a method: stage times that ignore c_i h ----
"$program" new method newcomer >/dev/null || fail "new method"
source=newcomer/newcomer.c
build newcomer
verify 0 method newcomer
stage=$(grep -F "st->Y, pb->p};" $source)
line $source "st->Y, pb->p};" "    const struct sens_at at = {t, st->Y, pb->p};"
build newcomer
verify 1 method newcomer
explained "stage times ignore c_i h"
line $source "st->Y, pb->p};" "$stage"

# ---- the same method: the initial state's dependence on the parameters forgotten ----
initial=$(grep -F "x0_jvp_cols(" $source)
line $source "x0_jvp_cols(" "        (void)L;"
build newcomer
verify 1 method newcomer
explained "missing initial-state term"
line $source "        (void)L;" "$initial"
build newcomer
verify 0 method newcomer
"$program" run glv newcomer --plugin newcomer.so | grep -q "status     ok" || fail "run newcomer"
exit $((failures > 0))
