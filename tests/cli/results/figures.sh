#!/bin/bash
# figures.sh and bench.sh from the outside: pictures of made-up sweeps, notes on failures, nothing without data,
# resuming.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/../common.bash"
scripts=harness/scripts
command -v gnuplot > /dev/null || exit 77

picture() { # file: a picture of some size, whatever its format
    test "$(wc -c < "$1")" -gt 5000
}

figure_of() { # sweep: the line of the program's own sweep of this name, if there is one
    cat harness/sweeps/"$1".sweep harness/paper/sweeps/"$1".sweep 2> /dev/null | grep '^figure'
}

# small sweeps drawn as the program's own of these names are
mkdir "$work/the out" # a blank in a path is not the end of it
for sweep in fig2 fig3 fig5 other; do
    case $sweep in
    fig2) problem=vdp; tol="1e-7 1e-8 1e-9"; n= ;;
    *) problem=glv; tol="1e-4 1e-6 1e-8"; n="n = 3 10 20" ;;
    esac
    {
        printf '[sweep]\nname = %s\n%s\nsamples = 2\nsample_budget = 0.001\n' "$sweep" "$(figure_of $sweep)"
        printf '[cells]\nproblem = %s\nmethod = discrete_adjoint cfsa\n' "$problem"
        printf 'tol = %s\ntruth = auto\n%s\n' "$tol" "$n"
    } > "$work/$sweep.sweep"
    "$program" sweep "$work/$sweep.sweep" --out "$work/the out" > /dev/null || exit 1
done
# and those of docs/performance.md
small() { # name, then lines of [cells]
    local sweep=$1
    shift
    {
        printf '[sweep]\nname = %s\n%s\nsamples = 2\nsample_budget = 0.001\n' "$sweep" "$(figure_of "$sweep")"
        printf '[defaults]\nproblem = glv\ntol = 1e-6\n'
        printf '[cells]\n'
        printf '%s\n' "$@"
    } > "$work/$sweep.sweep"
    "$program" sweep "$work/$sweep.sweep" --out "$work/the out" > /dev/null || exit 1
}
small lanes 'method = discrete_adjoint' 'n = 5 10' 'lanes = 1 4 auto' 'threads = 1 2' 'isa = baseline'
small batch 'method = discrete_adjoint' 'n = 5 10' 'batch = 6 24 auto' 'threads = 1'
small scaling 'method = discrete_adjoint cfsa' 'n = 2 20 30 40' 'threads = 1 auto' 'structure = auto none' \
    'skip = method=cfsa threads=auto' 'skip = n=40 method=cfsa' 'skip = n=30 method=cfsa'
small roofline 'method = discrete_adjoint discrete_tangent casa_dense' 'n = 3 10' 'threads = 1'
# one sweep with a failed cell: the step limit is reached
printf '[cells]\nproblem = glv\nn = 3\nmethod = discrete_adjoint cfsa\ntol = 1e-4 1e-10\nmax_steps = 30\n' \
    > "$work/short.sweep"
"$program" sweep "$work/short.sweep" --out "$work/the out" > /dev/null

"$scripts/figures.sh" "$work/the out" fig3 > "$work/paths"
check "of the sweeps that are named alone" test "$(grep -c figures/ "$work/paths")" -eq 4
check "and no other" test "$(grep -c figures/fig3 "$work/paths")" -eq 4

"$scripts/figures.sh" "$work/the out" > "$work/paths" 2> "$work/messages"
check "figures.sh succeeds" test $? -eq 0
check "without messages" test ! -s "$work/messages"
check "it says where from" grep -qx "figures of $work/the out" "$work/paths"
for name in fig2 fig2-calibration fig3 fig3-calibration fig5 fig5-calibration other other-calibration; do
    for ending in svg png; do
        check "$name.$ending is printed" grep -qx "$work/the out/figures/$name.$ending" "$work/paths"
        check "$name.$ending is a picture" picture "$work/the out/figures/$name.$ending"
    done
done
for name in lanes batch scaling scaling-share roofline; do
    for ending in svg png; do
        check "$name.$ending is printed" grep -qx "$work/the out/figures/$name.$ending" "$work/paths"
        check "$name.$ending is a picture" picture "$work/the out/figures/$name.$ending"
    done
    check "no calibration of $name" test ! -e "$work/the out/figures/$name-calibration.svg"
