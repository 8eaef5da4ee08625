#!/usr/bin/python3
"""JAX as a contender of sensbench: jax.experimental.ode.odeint (Dormand-Prince), whose derivative in reverse mode is
that of the continuous adjoint with the state integrated backwards. dG/d(p, x0) by jax.jacrev, compiled by jax.jit
before the first timed run. Steps are not counted, and an odeint that reaches its limit of steps returns NaN.

Needs: python3-numpy and jax (in a Python of yours: change the first line). Not run by those who wrote it: docs."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
import jax.numpy as jnp
import numpy
from jax.experimental.ode import odeint

import sensbench_contender as contender

DESCRIPTION = {"name": "jax_odeint", "summary": "JAX's odeint, its adjoint by jacrev",
               "library": f"jax {jax.__version__}", "derivative": "continuous", "can": ["tolerance", "observations"]}

OPERATIONS = {
    "neg": jnp.negative, "add": jnp.add, "sub": jnp.subtract, "mul": jnp.multiply, "div": jnp.divide, "pow": jnp.power,
    "fabs": jnp.abs, "fmin": jnp.minimum, "fmax": jnp.maximum, "less": lambda a, b: jnp.where(a < b, 1.0, 0.0),
    "less_equal": lambda a, b: jnp.where(a <= b, 1.0, 0.0), "select": lambda a, b, c: jnp.where(a != 0, b, c),
    "asin": jnp.arcsin, "acos": jnp.arccos, "atan": jnp.arctan, "atan2": jnp.arctan2,
}  # all others are functions of jax.numpy under the same name


def traced(formula):
    """A function of (t, x, p) that JAX can trace: it does the operations one by one."""
    nodes, outputs = formula["nodes"], formula["value"]
    order = contender.needed(nodes, outputs)

    def value(t, x, p):
        leaf = {"t": lambda: t, "x": lambda i: x[i], "p": lambda j: p[j], "constant": float}
        v = {}
        for k in order:
            name, *rest = nodes[k]
            if name in leaf:
                v[k] = leaf[name](*rest)
            else:
                v[k] = (OPERATIONS.get(name) or getattr(jnp, name))(*(v[i] for i in rest))
        return jnp.stack([jnp.asarray(v[k], dtype=float) for k in outputs])

    return value


def prepare(of):
    if of.functions is None:
        raise contender.Failed("unsupported", "f is not told as operations")
    f, phi = traced(of.functions["f"]), [traced(one) for one in of.functions["phi"]]
    initial = traced(of.functions["x0"]) if of.x0_depends_on_p else None
    inside = [float(t) for t in of.t_obs if of.t0 < t < of.t1]
    times = [of.t0, *inside, of.t1]

    def solution(p, x0):
        return odeint(lambda x, t, q: f(t, x, q), x0, jnp.array(times), p, rtol=of.rtol, atol=of.atol,
                      mxstep=min(of.max_steps, 2**31 - 1))

    def outputs(p, shift):
        """G, and what beside it is no derivative; x0(p) + shift, so that dG/dp is total and dG/dx0 has p held."""
        x = solution(p, shift + (initial(of.t0, of.x0, p) if initial else jnp.array(of.x0)))
        G = sum(one(t, x[times.index(float(t))], p) for one, t in zip(phi, of.t_obs))
        return G, (G, x[-1])

    derivative = jax.jit(jax.jacrev(outputs, argnums=(0, 1), has_aux=True))

    def run():
        (dGdp, dGdx0), (G, x) = derivative(jnp.array(of.p), jnp.zeros(of.n))
        return {key: numpy.asarray(value) for key, value in
                {"x": x, "G": G, "dGdp": dGdp, "dGdx0": dGdx0}.items()}  # asarray waits for the numbers

    run()
    return run


contender.serve(DESCRIPTION, prepare)
