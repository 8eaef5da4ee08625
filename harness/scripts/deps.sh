#!/bin/sh
# deps.sh [--optional] KIND ... - installs the Debian packages of these kinds (cmake/dependencies.txt) that are missing;
# `peer` stands for all kinds peer-*.
# Exit 0: all there, or --optional. Exit 3: something is missing and cannot be installed from here. The line to run is
# printed in both cases.
set -eu
export LC_ALL=C
list=$(dirname "$0")/../../cmake/dependencies.txt
failure=3
without=
if [ "${1-}" = --optional ]; then
    failure=0
    without=", without which some methods, fast linear solvers or the fuzzing are not available"
    shift
fi
[ $# -gt 0 ] || {
    echo "usage: deps.sh [--optional] KIND ...   (build required linear place test figure lint fuzz contender browser" \
        "peer)" >&2
    exit 2
}

missing=
for kind in "$@"; do
    for package in $(awk -v kind="$kind" '$1 == kind || index($1, kind "-") == 1 { print $2 }' "$list"); do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' && continue
        missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    sudo=sudo
else
    echo "Missing packages$without. Run this line, then try again:" >&2
    echo "    sudo $line" >&2
    exit $failure
fi
echo "installing:$missing" >&2
if ! { $sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $sudo $line -qq; } >&2; then
    echo "The installation failed. Run this line, then try again:" >&2
    echo "    sudo $line" >&2
    exit $failure
fi
