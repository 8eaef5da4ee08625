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

mkdir -p build

# gcc warns where it optimises: in the build that the tests use, so that nothing is built twice.
cmake --preset release -DSENS_WERROR=ON --log-level=WARNING
cmake --build build/release -j "$(nproc)" >build/lint.log 2>&1 || { cat build/lint.log; fail "gcc has warnings"; }

# clang warns as it reads, for clang-tidy: nothing is built but the headers that the sources include.
clang=build/lint-clang
cmake -S . -B $clang -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang \
    -DCMAKE_CXX_COMPILER=clang++
cmake --build $clang --target git_stamp >/dev/null

# Sources are compiled for several instruction sets, and several programs. They are analysed once, the kernels, which
# have code for each of the sets, in each. CMake writes a command in lines of its own.
mkdir -p $clang/once
awk '/^[][]$/ { next }
     /^\{/ { entry = "" }
     { entry = entry $0 "\n" }
     /^  "file": / { file = $0 }
     /^\}/ && (!seen[file]++ || file ~ /harness\/kernels\//) {
         sub(/,?\n$/, "", entry)
         printf "%s%s", count++ ? ",\n" : "[\n", entry
     }
     END { print "\n]" }' $clang/compile_commands.json >$clang/once/compile_commands.json

# analysed PATHSPEC ...: those of these sources that are built here; what needs a library that is not installed is not
analysed() {
    git ls-files "$@" | while IFS= read -r source; do
        if grep -qF "/$source\"" $clang/once/compile_commands.json; then
            echo "$source"
        else
            echo "lint: $source is not built here, and not analysed" >&2
        fi
    done
}

# One file a process: the last finding of a file is judged by the settings of the next.
tidy() { xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p $clang/once "$@" 2>>build/lint-tidy.log; }

# Tests fork, leave memory to cmocka and divide by what they know: the analysis is of the program, the warnings of all.
# (Without a check of its own, here one for C++, clang-tidy does not start.)
: >build/lint-tidy.log
analysed '*.c' '*.cc' ':!tests' | tidy || fail "clang-tidy has findings"
analysed 'tests/*.c' 'tests/*.cc' ':!tests/modules' ':!tests/recorded' ':!tests/mutants' |
    tidy --checks='-*,clang-diagnostic-*,misc-unused-alias-decls' || fail "clang has warnings in the tests"
[ "$failed" -eq 0 ] && echo "lint: no finding in $(echo "$sources" | wc -w) files"
exit $failed
