# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""export_step: a folder with what dmc-compile, dmc-run and dmc-explain read."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import tempfile
import typing

import jax
import numpy

from ..errors import Error
from ..runtime import path_of
from .jit import Jitted, jit
from .program import Program
from .values import is_key, to_array

CASE = "step"


def _save(folder: pathlib.Path, arrays: list[numpy.ndarray]) -> None:
    folder.mkdir()
    for number, array in enumerate(arrays):
        # numpy has no bfloat16: its bits.
        numpy.save(folder / f"{number:03}.npy", array.view("uint16") if array.dtype.name == "bfloat16" else array)


def _dtype(aval: typing.Any) -> str:
    return "uint32" if is_key(aval.dtype) else str(aval.dtype)


def _write_shardings(path: pathlib.Path, session: typing.Any) -> None:
    dims = lambda values: [[list(axes) for axes in value.dims] for value in values]
    entry = {"mesh": [[name, size] for name, size in session.mesh.items()],
             "arguments": dims(session.arguments), "results": dims(session.results)}
    path.write_text(json.dumps({CASE: entry}, indent=1) + "\n")


def _meta(name: str, program: Program, session: typing.Any, rtol: float, atol: float) -> dict[str, typing.Any]:
    first = len(program.constants)
    avals = [jax.api_util.shaped_abstractify(array) for array in program.constants] + program.in_avals
    roles = ["param"] * first + ["state" if donated else "batch" for donated in program.donated]
    values = lambda avals, tables: [{"name": path_of(table.name), "shape": list(table.shape), "dtype": _dtype(aval)}
                                    for aval, table in zip(avals, tables, strict=True)]
    return {
        "model": name,
        "tolerance": f"|got - want| <= {atol:g} + {rtol:g} * |want|",
        "rtol": rtol,
        "arguments": [{**value, "role": role} for value, role in zip(values(avals, session.arguments), roles)],
        "results": [{**value, "role": "output", "atol": atol}
                    for value in values(program.out_avals, session.results)],
        "donation": [{"result": result, "argument": value.alias}
                     for result, value in enumerate(session.results) if value.alias >= 0],
    }


def export_step(folder: str | os.PathLike[str], function: typing.Callable, *arguments: typing.Any, expected: bool = True,
                rtol: float = 1e-5, atol: float = 1e-6, jit_options: dict[str, typing.Any] | None = None,
                **named: typing.Any) -> dict[str, typing.Any]:
    """Writes a new folder for the command line tools, whole or not at all, and returns what meta.json says:

    step.mlir: the program, with the function's source lines and the shardings
    shardings.json: the layouts of arguments and results, those that were decided too, as the case "step"
    inputs/000.npy ...: the arguments' leaves, in the program's order
    expected/000.npy ...: what JAX computes of them on one device, unless expected=False
    meta.json: names, shapes, types, donations, and the tolerances `rtol` and `atol` of a comparison

    function: what jit returned, or a function, for which jit_options are those of jit
    arguments, named: those of a call
    """
    path = pathlib.Path(folder)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise Error(f"cannot write {str(path)!r}: it exists, expected a new folder")
    if not path.parent.is_dir():
        raise Error(f"cannot write {str(path)!r}: {path.parent} is not a directory")
    jitted = function if isinstance(function, Jitted) else jit(function, **(jit_options or {}))
    compiled = jitted.compile(*arguments, **named)
    program, session = compiled.program, compiled.session
    leaves = jitted._key(arguments, named)[1]
    inputs = [to_array(leaf, aval, f"argument {number}") for number, (leaf, aval) in enumerate(zip(leaves, program.in_avals))]
    meta = _meta(getattr(jitted, "__name__"), program, session, rtol, atol)
    temporary = pathlib.Path(tempfile.mkdtemp(prefix=path.name + ".tmp", dir=path.parent))
    try:
        (temporary / "step.mlir").write_text(program.text)
        _write_shardings(temporary / "shardings.json", session)
        _save(temporary / "inputs", program.constants + inputs)
        if expected:
            results = jax.tree.leaves(_on_one_device(jitted, arguments, named))
            _save(temporary / "expected", [to_array(leaf, aval, "result") for leaf, aval in zip(results, program.out_avals)])
        (temporary / "meta.json").write_text(json.dumps(meta, indent=1) + "\n")
        temporary.chmod(0o755)
        if path.exists():
            path.rmdir()
        temporary.rename(path)
    except OSError as problem:
        raise Error(f"cannot write {str(path)!r}: {problem.strerror}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return meta


def _on_one_device(jitted: Jitted, arguments: tuple, named: dict) -> typing.Any:
    """JAX's own result without shardings: where XLA partitions, its result depends on the mesh."""
    options = jitted._options
    device = jax.devices()[0]

    def place(leaf: typing.Any) -> typing.Any:
        return jax.device_put(leaf, device) if isinstance(leaf, jax.Array) else leaf

    plain = jax.jit(jitted._function, static_argnums=options.static_argnums or None,
                    static_argnames=options.static_argnames or None)
    is_static = lambda place_: place_ in options.static_argnums
    moved = tuple(item if is_static(number) else jax.tree.map(place, item) for number, item in enumerate(arguments))
    return plain(*moved, **{name: item if name in options.static_argnames else jax.tree.map(place, item)
                            for name, item in named.items()})
