#!/bin/bash
# figures.sh and summary on the results of others: nothing in them is ever a command, and everything that is no name,
# number or text is refused with its place. Pictures do not depend on the locale. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
scripts=$(cd "$(dirname "$0")/../../../harness/scripts" && pwd)
harness=$scripts/..
command -v gnuplot >/dev/null || exit 77
here=$(pwd)
cd "$work" || exit 1
mark=$work/MARK
tab=$(printf '\t')

# Columns by kind, as results/FORMAT.md has them: those of which pictures are made.
names="problem method tableau isa truth"
numbers="n np rtol t_total_s t_lo_s t_hi_s err_grad err_grad_max err_x_max threads lanes batch gflops bytes flops
    peak_gflops share share_reverse"
texts="cell message"
all="status $(echo $names $numbers $texts) series"

# result FILE [COLUMN VALUE [PRELUDE LINE]]: a small result file, in one column of whose second row stands the value
result() {
    local file=$1 column=${2-} value=${3-} line=${4-}
    mkdir -p "$(dirname -- "$file")"
    local sweep
    sweep=$(basename -- "$(dirname -- "$file")")
    {
        printf '#! schema: sens-result/1\n#! sweep: made\n'
        [ -z "$line" ] || printf '%s\n' "$line"
        cat "$harness"/sweeps/"$sweep".sweep "$harness"/paper/sweeps/"$sweep".sweep 2>/dev/null |
            sed -n 's/^figure *=/#! figure:/p'
        printf '%s\n' "$all" | tr ' ' '\t'
        for row in 1 2 3; do
            for name in $all; do
                if [ "$name" = "$column" ] && [ $row -eq 2 ]; then
                    printf '%s' "$value"
                else
                    case $name in
                    status) printf ok ;;
                    problem) printf glv ;;
                    method) printf discrete_adjoint ;;
                    tableau | series) printf cash_karp ;;
                    isa) printf baseline ;;
                    truth) printf ode ;;
                    rtol | err*) printf '1e-%d' $((2 * row)) ;;
                    n | np) printf 5 ;;
                    cell) printf 'method=discrete_adjoint n=5 lanes=1 batch=6 threads=1 tol=1e-%d' $((2 * row)) ;;
                    message) ;;
                    threads | lanes | batch) printf 1 ;;
                    *) printf '0.%d5' $row ;;
                    esac
                fi
                [ "$name" = series ] && printf '\n' || printf '\t'
            done
        done
    } >"$file"
}

