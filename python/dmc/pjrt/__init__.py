# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dmc as a platform of JAX: the functions of the PJRT C interface, in Python. jax_plugins.dmc registers it."""
from __future__ import annotations

import ctypes
import functools
import typing

from . import buffers, client, executables, handles, interrupts  # noqa: F401  they implement functions
from .handles import Handle, function, table
from .layouts import MAJOR, MINOR, Api, NamedValue

_INT64_LIST = 2


class _Plugin(Handle):
    """What belongs to no client."""


@function("Plugin_Attributes")
def _attributes(a: typing.Any) -> None:
    from jaxlib.mlir.dialects import stablehlo
    plugin = _plugin()
    values = []
    for name, text in (("stablehlo_current_version", stablehlo.get_current_version()),
                       ("stablehlo_minimum_version", stablehlo.get_minimum_version())):
        numbers, count = plugin.list(name, ctypes.c_int64, [int(part) for part in text.split(".")])
        address, size = plugin.text(name)
        values.append(NamedValue(ctypes.sizeof(NamedValue), None, address, size, _INT64_LIST, numbers, count))
    a.attributes, a.num_attributes = plugin.list("attributes", NamedValue, values)


@functools.cache
def _plugin() -> _Plugin:
    return _Plugin()


@functools.cache
def _api() -> tuple[Api, dict[str, typing.Any]]:
    functions = table()
    api = Api(struct_size=ctypes.sizeof(Api), version_size=24, major=MAJOR, minor=MINOR)
    for name, pointer in functions.items():
        setattr(api, name, ctypes.cast(pointer, ctypes.c_void_p).value)
    # jaxlib holds both until the process ends, after Python's own end.
    for kept in (api, functions, *functions.values()):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    interrupts.install()
    return api, functions


def make_capsule() -> typing.Any:
    """The table of functions as jaxlib takes it."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(_api()[0]), b"pjrt_c_api", None)
