#!/bin/bash
# Programs of other languages as methods: those of docs/contenders where their packages are there, and programs that say
# wrong things, too much, or nothing. Argument 1: sensbench. Skipped without python3.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
contenders=$(cd "$(dirname "$0")/../../docs/contenders" && pwd)
python=$(command -v python3) || exit 77
cd "$work" || exit 1

# ---- names that the page lists -------------------------------------------------------------------------------

page=$contenders/../adding-a-contender.md
headers=$contenders/../../harness/include/sens

# same WHAT: the file `listed`, of the page, equals `defined`, of the header
same() {
    [ -s defined ] && diff <(sort defined) <(sort listed) ||
        fail "$1 of adding-a-contender.md are not those of the header"
}
sed -n 's/^    X(SENS_[A-Z_]*, -*[0-9]*, \([A-Z]*\), "\([a-z_]*\)".*/\1 \2/p' "$headers/status.h" |
    sed -n '/^HARNESS/!s/.* //p' >defined
sed -n '/^| status |/,/^$/s/^| `\([a-z_]*\)`.*/\1/p' "$page" >listed
same "the names of status"
sed -n 's/^    OP([A-Z0-9_]*, "\([a-z0-9_]*\)", \([0-9]\),.*/\2 \1/p' "$headers/operations.h" >defined
awk '/^\| works on/ { table = 1 }
    !NF { table = 0 }
    table && /`/ {
        operands++
        n = split($0, part, "`")
        for (k = 2; k <= n; k += 2) print operands, part[k]
    }' "$page" >listed
same "the operations"

# ---- right ones ---------------------------------------------------------------------------------------------

# near NAME FILE LIMIT WORDS...: a run of that contender has a gradient error below LIMIT.
near() {
    local name=$1 file=$2 limit=$3
    shift 3
    "$program" run "$@" "$name" --contender "$contenders/$file" --tsv >row.tsv 2>messages ||
        fail "$name: $(cat messages)"
    column err_grad row.tsv | awk -v limit="$limit" '!($1 != "" && $1 + 0 <= limit) { exit 1 } END { exit NR != 1 }' ||
        fail "$name $*: error $(column err_grad row.tsv), expected at most $limit"
}

# offered FILE: does it say hello here?
offered() {
    printf '{"hello": {"protocols": [1]}}\n' | "$contenders/$1" 2>/dev/null | grep -q '"protocol" *: *1'
}

# Functions that have no formulas, as a quantity of data, are asked for while it runs: so is dx0/dp here.
cat >quantity.ode <<'CODE'
model quantity "data of a quantity"
parameter start = 2
parameter rate = 0.4
state x = start^2
interval 0 .. 3
x' = -rate*x
twice = 2*x + rate
CODE
printf 't,twice,sigma_twice\n1,5,0.1\n3,3,0.1\n' >quantity.csv
"$program" run quantity discrete_adjoint --models quantity.ode cost=tracking data=quantity.csv tol=1e-8 \
    --dump quantity.tsv >/dev/null || fail "data of a quantity"

# as_ours NAME FILE: the numbers of quantity.tsv
as_ours() {
    "$program" run quantity "$1" --contender "$contenders/$2" --models quantity.ode cost=tracking data=quantity.csv \
        tol=1e-8 --dump asked.tsv >/dev/null 2>messages || fail "$1: data of a quantity: $(cat messages)"
    paste quantity.tsv asked.tsv | awk -F '\t' 'FNR > 1 { n++; d = $4 - $(NF / 2 + 4); if (d < 0) d = -d
        if (!(d <= 1e-5 * (1 + ($4 < 0 ? -$4 : $4)))) bad = 1 } END { exit bad || n < 5 }' ||
        fail "$1: data of a quantity: $(cat asked.tsv)"
}

# A cost at the end, one with data along the way, an integral, and an initial state that depends on p: all that a
# contender has to put together.
while read -r name file; do
    offered "$file" || { echo "skipped: $name cannot be run here"; continue; }
    near "$name" "$file" 1e-4 glv n=3 tol=1e-8
    near "$name" "$file" 1e-4 forced cost=tracking tol=1e-8
    near "$name" "$file" 1e-4 logistic cost=running tol=1e-8
    near "$name" "$file" 1e-4 initial cost=terminal tol=1e-8
    as_ours "$name" "$file"
    expect 4 "step_limit" run glv "$name" n=3 tol=1e-8 max_steps=3 --contender "$contenders/$file"
