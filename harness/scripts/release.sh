#!/bin/bash
# release.sh BUILD OUT - what a release consists of, of one clean commit: the source archive, the Debian package, the
# stored results with their summary and as a page, and checksums of all of them. Exit 1: the tree has changes, or a part
# cannot be made; 2: usage.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: release.sh BUILD OUT" >&2; exit 2; }
mkdir -p -- "$2"
build=$(cd -- "$1" && pwd)
out=$(cd -- "$2" && pwd)
cd "$(dirname "$0")/../.."
commit=$(harness/scripts/commit.sh "$build")
version=$("$build/sensbench" --version | cut -d' ' -f2)
name=sensbench-$version
git archive --prefix="$name/" -o "$out/$name.tar.gz" "$commit"
git archive --prefix="$name-results/" -o "$out/$name-results.tar.gz" "$commit:results"
"$build/sensbench" report results --out "$out/$name-report.html"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$out" >/dev/null
rm -rf "$out/_CPack_Packages"
cd "$out"
sha256sum "$name.tar.gz" "$name-results.tar.gz" "$name-report.html" sensbench_"$version"_*.deb >SHA256SUMS
echo "$commit" >COMMIT
ls -l
