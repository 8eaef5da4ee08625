#!/bin/bash
# sensbench verify: options, exit codes, the formats of its report, --list and --explain, interruption.
# Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
include=$(cd "$(dirname "$0")/../../harness/include" && pwd)
cd "$work" || exit 1

# expect CODE TEXT ARGUMENT...: what verify prints is kept in the files output and errors
expect() {
    local code=$1 text=$2 got
    shift 2
    "$program" verify "$@" >output 2>errors </dev/null
    got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit $got, expected $code: $(cat output errors | tail -n 5)"
    grep -qF -- "$text" output errors || fail "$*: no '$text': $(cat output errors | head -n 5)"
}

# ---- what is refused -----------------------------------------------------------------------------------------------
expect 2 "did you mean glv" --problem glw
expect 2 "did you mean cfsa" --method csfa
expect 2 "did you mean identity" --cost identty
expect 2 "did you mean unit.completes" --check unit.complete
expect 2 "did you mean unit.completes" --explain unit.complets
expect 2 "did you mean stage_time" --explain stage_tme
expect 2 "did you mean unit.completes" --list --check unit.completed
expect 2 "did you mean --problem" --problm glv
expect 2 "unexpected word 'glv'" glv
expect 2 "'0' is no whole number" --jobs 0
expect 2 "'1.5' is no whole number" --seed 1.5
expect 2 "'-1' is no whole number" --seed -1
expect 2 "'0' is no number of seconds" --timeout 0
expect 2 "one of --json" --json --tap
expect 2 "did you mean avx2" --isa avx3
expect 2 "has an option 'S'" --problem robertson S=20
expect 2 "has an option 'T'" --method cfsa T=20
expect 2 "has an option 'T'" --problem robertson --method cfsa method.T=20
expect 2 "T=-1: out of range" --problem robertson T=-1
expect 2 "problem.T=3: the option is given twice" --problem robertson T=2 problem.T=3
expect 2 "no/such/folder" --quick --problem decay --junit no/such/folder/report.xml
[ ! -s output ] || fail "a file that cannot be written is refused after the work"
expect 2 "nothing to do" --cost identity --check 'tableau.*'
expect 2 "--problem needs a value" --problem
expect 2 "did you mean vjp.transpose" --require vjp.transpos
expect 2 "no such check is made" --problem decay --require cost.taylor
expect 2 "no such check is made" --problem decay --check 'jvp.*' --require vjp.reference
for isa in avx2 avx512; do
    "$program" list variants | grep -q "^$isa .*supported by this CPU" && continue
    expect 3 "isa=$isa" --isa $isa
done

# ---- what there is -------------------------------------------------------------------------------------------------
expect 0 "usage: sensbench verify" --help
expect 0 "Exit codes: 0 no failure" -h
expect 0 "worst: the largest error found" --help
expect 0 "unit.completes" --list
[ ! -s errors ] || fail "--list: stderr"
awk '/^ / { print $1 }' output >checks
[ "$(wc -l <checks)" -eq "$(sort -u checks | wc -l)" ] || fail "a check is listed twice: $(sort checks | uniq -d)"
while read -r id; do
    expect 0 "Explanation" --explain "$id"
    [ "$(head -1 output)" = "$id" ] && [ "$(wc -l <output)" -ge 7 ] || fail "--explain $id"
    awk 'length > 100 { exit 1 }' output || fail "--explain $id: long lines"
done <checks
expect 0 "stage times ignore c_i h" --explain stage_time
expect 0 "tableau.order" --list --check 'tableau.*'
grep -q 'unit.completes' output && fail "--list --check"

# ---- the report for people -----------------------------------------------------------------------------------------
expect 0 " passed, 0 failed, " --quick --problem decay
grep -qE '^pass  problem decay +unit.completes +[0-9]+ cases$' output || fail "no line for unit.completes"
sed '/^checked to rounding:$/,$d' output | grep -vE '^(pass|skip|limit) |^$|passed' >others &&
    fail "unexpected lines: $(head -n 3 others)"
[ ! -s errors ] || fail "stderr: $(cat errors)"
sed 's/; [0-9.]* s (.*//' output >first
expect 0 "" --quick --problem decay -j 3
sed 's/; [0-9.]* s (.*//' output >second
cmp -s first second || fail "the report depends on the number of processes: $(diff first second | head -n 4)"
lines=$(wc -l <output)
expect 0 "decay" --quick --problem decay -v
[ "$(wc -l <output)" -gt "$lines" ] || fail "-v lists no more"
levels=$(sed -n '/^checked /,$p' output)
wanted='*checked to rounding:*problem decay*checked to the tolerance:*on decay alone: method * cfsa*'
[[ $levels == $wanted ]] ||
    fail "levels: $levels"
