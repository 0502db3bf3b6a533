# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch on dmc; needs the package torch.

    step = dmc.torch.train_step(model, loss, optimizer=dmc.AdamW(lr=1e-3), mesh={"data": 4}, batch="data")
    fast = torch.compile(model, backend="dmc")
    plan = dmc.compile(torch.export.export(model, inputs))
"""
from ..errors import Error as _Error

try:
    import torch as _torch  # noqa: F401
except ImportError:
    raise _Error("dmc.torch needs the package torch, which is not installed") from None

from . import backend as _backend
from .decompositions import decompositions
from .exported import from_exported
from .importer import Program, import_graph
from .step import TrainStep, train_step, value_and_grad

__all__ = ["Program", "TrainStep", "decompositions", "from_exported", "import_graph", "train_step", "value_and_grad"]

_backend.register()