done
check "lanes: the instruction set is in the legend" grep -q 'baseline, 2 threads' "$work/the out/figures/lanes.svg"
check "lanes: no other one is" test "$(grep -c AVX "$work/the out/figures/lanes.svg")" -eq 0
check "batch: the sizes are in the legend" grep -q 'N = 10' "$work/the out/figures/batch.svg"
check "scaling: the exponent is in the legend" \
    grep -q 'discrete adjoint, 1 thread:  N^' "$work/the out/figures/scaling.svg"
check "scaling: what is missing is said" \
    grep -q 'discrete tangent:  not in these results' "$work/the out/figures/scaling.svg"
check "scaling: the prototype is scaled" \
    grep -q 'prototype, scaled to [0-9.]* GFLOP' "$work/the out/figures/scaling.svg"
check "scaling: the codes of others" grep -q 'CVODES adjoint' "$work/the out/figures/scaling.svg"
check "scaling-share: what is aimed at" grep -q 'aim, 1 thread' "$work/the out/figures/scaling-share.svg"
check "roofline: a roof of memory" grep -q 'L1, [0-9.]* GB/s' "$work/the out/figures/roofline.svg"
check "roofline: a roof of the arithmetic" \
    grep -q 'FMA [a-zA-Z0-9-]*, [0-9.]* GFLOP/s' "$work/the out/figures/roofline.svg"
check "tables without data are named" grep -q '^table1: no data' "$work/paths"
check "the legend names the methods" grep -q 'discrete adjoint' "$work/the out/figures/fig3.svg"
check "the exponent is in the legend" grep -q 'P^' "$work/the out/figures/fig5.svg"
check "published points are in the legend" grep -q 'published: FATODE' "$work/the out/figures/fig2.svg"
check "no failure, no list" grep -q 'No cell failed' "$work/the out/figures/fig3.svg"
check "failures are explained below the plot" \
    grep -q 'Failed, not drawn:.* x step_limit (n = 3)' "$work/the out/figures/short.svg"

