#!/bin/bash
# bench.sh by a program that only writes down what it is asked: every sweep with something to show is measured, once;
# the tables together, behind all that is timed; a failure is told; what is interrupted leaves nothing running.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/../common.bash"
bench=harness/scripts/bench.sh

# A line of $work/asked for each call: the sweeps' names, and what the file $work/$name.does says is done for one.
cat >"$work/program" <<'EOF'
#!/bin/bash
work=$(dirname "$0")
[ "$1" = sweep ] || exit 3
shift
names=
while [ $# -gt 0 ] && [[ $1 != --* ]]; do
    names="$names $1"
    shift
done
echo "${names# }" >>"$work/asked"
for name in $names; do
    [ -f "$work/$name.does" ] && . "$work/$name.does"
done
exit 0
EOF
chmod +x "$work/program"

"$bench" --quick "$work/program" "$work/results" >/dev/null 2>&1
shown=$(grep -l '^figure' harness/sweeps/*.sweep harness/paper/sweeps/*.sweep | sed 's|.*/||; s|[.]sweep$||' | sort)
[ "$(tr ' ' '\n' <"$work/asked" | sort)" = "$shown" ] || fail "sweeps that are measured: $(cat "$work/asked")"
[ "$(head -n 1 "$work/asked" | grep -cw 'table[123]')" -eq 0 ] || fail "tables among what is timed"
[ "$(tail -n +2 "$work/asked" | sort | tr '\n' ' ')" = "table1 table2 table3 " ] || fail "tables one by one"

# a failure of one of them is that of all, and its words are told
echo 'echo "no room" >&2; exit 1' >"$work/table2.does"
tells 1 'no room' "$bench" --quick "$work/program" "$work/results"

# an interruption ends all of them, and is told
cat >"$work/table2.does" <<'EOF'
trap 'echo ended >>"$work/ended"; exit 130' TERM
touch "$work/begun"
for ((k = 0; k < 300; k++)); do sleep 0.1; done
EOF
"$bench" --quick "$work/program" "$work/results" >/dev/null 2>&1 &
process=$!
for ((k = 0; k < 100; k++)); do
    [ -f "$work/begun" ] && break
    sleep 0.1
done
kill -TERM $process
wait $process
code=$?
[ $code -eq 130 ] || fail "interrupted: exit $code"
[ -f "$work/ended" ] || fail "interrupted: a sweep goes on"
ls "$work"/results/.*.messages >/dev/null 2>&1 && fail "messages are left behind"
exit $((failures > 0))
