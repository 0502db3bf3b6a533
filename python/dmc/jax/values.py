# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What JAX's values are in a program: typed keys are their data, Python numbers have the program's type."""
from __future__ import annotations

import typing

import jax
import numpy

from ..errors import Error


def is_key(dtype: typing.Any) -> bool:
    return jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key)


def to_array(leaf: typing.Any, aval: typing.Any, name: str) -> numpy.ndarray:
    """A leaf of a call as an array of the type that JAX gave it in the program."""
    if is_key(aval.dtype):
        return numpy.asarray(jax.random.key_data(leaf))
    if hasattr(leaf, "is_deleted") and leaf.is_deleted():
        raise Error(f"{name} has been deleted or donated")
    array = numpy.asarray(leaf)
    array = array if array.dtype == aval.dtype else array.astype(aval.dtype)
    return to_pairs(array) if array.dtype.kind == "c" else array


def to_pairs(array: numpy.ndarray) -> numpy.ndarray:
    """Complex numbers as programs have them: another dimension of the real and the imaginary part."""
    return numpy.ascontiguousarray(array).reshape(-1).view(array.real.dtype).reshape((*array.shape, 2))


def to_leaf(array: numpy.ndarray, aval: typing.Any) -> jax.Array:
    """A result of a program as JAX's array of its type."""
    if is_key(aval.dtype):
        return jax.random.wrap_key_data(jax.numpy.asarray(array), impl=aval.dtype._impl.name)
    if aval.dtype.kind == "c":
        return jax.numpy.asarray(array.view(aval.dtype).reshape(aval.shape))
    return jax.numpy.asarray(array.view(aval.dtype) if array.dtype.itemsize == 2 else array)


def describe(leaf: typing.Any) -> typing.Any:
    """What a compilation depends on of a leaf: its shape and type, and its sharding if that is fixed."""
    try:
        aval = jax.api_util.shaped_abstractify(leaf)
    except TypeError as problem:
        raise Error(f"expected arrays, numbers and keys as arguments, found {type(leaf).__name__}: {problem}") from None
    sharding = leaf.sharding if isinstance(leaf, jax.Array) and getattr(leaf, "committed", False) else None
    return aval, sharding if isinstance(sharding, jax.sharding.NamedSharding) else None
