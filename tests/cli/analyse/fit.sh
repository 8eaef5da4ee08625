#!/bin/bash
# analyse fit and profile: against linear regression, closed forms and planted parameters. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"

# table NAME ARGUMENT...: the rows of one table of an analysis, without its columns
table() {
    local name=$1
    shift
    "$program" analyse "$@" >"$work/output" 2>&1 </dev/null || { fail "analyse $*"; tail -3 "$work/output"; }
    awk -v name="# $name:" 'index($0, name) == 1 { inside = 1; getline; next } !NF { inside = 0 } inside' "$work/output"
}

# ---- what the data do not determine costs no degree of freedom ---------------------------------------------------

# Of x = 2 with sigma = 1, and a parameter that nothing depends on, in three measurements 2 +- 1 and 2: chi2 = 2 with
# two degrees of freedom, so that p = exp(-1).
cat >"$work/flat.ode" <<'EOF2'
model flat "one parameter of two counts"
parameter a = 2
parameter idle = 1
state x = a
interval 0 .. 3
x' = 0*idle*x
EOF2
printf 't,x,sigma_x\n1,1,1\n2,2,1\n3,3,1\n' >"$work/flat.csv"
table fit flat fit "data=$work/flat.csv" --models "$work/flat.ode" >"$work/fitted"
awk -F'\t' '{ exit !($1 == 3 && $3 == 1 && ($4 - 2)^2 < 1e-12 && ($5 - 1)^2 < 1e-12 && ($6 - exp(-1))^2 < 1e-12) }' \
    "$work/fitted" || fail "a parameter that nothing depends on: $(cat "$work/fitted")"
# A file that cannot be written leaves what was there.
echo kept >"$work/best"
if [ -e /dev/full ]; then
    (ulimit -f 0; trap '' XFSZ; "$program" analyse flat fit "data=$work/flat.csv" --models "$work/flat.ode" \
        --save "$work/best") >/dev/null 2>&1 && fail "--save on a full disk: exit 0"
    [ "$(cat "$work/best")" = kept ] || fail "--save on a full disk: the former file is lost"
fi

# ---- a linear model: everything is a closed form -------------------------------------------------------------------

# x = 1 + a t + b t^2/2: with weights 1/sigma^2 linear regression on (t, t^2/2). chi2 = 3.841... is the quantile of one
# degree of freedom at 0.95, 1.96^2. A weight of 2 is a line that stands twice; a value of weight 0 is not there.
cat >"$work/line.ode" <<'EOF2'
model line "a line that bends"
parameter a = 7
parameter b = -3
state x = 1
interval 0 .. 9
x' = a + b*t
EOF2
cat >"$work/line.csv" <<'EOF2'
t,x,sigma_x,weight
1,3.3,0.1,1
2,5.1,0.2,2
2,NA,,1
3,9.2,0.1,1
4,12.1,0.3,1
4,99,0.3,0
5,16.4,0.1,1
EOF2
line="data=$work/line.csv --models $work/line.ode"
# shellcheck disable=SC2086
table parameters line fit $line >"$work/fitted"
# shellcheck disable=SC2086
table verdict line profile $line >"$work/verdict"
# shellcheck disable=SC2086
table profile line profile $line >"$work/profile"
# shellcheck disable=SC2086
table fit line fit $line >"$work/fit"
# Of each: the regression; the interval of the covariance and of the profile, which are one; PL, a parabola, and its
# slope.
awk -F '[\t,]' 'function near(x, y) { return (x - y)^2 <= 1e-9 * y^2 * 1e-3 }
    FILENAME ~ /csv$/ { if (FNR == 1 || $2 == "NA" || $4 == 0) next
        w = $4 / $3^2; u = $1; v = $1^2 / 2; y = $2 - 1
        A += w * u * u; B += w * u * v; D += w * v * v; P += w * u * y; Q += w * v * y; Y += w * y * y; next }
    FILENAME ~ /fitted$/ { det = A * D - B * B; best["a"] = (P * D - Q * B) / det; best["b"] = (Q * A - P * B) / det
        sd["a"] = sqrt(D / det); sd["b"] = sqrt(A / det); q = 1.959963984540054 * sd[$1]
        if (!near($3, best[$1]) || !near($4, sd[$1]) || !near($5, $3 - q) || !near($6, $3 + q)) bad = 1; seen++; next }
    FILENAME ~ /verdict$/ { q = 1.959963984540054 * sd[$1]
        if (!near($3, best[$1] - q) || !near($4, best[$1] + q) || $5 != "bounded") bad = 2; seen++; next }
    FILENAME ~ /profile$/ { z = ($2 - best[$1]) / sd[$1]; points++
        if (($3 - z * z)^2 > 1e-11 || ($4 - 2 * z / sd[$1])^2 > 1e-9 / sd[$1]^2) bad = 3; next }
    { chi2 = Y - best["a"] * P - best["b"] * Q
      if (!near($4, chi2) || $1 != 5 || $3 != 2) bad = 4; seen++ }
    END { if (bad) print "bad " bad; exit bad || seen != 5 || points < 12 }' \
    "$work/line.csv" "$work/fitted" "$work/verdict" "$work/profile" "$work/fit" ||
    fail "linear regression: $(cat "$work/fitted" "$work/verdict" "$work/profile" "$work/fit")"

