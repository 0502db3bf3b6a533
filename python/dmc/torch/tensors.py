# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as numpy arrays and back; bf16, which numpy lacks, as its bits, complex numbers from programs as pairs."""
from __future__ import annotations

import numpy
import torch


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor whose memory holds its values, row-major; without a copy where it does."""
    tensor = tensor.detach().contiguous()
    return tensor.resolve_neg().resolve_conj() if tensor.is_neg() or tensor.is_conj() else tensor


def to_array(tensor: torch.Tensor) -> numpy.ndarray:
    """Of a dense tensor, row-major; without a copy where it is contiguous."""
    tensor = plain(tensor.cpu())
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view("uint16")
    return tensor.numpy()


def to_tensor(array: numpy.ndarray, dtype: torch.dtype) -> torch.Tensor:
    """The array, row-major, as a tensor of a type; its own memory where the types are one."""
    if dtype == torch.bfloat16:
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    if dtype.is_complex:
        return torch.view_as_complex(torch.from_numpy(array)).to(dtype)
    return torch.from_numpy(array).to(dtype)
