#!/usr/bin/python3
"""FATODE's explicit Runge-Kutta adjoint as a contender of sensbench. FATODE in the environment is the folder of its
sources (github.com/ComputationalScienceLaboratory/FATODE). Needs LAPACK and BLAS beside what fortran.py needs.

What it does that one should know: FATODE takes df/dp as a full matrix; its checkpoints are allocated for all the steps
that it may take; its first step is about 1e-16 to 1e-6, and grows by at most 10 a step."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import fortran

if "FATODE" not in os.environ:
    sys.exit("fatode_erk_adj.py: FATODE in the environment is to name the folder of FATODE's sources")

SCHEMES = ["erk23", "erk32", "erk43", "dopri5", "verner", "dopri853"]  # ICNTRL(3) = 1, 2, ...

fortran.serve({"name": "fatode_erk_adj", "summary": "FATODE's explicit Runge-Kutta adjoint", "library": "FATODE",
               "derivative": "discrete", "can": ["tolerance"],
               "options": [{"name": "scheme", "kind": "choice", "choices": SCHEMES, "default": "dopri5",
                            "help": "of FATODE"}]},
              [os.path.join(os.path.abspath(os.environ["FATODE"]), "ADJ/ERK_ADJ/ERK_ADJ_f90_Integrator.F90"),
               os.path.join(fortran.HERE, "fatode_erk_adj.f90")],
              ["-std=legacy", "-llapack", "-lblas"], lambda options: SCHEMES.index(options["scheme"]) + 1)