expect 0 "" --quick --problem decay --check rhs.status
[[ $(cat output) == *"$(printf 'checked not at all:\n  problem decay\nleft out')"* ]] ||
    fail "no level: $(tail -n 4 output)"
expect 1 "required, and was not made" --quick --problem decay --check x0.reference --require 'x0.*'
grep -q '^  required and could not be made; nothing was found wrong$' output ||
    fail "--require: found wrong: $(cat output)"
grep -q 'probable causes' output && fail "--require: causes of nothing"
# A model declares no structure: methods are compared with and without the one that its formulas tell.
for model in lorenz brusselator1d; do
    expect 0 "pass  method discrete_adjoint  structure.pair" --quick --problem $model --method discrete_adjoint \
        --check structure.pair --require structure.pair
done
# not of thousands of states: it would take minutes, and a sum over them rounds by more than is seen elsewhere
cat >ring.ode <<'EOF'
model ring "600 states, one parameter of all of them"
parameter k = 0.5
state u[i in 1..600] = 1 + 0.5 * sin(i)
interval 0 .. 1
u'[i in 1..600] = -k * u[i]^3 + 2 * (u[mod(i, 600) + 1] - u[i])
EOF
expect 0 "up to 400 states" --quick --models ring.ode --problem ring --method discrete_adjoint --seed 6 \
    --check structure.pair --verbose
expect 0 "pass  tableau rk4 " --quick --check 'tableau.*'
awk '/^(pass|skip|limit)/ && $4 !~ /^tableau\./ { exit 1 }' output || fail "--check shows other checks"
expect 0 "seed 7" --quick --problem decay --seed 7
expect 0 "isa baseline" --quick --problem decay --isa baseline
expect 0 "cost identity" --quick --cost identity
grep -qE '^[a-z]+ +(problem|method|tableau) ' output && fail "--cost: other modules"

# ---- options of modules --------------------------------------------------------------------------------------------
expect 0 ", seed 0, T=20)" --quick --problem robertson T=20 --method cfsa -v
grep -q '^      pass  robertson T=20' output || fail "T=20 is not named in the subjects"
grep '^      [a-z]*  robertson' output | grep -v 'robertson T=20' && fail "T=20 is not held"
expect 0 '"options": "problem.n=5"' --quick --problem heat problem.n=5 --check 'jvp.*' --json
expect 0 "heat n=5" --quick --problem heat n=5 --seed 3 --check 'jvp.*' -v
grep -E '^      [a-z]+  heat' output | grep -v 'heat n=5' && fail "n=5 is drawn anew"

# ---- the other formats ---------------------------------------------------------------------------------------------
expect 0 '"verdict": "pass"' --quick --problem decay --json --junit report.xml
for member in version isa seed quick seconds interrupted counts modules levels results units; do
    grep -q "^ \"$member\":" output || fail "--json: no $member"
done
grep -q '<testsuite name="problem decay" ' report.xml || fail "--junit: no suite"
[ "$(grep -c '<testsuite ' report.xml)" -eq "$(grep -c '</testsuite>' report.xml)" ] || fail "--junit: suites"
cases=$(grep -c '<testcase ' report.xml)
grep -q "<testsuites name=\"sensbench verify\" tests=\"$cases\" " report.xml || fail "--junit: $cases cases"
expect 0 'TAP version 14' --quick --problem decay --tap
points=$(grep -cE '^(not )?ok [0-9]+ - ' output)
[ "$(sed -n 2p output)" = "1..$points" ] && [ "$points" -eq "$cases" ] || fail "--tap: $points points"

