# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of convolutions and poolings: kernel, strides, dilations, and padding by its several attributes."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..node import Node


@dataclasses.dataclass(frozen=True)
class Window:
    """One entry for each spatial dimension."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[tuple[int, int]]  # as the attributes state them, or as auto_pad determines
    extra: list[int]  # what rounding the size up adds behind

    @property
    def padding(self) -> list[tuple[int, int]]:
        return [(low, high + more) for (low, high), more in zip(self.pads, self.extra)]


def _auto_pads(mode: str, sizes: Sequence[int], extents: Sequence[int],
               strides: Sequence[int]) -> list[tuple[int, int]]:
    pads = []
    for size, extent, stride in zip(sizes, extents, strides):
        total = max(0, (-(-size // stride) - 1) * stride + extent - size) if mode != "VALID" else 0
        small = total // 2
        pads.append((small, total - small) if mode == "SAME_UPPER" else (total - small, small))
    return pads


def read_window(node: Node, sizes: Sequence[int], kernel: Sequence[int] | None = None) -> Window:
    """The window of a node on spatial dimensions of these sizes; kernel: the sizes of an operand that holds one."""
    count = len(sizes)
    shape = node.attribute("kernel_shape")
    shape = list(kernel if kernel is not None else shape or [])
    strides, dilations = (node.attribute(name) or [1] * count for name in ("strides", "dilations"))
    mode, flat, rounds_up = node.attribute("auto_pad", "NOTSET"), node.attribute("pads"), node.attribute("ceil_mode", 0)
    node.expect(len(shape) == len(strides) == len(dilations) == count and len(flat or [0] * 2 * count) == 2 * count,
                f"expected a window, strides, dilations and pads of {count} spatial dimensions")
    node.expect(mode in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"), f"unknown auto_pad {mode!r}")
    extents = [(size - 1) * gap + 1 for size, gap in zip(shape, dilations)]
    if mode == "NOTSET":
        flat = flat or [0] * 2 * count
        pads = list(zip(flat[:count], flat[count:]))
    else:
        pads = _auto_pads(mode, sizes, extents, strides)
    extra = [0] * count
    if rounds_up and mode == "NOTSET":
        for i, (size, extent, stride, (low, high)) in enumerate(zip(sizes, extents, strides, pads)):
            places = max(0, -(-(size + low + high - extent) // stride) + 1)
            if places and (places - 1) * stride >= size + low:
                places -= 1  # a window that would begin behind the input and what is before it
            extra[i] = max(0, (places - 1) * stride + extent - size - low - high)
    return Window(shape, list(strides), list(dilations), pads, extra)
