#!/bin/bash
# sensbench truth: agreement of the two computations, the file it writes, --check, and refusals. Argument 1: sensbench.
set -u
program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# expect CODE TEXT ARGUMENT...: runs `sensbench truth ARGUMENT...`; TEXT must stand in its output.
expect() {
    local code=$1 text=$2 got
    shift 2
    "$program" truth "$@" >"$work/output" 2>&1
    got=$?
    if [ "$got" -ne "$code" ] || ! grep -qF -- "$text" "$work/output"; then
        echo "FAILED: truth $*: exit $got, expected $code and '$text'; output:"
        cat "$work/output"
        failures=$((failures + 1))
    fi
}

expect 0 "--rows" --help
expect 0 "stored $work/robertson" robertson --out "$work"
expect 0 "stored $work/oscillator" oscillator cost=running --out "$work"
expect 0 "stored $work/oscillator" oscillator cost=tracking --out "$work"
expect 0 "stored $work/glv" glv n=9 --rows 2 --out "$work"
cat "$work"/glv-*.ref >"$work/sample"
for text in "shape: n=9 np=90 m=9 rows=2" "64 sampled columns"; do
    grep -qF "$text" "$work/sample" || { echo "FAILED: no '$text' in a sample"; failures=$((failures + 1)); }
done
expect 0 "confirmed" robertson --out "$work" --check
expect 0 "confirmed" glv n=9 --out "$work" --check
expect 0 "confirmed" vdp --check # the stored one

# a damaged file is refused, by name
sed 's/^x 0 0 0\.985/x 0 0 0.986/' "$work"/robertson-*.ref >"$work/damaged"
cmp -s "$work/damaged" "$work"/robertson-*.ref && { echo "FAILED: nothing to damage"; failures=$((failures + 1)); }
for file in "$work"/robertson-*.ref; do cp "$work/damaged" "$file"; done
expect 1 "checksum" robertson --out "$work" --check
rm "$work"/robertson-*.ref
expect 1 "no stored reference" robertson --out "$work" --check

# digits lost to conditioning are not stored
expect 1 "fewer than 14 agreed digits" arenstorf --out "$work"
ls "$work"/arenstorf-* >/dev/null 2>&1 && { echo "FAILED: a poor reference was stored"; failures=$((failures + 1)); }

# bad input; nothing may reach the store of the source tree
export SENSBENCH_REFERENCE=$work
expect 2 "no problem" --check
expect 2 "lorentz" lorentz
expect 2 "--rows" glv --rows
expect 2 "'0'" glv --rows 0
expect 2 "'-1'" glv --rows -1
expect 2 "'2x'" glv --rows 2x
expect 2 "--out" glv --out
expect 2 "--row" glv --row 2
expect 2 "extra" glv extra
expect 2 "N" glv N=5
expect 2 "--check" glv --rows 2 --check
expect 2 "/none/none" robertson --out "$work/none/none"
exit $((failures > 0))
