#!/bin/bash
# sensbench report: a page of results is whole or not there; what is in it, in a browser where there is one.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/../common.bash"

# ---- the command itself, with a stand-in for D3

mkdir "$work/the out"
cat >"$work/mine.sweep" <<'END'
[sweep]
name = mine
samples = 7
sample_budget = 0.01
[cells]
problem = glv
method = discrete_adjoint discrete_tangent cfsa
tol = 1e-4 1e-6 1e-8
n = 3 5
truth = auto
END
"$program" sweep "$work/mine.sweep" --out "$work/the out" >/dev/null || exit 1
file=$(ls "$work/the out"/mine/*.tsv)
echo 'var d3 = {"scaleLog": 0};' >"$work/d3.js"
report() { "$program" report --d3 "$work/d3.js" "$@"; }

tells 0 'report.html: [0-9]+ KB' report "$work/the out"
check "the page stands beside the results" test -s "$work/the out/report.html"
tells 0 '' report "$file" --out "$work/page.html"
tells 2 'no folder to write report.html into' report "$file"
tells 2 'no results given' report
tells 2 "'2' is not a number from 0 to 1" report "$file" --out "$work/x" --against "$file" --noise 2
tells 2 'needs --against' report "$file" --out "$work/x" --noise 0.1
tells 2 'No such file' report "$work/none" --out "$work/x"
tells 3 'node-d3' "$program" report "$file" --out "$work/x" --d3 "$work/none.js"
echo 'nothing' >"$work/other.js"
tells 2 'is not D3' "$program" report "$file" --out "$work/x" --d3 "$work/other.js"
printf 'scaleLog </script>' >"$work/other.js"
tells 2 'cannot stand in a page' "$program" report "$file" --out "$work/x" --d3 "$work/other.js"
head -c 9000000 /dev/zero | tr '\0' ' ' >"$work/other.js"
tells 2 'larger than' "$program" report "$file" --out "$work/x" --d3 "$work/other.js"
tells 2 'is given twice' report "$file" "$file" --out "$work/x"
tells 2 'has results, and is not written over' report "$file" --out "$file"
check "results are as they were" test "$(grep -vc '^#' "$file")" -eq 19
mkdir "$work/older"
cp "$file" "$work/older/a.tsv"
cp "$file" "$work/older/b.tsv"
tells 0 'the newest is read; not read: 1;' report "$work/older"
check "what was refused leaves nothing behind" test ! -e "$work/x" -a ! -e "$work/x.part"
tells 1 'page.html' report "$file" --out "$work/no folder/page.html"
cp "$work/page.html" "$work/kept.html"
printf 'nonsense\n' >"$work/bad.tsv"
tells 2 'bad.tsv:1' report "$file" "$work/bad.tsv" --out "$work/page.html"
check "a page is there until its successor is" cmp -s "$work/page.html" "$work/kept.html"
report "$file" --out /dev/stdout >"$work/piped.html"
check "the same to standard output" cmp -s "$work/page.html" "$work/piped.html"
check "the same from the same" report "$file" --out "$work/again.html" >/dev/null
check "the same bytes" cmp -s "$work/page.html" "$work/again.html"

# ---- texts of results are data: no text of a row ends its element, or is a script

hostile="$work/hostile"
mkdir "$hostile"
awk -F '\t' -v OFS='\t' '/^#/ { print; next }
    !header { header = 1; for (i = 1; i <= NF; i++) at[$i] = i; print; next }
    { row++ }
    row == 2 { $at["status"] = "timeout"; $at["message"] = "</script><script>window.hacked = 1</script>"
               $at["t_total_s"] = $at["err_grad"] = "nan" }
    row == 3 { $at["status"] = "diverged"; $at["message"] = "<img src=x onerror=alert(1)> \\\\u003c --> <!--"
               $at["t_total_s"] = $at["err_grad"] = "nan" }
    { print }' "$file" >"$hostile/mine.tsv"
tells 0 '' report "$hostile/mine.tsv" --out "$work/hostile.html"
check "one element of data" test "$(grep -c '<script type="application/json"' "$work/hostile.html")" -eq 1
check "as many ends as scripts" test "$(grep -o '</script>' "$work/hostile.html" | wc -l)" -eq 3
check "no markup of a row" test "$(grep -c '<img' "$work/hostile.html")" -eq 0

# ---- comparisons: of a folder all, whatever is the newest; none is passed over; what is malformed is refused

mkdir "$work/turns"
compare() { "$program" compare glv discrete_adjoint n=2 --vs method=cfsa --rounds 6 "$@" >/dev/null || fail compare; }
compare tol=1e-6 --tsv "$work/turns/a.tsv"
compare --error 1e-5 --tsv "$work/turns/b.tsv"
tells 0 'turns.html' report "$work/turns" --out "$work/turns.html"
check "both are there" test "$(grep -o '/turns/[ab].tsv' "$work/turns.html" | wc -l)" -eq 2
tells 0 'turns.html' report "$file" "$work/turns/b.tsv" --out "$work/turns.html"
tells 2 'has results, and is not written over' report "$file" --out "$work/turns/b.tsv"
sed 's/sens-compare.1/sens-compare\/2/' "$work/turns/a.tsv" >"$work/bad.tsv"
tells 2 "bad.tsv:1: schema 'sens-compare/2' is not sens-compare/1" report "$work/bad.tsv" --out "$work/x"
sed 's/\tratio_hi\t/\tratio_up\t/' "$work/turns/a.tsv" >"$work/bad.tsv"
tells 2 "column 'ratio_hi' of a comparison is missing" report "$work/bad.tsv" --out "$work/x"
awk -F '\t' -v OFS='\t' '$1 == "0" { $6 = "fast" } { print }' "$work/turns/a.tsv" >"$work/bad.tsv"
tells 2 "ratio: 'fast' is not a number" report "$work/bad.tsv" --out "$work/x"
# numbers that no comparison has: the column, what becomes of it in the second row, what is said
while IFS='|' read -r column number said; do
    awk -F '\t' -v OFS='\t' -v column="$column" -v number="$number" '/^#/ { print; next }
        !header { header = 1; for (i = 1; i <= NF; i++) at[$i] = i; print; next }
        ++row == 2 { $at[column] = number }
        { print }' "$work/turns/a.tsv" >"$work/bad.tsv"
    tells 2 "bad.tsv:[0-9]+: $said" report "$work/bad.tsv" --out "$work/x"
done <<'LIST'
ratio|-4|ratio: -4 has to be above 0
ratio|inf|ratio: inf has to be above 0
ratio|1e9|ratio: 1000000000 is above ratio_hi
ratio_lo|1e9|ratio_lo: 1000000000 is above ratio:
ratio_hi|1e-9|ratio: .* is above ratio_hi: 1.*e-09
ratio_max|1e-9|ratio_hi: .* is above ratio_max
ratio_min|0|ratio_min: 0 has to be above 0
cpu|-1|cpu: -1 has to be 0 or more
error|-1e-6|error: -.* has to be 0 or more
rounds|0|pairs: 6 are more than the rounds, 0
rounds|2.5|rounds: 2.5 has to be a whole number
group|nan|group: nan has to be a whole number
group|-1|group: -1 has to be a whole number
group|7|group: 7 has no contender 0, the base of its ratios
contender|0|ratio: .* of contender 0, the base, whose ratio is 1
LIST
sed '$p' "$work/turns/a.tsv" >"$work/bad.tsv"
tells 2 "bad.tsv:[0-9]+: contender: 1 of group 0 stands in line [0-9]+, too" report "$work/bad.tsv" --out "$work/x"
sed "s/\$/$(printf '\r')/" "$work/turns/a.tsv" >"$work/bad.tsv"
tells 2 "bad.tsv:1: line ends of Windows" report "$work/bad.tsv" --out "$work/x"
# a folder of comparisons alone, and one of them, where results are asked for
tells 2 "comparisons \(2\); to see them: sensbench report $work/turns" "$program" summary "$work/turns"
tells 2 "a.tsv:1: a comparison, which sensbench report shows" "$program" summary "$work/turns/a.tsv"
sed 's/method=cfsa/method=cfsa <\/script><script>window.hacked = 2<\/script>/' "$work/turns/a.tsv" >"$hostile/turns.tsv"

# ---- what changed: times, errors, counts, statuses; and what did not

# times as of a quiet machine: within 1 %
awk -F '\t' -v OFS='\t' '/^#/ { print; next }
    !header { header = 1; for (i = 1; i <= NF; i++) at[$i] = i; print; next }
    { $at["samples"] = 21
      $at["t_total_s"] = 1e-3
      $at["t_lo_s"] = $at["t_lo_wide_s"] = 0.99e-3
      $at["t_hi_s"] = $at["t_hi_wide_s"] = 1.01e-3
      print }' "$file" >"$work/quiet.tsv"
# altered COLUMN FACTOR TO: every third row, from the second, has so many times as much
altered() {
    awk -F '\t' -v OFS='\t' -v columns="$1" -v factor="$2" '/^#/ { print; next }
        !header { header = 1; for (i = 1; i <= NF; i++) at[$i] = i; k = split(columns, name, " "); print; next }
        ++row % 3 == 2 { for (j = 1; j <= k; j++) $at[name[j]] = sprintf("%.17g", factor * $at[name[j]]) }
        { print }' "$work/quiet.tsv" >"$3"
}
times="t_total_s t_lo_s t_hi_s t_lo_wide_s t_hi_wide_s"
# the changes in the data of a page: quotient, time, error, counts of each pair
pairs() {
    sed -n 's/.*"changes":{"noise":[^,]*,"pairs":\[\(.*\)\],"added":.*/\1/p' "$1" | sed 's/\],\[\([0-9]\)/]\n[\1/g'
}
held() { # factor columns: the page of the rows so altered against those that were measured
    altered "$2" "$1" "$work/altered.tsv"
    report "$work/altered.tsv" --out "$work/held.html" --against "$work/quiet.tsv" >/dev/null || fail "--against"
    pairs "$work/held.html" >"$work/pairs"
    check "18 cells in both" test "$(wc -l <"$work/pairs")" -eq 18
}
held 1 "$times"
check "nothing changed" test "$(grep -cE '"(slower|faster|larger|smaller)"|\{' "$work/pairs")" -eq 0
held 1.08 "$times"
check "6 slower" test "$(grep -c '"slower"' "$work/pairs")" -eq 6
held 0.92 "$times"
check "6 faster" test "$(grep -c '"faster"' "$work/pairs")" -eq 6
held 1.05 "$times"
check "none within noise" test "$(grep -cE '"(slower|faster)"' "$work/pairs")" -eq 0
held 3 err_grad
check "6 errors larger" test "$(grep -c '"larger"' "$work/pairs")" -eq 6
held 0.2 err_grad
check "6 errors smaller" test "$(grep -c '"smaller"' "$work/pairs")" -eq 6
held 3 err_x
check "6 errors of the state larger" test "$(grep -c '"larger"' "$work/pairs")" -eq 6
held 1.09 err_grad
check "an error within a tenth" test "$(grep -cE '"(larger|smaller)"' "$work/pairs")" -eq 0
held 1.11 err_grad
check "an error beyond a tenth" test "$(grep -c '"larger"' "$work/pairs")" -eq 6
held 2 steps
check "6 counts" test "$(grep -c '{"steps":\[' "$work/pairs")" -eq 6
# what both say of machine, compiler and settings stands in the page once
report "$file" --against "$file" --out "$work/twice.html" >/dev/null
check "a line of the prelude twice" test "$(grep -o '\["cpu","' "$work/twice.html" | wc -l)" -eq 1
sed '/discrete_tangent/d' "$file" >"$work/fewer.tsv"
report "$file" --out "$work/held.html" --against "$work/fewer.tsv" >/dev/null
check "6 new" test "$(grep -o '"added":\[[^}]*' "$work/held.html" | grep -o '\[[0-9]*,[0-9]*\]' | wc -l)" -eq 6

