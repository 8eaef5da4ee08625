#!/bin/bash
# sensbench summary: of a sweep that is nobody's but yours, and the performance profile of its rows.
# Argument 1: sensbench.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/../common.bash"


# any sweep has its table, and the paper's statements are none of its business
cat >"$work/mine.sweep" <<'END'
[sweep]
samples = 3
sample_budget = 0.001
warmups = 0
[cells mine]
problem = decay
method = discrete_adjoint cfsa
tol = 1e-3 1e-5 1e-7 1e-9
END
"$program" sweep "$work/mine.sweep" --out "$work/out" >/dev/null 2>"$work/messages" ||
    { fail "no sweep"; cat "$work/messages"; }
"$program" summary "$work/out" >"$work/summary" || fail "summary: exit $?"
for line in '^\*\*decay\*\*.*; sweep mine$' \
    '^| discrete_adjoint: cash_karp | .* s (1) |' '^| cfsa: cash_karp | .* s ('; do
    grep -q -- "$line" "$work/summary" || fail "'$line' is not in $(cat "$work/summary")"
done
grep -q 'Published statements\|not testable' "$work/summary" && fail "statements without a sweep of the paper"
"$program" summary "$work/out" --json | grep -q '"statements": \[\]' || fail "statements in JSON"
for sweep in fig4 table2 tolerance peers-mine; do
    sed "s/\tmine\t/\t$sweep\t/" "$work"/out/mine/*.tsv >"$work/$sweep.tsv" # column sweep
    "$program" summary "$work/$sweep.tsv" | grep -q 'Published statements' || fail "no statements with $sweep"
done

# The profile of two methods: one twice as fast where both come to the accuracy, the other the only one at 1e-8.
{
    printf '#! schema: sens-result/1\n'
    printf '%s\t' status problem n np cost wrt method t_total_s err_grad sweep cell track
    echo series
    row() { printf '%s\t' "$1" glv 5 6 identity both "$2" "$3" "$4" any "method=$2 tol=$4" natural; echo "$5"; }
    row ok fast 1 1e-4 a
    row ok fast 1 1e-6 a
    row ok slow 9 1e-3 a
    row ok slow 2 1e-5 b
    row ok slow 2 1e-7 b
    row ok slow 4 1e-8 b
    row timeout late nan nan a
    row ok late 8 1e-2 a
    row unavailable absent nan nan a
} >"$work/profile.tsv"
"$program" summary --profile "$work/profile.tsv" >"$work/profile" || fail "profile: exit $?"
tr '\t' ' ' <<'END' >"$work/expected"
row track method ratio share
step natural fast 1 0.666667
step natural fast 2 0.666667
reached natural fast 2 3 0
step natural slow 1 0.333333
step natural slow 2 0.666667
step natural slow 2 1
step natural slow 2 1
reached natural slow 3 3 0
step natural late 1 0
step natural late 2 0
reached natural late 0 3 0
END
tr '\t' ' ' <"$work/profile" | diff "$work/expected" - || fail "another profile"

# Products by right-hand sides: the mean of 2 and 8 is 4; what one provider lacks counts for none; the faster right-hand
# side is that with the larger quotient.
{
    printf '#! schema: sens-result/1\n'
    printf '%s\t' status problem n method product lanes vjp rhs isa machine by_rhs
    echo sweep
    row() { printf '%s\t' ok "$1" "$2" discrete_adjoint vjp "$3" "$4" "$5" avx2 here "$6"; echo any; }
    row glv 5 8 hand own 2
    row vdp 2 8 hand own 8
    row heat 9 8 hand own 100
    row glv 5 8 compiled own 1
    row vdp 2 8 compiled own 0.25
    row glv 5 8 compiled generated 0.5
    row vdp 2 8 compiled generated 4
    row vdp 2 1 tape own 3
} >"$work/products.tsv"
"$program" summary "$work/products.tsv" >"$work/products" || fail "products: exit $?"
for line in '| 8 | 2 | 4 | 0.5 | - | - | - | - | - |' '| 1 | 1 | - | - | 3 | - | - | - | - |' \
    '| 8 | 2 | 2 | 4 | vdp, n = 2 |'; do
    grep -qxF -- "$line" "$work/products" || fail "'$line' is not in $(cat "$work/products")"
done
grep -q '## Products' "$work/summary" && fail "products of a sweep that has none"
# a provider that is not ours has a column behind ours
sed 's/\ttape\t/\techo\t/' "$work/products.tsv" >"$work/echo.tsv"
"$program" summary "$work/echo.tsv" >"$work/products" || fail "products of another provider: exit $?"
grep -qxF '| 1 | 1 | - | - | - | - | - | - | - | 3 |' "$work/products" ||
    fail "another provider has no column: $(cat "$work/products")"

# Table 5.1 of FATODE beside rows of the sweep on the same problem: 2631.5 / 175.3 and one less; 3 / 2 and 1 / 2
{
    printf '#! schema: sens-result/1\n'
    printf 'status\tproblem\tmethod\tn\tm\tseries\tsweep\t'
    printf 't_total_s\tt_forward_s\tt_reverse_s\tsteps\tn_factor\tn_solve\n'
    printf 'ok\tshallow_water\tdiscrete_adjoint\t4800\t8\tsdirk4a,factors=kept\tshallow\t3\t2\t1\t13\t14\t99\n'
    printf 'timeout\tshallow_water\tdiscrete_adjoint\t4800\t1\tsdirk4a\tshallow\tnan\tnan\tnan\tnan\tnan\tnan\n'
} >"$work/shallow.tsv"
"$program" summary "$work/shallow.tsv" >"$work/shallow" || fail "shallow: exit $?"
for line in '| SDIRK | LAPACK | 175.3 | 2632 | 15 | 14 |' '| SDIRK | UMFPACK | 9.9 | 174.2 | 17.6 | 16.6 |' \
    '| discrete_adjoint: sdirk4a,factors=kept | 8 | 2 | 3 | 1.5 | 0.5 | 13 | 14 | 99 |' \
    '| discrete_adjoint: sdirk4a | 1 | timeout | | | | | | |'; do
    grep -qxF -- "$line" "$work/shallow" || fail "'$line' is not in $(cat "$work/shallow")"
done
grep -q "Table 4" "$work/shallow" && fail "Table 4 without a row of its sweep"
# and Table 4 of PETSc TSAdjoint, beside the same of its problem
sed -e "s/shallow_water\(.*\)4800/gray_scott\120000/" -e "s/shallow/tsadjoint/" "$work/shallow.tsv" \
    >"$work/tsadjoint.tsv"
"$program" summary "$work/tsadjoint.tsv" >"$work/tsadjoint" || fail "tsadjoint: exit $?"
for line in '| PETSc RK4 | analytic Jacobian | 38.03 |' '| PETSc CN | matrix-free | 0.41 |' \
    '| discrete_adjoint: sdirk4a,factors=kept | 8 | 2 | 3 | 1.5 | 0.5 | 13 | 14 | 99 |'; do
    grep -qxF -- "$line" "$work/tsadjoint" || fail "'$line' is not in $(cat "$work/tsadjoint")"
done
# line ends of Windows have their name
sed "s/\$/$(printf '\r')/" "$work/shallow.tsv" >"$work/windows.tsv"
tells 2 "windows.tsv:1: line ends of Windows" "$program" summary "$work/windows.tsv"
exit $((failures > 0))
