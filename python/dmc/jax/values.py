# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What JAX's values are in a program: typed keys are their data, Python numbers have the program's type."""
from __future__ import annotations

import typing
from collections.abc import Sequence

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


def _to_dtype(array: numpy.ndarray, aval: typing.Any) -> numpy.ndarray:
    if is_key(aval.dtype):
        return array
    if aval.dtype.kind == "c":
        return array.view(aval.dtype).reshape(aval.shape)
    return array.view(aval.dtype) if array.dtype != aval.dtype and array.dtype.itemsize == aval.dtype.itemsize else array


def to_leaves(arrays: Sequence[numpy.ndarray], avals: Sequence[typing.Any]) -> list[jax.Array]:
    """Results of a program as JAX's arrays of their types, on its default device."""
    leaves = jax.device_put([_to_dtype(array, aval) for array, aval in zip(arrays, avals)])
    return [jax.random.wrap_key_data(leaf, impl=aval.dtype._impl.name) if is_key(aval.dtype) else leaf
            for leaf, aval in zip(leaves, avals)]


def describe(leaf: typing.Any) -> typing.Any:
    """What a compilation depends on of a leaf: its shape and type, and its sharding if that is fixed."""
    if isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer):
        sharding = leaf.sharding if getattr(leaf, "committed", False) else None
        return (leaf.shape, leaf.dtype, leaf.aval.weak_type, tuple(leaf.aval.sharding.spec),
                sharding if isinstance(sharding, jax.sharding.NamedSharding) else None)
    if isinstance(leaf, (bool, int, float, complex)):
        return type(leaf)
    if isinstance(leaf, (numpy.ndarray, numpy.generic)) and leaf.dtype.kind in "biufc":
        return leaf.shape, jax.dtypes.canonicalize_dtype(leaf.dtype), False, (None,) * leaf.ndim, None
    try:
        return jax.api_util.shaped_abstractify(leaf)
    except TypeError as problem:
        raise Error(f"expected arrays, numbers and keys as arguments, found {type(leaf).__name__}: {problem}") from None
