# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loss of connectionist temporal classification (Graves et al. 2006): sums over all alignments by dynamic
programming over the labels with blanks between them, a loop over the positions of the input."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

import torch

from ..stablehlo import Value
from .indexing import gather_along, scatter_along
from .result import ProgramModule, Result, accumulator

_NEVER = -math.inf  # the logarithm of a probability of 0


class _Alignments:
    """States of all sequences: at even places a blank, at odd ones a label."""

    def __init__(self, module: ProgramModule, logs: Value, targets: Value, lengths: typing.Any, counts: typing.Any,
                 blank: int):
        self.module, self.wide = module, accumulator(logs.dtype)
        self.logs = module.convert(logs, self.wide)
        self.positions, self.batch, self.classes = logs.shape
        self.lengths, self.counts = self._numbers(lengths), self._numbers(counts)
        labels = self._labels(module.convert(targets, "i64"), counts)
        self.states = 2 * labels.shape[1] + 1
        self.shape = (self.batch, self.states)
        blanks = module.constant(blank, (*labels.shape, 1), "i64")
        pairs = module.concatenate([blanks, module.expand_dims(labels, [2])], 2)
        flat = module.reshape(pairs, (self.batch, self.states - 1))
        self.labels = module.concatenate([flat, module.constant(blank, (self.batch, 1), "i64")], 1)
        # A label may follow the one before without a blank, if it is another.
        place = module.iota(self.shape, 1, "i64")
        differs = module.compare(self.labels, self._shift(self.labels, 2, -1), "NE")
        odd = module.compare(module.remainder(place, 2), 1, "EQ")
        later = module.compare(place, 1, "GT")
        self.may_skip = module.logical_and(module.logical_and(odd, differs), later)
        ends = module.multiply(self._each(self.counts), 2)
        behind = module.subtract(ends, place)  # the last label is one before the last blank
        self.is_end = module.logical_or(module.compare(behind, 0, "EQ"), module.compare(behind, 1, "EQ"))
        all_ = (self.positions, *self.shape)
        self.places = module.broadcast_in_dim(self.labels, all_, [1, 2])
        self.emitted = gather_along(module, self.logs, self.places, 2)

    def _numbers(self, given: typing.Any) -> Value:
        if isinstance(given, Value):
            return self.module.convert(self.module.reshape(given, (self.batch,)), "i64")
        return self.module.constant([int(item) for item in given], (self.batch,), "i64")

    def _each(self, x: Value) -> Value:
        """A value for each sequence as one for each state."""
        return self.module.broadcast_in_dim(x, self.shape, [0])

    def _labels(self, targets: Value, counts: typing.Any) -> Value:
        """A row of labels for each sequence."""
        module, known = self.module, None if isinstance(counts, Value) else max(map(int, counts), default=0)
        if targets.rank == 2:
            return targets if known is None else module.slice_dim(targets, 1, 0, min(known, targets.shape[1]))
        size = targets.shape[0] if known is None else known
        if not size:
            return module.constant(0, (self.batch, 0), "i64")
        begin = module.cumulative(self.counts, "sum", 0, exclusive=True)
        shape = (self.batch, size)
        place = module.add(module.broadcast_in_dim(begin, shape, [0]), module.iota(shape, 1, "i64"))
        return module.take(targets, module.minimum(place, targets.shape[0] - 1), 0)

    def _shift(self, x: Value, by: int, fill: typing.Any) -> Value:
        """Each state gets what the state so many places before has, or after if negative."""
        return self.module.pad(x, fill, [0, by], [0, -by])

    def _sum(self, summands: Sequence[Value]) -> Value:
        """The logarithm of the sum of exponentials."""
        module, top = self.module, summands[0]
        for summand in summands[1:]:
            top = module.maximum(top, summand)
        base = module.select(module.is_finite(top), top, 0.0)
        total = module.exponential(module.subtract(summands[0], base))
        for summand in summands[1:]:
            total = module.add(total, module.exponential(module.subtract(summand, base)))
        return module.add(module.log(total), base)

    def _row(self, index: Value) -> Value:
        found = self.module.dynamic_slice(self.emitted, [index, 0, 0], [1, *self.shape])
        return self.module.reshape(found, self.shape)

    def _is_first(self) -> Value:
        return self.module.compare(self.module.iota(self.shape, 1, "i64"), 2, "LT")

    def _before(self, now: Value) -> Value:
        """Of alignments that end in a state, from those of the position before."""
        module = self.module
        jump = module.select(self.may_skip, self._shift(now, 2, _NEVER), _NEVER)
        return self._sum([now, self._shift(now, 1, _NEVER), jump])

    def _after(self, now: Value) -> Value:
        """Of alignments that go on from a state, from those of the position after."""
        module = self.module
        jump = self._shift(module.select(self.may_skip, now, _NEVER), -2, _NEVER)
        return self._sum([now, self._shift(now, -1, _NEVER), jump])

    def loss(self) -> Value:
        module = self.module
        never = module.constant(_NEVER, self.shape, self.wide)
        start = module.select(self._is_first(), self._row(module.constant(0, (), "i64")), never)

        def step(index: Value, now: Value) -> Value:
            ends = module.compare(module.broadcast_to(index, self.shape), self._each(self.lengths), "LT")
            return module.select(ends, module.add(self._before(now), self._row(index)), now)

        last = module.fori_loop(1, self.positions, step, [start])[0]
        found = module.select(self.is_end, last, never)
        top = module.reduce(found, "max", [1])
        base = module.select(module.is_finite(top), top, 0.0)
        total = module.reduce(module.exponential(module.subtract(found, self._each(base))), "sum", [1])
        result = module.negate(module.add(module.log(total), base))
        # Of an input without positions.
        nothing = module.select(module.compare(self.counts, 0, "EQ"), 0.0, module.constant(math.inf, (self.batch,), self.wide))
        return module.select(module.compare(self.lengths, 0, "EQ"), nothing, result)

    def gradient(self, loss: Value) -> Value:
        """Of the logarithms before the softmax that they come from, as torch has it."""
        module = self.module
        never = module.constant(_NEVER, self.shape, self.wide)
        last = module.subtract(self._each(self.lengths), 1)

        def put(rows: Value, index: Value, row: Value) -> Value:
            return module.dynamic_update_slice(rows, module.expand_dims(row, [0]), [index, 0, 0])

        def forth(index: Value, now: Value, rows: Value) -> list[Value]:
            first = module.select(self._is_first(), 0.0, never)
            is_start = module.compare(module.broadcast_to(index, self.shape), 0, "EQ")
            now = module.add(module.select(is_start, first, self._before(now)), self._row(index))
            return [now, put(rows, index, now)]

        def back(number: Value, now: Value, rows: Value) -> list[Value]:
            index = module.subtract(self.positions - 1, number)
            place = module.broadcast_to(index, self.shape)
            final = module.select(self.is_end, 0.0, never)
            following = module.select(module.compare(place, last, "LT"), self._after(now), never)
            now = module.select(module.compare(place, last, "EQ"), final, following)
            # The emission counts once, in the other direction.
            return [module.add(now, self._row(index)), put(rows, index, now)]

        empty = module.constant(_NEVER, (self.positions, *self.shape), self.wide)
        ahead = module.fori_loop(0, self.positions, forth, [never, empty])[1]
        behind = module.fori_loop(0, self.positions, back, [never, empty])[1]
        both = module.add(module.add(ahead, behind), module.broadcast_in_dim(loss, empty.shape, [1]))
        zeros = module.constant(0, self.logs.shape, self.wide)
        taken = scatter_along(module, zeros, self.places, module.exponential(both), 2, "add")
        result = module.subtract(module.exponential(self.logs), taken)
        place = module.iota(self.logs.shape, 0, "i64")
        inside = module.compare(place, module.broadcast_in_dim(self.lengths, self.logs.shape, [1]), "LT")
        return module.select(inside, result, 0.0)


