#!/bin/bash
# sensbench new: the skeletons compile without a warning, are listed, run and pass verify; in the tree too; what
# cannot be made is refused and leaves nothing behind. Argument 1: sensbench. Skipped without a C compiler.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
source=$(cd "$(dirname "$0")/../.." && pwd)
compilers=$(command -v gcc clang cc | sort -u)
[ -n "$compilers" ] || exit 77
warnings="-Wall -Wextra -Wconversion -Wshadow -Wvla -Wpedantic -Wstrict-prototypes -Wmissing-prototypes -Werror"
cd "$work" || exit 1

# compile COMPILER FOLDER NAME: NAME.so from the folder's two files; problems and costs have a part that can be recorded
record="-include sens/recorded.h -mlong-double-128 -O0 -g1 -fno-builtin -ffp-contract=off"
compile() {
    local each recorded=()
    if [ "$3" != my_method ]; then
        for each in "$3" plugin; do
            # shellcheck disable=SC2086
            "$1" -std=c11 $warnings $record -fPIC -fvisibility=hidden -I"$source/harness/include" \
                -c -o "recorded_$each.o" \
                "$2/$each.c" || fail "$1 does not compile the recorded part of $3"
            recorded+=("recorded_$each.o")
        done
    fi
    # shellcheck disable=SC2086
    "$1" -std=c11 -O2 $warnings -fPIC -shared -fvisibility=hidden -I"$source/harness/include" -o "$3.so" "$2"/*.c \
        "${recorded[@]}" || fail "$1 does not compile the $3 skeleton"
}

# ---- out of the tree ----
expect 0 "cmake -S my_problem" new problem my_problem --c
expect 0 "sensbench verify --plugin my_method/build/my_method.so --method my_method" new method my_method
expect 0 "made my_cost/my_cost.c" new cost my_cost
grep -rn '@' my_problem my_method my_cost && fail "a mark is left"
for compiler in $compilers; do
    for kind in problem method cost; do
        compile "$compiler" my_$kind my_$kind
        expect 0 "my_$kind" list ${kind}s --plugin my_$kind.so
        expect 0 "my_$kind" show my_$kind --plugin my_$kind.so
    done
done
all="--plugin my_problem.so --plugin my_method.so --plugin my_cost.so"
# shellcheck disable=SC2086
{
    expect 0 "status     ok" run my_problem discrete_adjoint cost=my_cost $all
    expect 0 "status     ok" run my_problem my_method cost=my_cost lanes=3 tableau=dop853 $all
    expect 0 "status     ok" run vdp my_method cost=tracking initial=dependent wrt=both $all
    expect 2 "status     unsupported" run arenstorf my_method max_steps=1000 $all
    expect 4 "status     diverged" run my_problem my_method max_steps=100 a=1e3 predators=1e6 T=1e6 $all
}

# as they stand they pass
expect 0 " 0 failed" verify --quick --plugin my_problem.so --problem my_problem
expect 0 " 0 failed" verify --quick --plugin my_cost.so --cost my_cost
expect 0 " 0 failed" verify --quick --plugin my_method.so --method my_method

# the values: against the closed form of a problem, whose initial state depends on its parameters
for cost in identity running tracking; do
    "$program" run initial my_method cost=$cost tol=1e-13 --plugin my_method.so --tsv >row.tsv || fail "run initial"
    awk -F'\t' '/^#/ { next } !seen { for (i = 1; i <= NF; i++) column[$i] = i; seen = 1; next }
        { e = $column["err_grad"]; exit !($column["status"] == "ok" && e + 0 < 1e-12) }' row.tsv ||
        fail "cost $cost: the gradient of the method skeleton is wrong: $(tail -1 row.tsv)"
done

# ---- as text ----
expect 0 "sensbench verify --quick --models my_model.ode --problem my_model" new problem my_model
grep -n '@' my_model.ode && fail "a mark is left"
expect 0 "predators and their prey" list problems --models my_model.ode
expect 0 "status     ok" run my_model discrete_adjoint a=0.7 cost=own --models my_model.ode
expect 0 " 0 failed" verify --quick --models my_model.ode --problem my_model
expect 2 "File exists" new problem my_model

# ---- with CMake, by the two commands that were printed, in a folder whose name has a blank ----
if command -v cmake >/dev/null; then
    mkdir "a folder"
    "$program" new problem other --c --out "a folder" >printed || fail "new --out"
    (PATH=$(dirname "$program"):$PATH && sed -n 2p printed >build.sh && bash -e build.sh) >log 2>&1 ||
        { fail "the printed command does not build: $(cat build.sh)"; tail -20 log; }
    sed -n 3p printed | grep -qF "sensbench verify --plugin 'a folder/other/build/other.so' --problem other" ||
        fail "printed: $(cat printed)"
    cmake -S "a folder/other" -B nothing -DCMAKE_DISABLE_FIND_PACKAGE_sensbench=ON >log 2>&1 &&
        fail "built without headers"
    grep -q "give -DSENSBENCH_INCLUDE=TREE/harness/include" log || { fail "no word of SENSBENCH_INCLUDE"; tail log; }
    [ -e "a folder/other/build/other.so" ] || fail "no a folder/other/build/other.so"
    nm -D "a folder/other/build/other.so" | grep -q " recorded_sens_plugin$" || fail "no recorded part is built"
fi

# ---- refusals, which leave nothing ----
for name in Upper 9lives a-b "" "a b" _a ../up abcdefghijabcdefghijabcdefghijabcdefghij "naïve" '%s%n'; do
    expect 2 "is no name" new problem "$name"
done
for name in glv tracking cfsa dopri5 odeint; do expect 2 "taken" new problem $name; done
expect 2 "File exists" new cost my_problem
expect 2 "did you mean method" new methode x
expect 2 "a kind and a name" new problem
expect 2 "a kind and a name" new problem a b
touch file
expect 2 "Not a directory" new problem fresh --out file/none
expect 2 "Not a directory" new problem fresh --c --out file/none
expect 2 "no source tree" new problem fresh --in-tree
expect 2 "path is too long" new problem fresh --out "$(printf 'a%.0s' $(seq 5000))"
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod a-w locked
    expect 2 "Permission denied" new problem fresh --out locked
fi
[ ! -e fresh ] || fail "a refusal left something"
expect 0 "made made/here/fresh.ode" new problem fresh --out made/here

# a disk that is full is no success, and leaves nothing (a limit on the size of files stands for it)
(ulimit -f 1; trap '' XFSZ; "$program" new method fresh >output 2>&1)
[ $? -eq 2 ] && [ ! -e fresh ] || fail "a file that cannot be written: $(cat output)"

# ---- in the tree ----
mkdir -p tree/harness/include tree/problems/costs tree/methods
cp -r "$source/harness/include/sens" tree/harness/include
cp "$source/problems/CMakeLists.txt" tree/problems
cp "$source/problems/costs/CMakeLists.txt" tree/problems/costs
printf 'sens_add_method(last)' >tree/methods/CMakeLists.txt
touch tree/problems/costs/there.c
(cd tree && "$program" new problem my_problem --c --in-tree) >output || fail "new problem --in-tree"
expect 0 "sens_add_cost(my_cost)" new cost my_cost --in-tree --out tree
expect 0 "sensbench verify --method my_method" new method my_method --in-tree --out tree
expect 2 "File exists" new problem my_problem --c --in-tree --out tree
expect 2 "File exists" new cost there --in-tree --out tree
grep -qx 'sens_add_problem(my_problem)' tree/problems/CMakeLists.txt || fail "problems list"
grep -qx 'sens_add_cost(my_cost)' tree/problems/costs/CMakeLists.txt || fail "costs list"
[ "$(cat tree/methods/CMakeLists.txt)" = $'sens_add_method(last)\nsens_add_method(my_method)' ] || fail "methods list"
[ ! -s tree/problems/costs/there.c ] || fail "a file was overwritten"
for kind in problem cost method; do
    file=$(find tree -name "my_$kind.c")
    cmp -s "$file" my_$kind/my_$kind.c || fail "in the tree the $kind is another file"
    for compiler in $compilers; do
        # shellcheck disable=SC2086
        "$compiler" -std=c11 -O2 $warnings -DSENS_EXTENDED -I"$source/harness/include" -c -o object.o "$file" ||
            fail "$compiler does not compile the $kind skeleton in extended precision"
    done
done
if command -v clang-format >/dev/null; then
    for kind in problem cost method; do
        clang-format --style="file:$source/.clang-format" my_$kind/my_$kind.c | cmp -s - my_$kind/my_$kind.c ||
            fail "layout of the $kind skeleton"
    done
fi
exit $((failures > 0))
