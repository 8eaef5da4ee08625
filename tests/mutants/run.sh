#!/bin/bash
# run.sh PROGRAM ROW [--whole] [--one-in N] [NAME ...] - switches on each mutant in turn and runs `verify --quick`.
#
# Prints the table of mutants: number, name, killed by, first three causes, whether a right one is among them.
# PROGRAM: sensbench_mutants; ROW: mutants_row, which reads verify's JSON. Without --whole, only the modules of the
# mutant's `scope` are verified. --one-in N: one in so many, other ones for the next commit, which is what the tests
# have time for. Exit 1 when a mutant survives, fewer than 80 % of the causes are right, none was tried, or the program
# without a mutant does not pass.
set -u
export LC_ALL=C
program=$1
row=$2
shift 2
whole=no
[ "${1:-}" = --whole ] && { whole=yes; shift; }
every=1
[ "${1:-}" = --one-in ] && { every=$2; shift 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# number<TAB>name<TAB>module<TAB>causes<TAB>scope<TAB>note
awk 'function flush() {
         if (name != "") print ++number "\t" name "\t" module "\t" cause "\t" scope "\t" note
         name = ""
     }
     /^#/ { next }
     /^$/ { flush(); next }
     { field = $1; sub(/^[a-z]+ +/, "") }
     field == "mutant" { name = $0; module = cause = scope = note = "" }
     field == "module" { module = $0 }
     field == "cause" { cause = $0 }
     field == "scope" { scope = $0 }
     field == "note" { note = $0 }
     END { flush() }' "$here/mutants.txt" >"$work/list"

if [ "$every" -gt 1 ]; then
    commits=$(git -C "$here" rev-list --count HEAD 2>/dev/null || echo 0)
    awk -v every="$every" -v commits="$commits" 'NR % every == commits % every' "$work/list" >"$work/some"
    mv "$work/some" "$work/list"
fi

wanted() {
    [ $# -eq 1 ] && return 0
    local name=$1
    shift 2
    for word; do [ "$word" = "$name" ] && return 0; done
    return 1
}

killed=0 named=0 total=0
if [ $# -eq 0 ]; then
    if ! "$program" verify --quick --isa baseline >"$work/sound" 2>&1; then
        echo "the program without a mutant does not pass:"
        tail -40 "$work/sound"
        exit 1
    fi
fi
printf '%s\t%s\t%s\t%s\t%s\n' number mutant 'killed by' 'first three causes' 'right cause'
while IFS=$'\t' read -r number name module cause scope note; do
    wanted "$name" -- "$@" || [ $# -eq 0 ] || continue
    [ $whole = yes ] && scope=
    # shellcheck disable=SC2086 -- the scope is a list of words
    SENS_MUTANT=$number "$program" verify --quick --isa baseline --json $scope >"$work/json" 2>"$work/errors"
    code=$?
    total=$((total + 1))
    if [ $code -ne 0 ] && [ $code -ne 1 ]; then
        echo "$name: verify ends with $code:"
        cat "$work/errors"
    fi
    line=$("$row" "$module" "$cause" <"$work/json")
    [ $code -eq 1 ] && [ "${line%%$'\t'*}" != survived ] && killed=$((killed + 1))
    [ "${line##*$'\t'}" = yes ] && named=$((named + 1))
    printf '%s\t%s\t%s\n' "$number" "$name" "$line"
done <"$work/list"
echo "killed $killed of $total; a right cause among the first three for $named of $total"
[ $total -gt 0 ] && [ $killed -eq $total ] && [ $((named * 100)) -ge $((total * 80)) ]
