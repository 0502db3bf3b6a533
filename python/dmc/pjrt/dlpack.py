# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack, by which torch, numpy and others take arrays and give them without a copy. jaxlib knows the devices of processors
and GPUs only: arrays of this platform are arrays in the processor's memory."""
from __future__ import annotations

import ctypes
import typing

import numpy

_TYPE_OFFSET = 20  # of a DLTensor: data, device, number of dimensions, then the type's code and bits
_BFLOAT = 4


def _make_capsule(x: typing.Any) -> typing.Any:
    """Of an array on one device; the capsule keeps it."""
    shard = x.addressable_data(0)
    owner: typing.Any = (ctypes.c_uint8 * max(shard.nbytes, 1)).from_address(shard.unsafe_buffer_pointer())
    owner.array = shard
    is_bfloat = shard.dtype.name == "bfloat16"
    if not is_bfloat and shard.dtype.kind not in "biufc":
        raise BufferError(f"dmc: unsupported: elements of {shard.dtype} by DLPack")
    array = numpy.ndarray(shard.shape, numpy.uint16 if is_bfloat else shard.dtype, owner)
    capsule = array.__dlpack__()
    if is_bfloat:  # numpy has none
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        ctypes.c_uint8.from_address(get(capsule, b"dltensor") + _TYPE_OFFSET).value = _BFLOAT
    return capsule


def install(platform: str) -> None:
    """Tells JAX of it, in a process whose arrays are on this platform."""
    import jax
    from jax._src import array, dlpack, xla_bridge

    of_other, device_of_other = dlpack._to_dlpack, array.ArrayImpl.__dlpack_device__

    def to_dlpack(x: typing.Any, stream: typing.Any = None, src_device: typing.Any = None, device: typing.Any = None,
                  copy: bool | None = None) -> typing.Any:
        if x.platform() != platform:
            return of_other(x, stream=stream, src_device=src_device, device=device, copy=copy)
        return _make_capsule(jax.numpy.array(x, copy=True) if copy else x)

    def dlpack_device(self: typing.Any) -> tuple[typing.Any, int]:
        if self.platform() != platform or len(self._arrays) != 1:
            return device_of_other(self)
        return dlpack.DLDeviceType.kDLCPU, 0

    dlpack._to_dlpack, array.ArrayImpl.__dlpack_device__ = to_dlpack, dlpack_device
    # What others have in the processor's memory comes to the first device.
    if "cpu" not in (jax.config.jax_platforms or "").split(",") and xla_bridge.is_known_platform(platform):
        dlpack._DL_DEVICE_TO_PLATFORM[dlpack.DLDeviceType.kDLCPU] = platform