done <<'LIST'
scipy_ivp scipy_ivp.py
desolve desolve.R
octave_lsode octave_lsode.m
LIST

# ---- codes in Fortran ------------------------------------------------------------------------------------------

# The tangent of docs/contenders/templates takes the steps of ours: all numbers agree to rounding. The adapters of
# FATODE and DENSERKS meet modules with the interfaces of these codes, in which the classic Runge-Kutta method works.
templates=$contenders/templates
mkdir -p fatode/ADJ/ERK_ADJ denserks/src
cat >fatode/ADJ/ERK_ADJ/ERK_ADJ_f90_Integrator.F90 <<'CODE'
MODULE ERK_adj_f90_Integrator
CONTAINS
    SUBROUTINE INTEGRATE_ADJ(NVAR, NP, NADJ, NNZ, Y, Lambda, TIN, TOUT, ATOL, RTOL, FUN, JAC, AdjInit, ICNTRL_U, &
            RCNTRL_U, ISTATUS_U, RSTATUS_U, Ierr_U, Mu, JACP, DRDY, DRDP, QFUN, Q)
        INTEGER, INTENT(IN) :: NVAR, NP, NADJ
        INTEGER, INTENT(IN), OPTIONAL :: NNZ
        DOUBLE PRECISION, INTENT(INOUT) :: Y(NVAR), Lambda(NVAR, NADJ)
        DOUBLE PRECISION, INTENT(IN) :: TIN, TOUT, ATOL(NVAR), RTOL(NVAR)
        EXTERNAL FUN, JAC, AdjInit, JACP, DRDY, DRDP, QFUN
        OPTIONAL JACP, DRDY, DRDP, QFUN
        INTEGER, INTENT(IN), OPTIONAL :: ICNTRL_U(20)
        DOUBLE PRECISION, INTENT(IN), OPTIONAL :: RCNTRL_U(20)
        INTEGER, INTENT(OUT), OPTIONAL :: ISTATUS_U(20), Ierr_U
        DOUBLE PRECISION, INTENT(OUT), OPTIONAL :: RSTATUS_U(20)
        DOUBLE PRECISION, INTENT(INOUT), OPTIONAL :: Mu(NP, NADJ), Q(NADJ)
        INTEGER, PARAMETER :: STEPS = 400
        DOUBLE PRECISION :: A(4) = [0d0, 0.5d0, 0.5d0, 1d0], B(4) = [1d0, 2d0, 2d0, 1d0] / 6d0
        DOUBLE PRECISION :: X(NVAR, 4, STEPS), K(NVAR), H, J(NVAR, NVAR), P(NVAR, NP), U(NVAR, NADJ), V(NVAR, NADJ)
        INTEGER :: I, S
        PRINT *, 'said on standard output', ICNTRL_U(3)
        Ierr_U = -6
        ISTATUS_U = 0
        RSTATUS_U = 0
        IF (ICNTRL_U(4) < STEPS) RETURN
        H = (TOUT - TIN) / STEPS
        DO I = 1, STEPS ! X: the stages
            K = 0
            DO S = 1, 4
                X(:, S, I) = Y + A(S) * H * K
                CALL FUN(NVAR, TIN + (I - 1 + A(S)) * H, X(:, S, I), K)
                IF (S == 1) U(:, 1) = Y
                U(:, 1) = U(:, 1) + B(S) * H * K
            END DO
            Y = U(:, 1)
        END DO
        CALL AdjInit(NVAR, NP, NADJ, TOUT, Y, Lambda, Mu)
        DO I = STEPS, 1, -1
            U = 0 ! of stage S: J^T h (b_S Lambda + a_(S+1) V), where V is that of stage S + 1
            V = Lambda
            DO S = 4, 1, -1
                CALL JAC(NVAR, TIN + (I - 1 + A(S)) * H, X(:, S, I), J)
                CALL JACP(NVAR, NP, TIN + (I - 1 + A(S)) * H, X(:, S, I), P)
                IF (S < 4) U = A(S + 1) * H * U
                U = U + B(S) * H * Lambda
                Mu = Mu + MATMUL(TRANSPOSE(P), U)
                U = MATMUL(TRANSPOSE(J), U)
                V = V + U
            END DO
            Lambda = V
        END DO
        ISTATUS_U(4) = STEPS
        Ierr_U = 1
    END SUBROUTINE
