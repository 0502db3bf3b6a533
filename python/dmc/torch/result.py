# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What FX metadata say of a node's result."""
from __future__ import annotations

import dataclasses

import torch

DTYPES = {
    torch.bool: "i1", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
    torch.uint8: "ui8", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64"
}


@dataclasses.dataclass(frozen=True)
class Result:
    shape: tuple[int, ...]
    dtype: str
    common: str  # the type that the operands are promoted to
