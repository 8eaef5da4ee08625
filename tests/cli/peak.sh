#!/bin/bash
# sensbench peak, as a table and as JSON, and the rates in a record. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/common.bash"

"$program" peak --quick >"$work/table" 2>"$work/errors" || fail "peak --quick: exit $?"
[ ! -s "$work/errors" ] || fail "stderr: $(cat "$work/errors")"
grep -q "^GFLOP/s" "$work/table" && grep -q "^GB/s" "$work/table" || fail "no units"
for isa in $("$program" list variants | grep -v "not supported" | awk '{ print $1 }'); do
    awk -v isa="$isa" '$1 == isa && $2 == "fma" && $4 == 1 && $5 > 0 && $6 <= $5 && $5 <= $7 { found = 1 }
        END { exit !found }' "$work/table" || fail "no fma of $isa: $(cat "$work/table")"
done
for loop in read write copy triad; do
    for level in L1 L2; do
        awk -v loop=$loop -v level=$level '$2 == loop && $3 == level && $7 > 0 { found = 1 } END { exit !found }' \
            "$work/table" || fail "no $loop from $level"
    done
done
# every sweep begins with it: nothing larger than 256 MiB is touched, whatever the last cache (sizes in KiB)
awk '$3 ~ /^(L[123]|DRAM)$/ && $4 * $5 > 256 * 1024 { print; found = 1 } END { exit found }' "$work/table" ||
    fail "a quick survey of all that"

"$program" peak --quick --json >"$work/json" || fail "peak --json: exit $?"
[ "$(grep -c '"what"' "$work/json")" -eq "$(grep -cE ' (fma|read|write|copy|triad) ' "$work/table")" ] ||
    fail "JSON has other rates than the table"
grep -q '"unit": "GFLOP/s"' "$work/json" || fail "JSON: no unit"

"$program" peak more >"$work/output" 2>"$work/errors"
[ $? -eq 2 ] && [ ! -s "$work/output" ] && grep -q "'more'" "$work/errors" || fail "peak more: not refused"

"$program" run glv discrete_adjoint n=5 >"$work/output" || fail "run: exit $?"
grep -q '^rates .* GB/s, .* GFLOP/s (.* %), reverse .*; peak .* GFLOP/s$' "$work/output" || fail "run: no rates"

# Sweeps of one command begin with the same rates, measured once; one that times nothing has none.
for name in first second; do
    printf '[sweep]\nsamples = 3\n[cells]\nproblem = decay\nmethod = cfsa\n' >"$work/$name.sweep"
done
sed 's/samples = 3/samples = 0/' "$work/first.sweep" >"$work/third.sweep"
"$program" sweep "$work/third.sweep" "$work/first.sweep" "$work/second.sweep" --quick --out "$work/out" \
    >"$work/output" 2>"$work/errors" || fail "sweep: exit $?: $(cat "$work/errors")"
for name in first second third; do grep '^#! peak: ' "$work/out/$name"/*.tsv >"$work/$name.peak"; done
[ -s "$work/first.peak" ] && cmp -s "$work/first.peak" "$work/second.peak" && [ ! -s "$work/third.peak" ] ||
    fail "peaks of three sweeps: $(wc -l "$work"/*.peak)"
exit $((failures > 0))