END MODULE
CODE
for name in erk_utils erk_tapes erk_tlm_tapes; do echo >denserks/src/$name.f90; done
cat >denserks/src/erk_tlm.f90 <<'CODE'
MODULE RKTLM_MODULE
CONTAINS
    SUBROUTINE RKINT_TLM(N, Y, RHS, DY, TLM_RHS, Tstart, Tend, Nd, Nc, AbsTol, RelTol, RCNTRL, ICNTRL, RSTATUS, &
            ISTATUS, IERR)
        INTEGER, INTENT(IN) :: N, Nd, ICNTRL(20)
        INTEGER, INTENT(OUT) :: Nc, IERR
        INTEGER, INTENT(INOUT) :: ISTATUS(20)
        DOUBLE PRECISION, INTENT(INOUT) :: Y(N), DY(N), Tstart, Tend, RSTATUS(20)
        DOUBLE PRECISION, INTENT(IN) :: AbsTol(2 * N), RelTol(2 * N), RCNTRL(20)
        EXTERNAL RHS, TLM_RHS
        INTEGER, PARAMETER :: STEPS = 400
        DOUBLE PRECISION :: A(4) = [0d0, 0.5d0, 0.5d0, 1d0], B(4) = [1d0, 2d0, 2d0, 1d0] / 6d0
        DOUBLE PRECISION :: K(N), DK(N), K0(N), T, H, Y1(N), DY1(N)
        INTEGER :: I, S
        IERR = -6
        Nc = 0
        IF (ICNTRL(2) < STEPS) RETURN
        H = (Tend - Tstart) / STEPS
        DO I = 1, STEPS
            K = 0
            DK = 0
            Y1 = Y
            DY1 = DY
            DO S = 1, 4
                T = Tstart + (I - 1 + A(S)) * H
                K0 = K
                CALL RHS(N, T, Y + A(S) * H * K0, K)
                CALL TLM_RHS(N, T, Y + A(S) * H * K0, DY + A(S) * H * DK, DK)
                Y1 = Y1 + B(S) * H * K
                DY1 = DY1 + B(S) * H * DK
            END DO
            Y = Y1
            DY = DY1
        END DO
        ISTATUS(3) = STEPS
        IERR = 1
    END SUBROUTINE
END MODULE
CODE
export FATODE=fatode DENSERKS=denserks

# as_ours NAME SETTINGS DT PROBLEM...: state, outputs and gradients are those of our tangent on 400 equal steps, to
# rounding: 1e-12 of the largest entry, as sums of 400 terms are
as_ours() {
    local name=$1 settings=$2 dt=$3
    shift 3
    # shellcheck disable=SC2086 # settings are words, or none
    expect 0 "status     ok" run "$@" "$name" $settings --once --dump theirs --contender "$templates/$name.py"
    expect 0 "status     ok" run "$@" discrete_tangent tableau=rk4 controller=fixed "dt=$dt" --once --dump ours
    awk -F '\t' '/^#/ || $4 + 0 != $4 { next }
        { v = $4 < 0 ? -$4 : $4; key = $1 FS $2 FS $3 }
        FNR == NR { ours[key] = $4; if (v > most[$1]) most[$1] = v; next }
        { d = $4 - ours[key]; if (d < 0) d = -d; seen++; if (!(key in ours) || d > 1e-12 * most[$1]) bad++ }
        END { exit !(seen > 3 && !bad) }' ours theirs || fail "$name of $*: other numbers than our tangent"
}
if command -v gfortran >/dev/null && offered templates/rk4_tangent.py; then
    as_ours rk4_tangent steps=400 0.025 glv n=3
    as_ours fatode_erk_adj "" 0.025 glv n=3
    as_ours denserks_tlm "" 0.025 glv n=3
    expect 2 "cannot do a running cost" run glv rk4_tangent cost=running --contender "$templates/rk4_tangent.py"
    expect 4 "step_limit" run glv fatode_erk_adj n=2 max_steps=100 --contender "$templates/fatode_erk_adj.py"
    FATODE=/nowhere expect 3 "gfortran: " run glv fatode_erk_adj n=2 --contender "$templates/fatode_erk_adj.py"
else
    echo "skipped: no gfortran, or no numpy"
fi
unset FATODE
expect 2 "exit code 1 before it had answered" list --contender "$templates/fatode_erk_adj.py"

# ---- one that does as it is told -----------------------------------------------------------------------------

