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
# and those of docs/performance.md
small() { # name, then lines of [cells]
    local sweep=$1
    shift
    {
        printf '[sweep]\nname = %s\nsamples = 2\nsample_budget = 0.001\n[defaults]\nproblem = glv\ntol = 1e-6\n' "$sweep"
        printf '[cells]\n'
        printf '%s\n' "$@"
    } > "$dir/$sweep.sweep"
    "$sensbench" sweep "$dir/$sweep.sweep" --out "$dir/the out" > /dev/null || exit 1
}
small lanes 'method = discrete_adjoint' 'n = 5 10' 'lanes = 1 4 auto' 'threads = 1 2' 'isa = baseline'
small batch 'method = discrete_adjoint' 'n = 5 10' 'batch = 6 24 auto' 'threads = 1'
small scaling 'method = discrete_adjoint cfsa' 'n = 2 20 30 40' 'threads = 1 auto' 'structure = auto none' \
    'skip = method=cfsa threads=auto' 'skip = n=40 method=cfsa' 'skip = n=30 method=cfsa'
small roofline 'method = discrete_adjoint discrete_tangent casa_dense' 'n = 3 10' 'threads = 1'
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
for name in lanes batch scaling share roofline; do
    for ending in svg png; do
        check "$name.$ending is printed" grep -qx "$dir/the out/figures/$name.$ending" "$dir/paths"
        check "$name.$ending is a picture" picture "$dir/the out/figures/$name.$ending"
    done
    check "no calibration of $name" test ! -e "$dir/the out/figures/$name-calibration.svg"
done
check "lanes: the instruction set is in the legend" grep -q 'baseline, 2 threads' "$dir/the out/figures/lanes.svg"
check "lanes: no other one is" test "$(grep -c AVX "$dir/the out/figures/lanes.svg")" -eq 0
check "batch: the sizes are in the legend" grep -q 'N = 10' "$dir/the out/figures/batch.svg"
check "scaling: the exponent is in the legend" grep -q 'discrete adjoint, 1 thread:  N^' "$dir/the out/figures/scaling.svg"
check "scaling: what is missing is said" grep -q 'discrete tangent:  not in these results' "$dir/the out/figures/scaling.svg"
check "scaling: the prototype is scaled" grep -q 'prototype, scaled to [0-9.]* GFLOP' "$dir/the out/figures/scaling.svg"
check "scaling: the codes of others" grep -q 'CVODES adjoint' "$dir/the out/figures/scaling.svg"
check "share: what is aimed at" grep -q 'aim, 1 thread' "$dir/the out/figures/share.svg"
check "roofline: a roof of memory" grep -q 'L1, [0-9.]* GB/s' "$dir/the out/figures/roofline.svg"
check "roofline: a roof of the arithmetic" grep -q 'FMA [a-zA-Z0-9-]*, [0-9.]* GFLOP/s' "$dir/the out/figures/roofline.svg"
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

# an instruction set that is not available is a failure with the size that was asked for, and no curve
file=$(ls "$dir/the out"/lanes/*.tsv)
awk -F '\t' -v OFS='\t' '
    /^#/ { print; next }
    !at["isa"] { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
    { print; sub("isa=baseline", "isa=avx512", $at["cell"]); $at["status"] = "unavailable"; $at["isa"] = ""
      $at["n"] = $at["np"] = $at["t_total_s"] = $at["t_lo_s"] = $at["gflops"] = "nan"; print }' "$file" > "$dir/made" &&
    mv "$dir/made" "$file"
"$scripts/figures.sh" "$dir/the out" > /dev/null 2> "$dir/messages"
check "unavailable rows do no harm" test $? -eq 0 -a ! -s "$dir/messages"
check "and are explained" grep -q 'discrete_adjoint 12 x unavailable (n = 5, 10\|discrete_adjoint 12 x unavailable (n = 10, 5' \
    "$dir/the out/figures/lanes.svg"

# roofs that could not be measured leave the points
file=$(ls "$dir/the out"/roofline/*.tsv)
sed -i '/^#! peak:/d' "$file"
"$scripts/figures.sh" "$dir/the out" > /dev/null 2> "$dir/messages"
check "a roofline without roofs" test $? -eq 0 -a ! -s "$dir/messages"
check "has none" test "$(grep -c 'GB/s\|FMA' "$dir/the out/figures/roofline.svg")" -eq 0

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
check "summary tells the speed" grep -q '^|  40 | ' "$dir/summary"
check "and what is missing of it" grep -q '^|  40 .* missing |' "$dir/summary"
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
