#!/bin/bash
# Where output goes: messages without control bytes, closed descriptors, a full disk, modules that print, short options
# with their value attached, names of modules. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
headers=$(cd "$(dirname "$0")/../../harness/include" && pwd)
cd "$work" || exit 1
esc=$(printf '\033[31m')
raw=$(printf 'a\033[2Jb\007\015c\177\302\233d\377')

# clean COMMAND...: no control byte but line ends and tabs, no byte of C1, on either stream
clean() {
    "$@" >both 2>&1 </dev/null
    if tr -d '\n\t' <both | grep -q '[[:cntrl:]]' || grep -q "$(printf '[\200-\237]')" both; then
        fail "control bytes from $(printf '%q ' "$@"):"
        cat -v both
    fi
    [ -s both ] || fail "nothing is said by $(printf '%q ' "$@")"
}

# ---- control bytes of arguments and files ------------------------------------------------------------------
for command in "$raw" "run $raw cfsa" "run vdp $raw" "run vdp cfsa tol=$raw" "run vdp cfsa $raw=1" "show $raw" \
    "list $raw" "sweep $raw" "summary $raw" "truth $raw" "verify --check $raw" "verify --plugin $raw" "new $raw x" \
    "new method $raw" "compare vdp cfsa --vs $raw" "run vdp cfsa params=/$raw" "run vdp cfsa --dump /$raw/x" "--$raw" \
    "help $raw" "verify --explain $raw" "sweep x --out $raw" "peak $raw" "run vdp cfsa --vs"; do
    # shellcheck disable=SC2086 # words are wanted; no blank is in the raw text
    clean "$program" $command
done
printf '[sweep]\nname = %s\n[cells]\nproblem = %s\nmethod = cfsa\n' "$raw" "$raw" >raw.sweep
printf '[cells]\nproblem = vdp\nmethod = cfsa\ntol = %s\n' "$raw" >value.sweep
printf '%s\n' "$raw" >line.sweep
printf '%s' "$raw" >numbers
mkdir -p rows/raw rows/name
printf '#! schema: sens-result/1\nstatus\tproblem\tmethod\nok\t%s\tcfsa\n' "$raw" >rows/raw/a.tsv
printf '#! schema: %s\n' "$raw" >rows/name/b.tsv
for command in "sweep raw.sweep" "sweep value.sweep" "sweep line.sweep" "sweep raw.sweep --dry-run" "summary rows/raw" \
    "summary rows/name" "run vdp cfsa params=numbers"; do
    # shellcheck disable=SC2086
    clean "$program" $command
done
tells 2 '\\u001b\[31m' "$program" "x$esc"
# A line end in an argument makes no message of its own.
"$program" "$(printf 'x\nsensbench: all is well')" >output 2>&1
[ "$(wc -l <output)" -eq 1 ] || fail "a line end in an argument ends the line: $(cat output)"