# Without sigma the errors are estimated: s^2 = chi2 / (m - 2), and 4.3026... of Student's t with 2 degrees of freedom.
# The interval of the profile, by F, is the same.
printf 't,x\n1,3.3\n2,5.1\n3,9.2\n5,16.4\n' >"$work/plain.csv"
plain="data=$work/plain.csv --models $work/line.ode"
# shellcheck disable=SC2086
table parameters line fit $plain | cut -f 3-6 >"$work/fitted"
# shellcheck disable=SC2086
table verdict line profile $plain | cut -f 2-4 | paste "$work/fitted" - >"$work/both"
# shellcheck disable=SC2086
table fit line fit $plain | cut -f 4,7 >"$work/fit"
awk -F '\t' 'function near(x, y) { return (x - y)^2 <= 1e-12 * y^2 }
    NR == FNR { s = sqrt($1 / 2); if (!near($2, s)) bad = 1; next }
    { q = 4.302652729911275 * $2; seen++
      if (!near($3, $1 - q) || !near($4, $1 + q) || !near($6, $3) || !near($7, $4)) bad = 1 }
    END { exit bad || seen != 2 }' "$work/fit" "$work/both" || fail "errors that are estimated: $(cat "$work/both")"

# ---- several experiments, and a quantity: linear regression on all their rows ----------------------------------------

