#!/bin/bash
# sensbench sweep, from the outside: rows, failures, budget, interruption, kill -9, torn lines, two writers.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/../common.bash"

whole() { # every line has as many values as the header, and no cell is there twice
    rows "$1" | awk -F '\t' -v want="$(grep -v '^#' "$1" | head -n 1 | awk -F '\t' '{ print NF }')" \
        'NF != want { bad = 1 } END { exit bad }' && test -z "$(column cell "$1" | sort | uniq -d)"
}
same_cells() { # the file has the planned cells, each once
    test "$(column cell "$1" | sort)" = "$(sort "$work/plan")"
}
result() { # the one result file of a sweep in a folder
    ls "$1/$2"/*.tsv
}

mkdir "$work/other"

# a result file that cannot be begun is bad input, as the help says
printf '[cells]\nproblem = decay\nmethod = cfsa\n' > "$work/begun.sweep"
touch "$work/no_folder"
"$program" sweep "$work/begun.sweep" --out "$work/no_folder" > /dev/null 2>&1
check "code 2 where the result file cannot be begun" test $? -eq 2
"$program" sweep --help | tr -s ' \n' ' ' > "$work/help"
check "the help tells that code" grep -q '2 bad input, or a result file that cannot be begun' "$work/help"

# a tableau with a number of its own is a name like another, in rows and for those that read them
cat > "$work/numbered.sweep" <<'END'
[cells]
problem = decay
method = discrete_adjoint
controller = fixed
dt = 0.1
tableau = theta:0.5 theta:0.75
END
"$program" sweep "$work/numbered.sweep" --out "$work/numbered" > /dev/null 2>&1
check "a numbered tableau in a sweep" test $? -eq 0
check "it stands in the rows" \
    test "$(column tableau "$(result "$work/numbered" numbered)" | sort | tr '\n' ' ')" = "theta:0.5 theta:0.75 "
"$program" sweep "$work/numbered.sweep" --out "$work/numbered" --resume > "$work/stdout" 2>&1
check "it is read again" grep -q '2 kept from before' "$work/stdout"

cat > "$work/slow.sweep" << 'EOF'
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
"$program" sweep "$work/slow.sweep" --out "$work/out" --dry-run > "$work/dry"
check "dry run succeeds" test $? -eq 0
grep -v '^#' "$work/dry" > "$work/plan"
check "dry run lists 12 cells" test "$(wc -l < "$work/plan")" -eq 12
check "dry run says how long" grep -q '12 cells.*1.8 s together' "$work/dry"
check "dry run writes nothing" test ! -e "$work/out"

# without times there is nothing that a drift of the machine could spoil: the order is that of the file
sed 's/^samples = .*/samples = 0/' "$work/slow.sweep" > "$work/untimed.sweep"
"$program" sweep "$work/untimed.sweep" --out "$work/out" --dry-run | grep -v '^#' > "$work/untimed"
check "the order of the file" test "$(sed 's/.*method=\([a-z_]*\).*/\1/' "$work/untimed" | uniq | wc -l)" -eq 2

# a whole run, quick
"$program" sweep "$work/slow.sweep" --quick --out "$work/whole" > "$work/stdout" 2> "$work/stderr"
check "a sweep succeeds" test $? -eq 0
file=$(result "$work/whole" slow)
check "it says where its rows are" grep -qxF "$file" "$work/stdout"
check "no progress where there is no terminal" test ! -s "$work/stderr"
check "schema first" test "$(head -n 1 "$file")" = "#! schema: sens-result/1"
check "what the machine could do, before the header" \
    test "$(grep -c '^#! peak: what=fma isa=.* threads=1 .*median=' "$file")" -ge 1
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
cat > "$work/failing.sweep" << 'EOF'
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
"$program" sweep "$work/failing.sweep" --out "$work/failing" > "$work/stdout" 2> "$work/stderr"
check "failing cells do not fail the sweep" test $? -eq 0
file=$(result "$work/failing" failing)
check "their statuses" test "$(column status "$file" | sort | tr '\n' ' ')" = "step_limit timeout "
check "no times of failures" test "$(column t_total_s "$file" | sort -u)" = nan
check "but what was asked for" test "$(column problem "$file" | sort -u)" = decay

# kill -9, then resume; three times
"$program" sweep "$work/slow.sweep" --out "$work/killed" > /dev/null 2>&1 &
for round in 1 2 3; do
    pid=$!
    for _ in $(seq 10000); do # the peak of the machine comes before the first row
        sleep 0.02
        file=$(result "$work/killed" slow 2> /dev/null) || continue
        test "$(rows "$file" | wc -l)" -ge $((3 * round)) && break
    done
    kill -9 $pid
    wait $pid 2> /dev/null
    cp "$file" "$work/before"
    check "rows before the kill are whole" whole "$work/before"
    "$program" sweep "$work/slow.sweep" --out "$work/killed" --resume > /dev/null 2> "$work/stderr" &
done
wait $!
check "resume succeeds" test $? -eq 0
check "resume is silent" test ! -s "$work/stderr"
check "no row is lost, and no line of the prelude" \
    test "$(head -c "$(stat -c %s "$work/before")" "$file" | cksum)" = "$(cksum < "$work/before")"
check "no row is repeated or torn" whole "$file"
check "no cell is missing" same_cells "$file"

# kill -9 takes the cell's process along
cat > "$work/long.sweep" << 'EOF'
[sweep]
samples = 10000
sample_budget = 100
[cells]
problem = decay
method = discrete_adjoint
EOF
"$program" sweep "$work/long.sweep" --out "$work/long" > /dev/null 2>&1 &
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
cp "$file" "$work/kept"
sed 's/^samples = .*/samples = 9999/' "$work/slow.sweep" > "$work/other/slow.sweep"
"$program" sweep "$work/other/slow.sweep" --out "$work/killed" --resume > "$work/stdout" 2> "$work/stderr"
check "other settings are refused" test $? -eq 2
check "which is said" grep -q 'measured in another way' "$work/stderr"
cp "$program" "$work/other/program"
echo >> "$work/other/program"
"$work/other/program" sweep "$work/slow.sweep" --out "$work/killed" --resume > "$work/stdout" 2> "$work/stderr"
check "another build is refused" test $? -eq 2
check "which is said" grep -q 'another build' "$work/stderr"
check "and the rows stay" cmp -s "$file" "$work/kept"

# a torn last line is dropped and measured again; a torn header means starting afresh
size=$(stat -c %s "$file")
truncate -s $((size - 100)) "$file"
"$program" sweep "$work/slow.sweep" --out "$work/killed" --resume > "$work/stdout"
check "resume after a torn line succeeds" test $? -eq 0
check "one cell is measured again" grep -q '1 cells measured, 0 failed, 11 kept' "$work/stdout"
check "nothing torn is left" whole "$file"
check "and no cell is missing" same_cells "$file"
truncate -s 200 "$file"
"$program" sweep "$work/slow.sweep" --out "$work/killed" --resume --budget 0.01 > "$work/stdout" 2> "$work/stderr"
check "resume after a torn prelude starts afresh" whole "$file"
check "and has a prelude" test "$(head -n 1 "$file")" = "#! schema: sens-result/1"
check "the budget stops the sweep after one cell" grep -q 'slow: 1 cells measured' "$work/stdout"
check "which is said" grep -q 'budget of 0.01 s used up, 11 cells not run' "$work/stderr"

# a file of other columns is not continued
sed -i 's/^status\tproblem/status\tthing/' "$file"
"$program" sweep "$work/slow.sweep" --out "$work/killed" --resume > /dev/null 2> "$work/stderr"
check "other columns are refused" test $? -eq 2
check "by name of the file" grep -qF "$file" "$work/stderr"

# SIGINT, and a second writer meanwhile
"$program" sweep "$work/slow.sweep" --out "$work/interrupted" > /dev/null 2> "$work/stderr" &
pid=$!
for _ in $(seq 10000); do
    sleep 0.02
    file=$(result "$work/interrupted" slow 2> /dev/null) && test "$(rows "$file" | wc -l)" -ge 2 && break
done
kill -STOP $pid # holds the lock for as long as the second writer is patient
"$program" sweep "$work/slow.sweep" --out "$work/interrupted" > /dev/null 2> "$work/second"
check "a second writer is refused" test $? -eq 2
check "with a reason" grep -q 'another sweep is writing' "$work/second"
kill -TERM $pid
kill -CONT $pid
wait $pid
check "an interruption is code 130" test $? -eq 130
check "and says how to go on" grep -q 'interrupted; --resume goes on' "$work/stderr"
check "its rows are whole" whole "$file"
check "no row says interrupted" test "$(column status "$file" | sort -u)" = ok

# another program writes to the file in place (an editor, a script), which no lock prevents: said, and no row after it
# (the cells are long, so that some are left to come)
sed 's/= 0.15/= 1/' "$work/slow.sweep" > "$work/slower.sweep"
for change in ': > "$file"' 'echo stray >> "$file"'; do
    rm -rf "$work/changed"
    "$program" sweep "$work/slower.sweep" --out "$work/changed" > /dev/null 2> "$work/stderr" &
    pid=$!
    for _ in $(seq 10000); do
        sleep 0.02
        file=$(result "$work/changed" slower 2> /dev/null) && test "$(rows "$file" | wc -l)" -ge 2 && break
    done
    eval "$change"
    wait $pid
    check "a file changed meanwhile ($change) is code 1" test $? -eq 1
    check "which is said" grep -qF "$file: written to by another program" "$work/stderr"
done

# bad input: exit 2, file and line, nothing written
printf '[cells]\nproblem = decay\nmethod = discrete_adjoint\ntol = 1e-3 tight\n' > "$work/bad.sweep"
while read -r pattern arguments; do
    # shellcheck disable=SC2086 # the words of a line are the arguments
    "$program" sweep $arguments --out "$work/never" > "$work/stdout" 2> "$work/stderr"
    check "'sweep $arguments' is exit 2" test $? -eq 2
    check "'sweep $arguments' says $pattern" grep -q -- "$pattern" "$work/stderr"
    check "'sweep $arguments' prints no result" test ! -s "$work/stdout"
    check "'sweep $arguments' writes nothing" test ! -e "$work/never"
done << EOF
no.sweep.given
$work/bad.sweep:4 $work/bad.sweep
$work/bad.sweep:4 $work/slow.sweep $work/bad.sweep
nowhere.sweep $work/nowhere.sweep
no.such.name no.such.name
--budget $work/slow.sweep --budget soon
--budget $work/slow.sweep --budget -1
--budget $work/slow.sweep --budget
--what $work/slow.sweep --what
EOF
"$program" sweep --help > "$work/stdout"
check "help succeeds" test $? -eq 0
check "help has its options" grep -q -- --resume "$work/stdout"

# what a row cannot be measured for, on a machine without AVX-512, is told without the folder of the sweep
printf '[sweep]\nsamples = 0\n[cells]\nproblem = decay\nmethod = cfsa\nisa = avx512\n' > "$work/wide.sweep"
"$program" sweep "$work/wide.sweep" --out "$work/wide" > /dev/null 2>&1
check "no folder in a row" test -z "$(column message "$(result "$work/wide" wide)" | grep -F "$work/")"

# a tableau with a number is drawn from; a profile of [defaults] is that of every section; a rule has a condition
"$program" figures "$work/numbered" > "$work/stdout" 2> "$work/stderr"
check "figures of a numbered tableau" test $? -eq 0
printf '[sweep]\nsamples = 0\n[defaults]\nproblem = decay\nmethod = cfsa\nprofile = full\n[cells]\ntol = 1e-3\n' \
    > "$work/full.sweep"
"$program" sweep "$work/full.sweep" --dry-run > /dev/null 2>&1
check "a section of the full profile" test $? -eq 0
"$program" sweep "$work/full.sweep" --quick --dry-run > "$work/stdout" 2> "$work/stderr"
check "is none of the quick one" test $? -eq 2
check "which is said" grep -q 'no cells in the quick profile' "$work/stderr"
sed 's/^profile.*/skip = ,/' "$work/full.sweep" > "$work/rule.sweep"
"$program" sweep "$work/rule.sweep" --dry-run > "$work/stdout" 2> "$work/stderr"
check "a rule without a condition" test $? -eq 2
check "which is said" grep -q 'skip: there is no condition' "$work/stderr"

echo "$failures failures"
test $failures -eq 0