# ---- failures: a problem with a wrong product, and one that crashes --------------------------------------------------
build() {
    "$compiler" -std=c11 -O1 -fPIC -shared -I"$include" -o "$1.so" faulty/*.c || fail "$1 does not compile"
}

# module NAME LINE: NAME.so, the skeleton of a problem `faulty` with LINE at the end of its jvp
module() {
    awk -v line="$2" '/^static void jvp\(/ { inside = 1 } inside && /^}/ { print line; inside = 0 } { print }' \
        skeleton.c >faulty/faulty.c
    build "$1"
}

# declares NAME SLOTS: NAME.so, the skeleton with SLOTS in its exported table, and callbacks for them
declares() {
    awk -v functions="$2" '
        /^static sens_status create/ {
            print "static void M_of(const struct sens_problem *pb, const sens_real *p, sens_real *M)"
            print "{ (void)pb, (void)p, (void)M; }"
            print "static void d_of(const struct sens_problem *pb, const struct sens_at *at, sens_real *d)"
            print "{ (void)pb, (void)at, (void)d; }"
            print "static const struct sens_structure declared = {" functions "};"
        }
        { print }
        /^    pb->n = / { print "    pb->structure = &declared;" }' skeleton.c >faulty/faulty.c
    build "$1"
}

if compiler=$(command -v cc || command -v gcc || command -v clang); then
    "$program" new problem faulty --c >/dev/null || fail "new problem"
    cp faulty/faulty.c skeleton.c
    module wrong "    OUT[0] *= 1.001;"
    sed -i "1i #include <stdlib.h>" skeleton.c
    module crash "    abort();"
    expect 1 "  probable causes" --quick --problem faulty --plugin wrong.so
    grep -q '^fail  problem faulty ' output || fail "no line for the failure"
    grep -qE ': found [0-9.e+-]+, allowed [0-9.e+-]+$' output || fail "the evidence does not say what is allowed"
    grep -q "problem faulty fails its own checks" output || fail "pairs are not skipped"
    expect 1 "problem faulty: " --quick --method cfsa --plugin wrong.so # told where they fail
    grep -q '^pass  problem ' output && fail "--method: checks of problems that pass"
    expect 1 '"verdict": "fail"' --quick --problem faulty --plugin wrong.so --json --junit report.xml
    grep -q '"sentence":' output || fail "--json: no causes"
    grep -q '<failure type="verify" message=' report.xml || fail "--junit: no failure"
    expect 1 "not ok " --quick --problem faulty --plugin wrong.so --tap
    [ "$(grep -c '^  ---$' output)" -eq "$(grep -c '^not ok ' output)" ] || fail "--tap: no YAML"
    expect 1 "the module crashes" --quick --problem faulty --plugin crash.so
    grep -q "killed by signal 6" output || fail "the signal is not named"

    # what create refuses of a declaration is said in its words, not only skipped
    refusal="problem faulty: coupling and diagonal belong together, beside outer and a dense jacobian"
    declares alone ".diagonal = d_of"
    declares no_outer ".jacobian = d_of, .coupling = M_of, .diagonal = d_of"
    for name in alone no_outer; do
        expect 1 "$refusal" --quick --problem faulty --plugin $name.so
        grep -q '^fail  problem faulty  *structure.declared ' output || fail "$name: structure.declared passes"
        grep -q "no instance could be created: $refusal" output || fail "$name: skipped without a reason"
        "$program" run faulty cfsa --plugin $name.so 2>&1 | grep -q "$refusal" || fail "run with $name: no reason"
    done
fi

# ---- published values of models: a constant that is not the publication's, and a digit that is not printed there
for model in hires oregonator pollu; do
    expect 0 "pass  problem $model " --problem $model --check exact.published --require exact.published
done
published=$include/../../problems/models/pollu.ode
changed() { # WHAT TO: in a model beside the shipped one
    sed -e 's/^model pollu /model changed /' -e "s/$1/$2/" "$published" >changed.ode
    [ "$(diff changed.ode "$published" | grep -c '^<')" -eq 2 ] || fail "$1 is not in one line"
    expect 1 "fail  problem changed " --models changed.ode --problem changed --check exact.published
    grep -q "published is" output || fail "$1: it is not said what is published"
}
changed '26[.]6,' '26.60001,'
changed '[.]5646255480' '.5646255490'

# ---- interruption: the report is written, no child is left ----------------------------------------------------------
"$program" verify >output 2>errors </dev/null &
pid=$!
for _ in $(seq 600); do # a signal before the first check has nothing to report
    pgrep -P $pid -x sensbench >/dev/null && break
    sleep 0.1
done
kill -TERM $pid
wait $pid
[ $? -eq 130 ] || fail "an interruption is code 130"
grep -q '^interrupted: ' output || fail "interrupted: no report: $(cat output errors | tail -n 3)"
exit $((failures > 0))
