#!/bin/bash
# sensbench sweep: no row is ever lost. A file deleted, replaced, full or started over; cells that are killed.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/../common.bash"
here=$(cd "$(dirname "$0")" && pwd)
headers=$here/../../../harness/include
compiler=$(command -v cc || command -v gcc || command -v clang) || exit 77
cd "$work" || exit 1

row_count() { # of a result file
    rows "$1" | wc -l
}
wait_for_rows() { # folder, count: until the sweep has as many
    local file
    for _ in $(seq 3000); do
        file=$(ls "$1"/*/*.tsv 2>/dev/null) && [ "$(row_count "$file")" -ge "$2" ] && return
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.02
    done
    fail "no $2 rows in $1"
}

# No samples: nothing is timed, and the peak of the machine is not measured first.
cat >few.sweep <<'EOF'
[sweep]
samples = 0
[cells]
problem = decay
method = discrete_adjoint discrete_tangent
tol = 1e-3 1e-4 1e-5 1e-6
EOF
sed 's/^tol = .*/tol = log(1e-3, 1e-9, 400)/' few.sweep >slow.sweep

# what a sweep is given is what it was: a model or a file of numbers that has changed is refused
decay_of() { # factor of the rate
    printf 'model given "decay"\nparameter k = 0.5\nstate x = 1\ninterval 0 .. 1\nx\047 = -%s*k*x\n' "$1"
}
echo 0.5 >rate.txt
decay_of 1 >given.ode
sed 's/^problem = .*/problem = given\nparams = rate.txt/' few.sweep >given.sweep
given() { # then flags
    "$program" sweep given.sweep --out given --models given.ode "$@" >stdout 2>stderr
}
changed() { # which file
    cp given/given/*.tsv before
    given --resume && fail "$1 has changed, and --resume goes on"
    grep -qF "$1 is not what its rows were measured with" stderr || fail "$1 has changed: $(cat stderr)"
    cmp -s given/given/*.tsv before || fail "$1 has changed: refused, and the file of rows is another"
}
given || fail "given: $(cat stderr)"
given --resume || fail "given, unchanged: $(cat stderr)"
grep -qE ' 8 kept from before' stdout || fail "given, unchanged: $(cat stdout)"
decay_of 2 >given.ode
changed given.ode
decay_of 1 >given.ode
echo 0.6 >rate.txt
changed rate.txt
echo 0.5 >rate.txt
# others that were not there, or whose names are values of keys, are no change; from then on they are looked at
echo 0.7 >other.txt
echo 1 >discrete_adjoint
echo 1 >1e-3
sed -i 's/^params = .*/params = rate.txt other.txt/' given.sweep
decay_of 3 | sed 's/^model given/model unused/' >unused.ode
given --resume --models unused.ode || fail "given, and more: $(cat stderr)"
grep -qE ' 8 cells measured.* 8 kept from before' stdout || fail "given, and more: $(cat stdout)"
echo 2 >1e-3
decay_of 4 | sed 's/^model given/model unused/' >unused.ode
given --resume --models unused.ode || fail "files that no cell reads have changed: $(cat stderr)"
echo 0.8 >other.txt
changed other.txt
echo 0.7 >other.txt
cp rate.txt third.txt && mv other.txt rate.txt && mv third.txt other.txt # exchanged
changed .txt
mv rate.txt third.txt && mv other.txt rate.txt && mv third.txt other.txt
rm discrete_adjoint 1e-3
given --resume || fail "given, as it was: $(cat stderr)"

# the same model from a file of another name, and another model of that name, in cells that have no row yet
mkdir a b && cp given.ode a/moved.ode
"$program" sweep given.sweep --out given --models a/moved.ode --resume >stdout 2>stderr || fail "moved: $(cat stderr)"
decay_of 2 >b/given.ode
sed 's/^tol = .*/tol = 1e-8/' given.sweep >b/given.sweep
"$program" sweep b/given.sweep --out given --models b/given.ode --resume >stdout 2>stderr &&
    fail "rows of two models under one name"
grep -qF 'b/given.ode is not what its rows were measured with (problem=given)' stderr || fail "two: $(cat stderr)"
# two of one file name are two
decay_of 3 | sed 's/^model given/model unused/' >b/moved.ode
"$program" sweep given.sweep --out given --models a/moved.ode --models b/moved.ode --resume >stdout 2>stderr ||
    fail "two files of one name: $(cat stderr)"

# a row that does not say what it is made of was not written by a sweep
cp given/given/*.tsv whole
sed -i 's/[0-9a-f]* problem=given[^\t]*$//' given/given/*.tsv
cmp -s whole given/given/*.tsv && fail "the rows do not say what they were given"
given --resume && fail "rows that do not say what they are made of are kept"
grep -qF 'does not say what it was given' stderr || fail "rows without: $(cat stderr)"
cp whole given/given/*.tsv
# without a row there is nothing that could have changed
given --budget 0.0000001 >/dev/null
decay_of 2 >given.ode
given --resume || fail "no rows yet: $(cat stderr)"

# names that a row has no room for are refused before anything is run
long=$(printf 'd%.0s' $(seq 229)) # a cell's keys fit, the sums beside them do not
mkdir "$long"
cp rate.txt "$long/rate.txt"
{
    sed '/^params/d; /^tol/d' given.sweep
    for key in params x0 rtol atol; do echo "$key = $long/rate.txt"; done
} >long.sweep
"$program" sweep long.sweep --out long --models given.ode >stdout 2>stderr && fail "more names than a row has room for"
grep -qF "take more than the 1023 bytes of a row's text" stderr || fail "long names: $(cat stderr)"
[ ! -e long ] || fail "long names: a folder is left behind"

# more files than a prelude has lines
mkdir many
for k in $(seq 1200); do echo "0.$k" >"many/f$k"; done
{
    sed '/^tol/d; s/^problem = .*/problem = given/; s/ discrete_tangent//' few.sweep
    for k in 0 1 2 3; do
        [ $k -eq 0 ] || printf '[cells]\nproblem = given\nmethod = discrete_adjoint\n'
        echo "params = $(seq -s ' ' -f 'many/f%.0f' $((300 * k + 1)) $((300 * k + 300)))"
    done
} >many.sweep
many() {
    "$program" sweep many.sweep --out many --models given.ode --budget 0.5 "$@" >stdout 2>stderr
}
many || fail "many files: $(cat stderr)"
many --resume || fail "many files, gone on with: $(cat stderr)"
"$program" summary many/many >/dev/null 2>stderr || fail "many files: summary: $(cat stderr)"

# what is given changes while the sweep runs: it stops by name, no row is of two files, and with the old one it goes on
sed 's/^problem = .*/problem = given\nparams = rate.txt/' slow.sweep >moving.sweep
moving() {
    "$program" sweep moving.sweep --out moving --models given.ode "$@" >stdout 2>stderr
}
moving &
pid=$!
wait_for_rows moving 5
echo 5 >rate.txt
wait "$pid"
[ $? -eq 1 ] || fail "a file changes while a sweep runs: exit $?"
grep -qF 'rate.txt has changed while the sweep was running (params=rate.txt)' stderr || fail "moving: $(cat stderr)"
echo 0.5 >rate.txt
moving --resume --budget 0.5 || fail "moving, with the file as it was: $(cat stderr)"
grep -q ' [1-9][0-9]* kept from before' stdout || fail "moving: $(cat stdout)"

# started over without --resume: what was there is kept aside, every time
"$program" sweep few.sweep --out twice >/dev/null 2>stderr || fail "a sweep"
[ -s stderr ] && fail "the first sweep has nothing to say"
file=$(ls twice/few/*.tsv)
cp "$file" first
"$program" sweep few.sweep --out twice >/dev/null 2>stderr || fail "started over: exit $?"
cmp -s first "$file.1" || fail "started over: the former rows are not in $file.1"
grep -qF "$file.1" stderr || fail "started over: it is not said"
[ "$(row_count "$file")" -eq 8 ] || fail "started over: $(row_count "$file") rows"
"$program" sweep few.sweep --out twice >/dev/null 2>&1 || fail "a third time"
cmp -s first "$file.1" && [ -s "$file.2" ] || fail "a third time: what was kept is overwritten"
"$program" summary twice >/dev/null || fail "what is kept aside disturbs the summary"

# deleted, or replaced, while the sweep runs
for mischief in deleted replaced folder; do
    "$program" sweep slow.sweep --out "$mischief" >/dev/null 2>stderr &
    pid=$!
    wait_for_rows "$mischief" 2
    kill -STOP $pid
    file=$(ls "$mischief"/slow/*.tsv)
    before=$(row_count "$file")
    case $mischief in
    deleted) rm "$file" ;;
    replaced) cp "$file" other && mv other "$file" ;;
    folder) rm -r "$mischief" ;;
    esac
    kill -CONT $pid
    wait $pid
    code=$?
    [ $code -eq 1 ] || fail "$mischief: exit $code"
    grep -qF "$file.1" stderr || fail "$mischief: it does not say where the rows are: $(cat stderr)"
    [ "$(row_count "$file.1")" -ge "$before" ] || fail "$mischief: rows are lost"
    mv "$file.1" "$file"
    "$program" sweep slow.sweep --out "$mischief" --resume --budget 0.01 >stdout 2>&1 || fail "$mischief: no way back"
    grep -qE ' [1-9][0-9]* kept from before' stdout || fail "$mischief: nothing is kept"
done

# SIGINT that was ignored when the program was started stays so, as for jobs of a script in the background
(
    trap '' INT
    exec "$program" sweep slow.sweep --out ignored --budget 2 >/dev/null 2>stderr
) &
pid=$!
wait_for_rows ignored 2
kill -INT $pid
wait $pid
code=$?
[ $code -eq 0 ] || fail "an ignored SIGINT: exit $code: $(cat stderr)"

# a full disk: the sweep says so and stops; --resume drops the torn line and goes on
"$program" sweep few.sweep --out full --budget 0.001 >/dev/null 2>&1
file=$(ls full/few/*.tsv)
size=$(stat -c %s "$file")
(
    ulimit -f $((size / 1024 + 1))
    exec "$program" sweep few.sweep --out full --resume >stdout 2>stderr
)
code=$?
[ $code -eq 1 ] || fail "full: exit $code"
grep -q 'File too large' stderr || fail "full: the reason is not said: $(cat stderr)"
"$program" sweep few.sweep --out full --resume >stdout 2>&1 || fail "full: no way on"
[ "$(column cell "$file" | sort -u | wc -l)" -eq 8 ] && [ "$(row_count "$file")" -eq 8 ] ||
    fail "full: rows are lost or torn"

# each row is on the disk before the next cell
if strace -o trace true 2>/dev/null; then # else it is not there, or not allowed
    strace -f -o trace -e trace=fdatasync,fsync "$program" sweep few.sweep --out traced >/dev/null 2>&1
    [ "$(grep -c 'fdatasync(.*= 0' trace)" -ge 8 ] || fail "rows are not written through"
fi

# killed from outside: no row, and --resume takes the cell again
cat >module.c <<'CODE'
#include <signal.h>
#include <stdlib.h>
#include "sens/plugin.h"

/* Dies by the signal in the environment, where there is one; else it can do nothing. */
static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    (void)task, (void)state;
    if (getenv("DIE")) raise(atoi(getenv("DIE")));
    return sens_fail(ctx, SENS_UNSUPPORTED, "alive");
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    (void)ctx, (void)state, (void)out, (void)work;
    return SENS_UNSUPPORTED;
}

static SENS_METHOD(mortal) = {.name = "mortal", .summary = "dies when told", .derivative = SENS_DERIVATIVE_DISCRETE,
                              .prepare = prepare, .run = run};
static const struct sens_method_type *const methods[] = {&sens_method_mortal, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "test", .methods = methods};
CODE
"$compiler" -std=gnu11 -fPIC -shared -fvisibility=hidden -I"$headers" -o mortal.so module.c || fail "no module"
printf '[sweep]\nsamples = 0\n[cells]\nproblem = decay\nmethod = mortal discrete_adjoint\n' >mortal.sweep
mortal() { "$program" sweep mortal.sweep --plugin ./mortal.so --out mortal "$@" >stdout 2>stderr; }
for signal in 9 15; do
    DIE=$signal mortal --resume
    [ $? -eq 4 ] || fail "killed by $signal: not told by the exit code"
    grep -q '1 cells have no row' stderr || fail "killed by $signal: not said: $(cat stderr)"
    file=$(ls mortal/mortal/*.tsv)
    [ "$(column method "$file")" = discrete_adjoint ] || fail "killed by $signal: there is a row"
done
DIE=11 mortal --resume || fail "a crash is a row: exit $?"
[ "$(column status "$file" | sort | tr '\n' ' ')" = "crashed ok " ] || fail "a crash is a row: $(column status "$file")"
mortal --resume
grep -q '0 cells measured, 0 failed, 2 kept' stdout || fail "rows are kept: $(cat stdout)"
mortal --resume --retry timeout,crashed || fail "--retry: exit $?"
grep -q '1 cells measured, 1 failed, 1 kept' stdout || fail "--retry: $(cat stdout)"
[ "$(column status "$file" | sort | tr '\n' ' ')" = "ok unsupported " ] || fail "--retry: $(column status "$file")"
"$program" summary "$file" >/dev/null || fail "--retry: the file is no result file any more"
[ "$(ls mortal/mortal | wc -l)" -eq 1 ] || fail "--retry leaves something behind: $(ls mortal/mortal)"
printf '\0' >>mortal.so # which changes nothing that it does
mortal --resume && fail "a module has changed, and --resume goes on"
grep -q 'mortal.so is not what its rows' stderr || fail "a module has changed: $(cat stderr)"
while IFS='|' read -r arguments text; do
    # shellcheck disable=SC2086 # words are wanted
    "$program" sweep few.sweep --out never $arguments >stdout 2>stderr
    [ $? -eq 2 ] && grep -qF -- "$text" stderr && [ ! -e never ] || fail "$arguments: $(cat stderr)"
done <<'TABLE'
--retry crashed|--retry needs --resume
--resume --retry crash|'crash' is not the status of a failure
--resume --retry ok|'ok' is not the status
--resume --retry crashed,|'' is not the status
TABLE

# no process to be had: no row
if [ "$(id -u)" -ne 0 ]; then # the limit does not bind root
    (
        ulimit -u 1
        exec "$program" sweep few.sweep --out forkless >stdout 2>stderr
    )
    [ $? -eq 4 ] || fail "no process: exit code"
    [ "$(row_count forkless/few/*.tsv)" -eq 0 ] || fail "no process: rows"
fi

echo "$failures failures"
test $failures -eq 0
