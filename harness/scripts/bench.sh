#!/bin/sh
# bench.sh --quick|--full SENSBENCH RESULTS - measures every sweep of tables and figures into RESULTS, renders the
# figures and prints the summary (also into RESULTS/summary.md). Safe to interrupt: called again with the same binary
# and folder it goes on where it stopped; rows of another commit are in another file and are left alone.
# Exit 0: done, whatever the verdicts; 1: a row, a figure or a required equality failed; 2: bad input;
# 3: something is missing; 4: cells are left without a row; 130: interrupted.
set -u
export LC_ALL=C
usage="usage: bench.sh --quick|--full SENSBENCH RESULTS"
[ $# -eq 3 ] || { echo "$usage" >&2; exit 2; }
case $1 in
--quick) profile=--quick ;;
--full) profile= ;;
*) echo "$usage" >&2; exit 2 ;;
esac
sensbench=$2
results=$3
scripts=$(cd "$(dirname "$0")" && pwd)
# the sweeps with something to show; those of the paper's tables hold errors only
names() {
    sed 's|.*/||; s|[.]sweep$||'
}
tables=$(cd "$scripts/.." && grep -l '^figure *= *table' paper/sweeps/*.sweep | names)
timed=$(cd "$scripts/.." && grep -l '^figure' paper/sweeps/*.sweep sweeps/*.sweep | names | grep -vxF "$tables")
[ -x "$sensbench" ] || { echo "bench.sh: no program $sensbench" >&2; exit 2; }
mkdir -p "$results" || exit 2

# Another build of the same commit (uncommitted changes) is another program: its rows are not mixed with these.
stamp=$(cksum < "$sensbench")
resume=
[ -f "$results/.program" ] && [ "$(cat "$results/.program")" = "$1 $stamp" ] && resume=--resume
echo "$1 $stamp" > "$results/.program"

# Where nothing is timed, sweeps may share the machine: each argument is a list of them, one after the other. Their
# messages wait for their end: two bars of progress on one line are none. Processes in the background ignore SIGINT.
sweep_together() {
    running=
    stopped=0
    list=0
    for names in "$@"; do
        list=$((list + 1))
        "$sensbench" sweep $names $profile $resume --out "$results" 2> "$results/.$list.messages" &
        running="$running $!"
    done
    trap 'stopped=130; kill $running 2> /dev/null' INT TERM HUP
    ended=0
    for process in $running; do
        wait "$process" || ended=$?
    done
    wait $running # a signal ends a wait, and not what was waited for
    trap - INT TERM HUP
    while [ $list -gt 0 ]; do
        cat "$results/.$list.messages" >&2
        rm -f "$results/.$list.messages"
        list=$((list - 1))
    done
    [ $stopped -eq 0 ] || ended=$stopped
    return $ended
}

start=$(date +%s)
"$sensbench" sweep $timed $profile $resume --out "$results" || exit $?
# What is timed is measured; its figures are drawn beside the tables, the last of which takes as long as the others
# together.
SENSBENCH=$sensbench "$scripts/figures.sh" "$results" $timed > "$results/.figures" 2>&1 &
drawing=$!
sweep_together "$(echo "$tables" | tail -n 1)" "$(echo "$tables" | sed '$d')"
code=$?
[ $code -eq 0 ] || kill $drawing 2> /dev/null
wait $drawing
drawn=$?
echo
cat "$results/.figures"
rm -f "$results/.figures"
[ $code -eq 0 ] || exit $code
[ $drawn -ge 2 ] && exit $drawn
echo
summary=$results/summary.md
"$sensbench" summary "$results" > "$summary"
code=$?
cat "$summary"
echo
"$sensbench" report "$results" || echo "no page of these results"
echo "$summary; wall time $(($(date +%s) - start)) s"
[ $code -eq 0 ] && exit $drawn
exit $code
