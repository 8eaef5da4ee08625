#!/bin/bash
# all.sh PROGRAM ROW - every module of tests/modules, as run.sh: the wrong ones that verify must catch, the right ones
# that it must pass. Prints a line for each; exit 1 where one is not as it should be, or could not be built.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
failed=0 total=0
for module in "$here"/wrong/*.[ce]* "$here"/right/*.[ce]*; do
    total=$((total + 1))
    bash "$here/run.sh" "$1" "$2" "$module" || { failed=$((failed + 1)); echo "not as it should be: $module"; }
done
echo "$((total - failed)) of $total modules judged as they should be"
[ $total -gt 0 ] && [ $failed -eq 0 ]
