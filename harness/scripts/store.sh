#!/bin/bash
# store.sh BUILD WORK [RESULTS] - measures what RESULTS (results/ of this tree) holds of times, all of it anew and by
# one clean commit: the sweeps of every figure and table, programs of other languages, the ratios of performance.sh and
# peers.sh, how long verify takes. When all of it is there, it takes the place of what was stored, and the figures are
# drawn again. It wants a machine with nothing else to do for two hours or more, and asks quiet.sh three times:
# before the sweeps, before the ratios, and before the libraries of others.
# In the environment: BUSY=yes measures on a machine that is not quiet, too. SETS="petsc heat": of the ratios to
# libraries of others those sets alone (peers.sh names them), and those that were measured before; others are then not
# in results/peers.
# Safe to interrupt: what is measured stays in a folder of WORK; called again with the same program it goes on there.
# Exit 0: stored; 1: the tree has changes, the program is of another commit, or something failed; 2: bad input;
# 3: something is missing; 4: the machine is not quiet; 130: interrupted.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || [ $# -eq 3 ] || { echo "usage: store.sh BUILD WORK [RESULTS]" >&2; exit 2; }
[ -x "$1/sensbench" ] || { echo "store.sh: no program $1/sensbench" >&2; exit 2; }
mkdir -p -- "$2"
build=$(cd -- "$1" && pwd)
work=$(cd -- "$2" && pwd)
results=${3-$(dirname "$0")/../../results}
mkdir -p -- "$results"
results=$(cd -- "$results" && pwd)
cd "$(dirname "$0")/../.."
results=${results#"$PWD/"} # as the summary names it
unset SIZES ERRORS         # all of them
scripts=harness/scripts
sensbench=$build/sensbench
commit=$("$scripts/commit.sh" "$build")
measured=$work/$commit-$(cksum <"$sensbench" | cut -d ' ' -f 1)
mkdir -p "$measured/verify"

step() { # TEXT COMMAND ...
    local text=$1 code=0
    shift
    echo "== $text" >&2
    "$@" || code=$?
    [ $code -eq 0 ] && return
    echo "store.sh: $text: exit code $code; nothing is stored, what is measured stays in $measured" >&2
    exit $code
}

# The stored results tell what quiet is, unless they were measured with BUSY=yes themselves.
quiet() {
    local code=0
    [ "${BUSY-}" = yes ] || "$scripts/quiet.sh" "$sensbench" "$results" >&2 || code=$?
    [ $code -ne 4 ] || echo "store.sh: wait and call it again; or BUSY=yes, which takes times as they are" >&2
    return $code
}

others() {
    local contenders=docs/contenders
    "$sensbench" sweep $contenders/contenders.sweep --resume --out "$measured" \
        --contender $contenders/scipy_ivp.py --contender $contenders/desolve.R --contender $contenders/octave_lsode.m
}

ratios() {
    [ -s "$measured/performance/performance.txt" ] || "$scripts/performance.sh" "$sensbench" "$measured/performance"
}

# Three times each: what the machine does beside it is seen by their spread.
verify_times() {
    local file=$measured/verify/times.txt options
    [ -s "$file" ] && return
    "$sensbench" --version >"$file.part" || return
    for options in --quick "--quick --method discrete_adjoint" "--quick --problem glv"; do
        for _ in 1 2 3; do
            # shellcheck disable=SC2086 # words are wanted
            "$sensbench" verify $options | sed -n "s/^[0-9]* passed, .*/verify $options: &/p" >>"$file.part" || return
        done
    done
    mv "$file.part" "$file"
}

# A folder of results is replaced as a whole, but for what verify's has of other commands. A set of peers.sh that was
# interrupted, which has no file .SET, is not a result.
replace() {
    local folder name file set
    for folder in "$measured"/*/; do
        name=$(basename "$folder")
        [ "$name" = verify ] || rm -rf "${results:?}/$name"
        mkdir -p "$results/$name"
        for file in "$folder"*.tsv "$folder"*.txt "$folder"*.png "$folder"*.svg; do
            [ -f "$file" ] || continue
            set=$(basename "${file%.*}")
            [ "$name" != peers ] || [ "$set" = peers ] || [ -f "$folder.$set" ] || continue
            cp -- "$file" "$results/$name/"
        done
    done
}

step "is the machine quiet" quiet
step "sweeps" "$scripts/bench.sh" --full "$sensbench" "$measured"
step "programs of other languages" others
step "is the machine quiet" quiet
step "how fast" ratios
step "verify" verify_times
if [ -n "${SETS-}" ]; then
    for file in "$measured"/peers/.[a-z]*; do
        if [ -f "$file" ]; then SETS="$SETS ${file##*/.}"; fi
    done
    export SETS
fi
step "is the machine quiet" quiet
step "beside the libraries of others" "$scripts/peers.sh" "$sensbench" "$measured/peers"

step "figures" env SENSBENCH="$sensbench" "$scripts/figures.sh" "$measured"
replace
"$sensbench" summary "$results" >"$results/summary.md"
echo "stored in $results: of commit $commit"
