#!/bin/bash
# harness/scripts/peers.sh: every contender of every set has its row, numbers are those of the rows, what is not built
# says so. Argument 1: sensbench. One round on whatever machine this is: times are not judged, and libraries may be
# there or not.
# shellcheck source=tests/cli/common.bash
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
script=harness/scripts/peers.sh

SIZES=2 ERRORS=1e-5 SETS="petsc cvodes cvodes-forward vdp" "$script" "$program" "$work/out" --rounds 1 --seconds 0.01 \
    >"$work/text" 2>"$work/errors" || fail "exit $?: $(cat "$work/errors")"
for file in peers.txt petsc.tsv cvodes.tsv vdp.tsv petsc.txt; do [ -s "$work/out/$file" ] || fail "no $file"; done
[ -e "$work/out/heat.tsv" ] && fail "a set that was not asked for"
cmp -s <(head -n "$(wc -l <"$work/out/peers.txt")" "$work/text") "$work/out/peers.txt" || fail "text and file differ"
[ "$(grep -c "gradient error at most 1e-05" "$work/text")" -eq 4 ] || fail "four tables"
for peer in "petsc_tsadjoint type=3bs" "petsc_tsadjoint type=5dp" "petsc_corrected tableau=dopri5 jacobian=explicit" \
    "cvodes_adjoint lmm=adams quad=inside" "cvodes_adjoint lmm=adams quad=inside lanes=1" \
    "cvodes_forward lmm=adams errcon=outside"; do
    grep -qE "^  $peer +([0-9.e+]+ \[|unavailable|not_reached|unsupported)" "$work/text" || fail "no row of $peer"
done
# the tangent is ours: its quotient stands in the table as in the rows
expected=$(awk -F'\t' '/^#/ { next } !n { for (n = 1; n <= NF; n++) at[$n] = n; next }
    $at["changes"] == "method=discrete_tangent" { printf "%.3g", $at["ratio"] }' "$work/out/vdp.tsv")
found=$(awk '/^vdp:/ { on = 1 } on && /^  discrete_tangent / { print $2; exit }' "$work/text")
[ -n "$expected" ] && [ "$expected" = "$found" ] || fail "vdp, tangent: '$found', expected '$expected'"
# measured before: 6.6e-4 by 5.4e-6 s
grep -qE "^  measured before: PETSc .* 122$" "$work/text" || fail "measured before"

# called again, the same is not measured again; of an interruption a set is left without its end
cp "$work/out/vdp.tsv" "$work/vdp.tsv"
rm "$work/out/.cvodes"
SIZES=2 ERRORS=1e-5 SETS="cvodes vdp" "$script" "$program" "$work/out" --rounds 1 --seconds 0.01 >"$work/text" \
    2>"$work/errors" || fail "again: exit $?: $(cat "$work/errors")"
cmp "$work/out/vdp.tsv" "$work/vdp.tsv" && grep -qx '== vdp: measured before' "$work/errors" ||
    fail "vdp: measured again"
grep -qx '== cvodes' "$work/errors" || fail "cvodes: not measured again"
[ "$(grep -c "gradient error at most 1e-05" "$work/text")" -eq 2 ] || fail "two tables"

# a set that is not asked for again keeps its results; the other spelling of an option; the base of the controlled track
SIZES=2 ERRORS=1e-5 SETS=petsc-controlled "$script" "$program" "$work/out" --rounds 1 --seconds=0.01 >"$work/text" \
    2>"$work/errors" || fail "--seconds=0.01: exit $?: $(cat "$work/errors")"
[ -s "$work/out/vdp.tsv" ] && [ -s "$work/out/petsc.tsv" ] || fail "results of other sets are gone"
awk -F'\t' '/^#/ { next } !n { for (n = 1; n <= NF; n++) at[$n] = n; next }
    $at["contender"] == 0 { exit !($at["tableau"] == "dopri5" && $at["controller"] == "petsc" &&
                                        $at["track"] == "controlled") }' \
    "$work/out/petsc-controlled.tsv" || fail "petsc-controlled: ours is not dopri5 with the controller of PETSc"

refuse() {
    SETS="${sets-}" "$script" "$@" >/dev/null 2>&1
    [ $? -eq 2 ] || fail "$*: not 2"
}
refuse
refuse "$work/none" "$work/out"
sets=vdp refuse "$program" "$work/out" --rounds x
sets=nothing refuse "$program" "$work/out"
exit $((failures > 0))
