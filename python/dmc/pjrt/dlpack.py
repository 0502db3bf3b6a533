# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack, by which torch, numpy and others take arrays and give them without a copy. jaxlib knows the devices of processors
and GPUs only: arrays of this platform are arrays in the processor's memory."""
from __future__ import annotations

import ctypes
import typing

import numpy

_TYPE_OFFSET, _BEGIN_OFFSET = 20, 40  # of a DLTensor's code of the type, and of where elements begin behind its address
_BFLOAT = 4


def _address_of(capsule: typing.Any) -> int:
    """Of the DLTensor in it."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, b"dltensor")


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
        ctypes.c_uint8.from_address(_address_of(capsule) + _TYPE_OFFSET).value = _BFLOAT
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

    take_by_others = dlpack._jax.dlpack_managed_tensor_to_buffer

    def take(capsule: typing.Any, device: typing.Any, stream: typing.Any, copy: bool | None, *rest: typing.Any) -> typing.Any:
        if device.platform != platform:
            return take_by_others(capsule, device, stream, copy, *rest)
        tensor = _address_of(capsule)
        begin = sum(ctypes.c_uint64.from_address(tensor + offset).value for offset in (0, _BEGIN_OFFSET))
        made = take_by_others(capsule, device, stream, None, *rest)
        if copy is False and made.size and made.unsafe_buffer_pointer() != begin:
            raise ValueError("the array has to be copied, since its memory is not aligned to 64 bytes or not in the order of rows; "
                             "expected copy=True or copy=None")
        return jax.numpy.array(made, copy=True) if copy else made

    dlpack._to_dlpack, array.ArrayImpl.__dlpack_device__ = to_dlpack, dlpack_device
    dlpack._jax.dlpack_managed_tensor_to_buffer = take
    # What others have in the processor's memory comes to the first device.
    if "cpu" not in (jax.config.jax_platforms or "").split(",") and xla_bridge.is_known_platform(platform):
        dlpack._DL_DEVICE_TO_PLATFORM[dlpack.DLDeviceType.kDLCPU] = platform
