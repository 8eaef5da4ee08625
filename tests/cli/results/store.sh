#!/bin/bash
# store.sh in a tree of its own, by a program that only writes down what it is asked: a changed tree, a program of
# another commit and a machine that is not quiet are refused; a step that fails stores nothing, and called again the
# others are not repeated; what is stored takes the place of what was there, but not of what is not measured.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/../common.bash"
command -v git >/dev/null || exit 77
tree=$work/tree
mkdir -p "$tree/harness/paper" "$tree/docs" "$tree/results" "$work/bin"
cp -r harness/scripts harness/sweeps "$tree/harness/"
cp -r harness/paper/sweeps harness/paper/measured_before.tsv "$tree/harness/paper/"
cp -r plots "$tree/"
cp -r docs/contenders "$tree/docs/"
mkdir -p "$tree/results/fig2" "$tree/results/fig9" "$tree/results/verify" "$tree/results/reference"
touch "$tree/results/fig9/kept.tsv" "$tree/results/verify/mutants.tsv" \
    "$tree/results/reference/kept.ref"
peak() { printf '#! peak: what=%s isa=avx2 level=%s threads=%d bytes=0 samples=9 median=%d min=1 max=%d\n' "$@"; }
{
    peak fma - 1 49 50 && peak read L1 1 200 205
    peak fma - 2 96 100 && peak read L1 2 400 405
} >"$tree/results/fig2/old.tsv"
{ peak fma - 1 80 81 && peak read L1 1 900 905; } >"$tree/results/fig9/kept.tsv" # of another processor
(
    cd "$tree" && git init -q && git add -A &&
        git -c user.name=a -c user.email=a@example.org commit -q -m "Begin"
) || fail "no repository"

# A line of $work/asked for each call. A sweep is a row of the commit, a comparison a file; what $work/fails is called
# after fails.
mkdir "$work/build"
cat >"$work/build/sensbench" <<'EOF2'
#!/bin/bash
work=$(dirname "$0")/..
commit=$(cat "$work/commit")
[ "$1" = --version ] && exec echo "sensbench 0.1.0 ($commit, a compiler)"
echo "$*" >>"$work/asked"
[ -f "$work/fails" ] && [ "$1" = "$(cat "$work/fails")" ] && exit 9
command=$1
shift
case $command in
sweep)
    names=
    while [ $# -gt 0 ] && [[ $1 != --* ]]; do
        names="$names $(basename "$1" .sweep)"
        shift
    done
    while [ $# -gt 0 ] && [ "$1" != --out ]; do shift; done
    for name in $names; do
        mkdir -p "$2/$name"
        {
            printf '#! schema: sens-result/1\n#! sweep: %s\n#! figure: table\n' "$name"
            printf 'status\tproblem\tmethod\tgit\tmachine\nok\tglv\tcfsa\t%s\tm\n' "$commit"
        } >"$2/$name/m-$commit.tsv"
    done
    ;;
compare)
    while [ $# -gt 0 ] && [ "$1" != --tsv ]; do shift; done
    printf '#! schema: sens-compare/1\n' >"$2"
    ;;
peak)
    while read -r what level threads rate; do
        printf '{\n "what": "%s",\n "isa": "avx2",\n "level": "%s",\n' "$what" "$level"
        printf ' "threads": %d,\n "median": %d,\n "max": %d\n},\n' "$threads" "$rate" "$rate"
    done <"$work/peaks"
    ;;
verify) echo "7 passed, 0 failed, 0 skipped; 1.0 s" ;;
summary) echo "what came out" ;;
esac
exit 0
EOF2
printf '#!/bin/sh\nexit 0\n' >"$work/bin/gnuplot"
chmod +x "$work/build/sensbench" "$work/bin/gnuplot"
PATH=$work/bin:$PATH
git -C "$tree" rev-parse --short=10 HEAD >"$work/commit"
store() { "$tree/harness/scripts/store.sh" "$work/build" "$work/measured"; }