# comparisons with the libraries of others: rows made by hand, as no library need be here. In the order of the
# tolerances: a time and an error each. A method "?NAME" stands in the cell alone, as where it could not be loaded.
made() { # sweep problem n method series track status message time error ...
    local sweep=$1 problem=$2 n=$3 method=$4 series=$5 track=$6 status=$7 message=$8 tol=1e-3
    shift 8
    mkdir -p "$work/peers/$sweep"
    local file="$work/peers/$sweep/made.tsv"
    test -e "$file" || { printf '#! schema: sens-result/1\n'
        figure_of "$sweep" | sed 's/^figure *=/#! figure:/'
        echo "$columns" | tr ' ' '\t'; } > "$file"
    while [ $# -ge 2 ]; do
        printf '%s\t' "$status" "$problem" "$n" 6 "${method%%\?*}" "" "$tol" "$1" "$1" "$1" "$2" "$2" "$2" \
            avx2 1 1 1 1 reference "method=${method#\?} n=$n tol=$tol track=$track x=1" "$message" >> "$file"
        printf '%s\t' "$series" "$track" identity >> "$file"
        printf 'both\n' >> "$file"
        tol=$(awk "BEGIN { printf \"%g\", $tol / 100 }")
        shift 2
    done
}
columns="status problem n np method tableau rtol t_total_s t_lo_s t_hi_s err_grad err_grad_max err_x_max isa threads"
columns="$columns lanes batch gflops truth cell message series track cost wrt"
apt="built without SUNDIALS; to have it, apt-get install libsundials-dev, and build again"
for sweep in fig2 fig4 peers-small peers-heat peers-vdp fig5; do
    made $sweep glv 5 discrete_adjoint cash_karp natural ok "" 1 1e-3 2 1e-5 4 1e-7 8 1e-9
    made $sweep glv 5 petsc_tsadjoint 5dp natural ok "" 10 1e-2 20 1e-2 40 1e-2
    made $sweep glv 5 petsc_tsadjoint cn natural ok "" 10 1e-1 20 1e-2 40 1e-3
    made $sweep glv 5 petsc_corrected dopri5,explicit natural ok "" 10 1e-3 20 1e-5 40 1e-7 80 1e-9
    made $sweep glv 5 petsc_corrected dopri5,jacobian=matrix-free,controlled controlled ok "" \
        10 1e-3 20 1e-5 40 1e-7 80 1e-9
    made $sweep glv 5 petsc_tsadjoint arkimex natural unsupported "no adjoint of ARKIMEX in 3.18" nan nan nan nan
    made $sweep glv nan cvodes_adjoint "" natural unavailable "$apt" nan nan nan nan
    made $sweep glv nan '?cvodes_forward' "" natural unavailable "$apt" nan nan
done
# the second size: nothing of PETSc, and a tangent that reaches 1e-4 in three times the time, the others never
made fig4 glv 10 discrete_adjoint cash_karp natural ok "" 1 1e-3 2 1e-5 4 1e-7 8 1e-9
made fig4 glv 5 discrete_adjoint cash_karp,vjp=compiled natural ok "" 1 1e-3 2 1e-5 4 1e-7 8 1e-9
made fig4 glv 10 discrete_tangent cash_karp natural ok "" 3 1e-3 6 1e-5 12 1e-5
made fig4 glv 5 discrete_adjoint dopri5,controlled controlled ok "" 1 1e-4 2 1e-6 4 1e-8
made fig4 glv 10 cfsa cash_karp natural diverged "" nan nan nan nan
SENSBENCH=$program "$scripts/figures.sh" "$work/peers" > "$work/paths" 2> "$work/messages"
check "figures of peers" test $? -eq 0 -a ! -s "$work/messages"
pictures="$work/peers/figures"
for name in fig2 fig4 fig4-calibration fig4-controlled fig5 peers-small peers-small-controlled peers-heat \
    peers-heat-controlled peers-vdp peers-vdp-controlled profile; do
    for ending in svg png; do
        check "$name.$ending is a picture" picture "$pictures/$name.$ending"
    done
done
for entry in 'PETSc 5dp, as shipped' 'PETSc Crank-Nicolson, as shipped' 'PETSc dopri5, explicit Jacobian, corrected' \
    'discrete adjoint, cash_karp' 'discrete adjoint, cash_karp, products compiled' 'FATODE DP5'; do
    check "fig4: the legend says $entry" grep -q "$entry" "$pictures/fig4.svg"
done
# ours 4 + 4, compiled 4, the tangent 3, 5dp 3, cn 3, corrected 4; 5 codes in two panels; 6 + 5 in the legend
check "fig4: each point once" test "$(grep -o "#gpPt[0-9]*' transform" "$pictures/fig4.svg" | wc -l)" -eq 46
# Cash-Karp has a row at 1e-9: what was measured before at its error stands there, and DENSERKS on the border
place() { grep -o "#gpPt$1' transform='translate([0-9.]*" "$pictures/fig4.svg" | sed 's/.*(//' | head -n 1; }
check "fig4: FATODE before stands at an error" awk "BEGIN { exit !($(place 7) < $(place 9) - 100) }"
check "fig4: products that are made have a marker of their own" \
    test "$(grep -o "#gpPt0' transform" "$pictures/fig4.svg" | wc -l)" -eq 5
check "fig4: the other track is elsewhere" test "$(grep -c 'matrix-free' "$pictures/fig4.svg")" -eq 0
check "fig4-controlled: only that track" grep -q 'PETSc dopri5, matrix-free, corrected' "$pictures/fig4-controlled.svg"
check "fig4-controlled: nothing else" \
    test "$(grep -c 'explicit Jacobian\|cash_karp' "$pictures/fig4-controlled.svg")" -eq 0
check "both tracks in one picture: it is said" \
    grep -q 'PETSc dopri5, matrix-free, controlled, corrected' "$pictures/fig2.svg"
check "a missing library" grep -q 'Not built, so missing here: cvodes_forward, cvodes_adjoint' "$pictures/fig2.svg"
check "and the package" grep -q 'libsundials-dev)' "$pictures/fig2.svg"
check "what the library cannot do: the reason" \
    grep -q 'petsc_tsadjoint:arkimex 2 x unsupported (n = 5): no adjoint of ARKIMEX in 3.18' "$pictures/fig2.svg"
# The cases of a track: 3 accuracies at n = 5 and at n = 10. Ten times the time at each accuracy, whatever lies between
# two tolerances; as shipped none, as the best curve, cn, ends at 1e-3; the tangent one. What another sweep repeats
# counts once.
"$program" summary --profile "$work"/peers/fig4/made.tsv "$work"/peers/peers-*/made.tsv > "$work/profile"
has() { grep -q "$(printf '%s' "$1" | sed 's/ /\t/g')" "$work/profile"; }
check "profile: the fastest" has '^step natural discrete_adjoint 1 1$'
check "profile: ten times as long" has '^step natural petsc_corrected 10 0.5$'
check "profile: reached and not run" has '^reached natural petsc_corrected 3 6 3$'
check "profile: never reached is no step" has '^reached natural petsc_tsadjoint 0 6 3$'
check "profile: halfway between two points, sqrt(2) times the time" has '^step controlled petsc_corrected 14.1421 1$'
check "profile: reached at one accuracy" has '^step natural discrete_tangent 3 0.166667$'
check "profile: run without reaching" has '^reached natural discrete_tangent 1 6 3$'
check "profile: each in the legend, with its count" \
    grep -q 'PETSc, corrected: 3 of 6, 3 not run' "$pictures/profile.svg"

# methods that the plots do not know, of modules and contenders: each has a colour and a marker of its own
for method in mine yours; do
    made foreign glv 5 $method "" natural ok "" 1 1e-3 2 1e-5
done
SENSBENCH=$program "$scripts/figures.sh" "$work/peers" > /dev/null 2>&1
check "the first other method has its marker" grep -q "#gpPt7' transform" "$pictures/foreign.svg"
check "the second has another" grep -q "#gpPt5' transform" "$pictures/foreign.svg"
check "and another colour" test "$(grep -o "#gpPt[57]' transform.*color='[^']*'" "$pictures/foreign.svg" |
    sed "s/.*color=//" | sort -u | wc -l)" -eq 2

