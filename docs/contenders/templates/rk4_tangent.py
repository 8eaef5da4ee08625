#!/usr/bin/python3
"""Our own Runge-Kutta tangent in Fortran as a contender: an example of fortran.py, and its test."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import fortran

fortran.serve({"name": "rk4_tangent", "summary": "the classic Runge-Kutta method with its tangent, in Fortran",
               "library": "none", "derivative": "discrete",
               "options": [{"name": "steps", "kind": "int", "default": 100, "min": 1, "max": 1000000,
                            "help": "equal steps"}]},
              [os.path.join(fortran.HERE, "rk4_tangent.f90")], option=lambda options: options["steps"])
