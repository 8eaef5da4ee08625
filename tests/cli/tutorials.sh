#!/bin/bash
# The tutorials of docs, block by block, against an installed sensbench. Argument 1: sensbench; 2: some of the pages.
# Before a block may stand
#     <!-- replace FILE from "A" to "B" -->  the block replaces, in FILE, the first line that begins with A
#                                            up to the next one that begins with B
#     <!-- file NAME -->                     the block is that file
#     <!-- exit N, prints "A" and "B" -->    of a block of sh: its exit code and texts of its output; either
#                                            may be left out
# A block of sh without a comment ends with 0; one of c or cmake without a comment is an error of the page.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
docs=$(cd "$(dirname "$0")/../../docs" && pwd)
{ command -v cmake && command -v cc; } >/dev/null || exit 77
cmake --install "$(dirname "$program")" --prefix "$work/tree" >"$work/install.log" ||
    { tail -3 "$work/install.log"; exit 1; }
PATH=$work/tree/bin:/usr/bin:$PATH # the Python of the system, which has the packages of the system
libraries=$(dirname "$(find "$work/tree" -name libsensbench.a)")
export LD_LIBRARY_PATH=$libraries PKG_CONFIG_PATH=$libraries/pkgconfig CMAKE_PREFIX_PATH=$work/tree
export PYTHONPATH=$work/tree/share/sensbench/python PYTHONDONTWRITEBYTECODE=1

# Numbered pairs of files in folder $2 from the page $1: the comment (N.how) and the text (N.block) of each block.
extract() {
    awk -v dir="$2" '
        /^<!-- / { how = $0; next }
        /^```[a-z]/ { name = sprintf("%s/%03d", dir, ++n); print substr($0, 4) " " how >(name ".how"); open = 1; next }
        /^```/ { open = 0; how = ""; close(name ".block"); close(name ".how"); next }
        open { print >(name ".block") }' "$1"
}

# run_block BLOCK HOW: exit code and output as the comment says
run_block() {
    local code=0 texts="" text got good=1
    [[ $2 =~ 'exit '([0-9]+) ]] && code=${BASH_REMATCH[1]}
    [[ $2 =~ 'prints "'(.*)'" -->' ]] && texts=${BASH_REMATCH[1]}
    case $page in
        from-python) hosted bash -e "$1" ;;
        *) bash -e "$1" ;;
    esac >output 2>&1 </dev/null
    got=$?
    while read -r text; do grep -qF -- "$text" output || good=0; done <<<"${texts//'" and "'/$'\n'}"
    [ $good -eq 1 ] && [ $got -eq "$code" ] && return 0
    echo "exit $got, expected $code and '$texts':"
    cat "$1"
    tail -40 output
    return 1
}

# do_block LANGUAGE HOW BLOCK
do_block() {
    case $1:$2 in
        *:'<!-- replace '*) [[ $2 =~ ^'<!-- replace '([^ ]+)' from "'(.*)'" to "'(.*)'" -->'$ ]] &&
            replace "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}" <"$3" ;;
        *:'<!-- file '*) [[ $2 =~ ^'<!-- file '([^ ]+)' -->'$ ]] && cp "$3" "${BASH_REMATCH[1]}" ;;
        sh:*) run_block "$3" "$2" ;;
        *) false ;;
    esac
}

pages="models data adding-a-problem adding-a-cost adding-a-method"
if sensbench analyse decay invariants >/dev/null 2>&1 && command -v gnuplot >/dev/null; then
    pages="$pages analysing-a-model sweeps"
else
    echo "skipped: analysing-a-model and sweeps need LAPACK and gnuplot"
fi
if command -v python3 >/dev/null; then
    pages="$pages adding-a-contender"
else
    echo "skipped: adding-a-contender needs python3"
fi
if [ -n "$(sanitizer)" ]; then
    echo "skipped: from-c needs a static library without a sanitizer"
elif command -v pkg-config >/dev/null; then
    pages="$pages from-c"
else
    echo "skipped: from-c needs pkg-config"
fi
if python3 -c 'import scipy' 2>/dev/null; then
    pages="$pages from-python"
else
    echo "skipped: from-python needs python3-scipy"
fi
for page in ${2:-$pages}; do
    mkdir "$work/$page" "$work/$page.blocks"
    extract "$docs/$page.md" "$work/$page.blocks"
    cd "$work/$page" || exit 1
    blocks=0
    for block in "$work/$page.blocks"/*.block; do
        read -r language how <"${block%.block}.how"
        blocks=$((blocks + 1))
        do_block "$language" "$how" "$block" || { fail "$page, block $blocks: $language $how"; break; }
    done
    echo "$page: $blocks blocks"
    [ $blocks -ge 6 ] && [ $blocks -eq "$(grep -c '^```[a-z]' "$docs/$page.md")" ] || fail "$page: only $blocks blocks"
done
exit $((failures > 0))
