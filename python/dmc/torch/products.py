# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, and slices at computed indices."""
from __future__ import annotations

from collections.abc import Sequence

from ..stablehlo import Module, Value
from .result import Result


def _convolution(module: Module, out: Result, x: Value, kernel: Value, bias: Value | None, stride: Sequence[int],
                 padding: Sequence[int], dilation: Sequence[int], transposed: bool, _: Sequence[int],
                 groups: int) -> Value:
    module.expect(not transposed, "unsupported transposed aten.convolution.default")
    count = x.rank - 2
    steps, pads, gaps = (list(item) * (count if len(item) == 1 else 1) for item in (stride, padding, dilation))
    result = module.convolution(x, kernel, strides=steps, padding=[(size, size) for size in pads], dilation=gaps,
                                feature_groups=groups)
    if bias is None:
        return result
    return module.add(result, module.broadcast_in_dim(bias, result.shape, [1]))


TABLE = {
    "aten.convolution.default": _convolution,
    "aten.embedding.default": lambda module, out, table, indices, *_: module.take(table, indices, 0),
}
