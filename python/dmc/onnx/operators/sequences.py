# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences of tensors, whose length is known when the model is imported."""
from __future__ import annotations

from ..node import Node, Result, known, operator
from .shapes import split


def _position(node: Node, index: int, length: int) -> int:
    """A known position in [-length, length), from the first."""
    (place,) = node.numbers(index)
    node.expect(-length <= place < length, f"expected a position in a sequence of {length}, found {place}")
    return place + length if place < 0 else place


@operator("SequenceEmpty")
def _empty(node: Node) -> Result:
    node.attribute("dtype")
    return []


@operator("SequenceConstruct")
def _construct(node: Node) -> Result:
    return list(node.inputs)


@operator("SequenceInsert")
def _insert(node: Node) -> Result:
    items = list(node.sequence(0))
    (place,) = node.numbers(2) if node.has(2) else [len(items)]
    node.expect(-len(items) <= place <= len(items),
                f"expected a position in a sequence of {len(items)} or behind it, found {place}")
    items.insert(place, node.tensor(1))  # as a list, which counts negative positions from the last
    return items


@operator("SequenceErase")
def _erase(node: Node) -> Result:
    items = list(node.sequence(0))
    node.expect(len(items) > 0, "expected a sequence that is not empty")
    del items[_position(node, 1, len(items)) if node.has(1) else -1]
    return items


@operator("SequenceAt")
def _at(node: Node) -> Result:
    items = node.sequence(0)
    return items[_position(node, 1, len(items))]


@operator("SequenceLength")
def _length(node: Node) -> Result:
    return known(len(node.sequence(0)), "i64")


@operator("ConcatFromSequence")
def _concatenate(node: Node) -> Result:
    m, axis = node.m, node.needs("axis")
    items = [item for item in node.sequence(0) if item is not None and not isinstance(item, list)]
    values = [node.as_value(item) for item in items]
    node.expect(len(values) > 0, "expected a sequence that is not empty")
    if node.attribute("new_axis", 0):
        values = [m.expand_dims(value, [axis]) for value in values]
    return m.concatenate(values, axis)


@operator("SplitToSequence")
def _split(node: Node) -> Result:
    m, x = node.m, node.value(0)
    axis = m.dim(node.attribute("axis", 0), x.rank)
    size, keeps = x.shape[axis], node.attribute("keepdims", 1)
    parts = node.numbers(1) if node.has(1) else [1] * size
    if node.has(1) and not node.array(1).shape:
        (chunk,) = parts
        node.expect(chunk > 0, f"expected parts of at least one element, found {chunk}")
        parts = [min(chunk, size - begin) for begin in range(0, size, chunk)]
    node.expect(sum(parts) == size, f"expected parts of {size} elements in all, found {parts}")
    values = split(node, x, axis, parts)
    return [m.squeeze(value, [axis]) for value in values] if not node.has(1) and not keeps else list(values)
