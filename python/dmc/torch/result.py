# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What FX metadata say of a node's result, and the module that operators are built in."""
from __future__ import annotations

import dataclasses
import typing

import torch

from ..stablehlo import Module
from .random import Random

DTYPES = {
    torch.bool: "i1", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
    torch.uint8: "ui8", torch.uint16: "ui16", torch.uint32: "ui32", torch.uint64: "ui64", torch.float16: "f16",
    torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64", torch.complex64: "complex<f32>",
    torch.complex128: "complex<f64>"
}
TORCH_DTYPES = {name: dtype for dtype, name in DTYPES.items()}


@dataclasses.dataclass(frozen=True)
class Result:
    shape: tuple[int, ...]
    dtype: str
    common: str  # the type that the operands are promoted to


class ProgramModule(Module):
    """A module with the source of its random numbers, if it has one."""

    def __init__(self, name: str = "main", mesh: typing.Mapping[str, int] | None = None):
        super().__init__(name, mesh)
        self.random: Random | None = None

    def draw(self) -> Random:
        if self.random is None:
            raise self.error("unsupported random numbers without a key: expected seed= or key=")
        return self.random


def accumulator(dtype: str) -> str:
    """The type in which elements of a type are added."""
    return "f32" if dtype in ("f16", "bf16") else dtype
