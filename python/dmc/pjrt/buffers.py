# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers: the block of an array that a rank holds, in memory that steps read and write without a copy."""
from __future__ import annotations

import ctypes
import functools
import math
import typing
from collections.abc import Sequence

import numpy

from .client import Client, Device, Memory
from .handles import Code, Handle, PjrtError, clear, collect, find, function, live, ready_event
from .layouts import MemoryLayout
from .programs import ALIGNMENT, Block, allocate

# PJRT's numbers of dmc's element types, and bytes of an element of every type.
TYPE_NUMBERS = {"i1": 1, "i8": 2, "i16": 3, "i32": 4, "i64": 5, "ui8": 6, "ui16": 7, "ui32": 8, "ui64": 9, "f16": 10,
                "f32": 11, "f64": 12, "bf16": 13, "complex64": 14, "complex128": 15}
ITEM_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 2, 8: 4, 9: 8, 10: 2, 11: 4, 12: 8, 13: 2, 14: 8, 15: 16,
              **{number: 1 for number in range(16, 34) if number != 23}}


class _Facts(ctypes.Structure):
    """What lib/PJRT/Facts.cpp reads of a buffer, in the memory of its address."""

    _fields_ = [("reserved", ctypes.c_uint64 * 8), ("device", ctypes.c_void_p), ("memory", ctypes.c_void_p),
                ("dims", ctypes.c_void_p), ("minor_to_major", ctypes.c_void_p), ("rank", ctypes.c_size_t),
                ("num_bytes", ctypes.c_size_t), ("element_type", ctypes.c_uint32), ("is_deleted", ctypes.c_bool), ("rest", ctypes.c_uint64 * 8)]


_ZEROS = (ctypes.c_uint64 * 8)()


@functools.lru_cache(maxsize=4096)
def _numbers(numbers: tuple[int, ...]) -> tuple[typing.Any, int]:
    """Integers in memory, and their address; never null."""
    array = (ctypes.c_int64 * max(len(numbers), 1))(*numbers)
    return array, ctypes.addressof(array)


class Buffer(Handle):
    def __init__(self, type_number: int, dims: Sequence[int], device: Device, block: Block | None = None):
        if type_number not in ITEM_BYTES:
            raise PjrtError(Code.UNIMPLEMENTED, f"dmc: unsupported: buffers of PJRT's type {type_number}")
        self.type_number, self.dims, self.device = type_number, tuple(dims), device
        self.num_bytes = ITEM_BYTES[type_number] * math.prod(self.dims)
        rank = len(self.dims)
        self._arrays = sizes, order = _numbers(self.dims), _numbers(tuple(range(rank))[::-1])
        self._facts = _Facts(_ZEROS, device.address, device.memory.address, sizes[1], order[1], rank, self.num_bytes, type_number)
        super().__init__(self._facts)
        self._data = allocate(self.num_bytes) if block is None else block
        self.references = 0  # of others, to the memory
        self.release: typing.Callable[[], None] | None = None  # tells the owner of the memory that it is no longer used

    @property
    def is_deleted(self) -> bool:
        return self._data is None

    def delete(self) -> None:
        """Deleted, or donated."""
        self._data, self._facts.is_deleted = None, True

    def block(self) -> Block:
        if self._data is None:
            raise PjrtError(Code.INVALID_ARGUMENT, "dmc: the buffer has been deleted or donated")
        return self._data

    def bytes(self) -> numpy.ndarray:
        return self.block().array

    def array(self) -> numpy.ndarray:
        """The elements as opaque items of their size."""
        return self.bytes().view(f"V{ITEM_BYTES[self.type_number]}").reshape(self.dims)

    def copied(self) -> Block:
        copy = allocate(self.num_bytes)
        copy.array[:] = self.bytes()
        return copy

    def destroy(self) -> None:
        super().destroy()
        self.delete()
        if self.release is not None:
            self.release()

    def unreference(self) -> None:
        self.references -= 1

    def copy_to(self, device: Device) -> "Buffer":
        return Buffer(self.type_number, self.dims, device, self.copied())


def view(address: int, num_bytes: int) -> numpy.ndarray:
    """Memory of others."""
    if not num_bytes:
        return numpy.empty(0, numpy.uint8)
    return numpy.frombuffer((ctypes.c_uint8 * num_bytes).from_address(address), numpy.uint8)


def _order_of(layout: int | None, rank: int) -> list[int]:
    """Dimensions from the outermost one in memory to the contiguous one."""
    if not layout or not rank:
        return list(range(rank))
    given = MemoryLayout.from_address(layout)
    if given.type != 0 or given.num_tiles:
        raise PjrtError(Code.UNIMPLEMENTED, "dmc: unsupported: a layout with tiles or strides")
    return list((ctypes.c_int64 * rank).from_address(given.minor_to_major))[::-1]


def _device_of(a: typing.Any) -> Device:
    return find(a.memory, Memory).device if a.memory else find(a.device, Device)


