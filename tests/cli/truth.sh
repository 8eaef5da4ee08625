#!/bin/bash
# sensbench truth: agreement of the two computations, the file it writes, --check, and refusals. Argument 1: sensbench.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
sources=$PWD

expect 0 "--rows" truth --help
expect 0 "stored $work/robertson" truth robertson --out "$work"
expect 0 "stored $work/oscillator" truth oscillator cost=running --out "$work"
expect 0 "stored $work/oscillator" truth oscillator cost=tracking --out "$work"
expect 0 "stored $work/glv" truth glv n=9 --rows 2 --out "$work"
cat "$work"/glv-*.ref >"$work/sample"
for text in "shape: n=9 np=90 m=9 rows=2" "64 sampled columns"; do
    grep -qF "$text" "$work/sample" || fail "no '$text' in a sample"
done
expect 0 "confirmed" truth robertson --out "$work" --check
expect 0 "confirmed" truth glv n=9 --out "$work" --check
expect 0 "confirmed" truth vdp --check # the stored one, as the next
expect 0 "confirmed" truth robertson T=4e7 --check
expect 0 "confirmed" truth e5 --check
expect 0 "confirmed" truth e5 T=1000 --check
expect 0 "confirmed" truth burgers --check

# stiff: two implicit ways, which agree with the explicit ones where those reach the end
expect 0 "confirmed" truth robertson --stiff --out "$work" --check
expect 0 "stored $work/robertson" truth robertson T=4e7 --stiff --out "$work"
expect 0 "Radau IIA of order 13" truth robertson T=4e7 --out "$work" --check # as it was made
rm "$work"/"$(grep -l '^key: robertson.* T=40000000 ' "$work"/robertson-*.ref | xargs -n1 basename)"
expect 0 "tolerance = 1e-14" truth vdp T=2 --stiff --out "$work/finer" # fewer than 12 digits agree at first
if "$program" truth vdp eps=1e-6 T=2 --check >output 2>&1; then
    grep -qF "113-bit significand" output || fail "not checked as it was made: $(cat output)"
    expect 0 "64 bits are too few (max_steps was reached before the final time); now with 113" \
        truth vdp eps=1e-6 T=2 --stiff --out "$work/quad"
elif grep -qF "was built without the quadruple precision" output; then
    echo "skipped: references in quadruple precision, which this program was built without"
else
    fail "vdp eps=1e-6 T=2 is not confirmed: $(cat output)"
fi
rm -f output
expect 2 "at most 80 states, not 81" truth heat n=10 --stiff --out "$work"

# a damaged file is refused, by name
sed 's/^x 0 0 0\.985/x 0 0 0.986/' "$work"/robertson-*.ref >"$work/damaged"
cmp -s "$work/damaged" "$work"/robertson-*.ref && fail "nothing to damage"
for file in "$work"/robertson-*.ref; do cp "$work/damaged" "$file"; done
expect 1 "checksum" truth robertson --out "$work" --check
rm "$work"/robertson-*.ref
expect 1 "no stored reference" truth robertson --out "$work" --check

# digits lost to conditioning are not stored
expect 1 "fewer than 14 agreed digits" truth arenstorf --out "$work"
ls "$work"/arenstorf-* >/dev/null 2>&1 && fail "a poor reference was stored"

# the fingerprint: a file that says another one is refused, with a command that makes a right one, typed as it is
# printed
cd "$work" || exit 1
mkdir stale
stored=$sources/results/reference/vdp-202083a2.ref
sed '/^crc32: /,$d; s/^fingerprint p: 0.001$/fingerprint p: 0.00101/' "$stored" >head
sed '1,/^payload: /d' "$stored" >payload
crc=$(cat head payload | gzip -c | tail -c 8 | head -c 4 | od -An -tx4 | tr -d ' ') # a file valid in all else
{ cat head && printf 'crc32: %s\npayload: text\n' "$crc" && cat payload; } >stale/vdp-202083a2.ref
SENSBENCH_REFERENCE=$work/stale "$program" run vdp discrete_adjoint >output 2>&1 &&
    fail "a stale reference was used"
grep -qF "other equations than vdp has now: number 0 of p is 0.001, stored is 0.00101" output ||
    fail "a stale reference is not told:: $(cat output)"
expect 1 "other equations" truth vdp --out stale --check
command=$(sed -n 's/.*to make one: sensbench \(truth .*\)/\1/p' output)
SENSBENCH_REFERENCE=$work/stale "$program" $command >output 2>&1 # to the first folder that is searched
SENSBENCH_REFERENCE=$work/stale "$program" run vdp discrete_adjoint | grep -q 'truth: reference' ||
    fail "'$command' has made no reference: $(cat output)"

