# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of numpy, torch and JAX: each as numpy, and results as what the arguments were."""
from __future__ import annotations

import sys
import typing

if typing.TYPE_CHECKING:
    import numpy

_ALIGNMENT = 64

# Element types in the order of dmc_element_type, which begins at 1, and what numpy calls them; it has no bf16.
NUMPY_TYPES = {
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "ui8": "uint8", "ui16": "uint16",
    "ui32": "uint32", "ui64": "uint64", "f16": "float16", "bf16": None, "f32": "float32", "f64": "float64"
}


def numpy_dtype(name: str) -> "numpy.dtype":
    """numpy's of an element type; of bf16 that of ml_dtypes, or the bits as uint16 where ml_dtypes is not installed."""
    import numpy
    if name != "bf16":
        return numpy.dtype(NUMPY_TYPES[name])
    try:
        import ml_dtypes
    except ImportError:
        return numpy.dtype("uint16")
    return numpy.dtype(ml_dtypes.bfloat16)


def kind_of(array: typing.Any) -> str:
    """"torch", "jax" or "numpy", without importing what is not loaded."""
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(array, torch.Tensor):
        return "torch"
    if jax is not None and isinstance(array, jax.Array):
        return "jax"
    return "numpy"


def to_numpy(array: typing.Any) -> typing.Any:
    """Tensors of torch and arrays of JAX as numpy arrays, on the processor without a copy; other things as they are.
    bfloat16 of torch becomes its bits, a typed key of JAX its data."""
    kind = kind_of(array)
    if kind == "torch":
        torch = sys.modules["torch"]
        array = array.detach().cpu()
        return (array.view(torch.uint16) if array.dtype == torch.bfloat16 else array).numpy()
    if kind == "jax":
        jax = sys.modules["jax"]
        if jax.numpy.issubdtype(array.dtype, jax.dtypes.prng_key):
            array = jax.random.key_data(array)
        import numpy
        return numpy.asarray(array)
    if hasattr(array, "__dlpack__") and not hasattr(array, "__array__"):
        import numpy
        return numpy.from_dlpack(array)
    return array


def make_aligned(shape: tuple[int, ...], dtype: "numpy.dtype") -> "numpy.ndarray":
    """An array at an address at which JAX takes it over without a copy."""
    import numpy
    num_bytes = dtype.itemsize
    for size in shape:
        num_bytes *= size
    block = numpy.empty(num_bytes + _ALIGNMENT, numpy.uint8)
    begin = -block.ctypes.data % _ALIGNMENT
    return block[begin:begin + num_bytes].view(dtype).reshape(shape)


def from_numpy(array: "numpy.ndarray", kind: str, is_bf16: bool = False) -> typing.Any:
    """An array as what `kind_of` names, without a copy where the framework can read numpy's memory."""
    if kind == "torch":
        torch = sys.modules["torch"]
        if is_bf16:
            return torch.from_numpy(array.view("uint16")).view(torch.bfloat16)
        return torch.from_numpy(array)
    if kind == "jax":
        jax = sys.modules["jax"]
        return jax.numpy.asarray(array.view(jax.numpy.bfloat16) if is_bf16 else array)
    return array
