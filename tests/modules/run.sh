#!/bin/bash
# run.sh [--one-in N] PROGRAM ROW MODULE - builds one module of tests/modules and lets `verify` judge it.
#
# PROGRAM: sensbench; ROW: mutants_row, which reads verify's JSON. MODULE is right/NAME or wrong/NAME, .c or
# .edit. Its head says what to do, a line each, in a comment of a .c file:
#
#     verify: ARGUMENTS      of verify, beside --plugin; without it: --quick --method NAME
#     module: MODULE         (wrong) whose failure it should be, "method NAME" where it is not said
#     cause: NAME ...        (wrong) causes (harness/verify/base/causes.h) that are right; one of them must be among the
#                            first three. Without the line the exit code alone is looked at.
#     recorded: yes          compile it once more, to be recorded (sens/recorded.h), as a problem's CMakeLists.txt does
#
# A .edit file is a skeleton that is changed: `skeleton: method` (problem, cost) is what `sensbench new` writes under
# NAME, `skeleton: wrong/OTHER.c` (right/OTHER.c) another module of this folder by its name; then pairs of lines
# `find: TEXT` and `with: TEXT`: TEXT is in one line of NAME.c, and is replaced.
# What several modules share is a header beside this file, which they include.
# A right module passes; a wrong one must make verify exit with 1, by a check and not by a crash of the program.
# --one-in N: of the wrong modules one in so many, other ones for the next commit, which is what the tests have time
# for; all.sh takes them all.
# Exit 0: as it should be; 77: no C compiler, or left to another commit.
set -u
export LC_ALL=C
every=1
[ "$1" = --one-in ] && { every=$2; shift 2; }
program=$(realpath "$1")
row=$(realpath "$2")
module=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd) # what modules share
include=$(cd "$here/../../harness/include" && pwd)
compiler=$(command -v cc || command -v gcc || command -v clang) || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
name=$(basename "$module")
name=${name%.*}
kind=$(basename "$(dirname "$module")")
if [ "$kind" = wrong ] && [ "$every" -gt 1 ]; then
    commits=$(git -C "$here" rev-list --count HEAD 2>/dev/null || echo 0)
    turn=$(printf %s "$name" | cksum | cut -d ' ' -f 1)
    if [ $((turn % every)) -ne $((commits % every)) ]; then
        echo "$name: left to another commit; tests/modules/all.sh takes all"
        exit 77
    fi
fi

# told KEY: the rest of the first line that begins with it
told() {
    sed -n -e 's, *\*/$,,' -e "s/^[ *]*$1: *//p" "$module" | head -n 1
}

# edit FILE: each find is replaced once by its with
edit() {
    awk -v edits="$module" '
        BEGIN { while ((getline line < edits) > 0) {
                    if (sub(/^find: /, "", line)) find[++count] = line
                    else if (sub(/^with: ?/, "", line)) with[count] = line
                } }
        { for (i = 1; i <= count; i++) {
              at = index($0, find[i])
              if (at) { $0 = substr($0, 1, at - 1) with[i] substr($0, at + length(find[i])); seen[i]++ }
          }
          print }
        END { for (i = 1; i <= count; i++)
                  if (seen[i] != 1) { print "in " seen[i] + 0 " lines: " find[i] | "cat >&2"; exit 1 } }' \
        "$1" >"$work/edited" && cp "$work/edited" "$1"
}

mkdir "$work/source"
if [ "${module##*.}" = edit ]; then
    skeleton=$(told skeleton)
    if [ -f "$here/$skeleton" ]; then
        other=$(basename "$skeleton" .c)
        sed -E "s/\\b(sens_[a-z]+_)?$other\\b/\\1$name/g" "$here/$skeleton" >"$work/source/$name.c" || exit 1
    else
        (cd "$work" && "$program" new "$skeleton" "$name" --c >/dev/null && cp "$name"/*.c source/) || exit 1
    fi
    edit "$work/source/$name.c" || exit 1
else
    cp "$module" "$work/source/"
fi
flags=(-Wall -Wextra -fPIC -fvisibility=hidden "-I$include" "-I$here")
parts=()
if [ -n "$(told recorded)" ]; then
    for source in "$work"/source/*.c; do
        "$compiler" -std=gnu11 -include sens/recorded.h -mlong-double-128 -O0 -g1 -fno-builtin -ffp-contract=off \
            "${flags[@]}" -c -o "$source.o" "$source" || exit 1
        parts+=("$source.o")
    done
fi
"$compiler" -std=c11 -O2 "${flags[@]}" -shared -o "$work/$name.so" "$work"/source/*.c "${parts[@]}" -lm || exit 1

arguments=$(told verify)
# shellcheck disable=SC2086 -- a list of words
"$program" verify ${arguments:---quick --method "$name"} --plugin "$work/$name.so" --json >"$work/json" 2>"$work/errors"
code=$?
whose=$(told module)
line=$("$row" "${whose:-method $name}" "$(told cause)" <"$work/json")
printf '%s: verify ends with %s: %s\n' "$name" "$code" "$line"
if [ "$kind" = right ]; then
    [ $code -eq 0 ] || { cat "$work/errors"; grep -B 3 -A 6 '"verdict": "fail"' "$work/json"; exit 1; }
    exit 0
fi
[ $code -eq 1 ] || { cat "$work/errors"; exit 1; }
[ -z "$(told cause)" ] || [ "${line##*$'\t'}" = yes ]
