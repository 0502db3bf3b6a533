# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of ATen operators as programs of dmc; needs the package torch."""
from ..errors import Error as _Error

try:
    import torch as _torch  # noqa: F401
except ImportError:
    raise _Error("dmc.torch needs the package torch, which is not installed") from None

from .importer import Program, import_graph

__all__ = ["Program", "import_graph"]