# It knows x' = r x (1 - x / K) of the problem logistic by heart; KIND in its environment says what it does instead.
cat >wrong.py <<CODE
#!$python
CODE
cat >>wrong.py <<'CODE'
import json, subprocess, math, os, sys, time
kind = os.environ.get("KIND", "")
about = {"protocol": 1, "name": "wrong", "summary": "closed form", "library": "none", "derivative": "continuous",
         "can": ["tolerance"],
         "options": [{"name": "count", "kind": "int", "default": 1, "min": 1, "max": 9, "help": "of nothing"}]}
exec(os.environ.get("ABOUT", ""))
def say(words, end="\n"):
    sys.stdout.write((words if isinstance(words, str) else json.dumps(words)) + end)
    sys.stdout.flush()
def solve(x0, r, K, t):
    e = math.exp(r * t)
    d = K + x0 * (e - 1)
    return K * x0 * e / d, K * x0 * t * e * (K - x0) / d**2, x0**2 * e * (e - 1) / d**2, K**2 * e / d**2
for line in sys.stdin:
    told = json.loads(line)
    if "hello" in told:
        if kind == "mute": time.sleep(30)
        say(about)
    elif "prepare" in told:
        task = told["prepare"]
        if kind == "unready": say({"ready": 1})
        elif kind == "unable": say({"status": "unsupported", "message": "not on \x1b[31mTuesdays"})
        else: say({"ready": True})
    else:
        p = task["problem"]
        x, by_r, by_K, by_x0 = solve(p["x0"][0], *p["p"], p["t1"] - p["t0"])
        answer = {"x": [x], "G": [x], "dGdp": [[by_r, by_K]], "dGdx0": [[by_x0]], "seconds": 1e-7, "steps": 1}
        exec(os.environ.get("ANSWER", ""))
        if kind == "hang": time.sleep(600)
        if kind == "crash": os.kill(os.getpid(), 11)
        if kind == "leave": sys.exit(7)
        if kind in ("parent", "lasting"): # a child in a session of its own, which holds no stream of ours
            subprocess.Popen(["/bin/sleep", "600.25"], start_new_session=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if kind == "lasting": time.sleep(600)
        if kind == "close": os.close(1); time.sleep(600)
        if kind == "gulp": eaten = bytearray(8 * 2**30)
        if kind == "eat": eaten = [bytearray(b"x" * 2**24) for k in range(512)]
        if kind == "tell":
            try: eaten = bytearray(8 * 2**30)
            except MemoryError: answer = {"status": "no_memory", "message": "8 GiB"}
        if kind == "flood":
            while True: sys.stdout.write("9" * 65536)
        if kind == "garbage": say('{"x": [1, 2')
        elif kind == "bytes": sys.stdout.buffer.write(b"\xff\x00\x1b[2J\n"); sys.stdout.flush()
        elif kind == "deep": say("[" * 100000)
        elif kind == "twice": say(json.dumps(answer) + "\n" + json.dumps(answer))
        elif kind == "array": say([answer])
        else: say(answer)
CODE
chmod +x wrong.py
right=(run logistic wrong --contender ./wrong.py)
expect 0 "status     ok" "${right[@]}"
"$program" "${right[@]}" --tsv >row.tsv
column err_grad row.tsv | grep -qE 'e-1[5-9]|^0$' || fail "the closed form has an error of $(column err_grad row.tsv)"
column t_total_s row.tsv | awk '{ exit !($1 > 0.99e-7 && $1 < 1.01e-7) }' ||
    fail "its own clock says 1e-07 s, the row $(column t_total_s row.tsv)"
column library row.tsv | grep -q none || fail "its library is not in the row"
column n_rhs row.tsv | grep -qx nan || fail "its right-hand sides are not counted, the row says $(column n_rhs row.tsv)"
"$program" "${right[@]}" | grep -qE '^rates|rhs' && fail "run tells of operations that nobody counted"
expect 0 "count" show wrong --contender ./wrong.py
expect 0 "wrong" list methods --contender ./wrong.py
expect 2 "count" run logistic wrong count=10 --contender ./wrong.py
expect 2 "tableau" run logistic wrong tableau=dopri5 --contender ./wrong.py

# ---- what it says of itself ----------------------------------------------------------------------------------

# about TEXT PYTHON: so changed, it is refused, with TEXT
about() {
    ABOUT=$2 expect 2 "$1" list methods --contender ./wrong.py
}
about "protocol 2" 'about["protocol"] = 2'
about "protocol 0" 'about["protocol"] = "1"'
about "is no name" 'about["name"] = "a b"'
about "taken" 'about["name"] = "cfsa"'
about "control character" 'about["summary"] = "x\x1b[2J"'
about "summary" 'about["summary"] = 3'
about "library" 'del about["library"]'
about "derivative" 'about["derivative"] = "exact"'
about "takes no tolerance" 'about["can"] = []'
about "can" 'about["can"] = ["fly"]'
about "default" 'about["options"][0]["default"] = 10'
about "kind" 'about["options"][0]["kind"] = "data"'
about "choices" 'about["options"][0].update(kind="choice", default="a", choices=[])'
about "is no name" 'about["options"][0]["name"] = "a=b"'
about "has the name of another option of the table" 'about["options"] *= 2'
about "contender ./wrong.py: option 'tol' has the name of a key" 'about["options"][0]["name"] = "tol"'
about "contender ./wrong.py: option 'count': its min 0.5 is no whole" 'about["options"][0]["min"] = 0.5'
about "options" 'about["options"] = {}'
about "limits" 'about["limits"] = "all"'
about "check" 'about["limits"] = [{"subject": "*"}]'
expect 2 "wrong is a name that is taken" list methods --contender ./wrong.py --contender ./wrong.py
expect 2 "there is no such file" list --contender ./none.py
echo "no program" >text && chmod +x text
expect 2 "cannot be run" list --contender ./text
chmod -x text
expect 2 "chmod +x" list --contender ./text
expect 2 "cannot be run" list --contender .
expect 2 "--contender needs a value" list --contender
expect 2 "exit code 0 before it had answered" list --contender /bin/true
SENSBENCH_CONTENDER_SECONDS=soon expect 2 "SENSBENCH_CONTENDER_SECONDS" list --contender ./wrong.py

# ---- where it is -------------------------------------------------------------------------------------------------

mkdir "a b" && cp wrong.py "a b/\$(id)'s one"
expect 0 "status     ok" run logistic wrong --contender "a b/\$(id)'s one"

# ---- what it says of a task ----------------------------------------------------------------------------------

# kind NAME STATUS TEXT: a run of that kind ends with the status and the text, in time, and without a number
kind() {
    local got code=4
    case $2 in io_error | unsupported) code=2 ;; not_repeatable) code=1 ;; esac
    KIND=$1 SENSBENCH_CONTENDER_SECONDS=2 timeout 60 "$program" "${right[@]}" >output 2>&1
    got=$?
    [ $got -eq $code ] && grep -qE "status +$2" output && grep -qF -- "$3" output &&
        ! grep -q '^x(t1)' output ||
        { fail "KIND=$1 ANSWER=${ANSWER-}: exit $got, expected $code, $2 and '$3'"; cat output; }
    LC_ALL=C grep -q $'\x1b' output && fail "KIND=$1: an escape reaches the terminal"
}
kind hang timeout "no answer in 2 s"
kind crash crashed "signal 11"
kind leave crashed "exit code 7"
kind close crashed "closed its output"
kind flood io_error "longer than"
kind garbage io_error "no JSON object"
kind bytes io_error "no JSON object"
kind deep io_error "no JSON object"
kind twice io_error "more than one line"
kind array io_error "no JSON object"
kind unready io_error "neither"
kind unable unsupported "not on"

