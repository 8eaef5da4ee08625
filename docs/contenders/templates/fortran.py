"""Codes in Fortran as contenders of sensbench (docs/adding-a-contender.md): what their adapters share.

The operations that sensbench sends become a module `problem` in Fortran, x' = f(t, x) with df/dx and df/dp at fixed p.
It is compiled with the file that calls the code and with the code's own sources, once for each task, and outside of the
time that a run reports. That file has one routine, which each adapter writes for its code:

    subroutine solve(t0, t1, x, S, rtol, atol, max_steps, option, steps, rejects, info) bind(C)

x [n] holds x(t0) and gets x(t1); S [n, np + n] gets dx(t1)/dp, at fixed x0, and dx(t1)/dx0; info is 0, or
1 (too many steps) or 2 (any other failure). Only costs of the final state can be had so; G and its derivatives follow
from x and S by the chain rule, which is not in the time reported (for the cost identity there is nothing to do).

Needs: gfortran, python3-numpy.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import numpy

import sensbench_contender as contender

# ---- from operations to Fortran ----------------------------------------------------------------------------

FORMS = {
    "neg": "-{0}", "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "pow": "{0}**{1}",
    "fabs": "abs({0})", "fmin": "min({0}, {1})", "fmax": "max({0}, {1})", "less": "merge(1d0, 0d0, {0} < {1})",
    "less_equal": "merge(1d0, 0d0, {0} <= {1})", "select": "merge({1}, {2}, {0} /= 0d0)",
}  # all others have the same name in Fortran, or are the C library's
OF_C = ("cbrt", "expm1", "log1p")


def expression(node):
    name, *rest = node
    if name == "t":
        return "t"
    if name in ("x", "p"):
        return f"{name}({rest[0] + 1})"
    if name == "constant":
        return f"{float(rest[0])!r}_8"
    operands = [f"v{k}" for k in rest]
    return FORMS[name].format(*operands) if name in FORMS else f"{name}({', '.join(operands)})"


def subroutine(name, shape, nodes, entries):
    """out(...) = node for each of the entries; all others are 0."""
    used = contender.needed(nodes, [node for _, node in entries])
    names = [f"v{k}" for k in used]
    lines = [f"subroutine {name}(t, x, out)", "  real(8), intent(in) :: t, x(n)",
             f"  real(8), intent(out) :: out{shape}"]
    lines += [f"  real(8) :: {', '.join(names[k:k + 8])}" for k in range(0, len(names), 8)]
    lines += [f"  {v} = {expression(nodes[k])}" for v, k in zip(names, used)]
    lines += ["  out = 0d0"] + [f"  out({place}) = v{node}" for place, node in entries]
    return lines + [f"end subroutine {name}"]


def matrix_entries(formula, by):
    of = formula.get(by, {"row": [], "col": [], "node": []})
    return [(f"{r + 1}, {c + 1}", node) for r, c, node in zip(of["row"], of["col"], of["node"])]


def module_of(instance, formula):
    """The module `problem`: n, np, p, f(t, x, out), f_x(t, x, out), f_p(t, x, out)."""
    nodes, lines = formula["nodes"], ["module problem", "implicit none"]
    lines += [f"integer, parameter :: n = {instance.n}, np = {instance.np}", f"real(8) :: p({instance.np})",
              "interface"]
    for name in OF_C:
        lines += [f"pure real(8) function {name}(x) bind(C)", "real(8), intent(in), value :: x", f"end function {name}"]
    lines += ["end interface", "contains"]
    lines += subroutine("f", "(n)", nodes, [(str(i + 1), node) for i, node in enumerate(formula["value"])])
    lines += subroutine("f_x", "(n, n)", nodes, matrix_entries(formula, "x"))
    lines += subroutine("f_p", "(n, np)", nodes, matrix_entries(formula, "p"))
    lines += ["subroutine set_p(given) bind(C)", "  real(8), intent(in) :: given(np)", "  p = given", "end subroutine"]
    return "\n".join(lines + ["end module problem", ""])


def library_of(instance, formula, sources, flags):
    """The shared library of these sources with the module of this problem."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "problem.f90"), "w") as file:
            file.write(module_of(instance, formula))
        made = subprocess.run(["gfortran", "-O2", "-shared", "-fPIC", "-ffree-line-length-none", "-o", "solver.so",
                               "problem.f90", *sources, *flags], cwd=folder, capture_output=True, text=True)
        if made.returncode:
            raise contender.Failed("unavailable", "gfortran: " + " ".join(made.stderr.split())[-300:])
        return ctypes.CDLL(os.path.join(folder, "solver.so"))


# ---- a run -------------------------------------------------------------------------------------------------


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def solve(library, of, option):
    x, S = of.x0.copy(), numpy.zeros((of.n, of.np + of.n), order="F")
    real, integer = ctypes.c_double, ctypes.c_int
    steps, rejects, info = integer(0), integer(0), integer(0)
    start = time.perf_counter()
    library.solve(ctypes.byref(real(of.t0)), ctypes.byref(real(of.t1)), pointer(x), pointer(S),
                  ctypes.byref(real(of.rtol)), ctypes.byref(real(of.atol)),
                  ctypes.byref(integer(min(of.max_steps, 2**31 - 1))), ctypes.byref(integer(option)),
                  ctypes.byref(steps), ctypes.byref(rejects), ctypes.byref(info))
    seconds = time.perf_counter() - start
    if info.value:
        raise contender.Failed("step_limit" if info.value == 1 else "diverged", "the code says so")
    if not (numpy.all(numpy.isfinite(x)) and numpy.all(numpy.isfinite(S))):
        raise contender.Failed("nonfinite", "the state or a derivative at the end")
    return x, S, {"steps": steps.value, "rejects": rejects.value, "seconds": seconds}


def outputs(of, x, S):
    """G(x(t1), p) and its derivatives from those of x, S = (dx/dp at fixed x0, dx/dx0)."""
    by_p, by_x0 = S[:, : of.np], S[:, of.np :]
    if of.x0_depends_on_p:
        by_p = by_p + by_x0 @ of.x0_p(of.p)
    phi_x = of.phi_x(0, x, of.p)
    return {"x": x, "G": of.phi(0, x, of.p), "dGdp": phi_x @ by_p + of.phi_p(0, x, of.p), "dGdx0": phi_x @ by_x0}


def serve(description, sources, flags=(), option=lambda options: 0):
    """Answers sensbench for the code in these sources. option(options) is the number that solve gets."""

    def prepare(of):
        if of.functions is None:
            raise contender.Failed("unsupported", "f is not told as operations")
        if of.running or len(of.t_obs) != 1 or of.t_obs[0] != of.t1:
            raise contender.Failed("unsupported", "the final state alone")
        library = library_of(of, of.functions["f"], sources, flags)
        library.set_p(pointer(of.p))

        def run():
            x, S, counts = solve(library, of, option(of.options))
            return {**outputs(of, x, S), **counts}

        return run

    sys.stdout = os.fdopen(os.dup(1), "w")  # what the code itself prints is no answer
    os.dup2(2, 1)
    contender.serve(description, prepare)
