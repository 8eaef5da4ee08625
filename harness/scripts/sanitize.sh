#!/bin/sh
# sanitize.sh [JOBS] - the tests and verify under ASan and UBSan, method tests under TSan, unit tests under valgrind.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
jobs=${1:-2}
# Left out: MPI, which PETSc needs, leaks by design; TMBad leaks, and calls members of what is NULL, in its own sources.
without="-DSENS_PEER_PETSC=OFF -DSENS_PEER_TMBAD=OFF"
cmake --preset asan --log-level=WARNING $without
cmake --build build/asan -j "$jobs"
# Nor scripts that only call, many times over, what others call as well, or that mostly wait for gnuplot, a compiler or
# the shell.
left_out='additive|cache|contender|derived_cost|exponents|figures|help|hostile|install|mass|newcomer|package|report'
left_out="$left_out|stiff|tolerances|tutorials|verify|walls"
ctest --test-dir build/asan --output-on-failure -j "$jobs" -LE '^(slow|verify)$' -E "^cli/($left_out)\$"
build/asan/sensbench verify --quick # in one run, where the tests look at each module alone
build/asan/sensbench verify --quick --problem sir # a model of a file; the others run the same code on more states
harness/scripts/build-tests.sh tsan method -- $without -DSENS_CAN_QUAD=OFF # one thread computes references
ctest --test-dir build/tsan --output-on-failure -j "$jobs" -L '^method$'
harness/scripts/build-tests.sh release unit # which lint and the tests have built
for test in build/release/unit_test_*; do
    case $test in *_packed | *_avx*) continue ;; esac # every size of every kernel: ASan has seen them
    valgrind --quiet --suppressions=harness/scripts/valgrind.supp --error-exitcode=1 --leak-check=full \
        --errors-for-leak-kinds=definite "$test" >/dev/null
    echo "valgrind: $(basename "$test"): clean"
done
