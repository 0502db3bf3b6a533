# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX functions on dmc: jit compiles and runs them, export_step writes what the command line tools read.

    step = dmc.jax.jit(step, in_shardings=(P("model"), P("data")), mesh={"data": 2, "model": 2}, donate_argnums=0)
    params, loss = step(params, batch)
    print(step.plan(params, batch).collectives)
"""
try:
    import jax as _jax  # noqa: F401
except ImportError:
    from ..errors import Error
    raise Error("dmc.jax needs JAX, which is not installed") from None

import pathlib as _pathlib

from jax.extend import source_info_util as _source

from .export import export_step
from .jit import Compiled, Jitted, jit
from .program import Program

# Locations name the user's lines, not those of this package between them.
_source.register_exclusion(f"{_pathlib.Path(__file__).resolve().parents[1]}/")

__all__ = ["Compiled", "Jitted", "Program", "export_step", "jit"]