def _loss(module: ProgramModule, out: Result, logs: Value, targets: Value, lengths: typing.Any, counts: typing.Any,
          blank: int) -> Value:
    return module.convert(_Alignments(module, logs, targets, lengths, counts, blank).loss(), out.dtype)


def _gradient(module: ProgramModule, out: Result, gradient: Value, logs: Value, targets: Value, lengths: typing.Any,
              counts: typing.Any, loss: Value, blank: int, is_zero: bool) -> Value:
    alignments = _Alignments(module, logs, targets, lengths, counts, blank)
    loss, gradient = (module.convert(x, alignments.wide) for x in (loss, gradient))
    wide = lambda x: module.broadcast_in_dim(x, logs.shape, [1])
    result = module.multiply(alignments.gradient(loss), wide(gradient))
    if is_zero:
        result = module.select(wide(module.is_finite(loss)), result, 0.0)
    return module.convert(result, out.dtype)


# torch cannot tell the shapes of its operators without data: operators that lack their last result stand in.
_LIBRARY = torch.library.Library("dmc", "FRAGMENT")
_KINDS = {"default": "Tensor", "numbers": "int[]"}  # of the lengths
for _kind, _type in _KINDS.items():
    _name = "" if _kind == "default" else "." + _kind
    _given = f"Tensor logs, Tensor targets, {_type} lengths, {_type} counts"
    _LIBRARY.define(f"ctc_loss{_name}({_given}, int blank) -> Tensor")
    _LIBRARY.define(f"ctc_loss_backward{_name}(Tensor gradient, {_given}, Tensor loss, int blank, bool is_zero) -> Tensor")
    torch.library.register_fake(f"dmc::ctc_loss{_name}", lambda logs, *_: logs.new_empty(logs.shape[1]), lib=_LIBRARY)
    torch.library.register_fake(f"dmc::ctc_loss_backward{_name}", lambda _, logs, *__: torch.empty_like(logs), lib=_LIBRARY)


def _decomposed(kind: str) -> typing.Any:
    def forward(logs: torch.Tensor, targets: torch.Tensor, lengths: typing.Any, counts: typing.Any, blank: int = 0,
                is_zero: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
        return getattr(torch.ops.dmc.ctc_loss, kind)(logs, targets, lengths, counts, blank), logs.new_zeros(0)

    return forward


def _decomposed_backward(kind: str) -> typing.Any:
    def backward(gradient: torch.Tensor, logs: torch.Tensor, targets: torch.Tensor, lengths: typing.Any,
                 counts: typing.Any, loss: torch.Tensor, _: torch.Tensor, blank: int,
                 is_zero: bool = False) -> torch.Tensor:
        operator = getattr(torch.ops.dmc.ctc_loss_backward, kind)
        return operator(gradient, logs, targets, lengths, counts, loss, blank, is_zero)

    return backward


DECOMPOSITIONS: dict[typing.Any, typing.Any] = {
    torch.ops.aten._ctc_loss.Tensor: _decomposed("default"),
    torch.ops.aten._ctc_loss.default: _decomposed("numbers"),
    torch.ops.aten._ctc_loss_backward.Tensor: _decomposed_backward("default"),
    torch.ops.aten._ctc_loss_backward.default: _decomposed_backward("numbers"),
}
TABLE: dict[str, typing.Any] = {f"dmc.ctc_loss.{kind}": _loss for kind in _KINDS} | {
    f"dmc.ctc_loss_backward.{kind}": _gradient for kind in _KINDS
}
