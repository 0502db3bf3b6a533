# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fused attention operators and their gradients, by their definition."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ..stablehlo import Value
from .result import ProgramModule, Result, accumulator


def _product(module: ProgramModule, left: Value, right: Value, contract: tuple[int, int]) -> Value:
    """Of the last two dimensions, the others being batches."""
    batch, lead = list(range(left.rank - 2)), left.rank - 2
    return module.dot_general(left, right, ([lead + contract[0]], [lead + contract[1]]), (batch, batch))


def _scores(module: ProgramModule, query: Value, key: Value, causal: bool, mask: Value | None,
            scale: float | None) -> Value:
    """Scaled products of queries and keys, of masked pairs -inf."""
    factor = scale if scale is not None else 1 / math.sqrt(query.shape[-1])
    scores = module.multiply(_product(module, query, key, (1, 1)), factor)
    if causal:
        row, column = (module.iota(scores.shape, dim, "i64") for dim in (-2, -1))
        scores = module.select(module.compare(column, row, "LE"), scores, -math.inf)
    if mask is None:
        return scores
    if mask.dtype == "i1":
        return module.select(module.broadcast_to(mask, scores.shape), scores, -math.inf)
    return module.add(scores, module.broadcast_to(module.convert(mask, scores.dtype), scores.shape))


def _heads(module: ProgramModule, x: Value, count: int) -> Value:
    """Keys or values of fewer heads, each for several heads of queries."""
    if x.rank < 4 or x.shape[1] == count:
        return x
    sizes = (x.shape[0], x.shape[1], count // x.shape[1], *x.shape[2:])
    return module.reshape(module.broadcast_in_dim(x, sizes, [0, 1, 3, 4]), (x.shape[0], count, *x.shape[2:]))


def _attention(module: ProgramModule, out: Sequence[Result], query: Value, key: Value, value: Value,
               probability: float = 0.0, causal: bool = False, *, attn_mask: Value | None = None,
               scale: float | None = None) -> list[Value]:
    """_scaled_dot_product_flash_attention_for_cpu: the output, and the logarithms of the sums of exponentials."""
    module.expect(not probability, "unsupported dropout of fused attention")
    wide = accumulator(query.dtype)
    query, key, value = (module.convert(x, wide) for x in (query, key, value))
    key, value = (_heads(module, x, query.shape[1]) for x in (key, value))
    scores = _scores(module, query, key, causal, attn_mask, scale)
    top = module.reduce(scores, "max", [-1], True)
    top = module.select(module.is_finite(top), top, 0.0)
    powers = module.exponential(module.subtract(scores, module.broadcast_to(top, scores.shape)))
    total = module.reduce(powers, "sum", [-1], True)
    result = module.divide(_product(module, powers, value, (1, 0)),
                           module.broadcast_to(total, (*total.shape[:-1], value.shape[-1])))
    logs = module.reshape(module.add(module.log(total), top), total.shape[:-1])
    if logs.shape != out[1].shape:  # heads last, in some versions
        logs = module.transpose(logs, [0, 2, 1])
    return [module.convert(result, out[0].dtype), module.convert(logs, out[1].dtype)]


def _sum_heads(module: ProgramModule, x: Value, out: Result) -> Value:
    if x.shape != out.shape:
        x = module.reduce(module.reshape(x, (x.shape[0], out.shape[1], -1, *x.shape[2:])), "sum", [2])
    return module.convert(x, out.dtype)


def _attention_backward(module: ProgramModule, out: Sequence[Result], gradient: Value, query: Value, key: Value,
                        value: Value, result: Value, logs: Value, probability: float, causal: bool, *,
                        attn_mask: Value | None = None, scale: float | None = None) -> list[Value]:
    module.expect(not probability, "unsupported dropout of fused attention")
    wide = accumulator(query.dtype)
    gradient, query, key, value, result, logs = (module.convert(x, wide)
                                                 for x in (gradient, query, key, value, result, logs))
    key, value = (_heads(module, x, query.shape[1]) for x in (key, value))
    scores = _scores(module, query, key, causal, attn_mask, scale)
    if logs.shape != scores.shape[:-1]:
        logs = module.transpose(logs, [0, 2, 1])
    weights = module.exponential(module.subtract(scores, module.broadcast_in_dim(logs, scores.shape, range(3))))
    of_value = _product(module, weights, gradient, (0, 0))
    of_weights = _product(module, gradient, value, (1, 1))
    inner = module.reduce(module.multiply(gradient, result), "sum", [-1], True)
    of_scores = module.multiply(weights, module.subtract(of_weights, module.broadcast_to(inner, of_weights.shape)))
    factor = scale if scale is not None else 1 / math.sqrt(query.shape[-1])
    of_scores = module.multiply(of_scores, factor)
    found = (_product(module, of_scores, key, (1, 0)), _product(module, of_scores, query, (0, 0)), of_value)
    return [_sum_heads(module, x, part) for x, part in zip(found, out)]


_CPU = "aten._scaled_dot_product_flash_attention_for_cpu"
TABLE: dict[str, typing.Any] = {f"{_CPU}.default": _attention, f"{_CPU}_backward.default": _attention_backward}
