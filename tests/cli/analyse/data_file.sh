#!/bin/bash
# Measurements by the names of states: their distance and their likelihood against the closed form of an exponential,
# the forms in which a file may come, and files that are refused with file, line and value. Argument 1: sensbench.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/../common.bash"
cd "$work" || exit 1

cat >two.ode <<'MODEL'
model two_decays "x' = -k x, y[i]' = -k y[i]"
parameter k = 0.5
state x = 2
state y[i in 1 .. 2, j in 0 .. 1] = 3
interval 0 .. 4
x' = -k*x
y'[i in 1 .. 2, j in 0 .. 1] = -k*y[i,j]
MODEL
run=(run two_decays discrete_adjoint --models two.ode cost=tracking tol=1e-11 --once)

# near NAME EXPECTED FILE COLUMN: the values of a quantity in a dump, one, to 1e-9
near() {
    awk -F '\t' -v name="$1" -v expected="$2" '$1 == name { got = $4; n++ }
        END { off = got - expected; if (off < 0) off = -off; size = expected < 0 ? -expected : expected
              exit !(n == 1 && off <= 1e-9 * size) }' "$3" || fail "$1 of $3 is not $2: $(grep "^$1" "$3")"
}

# G and dG/dk by the closed form: x(t) = 2 exp(-k t), y(t) = 3 exp(-k t), for rows t size z w sigma.
closed() {
    awk -v likelihood="$1" 'BEGIN { k = 0.5; pi = atan2(0, -1) }
        { x = $2 * exp(-k * $1); r = (x - $3) / $5; G += $4 * r * r / 2; D += $4 * r / $5 * -$1 * x
          L -= $4 * (r * r / 2 + log($5 * sqrt(2 * pi))) }
        END { if (likelihood) printf "%.17g %.17g\n", L, -D; else printf "%.17g %.17g\n", G, D }' truth
}
printf '%s\n' '0 2 2.5 1 0.1' '1 3 1.7 2 0.25' '1 2 1.3 2 0.1' '1 3 1.9 0.5 0.125' '4 2 0.3 1 0.1' >truth
printf '%s\r\n' 't,x sigma=0.1,"y[2,1]",sigma_y[2,1],weight' '# a comment' '0,2.5,NA,,1' '' '1,1.3,1.7,0.25,2' \
    '1,,1.9,0.125,.5' '3,nan,Na, 7 ,1' ' 4 , 0.3 ,"",1,1 # the end' >data.csv
for likelihood in off on; do
    flag=0
    [ $likelihood = on ] && flag=1
    expect 0 "status     ok" "${run[@]}" data=data.csv likelihood=$likelihood wrt=p --dump "$likelihood"
    read -r G D <<<"$(closed $flag)"
    near G "$G" $likelihood
    near dGdp "$D" $likelihood
done

# The same with TABs, a byte order mark, LF alone, another order of columns, no end of the last line.
{
    printf '\xef\xbb\xbftime\tweight\tsigma_y[2,1]\ty[2,1]\tx   sigma=1e-1\n0\t1\t\tNA\t2.5\n1\t2\t0.25\t1.7\t1.3\n'
    printf '1\t0.5\t0.125\t1.9\t\n3\t1\t7\t\t\n4\t1\t1\tNAN\t0.3'
} >data.tsv
expect 0 "status     ok" "${run[@]}" data=data.tsv likelihood=on wrt=p --dump tabs
cmp -s on tabs || fail "another form of the same data gives another result"

# Quantities of the model are measured like states. Twice x + k t, and log y[2,1]: 4 exp(-k t) + k t, log 3 - k t.
sed 's/^x. = .*/twice = 2*x + k*t\nlogs[i in 1 .. 2] = log(y[i,1])\n&/' two.ode >quantities.ode
printf '%s\n' 't,"logs[2]",twice sigma=0.1,sigma_logs[2],x sigma=0.5,weight' '0,1,4.5,0.2,2.5,1' '1,0.7,,0.1,,2' \
    '4,,2.2,,,1' >quantities.csv
awk 'BEGIN { k = 0.5; pi = atan2(0, -1) }
    { t = $2; y = $1 == "twice" ? 4 * exp(-k * t) + k * t : $1 == "x" ? 2 * exp(-k * t) : log(3) - k * t
      dy = $1 == "twice" ? -4 * t * exp(-k * t) + t : $1 == "x" ? -2 * t * exp(-k * t) : -t
      r = (y - $3) / $5; L -= $4 * (r * r / 2 + log($5 * sqrt(2 * pi))); D -= $4 * r * dy / $5
      R[NR] = sqrt($4) * r; S[NR] = sqrt($4) * dy / $5 }
    END { printf "G %.17g\ndGdp %.17g\n", L, D >"likelihood.expected"
          for (e = 1; e <= NR; e++) printf "%.17g %.17g\n", R[e], S[e] >"residuals.expected" }' <<'END'
