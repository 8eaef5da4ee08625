#!/bin/bash
# The Debian package: what is in it, and whether it works where it is unpacked. Argument 1: sensbench. Skipped without
# cpack, dpkg-deb or a build that makes one.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
build=$(dirname "$program")
{ command -v cpack && command -v dpkg-deb; } >/dev/null && [ -f "$build/CPackConfig.cmake" ] || exit 77
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
package=$(echo "$work"/sensbench_*.deb)
version=$("$program" --version | cut -d' ' -f2)
[ "$(dpkg-deb -f "$package" Version)" = "$version" ] || fail "version $(dpkg-deb -f "$package" Version), not $version"
dpkg-deb -f "$package" Description | grep -q . || fail "no description"
if command -v dpkg-shlibdeps >/dev/null; then
    dpkg-deb -f "$package" Depends | grep -q libgsl || fail "depends on: $(dpkg-deb -f "$package" Depends)"
fi
dpkg-deb -x "$package" "$work/root" || fail "it cannot be unpacked"
installed=$work/root/usr/bin/sensbench
cd / || exit 1
"$installed" --version | grep -qF "$version" || fail "it does not run"
"$installed" run vdp discrete_adjoint tol=1e-9 | grep -q 'truth: reference' || fail "its references are not found"
"$installed" list sweeps | grep -qx ci || fail "its sweeps are not found"
"$installed" run sir discrete_adjoint tol=1e-6 | grep -q 'status     ok' || fail "its models are not found"
"$installed" verify --quick --problem decay | grep -q ' 0 failed' || fail "verify"
"$installed" sweep ci --quick --out "$work/rows" >/dev/null && "$installed" summary "$work/rows" >/dev/null ||
    fail "a sweep and its summary"
echo 'var d3 = {"scaleLog": 0};' >"$work/d3.js" # stands in for the library, which the package recommends
"$installed" report "$work/rows" --d3 "$work/d3.js" >/dev/null && [ -s "$work/rows/report.html" ] || fail "a report"
libraries=$(dirname "$(find "$work/root/usr" -name libsensbench.so)")
if command -v cc >/dev/null && command -v pkg-config >/dev/null; then
    cat >"$work/use.c" <<'SOURCE'
#include <stdio.h>
#include <sens/sensbench.h>
int main(void)
{
    struct sensbench *sb = sensbench_create();
    if (!sb || sensbench_set(sb, "problem", "sir") != SENS_OK || sensbench_set(sb, "method", "cfsa") != SENS_OK ||
        sensbench_run(sb) != SENS_OK)
        return printf("%s\n", sb ? sensbench_message(sb) : "no memory"), 1;
    printf("%.0f parameters\n", sensbench_number(sb, "np"));
    sensbench_destroy(sb);
    return 0;
}
SOURCE
    # shellcheck disable=SC2046 # words are wanted
    cc "$work/use.c" -o "$work/use" $(PKG_CONFIG_PATH=$libraries/pkgconfig pkg-config --cflags --libs sensbench) &&
        LD_LIBRARY_PATH=$libraries hosted "$work/use" | grep -q ' parameters' || fail "its library"
fi
if [ -x /usr/bin/python3 ]; then
    PYTHONPATH=$work/root/usr/share/sensbench/python hosted /usr/bin/python3 -B -c '
import sensbench
assert len(sensbench.Problem("sir", method="cfsa").run().x) == 3' || fail "its Python module"
fi
for file in share/sensbench/contenders/scipy_ivp.py share/man/man1/sensbench.1 include/sens/method.h; do
    [ -e "$work/root/usr/$file" ] || fail "$file is not in it"
done
[ $failures -eq 0 ] && echo "PASS"
exit $((failures > 0))