# x = x0 + a t + b t^2/2 with x0 = 1 and 3, and 2 x + a of the second: rows (t, t^2/2), and (2 t + 1, t^2).
sed 's/^x. = /twice = 2*x + a\n&/' "$work/line.ode" >"$work/twice.ode"
cat >"$work/several.csv" <<'EOF2'
t,experiment,x,twice,sigma_x,sigma_twice,weight
1,1,3.3,,0.1,,1
3,1,9.2,,0.1,,2
0.5,2,4.1,11,0.2,0.4,1
2,2,,18.3,,0.5,1
4,2,15,33,0.3,0.4,1
3,7,1,1,1,1,1
EOF2
printf 'experiment,x\n1,\n2,3\n' >"$work/experiments.csv"
several="data=$work/several.csv --experiments $work/experiments.csv --models $work/twice.ode"
# shellcheck disable=SC2086
table parameters line fit $several >"$work/fitted"
# shellcheck disable=SC2086
table fit line fit $several >"$work/fit"
awk -F '[\t,]' 'function near(x, y) { return (x - y)^2 <= 1e-12 * y^2 }
    function row(u, v, y, sigma, weight) { w = weight / sigma^2; m++
        A += w * u * u; B += w * u * v; D += w * v * v; P += w * u * y; Q += w * v * y; Y += w * y * y }
    FILENAME ~ /csv$/ { if (FNR == 1 || $2 == 7) next
        x0 = $2 == 1 ? 1 : 3
        if ($3 != "") row($1, $1^2 / 2, $3 - x0, $5, $7)
        if ($4 != "") row(2 * $1 + 1, $1^2, $4 - 2 * x0, $6, $7)
        next }
    FILENAME ~ /fitted$/ { det = A * D - B * B; best["a"] = (P * D - Q * B) / det; best["b"] = (Q * A - P * B) / det
        sd["a"] = sqrt(D / det); sd["b"] = sqrt(A / det)
        if (!near($3, best[$1]) || !near($4, sd[$1])) bad = 1; seen++; next }
    { if (!near($4, Y - best["a"] * P - best["b"] * Q) || $1 != m) bad = 2; seen++ }
    END { exit bad || seen != 3 || m != 7 }' "$work/several.csv" "$work/fitted" "$work/fit" ||
    fail "several experiments: $(cat "$work/fitted" "$work/fit")"
# The table counts before the numbers of files: the same fit from what was saved, and a start elsewhere ends there.
cut -f 1,3,4 "$work/fitted" >"$work/found"
# shellcheck disable=SC2086
expect 0 "# fit" analyse line fit $several --save "$work/best"
printf '100\n' >"$work/elsewhere"
for start in params="$work/best" x0="$work/elsewhere"; do
    # shellcheck disable=SC2086
    table parameters line fit $several "$start" | cut -f 1,3,4 | paste "$work/found" - |
        awk -F '\t' '{ for (i = 2; i <= 3; i++) if (($i - $(i + 3))^2 > 1e-14 * $i^2) exit 1 }' ||
        [ "$start" != params="$work/best" ] || fail "$start with experiments: $(cat "$work/output")"
done
# x0 of a file is that of the experiment whose line says nothing, and not of the other: 100 + a + b/2 and 3 + a + b/2.
printf 't,experiment,x\n1,1,103\n1,2,6\n2,1,106\n' >"$work/two.csv"
table residuals line fit data="$work/two.csv" --experiments "$work/experiments.csv" x0="$work/elsewhere" \
    --parameters a b=0 --models "$work/line.ode" |
    awk -F '\t' '{ if (($5 - $4)^2 > 1e-12) exit 1 } END { exit NR != 3 }' ||
    fail "x0 of a file beside experiments: $(cat "$work/output")"
# A weight counts a measurement as so many: as if it stood there so often, in the estimate of sigma, too.
printf 't,x,weight\n1,3.3,2\n2,5.1,1\n3,9.2,3\n5,16.4,1\n' >"$work/weights.csv"
printf 't,x\n1,3.3\n1,3.3\n2,5.1\n3,9.2\n3,9.2\n3,9.2\n5,16.4\n' >"$work/often.csv"
for file in weights often; do
    table fit line fit data="$work/$file.csv" --models "$work/line.ode" | cut -f 4,5,7
    table parameters line fit data="$work/$file.csv" --models "$work/line.ode" | cut -f 3-6
done | paste -s |
    awk '{ if (NF != 22) exit 1; for (i = 1; i <= 11; i++) if (($i - $(i + 11))^2 > 1e-16 * $i^2) exit 1 }' ||
    fail "weights are not repetitions"

# A line of weight 0 is not there, be it the last: the fit ends with the line before it.
printf 't,x,weight\n1,3.3,1\n2,5.1,1\n3,9.2,1\n5,99,0\n' >"$work/last.csv"
printf 't,x\n1,3.3\n2,5.1\n3,9.2\n' >"$work/without.csv"
for file in last without; do
    table fit line fit data="$work/$file.csv" --models "$work/line.ode"
    grep -E '^# (times|last time)' "$work/output"
