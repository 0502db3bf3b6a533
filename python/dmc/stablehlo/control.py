# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches."""
from __future__ import annotations

from collections.abc import Sequence

from .core import Body, Operand, Value, as_values
from .indexing import Indexing


class Control(Indexing):
    """while, a loop that counts, and if."""

    def while_loop(self, values: Sequence[Value], condition: Body, body: Body) -> list[Value]:
        """Repeats body(*values), which gives the values of the next iteration, while condition(*values) holds (i1 of rank 0)."""
        types = [(value.shape, value.dtype) for value in values]
        test, found = self.region(types, condition)
        self._same_types("the condition of a loop", found, [((), "i1")])
        step, results = self.region(types, body)
        self._same_types("the body of a loop", results, types)
        return self.emit("stablehlo.while", list(values), types, "", [test, step])

    def fori_loop(self,
                  low: Operand,
                  high: Operand,
                  body: Body,
                  values: Sequence[Value],
                  dtype: str = "i64") -> list[Value]:
        """body(index, *values) for each index from low up to, not including, high."""
        start, end = (bound if isinstance(bound, Value) else self.constant(bound, (), dtype) for bound in (low, high))

        def step(index: Value, *items: Value) -> list[Value]:
            results = as_values(body(index, *items))
            return [self.add(index, 1), *results]

        return self.while_loop([start, *values], lambda index, *_: self.compare(index, end, "LT"), step)[1:]

    def cond(self, condition: Value, yes: Body, no: Body) -> list[Value]:
        """What yes() gives if the condition (i1 of rank 0) holds, else what no() gives, of the same types."""
        self.expect((condition.shape, condition.dtype) == ((), "i1"),
                    f"expected a condition of i1 and rank 0, found {condition}")
        first, results = self.region([], yes)
        second, others = self.region([], no)
        types = [(value.shape, value.dtype) for value in results]
        self._same_types("the second branch", others, types)
        return self.emit("stablehlo.if", [condition], types, "", [first, second])
