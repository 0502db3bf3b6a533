# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products and convolutions."""
from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Sequence

from ..stablehlo import Value
from .result import ProgramModule, Result


def _mm(module: ProgramModule, out: Result, left: Value, right: Value, *_: typing.Any, **__: typing.Any) -> Value:
    return module.matmul(left, right)


@dataclasses.dataclass(frozen=True)
class Window:
    """How a kernel slides: an entry for each spatial dimension."""

    strides: list[int]
    pads: list[int]
    gaps: list[int]  # dilation
    groups: int

    @staticmethod
    def of(count: int, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
           groups: int) -> "Window":
        strides, pads, gaps = (list(item) * (count if len(item) == 1 else 1) for item in (stride, padding, dilation))
        return Window(strides, pads, gaps, groups)


def _forward(module: ProgramModule, x: Value, kernel: Value, window: Window,
             sizes: Sequence[int] | None = None) -> Value:
    """sizes: of the result's spatial dimensions, if there may be more positions than these."""
    padding = [(size, size) for size in window.pads]
    if sizes is not None:
        padding = [(pad, (wanted - 1) * stride + gap * (tap - 1) + 1 - size - pad)
                   for wanted, stride, gap, tap, size, pad in zip(sizes, window.strides, window.gaps, kernel.shape[2:],
                                                                  x.shape[2:], window.pads)]
    return module.convolution(x, kernel, strides=window.strides, padding=padding, dilation=window.gaps,
                              feature_groups=window.groups)


