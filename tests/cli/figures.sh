#!/bin/bash
# figures.sh and bench.sh from the outside: pictures of made-up sweeps, notes on failures, nothing without data, resuming.
set -u
sensbench=$1
scripts=harness/scripts
command -v gnuplot > /dev/null || exit 77
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0

check() { # text, then a command that has to succeed
    local text=$1
    shift
    "$@" || { echo "FAILED: $text"; failures=$((failures + 1)); }
}
picture() { # file: a picture of some size, whatever its format
    test "$(wc -c < "$1")" -gt 5000
}

# small sweeps under the names that have a figure of their own
mkdir "$dir/the out" # a blank in a path is not the end of it
for sweep in fig2 fig3 fig5 other; do
    case $sweep in
    fig2) problem=vdp; tol="1e-7 1e-8 1e-9"; n= ;;
    *) problem=glv; tol="1e-4 1e-6 1e-8"; n="n = 3 10 20" ;;
    esac
    printf '[sweep]\nname = %s\nsamples = 2\nsample_budget = 0.001\n[cells]\nproblem = %s\nmethod = discrete_adjoint cfsa\ntol = %s\ntruth = auto\n%s\n' \
        "$sweep" "$problem" "$tol" "$n" > "$dir/$sweep.sweep"
    "$sensbench" sweep "$dir/$sweep.sweep" --out "$dir/the out" > /dev/null || exit 1
done
# one sweep with a failed cell: the step limit is reached
printf '[cells]\nproblem = glv\nn = 3\nmethod = discrete_adjoint cfsa\ntol = 1e-4 1e-10\nmax_steps = 30\n' > "$dir/short.sweep"
"$sensbench" sweep "$dir/short.sweep" --out "$dir/the out" > /dev/null

"$scripts/figures.sh" "$dir/the out" > "$dir/paths" 2> "$dir/messages"
check "figures.sh succeeds" test $? -eq 0
check "without messages" test ! -s "$dir/messages"
check "it says where from" grep -qx "figures of $dir/the out" "$dir/paths"
for name in fig2 fig2-calibration fig3 fig3-calibration fig5 fig5-calibration other other-calibration; do
    for ending in svg png; do
        check "$name.$ending is printed" grep -qx "$dir/the out/figures/$name.$ending" "$dir/paths"
        check "$name.$ending is a picture" picture "$dir/the out/figures/$name.$ending"
    done
done
check "tables without data are named" grep -q '^table1: no data' "$dir/paths"
check "the legend names the methods" grep -q 'discrete adjoint' "$dir/the out/figures/fig3.svg"
check "the exponent is in the legend" grep -q 'P^' "$dir/the out/figures/fig5.svg"
check "published points are in the legend" grep -q 'published: FATODE' "$dir/the out/figures/fig2.svg"
check "no failure, no list" grep -q 'No cell failed' "$dir/the out/figures/fig3.svg"
check "failures are explained below the plot" grep -q 'Failed, not drawn:.* x step_limit (n = 3)' "$dir/the out/figures/short.svg"

# the newest file of a sweep is the one that is drawn
cp "$(ls "$dir/the out"/fig3/*.tsv)" "$dir/the out/fig3/zz-newer.tsv"
touch -d '2040-01-01' "$dir/the out/fig3/zz-newer.tsv"
"$scripts/figures.sh" "$dir/the out" > /dev/null 2>&1
check "newest first" grep -q 'fig3/zz-newer.tsv' "$dir/the out/figures/fig3.svg"

# nothing to draw, no folder
mkdir "$dir/empty"
"$scripts/figures.sh" "$dir/empty" > "$dir/paths"
check "nothing to draw is no failure" test $? -eq 0
check "and is said" grep -q '^fig3: no data' "$dir/paths"
"$scripts/figures.sh" "$dir/nowhere" > /dev/null 2>&1
check "a folder that is not there is bad input" test $? -eq 2

# the summary of the same folder
"$sensbench" summary "$dir/the out" > "$dir/summary"
check "summary succeeds" test $? -eq 0
check "summary lists figures" grep -q "figures/fig5.svg" "$dir/summary"
check "summary judges" grep -q '^  not testable: needs FATODE' "$dir/summary"
"$sensbench" summary "$dir/the out" --json > "$dir/json"
check "summary as JSON" grep -q '"schema": "sens-summary/1"' "$dir/json"
"$sensbench" summary > /dev/null 2>&1
check "summary of nothing is bad input" test $? -eq 2
"$sensbench" summary "$dir/empty" > /dev/null 2>&1
check "summary of an empty folder is bad input" test $? -eq 2

# bench.sh checks its arguments before anything is run
"$scripts/bench.sh" --fast "$sensbench" "$dir/bench" > /dev/null 2>&1
check "unknown profile" test $? -eq 2
"$scripts/bench.sh" --quick "$dir/no-program" "$dir/bench" > /dev/null 2>&1
check "no program" test $? -eq 2

exit $((failures > 0))