x 0 2.5 1 0.5
logs 0 1 1 0.2
twice 0 4.5 1 0.1
logs 1 0.7 2 0.1
twice 4 2.2 1 0.1
END
quantities=(run two_decays --models quantities.ode cost=tracking data=quantities.csv tol=1e-12 --once wrt=p)
for method in discrete_adjoint discrete_tangent cfsa casa_dense; do
    expect 0 "status     ok" "${quantities[@]}" method=$method likelihood=on --dump "by_$method"
    while read -r name value; do near "$name" "$value" "by_$method"; done <likelihood.expected
    expect 0 "status     ok" "${quantities[@]}" method=$method residuals=on --dump "each_$method"
    awk -F '\t' 'NR == FNR { split($0, pair, " "); r[++m] = pair[1]; s[m] = pair[2]; next }
        function near(got, expected) { n++; if ((got - expected)^2 > 1e-16 * (1 + expected^2)) bad = 1 }
        $1 == "G" { near($4, r[$2 + 1]) }
        $1 == "dGdp" { near($4, s[$2 + 1]) }
        END { exit bad || n != 10 }' residuals.expected "each_$method" ||
        fail "residuals by $method: $(cat residuals.expected "each_$method")"
done
expect 2 "residuals=on: a likelihood is of all of them together" "${quantities[@]}" method=cfsa residuals=on \
    likelihood=on
sed 's/^twice/sigma_x/' quantities.ode >both.ode
printf 't,x,sigma_x\n1,1,1\n' >both.csv
expect 2 "column 'sigma_x': the model has this name, and it is that of a standard deviation, too" run two_decays cfsa \
    --models both.ode cost=tracking data=both.csv
printf 't,"logs[3]"\n1,1\n' >none.csv
expect 2 "column 'logs[3]': no state or quantity" run two_decays cfsa \
    --models quantities.ode cost=tracking data=none.csv
# Products that are derived anew for the model go with its quantities as well.
for vjp in tape fd; do
    expect 0 "status     ok" "${quantities[@]}" method=discrete_adjoint likelihood=on vjp=$vjp --dump "by_$vjp"
    while read -r name value; do
        [ $vjp = fd ] || near "$name" "$value" "by_$vjp"
    done <likelihood.expected
done

# Numbers alone, as the same with names: bit for bit; names of options are those of states of a problem in C.
printf '0.5 1 2\n1 0.5 0.25\n' >plain
printf 't,position,velocity\n0.5,1,2\n1,0.5,0.25\n' >names
for file in plain names; do
    expect 0 "status     ok" run oscillator cfsa cost=tracking data=$file --once --dump from_$file
done
cmp -s from_plain from_names || fail "a header changes the result"
printf 't,x[0]\n0.5,1\n' >o
expect 2 "o:1: column 'x[0]': no state" run oscillator cfsa cost=tracking data=o
printf 't,x[1]\n0.5,1\n' >o
expect 0 "status     ok" run glv cfsa n=2 cost=tracking data=o --once
expect 2 "did you mean x[0]?" run glv cfsa n=1 cost=tracking data=o --once

# Several experiments in a file, each with initial values and an interval of its own: as from a file of its rows alone.
printf 't,experiment,x sigma=0.1,weight\n0,1,2.5,1\n0.5,2,3,2\n1,1,1.3,1\n9,2,0.1,\n' | sed 's/0.1,$/0.1,3/' >both
printf 't,x sigma=0.1,weight\n0,2.5,1\n1,1.3,1\n' >one
printf 't,x sigma=0.1,weight\n0.5,3,2\n9,0.1,3\n' >two
for likelihood in off on; do
    expect 0 "status     ok" "${run[@]}" likelihood=$likelihood data=one --dump of_one
    expect 0 "status     ok" "${run[@]}" likelihood=$likelihood data=two x=4 T=10 --dump of_two
    expect 0 "experiment=1" "${run[@]}" likelihood=$likelihood data=both experiment=1 --dump first
    expect 0 "experiment=2" "${run[@]}" likelihood=$likelihood data=both experiment=2 x=4 T=10 --dump second
    cmp -s of_one first && cmp -s of_two second || fail "an experiment among others is another one"
    cmp -s first second && fail "two experiments are one"
