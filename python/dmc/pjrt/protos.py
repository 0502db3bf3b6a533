# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The few members of XLA's protocol buffers that compile options and device assignments need."""
from __future__ import annotations

from collections.abc import Iterable, Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

# Numbers of members: CompileOptionsProto, ExecutableBuildOptionsProto, DeviceAssignmentProto.
_BUILD_OPTIONS, _NUM_REPLICAS, _NUM_PARTITIONS, _ASSIGNMENT = 3, 4, 5, 9
_REPLICA_COUNT, _COMPUTATION_COUNT, _COMPUTATION_DEVICES, _REPLICA_IDS = 1, 2, 3, 1


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _members(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _read_varint(data, at)
            yield tag >> 3, value
        elif kind == _BYTES:
            size, at = _read_varint(data, at)
            yield tag >> 3, data[at:at + size]
            at += size
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
            yield tag >> 3, data[at:at + size]
            at += size
        else:
            raise ValueError(f"malformed protocol buffer: wire type {kind}")


def _numbers(value: int | bytes) -> list[int]:
    """Of a repeated member, packed or not."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = _read_varint(value, at)
        found.append(number)
    return found


def read_compile_options(data: bytes) -> tuple[int, int, list[int]]:
    """Numbers of replicas and of partitions, and the device of each; without an assignment the list is empty."""
    replicas, partitions, devices = 1, 1, []
    for number, value in _members(data):
        if number != _BUILD_OPTIONS or not isinstance(value, bytes):
            continue
        for inner, item in _members(value):
            if inner == _NUM_REPLICAS and isinstance(item, int):
                replicas = item
            elif inner == _NUM_PARTITIONS and isinstance(item, int):
                partitions = item
            elif inner == _ASSIGNMENT and isinstance(item, bytes):
                computations = [entry for key, entry in _members(item) if key == _COMPUTATION_DEVICES]
                devices = [id_ for entry in computations for key, ids in _members(entry)  # type: ignore[arg-type]
                           if key == _REPLICA_IDS for id_ in _numbers(ids)]
    return max(replicas, 1), max(partitions, 1), devices


def _varint(value: int) -> bytes:
    data = bytearray()
    while value >= 0x80:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(data + bytes([value]))


def _member(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | _VARINT) + _varint(value)
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def write_assignment(devices: Iterable[int]) -> bytes:
    """A DeviceAssignmentProto of one replica."""
    devices = list(devices)
    rows = [_member(_COMPUTATION_DEVICES, _member(_REPLICA_IDS, _varint(device))) for device in devices]
    return _member(_REPLICA_COUNT, 1) + _member(_COMPUTATION_COUNT, len(devices)) + b"".join(rows)
