# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model as a program that dmc.compile takes."""
from __future__ import annotations

import dataclasses
import os
import typing
from collections.abc import Mapping

import numpy
import onnx

from ..errors import Error
from .importer import Importer


@dataclasses.dataclass(frozen=True)
class Program:
    """An imported model."""

    #: The StableHLO text.
    text: str
    #: Names of the arguments, in order: the model's inputs, then the initializers that the program reads.
    arguments: tuple[str, ...]
    results: tuple[str, ...]
    #: Values of arguments by name: those of initializers. A session that a plan of the program loads has them.
    initial_values: Mapping[str, numpy.ndarray]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The arguments that have no initial value."""
        return tuple(name for name in self.arguments if name not in self.initial_values)

    def as_text(self, debug_info: bool = True) -> str:
        """The text, as dmc.compile asks for it."""
        return self.text


def _read(model: typing.Any) -> onnx.ModelProto:
    if isinstance(model, onnx.ModelProto):
        return model
    if not isinstance(model, (str, os.PathLike)):
        raise Error(f"expected an ONNX model or the path of one, found {type(model).__name__}")
    path = os.fspath(model)
    if not os.path.isfile(path):
        raise Error(f"cannot open {path!r}: expected an ONNX file")
    try:
        return onnx.load(path)
    except Exception as problem:  # protobuf's errors, and those of files of external data
        first = (str(problem).strip() or type(problem).__name__).splitlines()[0]
        raise Error(f"cannot read {path!r} as an ONNX model: {first}") from None


def load(model: typing.Any,
         shapes: Mapping[str, typing.Any] | None = None,
         values: Mapping[str, numpy.ndarray] | None = None) -> Program:
    """Imports an ONNX model: operator sets 13 to 21 and those near them.

    model: a path or an onnx.ModelProto
    shapes: sizes of dimensions that the file leaves open: {"image": (8, 3, 224, 224)} by input, or {"batch": 8} by the
        name of a dimension
    values: inputs that are constants of the program, by name, such as one that holds a shape

    Raises dmc.Error; the message of what is not supported holds `unsupported`, the operator and the node's name.
    """
    for name, given in (("shapes", shapes), ("values", values)):
        if given is not None and not isinstance(given, Mapping):
            raise Error(f"expected {name} as a mapping, found {type(given).__name__}")
    proto = _read(model)
    if not proto.graph.node and not proto.graph.output:
        raise Error("expected an ONNX model with a graph, found an empty one")
    importer = Importer(proto, shapes or {}, values or {})
    importer.run(proto.graph)
    module = importer.module
    return Program(module.text(), tuple(name for name, _ in module.arguments),
                   tuple(name for name, _ in module.results), importer.initial)