# ---- in a browser

[ "$failures" -eq 0 ] || exit 1
d3=/usr/share/nodejs/d3/dist/d3.min.js
for tool in node npm chromium "$d3"; do
    if ! command -v "$tool" >/dev/null && [ ! -e "$tool" ]; then
        echo "skipped, in a browser: $tool is not here"
        exit 77
    fi
done
browser=$(cd tests/browser && pwd)
cp "$browser/package.json" "$browser/package-lock.json" "$work"
if ! (cd "$work" && npm ci --silent --no-audit --no-fund >"$work/npm" 2>&1); then
    cat "$work/npm"
    echo "skipped, in a browser: npm does not get playwright-core and axe-core"
    exit 77
fi
altered "$times err_grad" 2 "$work/altered.tsv"
check "stored results" "$program" report results --out "$work/stored.html"
check "stored results are below 2 MB" test "$(wc -c <"$work/stored.html")" -lt 2000000
check "all of it twice" "$program" report results --against results --out "$work/both.html"
check "a page against as many rows is below 2 MB" test "$(wc -c <"$work/both.html")" -lt 2000000
check "small" "$program" report "$hostile/mine.tsv" "$hostile/turns.tsv" \
    "$work/turns/b.tsv" --out "$work/small.html"
check "against" "$program" report "$hostile/mine.tsv" --out "$work/against.html" --against "$work/altered.tsv"
check "in a browser" env NODE_MODULES="$work" CHROMIUM="$(command -v chromium)" HOME="$work" \
    PATH="$(dirname "$program"):$PATH" \
    node "$browser/report.mjs" "$work/stored.html" "$work/small.html" "$work/against.html"

# ---- the command of a row measures it again: the same steps, the same error

command=$(HOME="$work" node -e '
    const page = require("fs").readFileSync(process.argv[1], "utf8");
    const data = JSON.parse(/id="data">(.*)<\/script>/.exec(page)[1]);
    const cell = data.files[0].columns.cell; /* of few words: a place is a digit */
    console.log([...cell.at[4]].map((digit) => cell.words[parseInt(digit, 36)]).join(" "));' "$work/page.html")
# shellcheck disable=SC2086 # words are wanted
"$program" run $command --tsv >"$work/row.tsv" || fail "run $command"
check "the same error" test "$(column err_grad "$work/row.tsv")" = "$(column err_grad "$file" | sed -n 5p)"
exit $((failures > 0))
