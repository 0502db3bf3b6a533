# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dmc: compiles a tensor program for a mesh of devices, shows what moves, and runs it.

    import dmc

    plan = dmc.compile("step.mlir", mesh={"data": 4}, strategy="data_parallel")
    print(plan.collectives)          # what moves in a step, per rank
    print(plan.memory.peak)          # bytes per rank
    results = plan.run(arrays)       # numpy in, numpy out

Everything that is wrong raises dmc.Error with a message, a location and notes.
"""
import importlib as _importlib
import importlib.util
import typing as _typing

from .errors import Error, Location, Note
from .kernels import kernel
from .mesh import Layout, Mesh, P
from .optimizers import SGD, Adam, AdamW, Lion
from .plan import Plan, compile
from .report import Collective, Collectives, Difference, Memory, PredictedCollective, Prediction, Report
from .runtime import Session, Timing, Value

_FRONT_ENDS = ("jax", "onnx", "stablehlo", "torch")


if _typing.TYPE_CHECKING:
    from . import jax as jax
    from . import onnx as onnx
    from . import stablehlo as stablehlo
    from . import torch as torch
else:

    def __getattr__(name: str) -> _typing.Any:
        """Front ends are imported when they are named: each needs the package of its framework."""
        if name in _FRONT_ENDS and _importlib.util.find_spec(f"{__name__}.{name}"):
            return _importlib.import_module("." + name, __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Adam",
    "AdamW",
    "Collective",
    "Collectives",
    "Difference",
    "Error",
    "Layout",
    "Lion",
    "Location",
    "Memory",
    "Mesh",
    "Note",
    "P",
    "Plan",
    "PredictedCollective",
    "Prediction",
    "Report",
    "SGD",
    "Session",
    "Timing",
    "Value",
    "compile",
    "kernel",
]
