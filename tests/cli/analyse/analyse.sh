#!/bin/bash
# analyse: S(t) against extended precision and published numbers, names, zeros, refusals. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
"$program" analyse decay invariants >/dev/null 2>&1
[ $? -ne 3 ] || exit 77 # no LAPACK
references=$(cd "$(dirname "$0")/../../../results/reference" && pwd)

# table NAME ARGUMENT...: the rows of one table of an analysis, without its columns
table() {
    local name=$1
    shift
    "$program" analyse "$@" >"$work/output" 2>&1 </dev/null || { fail "analyse $*"; tail -3 "$work/output"; }
    awk -v name="# $name:" 'index($0, name) == 1 { inside = 1; getline; next } !NF { inside = 0 } inside' "$work/output"
}

# ---- S(t) against references in extended precision -----------------------------------------------------------------

# within_error KEY NP ARGUMENT...: every S is as near to that of the reference as it says itself (twelve
# digits are printed, the error is that of the second solve too), and to nine digits
within_error() {
    local file=$1 np=$2
    shift 2
    file=$(grep -l "^key: $file\$" "$references"/*.ref) || { fail "no reference $file"; return; }
    table sensitivities "$@" >"$work/S"
    awk -v np="$np" -v FS='[ \t]' '
        FNR == NR { if ($1 == "dGdp") truth[$2 * np + $3] = $4; next }
        { off = $5 - truth[n + 0]; if (off < 0) off = -off; size = truth[n + 0] < 0 ? -truth[n + 0] : truth[n + 0]
          if (off > 1.5 * $6 + 6e-12 * size || off > 1e-9 * size) { print "off by " off ": " $0; bad = 1 }; n++ }
        END { for (e in truth) expected++; exit bad || n != expected || n < 9 }' "$file" "$work/S" ||
        fail "$*: S is not that of the reference"
}
within_error "glv n=3 seed=1 kind=random T=10 t1=10 cost=identity" 12 glv n=3 --times 10
within_error "robertson k1=0.04 k2=10000 k3=30000000 T=40 t1=40 cost=identity" 3 robertson T=40 --times 40
within_error "glv n=3 seed=1 kind=random T=10 t1=10 cost=identity" 12 glv n=3 --times 10 \
    method=cfsa tableau=dop853 tol=1e-12

# The same state at the same time, alone or among others.
table sensitivities robertson T=40 --times log:1e-3:40:30 | tail -n 9 | cut -f 2,3,5 >"$work/many"
table sensitivities robertson T=40 --times 40 | cut -f 2,3,5 >"$work/one"
paste "$work/many" "$work/one" |
    awk -F '\t' '{ d = ($3 - $6) / $6; if (d < 0) d = -d } d > 1e-8 || $1 != $4 { exit 1 }' ||
    fail "S(40) is another one beside other times"

# Published: Numra's normalised sensitivities, which counts k2 and k3 the other way round; rows y1 y2 y3.
table sensitivities robertson T=40 --times 40 | cut -f 8 | paste -s >"$work/full"
echo "-2.3735e-1 1.9182e-1 -9.5904e-2 1.9993e-1 -2.5662e-1 -3.7169e-1 5.9790e-1 -4.8319e-1 2.4160e-1" |
    paste - "$work/full" |
    awk '{ for (i = 1; i <= 9; i++) { d = $i / $(i + 9) - 1; if (d < 0) d = -d; if (d > 3e-5) exit 1 } }' ||
    fail "not the published sensitivities of Robertson: $(cat "$work/full")"

# ---- ranking ---------------------------------------------------------------------------------------------------------

# Published for Robertson at t = 40, k2 and k3 again the other way round: y1 and y3 k1 > k2 > k3, y2 k3 > k2 > k1.
order=$(table ranking_at robertson ranking T=40 --times 40 | awk -F '\t' '$8 == "yes" { print $4 }' | paste -s -d ' ')
[ "$order" = "k1 k2 k3 k3 k2 k1 k1 k2 k3" ] || fail "ranking of Robertson: $order"
table ranking robertson ranking T=40 --times 40 >"$work/rank"
# One time: the root mean square of one state is |full|, that of all states follows from the three.
awk -F '\t' '$3 == "k1" { v[$1] = $4 } END { d = v["(all)"] - sqrt((v["x[0]"]^2 + v["x[1]"]^2 + v["x[2]"]^2) / 3)
    exit !(d < 1e-11 && d > -1e-11 && v["x[0]"] > 0.2373511 && v["x[0]"] < 0.2373512) }' "$work/rank" || fail "msqr"

# A tie is not settled: two parameters that enter in the same way.
cat >"$work/twins.ode" <<'EOF'
model twins "a source made of two rates, a sink, and where it goes"
parameter first = 0.3
parameter second = 0.3
parameter third = 2
state a = 1
state b = 0.5
state sunk = 0
interval 0 .. 2
a' = -third*a
b' = (first + second)*a - b
sunk' = third*a - (first + second)*a + b
EOF
table ranking twins ranking --states b --models "$work/twins.ode" | cut -f 2,3,13 >"$work/rank"
[ "$(grep -c 'no$' "$work/rank")" -ge 4 ] || fail "a tie is settled"

# ---- invariants ------------------------------------------------------------------------------------------------------

# The planted one, found by its name and kept; a problem without one has none.
table invariants twins invariants --models "$work/twins.ode" | cut -f 1,5 >"$work/found"
[ "$(cat "$work/found")" = "$(printf 'a + b + sunk\tholds')" ] ||
    fail "the planted invariant: $(cat "$work/output")"
[ "$(table invariants hires invariants | cut -f 1,5)" = "$(printf 'y[7] + y[8]\tholds')" ] || fail "that of HIRES"
[ -z "$(table invariants glv invariants)" ] || fail "an invariant of Lotka-Volterra"
# One of the given parameters alone says nothing of their columns of S: 2 A + B for al = 2, and u where b is 0.
cat >"$work/special.ode" <<'CODE'
model special "A turns into al times B; u stands still where b is 0"
parameter al = 2
parameter rate = 0.5
parameter b = 0
state A = 1
state B = 0.25
state u = 3
interval 0 .. 2
A' = -rate*A
B' = al*rate*A
u' = b*A
CODE
table invariants special invariants --models "$work/special.ode" | cut -f 1,5,6 | sort >"$work/found"
[ "$(cat "$work/found")" = "$(printf '2 A + B\tholds\tal\nu\tholds\tb')" ] ||
    fail "invariants of the parameters given: $(cat "$work/output")"
# One that holds but for a part in a thousand is none.
sed 's/ - b$/ - b - 1e-3*b^2/' "$work/twins.ode" >"$work/leak.ode"
[ -z "$(table invariants twins invariants --models "$work/leak.ode")" ] || fail "a leak is not seen"
expect 2 "not a number from 1e-60 to 1e60" analyse robertson uncertainty --sigma 1e-61
expect 2 "analyse ranking: --sigma is for uncertainty" analyse robertson ranking --sigma 1
# Equal values: a difference and a quotient stay the same together there, and apart beside.
cat >"$work/equal.ode" <<'CODE'
model equal "birth and death alike"
parameter birth = 0.5
parameter death = 0.5
parameter c = 0.3
parameter d = 0.3
state x = 1
state y = 2
interval 0 .. 5
x' = (birth - death)*x
y' = c/d - y
CODE
# Which comes first is a matter of rounding.
table combinations equal identifiability --models "$work/equal.ode" | cut -f 1,2,4 | sort >"$work/found"
[ "$(cat "$work/found")" = "$(printf '%s\tsum\tconfirmed\nc and d only as c / d\tproduct\tconfirmed' \
    'birth and death only as birth - death')" ] || fail "equal values: $(cat "$work/found")"
# Differences know S to few digits: nothing is violated for that.
table invariants robertson invariants method=finite_difference tableau=radau_iia5 rtol=1e-8 atol=1e-12 |
    cut -f 5 | grep -q 'holds$' || fail "differences of Robertson"

# --scale largest divides by one number for each state.
table ranking twins ranking --states b --parameters third --times 0:2:3 --scale largest \
    --models "$work/twins.ode" >"$work/largest"
table sensitivities twins --states b --parameters third --times 0:2:3 --models "$work/twins.ode" >"$work/S"
awk -F '\t' 'FNR == NR { if ($4 > x) x = $4; s += $7 * $7; n++; next }
    $1 == "b" { d = $4 - sqrt(s / n) / x; exit !(n == 3 && d < 1e-11 && d > -1e-11) }' "$work/S" "$work/largest" ||
    fail "--scale largest"

# ---- identifiability -------------------------------------------------------------------------------------------------

# planted RATE MODEL_LINES...: x' = -(rate) x + 1, seen at 21 times, with parameters k1 k2 k3
planted() {
    printf 'model planted "k1, k2 and k3 that enter in one way"\nparameter k1 = %s\nparameter k2 = %s\n' "$2" "$3"
    printf 'parameter k3 = 0.7\nparameter free = 1.3\nstate x = 2\ninterval 0 .. 4\nx'"'"' = -(%s)*x + free\n' "$1"
}
# counts TEXT RATE K1 K2 KIND: the planted combination is named, as the first and only one
counts() {
    planted "$2" "$3" "$4" >"$work/planted.ode"
    table combinations planted identifiability --models "$work/planted.ode" | cut -f 1,2,4 >"$work/found"
    [ "$(cat "$work/found")" = "$(printf '%s\t%s\tconfirmed' "$1" "$5")" ] ||
        fail "planted $2: $(cat "$work/found")"
    grep -q 'not identifiable$' "$work/output" || fail "planted $2: $(grep -A 2 '# verdict' "$work/output")"
}
counts "k1 and k2 only as k1 * k2" "k1*k2*(1 + x^k3)" 0.4 1.5 product
counts "k1 and k2 only as k1 / k2" "k1/k2*(1 + x^k3)" 0.4 1.5 product
counts "k1 and k2 only as k1^2 * k2" "k1^2*k2*(1 + x^k3)" 0.4 1.5 product
counts "k1 and k2 only as k1^3 / k2^2" "k1^3/k2^2*(1 + x^k3)" 0.4 1.5 product
counts "k1 and k2 only as k1 + k2" "(k1 + k2)*(1 + x^k3)" 0.4 1.5 sum
counts "k1 and k2 only as 2 k1 - k2" "(2*k1 - k2)*(1 + x^k3)" 1.5 0.4 sum
# At equal values a product and a sum have the same null vector: which it is shows when they are moved.
counts "k1 and k2 only as k1 * k2" "k1*k2*(1 + x^k3)" 0.8 0.8 product
counts "k1 and k2 only as k1 + k2" "(k1 + k2)*(1 + x^k3)" 0.8 0.8 sum
# Three of which two products are known: two that stay, one direction that is not known.
planted "k1*k2*(1 + x*k1/k3)" 0.4 1.5 >"$work/planted.ode"
table combinations planted identifiability --models "$work/planted.ode" | cut -f 1,4 >"$work/found"
[ "$(cat "$work/found")" = "$(printf 'k1, k2 and k3 only as k1 * k2 and k1 / k3\tconfirmed')" ] ||
    fail "three parameters: $(cat "$work/found")"
# One that is neither a product nor a sum holds near these values alone, though its ratio is 4 : -45 there.
planted "(k1 + k2^2)*(1 + x^k3)" 0.4 1.5 >"$work/planted.ode"
table combinations planted identifiability --models "$work/planted.ode" >"$work/found"
grep -qP '^k1 and k2: no state moves when their logarithms change as \S+ : \S+\tlocal\t\S+\tnear these values$' \
    "$work/found" || fail "neither: $(cat "$work/found")"
# Nothing is planted: all are found, and no combination is made up.
planted "k1*(1 + x^k2) + k3*sin(x)" 0.4 1.5 >"$work/planted.ode"
[ -z "$(table combinations planted identifiability --models "$work/planted.ode")" ] || fail "a combination of nothing"
grep -q '	identifiable$\|	poorly identifiable$' "$work/output" || fail "nothing planted: $(cat "$work/output")"
# No effect, and no logarithm.
planted "k1*(1 + x) + 0*k2" 0.4 1.5 >"$work/planted.ode"
table parameters planted identifiability k3=0 --models "$work/planted.ode" | cut -f 1,3,6 >"$work/found"
grep -q '^k2	0	no effect known from 0$' "$work/found" || fail "no effect: $(cat "$work/found")"
grep -q '^k3	undefined	undefined: its value is 0$' "$work/found" || fail "a value of 0: $(cat "$work/found")"

# Robertson: three rates from three states. gamma of two columns is 1/sqrt(1 - |cos|), from S itself.
table sensitivities robertson T=40 --times log:1e-3:40:21 --states 'x[0],x[2]' >"$work/S"
table subsets robertson subsets T=40 --times log:1e-3:40:21 --states 'x[0],x[2]' | cut -f 2,3 >"$work/subsets"
awk -F '\t' '
    FNR == NR { n++; x[n] = $4; s[n] = $7; i[n] = $2; k[n] = $3; if ($4 > unit[$2]) unit[$2] = $4; next }
    !done { done = 1; for (r = 1; r <= n; r += 3) for (a = 0; a < 3; a++) for (b = 0; b < 3; b++)
        sum[k[r + a] "," k[r + b]] += s[r + a] * s[r + b] / unit[i[r]]^2 }
    split($1, of, ",") == 2 {
        c = sum[$1] / sqrt(sum[of[1] "," of[1]] * sum[of[2] "," of[2]]); if (c < 0) c = -c
        d = $2 * sqrt(1 - c) - 1; if (d > 1e-7 || d < -1e-7) exit 1; seen++ }
    END { exit seen != 3 }' "$work/S" "$work/subsets" || fail "collinearity of pairs: $(cat "$work/subsets")"
[ "$(wc -l <"$work/subsets")" -eq 4 ] || fail "subsets of three"

# ---- uncertainty -----------------------------------------------------------------------------------------------------

# x = x0 + a t + b t^2/2, so that S = (t, t^2/2): linear regression, of which C is the inverse of a matrix of sums. The
# state twice is not measured, and its band is two times that of x.
cat >"$work/line.ode" <<'EOF'
model line "a line that bends"
parameter a = 2
parameter b = 0
state x = 1
state twice = 0
interval 0 .. 5
x' = a + b*t
twice' = 2*(a + b*t)
EOF
line="line uncertainty --states x --sigma 0.1 --times 1:5:5 --models $work/line.ode"
# shellcheck disable=SC2086
table covariance $line | cut -f 2,3 | paste -s >"$work/C"
# shellcheck disable=SC2086
table bands $line >"$work/bands"
# shellcheck disable=SC2086
table parameters $line | cut -f 1,3,5 >"$work/sd"
awk -F '\t' 'function near(x, y) { return (x - y)^2 <= 1e-20 * y^2 }
    FILENAME ~ /C$/ { for (t = 1; t <= 5; t++) { A += t^2; B += t^3 / 2; D += t^4 / 4 }
        det = (A * D - B * B) / 0.01; c11 = D / det; c12 = -B / det; c22 = A / det
        if (!near($1, c11) || !near($2, c12) || !near($3, c12) || !near($4, c22)) exit bad = 1; next }
    FILENAME ~ /sd$/ { if (!near($2, sqrt($1 == "a" ? c11 : c22))) exit bad = 1
        if ($1 == "a" ? !near($3, $2 / 2) : $3 != "undefined") exit bad = 1; next }
    { sd = sqrt($1^2 * c11 + $1^3 * c12 + $1^4 / 4 * c22) * ($2 == "twice" ? 2 : 1); seen++
      if (!near($4, sd)) exit bad = 1 }
    END { exit bad || seen != 10 }' "$work/C" "$work/sd" "$work/bands" || fail "linear regression: $(cat "$work/bands")"

# A model that is not linear, three parameters: with the sums F of S S^T / sigma^2, from the printed S, C F is the
# identity (columns by their lengths), and the bands are sqrt(S C S^T).
robertson="robertson T=40 --parameters k3,k1,k2 --times log:1e-4:40:9"
errors="--sigma x[1]=2%,x[0]=0.03"
# shellcheck disable=SC2086
table sensitivities $robertson --states 'x[0],x[1]' >"$work/S"
# shellcheck disable=SC2086
table covariance ${robertson/ / uncertainty } $errors --states 'x[0],x[1]' | cut -f 2- | paste -s >"$work/C"
# shellcheck disable=SC2086
table bands ${robertson/ / uncertainty } $errors --states 'x[0],x[1]' | grep -v 'x.2.' >"$work/bands"
awk -F '\t' '
    FILENAME ~ /S$/ { s[n++] = $5; i[n - 1] = $2; if ($2 == "x[1]" && $4 > largest) largest = $4; next }
    FILENAME ~ /C$/ {
        for (r = 0; r < n; r += 3) { w = 1 / (i[r] == "x[0]" ? 0.03 : 0.02 * largest)^2
            for (k = 0; k < 3; k++) for (l = 0; l < 3; l++) F[k, l] += w * s[r + k] * s[r + l] }
        for (k = 0; k < 3; k++) for (l = 0; l < 3; l++) { C[k, l] = $(3 * k + l + 1); sum = 0
            for (m = 0; m < 3; m++) sum += $(3 * k + m + 1) * F[m, l] * sqrt(F[k, k] / F[l, l])
            if ((sum - (k == l))^2 > 1e-14) bad = 1 }
        next }
    { sum = 0
      for (k = 0; k < 3; k++) for (l = 0; l < 3; l++) sum += s[3 * seen + k] * C[k, l] * s[3 * seen + l]
      if ((sqrt(sum) / $4 - 1)^2 > 1e-14) bad = 1
      seen++ }
    END { exit bad || n != 54 || seen != 18 }' "$work/S" "$work/C" "$work/bands" || fail "covariance of Robertson"
[ "$(table correlation twins uncertainty --sigma 1 --parameters third --models "$work/twins.ode")" = "third	1" ] ||
    fail "correlation of one"
# What data do not determine has no number: first and second count as their sum.
expect 4 "uncertainty: singular: the data determine 2 combinations of the 3 parameters" analyse twins uncertainty \
    --sigma 1 --models "$work/twins.ode"
grep -q '^#' "$work/output" && fail "tables beside a singular matrix"
planted "k1*(1 + x) + 0*k2" 0.4 1.5 >"$work/planted.ode"
expect 4 "k2 has no effect on the chosen states: its variance is infinite" analyse planted uncertainty --sigma 1 \
    --models "$work/planted.ode"
# a percentage of a state that stays 0 is 0: that is no word on what the parameters do
cat >"$work/still.ode" <<'MODEL'
model still "one state moves, one stays 0"
parameter leak = 0.1
parameter decay = 0.5
state moves = 1
state stays = 0
interval 0 .. 2
moves' = -decay*moves
stays' = -leak*stays
MODEL
still=(uncertainty --models "$work/still.ode")
for sigma in 5% moves=0.1,stays=5%; do
    expect 2 "stays is 0 at all these times, and 5% of 0 is 0" analyse still "${still[@]}" --sigma $sigma
done
expect 0 "decay" analyse still "${still[@]}" --sigma moves=5%,stays=1 --parameters decay
expect 0 "decay" analyse still "${still[@]}" --sigma 5% --states moves --parameters decay
expect 4 "leak has no effect" analyse still "${still[@]}" --sigma 1
expect 2 "how large are the errors of the data? --sigma" analyse glv uncertainty
for sigma in 0 -1 nan 1e999 '%' '1%%' x '' =1 'x[0]=' 'x[0]=1,' 'x[0]=1,x[0]=2' 'x[0]=1;x[1]=2' 'x[9]=1'; do
    expect 2 "--sigma" analyse glv uncertainty n=3 --sigma "$sigma"
done
expect 2 "--sigma: none for x[1]; --states chooses what is measured" analyse glv uncertainty n=3 --sigma 'x[0]=1'

# ---- names, zeros, memory --------------------------------------------------------------------------------------------

cat >"$work/zero.ode" <<'EOF'
model zero "a parameter that is 0 and a state that stays 0"
parameter a = 0
parameter rate[1..2] = 0.5, 2
state x[1..2] = 1, 0
state idle = 0
interval 0 .. 1
x'[1] = -rate[1]*x[1] + a
x'[2] = rate[1]*x[1] - rate[2]*x[2]
idle' = rate[2]*idle
EOF
models="--models $work/zero.ode"
# shellcheck disable=SC2086
table sensitivities zero --times 1 $models >"$work/rows"
grep -qP '^1\tx\[1\]\ta\t\S+\t\S+\t\S+\tundefined\tundefined\tundefined$' "$work/rows" || fail "a parameter that is 0"
grep -qP '^1\tidle\trate\[2\]\t0\t0\t0\t0\tundefined\tundefined$' "$work/rows" || fail "a state that is 0"
grep -qi 'nan\|inf' "$work/rows" && fail "a number without a name"
# One that has decayed to less than its error: nothing is known of its relative change.
[ "$(table sensitivities decay k=50 T=10 --times 10 | cut -f 8)" = undefined ] || fail "a state below its error"
# dx_1/da = (1 - e^-rate t)/rate
awk -F '\t' '$2 == "x[1]" && $3 == "a" { d = $5 - (1 - exp(-0.5)) / 0.5; exit !(d < 1e-9 && d > -1e-9) }' \
    "$work/rows" ||
    fail "raw S of a parameter that is 0"
# shellcheck disable=SC2086
table sensitivities zero --states 'x[2],idle' --parameters 'rate[2],a' --times 1 $models | cut -f 2,3 >"$work/chosen"
[ "$(paste -s -d ' ' "$work/chosen")" = "$(printf 'x[2]\trate[2] x[2]\ta idle\trate[2] idle\ta')" ] ||
    fail "chosen names, in the order given"
"$program" analyse zero --json --models "$work/zero.ode" 2>/dev/null |
    { command -v python3 >/dev/null || { cat >/dev/null; exit 0; }
      python3 -c 'import json, sys
t = json.load(sys.stdin)["tables"]["sensitivities"]
assert len(t["rows"]) == 21 * 3 * 3 and all(len(r) == len(t["columns"]) for r in t["rows"])'; } || fail "--json"
expect 0 "0.0434 MiB for S and x, at most 1024 MiB" analyse glv n=3 --times 0:10:73 --dry-run
expect 4 "more than the 1 MiB that --memory allows" analyse glv n=40 --memory 1

# 2 x' = y - k x, y' = k x - y: it is 2 x + y that stays, and not x + y.
cat >"$work/heavy.ode" <<'CODE'
model heavy "a mass before one of two states"
parameter k = 1
state x = 1
state y = 2
interval 0 .. 1
mass x = 2
x' = y - k*x
y' = k*x - y
CODE
expect 0 "2 x + y" analyse heavy invariants --models "$work/heavy.ode"
grep -q violated "$work/output" && fail "invariants with a mass matrix: $(cat "$work/output")"
expect 3 "no stored reference of heavy" run heavy discrete_tangent truth=reference tableau=radau_iia5 \
    --models "$work/heavy.ode"

# ---- what is refused -------------------------------------------------------------------------------------------------

expect 2 "which problem?" analyse
expect 2 "unknown question 'sensitivity'; did you mean sensitivities" analyse glv sensitivity
expect 2 "--times 3:1:5: not FIRST:LAST:COUNT" analyse glv --times 3:1:5
expect 2 "past the end of the interval, 10; t1=11 moves it" analyse glv --times 11
expect 2 "--states: nothing is called 'x[5]'; did you mean x[" analyse glv --states 'x[5]'
expect 2 "--parameters: p[1] is named twice" analyse glv --parameters 'p[1],p[1]'
expect 2 "an analysis is of the states themselves" analyse glv cost=quadratic
expect 2 "steps have to follow one" analyse glv method=discrete_tangent tableau=rk4 controller=fixed dt=0.1
expect 2 "--subsets many: not a number" analyse glv --subsets many
expect 4 "no chosen parameter has an effect" analyse decay identifiability k=0
expect 2 "analyse sensitivities: --scale is for ranking, identifiability, subsets" analyse glv --scale largest
expect 2 "analyse ranking: --subsets is for identifiability, subsets" analyse glv ranking --subsets 10
expect 2 "--scale sigma: not value or largest" analyse glv --scale sigma
expect 2 "--memory 0: not a number of MiB" analyse glv --memory 0
expect 2 "with respect to the parameters" analyse glv wrt=x0
expect 4 "step_limit" analyse glv max_steps=3
grep -q '^#' "$work/output" && fail "tables beside a failure"
exit $((failures > 0))
