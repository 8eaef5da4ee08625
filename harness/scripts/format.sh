#!/bin/sh
# format.sh [--check] SENSBENCH [FILE] - writes the table of columns in results/FORMAT.md (or FILE) from what
# `sensbench list columns` says; with --check it only compares. Exit 1: they differ; 2: bad input.
set -eu
export LC_ALL=C
check=
[ "${1-}" != --check ] || { check=1; shift; }
[ $# -ge 1 ] && [ -x "$1" ] || { echo "usage: format.sh [--check] SENSBENCH [FILE]" >&2; exit 2; }
file=${2-$(dirname "$0")/../../results/FORMAT.md}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# NAME KIND, UNIT: MEANING
"$1" list columns | sed -E 's/^([^ ]+) +([^,]+), ([^:]+): (.*)$/| `\1` | \2 | \3 | \4 |/' >"$scratch/rows"
[ -s "$scratch/rows" ] || { echo "format.sh: $1 lists no columns" >&2; exit 2; }
awk -v rows="$scratch/rows" '
    /^\| `/ { if (!written) while ((getline line < rows) > 0) print line; written = 1; next }
    { print }
    END { exit !written }' "$file" >"$scratch/new" || { echo "format.sh: $file has no table of columns" >&2; exit 2; }
if [ -n "$check" ]; then
    diff "$file" "$scratch/new"
else
    cat "$scratch/new" >"$file"
fi