@function("Client_BufferFromHostBuffer")
def _from_host(a: typing.Any) -> None:
    find(a.client, Client)
    collect()
    dims = list((ctypes.c_int64 * a.num_dims).from_address(a.dims)) if a.num_dims else []
    buffer = Buffer(a.type, dims, _device_of(a))
    if buffer.num_bytes:
        item = ITEM_BYTES[a.type]
        dense = [item * math.prod(dims[d + 1:]) for d in range(len(dims))]
        strides = list((ctypes.c_int64 * len(dims)).from_address(a.byte_strides)) if a.num_byte_strides and dims else dense
        # The first byte and the number of bytes that the strides reach; they may be negative.
        low = sum(min(0, (size - 1) * stride) for size, stride in zip(dims, strides))
        high = sum(max(0, (size - 1) * stride) for size, stride in zip(dims, strides)) + item
        source = numpy.ndarray(dims, f"V{item}", view(a.data + low, high - low), -low, strides)
        buffer.array()[...] = source
    a.buffer = buffer.address
    a.done_with_host_buffer = ready_event()


@function("Client_CreateUninitializedBuffer")
def _uninitialized(a: typing.Any) -> None:
    dims = list((ctypes.c_int64 * a.shape_num_dims).from_address(a.shape_dims)) if a.shape_num_dims else []
    a.buffer = Buffer(a.shape_element_type, dims, _device_of(a)).address


_RELEASED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


@function("Client_CreateViewOfDeviceBuffer")
def _view_of_memory(a: typing.Any) -> None:
    """A buffer in memory of others, as of an array of torch; a copy where steps cannot use the memory."""
    collect()
    dims = list((ctypes.c_int64 * a.num_dims).from_address(a.dims)) if a.num_dims else []
    order = _order_of(a.layout, len(dims))
    device, pointer, argument = _device_of(a), a.device_buffer_ptr, a.on_delete_callback_arg
    memory = view(pointer, ITEM_BYTES.get(a.element_type, 0) * math.prod(dims))
    release = _RELEASED(a.on_delete_callback) if a.on_delete_callback else lambda *_: None
    if memory.nbytes and pointer % ALIGNMENT == 0 and order == sorted(order):
        buffer = Buffer(a.element_type, dims, device, Block(memory, pointer))
        buffer.references, buffer.release = 1, lambda: release(pointer, argument)
    else:
        buffer = Buffer(a.element_type, dims, device)
        source = memory.view(f"V{ITEM_BYTES[a.element_type]}").reshape([dims[d] for d in order])
        buffer.array()[...] = source.transpose(numpy.argsort(order))
        release(pointer, argument)
    a.buffer = buffer.address


@function("Buffer_Delete")
def _delete(a: typing.Any) -> None:
    find(a.buffer, Buffer).delete()


@function("Device_MemoryStats")
def _memory_stats(a: typing.Any) -> None:
    """The bytes of buffers that are not deleted; nothing else is counted."""
    collect()
    device = find(a.device, Device)
    clear(a, "device")
    a.bytes_in_use = sum(handle.num_bytes for handle in live() if isinstance(handle, Buffer) and handle.device is device
                         and not handle.is_deleted)


@function("Buffer_UnsafePointer")
def _unsafe_pointer(a: typing.Any) -> None:
    a.buffer_pointer = find(a.buffer, Buffer).block().address


@function("Buffer_OpaqueDeviceMemoryDataPointer")
def _opaque_pointer(a: typing.Any) -> None:
    a.device_memory_ptr = find(a.buffer, Buffer).block().address


@function("Buffer_IncreaseExternalReferenceCount")
def _increase(a: typing.Any) -> None:
    find(a.buffer, Buffer).references += 1


@function("Buffer_CopyToDevice")
def _copy_to_device(a: typing.Any) -> None:
    a.dst_buffer = find(a.buffer, Buffer).copy_to(find(a.dst_device, Device)).address


@function("Buffer_CopyToMemory")
def _copy_to_memory(a: typing.Any) -> None:
    a.dst_buffer = find(a.buffer, Buffer).copy_to(find(a.dst_memory, Memory).device).address


@function("Buffer_ToHostBuffer")
def _to_host(a: typing.Any) -> None:
    buffer = find(a.src, Buffer)
    if not a.dst:
        a.dst_size = buffer.num_bytes
        return
    if a.dst_size < buffer.num_bytes:
        raise PjrtError(Code.INVALID_ARGUMENT, f"dmc: expected {buffer.num_bytes} bytes for the copy, found {a.dst_size}")
    source = buffer.array()
    source = source.transpose(_order_of(a.host_layout, len(buffer.dims)))
    view(a.dst, buffer.num_bytes)[:] = numpy.ascontiguousarray(source).reshape(-1).view(numpy.uint8)
    a.event = ready_event()


@function("Buffer_CopyRawToHost")
def _raw_to_host(a: typing.Any) -> None:
    view(a.dst, a.transfer_size)[:] = find(a.buffer, Buffer).bytes()[a.offset:a.offset + a.transfer_size]
    a.event = ready_event()