# published times: text and numbers in every row
awk -F '\t' '!/^#/ && ++n > 1 {
        if (NF != 7 || !($6 > 0) || $6 + 0 != $6 || $1 == "" || $7 != "nan" && !($7 > 0)) bad++ }
    END { exit !(n > 50 && !bad) }' harness/paper/published_times.tsv || fail "published_times.tsv: a row is none"

# a sweep says what draws it, and what is no plot is not drawn
mkdir -p "$work/told/mine"
figure_line() { sed "s/^#! figure: .*/#! figure: $1/" "$work/peers/fig4/made.tsv" > "$work/told/mine/made.tsv"; }
figure_line calibration
"$scripts/figures.sh" "$work/told" > "$work/paths" 2> "$work/messages"
check "one plot is asked for" test "$(ls "$work/told/figures" | tr '\n' ' ')" = 'mine.png mine.svg '
check "it is titled by the plot" grep -q 'Sweep mine: achieved error' "$work/told/figures/mine.svg"
figure_line 'common calibration'
"$scripts/figures.sh" "$work/told" > "$work/paths" 2> "$work/messages"
check "a script that draws nothing is no plot" test $? -eq 1
check "and is named" grep -q "mine/made.tsv: figure: 'common' is no plot of plots/" "$work/messages"
check "without a program there is no profile" \
    test "$(SENSBENCH=/nowhere "$scripts/figures.sh" "$work/peers" | grep -c '^profile: not drawn')" -eq 1

# docs/adding-a-figure.md: a script and its name in a sweep, in a copy of what draws
mkdir -p "$work/tree/harness" "$work/mine" && cp -r plots "$work/tree" &&
    cp -r harness/{scripts,paper,sweeps} "$work/tree/harness"