# ---- closed descriptors ------------------------------------------------------------------------------------
{
    printf '[sweep]\nname = small\nsamples = 2\nsample_budget = 0.001\n'
    printf '[cells]\nproblem = vdp\nmethod = cfsa\ntol = 1e-4 1e-6\n'
} >small.sweep
# whole FOLDER: its one result file is read back with its two rows
whole() {
    tells 0 '\(2 rows\)' "$program" summary "$1"
    ! grep -q 'sensbench:' "$1"/small/*.tsv || fail "$1: messages in the result file"
}
"$program" sweep small.sweep --out no_out >&- 2>/dev/null || fail "a sweep with stdout closed: exit $?"
whole no_out
"$program" sweep small.sweep --out no_err 2>&- >/dev/null || fail "a sweep with stderr closed: exit $?"
whole no_err
"$program" sweep small.sweep --out none <&- >&- 2>&- || fail "a sweep with all closed: exit $?"
whole none
"$program" sweep small.sweep --out spent --budget 1e-9 <&- >&- 2>&- || fail "a budget used up, all closed: exit $?"
! grep -q 'sensbench:' spent/small/*.tsv || fail "the message on the budget is in the result file"
"$program" run vdp cfsa tol=1e-5 --dump dump >&- 2>&- || fail "run --dump with stdout closed: exit $?"
head -n 1 dump | grep -q '^quantity' || fail "the dump does not begin with its header: $(head -n 1 dump)"
! grep -q '^problem ' dump || fail "the report is in the dump"
"$program" verify --quick --check 'tableau.*' --junit junit.xml >&- 2>&- || fail "verify with all closed: exit $?"
head -n 1 junit.xml | grep -q '^<?xml' || fail "junit.xml does not begin with its own first line"

# ---- a stdout that takes nothing ---------------------------------------------------------------------------
if [ -w /dev/full ]; then
    for command in "list" "run vdp cfsa" "run vdp cfsa --json" "--version" "--man" "summary no_out" "help" "show vdp" \
        "verify --list"; do
        # shellcheck disable=SC2086
        "$program" $command >/dev/full 2>output
        [ $? -eq 1 ] && grep -q 'standard output could not be written' output ||
            fail "$command on a full disk: $(cat output)"
    done
fi
"$program" run vdp cfsa --dump /dev/stdout >output || fail "--dump /dev/stdout"
grep -q "^x$(printf '\t')" output || fail "--dump /dev/stdout goes elsewhere"

# ---- short options with their value ------------------------------------------------------------------------
tells 0 '0 failed' "$program" verify --quick --check tableau.order -j1
tells 0 '0 failed' "$program" verify --quick --check tableau.order -j 1
tells 0 '0 failed' "$program" verify --quick --check tableau.order -j1 -v
tells 2 "jobs|-j" "$program" verify --quick --check tableau.order -jx
tells 2 'unknown option .-vx' "$program" verify -vx
tells 2 'unknown option .-j1' "$program" list -j1

# ---- modules that print, and their names -------------------------------------------------------------------
compiler=$(command -v cc || command -v gcc || command -v clang) || exit $((failures > 0 ? 1 : 77))
"$program" new problem loud --c >/dev/null || fail "new problem"
cd loud || exit 1
{
    printf '#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n'
    printf 'static void shout(void)\n{\n    printf("LOUD\\n");\n    if (write(1, "LOUD\\n", 5) < 0) abort();\n}\n'
    printf '__attribute__((constructor)) static void enter(void)\n{\n    shout();\n    atexit(shout);\n}\n'
    sed '/^static sens_status rhs/,/^}/s/(void)pb;/(void)pb, shout();/' loud.c
} >loud_too.c
# module NAME SOURCE [SED EDIT]
module() {
    sed "${3-}" "$2" >edited.c
    "$compiler" -std=gnu11 -O1 -fPIC -shared -I"$headers" -o "$1.so" edited.c plugin.c || fail "$1 does not compile"
}
module loud loud_too.c
for command in "run loud cfsa --json" "list problems --json" "run loud cfsa --tsv" \
    "compare loud cfsa --vs tol=1e-4 --json --rounds 5" \
    "verify --quick --problem loud --check products.* --json" "show loud --json"; do
    # shellcheck disable=SC2086
    "$program" $command --plugin ./loud.so >json 2>loud
    ! grep -q LOUD json || fail "$command: the module's output is in the results"
    grep -q LOUD loud || fail "$command: the module was not heard: the test shows nothing"
    case $command in
    *--json*) [ -z "$(command -v python3)" ] || python3 -m json.tool json >/dev/null || fail "$command: no JSON" ;;
    esac
done
long=$(printf '%064d' 0)
for name in 'a b' "x';system('id')" 'a\\nb' '../a' '-a' "$long" 'a,b' 'a|b' ''; do
    module name loud.c "s@\\.name = \"loud\"@.name = \"$name\"@"
    tells 2 "problem .* is no name: letters, digits|lacks a name" "$program" list --plugin ./name.so
done
module option loud.c 's@{.name = "T"@{.name = "T =1"@'
tells 2 "option 'T =1' is no name" "$program" list --plugin ./option.so
# of problems and costs as of methods (plugin.sh)
module option loud.c 's@{.name = "T"@{.name = "t1"@'
tells 2 "problem 'loud': option 't1' has the name of a key" "$program" list --plugin ./option.so
cd ..

exit $((failures > 0))
