# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RNN, GRU and LSTM: a loop over time for each direction."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ...stablehlo import Module, Value
from ..node import Node, Result, operator
from .elementwise import softplus

Function = Callable[[Value], Value]
_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
_DEFAULTS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


def _functions(node: Node, directions: int) -> list[Function]:
    """Activations, those of the second direction behind those of the first."""
    m, count = node.m, len(_DEFAULTS[node.op])
    names = node.attribute("activations") or _DEFAULTS[node.op] * directions
    alphas, betas = (list(node.attribute(name) or []) for name in ("activation_alpha", "activation_beta"))
    node.expect(len(names) == count * directions, f"expected {count * directions} activations, found {names}")

    def make(name: str) -> Function:
        first = {
            "leakyrelu": 0.01, "elu": 1.0, "hardsigmoid": 0.2, "affine": 1.0, "thresholdedrelu": 1.0, "scaledtanh": 1.0
        }
        second = {"hardsigmoid": 0.5, "affine": 0.0, "scaledtanh": 1.0}
        key = name.lower()
        a = (alphas.pop(0) if alphas else first[key]) if key in first else 0.0
        b = (betas.pop(0) if betas else second[key]) if key in second else 0.0
        table: dict[str, Function] = {
            "sigmoid": m.logistic, "tanh": m.tanh, "relu": lambda x: m.maximum(x, 0.0), "softplus":
            lambda x: softplus(m, x), "affine": lambda x: m.add(m.multiply(x, a), b), "softsign":
            lambda x: m.divide(x, m.add(m.abs(x), 1.0)), "scaledtanh":
            lambda x: m.multiply(m.tanh(m.multiply(x, b)), a), "hardsigmoid":
            lambda x: m.clamp(0.0, m.add(m.multiply(x, a), b), 1.0), "leakyrelu":
            lambda x: m.select(m.compare(x, 0.0, "LT"), m.multiply(x, a), x), "thresholdedrelu":
            lambda x: m.select(m.compare(x, a, "GT"), x, 0.0), "elu":
            lambda x: m.select(m.compare(x, 0.0, "LT"), m.multiply(m.exponential_minus_one(x), a), x)
        }
        if key not in table:
            raise node.unsupported(f"activation {name!r}")
        return table[key]

    return [make(name) for name in names]


@dataclasses.dataclass(frozen=True)
class _Cell:
    """What one direction computes with."""

    kind: str
    recurrence: Value  # gates * hidden x hidden
    bias: Value | None  # of the recurrence, gates * hidden
    peepholes: Value | None
    functions: list[Function]
    clip: Function
    is_linear_before_reset: bool
    couples_forget: bool


def _gate(m: Module, x: Value, index: int, hidden: int) -> Value:
    return m.slice_dim(x, x.rank - 1, index * hidden, (index + 1) * hidden)


def _project(m: Module, x: Value, weight: Value, bias: Value | None) -> Value:
    y = m.dot_general(x, weight, ([x.rank - 1], [1]))
    return y if bias is None else m.add(y, m.broadcast_to(bias, y.shape))


def _rnn(m: Module, cell: _Cell, x: Value, h: Value) -> list[Value]:
    return [cell.functions[0](cell.clip(m.add(x, _project(m, h, cell.recurrence, cell.bias))))]


def _gru(m: Module, cell: _Cell, x: Value, h: Value) -> list[Value]:
    hidden = h.shape[-1]
    f, g = cell.functions
    rows = [m.slice_dim(cell.recurrence, 0, i * hidden, (i + 1) * hidden) for i in range(3)]
    biases = [None if cell.bias is None else _gate(m, cell.bias, i, hidden) for i in range(3)]
    z, r = (f(cell.clip(m.add(_gate(m, x, i, hidden), _project(m, h, rows[i], biases[i])))) for i in range(2))
    if cell.is_linear_before_reset:
        inner = m.multiply(r, _project(m, h, rows[2], biases[2]))
    else:
        inner = _project(m, m.multiply(r, h), rows[2], biases[2])
    new = g(cell.clip(m.add(_gate(m, x, 2, hidden), inner)))
    return [m.add(m.multiply(m.subtract(1.0, z), new), m.multiply(z, h))]


def _lstm(m: Module, cell: _Cell, x: Value, h: Value, c: Value) -> list[Value]:
    hidden = h.shape[-1]
    f, g, last = cell.functions
    total = m.add(x, _project(m, h, cell.recurrence, cell.bias))

    def gate(index: int, peephole: int, state: Value) -> Value:
        value = _gate(m, total, index, hidden)
        if cell.peepholes is not None:
            value = m.add(value,
                          m.multiply(state, m.broadcast_to(_gate(m, cell.peepholes, peephole, hidden), state.shape)))
        return f(cell.clip(value))

    i = gate(0, 0, c)
    forget = m.subtract(1.0, i) if cell.couples_forget else gate(2, 2, c)
    new = m.add(m.multiply(forget, c), m.multiply(i, g(cell.clip(_gate(m, total, 3, hidden)))))
    return [m.multiply(gate(1, 1, new), last(new)), new]