# answer STATUS TEXT PYTHON: so changed, its answer ends with the status
answer() {
    ANSWER=$3 kind "" "$1" "$2"
}
answer nonfinite "null" 'answer["x"] = [None]'
answer io_error "no JSON object" 'answer["x"] = [float("nan")]'
answer io_error "no JSON object" 'answer["dGdp"] = [[float("inf"), 1]]'
answer io_error "x has a row" 'answer["x"] = [1, 2]'
answer io_error "x has a row" 'del answer["x"]'
answer io_error "dGdp has a row" 'answer["dGdp"] = [[1]]'
answer io_error "dGdp is no array of 1 rows" 'answer["dGdp"] = [[1, 2], [3, 4]]'
answer io_error "dGdx0 holds what is no number" 'answer["dGdx0"] = [["1"]]'
answer io_error "seconds" 'del answer["seconds"]'
answer io_error "seconds" 'answer["seconds"] = 0'
answer io_error "seconds" 'answer["seconds"] = -1'
answer io_error "its answer took" 'answer["seconds"] = 50'
answer io_error "'steps' is no count" 'answer["steps"] = 1.5'
answer io_error "'steps' is no count" 'answer["steps"] = -1'
answer diverged "it grows" 'answer.update(status="diverged", message="it grows")'
answer io_error "is no status" 'answer["status"] = "timeout"'
answer io_error "is no status" 'answer["status"] = 3'
answer not_repeatable "bit for bit" 'answer["x"][0] += 1e-9 * (time.perf_counter() % 1)'
answer io_error "which is no question" 'answer = {"ask": "everything"}'
answer io_error "without an x of n numbers" 'answer = {"ask": "f", "t": 0, "x": []}'
answer io_error "without a number t" 'answer = {"ask": "f", "x": [1]}'
answer io_error "another p than np" 'answer = {"ask": "f", "t": 0, "x": [1], "p": [1]}'
answer io_error "without a j" 'answer = {"ask": "phi", "j": 1, "x": [1]}'