done >"$work/both"
[ "$(sed -n 1,3p "$work/both")" = "$(sed -n 4,6p "$work/both")" ] && [ "$(wc -l <"$work/both")" -eq 6 ] ||
    fail "a last line of weight 0: $(cat "$work/both")"
printf 't,x,weight\n1,3.3,0\n' >"$work/nothing.csv"
expect 2 "all measurements have the weight 0" run line cfsa cost=tracking data="$work/nothing.csv" \
    --models "$work/line.ode"

# refused EXPECTED TEXT: the table of experiments
refused() {
    printf '%b' "$2" >"$work/bad.csv"
    expect 2 "$1" analyse line fit data="$work/several.csv" --experiments "$work/bad.csv" --models "$work/twice.ode"
}
refused "bad.csv:1: first column 'x': it is experiment, the number" 'x,experiment\n1,1\n'
refused "bad.csv:1: column 'x': named twice" 'experiment,x,x\n1,1,1\n'
refused "bad.csv:1: column 'data': it is one for all experiments" 'experiment,data\n1,a\n'
refused "bad.csv:3: experiment '1': its number is there twice" 'experiment,x\n1,1\n1,2\n'
refused "bad.csv:2: experiment '1.5': not a whole number" 'experiment,x\n1.5,1\n'
refused "bad.csv:2: 1 cells, the header has 2 columns" 'experiment,x\n1\n'
refused "bad.csv:2: cell '3': the header has fewer columns" 'experiment,x\n1,2,3\n'
refused "bad.csv:2: xx=1: unknown key 'xx'; did you mean x" 'experiment,xx\n1,1\n'
refused "bad.csv: no experiment in the file" 'experiment,x\n'
refused "bad.csv: no content" ''
refused "no measurement of experiment 9" 'experiment\n9\n'
refused "the experiments set a; choose the others" 'experiment,a\n1,1\n2,2\n'
expect 2 "--experiments is for fit and profile" analyse line ranking --experiments "$work/bad.csv" \
    --models "$work/line.ode"

# ---- Lotka-Volterra: parameters come back ----------------------------------------------------------------------------

# volterra A B C D: the model with these values
volterra() {
    printf 'model volterra "prey and predators"\nparameter birth = %s\nparameter eaten = %s\n' "$1" "$2"
    printf 'parameter death = %s\nparameter fed = %s\n' "$3" "$4"
    printf 'state prey = 10\nstate predators = 5\ninterval 0 .. 15\n'
    printf "prey' = birth*prey - eaten*prey*predators\npredators' = fed*prey*predators - death*predators\n"
}
volterra 1.1 0.4 0.4 0.1 >"$work/truth.ode"
volterra 0.9 0.3 0.5 0.12 >"$work/start.ode"
"$program" analyse volterra --times 0.5:15:30 --models "$work/truth.ode" >"$work/S"
# observe SD: a table of both states with normal errors of this relative size, the same every time
observe() {
    awk -F '\t' -v sd="$1" 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
        BEGIN { srand(3); print "t,prey,sigma_prey,predators,sigma_predators" }
        $3 == "birth" && $2 == "prey" { x = $4 * (1 + sd * normal()); s = $4 * (sd ? sd : 0.01); t = $1 }
        $3 == "birth" && $2 == "predators" {
            printf "%s,%.15g,%.15g,%.15g,%.15g\n", t, x, s, $4 * (1 + sd * normal()), $4 * (sd ? sd : 0.01) }' "$work/S"
}
for way in "" --log; do
    observe 0 >"$work/exact.csv"
    # shellcheck disable=SC2086
    table parameters volterra fit data="$work/exact.csv" --models "$work/start.ode" $way | cut -f 3 | paste -s |
        awk '{ split("1.1 0.4 0.4 0.1", p, " "); for (k = 1; k <= 4; k++) if (($k / p[k] - 1)^2 > 1e-14) exit 1 }' ||
        fail "parameters without errors $way: $(cat "$work/output")"
    observe 0.05 >"$work/noisy.csv"
    # shellcheck disable=SC2086
    table verdict volterra profile data="$work/noisy.csv" --level 0.999 --models "$work/start.ode" $way >"$work/verdict"
    awk -F '\t' '{ split("1.1 0.4 0.4 0.1", p, " "); if ($3 > p[NR] || $4 < p[NR] || $5 != "bounded") bad = 1
        if (($4 - $3) / $2 > 0.2) bad = 1 } END { exit bad || NR != 4 }' "$work/verdict" ||
        fail "parameters within their intervals $way: $(cat "$work/verdict")"
