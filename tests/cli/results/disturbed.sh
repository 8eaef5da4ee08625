#!/bin/bash
# Samples that others disturb, from the outside: what rows, summary and page say of a cell whose only core is shared
# with a competitor; and masks. Nothing here is decided by how long something takes.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/../common.bash"

command -v taskset >/dev/null || { echo "no taskset"; exit 77; }
core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//') # the first that may be used

# a competitor that is there as long as this script is
taskset -c "$core" bash -c 'while :; do :; done' &
competitor=$!
trap 'kill "$competitor" 2>/dev/null; rm -rf "$work"' EXIT

# Each run takes some hundred milliseconds: the competitor gets the core many times. Two samples, which are all used.
cat >"$work/long.sweep" <<'EOF'
[sweep]
samples = 2
sample_budget = 0.4
warmups = 0
[cells]
problem = vdp
method = discrete_tangent
tableau = rk4
controller = fixed
dt = 2e-6
EOF
taskset -c "$core" "$program" sweep "$work/long.sweep" --out "$work/out" >"$work/stdout" 2>&1
check "a sweep beside a competitor" test $? -eq 0
file=$(ls "$work"/out/long/*.tsv)
check "its row is ok" test "$(column status "$file")" = ok
samples=$(column samples "$file")
check "it has samples" test "$samples" -ge 1
check "it says that all its samples were disturbed" test "$(column samples_disturbed "$file")" = "$samples"

"$program" summary "$file" >"$work/summary"
check "the summary says which sweep" grep -q '^- long: 1 of 1 rows with times$' "$work/summary"
"$program" summary --json "$file" | tr -d ' \n' >"$work/json"
check "as JSON" grep -qF '"disturbed":[{"sweep":"long","rows":1,"disturbed":1}]' "$work/json"

# the page, where there is a browser that draws it
if "$program" report "$work/out" >"$work/stdout" 2>&1 && command -v chromium >/dev/null; then
    timeout 120 chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$work/out/report.html" \
        >"$work/drawn" 2>/dev/null
    if grep -q 'class="curve"' "$work/drawn"; then
        check "the page says it below the figure" grep -q '>1 of these marks have samples during which' "$work/drawn"
    else
        echo "the page is not looked at: chromium draws nothing"
    fi
fi

# files of before the column say nothing of it
awk -F '\t' -v OFS='\t' '/^#/ { print; next }
    !drop { for (i = 1; i <= NF; i++) if ($i == "samples_disturbed") drop = i }
    { line = ""; for (i = 1; i <= NF; i++) if (i != drop) line = line (line == "" ? "" : OFS) $i; print line }' \
    "$file" >"$work/older.tsv"
grep -q samples_disturbed "$work/older.tsv" && fail "the column is still there"
"$program" summary "$work/older.tsv" >"$work/summary"
check "a file without the column is read" test $? -eq 0
grep -q 'Disturbed' "$work/summary" && fail "it is said to be disturbed"

# a competitor elsewhere is none of a run that has nothing timed
tells 0 '"samples_disturbed": ?null' "$program" run problem=decay method=discrete_tangent --once --json

# the mask is obeyed: one core, one worker
tells 0 'cores used: 1;' taskset -c "$core" "$program" peak --quick

exit $((failures > 0))