# A lie is no matter of form: verify finds it.
ANSWER='answer["dGdp"][0][1] *= 1.001' tells 1 "wrong +gradient" \
    timeout 300 "$program" verify --quick --method wrong --problem logistic --contender ./wrong.py

# Nothing of them is left behind.
sleep 1
pgrep -f "$work/wrong.py" >/dev/null && fail "a contender lives on"
for command in "run logistic wrong" "compare logistic wrong --vs method=discrete_adjoint --rounds 3"; do
    # shellcheck disable=SC2086 -- a list of words
    KIND=parent tells 0 "" "$program" $command --contender ./wrong.py
    left=$(pgrep -fx "/bin/sleep 600.25") && fail "$command: children of a contender live on" && kill $left
done
for signal in INT TERM HUP; do
    KIND=lasting env "--default-signal=$signal" "$program" run logistic wrong --contender ./wrong.py >output 2>&1 &
    for _ in $(seq 100); do pgrep -fx "/bin/sleep 600.25" >/dev/null && break; sleep 0.1; done
    kill -$signal $!
    wait $!
    [ $? -eq 130 ] || fail "SIG$signal: exit $?, expected 130"
    left=$(pgrep -fx "/bin/sleep 600.25") && fail "SIG$signal: children of a contender live on" && kill $left
done

# ---- in a sweep ----------------------------------------------------------------------------------------------

cat >mixed.sweep <<'SWEEP'
[sweep]
title   = one that hangs among others
samples = 2
timeout = 3

[cells]
problem = logistic
method  = wrong discrete_adjoint
tol     = 1e-4 1e-6
truth   = ode
SWEEP
KIND=hang tells 0 "4 cells measured, 2 failed" "$program" sweep ./mixed.sweep --out hang --contender ./wrong.py
column status hang/mixed/*.tsv | sort | uniq -c | tr -s ' \n' ' ' | grep -qx ' 2 ok 2 timeout ' ||
    fail "rows of a sweep: $(column status hang/mixed/*.tsv)"
# What a cell may have of memory, its contender may have too: 8 GiB are refused to it. That this was why is known where
# it says so, and where it had filled its limit; of one that asked for all at once, and does not tell, it may be.
if [ -z "$(sanitizer)" ]; then # which takes more address space than any limit
    sed 's/^timeout.*/timeout = 60\nmemory = 1e9/' mixed.sweep >eats.sweep
    for kind in eat tell gulp; do
        status=memory_limit
        [ $kind != gulp ] || status=crashed
        KIND=$kind tells 0 "4 cells measured, 2 failed" "$program" sweep ./eats.sweep --out $kind \
            --contender ./wrong.py
        [ "$(column status $kind/eats/*.tsv | sort | uniq -c | grep -c "^ *2 \(ok\|$status\)$")" -eq 2 ] ||
            fail "$kind: not 2 ok and 2 $status: $(column status $kind/eats/*.tsv; column message $kind/eats/*.tsv)"
    done
    column message gulp/eats/*.tsv | grep -q "limit of memory, 1e+09 bytes, may be why" || fail "no word of the limit"
fi
tells 0 "4 cells measured, 0 failed" "$program" sweep ./mixed.sweep --out well --contender ./wrong.py
tells 0 " 4 kept from before" "$program" sweep ./mixed.sweep --out well --contender ./wrong.py --resume
echo '# another' >>wrong.py
tells 2 "wrong.py is not what its rows were" "$program" sweep ./mixed.sweep --out well --contender ./wrong.py --resume

[ $failures -eq 0 ] && echo "PASS"
exit $((failures > 0))
