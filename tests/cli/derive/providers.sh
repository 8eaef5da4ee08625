#!/bin/bash
# harness/scripts/verify-providers.sh: a row for each subject and provider, an interrupted run that goes on, and exit
# codes. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
script=$(cd "$(dirname "$0")/../../../harness/scripts" && pwd)/verify-providers.sh
table=$work/table
export SENSBENCH_CACHE=$work/compiled PROVIDERS=tape SUBJECTS="decay costs"

tells 0 "^[0-9]{3,} passed, 0 failed, [0-9]+ skipped" "$script" "$program" "$table" --quick
grep -qE $'^decay\ttape\t[1-9][0-9]+\t0\t[0-9]+\t[0-9.]+$' "$table" || fail "no row of decay: $(cat "$table")"
grep -qE $'^costs\ttape\t[1-9][0-9]+\t0\t[0-9]+\t[0-9.]+$' "$table" || fail "no row of costs: $(cat "$table")"

# rows that are there stay, and count: this one did not come from verify
sed -i $'s/^decay\ttape\t[0-9]*\t0/decay\ttape\t7\t3/' "$table"
SUBJECTS="decay vdp" tells 1 "^[0-9]+ passed, 3 failed" "$script" "$program" "$table" --quick
grep -q $'^decay\ttape\t7\t3\t' "$table" || fail "a row was written again"
[ "$(grep -c $'\ttape\t' "$table")" -eq 3 ] || fail "not three rows: $(cat "$table")"
# with other options all begins anew
SUBJECTS=decay tells 0 " 0 failed" "$script" "$program" "$table" --quick --seed 3
[ "$(grep -c $'\ttape\t' "$table")" -eq 1 ] || fail "rows of other options stayed"

SUBJECTS=nothing tells 2 "matches nothing" "$script" "$program" "$table" --quick --seed 3
tells 2 "no program" "$script" "$work/none" "$table"
tells 2 "usage" "$script" "$program"
tells 2 "" "$script" "$program" "$work/no/folder/table"
exit $((failures > 0))
