# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models as programs of dmc; needs the package onnx.

    import dmc.onnx

    program = dmc.onnx.load("model.onnx", shapes={"batch": 8})
    plan = dmc.compile(program, mesh={"data": 4}, strategy="data_parallel")
    results = plan.run({"image": images})     # initializers have their values already
"""
from ..errors import Error as _Error

try:
    import onnx as _onnx  # noqa: F401
except ImportError:
    raise _Error("dmc.onnx needs the package onnx, which is not installed") from None

from .node import NeedsValue
from .program import Program, load

__all__ = ["NeedsValue", "Program", "load"]
