#!/bin/bash
# performance.sh: every claim has its line, verdicts follow the rows, and what was not measured is said.
# Argument 1: sensbench.
# What the verdicts are is not judged: one round on whatever machine this is.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
script=harness/scripts/performance.sh

SIZES=2 "$script" "$program" "$work/out" --rounds 1 --seconds 0.01 >"$work/text" 2>"$work/errors" ||
    fail "exit $?: $(cat "$work/errors")"
for file in performance.txt adjoint.tsv settings.tsv cfsa.tsv; do [ -s "$work/out/$file" ] || fail "no $file"; done
cmp -s <(head -n "$(wc -l <"$work/out/performance.txt")" "$work/text") "$work/out/performance.txt" ||
    fail "text and file differ"

# 7 sizes, 6 shares, 4 quotients, 3 sizes, 1 share, of which the sizes that were left out are not measured
read -r met not_met not_measured < <(awk '/ met, .* not met, .* not measured$/ { print $1, $3, $6 }' "$work/text")
[ $((met + not_met + not_measured)) -eq 21 ] && [ "$not_measured" -eq 17 ] ||
    fail "verdicts: $met, $not_met, $not_measured"
[ "$(grep -c "not measured  " "$work/text")" -eq 17 ] || fail "lines of what was not measured"

# the first number, computed again: t peak / (5.4e-6 s 45.2 GFLOP/s), and its verdict
expected=$(awk -F'\t' '/^#/ { next } !n { for (n = 1; n <= NF; n++) at[$n] = n; next }
    $at["contender"] == 0 { ratio = $at["t_total_s"] * $at["peak_gflops"] / (5.4e-6 * 45.2)
        printf "%.3g %s", ratio, ratio <= 1.2 ? "met" : "not met" }' "$work/out/adjoint.tsv")
found=$(awk '/^1[.]/ { on = 1 } on && /^  N = 2 / {
    print $4, (/not met/ ? "not met" : / met/ ? "met" : "?"); exit }' "$work/text")
[ "$expected" = "$found" ] || fail "claim 1, N = 2: '$found', expected '$expected'"

"$script" >/dev/null 2>&1
[ $? -eq 2 ] || fail "usage is 2"
"$script" "$work/none" "$work/out" >/dev/null 2>&1
[ $? -eq 2 ] || fail "no program is 2"
"$script" "$program" "$work/out" --rounds x >/dev/null 2>&1
[ $? -eq 2 ] || fail "a bad option is 2"
exit $((failures > 0))