touch "$tree/new"
tells 1 'the tree has changes' store
rm "$tree/new"
for other in 0123456789 "$(cat "$work/commit")-dirty"; do
    echo "$other" >"$work/commit"
    tells 1 "is of $other, the tree is at" store
done
[ -e "$work/asked" ] && fail "measured nevertheless: $(cat "$work/asked")"
git -C "$tree" rev-parse --short=10 HEAD >"$work/commit"
commit=$(cat "$work/commit")

# 185 of 200: nine tenths or more; 350 of 400 is less. Nothing is known of a processor with another rate.
printf 'fma - 1 50\nread L1 1 185\nfma - 2 100\nread L1 2 350\n' >"$work/peaks"
tells 4 '2 threads: 350 GB/s, 88 % of the best that was stored' store
grep -q '^sweep' "$work/asked" && fail "measured on a machine that is not quiet"
echo sweep >"$work/fails"
BUSY=yes tells 9 'sweeps: exit code 9' store
rm "$work/fails"
printf 'fma - 1 64\nread L1 1 30\n' >"$work/peaks"
quiet() { "$tree/harness/scripts/quiet.sh" "$work/build/sensbench" "$tree/results"; }
[ "$(quiet)" = 'reads from L1, 1 thread: 30 GB/s; nothing to compare with' ] || fail "another processor: $(quiet)"
tells 2 'no folder' "$tree/harness/scripts/quiet.sh" "$work/build/sensbench" "$tree/no such folder"
: >"$work/peaks"
tells 1 'measured no reads from L1' quiet
printf 'fma - 1 50\nread L1 1 185\nfma - 2 100\nread L1 2 370\n' >"$work/peaks"
quiet >"$work/said" || fail "exit $? where all is quiet: $(cat "$work/said")"

echo verify >"$work/fails"
store >"$work/said" 2>&1 && fail "verify failed, and all is well"
grep -q 'nothing is stored' "$work/said" || fail "a failure is not told: $(tail -3 "$work/said")"
[ -z "$(git -C "$tree" status --porcelain)" ] || fail "stored in part"
rm "$work/fails"
mkdir "$(echo "$work"/measured/*)/peers"
touch "$(echo "$work"/measured/*/peers)/half.tsv" # what an interruption leaves of a set
: >"$work/asked"
store >"$work/said" 2>&1 || fail "exit $?: $(tail -3 "$work/said")"
grep -q '^compare glv cfsa' "$work/asked" && fail "ratios are measured twice"
for sweep in fig2 fig5 table3 growth contenders; do
    [ "$(ls "$tree/results/$sweep")" = "m-$commit.tsv" ] || fail "results/$sweep has $(ls "$tree/results/$sweep")"
done
for file in peers/peers.txt peers/vdp.tsv peers/stiff-hires.tsv performance/performance.txt verify/times.txt \
    verify/mutants.tsv reference/kept.ref fig9/kept.tsv summary.md; do
    [ -f "$tree/results/$file" ] || fail "no results/$file"
done
[ -e "$tree/results/peers/half.tsv" ] && fail "a set that was interrupted is stored"
[ "$(grep -c '^verify --quick.* 7 passed' "$tree/results/verify/times.txt")" -eq 9 ] || fail "times of verify"

# of the ratios some sets: those, and what was measured before, in one report
git -C "$tree" add -A && git -C "$tree" -c user.name=a -c user.email=a@example.org commit -q -m "Stored" --amend
git -C "$tree" rev-parse --short=10 HEAD >"$work/commit"
(SETS=vdp store && false) >"$work/said" 2>&1
git -C "$tree" checkout -q . && git -C "$tree" clean -fdq
(SETS="heat stiff heat" store) >"$work/said" 2>&1 || fail "SETS: exit $?: $(tail -3 "$work/said")"
stored=$(cd "$tree/results/peers" && echo ./*.tsv)
for set in vdp heat stiff-hires; do [[ $stored == *"./$set.tsv"* ]] || fail "SETS: no $set in $stored"; done
[[ $stored == *petsc* ]] && fail "SETS: a set that nobody asked for: $stored"
exit $((failures > 0))
