#!/bin/bash
# commit.sh BUILD - the commit of a clean tree whose program is BUILD/sensbench: what is released, and what stored
# results are of. Exit 1: the tree has changes, or the program is of another commit; 2: usage.
set -euo pipefail
export LC_ALL=C
[ $# -eq 1 ] || { echo "usage: commit.sh BUILD" >&2; exit 2; }
sensbench=$(cd -- "$1" && pwd)/sensbench
cd "$(dirname "$0")/../.."
if [ -n "$(git status --porcelain)" ]; then
    echo "commit.sh: the tree has changes, and a commit is wanted:" >&2
    git status --short >&2
    exit 1
fi
commit=$(git rev-parse HEAD)
stamp=$("$sensbench" --version | sed 's/^[^(]*(\([^,)]*\).*/\1/') # with -dirty where the tree had changes
if [ -z "$stamp" ] || [ "${commit#"$stamp"}" = "$commit" ]; then
    echo "commit.sh: $sensbench is of ${stamp:-no commit}, the tree is at $commit: make build" >&2
    exit 1
fi
echo "$commit"
