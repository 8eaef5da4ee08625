# What the scripts of this folder share; sourced with the path of sensbench as argument 1 of the script. `work` is a folder
# that goes with the script; fail TEXT... counts a failure, which the script's exit code must tell.
set -u
program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
