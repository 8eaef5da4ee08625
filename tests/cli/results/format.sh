#!/bin/bash
# results/FORMAT.md has the columns that the program writes, in its words. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
scripts=$(dirname "$0")/../../../harness/scripts
"$scripts/format.sh" --check "$program" >"$work/diff" ||
    { fail "FORMAT.md is not what format.sh writes"; cat "$work/diff"; }
# it sees a column too few and a word changed, and mends them
sed -e '/^| `batch`/d' -e 's/^| `steps` .*/| `steps` | text | - | steps |/' results/FORMAT.md >"$work/FORMAT.md"
"$scripts/format.sh" --check "$program" "$work/FORMAT.md" >/dev/null && fail "a table that differs is taken"
"$scripts/format.sh" "$program" "$work/FORMAT.md" && cmp results/FORMAT.md "$work/FORMAT.md" || fail "it is not mended"
"$scripts/format.sh" "$program" /dev/null 2>/dev/null && fail "a file without a table"
# the names are those of a row
"$program" run decay cfsa --tsv | head -n 1 | tr '\t' '\n' >"$work/header"
"$program" list columns | sed 's/ .*//' | diff "$work/header" - || fail "other names than those of a row"
"$program" list | grep -q '^columns' && fail "list without a kind lists what only files have"
exit $((failures > 0))