for name in plots/steps.gp steps.sweep; do
    awk -v start="<!-- file $name -->" '
        $0 == start { on = 1; next }
        /^```/ { if (on == 2) exit; if (on) on = 2; next }
        on == 2' docs/adding-a-figure.md > "$work/tree/$name"
done
"$program" sweep "$work/tree/steps.sweep" --out "$work/mine" > /dev/null
"$work/tree/harness/scripts/figures.sh" "$work/mine" > "$work/paths" 2> "$work/messages"
check "a figure is added by one file and a word" test $? -eq 0 -a ! -s "$work/messages"
check "it is drawn" picture "$work/mine/figures/steps.svg"
check "with its points" test "$(grep -o "#gpPt[0-9]*' transform" "$work/mine/figures/steps.svg" | wc -l)" -eq 8
check "and the other one" picture "$work/mine/figures/steps-calibration.png"

# the newest file of a sweep is the one that is drawn
cp "$(ls "$work/the out"/fig3/*.tsv)" "$work/the out/fig3/zz-newer.tsv"
touch -d '2040-01-01' "$work/the out/fig3/zz-newer.tsv"
"$scripts/figures.sh" "$work/the out" > /dev/null 2>&1
check "newest first" grep -q 'fig3/zz-newer.tsv' "$work/the out/figures/fig3.svg"

# an instruction set that is not available is a failure with the size that was asked for, and no curve
file=$(ls "$work/the out"/lanes/*.tsv)
awk -F '\t' -v OFS='\t' '
    /^#/ { print; next }
    !at["isa"] { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
    { print; sub("isa=baseline", "isa=avx512", $at["cell"]); $at["status"] = "unavailable"; $at["isa"] = ""
      $at["n"] = $at["np"] = $at["t_total_s"] = $at["t_lo_s"] = $at["gflops"] = "nan"; print }
    ' "$file" > "$work/made" && mv "$work/made" "$file"
"$scripts/figures.sh" "$work/the out" > /dev/null 2> "$work/messages"
check "unavailable rows do no harm" test $? -eq 0 -a ! -s "$work/messages"
check "and are explained" \
    grep -q 'discrete_adjoint 12 x unavailable (n = 5, 10\|discrete_adjoint 12 x unavailable (n = 10, 5' \
    "$work/the out/figures/lanes.svg"

# roofs that could not be measured leave the points
file=$(ls "$work/the out"/roofline/*.tsv)
sed -i '/^#! peak:/d' "$file"
"$scripts/figures.sh" "$work/the out" > /dev/null 2> "$work/messages"
check "a roofline without roofs" test $? -eq 0 -a ! -s "$work/messages"
check "has none" test "$(grep -c 'GB/s\|FMA' "$work/the out/figures/roofline.svg")" -eq 0

# rows of several programs are no figure: in one file, and in the profile of several sweeps
of_another() { # file: the second row is of another commit, in the column `git` or in a new one
    awk -F '\t' -v OFS='\t' '/^#/ { print; next }
        !at { for (i = 1; i <= NF; i++) if ($i == "git") at = i
            fresh = !at; if (fresh) $(at = NF + 1) = "git"; print; next }
        { rows++; if (fresh) $at = "aaaaaaaaaa"; if (rows == 2) $at = "bbbbbbbbbb"; print }' "$1" > "$work/other.tsv"
    mv "$work/other.tsv" "$1"
}
mkdir -p "$work/several/fig5"
cp "$work/the out/fig5"/*.tsv "$work/several/fig5/rows.tsv"
of_another "$work/several/fig5/rows.tsv"
"$scripts/figures.sh" "$work/several" > "$work/paths" 2> "$work/messages"
check "rows of two commits are refused" test $? -eq 1
check "and both are named" grep -qE \
    'several/fig5/.*: rows of several commits or machines \((.* on .*, bbbbbbbbbb on |bbbbbbbbbb on .*, .* on )' \
    "$work/messages"
check "nothing is drawn of them" test ! -e "$work/several/figures/fig5.svg"
for sweep in fig4 peers-small; do
    printf '#! schema: sens-result/1\n#! figure: profile\nstatus\tproblem\tmethod\tgit\nok\tglv\tcfsa\t%s\n' \
        "$sweep" > "$work/one.tsv"
    mkdir -p "$work/profiles/$sweep" && mv "$work/one.tsv" "$work/profiles/$sweep/one.tsv"
done
SENSBENCH=$program "$scripts/figures.sh" "$work/profiles" > "$work/paths" 2> "$work/messages"
check "a profile of two programs is refused" test $? -eq 1
check "by its name" grep -q 'profile of .*: rows of several commits' "$work/messages"

# nothing to draw, no folder
mkdir "$work/empty"
"$scripts/figures.sh" "$work/empty" > "$work/paths"
check "nothing to draw is no failure" test $? -eq 0
check "and is said" grep -q '^fig3: no data' "$work/paths"
"$scripts/figures.sh" "$work/nowhere" > /dev/null 2>&1
check "a folder that is not there is bad input" test $? -eq 2

# the summary of the same folder
"$program" summary "$work/the out" > "$work/summary"
check "summary succeeds" test $? -eq 0
check "summary lists figures" grep -q "figures/fig5.svg" "$work/summary"
check "summary tells the speed" grep -q '^|  40 | ' "$work/summary"
check "and what is missing of it" grep -q '^|  40 .* missing |' "$work/summary"
check "summary judges" grep -q '^  not testable: needs FATODE' "$work/summary"
"$program" summary "$work/the out" --json > "$work/json"
check "summary as JSON" grep -q '"schema": "sens-summary/1"' "$work/json"
"$program" summary > /dev/null 2>&1
check "summary of nothing is bad input" test $? -eq 2
"$program" summary "$work/empty" > /dev/null 2>&1
check "summary of an empty folder is bad input" test $? -eq 2

# bench.sh checks its arguments before anything is run
"$scripts/bench.sh" --fast "$program" "$work/bench" > /dev/null 2>&1
check "unknown profile" test $? -eq 2
"$scripts/bench.sh" --quick "$work/no-program" "$work/bench" > /dev/null 2>&1
check "no program" test $? -eq 2

exit $((failures > 0))
