# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products and convolutions."""
from __future__ import annotations

from collections.abc import Sequence

from .core import Value, array_text, list_text
from .shapes import Shapes
from .types import NUMBERS

Padding = Sequence[tuple[int, int]]  # before and behind, for each spatial dimension


def window_size(size: int, window: int, stride: int, padding: tuple[int, int], base: int = 1, dilation: int = 1) -> int:
    """The number of positions of a dilated window on a padded and dilated dimension."""
    padded = ((size - 1) * base + 1 if size else 0) + sum(padding)
    extent = (window - 1) * dilation + 1
    return 0 if padded < extent else (padded - extent) // stride + 1


def padding_text(padding: Padding) -> str:
    """An attribute of a pair for each dimension."""
    if not padding:
        return "dense<> : tensor<0x2xi64>"
    pairs = ", ".join(list_text(pair) for pair in padding)
    return f"dense<[{pairs}]> : tensor<{len(padding)}x2xi64>"


class Contraction(Shapes):
    """Products and convolutions."""

    def dot_general(self, left: Value, right: Value, contracting: tuple[Sequence[int], Sequence[int]],
                    batching: tuple[Sequence[int], Sequence[int]] = ((), ()), dtype: str | None = None) -> Value:
        """Sums of products over the contracting dimensions. The result has the batching dimensions, then the others of
        `left`, then those of `right`; dtype: of the result and of the sums, if it is wider than the operands'."""
        self.expect(left.dtype == right.dtype and left.dtype in NUMBERS,
                    f"expected operands of dot_general of one type of numbers, found {left} and {right}")
        dims = [(self.dims([*batch, *contract], x.rank), len(batch)) for x, batch, contract
                in zip((left, right), batching, contracting)]
        (lhs, batches), (rhs, others) = dims
        self.expect(
            len(lhs) == len(rhs) and batches == others
            and all(left.shape[a] == right.shape[b] for a, b in zip(lhs, rhs)),
            f"cannot contract {left} and {right} over {contracting} with batches {batching}")
        free = [
            tuple(size for dim, size in enumerate(x.shape) if dim not in used)
            for x, used in ((left, lhs), (right, rhs))
        ]
        shape = tuple(left.shape[dim] for dim in lhs[:batches]) + free[0] + free[1]
        parts = (("lhs_batching_dimensions", lhs[:batches]), ("rhs_batching_dimensions", rhs[:batches]),
                 ("lhs_contracting_dimensions", lhs[batches:]), ("rhs_contracting_dimensions", rhs[batches:]))
        numbers = ", ".join(f"{name} = {list_text(entry)}" for name, entry in parts if entry)
        return self.emit("stablehlo.dot_general", [left, right], [(shape, dtype or left.dtype)],
                         f"dot_dimension_numbers = #stablehlo.dot<{numbers}>")[0]

    def matmul(self, left: Value, right: Value) -> Value:
        """numpy.matmul: vectors as rows and columns, batches broadcast."""
        self.expect(left.rank > 0 and right.rank > 0,
                    f"expected operands of matmul of rank 1 and more, found {left} and {right}")
        a = self.expand_dims(left, [0]) if left.rank == 1 else left
        b = self.expand_dims(right, [1]) if right.rank == 1 else right
        if b.rank == 2:
            result = self.dot_general(a, b, ([a.rank - 1], [0]))
        else:
            batch = self.broadcast_shapes(a.shape[:-2], b.shape[:-2])
            a, b = (self.broadcast_to(x, batch + x.shape[-2:]) for x in (a, b))
            many = range(len(batch))
            result = self.dot_general(a, b, ([a.rank - 1], [b.rank - 2]), (many, many))
        if left.rank == 1:
            result = self.squeeze(result, [-1 if right.rank == 1 else -2])
        return self.squeeze(result, [-1]) if right.rank == 1 else result

    def convolution(self,
                    x: Value,
                    kernel: Value,
                    *,
                    strides: Sequence[int] | None = None,
                    padding: Padding | None = None,
                    dilation: Sequence[int] | None = None,
                    input_dilation: Sequence[int] | None = None,
                    feature_groups: int = 1,
                    batch_groups: int = 1,
                    reversal: Sequence[bool] | None = None,
                    layout: tuple[str, str, str] | None = None) -> Value:
        """A convolution of any number of spatial dimensions.

        x: batch, features and spatial dimensions; kernel: output and input features and spatial dimensions
        layout: other orders, of x, kernel and result, as letters b, f, o, i and digits: ("b01f", "01io", "b01f")
        input_dilation: distance of the elements of x, as a transposed convolution has it
        """
        count = x.rank - 2
        self.expect(x.rank == kernel.rank >= 2 and x.dtype == kernel.dtype, f"cannot convolve {x} with {kernel}")
        digits = "".join(map(str, range(count)))
        orders = layout or ("bf" + digits, "oi" + digits, "bf" + digits)
        for order, letters in zip(orders, ("bf", "oi", "bf"), strict=True):
            self.expect(
                sorted(order) == sorted(letters + digits), f"expected a layout of {letters}{digits}, found {order!r}")
        strides, dilation, inner = (list(item or [1] * count) for item in (strides, dilation, input_dilation))
        pairs = [(int(a), int(b)) for a, b in (padding or [(0, 0)] * count)]
        self.expect(
            len(strides) == len(dilation) == len(inner) == len(pairs) == count
            and min([*strides, *dilation, *inner], default=1) > 0,
            f"expected positive strides and dilations and pairs of padding, one for each of {count} spatial dimensions")
        size, taps = dict(zip(orders[0], x.shape)), dict(zip(orders[1], kernel.shape))
        self.expect(
            feature_groups > 0 and batch_groups > 0 and size["f"] == taps["i"] * feature_groups
            and taps["o"] % feature_groups == 0 and taps["o"] % batch_groups == 0 and size["b"] % batch_groups == 0,
            f"cannot convolve {x} with {kernel} in {feature_groups} groups of features and {batch_groups} of batches")
        sizes = {
            digit: window_size(size[digit], taps[digit], stride, pair, base, gap)
            for digit, stride, pair, base, gap in zip(digits, strides, pairs, inner, dilation)
        }
        sizes |= {"b": size["b"] // batch_groups, "f": taps["o"]}
        numbers = [f"[{', '.join(order)}]" for order in orders]
        flags = "" if reversal is None else f", window_reversal = array<i1: {', '.join(str(bool(flag)).lower() for flag in reversal)}>"
        return self.emit(
            "stablehlo.convolution", [x, kernel], [(tuple(sizes[letter] for letter in orders[2]), x.dtype)],
            f"batch_group_count = {batch_groups} : i64, feature_group_count = {feature_groups} : i64, "
            f"dimension_numbers = #stablehlo.conv<{numbers[0]}x{numbers[1]}->{numbers[2]}>, "
            f"window_strides = {array_text(strides)}, padding = {padding_text(pairs)}, "
            f"lhs_dilation = {array_text(inner)}, rhs_dilation = {array_text(dilation)}{flags}")[0]