done
expect 2 "both:1: column 'experiment': which one is wanted is to be said: experiment=NUMBER" "${run[@]}" data=both
expect 2 "one:1: experiment '2': there is no column of this name" "${run[@]}" data=one experiment=2
expect 2 "both: no measurement of experiment 3 in the file" "${run[@]}" data=both experiment=3
expect 2 "both:5: time '9': outside of the interval from 0 to 4" "${run[@]}" data=both experiment=2
expect 2 "experiment: only of data with a header line" run oscillator cfsa cost=tracking data=plain experiment=1
expect 2 "experiment: only of data with a header line" run oscillator cfsa cost=tracking experiment=1
expect 2 "experiment=1.5: not a whole number" "${run[@]}" data=both experiment=1.5
while IFS='|' read -r text content; do
    printf '%b' "${content# }" >bad
    expect 2 "${text% }" "${run[@]}" data=bad experiment=1
done <<'TABLE'
bad:2: experiment '': not a whole number from 1 to 1e6 | t,experiment,x\n0,,1\n
bad:3: experiment '1.5': not a whole number from 1 to 1e6 | t,experiment,x\n0,1,1\n0,1.5,1\n
bad:2: experiment '0': not a whole number from 1 to 1e6 | t,experiment,x\n0,0,1\n
bad:2: experiment 'A': not a whole number from 1 to 1e6 | t,experiment,x\n0,A,1\n
bad:1: column 'experiment': named twice | t,experiment,x,experiment\n0,1,1,1\n
bad:1: column 'experiment': it has no standard deviation | t,experiment sigma=1,x\n0,1,1\n
bad:4: time '1': it is before that of the row above; sort the rows by time | t,experiment,x\n2,1,1\n1,2,1\n1,1,1\n
bad:2: value 'b': not a finite decimal number | t,experiment,x\n0,2,b\n
TABLE

# The whole state at several times, in the order of the times: x = 2 exp(-k t), y = 3 exp(-k t), d/dk = -t times these.
printf '1\n2.5 4\n' >times
expect 0 "status     ok" run two_decays discrete_adjoint --models two.ode cost=snapshots times=times tol=1e-11 wrt=p \
    --once --dump shots
awk -F '\t' 'BEGIN { split("1 2.5 4", t, " ") }
    $1 == "G" || $1 == "dGdp" { j = int($2 / 5) + 1; e = ($2 % 5 ? 3 : 2) * exp(-t[j] / 2); if ($1 == "dGdp") e *= -t[j]
        off = $4 - e; if (off < 0) off = -off; n++; if (off > 1e-9) bad++ }
    END { exit !(n == 30 && !bad) }' shots || fail "snapshots are not the closed form: $(cat shots)"
expect 0 "digits" truth decay cost=snapshots count=3 --out references
SENSBENCH_REFERENCE=references expect 0 "truth: reference" run decay cfsa cost=snapshots count=3 truth=reference --once
expect 2 "count: the file of times says how many there are" run decay cfsa cost=snapshots times=times count=3
while IFS='|' read -r text content; do
    printf '%b' "${content# }" >bad
    expect 2 "${text% }" run two_decays cfsa --models two.ode cost=snapshots times=bad
done <<'TABLE'
times: number 2, 0.5, is not above the one before, 1 | 1\n0.5\n
times: number 2, 1, is not above the one before, 1 | 1 1\n
times: number 1, 4.5, is outside of the interval from 0 to 4 | 4.5\n
times: number 1, -1, is outside of the interval from 0 to 4 | -1\n
bad:2: 'x' is not a finite decimal number | 1\nx\n
bad:1: first column 'nan': of a header it is t or time | nan\n
times: numbers alone, without a header line | t,x\n0,1\n
TABLE

# Refused: text | the file, with \n and the like
cases=0
while IFS='|' read -r text content; do
    [ -n "$text" ] || continue
    cases=$((cases + 1))
    printf '%b' "${content# }" >bad
    expect 2 "${text% }" "${run[@]}" data=bad
