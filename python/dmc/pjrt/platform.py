# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What JAX decides by a platform's name: told here for this one, in names of JAX that are not public."""
from __future__ import annotations

import typing

from . import dlpack, make_capsule
from .client import PLATFORM


def register() -> None:
    """Makes the platform known to JAX."""
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    xla_bridge._nonexperimental_plugins.add(PLATFORM)
    if PLATFORM not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(PLATFORM)
    xla_bridge.register_plugin(PLATFORM, c_api=make_capsule())
    _lower_decompositions(mlir)
    _refuse_callbacks(mlir)
    _use_compilation_cache()
    dlpack.install(PLATFORM)


def _lower_decompositions(mlir: typing.Any) -> None:
    """Decompositions of matrices as calls of LAPACK's functions, as on processors: dmc knows many of these, and refuses the
    others by name. JAX's own rules for all platforms are those that remain."""
    from jax._src.lax import linalg
    rules = mlir._platform_specific_lowerings["cpu"]
    for primitive, entry in list(rules.items()):
        function = getattr(entry.rule, "func", entry.rule)
        if getattr(function, "__module__", "") == linalg.__name__ and primitive is not linalg.tridiagonal_solve_p:
            mlir.register_lowering(primitive, entry.rule, platform=PLATFORM)


def _refuse_callbacks(mlir: typing.Any) -> None:
    from jax._src import callback, debugging
    def make_rule(name: str) -> typing.Callable:
        def refuse(*_: typing.Any, **__: typing.Any) -> typing.Any:
            raise NotImplementedError(f"dmc: unsupported: {name}, a function of the Python process; "
                                      "expected operations whose meaning is in the program")
        return refuse

    for primitive in (callback.pure_callback_p, callback.io_callback_p, debugging.debug_callback_p, debugging.debug_print_p):
        mlir.register_lowering(primitive, make_rule(str(primitive)), platform=PLATFORM)


def _use_compilation_cache() -> None:
    """jax_compilation_cache_dir, which JAX would ignore."""
    from jax._src import compilation_cache
    is_used_by_others = compilation_cache.is_cache_used

    def is_cache_used(backend: typing.Any) -> bool:
        if getattr(backend, "platform", None) != PLATFORM:
            return is_used_by_others(backend)
        return compilation_cache.is_persistent_cache_enabled()

    compilation_cache.is_cache_used = is_cache_used
