#!/bin/bash
# Threads that share a core do not watch for one another: the one that is waited for needs it. Operations are counted,
# by callgrind; and results are the same bits wherever threads run.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

command -v taskset >/dev/null || { echo "no taskset"; exit 77; }
core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//') # the first that may be used
cell=(problem=glv n=20 method=discrete_adjoint lanes=4 isa=baseline truth=none)

"$program" run "${cell[@]}" threads=4 --once --dump "$work/all" >/dev/null || fail "a run on all cores"
taskset -c "$core" "$program" run "${cell[@]}" threads=4 --once --dump "$work/one" >/dev/null ||
    fail "a run on one core"
check "the same bits on one core as on all" cmp "$work/all" "$work/one"

if ! command -v callgrind_annotate >/dev/null || [ -n "$(sanitizer)" ] || nm "$program" | grep -q ' __tsan_init'; then
    echo "nothing is counted: no callgrind, or a program with a sanitizer"
    [ "$failures" -gt 0 ] && exit 1
    exit 77
fi

# Of the functions of methods/discrete/pool.c, however the compiler has joined them. A thread that watches once looks
# 4000 times.
taskset -c "$core" valgrind --tool=callgrind --callgrind-out-file="$work/calls" \
    "$program" run "${cell[@]}" threads=4 --once >"$work/stdout" 2>"$work/stderr" ||
    { cat "$work/stderr"; fail "no run"; }
check "four threads" grep -q 'threads 4' "$work/stdout"
callgrind_annotate --threshold=100 "$work/calls" >"$work/annotated"
counted=$(awk '/:(serve|await_generation|called|look_away|sens_pool_run)[ \[]/ { gsub(/,/, "", $1); sum += $1; found++ }
    END { if (found) print sum }' "$work/annotated")
check "the pool is counted" test -n "$counted"
check "fewer operations than one thread that watches once: $counted" test "${counted:-4000}" -lt 4000

exit $((failures > 0))
