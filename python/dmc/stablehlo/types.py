# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, tensor types as text, and arrays as dense attributes."""
from __future__ import annotations

import typing
from collections.abc import Iterable

import numpy

from ..errors import Error

Shape = tuple[int, ...]

_NUMPY = {
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "ui8": "uint8", "ui16": "uint16",
    "ui32": "uint32", "ui64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
    "complex<f32>": "complex64", "complex<f64>": "complex128"
}
_NAMES = {name: dtype for dtype, name in _NUMPY.items()} | {"bfloat16": "bf16"}
_HEX_FROM = 16  # elements; larger arrays are written as their bytes

FLOATS = frozenset({"bf16", "f16", "f32", "f64"})
SIGNED = frozenset({"i8", "i16", "i32", "i64"})
UNSIGNED = frozenset({"ui8", "ui16", "ui32", "ui64"})
INTEGERS = SIGNED | UNSIGNED
COMPLEX = frozenset({"complex<f32>", "complex<f64>"})
NUMBERS = FLOATS | INTEGERS | COMPLEX
BITS = INTEGERS | {"i1"}
ANY = NUMBERS | {"i1"}


def check_dtype(dtype: str) -> str:
    """The element type itself; an Error if dmc has none of that name."""
    if dtype not in ANY:
        raise Error(f"unsupported element type {dtype!r}, expected one of {', '.join(sorted(ANY))}")
    return dtype


def dtype_of(array: numpy.ndarray | numpy.dtype) -> str:
    """The element type of a numpy array or dtype ("f32", ...; of ml_dtypes.bfloat16 "bf16")."""
    dtype = array if isinstance(array, numpy.dtype) else array.dtype
    if dtype.name not in _NAMES:
        raise Error(f"unsupported element type {dtype}, expected one of {', '.join(sorted(_NAMES))}")
    return _NAMES[dtype.name]


def numpy_dtype(dtype: str) -> numpy.dtype:
    """numpy's type of an element type; that of bf16 holds the bits, uint16."""
    return numpy.dtype("uint16" if check_dtype(dtype) == "bf16" else _NUMPY[dtype])


def bits_of(dtype: str) -> int:
    """The width of an element in bits; that of i1 is 1."""
    return 1 if dtype == "i1" else numpy_dtype(dtype).itemsize * 8


def complex_of(dtype: str) -> str:
    """The complex numbers whose parts are of a type."""
    return f"complex<{dtype}>"


def part_of(dtype: str) -> str:
    """The type of the parts of complex numbers; of other types the type itself."""
    return dtype[len("complex<"):-1] if dtype in COMPLEX else dtype


def is_float(dtype: str) -> bool:
    """True of f16, bf16, f32 and f64."""
    return dtype in FLOATS


def check_shape(shape: Iterable[int]) -> Shape:
    """A shape as a tuple of sizes, none negative."""
    sizes = tuple(shape)
    if not all(isinstance(size, (int, numpy.integer)) and size >= 0 for size in sizes):
        raise Error(f"expected a static shape of sizes that are not negative, found {sizes}")
    return tuple(int(size) for size in sizes)


def type_text(shape: Shape, dtype: str) -> str:
    """tensor<8x16xf32>"""
    return "tensor<" + "".join(f"{size}x" for size in shape) + dtype + ">"


def to_bfloat16_bits(array: numpy.ndarray) -> numpy.ndarray:
    """The bits of the nearest bf16 values, ties to even, as uint16; NaN stays one."""
    wide = numpy.asarray(array, "float32", order="C")
    bits = wide.view("uint32")
    rounded = (bits.astype("uint64") + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return numpy.where(numpy.isnan(wide), 0x7FC0 | (bits >> 31 << 15), rounded).astype("uint16")


def convert_array(values: typing.Any, dtype: str) -> numpy.ndarray:
    """An array of numpy_dtype(dtype). Values that already are of it, or bits of bf16 as uint16, stay what they are."""
    array = numpy.asarray(values)
    if array.dtype.name == "bfloat16":
        return array.view("uint16") if dtype == "bf16" else convert_array(array.astype("float32"), dtype)
    if dtype == "bf16":
        return array if array.dtype == numpy.uint16 else to_bfloat16_bits(array)
    with numpy.errstate(all="ignore"):
        return array.astype(numpy_dtype(dtype))


def _element_text(element: typing.Any, dtype: str) -> str:
    if dtype == "i1":
        return "true" if element else "false"
    if dtype in INTEGERS:
        return str(int(element))
    if dtype == "bf16":
        return f"0x{int(element):04X}"
    if dtype in COMPLEX:
        return f"({_element_text(element.real, part_of(dtype))}, {_element_text(element.imag, part_of(dtype))})"
    if numpy.isfinite(element):
        text = repr(float(element))
        return text if "." in text or "e" not in text else text.replace("e", ".0e")
    width = element.dtype.itemsize
    return f"0x{int(element.view(f'uint{8 * width}')):0{2 * width}X}"


def dense_text(array: numpy.ndarray, dtype: str) -> str:
    """The inside of dense<...> for an array of numpy_dtype(dtype)."""
    if not array.size:
        return ""
    flat = array.reshape(-1)
    if (flat.view("uint8").reshape(flat.size, -1) == flat[:1].view("uint8")).all():
        array = flat[:1].reshape(())
    is_odd = dtype in COMPLEX and not numpy.isfinite(array).all()
    if (array.size > _HEX_FROM or is_odd) and dtype != "i1":
        return f'"0x{numpy.ascontiguousarray(array).tobytes().hex().upper()}"'
    if not array.ndim:
        return _element_text(array[()], dtype)

    def nest(part: numpy.ndarray) -> str:
        inner = (nest(item) if part.ndim > 1 else _element_text(item, dtype) for item in part)
        return "[" + ", ".join(inner) + "]"

    return nest(array)


def promote_dtypes(*dtypes: str) -> str:
    """The type that numpy computes in; bf16 with f16 gives f32, and with integers bf16."""
    if not dtypes:
        raise Error("expected at least one element type to promote")
    result = dtypes[0]
    for other in dtypes[1:]:
        if "bf16" not in (result, other):
            result = dtype_of(numpy.promote_types(numpy_dtype(result), numpy_dtype(other)))
        elif result != other:
            wider = other if result == "bf16" else result
            result = wider if wider in COMPLEX else "bf16" if wider not in FLOATS else "f64" if wider == "f64" else "f32"
    return result
