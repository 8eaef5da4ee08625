#!/usr/bin/python3
"""DENSERKS' tangent linear model as a contender of sensbench. DENSERKS in the environment is the folder of its sources,
with src/erk_tlm.f90.

What it does that one should know: a call has one direction, so that the state is solved anew for each parameter and
each initial value. Its adjoint solvers take one task in three routines, and are not called here."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import fortran

if "DENSERKS" not in os.environ:
    sys.exit("denserks_tlm.py: DENSERKS in the environment is to name the folder of DENSERKS' sources")

SCHEMES = ["rk23", "rk32", "rk43", "dopri5", "rk65", "dopri86"]  # ICNTRL(3) = 1, 2, ...
SOURCES = ["erk_utils.f90", "erk_tapes.f90", "erk_tlm_tapes.f90", "erk_tlm.f90"]
folder = os.path.join(os.path.abspath(os.environ["DENSERKS"]), "src")

fortran.serve({"name": "denserks_tlm", "summary": "DENSERKS' tangent linear model, a column at a time",
               "library": "DENSERKS", "derivative": "continuous", "can": ["tolerance"],
               "options": [{"name": "scheme", "kind": "choice", "choices": SCHEMES, "default": "dopri5",
                            "help": "of DENSERKS"}]},
              [os.path.join(folder, name) for name in SOURCES] + [os.path.join(fortran.HERE, "denserks_tlm.f90")],
              ["-std=legacy"], lambda options: SCHEMES.index(options["scheme"]) + 1)
