#!/bin/bash
# false_alarms.sh PROGRAM COUNT [FIRST] - `verify --quick` with COUNT random seeds: sizes, tolerances, points and
# directions are drawn anew in each. Prints every failure with its seed; exit 1 when there is one.
set -u
export LC_ALL=C
program=$1
count=$2
first=${3:-1}
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
failed=0
for ((seed = first; seed < first + count; seed++)); do
    "$program" verify --quick --seed "$seed" >"$work" 2>&1 && continue
    failed=$((failed + 1))
    echo "seed $seed:"
    sed -n '/^fail/p; /probable causes/,$p' "$work" | head -60
done
echo "$failed of $count seeds with a failure"
[ $failed -eq 0 ]
