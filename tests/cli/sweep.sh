#!/bin/bash
# sensbench sweep, from the outside: rows, failures, budget, interruption, kill -9, torn lines, two writers.
set -u
export LC_ALL=C
sensbench=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0

check() { # text, then a command that has to succeed
    local text=$1
    shift
    "$@" || { echo "FAILED: $text"; failures=$((failures + 1)); }
}
rows() { # of a result file, without prelude and header
    grep -v '^#' "$1" | tail -n +2
}
column() { # name, file: the values of that column
    grep -v '^#' "$2" | awk -F '\t' -v name="$1" \
        'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }'
}
whole() { # every line has as many values as the header, and no cell is there twice
    rows "$1" | awk -F '\t' -v want="$(grep -v '^#' "$1" | head -n 1 | awk -F '\t' '{ print NF }')" \
        'NF != want { bad = 1 } END { exit bad }' && test -z "$(column cell "$1" | sort | uniq -d)"
}
same_cells() { # the file has the planned cells, each once
    test "$(column cell "$1" | sort)" = "$(sort "$dir/plan")"
}
result() { # the one result file of a sweep in a folder
    ls "$1/$2"/*.tsv
}

mkdir "$dir/other"

# a result file that cannot be begun is bad input, as the help says
printf '[cells]\nproblem = decay\nmethod = cfsa\n' > "$dir/begun.sweep"
touch "$dir/no_folder"
"$sensbench" sweep "$dir/begun.sweep" --out "$dir/no_folder" > /dev/null 2>&1
check "code 2 where the result file cannot be begun" test $? -eq 2
"$sensbench" sweep --help | tr -s ' \n' ' ' > "$dir/help"
check "the help tells that code" grep -q '2 bad input, or a result file that cannot be begun' "$dir/help"

cat > "$dir/slow.sweep" << 'EOF'
[sweep]
samples = 10000
sample_budget = 0.15
quick.sample_budget = 0.01
[cells]
problem = decay
method = discrete_adjoint discrete_tangent
tol = 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8
EOF

# the plan: cells on stdout, nothing written
"$sensbench" sweep "$dir/slow.sweep" --out "$dir/out" --dry-run > "$dir/dry"
check "dry run succeeds" test $? -eq 0
grep -v '^#' "$dir/dry" > "$dir/plan"
check "dry run lists 12 cells" test "$(wc -l < "$dir/plan")" -eq 12
check "dry run says how long" grep -q '12 cells.*1.8 s together' "$dir/dry"
check "dry run writes nothing" test ! -e "$dir/out"

# a whole run, quick
"$sensbench" sweep "$dir/slow.sweep" --quick --out "$dir/whole" > "$dir/stdout" 2> "$dir/stderr"
check "a sweep succeeds" test $? -eq 0
file=$(result "$dir/whole" slow)
check "it says where its rows are" grep -qxF "$file" "$dir/stdout"
check "no progress where there is no terminal" test ! -s "$dir/stderr"
check "schema first" test "$(head -n 1 "$file")" = "#! schema: sens-result/1"
check "what the machine could do, before the header" test "$(grep -c '^#! peak: what=fma isa=.* threads=1 .*median=' "$file")" -ge 1
check "all rows whole" whole "$file"
check "all cells there" same_cells "$file"
check "all cells ok" test "$(column status "$file" | sort -u)" = ok
check "sequence 0 to 11, in order" test "$(column sequence "$file" | tr '\n' ' ')" = "0 1 2 3 4 5 6 7 8 9 10 11 "
check "the order is shuffled" test "$(column method "$file" | uniq | wc -l)" -gt 2 # in the file's order: 2 runs of 6
check "the quick file says so" test "${file%-quick.tsv}" != "$file"
check "times are positive" awk 'BEGIN { bad = 0 } !($1 > 0) { bad = 1 } END { exit bad }' <(column t_total_s "$file")
check "times are ordered" awk '!($1 <= $2 && $2 <= $3) { bad = 1 } END { exit bad }' \
    <(paste <(column t_min_s "$file") <(column t_total_s "$file") <(column t_hi_s "$file"))

# failures are rows without numbers
cat > "$dir/failing.sweep" << 'EOF'
[sweep]
samples = 10000
sample_budget = 20
timeout = 0.5
[defaults]
problem = decay
method = discrete_adjoint
[cells limit]
max_steps = 2
tol = 1e-9
[cells slow]
tol = 1e-3
EOF
"$sensbench" sweep "$dir/failing.sweep" --out "$dir/failing" > "$dir/stdout" 2> "$dir/stderr"
check "failing cells do not fail the sweep" test $? -eq 0
file=$(result "$dir/failing" failing)
check "their statuses" test "$(column status "$file" | sort | tr '\n' ' ')" = "step_limit timeout "
check "no times of failures" test "$(column t_total_s "$file" | sort -u)" = nan
check "but what was asked for" test "$(column problem "$file" | sort -u)" = decay

# kill -9, then resume; three times
"$sensbench" sweep "$dir/slow.sweep" --out "$dir/killed" > /dev/null 2>&1 &
for round in 1 2 3; do
    pid=$!
    for _ in $(seq 10000); do # the peak of the machine comes before the first row
        sleep 0.02
        file=$(result "$dir/killed" slow 2> /dev/null) || continue
        test "$(rows "$file" | wc -l)" -ge $((3 * round)) && break
    done
    kill -9 $pid
    wait $pid 2> /dev/null
    cp "$file" "$dir/before"
    check "rows before the kill are whole" whole "$dir/before"
    "$sensbench" sweep "$dir/slow.sweep" --out "$dir/killed" --resume > /dev/null 2> "$dir/stderr" &
done
wait $!
check "resume succeeds" test $? -eq 0
check "resume is silent" test ! -s "$dir/stderr"
check "no row is lost, and no line of the prelude" test "$(head -c "$(stat -c %s "$dir/before")" "$file" | cksum)" = "$(cksum < "$dir/before")"
check "no row is repeated or torn" whole "$file"
check "no cell is missing" same_cells "$file"

# kill -9 takes the cell's process along
cat > "$dir/long.sweep" << 'EOF'
[sweep]
samples = 10000
sample_budget = 100
[cells]
problem = decay
method = discrete_adjoint
EOF
"$sensbench" sweep "$dir/long.sweep" --out "$dir/long" > /dev/null 2>&1 &
pid=$!
child=
for _ in $(seq 10000); do
    sleep 0.02
    child=$(cat /proc/$pid/task/$pid/children 2> /dev/null)
    test -n "$child" && break
done
sleep 0.1
kill -9 $pid
wait $pid 2> /dev/null
sleep 0.2
if test -n "$child"; then # else this kernel does not tell
    check "no process is left behind" test -z "$(grep -s 'State:.*[RSD] ' /proc/$((child))/status)"
fi

# rows of another build, or measured in another way, are not mixed with these
cp "$file" "$dir/kept"
sed 's/^samples = .*/samples = 9999/' "$dir/slow.sweep" > "$dir/other/slow.sweep"
"$sensbench" sweep "$dir/other/slow.sweep" --out "$dir/killed" --resume > "$dir/stdout" 2> "$dir/stderr"
check "other settings are refused" test $? -eq 2
check "which is said" grep -q 'measured in another way' "$dir/stderr"
cp "$sensbench" "$dir/other/program"
echo >> "$dir/other/program"
"$dir/other/program" sweep "$dir/slow.sweep" --out "$dir/killed" --resume > "$dir/stdout" 2> "$dir/stderr"
check "another build is refused" test $? -eq 2
check "which is said" grep -q 'another build' "$dir/stderr"
check "and the rows stay" cmp -s "$file" "$dir/kept"

# a torn last line is dropped and measured again; a torn header means starting afresh
size=$(stat -c %s "$file")
truncate -s $((size - 100)) "$file"
"$sensbench" sweep "$dir/slow.sweep" --out "$dir/killed" --resume > "$dir/stdout"
check "resume after a torn line succeeds" test $? -eq 0
check "one cell is measured again" grep -q '1 cells measured, 0 failed, 11 kept' "$dir/stdout"
check "nothing torn is left" whole "$file"
check "and no cell is missing" same_cells "$file"
truncate -s 200 "$file"
"$sensbench" sweep "$dir/slow.sweep" --out "$dir/killed" --resume --budget 0.01 > "$dir/stdout" 2> "$dir/stderr"
check "resume after a torn prelude starts afresh" whole "$file"
check "and has a prelude" test "$(head -n 1 "$file")" = "#! schema: sens-result/1"
check "the budget stops the sweep after one cell" grep -q 'slow: 1 cells measured' "$dir/stdout"
check "which is said" grep -q 'budget of 0.01 s used up, 11 cells not run' "$dir/stderr"

# a file of other columns is not continued
sed -i 's/^status\tproblem/status\tthing/' "$file"
"$sensbench" sweep "$dir/slow.sweep" --out "$dir/killed" --resume > /dev/null 2> "$dir/stderr"
check "other columns are refused" test $? -eq 2
check "by name of the file" grep -qF "$file" "$dir/stderr"

# SIGINT, and a second writer meanwhile
"$sensbench" sweep "$dir/slow.sweep" --out "$dir/interrupted" > /dev/null 2> "$dir/stderr" &
pid=$!
for _ in $(seq 10000); do
    sleep 0.02
    file=$(result "$dir/interrupted" slow 2> /dev/null) && test "$(rows "$file" | wc -l)" -ge 2 && break
done
kill -STOP $pid # holds the lock for as long as the second writer is patient
"$sensbench" sweep "$dir/slow.sweep" --out "$dir/interrupted" > /dev/null 2> "$dir/second"
check "a second writer is refused" test $? -eq 2
check "with a reason" grep -q 'another sweep is writing' "$dir/second"
kill -TERM $pid
kill -CONT $pid
wait $pid
check "an interruption is code 130" test $? -eq 130
check "and says how to go on" grep -q 'interrupted; --resume goes on' "$dir/stderr"
check "its rows are whole" whole "$file"
check "no row says interrupted" test "$(column status "$file" | sort -u)" = ok

# another program writes to the file in place (an editor, a script), which no lock prevents: said, and no row after it
for change in ': > "$file"' 'echo stray >> "$file"'; do
    rm -rf "$dir/changed"
    "$sensbench" sweep "$dir/slow.sweep" --out "$dir/changed" > /dev/null 2> "$dir/stderr" &
    pid=$!
    for _ in $(seq 10000); do
        sleep 0.02
        file=$(result "$dir/changed" slow 2> /dev/null) && test "$(rows "$file" | wc -l)" -ge 2 && break
    done
    eval "$change"
    wait $pid
    check "a file changed meanwhile ($change) is code 1" test $? -eq 1
    check "which is said" grep -qF "$file: written to by another program" "$dir/stderr"
done

# bad input: exit 2, file and line, nothing written
printf '[cells]\nproblem = decay\nmethod = discrete_adjoint\ntol = 1e-3 tight\n' > "$dir/bad.sweep"
while read -r pattern arguments; do
    # shellcheck disable=SC2086 # the words of a line are the arguments
    "$sensbench" sweep $arguments --out "$dir/never" > "$dir/stdout" 2> "$dir/stderr"
    check "'sweep $arguments' is exit 2" test $? -eq 2
    check "'sweep $arguments' says $pattern" grep -q -- "$pattern" "$dir/stderr"
    check "'sweep $arguments' prints no result" test ! -s "$dir/stdout"
    check "'sweep $arguments' writes nothing" test ! -e "$dir/never"
done << EOF
no.sweep.given
$dir/bad.sweep:4 $dir/bad.sweep
$dir/bad.sweep:4 $dir/slow.sweep $dir/bad.sweep
nowhere.sweep $dir/nowhere.sweep
no.such.name no.such.name
--budget $dir/slow.sweep --budget soon
--budget $dir/slow.sweep --budget -1
--budget $dir/slow.sweep --budget
--what $dir/slow.sweep --what
EOF
"$sensbench" sweep --help > "$dir/stdout"
check "help succeeds" test $? -eq 0
check "help has its options" grep -q -- --resume "$dir/stdout"

echo "$failures failures"
test $failures -eq 0
