#!/bin/sh
# lint.sh - layout, lengths, arrows between folders, warnings of gcc and clang, static analysis. Exit 1 on a finding.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
sources=$(git ls-files '*.c' '*.h' '*.cc')
failed=0
fail() { echo "lint: $*"; failed=1; }

clang-format --dry-run -Werror $sources || fail "clang-format disagrees (run: clang-format -i FILE)"

harness/scripts/lengths.sh $sources || fail "a C file, a line or a function is too long"
scripts=$(git ls-files '*.sh' '*.bash' .ci/run)
harness/scripts/lengths.sh $scripts $(git ls-files '*.js' '*.mjs' '*.css' '*.awk' '*.gp' '*.cmake' '*CMakeLists.txt') ||
    fail "a script, a line or a function is too long"

# Arrows between rooms are the build's business (tests/cli/walls.sh); who may print or end the program is not.
printing() { # FOLDER PATTERN REASON
    hits=$(grep -rnE "$2" "$1" --include='*.c' --include='*.h' --include='*.cc' || true)
    [ -z "$hits" ] || { echo "$hits"; fail "$3"; }
}
for folder in harness/core harness/kernels problems methods; do
    printing $folder '(^|[^a-z_])(f?printf|puts|exit|abort) *\(' "only the program prints or exits"
done

# sort, awk, printf and grep go by the locale: numbers with a comma, bytes that are no characters.
for script in $scripts; do
    grep -qE '^export LC_ALL=C( |$)' "$script" || fail "$script does not say: export LC_ALL=C"
done

# What is printed shows control bytes, and stdout belongs to modules: streams.c, nowhere else.
hits=$(git ls-files 'harness/*.c' ':!harness/core' |
    xargs grep -nE '(^|[^a-z_])printf *\(|(\(|, )(stdout|stderr)[,;)]|\bputs *\(|putchar' |
    grep -vE '/(streams|main|progress)\.c' || true)
[ -z "$hits" ] || { echo "$hits"; fail "the program prints with say, complain_line, our_stdout, our_stderr"; }

# The compiler of the build warns where it optimises, and nothing is built twice for that; clang warns as it reads.
warnings() { # FOLDER CMAKE_OPTION ...
    folder=$1
    shift
    cmake -S . -B "$folder" -G Ninja -DSENS_WERROR=ON --log-level=WARNING "$@"
    cmake --build "$folder" -j "$(nproc)" >build/lint.log 2>&1 || { cat build/lint.log; fail "warnings in $folder"; }
}
mkdir -p build
warnings build/release -DCMAKE_BUILD_TYPE=Release
warnings build/lint-clang -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang

# Tests fork, leave memory to cmocka and divide by what they know: the analysis is of the program. What needs a library
# that is not installed is not built, and cannot be analysed. One file a process: the last finding of a file is judged
# by the settings of the next.
for source in $(git ls-files '*.c' '*.cc' ':!tests'); do
    if grep -qF "/$source\"" build/lint-clang/compile_commands.json; then
        echo "$source"
    else
        echo "lint: $source is not built here, and not analysed" >&2
    fi
done | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build/lint-clang 2>build/lint-tidy.log ||
    fail "clang-tidy has findings"
[ "$failed" -eq 0 ] && echo "lint: no finding in $(echo "$sources" | wc -w) files"
exit $failed
