# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that draw random numbers."""
from __future__ import annotations

import typing
from collections.abc import Sequence

from ..stablehlo import Value
from .elementwise import cast
from .result import ProgramModule, Result


def _uniform(module: ProgramModule, out: Result, *_: typing.Any, **__: typing.Any) -> Value:
    return module.draw().uniform(out.shape, out.dtype)


def _normal(module: ProgramModule, out: Result, *_: typing.Any, **__: typing.Any) -> Value:
    return module.draw().normal(out.shape, out.dtype)


def _scaled_normal(module: ProgramModule, out: Result, mean: typing.Any = 0.0, deviation: typing.Any = 1.0,
                   *_: typing.Any, **__: typing.Any) -> Value:
    scaled = module.multiply(module.draw().normal(out.shape, out.dtype), cast(module, out, deviation))
    return module.add(scaled, cast(module, out, mean))


def _in_range(module: ProgramModule, out: Result, x: Value, low: float = 0.0, high: float = 1.0,
              **_: typing.Any) -> Value:
    return module.add(module.multiply(module.draw().uniform(out.shape, out.dtype), high - low), low)


def _exponential(module: ProgramModule, out: Result, x: Value, rate: float = 1.0, **_: typing.Any) -> Value:
    rest = module.subtract(1.0, module.draw().uniform(out.shape, out.dtype))
    return module.multiply(module.log(rest), -1 / rate)


def _bernoulli(module: ProgramModule, out: Result, x: Value, probability: typing.Any = None, **_: typing.Any) -> Value:
    if probability is None:
        probability = x
    if isinstance(probability, Value):
        probability = cast(module, out, probability, "f32")
    return module.convert(module.draw().chance(out.shape, probability), out.dtype)


def _dropout(module: ProgramModule, out: Sequence[Result], x: Value, probability: float,
             train: bool | None = True) -> list[Value]:
    if train is False or not probability:
        return [x, module.constant(True, x.shape, "i1")]
    keep = module.draw().chance(x.shape, 1.0 - probability)
    scaled = module.multiply(x, 1 / (1 - probability)) if probability < 1 else x
    return [module.select(keep, scaled, 0), keep]


def _dropout_gradient(module: ProgramModule, out: Result, gradient: Value, mask: Value, scale: float) -> Value:
    return module.select(mask, module.multiply(gradient, scale), 0)


def _integers(module: ProgramModule, out: Result, *given: typing.Any, **_: typing.Any) -> Value:
    """randint(high, size), randint(low, high, size), and the same of a tensor's shape."""
    numbers = [item for item in given if isinstance(item, int)]
    low, high = (0, numbers[0]) if len(numbers) == 1 else numbers[:2]
    return module.draw().integers(out.shape, low, high, out.dtype)


def _permutation(module: ProgramModule, out: Result, count: int, **_: typing.Any) -> Value:
    order = module.sort([module.draw().bits((count,)), module.iota((count,), 0, "i64")], 0)
    return module.convert(order[1], out.dtype)


def _multinomial(module: ProgramModule, out: Result, weights: Value, count: int, replacement: bool = False,
                 **_: typing.Any) -> Value:
    """The places of the greatest of logarithms with noise of Gumbel's distribution."""
    draw = module.draw()
    number = count if replacement else 1
    shape = (*weights.shape[:-1], number, weights.shape[-1])
    rest = module.subtract(1.0, draw.uniform(shape, "f32"))
    noise = module.negate(module.log(module.negate(module.log(rest))))
    logs = module.log(module.convert(weights, "f32"))
    wide = module.broadcast_in_dim(logs, shape, [*range(weights.rank - 1), weights.rank])
    score = module.add(wide, noise)
    if replacement:
        return module.arg_reduce(score, "max", -1)
    return module.top_k(module.reshape(score, weights.shape), count, -1)[1]


TABLE: dict[str, typing.Any] = {
    f"aten.{name}.{kind}": _uniform
    for name in ("rand", "rand_like") for kind in ("default", "generator")
} | {f"aten.{name}.{kind}": _normal for name in ("randn", "randn_like") for kind in ("default", "generator")} | {
    f"aten.{name}.{kind}": _integers
    for name, kind in (("randint", "default"), ("randint", "low"), ("randint", "generator"),
                       ("randint", "low_generator"), ("randint_like", "default"), ("randint_like", "low_dtype"))
} | {f"aten.bernoulli.{kind}": _bernoulli for kind in ("default", "p", "Tensor")} | {
    f"aten.normal.{kind}": _scaled_normal
    for kind in ("float_float", "Tensor_float", "float_Tensor", "Tensor_Tensor")
} | {
    "aten.exponential.default": _exponential,
    "aten.multinomial.default": _multinomial,
    "aten.native_dropout.default": _dropout,
    "aten.native_dropout_backward.default": _dropout_gradient,
    "aten.normal_functional.default": lambda module, out, x, *given, **_: _scaled_normal(module, out, *given),
    "aten.randperm.default": _permutation,
    "aten.randperm.generator": _permutation,
    "aten.uniform.default": _in_range,
}
