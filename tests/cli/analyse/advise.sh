#!/bin/bash
# advise: schemes, modes and tolerances, judged by operations, which no load of the machine disturbs. Argument 1:
# sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"

# advise ARGUMENT...: into the file advice
advise() {
    "$program" advise "$@" --by operations >"$work/advice" 2>"$work/errors" </dev/null ||
        fail "advise $*: $(cat "$work/errors")"
}
# table NAME: its rows
table() {
    awk -v name="# $1:" 'index($0, name) == 1 { inside = 1; getline; next } !NF { inside = 0 } inside' "$work/advice"
}
# advised QUESTION TAKE VERDICT
advised() {
    [ "$(table advice | awk -F '\t' -v q="$1" '$1 == q { print $2 "\t" $5 }')" = "$2	$3" ] ||
        fail "$1: not $2, $3: $(cat "$work/advice")"
}
# count COLUMN KEY...: a number of one run
count() {
    local column=$1
    shift
    "$program" run "$@" truth=none --once --json | tr ',' '\n' | sed -n "s/.*\"$column\":\([0-9.]*\).*/\1/p" | head -1
}

# Stiff: implicit, by orders of magnitude; the command that is printed runs, and its error is the one told.
# Explicit steps sit on their stability boundary: whether their gradient reaches the error goes by rounding.
advise robertson T=40 cost=identity
(advised scheme implicit separable) >/dev/null || advised scheme implicit "the other does not reach the error"
table rows | awk -F '\t' '$2 == "explicit" && $5 == "ok" && $7 < 10000 { exit 1 }' || fail "explicit steps of Robertson"
command=$(table command | sed 's/^sensbench run//')
# shellcheck disable=SC2086
"$program" run $command wrt=both truth=reference --json >"$work/run" 2>&1 ||
    fail "the command: $command: $(cat "$work/run")"
tol=$(table advice | awk -F '\t' '$1 == "tolerance" { print $2 }')
told=$(table rows | awk -F '\t' -v tol="$tol" '$3 == "radau_iia5" && $4 + 0 == tol + 0 { print $6; exit }')
tr ',' '\n' <"$work/run" | sed -n 's/.*"err_grad":\([-0-9.e]*\).*/\1/p' |
    awk -v told="$told" '{ exit !(($1 / told - 1)^2 < 1e-4 && $1 <= 1e-6) }' ||
    fail "error told: $told; $(cat "$work/run")"

# Not stiff, and a small error: explicit steps of high order.
advise arenstorf T=5 --error 1e-8
advised scheme explicit separable
table command | grep -q "tableau=dop853" || fail "high order: $(cat "$work/advice")"

# Many parameters and few outputs: adjoint. One parameter, many outputs: forward.
advise glv n=10 wrt=p
advised mode adjoint separable
table crossover >"$work/crossover"
{
    echo 'model tanks "eight states, one rate"'
    echo 'parameter k = 0.7'
    for i in 1 2 3 4 5 6 7 8; do echo "state x$i = 1"; done
    echo 'interval 0 .. 2'
    echo "x1' = -k*x1^2"
    for i in 2 3 4 5 6 7 8; do echo "x$i' = k*x$((i - 1)) - k*x$i^2"; done
} >"$work/tanks.ode"
advise tanks wrt=p cost=identity --models "$work/tanks.ode"
advised mode forward separable
table command | grep -qF "sensbench run tanks discrete_tangent" || fail "a model: $(cat "$work/advice")"
table command | grep -qF -- "--models=$work/tanks.ode" || fail "the file of the model: $(cat "$work/advice")"

# The crossover in P of glv by other runs: what an output costs, from 5 and 10 of them, and what a column costs, from
# 110 and 120 of them. The model takes both from one run of each mode.
advise glv n=10 wrt=p
tol=$(table advice | awk -F '\t' '$1 == "tolerance" { print $2 }')
row=$(table command | grep -o 'tableau=[^ ]*')
case $row in
    tableau=do*)
        ten=$(count flops glv discrete_adjoint n=10 wrt=p "$row" tol="$tol")
        five=$(count flops glv discrete_adjoint n=10 wrt=p "$row" tol="$tol" cost=sampled outputs=5)
        p110=$(count flops glv discrete_tangent n=10 wrt=p "$row" tol="$tol")
        p120=$(count flops glv discrete_tangent n=10 wrt=both "$row" tol="$tol")
        awk -F '\t' -v a="$ten" -v b="$five" -v c="$p110" -v d="$p120" '$1 == "P" {
            P = 10 * ((a - b) / 5) / ((d - c) / 10); if (($3 / P - 1)^2 > 0.04) { print $3, P; exit 1 } }' \
            "$work/crossover" || fail "the crossover: $(cat "$work/crossover"); $ten $five $p110 $p120"
        ;;
    *) fail "glv is not stiff: $row: $(cat "$work/advice")" ;;
esac

# What cannot be told is not.
expect 4 "advise: the gradient is known to" advise lorenz T=30 --error 1e-6 --by operations --seconds 600
grep -q '^#' "$work/output" && fail "tables without a reference"
expect 2 "advise: tol=1e-6: that is what it is asked for" advise glv tol=1e-6
expect 2 "--error 2: not a number from 1e-10 to 0.1" advise glv --error 2
expect 2 "--by money: not time or operations" advise glv --by money
expect 2 "advise: on which problem?" advise
expect 2 "those of sparse systems are not known" advise conduction --by operations
expect 0 "budget: at most 24 runs" advise glv --dry-run
expect 0 "separable" advise decay
expect 0 "sensbench run logistic" advise logistic --error 0.05 --by operations
"$program" advise decay --json --by operations 2>/dev/null | grep -q '^{"about":{.*"command":{.*"sensbench run decay' ||
    fail "--json"
[ $failures -eq 0 ]