done

# ---- verdicts --------------------------------------------------------------------------------------------------------

# planted RATE: x' = -RATE x, seen five times
planted() {
    printf 'model planted "k1 and k2"\nparameter k1 = 0.5\nparameter k2 = 1\nstate x = 2\nstate y = 0\n'
    printf "interval 0 .. 4\nx' = -(%s)*x\ny' = k1\n" "$1"
}
printf 't,x sigma=0.02\n0.5,1.36\n1,0.97\n2,0.43\n3,0.21\n4,0.09\n' >"$work/planted.csv"
# verdicts RATE EXPECTED ARGUMENT...
verdicts() {
    local rate=$1 expected=$2
    shift 2
    planted "$rate" >"$work/planted.ode"
    table verdict planted profile data="$work/planted.csv" --models "$work/planted.ode" "$@" |
        cut -f 1,5 | paste -s -d ' ' | tr '\t' ' ' >"$work/found"
    [ "$(cat "$work/found")" = "$expected" ] || fail "$rate $*: $(cat "$work/found"), expected $expected"
}
verdicts "k1*k2" "k1 flat k2 flat"
verdicts "k1*k2" "k1 flat k2 flat" --log
verdicts "k1*k2" "k1 bounded" --parameters k1
verdicts "k1 + 0*k2" "k1 bounded k2 flat"
# A rate that is much too fast to be seen: it has a lower bound alone. k1 + k2 in logarithms: each may go to 0.
verdicts "0.76*(1 - exp(-4*k2)) + 0*k1" "k2 one-sided" --parameters k2 --log
verdicts "k1 + k2" "k1 one-sided k2 one-sided" --log
grep -q 'k1	[0-9.]*	open	0.7[0-9]*	one-sided' "$work/output" || fail "the open side: $(cat "$work/output")"
# Parameters that only count as a sum go to both ends of the range together, below 0 too.
verdicts "k1 + k2 + 0*y" "k1 flat k2 flat"

# Of two minima that mirror each other each has its own bounds, which are the square roots of those of the square.
verdicts "k1 + 0*k2" "k1 bounded" --parameters k1
table verdict planted profile data="$work/planted.csv" --models "$work/planted.ode" --parameters k1 >"$work/square"
for start in 0.6 2 -0.6; do
    planted "k1^2" | sed "s/^parameter k1 = 0.5/parameter k1 = $start/" >"$work/planted.ode"
    table verdict planted profile data="$work/planted.csv" --models "$work/planted.ode" --parameters k1 |
        paste "$work/square" - >"$work/both"
    awk -F '\t' -v start=$start '{ low = start > 0 ? $8 : $9; high = start > 0 ? $9 : $8 }
        { exit !($10 == "bounded" && (low^2 / $3 - 1)^2 < 1e-10 && (high^2 / $4 - 1)^2 < 1e-10) }' "$work/both" ||
        fail "mirrored minima from $start: $(cat "$work/both")"
