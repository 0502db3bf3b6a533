# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products, einsum and convolutions."""
from __future__ import annotations

import collections

from ...stablehlo import FLOATS, Module, Value
from ..node import Node, Result, operator
from .windows import Window, read_window


@operator("MatMul")
def _matmul(node: Node) -> Result:
    return node.m.matmul(node.value(0), node.value(1))


@operator("Gemm")
def _gemm(node: Node) -> Result:
    m, a, b = node.m, node.value(0), node.value(1)
    node.expect(a.rank == b.rank == 2, f"expected matrices, found {a} and {b}")
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    contracting = ([0 if node.attribute("transA", 0) else 1], [1 if node.attribute("transB", 0) else 0])
    result = m.dot_general(a, b, contracting)
    node.expect(alpha == int(alpha) and beta == int(beta) or a.dtype in FLOATS,
                "expected alpha and beta without a fraction for integers")
    result = m.multiply(result, alpha) if alpha != 1 else result
    if not node.has(2) or beta == 0:
        return result
    c = m.broadcast_to(node.value(2), result.shape)
    return m.add(result, m.multiply(c, beta) if beta != 1 else c)


# Einsum: letters name dimensions; one product of two operands after the other.


def _parse(node: Node, values: list[Value]) -> tuple[list[str], str]:
    """Letters for the dimensions of each operand and of the result; an ellipsis becomes digits, right-aligned."""
    inputs, arrow, output = node.needs("equation").replace(" ", "").partition("->")
    parts = inputs.split(",")
    node.expect(len(parts) == len(values), f"expected {len(values)} operands in equation, found {inputs!r}")
    labels, widest = [], 0
    for part, value in zip(parts, values):
        letters = part.replace("...", "")
        count = value.rank - len(letters)
        node.expect(letters.isalpha() or not letters, f"expected letters in equation, found {part!r}")
        node.expect((0 <= count < 10) if "..." in part else count == 0, f"equation {part!r} does not fit {value}")
        widest = max(widest, count)
        labels.append(part.replace("...", "0123456789"[10 - count:]))
    if not arrow:
        counts = collections.Counter("".join(part.replace("...", "") for part in parts))
        output = ("..." if "..." in inputs else "") + "".join(
            sorted(letter for letter, count in counts.items() if count == 1))
    output = output.replace("...", "0123456789"[10 - widest:])
    node.expect(
        len(set(output)) == len(output) and set(output) <= set("".join(labels)),
        f"expected distinct letters of the operands in the result, found {output!r}")
    return labels, output


def _diagonal(m: Module, x: Value, labels: str) -> tuple[Value, str]:
    """x without repeated letters: elements off the diagonal are not counted."""
    for letter in dict.fromkeys(labels):
        while labels.count(letter) > 1:
            first, second = labels.index(letter), labels.rindex(letter)
            is_kept = m.compare(m.iota(x.shape, first), m.iota(x.shape, second), "EQ")
            x = m.reduce(m.select(is_kept, x, 0), "sum", [second])
            labels = labels[:second] + labels[second + 1:]
    return x, labels


def _sum_out(m: Module, x: Value, labels: str, keep: set[str]) -> tuple[Value, str]:
    dims = [i for i, letter in enumerate(labels) if letter not in keep]
    return (m.reduce(x, "sum", dims) if dims else x), "".join(letter for letter in labels if letter in keep)


def _contract(m: Module, left: tuple[Value, str], right: tuple[Value, str], keep: set[str]) -> tuple[Value, str]:
    """The product of two operands; letters of both that are not kept are summed over."""
    (a, one), (b, two) = left, right
    for letter in set(one) & set(two):  # of size 1 in one operand: broadcast
        sizes = a.shape[one.index(letter)], b.shape[two.index(letter)]
        if sizes[0] != sizes[1]:
            target = max(sizes)
            a, b = (m.broadcast_to(x, [target if label == letter else size for label, size in zip(labels, x.shape)])
                    for x, labels in ((a, one), (b, two)))
    both = [letter for letter in one if letter in two]
    batch, summed = [letter for letter in both if letter in keep], [letter for letter in both if letter not in keep]
    dims = [([labels.index(letter) for letter in group]) for group in (summed, batch) for labels in (one, two)]
    result = m.dot_general(a, b, (dims[0], dims[1]), (dims[2], dims[3]))
    return result, "".join(batch) + "".join(letter for letter in one if letter not in both) + "".join(
        letter for letter in two if letter not in both)