_STEPS: dict[str, Callable[..., list[Value]]] = {"RNN": _rnn, "GRU": _gru, "LSTM": _lstm}


def _run(node: Node, cell: _Cell, x: Value, states: list[Value], lengths: Value | None,
         is_reversed: bool) -> tuple[Value, list[Value]]:
    """Outputs of all steps (time x batch x hidden) and the last states; x: time x batch x gates * hidden."""
    m, steps = node.m, x.shape[0]
    shape = states[0].shape
    outputs = m.constant(0, (steps, *shape), x.dtype)

    def body(index: Value, every: Value, *old: Value) -> list[Value]:
        place = m.subtract(m.constant(steps - 1), index) if is_reversed else index
        now = m.reshape(m.dynamic_slice(x, [place, 0, 0], (1, *x.shape[1:])), x.shape[1:])
        new = _STEPS[cell.kind](m, cell, now, *old)
        shown = new[0]
        if lengths is not None:
            # Beyond its length a sequence keeps its state, and gives zeros.
            is_in = m.compare(m.broadcast_to(place, lengths.shape), lengths, "LT")
            is_in = m.broadcast_in_dim(is_in, shape, [0])
            new = [m.select(is_in, a, b) for a, b in zip(new, old)]
            shown = m.select(is_in, shown, 0.0)
        every = m.dynamic_update_slice(every, m.expand_dims(shown, [0]), [place, 0, 0])
        return [every, *new]

    outputs, *states = m.fori_loop(0, steps, body, [outputs, *states])
    return outputs, states


def _part(node: Node, index: int, direction: int) -> Value | None:
    """One direction of an input whose first dimension is directions."""
    x = node.optional(index)
    if x is None:
        return None
    return node.m.squeeze(node.m.slice_dim(x, 0, direction, direction + 1), [0])


@operator("RNN", "GRU", "LSTM")
def _recurrent(node: Node) -> Result:
    m, x = node.m, node.value(0)
    direction, layout, limit = node.attribute("direction", "forward"), node.attribute("layout",
                                                                                      0), node.attribute("clip")
    node.expect(direction in ("forward", "reverse", "bidirectional"), f"unknown direction {direction!r}")
    count = 2 if direction == "bidirectional" else 1
    x = m.transpose(x, [1, 0, 2]) if layout else x
    hidden, gates = node.value(2).shape[-1], _GATES[node.op]
    node.attribute("hidden_size")
    node.expect(
        node.value(1).shape == (count, gates * hidden, x.shape[2]),
        f"expected weights of shape {(count, gates * hidden, x.shape[2])}, found {node.value(1)}")
    functions, per = _functions(node, count), len(_DEFAULTS[node.op])
    resets, couples = bool(node.attribute("linear_before_reset", 0)), bool(node.attribute("input_forget", 0))
    clip: Function = (lambda v: v) if limit is None else (lambda v: m.clamp(-limit, v, limit))
    lengths = m.convert(node.value(4), "i64") if node.has(4) else None
    number = 2 if node.op == "LSTM" else 1
    every, last = [], []
    for d in range(count):
        weight, recurrence, bias = (_part(node, index, d) for index in (1, 2, 3))
        assert weight is not None and recurrence is not None
        halves = [None, None] if bias is None else [
            m.slice_dim(bias, 0, i * gates * hidden, (i + 1) * gates * hidden) for i in range(2)
        ]
        states = []
        for index in range(5, 5 + number):
            start = node.optional(index)
            start = m.transpose(start, [1, 0, 2]) if start is not None and layout else start
            states.append(
                m.constant(0, (x.shape[1],
                               hidden), x.dtype) if start is None else m.squeeze(m.slice_dim(start, 0, d, d + 1), [0]))
        cell = _Cell(node.op, recurrence, halves[1],
                     _part(node, 7, d) if node.op == "LSTM" else None, functions[d * per:(d + 1) * per], clip, resets,
                     couples)
        outputs, states = _run(node, cell, _project(m, x, weight, halves[0]), states, lengths, direction == "reverse"
                               or d == 1)
        every.append(m.expand_dims(outputs, [1]))
        last.append(states)
    y = m.concatenate(every, 1)
    finals = [m.concatenate([m.expand_dims(states[i], [0]) for states in last], 0) for i in range(number)]
    if layout:
        y, finals = m.transpose(y, [2, 0, 1, 3]), [m.transpose(value, [1, 0, 2]) for value in finals]
    return (y, *finals)
