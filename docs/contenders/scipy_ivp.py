#!/usr/bin/python3
"""SciPy as a contender of sensbench: the solvers of solve_ivp, on the state with its variational equations

    S' = f_x S + (f_p, 0),    S(t0) = (dx0/dp, I),

whose columns are dx/dp and dx/dx0. The integrator lands on each observation; integrals are solved for along with it.
Needs: python3-scipy.
"""

import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import numpy
import scipy
from scipy.integrate import BDF, DOP853, LSODA, RK45, Radau

import sensbench_contender as contender

SCHEMES = {"rk45": RK45, "dop853": DOP853, "radau": Radau, "bdf": BDF, "lsoda": LSODA}

LEAST_RTOL = 100 * numpy.finfo(float).eps  # smaller ones are raised to it, with a warning alone

DESCRIPTION = {
    "name": "scipy_ivp",
    "summary": "the solvers of SciPy's solve_ivp on the variational equations",
    "library": f"SciPy {scipy.__version__}, numpy {numpy.__version__}",
    "derivative": "continuous",
    "can": ["tolerance", "observations", "running_cost"],
    "options": [{"name": "scheme", "kind": "choice", "choices": list(SCHEMES), "default": "dop853",
                 "help": "of scipy.integrate"}],
    "limits": [{"check": "test.dilution", "subject": "*",
                "reason": "SciPy's error norm is a mean over all that is integrated, integrals of outputs among them"}],
}


class System:
    """y = (x, S, integrals of g and of its derivatives), with S by rows."""

    def __init__(self, instance):
        self.of = instance
        self.by_p = instance.np if "dGdp" in instance.wanted else 0
        self.by_x0 = instance.n if "dGdx0" in instance.wanted else 0
        self.cols = self.by_p + self.by_x0

    def start(self):
        of = self.of
        S = numpy.zeros((of.n, self.cols))
        if self.by_p and of.x0_depends_on_p:
            S[:, : self.by_p] = of.x0_p(of.p)
        S[:, self.by_p :] = numpy.eye(of.n)[:, : self.by_x0]
        integrals = of.m * (1 + self.cols) if of.running else 0
        return numpy.concatenate([of.x0, S.ravel(), numpy.zeros(integrals)])

    def split(self, y):
        n, cols = self.of.n, self.cols
        return y[:n], y[n : n + n * cols].reshape(n, cols), y[n + n * cols :]

    def slope(self, t, y):
        of = self.of
        x, S, _ = self.split(y)
        dS = of.f_x(t, x, of.p) @ S
        if self.by_p:
            dS[:, : self.by_p] += of.f_p(t, x, of.p)
        slopes = [of.f(t, x, of.p), dS.ravel()]
        if of.running:
            slopes += [of.g(t, x, of.p), self.outputs(of.g_x(t, x, of.p), of.g_p(t, x, of.p), S).ravel()]
        return numpy.concatenate(slopes)

    def outputs(self, by_x, by_p, S):
        """The derivative of outputs with these partial derivatives, [m, cols]."""
        total = by_x @ S
        if self.by_p:
            total[:, : self.by_p] += by_p
        return total


def advance(system, t, y, stop, work):
    """From t to stop, as solve_ivp does it: step by step, so that steps can be counted."""
    of = system.of
    solver = SCHEMES[of.options["scheme"]](system.slope, t, y, stop, rtol=of.rtol, atol=of.atol)
    while solver.status == "running":
        if work["steps"] == of.max_steps:
            raise contender.Failed("step_limit", f"{of.max_steps} steps end at t = {solver.t:g}")
        message = solver.step()
        work["steps"] += 1
        if solver.status == "failed":
            raise contender.Failed("step_underflow", message)
    return solver.y


def prepare(instance):
    system = System(instance)
    if instance.rtol < LEAST_RTOL:
        raise contender.Failed("unsupported", f"SciPy takes no relative tolerance below {LEAST_RTOL:g}")

    def run():
        of = instance
        G, dG = numpy.zeros(of.m), numpy.zeros((of.m, system.cols))
        t, y, work = of.t0, system.start(), {"steps": 0}
        for stop, j in sorted([(stop, j) for j, stop in enumerate(of.t_obs)] + [(of.t1, None)],
                              key=lambda one: (one[0], one[1] is None)):
            if stop > t:
                y = advance(system, t, y, stop, work)
                t = stop
            if j is not None:
                x, S, _ = system.split(y)
                G += of.phi(j, x, of.p)
                dG += system.outputs(of.phi_x(j, x, of.p), of.phi_p(j, x, of.p), S)
        x, S, integrals = system.split(y)
        if of.running:
            G += integrals[: of.m]
            dG += integrals[of.m :].reshape(of.m, system.cols)
        values = {"x": x, "G": G, **work}
        if system.by_p or "dGdp" in of.wanted:
            values["dGdp"] = dG[:, : system.by_p]
        if system.by_x0:
            values["dGdx0"] = dG[:, system.by_p :]
        return values

    return run


contender.serve(DESCRIPTION, prepare)
