# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dmc: compiles a tensor program for a mesh of devices, shows what moves, and runs it.

    import dmc

    plan = dmc.compile("step.mlir", mesh={"data": 4}, strategy="data_parallel")
    print(plan.collectives)          # what moves in a step, per rank
    print(plan.memory.peak)          # bytes per rank
    results = plan.run(arrays)       # numpy in, numpy out

Everything that is wrong raises dmc.Error with a message, a location and notes.
"""
from .errors import Error, Location, Note
from .mesh import Layout, Mesh, P
from .plan import Plan, compile
from .report import Collective, Collectives, Difference, Memory, Report
from .runtime import Session, Timing, Value

__all__ = [
    "Collective",
    "Collectives",
    "Difference",
    "Error",
    "Layout",
    "Location",
    "Memory",
    "Mesh",
    "Note",
    "P",
    "Plan",
    "Report",
    "Session",
    "Timing",
    "Value",
    "compile",
]
