# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes nodes of known inputs, on which shapes depend, while the model is imported."""
from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence

import numpy
import onnx
import onnx.helper

from .node import Item, Tensor

_FOLDED = frozenset(
    """Abs Add And Cast CastLike Ceil Clip Concat ConstantOfShape Div Equal Expand Floor Gather GatherElements GatherND Greater
GreaterOrEqual Identity Less LessOrEqual Max Min Mod Mul Neg NonZero Not Or Pow Range ReduceMax ReduceMin ReduceProd ReduceSum Relu
Reshape Round ScatterElements ScatterND Sign Slice Split Sqrt Squeeze Sub Sum Tile Transpose Unsqueeze Where Xor""".
    split())
_MOST = 1 << 16  # elements of a result


def _result_size(op: str, arrays: Sequence[numpy.ndarray | None]) -> int:
    """A bound of the result's elements, of operators that make much of little."""
    shape: typing.Any = 0
    if op == "ConstantOfShape" and arrays[0] is not None:
        shape = arrays[0]
    elif op == "Expand" and arrays[1] is not None:
        shape = arrays[1]
    elif op == "Tile" and arrays[0] is not None and arrays[1] is not None:
        return int(arrays[0].size * numpy.prod(arrays[1]))
    elif op == "Range":
        start, limit, delta = (float(array.item()) if array is not None else 0.0 for array in arrays)
        return int(abs((limit - start) / delta)) if delta else 0
    return int(numpy.prod(numpy.asarray(shape, "float64"))) if op in ("ConstantOfShape", "Expand") else 0


def fold(proto: onnx.NodeProto, inputs: Sequence[Item], attributes: Mapping[str, onnx.AttributeProto],
         opset: int) -> list[numpy.ndarray] | None:
    """The outputs of a node all of whose inputs are constants; None of others, of large ones, and where it fails: then the
    conversion of the operator says what is wrong."""
    if proto.op_type not in _FOLDED or not inputs:
        return None
    if not all(item is None or (isinstance(item, Tensor) and item.is_constant) for item in inputs):
        return None
    arrays = [item.array if isinstance(item, Tensor) else None for item in inputs]
    try:
        if sum(array.size
               for array in arrays if array is not None) > _MOST or _result_size(proto.op_type, arrays) > _MOST:
            return None
    except (IndexError, ValueError):  # inputs of another number or shape
        return None
    from onnx.reference import ReferenceEvaluator
    names = [f"i{i}" if array is not None else "" for i, array in enumerate(arrays)]
    outputs = [f"o{i}" for i in range(len(proto.output))]
    node = onnx.helper.make_node(proto.op_type, names, outputs)
    node.attribute.extend(attributes.values())
    # The key of an attribute is its name in this node; that of a function's may be another.
    for attribute, key in zip(node.attribute, attributes):
        attribute.name = key
    function = onnx.helper.make_function("dmc", "fold", [name for name in names if name], outputs, [node],
                                         [onnx.helper.make_opsetid("", opset)])
    feeds = {name: array for name, array in zip(names, arrays) if name}
    try:
        return [numpy.asarray(array) for array in ReferenceEvaluator(function).run(None, feeds, {})]
    except Exception:  # whatever it raises, the operator's own conversion reports
        return None