# each message of a missing one prints a command that makes it; the folder is made, here
unset SENSBENCH_REFERENCE
for cell in "vdp t1=0.125 cost=running" "robertson T=0.1 wrt=p" "glv n=2 kind=uncoupled cost=tracking"; do
    rm -rf references
    "$program" run ${cell%% *} discrete_adjoint ${cell#* } truth=reference >output 2>&1
    text=$(sed -n 's/.*to make one: //p' output)
    command=${text%%;*}
    expect 0 "stored references/" truth ${command#sensbench truth }
    SENSBENCH_REFERENCE=references "$program" run ${cell%% *} discrete_adjoint ${cell#* } truth=reference |
        grep -q 'truth: reference' ||
        fail "'$command' makes no reference of $cell"
    [ "$text" = "$command; then set SENSBENCH_REFERENCE=references" ] ||
        fail "$text"
done
# of a model that was given, with the file, whose name is any; an editor's byte order mark is no letter of it
printf '\357\273\277model fresh "decay"\nparameter k = 0.5\nstate x = 1\ninterval 0 .. 1\nx'"'"' = -k*x^2\n' \
    >"it's fresh.ode"
"$program" run fresh discrete_adjoint --models "it's fresh.ode" >output 2>&1 || fail "it's fresh.ode: $(cat output)"
text=$(sed -n 's/.*to make one: \(.*\); then set.*/\1/p' output)
rm -rf references
eval "${text/#sensbench/\"\$program\"}" >output 2>&1
ls references/fresh-*.ref >/dev/null 2>&1 || fail "'$text' makes no reference: $(cat output)"
expect 1 "to make one: sensbench truth robertson k1=0.04 k2=10000 k3=30000000 T=0.3" truth robertson T=0.3 --check
"$program" run arenstorf discrete_adjoint | grep -q 'to make one: sensbench truth arenstorf' ||
    fail "run says of no command"

# why none is there and none can be made, in words
echo 1e-3 >eps
"$program" run vdp discrete_adjoint params=eps >output 2>&1
grep -q 'compare with; references are stored for options, and not for parameters, .* of a file$' output ||
    fail "a file of parameters: $(grep errors output)"
grep -q 'to make one' output && fail "a command that makes none: $(grep errors output)"

# a folder that is not named is not written to
cp -r "$sources/results/reference" before
expect 2 "--out DIR" truth robertson
diff -r before "$sources/results/reference" ||
    fail "the source tree was written to"
expect 0 "stored $work/deep/er/robertson" truth robertson --out "$work/deep/er"
SENSBENCH_REFERENCE=first:second expect 0 "stored first/robertson" truth robertson
SENSBENCH_REFERENCE=second:first "$program" run robertson discrete_adjoint tol=1e-8 | grep -q 'truth: reference' ||
    fail "the second folder is not searched"

# the page says of each file what its header says
for file in "$sources"/results/reference/*.ref; do
    row=$(head -n 40 "$file" | LC_ALL=C awk -v name="$(basename "$file")" -F ': ' '
        $1 == "key" { key = $2 }
        $1 == "shape" { split($2, s, /[ =]/); rows = s[8] == s[6] ? "all" : s[8] " of " s[6] }
        /^digits / { sub(" entry, ", "; ", $2); sub(" norm", "", $2); digits = digits " | " $2 }
        END { print "| " name " | " key " | " rows digits " |" }' 2>/dev/null)
    grep -qxF "$row" "$sources/results/reference/README.md" ||
        fail "not on the page: $row"
done

# A state that has all but gone is known in the norm of all, which errors are told in: 1e-87 here, beside 1.
cat >"$work/gone.ode" <<'CODE'
model gone "a fast state and a slow one"
parameter fast = 20
parameter slow = 0.3
state x = 1
state y = 2
interval 0 .. 10
x' = -fast*x
y' = fast*x - slow*y
CODE
expect 0 "stored " truth gone --models "$work/gone.ode" --out "$work/gone"
SENSBENCH_REFERENCE=$work/gone "$program" run gone discrete_adjoint --models "$work/gone.ode" tol=1e-8 |
    grep -q 'truth: reference' || fail "a state that is gone: its reference is not used"

# A truth that does not know all gradients that are asked for has no error of them; one output of a cost is another cost
# than all of them.
expect 0 "does not know both" run heat discrete_adjoint n=5 wrt=both truth=ode
expect 0 "truth: ode" run heat discrete_adjoint n=5 wrt=p truth=ode
grep -q 'gradient nan' "$work/output" && fail "the part that it knows: $(cat "$work/output")"
SENSBENCH_REFERENCE='' expect 3 "cost=own only=2 wrt=both" run cbm4 discrete_adjoint T=60 cost=own only=2 \
    tableau=rodas4 tol=1e-4 truth=reference
SENSBENCH_REFERENCE='' expect 0 "truth: reference" run cbm4 discrete_adjoint T=60 cost=own tableau=rodas4 tol=1e-4

# bad input; nothing may reach the store of the source tree
export SENSBENCH_REFERENCE=$work
expect 2 "no problem" truth --check
expect 2 "lorentz" truth lorentz
expect 2 "--rows" truth glv --rows
expect 2 "'0'" truth glv --rows 0
expect 2 "'-1'" truth glv --rows -1
expect 2 "'2x'" truth glv --rows 2x
expect 2 "--out" truth glv --out
expect 2 "--row" truth glv --row 2
expect 2 "extra" truth glv extra
expect 2 "N" truth glv N=5
expect 2 "--check" truth glv --rows 2 --check
echo "no folder" >"$work/none"
expect 2 "/none" truth robertson --out "$work/none/none"
exit $((failures > 0))