done <<'TABLE'
bad:1: column 'z': no state or quantity, sigma_NAME, weight or experiment | t,z\n0,1\n
bad:1: column 'xx': no state or quantity, sigma_NAME, weight or experiment; did you mean x? | t,xx\n0,1\n
bad:1: column 'x': named twice | t,x,x\n0,1,1\n
bad:1: column 'sigma_x': named twice | t,x,sigma_x,sigma_x\n0,1,1,1\n
bad:1: column 'weight': named twice | t,x,weight,weight\n0,1,1,1\n
bad:1: column '': no state | t,x,\n0,1,\n
bad:1: first column 'x': of a header it is t or time | x,t\n0,1\n
bad:1: first column 'nan 1': of a header it is t or time | nan 1\n
bad:1: header 't': it names no state or quantity | t\n0\n
bad:1: column sigma_ of 'x': there is no column of its values | t,sigma_x\n0,1\n
bad:1: column 'x': sigma= beside a column sigma_ | t,x sigma=1,sigma_x\n0,1,1\n
bad:1: column 'weight': it has no standard deviation | t,x,weight sigma=1\n0,1,1\n
bad:1: standard deviation 'sigma=0': not a number from | t,x sigma=0\n0,1\n
bad:1: standard deviation 'sigma=a': not a number from | t,x sigma=a\n0,1\n
bad:3: value '1.2.3': not a finite decimal number | # data\nt,x\n0,1.2.3\n
bad:2: value 'inf': not a finite decimal number | t,x\n0,inf\n
bad:2: value '0x10': not a finite decimal number | t,x\n0,0x10\n
bad:2: value '1e999': not a finite decimal number | t,x\n0,1e999\n
bad:2: time 'NA': not a finite decimal number | t,x\nNA,1\n
bad:3: time '1': it is before that of the row above; sort the rows by time | t,x\n2,1\n1,1\n
bad:2: time '-1': outside of the interval from 0 to 4 | t,x\n-1,1\n
bad:2: time '4.5': outside of the interval from 0 to 4 | t,x\n4.5,1\n
bad:2: 2 cells, the header has 3 columns | t,x,weight\n0,1\n
bad:2: cell '9': the header has fewer columns | t,x\n0,1,9\n
bad:2: standard deviation '-1': not a number from 1e-100 to 1e100 | t,x,sigma_x\n0,1,-1\n
bad:2: standard deviation '1e-200': not a number from 1e-100 to 1e100 | t,x,sigma_x\n0,1,1e-200\n
bad:2: column sigma_ of 'x': it is missing where there is a value | t,x,sigma_x\n0,1,NA\n
bad:2: weight '-1': not a number from 0 to 1e100 | t,x,weight\n0,1,-1\n
bad:2: weight 'NA': not a number from 0 to 1e100 | t,x,weight\n0,1,NA\n
bad: no measurement in the file | t,x\n0,NA
bad: no measurement in the file | t,x
bad:2: byte 3 is 0x00: no text | t,x\n0,\00001\n
bad:2: byte 2 is 0x1b: no text | t,x\n0\033,1\n
bad:1: '?E' is not a finite decimal number | \177E\n
TABLE
[ $cases -eq 34 ] || fail "$cases cases"

# a quantity that is no number where the state is one
cat >half.ode <<'CODE'
model half "a decay, and a quantity that has no value below one half"
parameter a = 2
state x = 1
interval 0 .. 1
q = log(x - 0.5)
x' = -a*x
CODE
printf 't,q sigma=1\n0.1,-1\n0.5,-3\n1,-4\n' >below
for say in "run half discrete_adjoint cost=tracking" "run half cvodes_adjoint cost=tracking" "analyse half fit"; do
    case $say in *cvodes*) "$program" run decay cvodes_adjoint >out 2>&1 || continue ;; esac
    # shellcheck disable=SC2086 # words are wanted
    expect 4 "of the cost is no number, while the state is finite" \
        $say data=below --models half.ode
done

head -c 3000000 /dev/urandom >bad
"$program" "${run[@]}" data=bad >out 2>&1
[ $? -eq 2 ] && grep -q 'bad:[0-9]*: ' out || fail "random bytes: $(head -c 300 out)"
{ printf 't,x\n0,'; head -c 2000000 /dev/zero | tr '\0' 1; } >bad
expect 2 "bad:2: longer than 1048576 characters" "${run[@]}" data=bad
expect 2 "names:2: column 'position': likelihood=on needs the standard deviation of each value" \
    run oscillator cfsa cost=tracking data=names likelihood=on
expect 2 "count: the file of data" run oscillator cfsa cost=tracking data=names count=3
expect 2 "the same option" run oscillator cfsa cost=tracking data=names cost.data=names
exit $((failures > 0))