done
# A law that saturates, seen where it is a straight line: its slope vmax/km has two bounds, each of the two a lower one.
cat >"$work/line_of.ode" <<'EOF2'
model line_of "a saturating law"
parameter vmax = 5
parameter km = 10
state s = 1
interval 0 .. 4
s' = -vmax*s/(km + s)
EOF2
printf 't,s sigma=0.02\n1,0.61\n2,0.36\n3,0.23\n4,0.13\n' >"$work/line_of.csv"
for way in "" --log; do
    # shellcheck disable=SC2086
    table verdict line_of profile data="$work/line_of.csv" --models "$work/line_of.ode" $way >"$work/found"
    awk -F '\t' '$5 != "one-sided" || $4 != "open" || !($3 > 0) { exit 1 }' "$work/found" ||
        fail "a straight line of a saturating law $way: $(cat "$work/found")"
done

# A rate so fast that nothing is left to be seen of it has a lower bound, wherever the fit begins; y is 1 at all times.
saturated() {
    printf 'model saturated "a fast rate beside a slow one"\nparameter slow = 0.5\nparameter fast = %s\n' "$1"
    printf "state x = 2\nstate y = 0\ninterval 0 .. 4\nx' = -slow*x\ny' = fast*(1 - y)\n"
}
awk -F, 'NR == 1 { print $1 ",y sigma=0.02,x sigma=0.02"; next }
    { print $1 "," (NR % 2 ? 0.99 : 1.01) "," $2 }' "$work/planted.csv" >"$work/saturated.csv"
for fast in 3 20; do
    for way in "" --log; do
        saturated $fast >"$work/saturated.ode"
        # shellcheck disable=SC2086
        table verdict saturated profile data="$work/saturated.csv" --models "$work/saturated.ode" $way >"$work/found"
        # The closed form: exp(-fast/2) is what y is short of 1 by at t = 0.5, the first time.
        awk -F '\t' '$1 == "slow" { slow = $5 == "bounded" }
            $1 == "fast" { chi2 = 0; e = exp(-$3 / 2); for (t = 0.5; t <= 4; t = t < 1 ? 1 : t + 1) {
                               z = (++i % 2 ? 0.01 : -0.01); chi2 += ((-exp(-$3 * t) - z)^2 - z^2) / 0.0004 }
                           fast = $5 == "one-sided" && (chi2 - 3.841459)^2 < 1e-3 }
            END { exit !(slow && fast) }' "$work/found" || fail "from fast=$fast $way: $(cat "$work/found")"
    done
done
# What cannot be squared is no residual, and data met to the accuracy of the solution tell nothing of their errors.
sed '2s/,.*/,1e200,1e200/' "$work/saturated.csv" >"$work/huge.csv"
expect 4 "fit: nonfinite: x at t = 0.5 is -5e+201 standard deviations from the measured 1e+200" \
    analyse saturated fit data="$work/huge.csv" --models "$work/saturated.ode"
awk 'BEGIN { print "t,x"; for (t = 1; t <= 4; t++) printf "%d,%.17g\n", t, 2 * exp(-t / 2) }' >"$work/met.csv"
expect 2 "profile: unsupported: the model meets the data to rtol" \
    analyse saturated profile data="$work/met.csv" --models "$work/saturated.ode" --parameters slow

planted "k1*k2" >"$work/planted.ode"
table parameters planted fit data="$work/planted.csv" --models "$work/planted.ode" | cut -f 4 | paste -s >"$work/sd"
[ "$(cat "$work/sd")" = "infinite	infinite" ] || fail "a variance of a product: $(cat "$work/sd")"

# ---- solves that fail ------------------------------------------------------------------------------------------------

# x = 1/(1 - k t) is infinite at t = 1/k: the first step of the fit goes there, and is taken back.
cat >"$work/pole.ode" <<'EOF2'
model pole "infinite at t = 1/k"
parameter k = 0.01
state x = 1
interval 0 .. 4
x' = k*x^2
EOF2
awk 'BEGIN { print "t,x sigma=0.1"; for (t = 1; t <= 4; t++) printf "%d,%.15g\n", t, 1 / (1 - 0.24 * t) }' \
    >"$work/pole.csv"
