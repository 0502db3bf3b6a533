# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops. Those of known conditions and trip counts are unrolled."""
from __future__ import annotations

import itertools

import numpy
import onnx

from ...errors import Error
from ...stablehlo import Value
from ..node import Item, Node, Result, Tensor, known, operator

_MOST_NODES = 20000  # that an unrolled loop may have


def _constant(array: numpy.ndarray) -> Tensor:
    return Tensor(array=array, is_constant=True)


def _values(node: Node, items: list[Item]) -> list[Value]:
    node.expect(all(isinstance(item, Tensor) for item in items),
                "unsupported: a sequence as the value of a branch or loop that is computed")
    return [node.as_value(item) for item in items if isinstance(item, Tensor)]


@operator("If")
def _if(node: Node) -> Result:
    yes, no = node.needs("then_branch"), node.needs("else_branch")
    condition = node.tensor(0)
    if condition.array is not None:
        return tuple(node.run_graph(yes if condition.array.reshape(()) else no, []))
    results = node.m.cond(node.m.reshape(node.value(0), ()), lambda: _values(node, node.run_graph(yes, [])),
                          lambda: _values(node, node.run_graph(no, [])))
    return tuple(results)


def _is_true(item: Item) -> bool | None:
    """What a condition is known to be."""
    if not isinstance(item, Tensor) or item.array is None:
        return None
    return bool(item.array.reshape(()))


def _stack(node: Node, rows: list[list[Item]], axes: list[int] | None = None) -> list[Value]:
    """What iterations give, one tensor of all for each output."""
    m, results = node.m, []
    for i, column in enumerate(zip(*rows)):
        values = _values(node, list(column))
        axis = m.dim(axes[i], values[0].rank + 1) if axes else 0
        results.append(m.concatenate([m.expand_dims(value, [axis]) for value in values], axis))
    return results


def _check_size(node: Node, body: onnx.GraphProto, count: int) -> None:
    node.expect(
        count * len(body.node) <= _MOST_NODES,
        f"unsupported: {count} iterations of {len(body.node)} nodes; expected at most {_MOST_NODES} nodes in all")


def _unroll(node: Node, body: onnx.GraphProto, carried: list[Item], condition: Item) -> Result:
    """Loop whose trip count and conditions are known."""
    number, rows = len(carried), []
    count = int(node.array(0).reshape(())) if node.has(0) else None
    _check_size(node, body, count or 0)
    for i in itertools.count() if count is None else range(count):
        if not _is_true(condition):
            break
        _check_size(node, body, i)
        found = node.run_graph(body, [_constant(known(i, "i64")), condition, *carried])
        condition = found[0] if node.has(1) else condition
        if _is_true(condition) is None:
            raise node.unsupported("a condition that data decide, with outputs of all iterations or a sequence,")
        carried = found[1:number + 1]
        rows.append(found[number + 1:])
    if len(body.output) - 1 > number and not rows:
        raise node.unsupported("no iteration, whose outputs have no shape,")
    return (*carried, *_stack(node, rows))


def _while(node: Node, body: onnx.GraphProto, carried: list[Item], condition: Item) -> Result:
    """Loop that the program runs: no sequence, no outputs of all iterations."""
    m = node.m
    start = _values(node, [condition, *carried])
    count = m.convert(m.reshape(node.value(0), ()), "i64") if node.has(0) else None

    def proceed(i: Value, go: Value, *_: Value) -> Value:
        return go if count is None else m.logical_and(go, m.compare(i, count, "LT"))

    def step(i: Value, go: Value, *values: Value) -> list[Value]:
        found = _values(node, node.run_graph(body, [Tensor(i), Tensor(go), *map(Tensor, values)]))
        return [m.add(i, 1), m.reshape(found[0], ()) if node.has(1) else go, *found[1:]]

    return tuple(m.while_loop([m.constant(0), m.reshape(start[0], ()), *start[1:]], proceed, step)[2:])


@operator("Loop")
def _loop(node: Node) -> Result:
    body, carried = node.needs("body"), node.inputs[2:]
    node.expect(node.has(0) or node.has(1), "expected a trip count or a condition")
    # Without a condition that of the body is ignored.
    condition: Item = node.tensor(1) if node.has(1) else _constant(numpy.asarray(True))
    has_scans = len(body.output) - 1 > len(carried)
    is_unrolled = has_scans or not all(isinstance(item, Tensor) for item in carried)
    if is_unrolled and _is_true(condition) is None:
        node.array(1)  # says of which inputs the condition is computed
    if is_unrolled or (_is_true(condition) is not None and (not node.has(0) or node.tensor(0).array is not None)):
        try:
            return _unroll(node, body, carried, condition)
        except Error:
            if is_unrolled:
                raise
    return _while(node, body, carried, condition)


@operator("Scan")
def _scan(node: Node) -> Result:
    m, body, scans = node.m, node.needs("body"), node.needs("num_scan_inputs")
    if node.opset < 9:
        raise node.unsupported(f"operator set {node.opset}")
    states = node.inputs[:len(node.inputs) - scans]
    values = [node.value(i) for i in range(len(states), len(node.inputs))]
    outputs = len(body.output) - len(states)
    axes, backward, out_axes, out_backward = (node.attribute(name) or [0] * count
                                              for name, count in (("scan_input_axes",
                                                                   scans), ("scan_input_directions",
                                                                            scans), ("scan_output_axes", outputs),
                                                                  ("scan_output_directions", outputs)))
    count = values[0].shape[m.dim(axes[0], values[0].rank)] if values else 0
    node.expect(count > 0, "expected at least one element to scan")
    _check_size(node, body, count)
    rows = []
    for i in range(count):
        items = []
        for value, axis, is_backward in zip(values, axes, backward):
            place = count - 1 - i if is_backward else i
            items.append(Tensor(m.squeeze(m.slice_dim(value, axis, place, place + 1), [axis])))
        found = node.run_graph(body, [*states, *items])
        states = found[:len(states)]
        rows.append(found[len(states):])
    results = _stack(node, rows, out_axes)
    results = [
        m.reverse(value, [axis]) if flag else value for value, axis, flag in zip(results, out_axes, out_backward)
    ]
    return (*states, *results)
