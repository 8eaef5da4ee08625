#!/bin/bash
# run.sh [RUNS | SECONDSs | merge] [TARGET ...] - fuzzes with libFuzzer under ASan and UBSan: `run.sh 1000000` makes
# so many runs of each target, from another seed each time; `run.sh 60s` shares so many seconds among them, from one
# seed. Inputs that reach something new are kept in build/fuzz/found/TARGET for the next time; `run.sh merge` adds the
# fewest of them to tests/fuzz/corpus that reach all. Exit 0: nothing found; 1: a finding, whose input is in
# build/fuzz/findings; 77: no clang or no fuzzer runtime here.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C
amount=${1:-60s}
[ $# -eq 0 ] || shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(sweep values result resume reference command message model)
build=$PWD/build/fuzz
corpus=$PWD/tests/fuzz/corpus
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # in memory, where there is such a folder
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:quarantine_size_mb=32:malloc_context_size=8
export UBSAN_OPTIONS=print_stacktrace=1

echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return !d && n; }' >"$scratch/probe.c"
if ! clang -fsanitize=fuzzer,address "$scratch/probe.c" -o "$scratch/probe" 2>"$scratch/why"; then
    sed -n 1,3p "$scratch/why"
    echo "skipped: clang with libFuzzer (packages clang and libclang-rt-14-dev) is not here"
    exit 77
fi
cmake --preset fuzz --log-level=WARNING >"$scratch/log" 2>&1 && cmake --build --preset fuzz >"$scratch/log" 2>&1 ||
    { tail -30 "$scratch/log"; exit 1; }

# A sweep may have 50,000 cells, which the sanitizers make some fifty times slower.
limits=(-rss_limit_mb=512 -timeout=20 -max_len=8192 -close_fd_mask=3 -print_final_stats=1 -verbosity=1
    -entropic_scale_per_exec_time=1)
case $amount in
*s) bound=(-max_total_time=$((${amount%s} / ${#targets[@]})) -seed=1) ;; # as repeatable as time allows: a test
*) bound=(-runs="$amount") ;;
esac

if [ "$amount" = merge ]; then
    for target in "${targets[@]}"; do
        "$build/fuzz/fuzz_$target" "${limits[@]}" -max_len=2048 -set_cover_merge=1 "$corpus/$target" \
            "$build/found/$target" </dev/null >"$build/$target.log" 2>&1 || { tail -5 "$build/$target.log"; exit 1; }
        echo "$target: $(find "$corpus/$target" -type f | wc -l) inputs," \
            "$(du -sb --apparent-size "$corpus/$target" | cut -f1) bytes"
    done
    exit 0
fi

failed=0
printf '%-10s %10s %8s %7s %7s  %s\n' target runs seconds edges inputs findings
for target in "${targets[@]}"; do
    mkdir -p "$build/found/$target" "$build/findings"
    log="$build/$target.log"
    verdict=none
    SECONDS=0
    "$build/fuzz/fuzz_$target" "${limits[@]}" "${bound[@]}" -artifact_prefix="$build/findings/$target-" \
        -dict="$PWD/tests/fuzz/$target.dict" "$build/found/$target" "$corpus/$target" \
        </dev/null >"$log" 2>&1 || { failed=1; verdict="see $log"; }
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f2 || true)
    inputs=$(grep -o 'corp: [0-9]*' "$log" | tail -1 | cut -d' ' -f2 || true)
    printf '%-10s %10s %8s %7s %7s  %s\n' "$target" "${runs:--}" "$SECONDS" "${edges:--}" "${inputs:--}" "$verdict"
    [ "$verdict" != none ] || continue
    grep -E -m3 'ERROR|runtime error|SUMMARY' "$log" || true
    input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1) # again, with what the program says
    [ -z "$input" ] || timeout 60 "$build/fuzz/fuzz_$target" "$input" 2>&1 | grep -E 'not so|runtime error' || true
done
exit $failed