@operator("Einsum")
def _einsum(node: Node) -> Result:
    m, values = node.m, node.values()
    parts, output = _parse(node, values)
    operands = [_diagonal(m, value, labels) for value, labels in zip(values, parts)]
    while True:
        first, rest = operands[0], operands[1:]
        keep = set(output).union(*(labels for _, labels in rest))
        first = _sum_out(m, *first, keep)
        if not rest:
            break
        later = set(output).union(*(labels for _, labels in rest[1:]))
        second = _sum_out(m, *rest[0], later | set(first[1]))
        operands = [_contract(m, first, second, later), *rest[1:]]
    value, labels = first
    return m.transpose(value, [labels.index(letter) for letter in output])


# Convolutions.


def add_bias(node: Node, y: Value, index: int) -> Value:
    if not node.has(index):
        return y
    return node.m.add(y, node.m.broadcast_in_dim(node.value(index), y.shape, [1]))


def convolve(node: Node, x: Value, kernel: Value, window: Window) -> Value:
    return node.m.convolution(x,
                              kernel,
                              strides=window.strides,
                              padding=window.pads,
                              dilation=window.dilations,
                              feature_groups=node.attribute("group", 1))


@operator("Conv")
def _conv(node: Node) -> Result:
    x, kernel = node.value(0), node.value(1)
    window = read_window(node, x.shape[2:], kernel.shape[2:])
    return add_bias(node, convolve(node, x, kernel, window), 2)


def _transposed_pads(node: Node, sizes: tuple[int, ...], kernel: tuple[int, ...], strides: list[int],
                     dilations: list[int], extra: list[int]) -> list[tuple[int, int]]:
    """What the transposed convolution removes of its result before and behind each dimension."""
    mode, given, shape = node.attribute("auto_pad", "NOTSET"), node.attribute("pads"), node.attribute("output_shape")
    count = len(sizes)
    if mode == "VALID" or (mode == "NOTSET" and shape is None):
        flat = given if given and mode == "NOTSET" else [0] * 2 * count
        return list(zip(flat[:count], flat[count:]))
    shape = shape or [size * stride for size, stride in zip(sizes, strides)]
    pads = []
    for size, window, stride, gap, more, target in zip(sizes, kernel, strides, dilations, extra, shape[-count:]):
        total = max(0, stride * (size - 1) + more + (window - 1) * gap + 1 - target)
        small = total // 2
        pads.append((small, total - small) if mode == "SAME_UPPER" else (total - small, small))
    return pads


@operator("ConvTranspose")
def _conv_transpose(node: Node) -> Result:
    m, x, kernel, groups = node.m, node.value(0), node.value(1), node.attribute("group", 1)
    count = x.rank - 2
    node.expect(kernel.rank == x.rank and x.shape[1] == kernel.shape[0] and kernel.shape[0] % groups == 0,
                f"cannot convolve {x} with {kernel} in {groups} groups")
    window = kernel.shape[2:]
    node.attribute("kernel_shape")
    strides, dilations, extra = (node.attribute(name) or [default] * count
                                 for name, default in (("strides", 1), ("dilations", 1), ("output_padding", 0)))
    removed = _transposed_pads(node, x.shape[2:], window, strides, dilations, extra)
    target = node.attribute("output_shape")
    pads = [((size - 1) * gap - low, (size - 1) * gap - high + more)
            for size, gap, (low, high), more in zip(window, dilations, removed, extra)]
    if target:  # a result that is larger than what the windows reach has zeros behind
        reach = [(size - 1) * stride + 1 + low + high - (k - 1) * gap
                 for size, stride, (low, high), k, gap in zip(x.shape[2:], strides, pads, window, dilations)]
        pads = [(low, high + max(0, wanted - found))
                for (low, high), wanted, found in zip(pads, target[-count:], reach)]
    # The kernel of each group, with inputs and outputs exchanged.
    c, out = kernel.shape[0] // groups, kernel.shape[1]
    turned = m.transpose(m.reshape(kernel, (groups, c, out, *window)), [0, 2, 1, *range(3, 3 + count)])
    turned = m.reverse(m.reshape(turned, (groups * out, c, *window)), range(2, 2 + count))
    y = m.convolution(x, turned, padding=pads, input_dilation=strides, dilation=dilations, feature_groups=groups)
    return add_bias(node, y, 2)