# draws FOLDER: figures.sh draws it without a word
draws() {
    "$scripts/figures.sh" "$1" >drawn 2>messages && [ ! -s messages ] && grep -q 'png$' drawn ||
        { fail "figures.sh $1:"; cat drawn messages; }
}
# refuses FOLDER TEXT: with exit 1 and this in its message, in printable characters
refuses() {
    "$scripts/figures.sh" "$1" >drawn 2>messages
    [ $? -eq 1 ] && grep -qF -- "$2" messages || { fail "figures.sh $1 does not say '$2':"; cat -v messages; }
    ! tr -d '\n' <messages | LC_ALL=C grep -q '[^ -~]' || fail "control bytes in the messages of $1"
}
# nothing was run, whatever came of it
quiet() {
    ! ls "$work" "$work"/*/ "$here"/plots /tmp 2>/dev/null | grep -q '^MARK' || fail "a command was run: $1"
    rm -f "$mark"*
}

# What a reader of results could take for a command: of gnuplot, awk, the shell. No '/' and no blank where none is
# taken.
payloads=("x';system(\"touch $mark\");y='" "\`touch $mark\`" "\$(touch $mark)" "x\";system('touch $mark');y=\""
    "@MORE_CURVES" "<touch $mark" "|touch $mark" ";touch $mark" "x'.system('touch MARK').'y" "\`touch MARK\`" '-e'
    "{/Font=\"x\" y}" '*' '%s%n'
    "$(printf '\033[2J\a')" "$(printf 'a\377')" "a\\
b")
sweeps="fig2 fig3 fig4 fig5 lanes batch scaling roofline other"

# ---- every column, in a sweep of every kind of picture -------------------------------------------------------
result good/fig3/a.tsv
draws good
count=0
for column in $all; do
    for offset in 0 5 9; do # three for each, so that every payload meets every kind of column
        payload=${payloads[(count + offset) % 14]}
        set -- $sweeps
        shift $((count++ % 9))
        rm -rf column
        result "column/$1/a.tsv" "$column" "$payload"
        place=$(($(grep -c '^#!' "column/$1/a.tsv") + 3))
        case " $(echo $texts) " in
        *" $column "*)
            "$scripts/figures.sh" column >drawn 2>messages || { fail "a text is refused: $payload"; cat messages; }
            if [ -f "column/figures/$1.svg" ] && [ -n "$(command -v python3)" ]; then
                python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "column/figures/$1.svg" ||
                    fail "no XML: $column = $payload"
            fi ;;
        *) refuses column "column/$1/a.tsv:$place: $column: '" ;;
        esac
        quiet "$column = $payload in $1"
        "$program" summary column >summary 2>&1
        code=$?
        case " $names status series " in
        *" $column "*)
            [ $code -eq 2 ] && grep -q "^sensbench: column/$1/a.tsv:$place: $column: '" summary ||
                fail "summary: $column = $payload" ;;
        esac
        quiet "$column = $payload by summary"
    done
done
# a message is told; what a picture's text cannot have is replaced, and markup is text
rm -rf column
result column/fig3/a.tsv message "$(printf 'a \033[2J b')"
refuses column "message: 'a ?[2J b' has control characters"
result column/fig3/a.tsv message "<script>&amp; \`touch MARK\` \$(touch MARK) $(printf '\377') @MORE_CURVES {/Bold x}"
awk -F '\t' -v OFS='\t' 'NR == 6 { $1 = "unsupported" } { print }' column/fig3/a.tsv >edited &&
    mv edited column/fig3/a.tsv
draws column
grep -qF '&lt;script>&amp;amp; `touch MARK` $(touch MARK) ? @MORE_CURVES {/Bold x}' column/figures/fig3.svg ||
    fail "the message is not below the picture as it is"
quiet "a message below the picture"
# a byte that is not UTF-8 in a path loses nothing
result column/fig3/a.tsv cell "method=discrete_adjoint n=5 params=/tmp/$(printf '\377\345')"
draws column
grep -q '^.*figures/fig3.png$' drawn || fail "a byte that is not UTF-8 drops the sweep"
printf 'ok\0\n' >>column/fig3/a.tsv
refuses column "column/fig3/a.tsv: a NUL byte"

# ---- every line of the prelude -------------------------------------------------------------------------------
for payload in "${payloads[@]:0:4}"; do
    for line in "#! figure: $payload calibration" "#! title: -e $payload" \
        "#! peak: what=fma isa=baseline level=- threads=1 max=$payload" "#! sweep: $payload" "#! title: $payload" \
        "#! peak: what=fma isa=$payload level=- threads=1 max=5" "#! peak: $payload" "#! figure: $payload" \
        "#! peak: what=read isa=avx2 level=$payload threads=1 max=5" "#! machine: $payload" "#! peak: max=$payload"; do
        rm -rf prelude
        result prelude/roofline/a.tsv "" "" "$line"
        "$scripts/figures.sh" prelude >drawn 2>messages
        code=$?
        case $line in
        *figure*) [ $code -eq 1 ] && grep -q "roofline/a.tsv:3: figure: '" messages || fail "not refused: $line" ;;
        *max=5 | *sweep* | *title* | *machine*) [ $code -eq 0 ] || fail "refused: $line: $(cat messages)" ;;
        *max=*) [ $code -eq 1 ] && grep -q "roofline/a.tsv:3: peak: max '" messages || fail "not refused: $line" ;;
        esac
        quiet "$line"
        "$program" summary prelude >summary 2>&1 || fail "summary: $line"
        quiet "$line by summary"
    done
done

# ---- names of folders and files, and where results lie ---------------------------------------------------------
for payload in "${payloads[@]}" 'a b' '-' '.hidden' "$(printf '%064d' 0)"; do
    payload=${payload//\//_} # a name has none
    rm -rf names
    result "names/$payload/a.tsv"
    result "names/fig3/$payload.tsv"
    if [ "$payload" != .hidden ]; then
        refuses names "a name of other than letters"
        [ "$(grep -c 'a name of other' messages)" -eq 2 ] || fail "the folder or the file $payload is taken"
    fi
    quiet "the folder and the file $payload"
    "$program" summary names >/dev/null 2>&1
    quiet "the file $payload by summary"
    # the folder of the results is the reader's own, and may be called anything
    rm -rf names
    mkdir names
    result "names/r/fig3/a.tsv"
    mv -- names/r "names/$payload"
    draws "names/$payload"
    quiet "results in $payload"
done
(cd names && mv -- "$(ls)" '| touch MARK' && "$scripts/figures.sh" '| touch MARK' >drawn 2>messages) ||
    fail "a folder called as a pipe"
quiet "a folder called as a pipe"
# make hands the folder on as one word, which neither the shell nor make itself expands
for payload in "x;touch $mark" "\$(shell touch $mark)" "\`touch $mark\`" "a b" "a'b;touch $mark" "\$\$(touch $mark)"; do
    folder=$work/made/$payload
    mkdir -p "$folder"
    make -C "$scripts/../.." figures FROM="$folder" >drawn 2>messages ||
        fail "make figures FROM=$folder: $(cat messages)"
    grep -qxF "figures of $folder" drawn || fail "make figures draws another folder than $folder: $(cat drawn)"
    quiet "make figures FROM=$folder"
done
rm -rf made
# a link in place of a picture stays a link's target
echo mine >mine
ln -sf "$work/mine" good/figures/fig3.svg
draws good
[ "$(cat mine)" = mine ] || fail "a picture is written through a link"

# ---- sweep files -----------------------------------------------------------------------------------------------
for key in title figure name; do
    for payload in "${payloads[@]:0:3}" "${payloads[4]}"; do
        rm -rf made
        {
            printf '[sweep]\nname = fig3\n%s = %s\nsamples = 1\nsample_budget = 0.001\n' "$key" "$payload"
            printf '[cells]\nproblem = decay\nmethod = cfsa\ntol = 1e-4 1e-6\n'
        } | if [ $key = name ]; then sed '/^name = fig3/d'; else cat; fi >made.sweep
        if "$program" sweep made.sweep --out made >/dev/null 2>messages; then
            [ $key = title ] || fail "the sweep's $key is taken: $payload"
            draws made
        else
            [ $key != title ] || fail "$key = $payload: $(cat messages)"
        fi
        quiet "$key = $payload"
    done
done

# ---- a decimal comma ---------------------------------------------------------------------------------------------
# Every script that draws or counts, under a locale that writes 1,5; a mawk or a sort that went by it drew fewer
# pictures.
if command -v localedef >/dev/null && mkdir locales && localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null; then
    german() { LOCPATH=$work/locales LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 "$@"; }
    [ "$(german locale decimal_point)" = , ] || fail "the locale has no decimal comma: nothing is tested"
    rm -rf plain german
    for sweep in fig3 fig4 fig5 lanes batch scaling roofline; do
        result "plain/$sweep/a.tsv" "" "" "#! peak: what=fma isa=baseline level=- threads=1 max=55.5"
    done
    cp -rp plain german
    draws plain
    german "$scripts/figures.sh" german >drawn 2>messages && [ ! -s messages ] || fail "figures: $(cat drawn messages)"
    [ "$(ls german/figures | wc -l)" -ge 20 ] || fail "$(ls german/figures | wc -l) pictures only"
    diff -r plain/figures german/figures || fail "the pictures depend on the locale"
    german "$program" summary good >german.md
    "$program" summary good | cmp - german.md || fail "the summary depends on the locale"
    german "$program" run decay cfsa tol=1.5e-4 --tsv | grep -q "${tab}0[.]0001[45]" || fail "run depends on the locale"
else
    echo "no localedef, or no de_DE: the part on locales is not tested"
fi
# ---- rows written and read back --------------------------------------------------------------------------------
printf '\001\033x' >params
"$program" run vdp cfsa "params=$(printf '/\377x')" --tsv >row 2>&1
! grep -q "$(printf '[\001-\010\033]')" row || fail "control bytes in a row"

exit $((failures > 0))
