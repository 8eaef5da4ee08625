#!/bin/bash
# walls.sh PROGRAM - no room sees a header of a room above it: each is tried, with the folders that the build gives.
set -u
export LC_ALL=C
build=$(cd "$(dirname "$1")" && pwd)
compiler=$(command -v cc || command -v gcc || command -v clang) || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
source=$(cd "$(dirname "$0")/../.." && pwd)
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

# found ROOM HEADER: can a file of the room include it?
found() {
    echo "#include \"$2\"" >"$work/try.c"
    # shellcheck disable=SC2046
    "$compiler" -E $(sed '/^$/d; s/^/-I/' "$build/rooms/$1") -o /dev/null "$work/try.c" 2>"$work/why" && return 0
    grep -q "$2.*[Nn]o such file" "$work/why" || fail "$1 includes $2: $(head -n 1 "$work/why")"
    return 1
}

# sees ROOM OTHER: is the other one named among the folders of the room?
sees() { grep -qx "$source/${2//-//}" "$build/rooms/$1"; }

# header ROOM: one that no other room has
header() { (cd "$source/${1//-//}" && ls ./*.h 2>/dev/null) | sed -n '1s,^\./,,p'; }

rooms=$(ls "$build/rooms")
tried=0
for above in $rooms; do
    name=$(header "$above")
    [ -n "$name" ] || continue
    found "$above" "$name" || fail "$above does not find its own $name"
    for room in $rooms; do
        if [ "$room" = "$above" ] || sees "$room" "$above"; then continue; fi
        tried=$((tried + 1))
        if found "$room" "$name"; then fail "$room can include $name, which is a room above it or beside it ($above)"; fi
        if sees "$above" "$room" && sees "$room" "$above"; then fail "$above and $room see one another"; fi
    done
done
[ "$tried" -gt 300 ] || fail "only $tried arrows were tried"
grep -nE '#include "(\.\./|/)' $(git -C "$source" ls-files '*.c' '*.h' '*.cc' | sed "s,^,$source/,") &&
    fail "a path in an include goes round the walls"
echo "$tried arrows tried"
exit $((failures > 0))