def _gradient_of_input(module: ProgramModule, gradient: Value, kernel: Value, sizes: Sequence[int],
                       window: Window) -> Value:
    """What a convolution's input of these spatial sizes gets from the gradient of its output: a convolution of the
    gradient, spread by the strides, with the mirrored kernel. It also is a transposed convolution."""
    groups, taps = window.groups, kernel.shape[2:]
    outputs, inputs = kernel.shape[:2]
    split = module.reshape(kernel, (groups, outputs // groups, inputs, *taps))
    turned = module.transpose(split, [0, 2, 1, *range(3, split.rank)])
    turned = module.reshape(turned, (groups * inputs, outputs // groups, *taps))
    padding = []
    for size, found, tap, stride, pad, gap in zip(sizes, gradient.shape[2:], taps, window.strides, window.pads,
                                                  window.gaps):
        low = gap * (tap - 1) - pad
        padding.append((low, size - ((found - 1) * stride + 1) - low + gap * (tap - 1)))
    return module.convolution(gradient, turned, padding=padding, dilation=window.gaps, input_dilation=window.strides,
                              feature_groups=groups, reversal=[True] * len(taps))


def _gradient_of_kernel(module: ProgramModule, x: Value, gradient: Value, taps: Sequence[int],
                        window: Window) -> Value:
    """A convolution that contracts the batch: strides become dilations, and the reverse."""
    digits = "".join(map(str, range(len(taps))))
    padding = []
    for size, found, tap, stride, pad, gap in zip(x.shape[2:], gradient.shape[2:], taps, window.strides, window.pads,
                                                  window.gaps):
        padding.append((pad, gap * (tap - 1) + (found - 1) * stride + 1 - size - pad))
    return module.convolution(x, gradient, strides=window.gaps, padding=padding, dilation=window.strides,
                              batch_groups=window.groups, layout=("fb" + digits, "io" + digits, "fb" + digits))


def _with_batch(module: ProgramModule, x: Value, count: int) -> Value:
    return x if x.rank == count + 2 else module.expand_dims(x, [0])


def _add_bias(module: ProgramModule, x: Value, bias: Value | None) -> Value:
    return x if bias is None else module.add(x, module.broadcast_in_dim(bias, x.shape, [1]))


def _convolution(module: ProgramModule, out: Result, x: Value, kernel: Value, bias: Value | None,
                 stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], transposed: bool,
                 _: Sequence[int], groups: int) -> Value:
    window = Window.of(kernel.rank - 2, stride, padding, dilation, groups)
    x = _with_batch(module, x, kernel.rank - 2)
    if transposed:
        result = _gradient_of_input(module, x, kernel, out.shape[2 - kernel.rank:], window)
    else:
        result = _forward(module, x, kernel, window)
    return module.reshape(_add_bias(module, result, bias), out.shape)


def _convolution_backward(module: ProgramModule, out: Sequence[Result | None], gradient: Value, x: Value,
                          kernel: Value, bias_sizes: typing.Any, stride: Sequence[int], padding: Sequence[int],
                          dilation: Sequence[int], transposed: bool, _: Sequence[int], groups: int,
                          wanted: Sequence[bool]) -> list[Value | None]:
    count = kernel.rank - 2
    window = Window.of(count, stride, padding, dilation, groups)
    gradient, x = _with_batch(module, gradient, count), _with_batch(module, x, count)
    results: list[Value | None] = [None, None, None]
    if out[0] is not None and wanted[0]:
        if transposed:
            found = _forward(module, gradient, kernel, window, x.shape[2:])
        else:
            found = _gradient_of_input(module, gradient, kernel, x.shape[2:], window)
        results[0] = module.reshape(found, out[0].shape)
    if out[1] is not None and wanted[1]:
        image, other = (gradient, x) if transposed else (x, gradient)
        results[1] = _gradient_of_kernel(module, image, other, kernel.shape[2:], window)
    if out[2] is not None and wanted[2]:
        wide = module.convert(gradient, "f32") if gradient.dtype in ("f16", "bf16") else gradient
        total = module.reduce(wide, "sum", [0, *range(2, gradient.rank)])
        results[2] = module.convert(total, gradient.dtype)
    return results


def _addmm(module: ProgramModule, out: Result, bias: Value, left: Value, right: Value, *, beta: typing.Any = 1,
           alpha: typing.Any = 1) -> Value:
    product = module.matmul(left, right)
    product = product if alpha == 1 else module.multiply(product, alpha)
    bias = module.broadcast_to(module.convert(bias, out.dtype), out.shape)
    return module.add(product, bias if beta == 1 else module.multiply(bias, beta))


def _addbmm(module: ProgramModule, out: Result, bias: Value, left: Value, right: Value, *, beta: typing.Any = 1,
            alpha: typing.Any = 1) -> Value:
    """The sum of a batch of products."""
    rows, columns = (module.reshape(module.transpose(x, order), (math.prod(x.shape) // kept, kept))
                     for x, order, kept in ((left, [0, 2, 1], left.shape[1]), (right, [0, 1, 2], right.shape[2])))
    return _addmm(module, out, bias, module.transpose(rows, [1, 0]), columns, beta=beta, alpha=alpha)


def _trilinear(module: ProgramModule, out: Result, a: Value, b: Value, c: Value, expand_a: Sequence[int],
               expand_b: Sequence[int], expand_c: Sequence[int], sums: Sequence[int], unroll: int = 1) -> Value:
    """The sum of products of three tensors, each with dimensions of size 1 added."""
    wide = module.broadcast_together(*(module.expand_dims(x, dims)
                                       for x, dims in ((a, expand_a), (b, expand_b), (c, expand_c))))
    return module.reduce(module.multiply(module.multiply(wide[0], wide[1]), wide[2]), "sum", sums)


def _distance(module: ProgramModule, out: Result, left: Value, right: Value, order: float,
              mode: int | None = None) -> Value:
    """_cdist_forward: norms of the differences of all pairs of rows."""
    rows, others, count = left.shape[-2], right.shape[-2], left.shape[-1]
    shape = (*out.shape, count)
    a = module.broadcast_to(module.reshape(left, (*left.shape[:-2], rows, 1, count)), shape)
    b = module.broadcast_to(module.reshape(right, (*right.shape[:-2], 1, others, count)), shape)
    gap = module.abs(module.subtract(a, b))
    if order == 2:
        return module.sqrt(module.reduce(module.multiply(gap, gap), "sum", [-1]))
    if math.isinf(order):
        return module.reduce(gap, "max", [-1])
    if order == 0:
        return module.reduce(module.convert(module.compare(gap, 0, "NE"), out.dtype), "sum", [-1])
    return module.power(module.reduce(module.power(gap, order), "sum", [-1]), 1 / order)


def _distance_gradient(module: ProgramModule, out: Result, gradient: Value, left: Value, right: Value, order: float,
                       distances: Value) -> Value:
    """Of the left operand."""
    shape = (*gradient.shape, left.shape[-1])
    wide = lambda x, at: module.broadcast_to(module.expand_dims(x, [at]), shape)
    gap = module.subtract(wide(left, -2), wide(right, -3))
    each, length = wide(gradient, -1), wide(distances, -1)
    if order == 0:
        return module.constant(0, out.shape, out.dtype)
    if order == 1:
        found = module.sign(gap)
    elif math.isinf(order):
        found = module.select(module.compare(module.abs(gap), length, "EQ"), module.sign(gap), 0)
    elif order == 2:
        found = module.divide(gap, length)
    else:
        powers = [module.power(x, order - 1) for x in (module.abs(gap), length)]
        found = module.multiply(module.sign(gap), module.divide(*powers))
    found = module.select(module.compare(length, 0, "EQ"), 0, found)
    result = module.reduce(module.multiply(each, found), "sum", [-2])
    return module.reduce(result, "sum", range(result.rank - len(out.shape)))  # batches that it was broadcast to


TABLE: dict[str, typing.Any] = {
    f"aten.{name}.default": _mm for name in ("mm", "bmm", "mv", "dot", "matmul")
} | {f"aten.{name}.default": _addmm for name in ("addmm", "addmv", "baddbmm")} | {
    "aten._cdist_backward.default": _distance_gradient,
    "aten._cdist_forward.default": _distance,
    "aten._trilinear.default": _trilinear,
    "aten.addbmm.default": _addbmm,
    "aten.convolution.default": _convolution,
    "aten.convolution_backward.default": _convolution_backward,
}