table parameters pole fit data="$work/pole.csv" --models "$work/pole.ode" |
    awk '{ exit !(($3 / 0.24 - 1)^2 < 1e-14) }' || fail "a pole: $(cat "$work/output")"
[ "$(awk -F '\t' '/^measurements\t/ { getline; print $10 }' "$work/output")" -ge 1 ] ||
    fail "no solve failed: $(cat "$work/output")"
expect 4 "fit: step_limit: max_steps = 2000" \
    analyse pole fit k=1 data="$work/pole.csv" --models "$work/pole.ode" max_steps=2000
grep -q '^#' "$work/output" && fail "tables of a fit that failed"

# ---- refusals --------------------------------------------------------------------------------------------------------

models="--models $work/line.ode"
# shellcheck disable=SC2086
{
    expect 2 "data: what was measured?" analyse line fit $models
    expect 2 "--times is of no use" analyse line fit --times 0:1:3 $line
    expect 2 "--log is for fit and profile" analyse line ranking --log $models
    expect 2 "--log: b = -3 has no logarithm" analyse line fit --log $line
    expect 2 "--level 1: not a number between 0 and 1" analyse line profile --level 1 $line
    expect 2 "--range 1: not a number above 1" analyse line profile --range 1 $line
    expect 2 "analyse fit: --range is for profile" analyse line fit --range 5 $line
    printf 't,x\n1,3.3\n2,5.1\n' >"$work/few.csv"
    expect 2 "2 measurements are too few for 2 parameters and the standard deviation" analyse line fit \
        data="$work/few.csv" $models
    printf 't,x sigma=1,y\n1,1,1\n2,1,1\n' >"$work/some.csv"
    expect 2 "2 of 4 measurements have a standard deviation" analyse planted fit data="$work/some.csv" \
        --models "$work/planted.ode"
    expect 2 "did you mean profile" analyse line profil $line
}
# What is saved goes on from there: the same fit without a step.
# shellcheck disable=SC2086
expect 0 "# verdict" analyse line profile --save "$work/best" $line
# shellcheck disable=SC2086
table fit line fit params="$work/best" $line | cut -f 8 >"$work/steps"
[ "$(cat "$work/steps")" = 0 ] || fail "params of --save: $(cat "$work/output")"
# shellcheck disable=SC2086
expect 1 "--save $work/no/file: No such file" analyse line fit --save "$work/no/file" $line
"$program" analyse line profile --json data="$work/line.csv" --models "$work/line.ode" >"$work/json" || fail "--json"
grep -q '^{"about":{.*"verdict":{.*"rows":\[\["a",.*"bounded"\]' "$work/json" || fail "--json: $(cat "$work/json")"

# Data that the model meets exactly, without sigma: the parameter is determined all the same.
printf 'model still "a state that stays where it is"\nparameter p = 1\nstate x = p\ninterval 0 .. 1\nx'"'"' = 0*x\n' \
    >"$work/still.ode"
printf 't,x\n0.5,1\n1,1\n' >"$work/still.csv"
expect 0 "# fit" analyse still fit data="$work/still.csv" --models "$work/still.ode"
grep -q "^p	1	1	0	1	1$" "$work/output" || fail "an exact fit is undetermined: $(cat "$work/output")"

# A comment behind a TAB does not change what separates the cells of a line.
printf 'experiment,a\n1,2\t# the first\n2,3\n' >"$work/commented.csv"
printf 'experiment,t,x\n1,1,3\n1,2,5\n2,1,4\n2,2,6.1\n' >"$work/two.csv"
"$program" analyse line fit data="$work/two.csv" --experiments "$work/commented.csv" --models "$work/line.ode" \
    >"$work/output" 2>&1
grep -q 'not a whole number' "$work/output" && fail "a TAB before a comment: $(cat "$work/output")"

[ $failures -eq 0 ]
