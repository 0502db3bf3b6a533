# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as numpy arrays and back; bf16, which numpy lacks, as its bits."""
from __future__ import annotations

import numpy
import torch


def to_array(tensor: torch.Tensor) -> numpy.ndarray:
    """Of a dense tensor, row-major; without a copy where it is contiguous."""
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view("uint16")
    return tensor.numpy()


def to_tensor(array: numpy.ndarray, dtype: torch.dtype) -> torch.Tensor:
    """The array, row-major, as a tensor of a type; its own memory where the types are one."""
    if dtype == torch.bfloat16:
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(array).to(dtype)
