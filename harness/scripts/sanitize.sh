#!/bin/sh
# sanitize.sh [JOBS] - the whole test suite under ASan and UBSan, method tests under TSan, unit tests under valgrind.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
jobs=${1:-2}
# Left out: MPI, which PETSc needs, leaks by design; TMBad leaks, and calls members of what is NULL, in its own sources.
for preset in asan tsan; do
    cmake --preset $preset --log-level=WARNING -DSENS_PEER_PETSC=OFF -DSENS_PEER_TMBAD=OFF
    cmake --build build/$preset -j "$jobs"
done
ctest --test-dir build/asan --output-on-failure -j "$jobs" -LE slow
ctest --test-dir build/tsan --output-on-failure -j "$jobs" -L method
cmake --preset debug --log-level=WARNING
cmake --build build/debug -j "$jobs"
for test in build/debug/unit_test_*; do
    case $test in *_packed | *_avx*) continue ;; esac # every size of every kernel: ASan has seen them
    valgrind --quiet --suppressions=harness/scripts/valgrind.supp --error-exitcode=1 --leak-check=full \
        --errors-for-leak-kinds=definite "$test" >/dev/null
    echo "valgrind: $(basename "$test"): clean"
done
