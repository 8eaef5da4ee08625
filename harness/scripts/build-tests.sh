#!/bin/sh
# build-tests.sh PRESET FOLDER ... [-- CMAKE_OPTION ...] - builds the program and the C tests of these folders of tests,
# and nothing else, in build/PRESET.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
preset=$1
shift
folders=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    folders="$folders $1"
    shift
done
[ $# -eq 0 ] || shift
cmake --preset "$preset" --log-level=WARNING "$@"
targets=sensbench
for folder in $folders; do # the name of a C test's target is that of the test, FOLDER/NAME
    targets="$targets $(ctest --test-dir "build/$preset" -N -L "^$folder\$" |
        sed -n "s|^ *Test *#[0-9]*: $folder/|${folder}_|p")"
done
cmake --build "build/$preset" -j "$(nproc)" --target $targets
