# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes of a model's inputs: the file's, and what the caller states of dimensions that the file leaves open."""
from __future__ import annotations

import operator
import typing
from collections.abc import Mapping

import onnx

from ..errors import Error


def _size(value: typing.Any, what: str) -> int:
    try:
        size = operator.index(value)
    except TypeError:
        raise Error(f"shapes: expected a size for {what}, found {value!r}") from None
    if size < 0:
        raise Error(f"shapes: expected a size that is not negative for {what}, found {size}")
    return size


class InputShapes:
    """shapes: sizes by the name of a dimension, shapes by the name of an input."""

    def __init__(self, shapes: Mapping[str, typing.Any]):
        self._given = dict(shapes)
        self._unused = set(shapes)

    def check_used(self) -> None:
        if self._unused:
            name = min(self._unused, key=str)
            raise Error(f"shapes are given for {name!r}, which is neither an input nor a dimension of one")

    def _of_input(self, name: str) -> tuple[int, ...] | None:
        self._unused.discard(name)
        given = self._given.get(name)
        if given is None:
            return None
        try:
            items = tuple(given)
        except TypeError:
            raise Error(f"shapes: expected a shape of input {name!r}, found {given!r}") from None
        return tuple(_size(item, f"dimension {i} of input {name!r}") for i, item in enumerate(items))

    def _of_dim(self, dim: onnx.TensorShapeProto.Dimension) -> int | None:
        if dim.WhichOneof("value") == "dim_value":
            return dim.dim_value
        self._unused.discard(dim.dim_param)
        if not dim.dim_param or dim.dim_param not in self._given:
            return None
        return _size(self._given[dim.dim_param], f"dimension {dim.dim_param!r}")

    def read(self, item: onnx.ValueInfoProto) -> tuple[int, ...]:
        """The static shape of an input that is a tensor."""
        given, tensor = self._of_input(item.name), item.type.tensor_type
        if not tensor.HasField("shape"):
            if given is None:
                raise Error(f"unsupported: input {item.name!r} without a shape; give it by shapes={{{item.name!r}: ...}}")
            return given
        dims = tensor.shape.dim
        if given is not None and len(given) != len(dims):
            raise Error(f"shapes: input {item.name!r} has {len(dims)} dimensions, found {given}")
        sizes = []
        for i, dim in enumerate(dims):
            size = self._of_dim(dim)
            if given is not None and size not in (None, given[i]):
                raise Error(f"shapes: dimension {i} of input {item.name!r} is {size}, found {given[i]}")
            size = given[i] if given is not None else size
            if size is None:
                raise Error(f"unsupported: dimension {i} ({dim.dim_param or '?'}) of input {item.name!r} of dynamic size; "
                            f"give it by shapes={{{(dim.dim_param or item.name)!r}: ...}}")
            sizes.append(size)
        return tuple(sizes)
