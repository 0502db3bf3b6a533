# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executables: compiled programs on devices, and their execution on the devices' buffers."""
from __future__ import annotations

import ctypes
import struct
import typing
from collections.abc import Sequence

from ..errors import Error
from . import interrupts, stored
from .buffers import TYPE_NUMBERS, Buffer
from .client import Client, Device, Memory, device_of
from .handles import Code, Handle, PjrtError, clear, collect, find, function, ready_event
from .layouts import ExecuteOptions, NamedValue
from .layouts import Program as Source
from .programs import Block, Program, allocate, compile_program, overlapping
from .protos import read_compile_options, write_assignment

_POINTER = ctypes.c_void_p


class Executable(Handle):
    def __init__(self, program: Program, options: bytes):
        super().__init__()
        self.program, self.options = program, options


class LoadedExecutable(Handle):
    def __init__(self, program: Program, devices: Sequence[Device], options: bytes):
        super().__init__()
        self.program, self.devices, self.is_deleted, self.options = program, list(devices), False, options


def _devices_of(client: Client, options: bytes) -> list[Device]:
    """Those that a program with such compile options runs on, one for each partition."""
    replicas, partitions, numbers = read_compile_options(options)
    if replicas != 1:
        raise Error(f"unsupported: {replicas} replicas, as jax.pmap has; expected one, with shardings for several devices")
    return [device_of(client, number) for number in numbers or range(partitions)]


@function("Client_Compile")
def _compile(a: typing.Any) -> None:
    collect()
    client, source = find(a.client, Client), Source.from_address(a.program)
    form = ctypes.string_at(source.format, source.format_size).decode()
    if form != "mlir":
        raise Error(f"unsupported: a program as {form!r}, expected 'mlir'")
    options = ctypes.string_at(a.compile_options, a.compile_options_size)
    devices = _devices_of(client, options)
    with interrupts.allowed():
        program = compile_program(ctypes.string_at(source.code, source.code_size), len(devices))
    a.executable = LoadedExecutable(program, devices, options).address


_delete_nothing = ctypes.CFUNCTYPE(None, _POINTER)(lambda _: None)


@function("Executable_Serialize")
def _serialize(a: typing.Any) -> None:
    executable = find(a.executable, Executable)
    a.serialized_bytes, a.serialized_bytes_size = executable.text(stored.serialize(executable.program, executable.options))
    a.serialized_executable = executable.address
    a.serialized_executable_deleter = ctypes.cast(_delete_nothing, _POINTER).value


@function("Executable_DeserializeAndLoad")
def _deserialize(a: typing.Any) -> None:
    collect()
    program, options = stored.deserialize(ctypes.string_at(a.serialized_executable, a.serialized_executable_size))
    if a.overridden_serialized_compile_options:
        options = ctypes.string_at(a.overridden_serialized_compile_options, a.overridden_serialized_compile_options_size)
    devices = _devices_of(find(a.client, Client), options)
    if len(devices) != program.num_partitions:
        raise PjrtError(Code.INVALID_ARGUMENT, f"dmc: cannot load a serialized executable on {len(devices)} devices, "
                                               f"expected {program.num_partitions}")
    a.loaded_executable = LoadedExecutable(program, devices, options).address


@function("Executable_GetCompileOptions")
def _compile_options(a: typing.Any) -> None:
    executable = find(a.executable, Executable)
    a.serialized_bytes, a.serialized_bytes_size = executable.text(executable.options)
    a.serialized_compile_options = executable.address
    a.serialized_compile_options_deleter = ctypes.cast(_delete_nothing, _POINTER).value


@function("LoadedExecutable_GetExecutable")
def _get_executable(a: typing.Any) -> None:
    loaded = find(a.loaded_executable, LoadedExecutable)
    a.executable = Executable(loaded.program, loaded.options).address


@function("LoadedExecutable_AddressableDevices")
def _devices(a: typing.Any) -> None:
    loaded = find(a.executable, LoadedExecutable)
    a.addressable_devices, a.num_addressable_devices = loaded.list(
        "devices", _POINTER, [device.address for device in loaded.devices])


@function("LoadedExecutable_AddressableDeviceLogicalIds")
def _logical_ids(a: typing.Any) -> None:
    loaded = find(a.executable, LoadedExecutable)
    pairs = [number for partition in range(len(loaded.devices)) for number in (0, partition)]
    a.addressable_device_logical_ids, count = loaded.list("ids", ctypes.c_int32, pairs)
    a.num_addressable_device_logical_ids = count // 2


@function("LoadedExecutable_GetDeviceAssignment")
def _assignment(a: typing.Any) -> None:
    loaded = find(a.executable, LoadedExecutable)
    a.serialized_bytes, a.serialized_bytes_size = loaded.text(write_assignment(device.number for device in loaded.devices))
    a.serialized_device_assignment = loaded.address
    a.serialized_device_assignment_deleter = ctypes.cast(_delete_nothing, _POINTER).value


@function("LoadedExecutable_Delete")
def _delete(a: typing.Any) -> None:
    find(a.executable, LoadedExecutable).is_deleted = True


@function("LoadedExecutable_IsDeleted")
def _is_deleted(a: typing.Any) -> None:
    a.is_deleted = find(a.executable, LoadedExecutable).is_deleted


@function("LoadedExecutable_Fingerprint", "Executable_Fingerprint")
def _fingerprint(a: typing.Any) -> None:
    executable = find(a.executable, Handle)
    a.executable_fingerprint, a.executable_fingerprint_size = executable.text(executable.program.fingerprint)


@function("Executable_Name")
def _name(a: typing.Any) -> None:
    executable = find(a.executable, Executable)
    a.executable_name, a.executable_name_size = executable.text(executable.program.name)


@function("Executable_NumReplicas")
def _num_replicas(a: typing.Any) -> None:
    a.num_replicas = 1


@function("Executable_NumPartitions")
def _num_partitions(a: typing.Any) -> None:
    a.num_partitions = find(a.executable, Executable).program.num_partitions


@function("Executable_NumOutputs")
def _num_outputs(a: typing.Any) -> None:
    a.num_outputs = len(find(a.executable, Executable).program.results)


@function("Executable_SizeOfGeneratedCodeInBytes")
def _code_size(a: typing.Any) -> None:
    a.size_in_bytes = 0


def _memory_kinds(executable: Executable, count: int) -> tuple[int, int]:
    address, size = executable.text(Memory.kind)
    kinds, _ = executable.list(f"kinds {count}", _POINTER, [address] * count)
    sizes, _ = executable.list(f"kind sizes {count}", ctypes.c_size_t, [size] * count)
    return kinds, sizes


@function("Executable_OutputMemoryKinds")
def _output_kinds(a: typing.Any) -> None:
    executable = find(a.executable, Executable)
    a.num_outputs = len(executable.program.results)
    a.memory_kinds, a.memory_kind_sizes = _memory_kinds(executable, a.num_outputs)


@function("Executable_ParameterMemoryKinds")
def _parameter_kinds(a: typing.Any) -> None:
    executable = find(a.executable, Executable)
    a.num_parameters = len(executable.program.arguments)
    a.memory_kinds, a.memory_kind_sizes = _memory_kinds(executable, a.num_parameters)


@function("Executable_OutputElementTypes")
def _output_types(a: typing.Any) -> None:
    executable = find(a.executable, Executable)
    a.output_types, a.num_output_types = executable.list(
        "types", ctypes.c_uint32, [TYPE_NUMBERS[output.type] for output in executable.program.outputs])


@function("Executable_OutputDimensions")
def _output_dimensions(a: typing.Any) -> None:
    executable = find(a.executable, Executable)
    shapes = [output.shape for output in executable.program.outputs]
    a.dims, _ = executable.list("dims", ctypes.c_int64, [size for shape in shapes for size in shape])
    a.dim_sizes, a.num_outputs = executable.list("ranks", ctypes.c_size_t, [len(shape) for shape in shapes])


@function("Executable_OptimizedProgram")
def _optimized(a: typing.Any) -> None:
    """Asked twice: for the size, and for the text."""
    executable, target = find(a.executable, Executable), Source.from_address(a.program)
    text = executable.program.signature.encode()
    target.format, target.format_size = executable.text("mlir")
    if target.code:
        if target.code_size < len(text):
            raise PjrtError(Code.INVALID_ARGUMENT, f"dmc: expected {len(text)} bytes for the program, found {target.code_size}")
        ctypes.memmove(target.code, text, len(text))
    target.code_size = len(text)


@function("Executable_GetCompiledMemoryStats")
def _memory_stats(a: typing.Any) -> None:
    memory = find(a.executable, Executable).program.plan.memory
    clear(a, "executable")
    a.argument_size_in_bytes, a.temp_size_in_bytes, a.peak_memory_in_bytes = memory.arguments, memory.arena, memory.peak
    a.output_size_in_bytes = memory.peak - memory.arguments - memory.arena


_FLOAT = 3  # of a NamedValue


@function("Executable_GetCostAnalysis")
def _cost_analysis(a: typing.Any) -> None:
    """Figures of a rank and step, as floats."""
    executable = find(a.executable, Executable)
    plan = executable.program.plan
    figures = {"flops": plan.flops, "bytes sent": plan.collectives.wire_bytes()}
    values = []
    for name, number in figures.items():
        address, size = executable.text(name)
        bits = int.from_bytes(struct.pack("<f", number), "little")
        values.append(NamedValue(ctypes.sizeof(NamedValue), None, address, size, _FLOAT, bits, 1))
    a.properties, a.num_properties = executable.list("cost", NamedValue, values)


def _arguments(loaded: LoadedExecutable, rows: list[list[Buffer]], fixed: set[int]) -> tuple[list[list[Block]], list[Buffer]]:
    """Memory that each rank reads, and the buffers whose memory results take over."""
    taken: list[Buffer] = []
    arguments = []
    values, donors = loaded.program.arguments, loaded.program.donors
    for row in rows:
        blocks = [buffer.block() for buffer in row]
        shared = overlapping(blocks)
        for index, (buffer, value) in enumerate(zip(row, values)):
            if (value.alias >= 0 or index in donors) and index not in fixed:
                taken.append(buffer)
            if value.alias >= 0 and (index in fixed or buffer.references or blocks[index].address in shared):
                blocks[index] = buffer.copied()
        arguments.append(blocks)
    return arguments, taken


def _execute(loaded: LoadedExecutable, rows: list[list[Buffer]], fixed: set[int], devices: Sequence[Device]) -> list[list[Buffer]]:
    program = loaded.program
    with program.lock:
        arguments, taken = _arguments(loaded, rows, fixed)
        made = {(rank, index): allocate(output.num_bytes) for rank in range(len(rows))
                for index, output in enumerate(program.outputs) if output.alias < 0 and output.is_bound}
        try:
            program.step(arguments, made)
        finally:
            for buffer in taken:
                buffer.delete()
        outputs: list[list[Buffer]] = [[] for _ in rows]
        for index, output in enumerate(program.outputs):
            for rank, device in enumerate(devices):
                block = arguments[rank][output.alias] if output.alias >= 0 else made.get((rank, index))
                buffer = Buffer(TYPE_NUMBERS[output.type], output.shape, device, block)
                if block is None:
                    program.gather(index, buffer.block())
                outputs[rank].append(buffer)
        return outputs


@function("LoadedExecutable_Execute")
def _run(a: typing.Any) -> None:
    collect()
    loaded = find(a.executable, LoadedExecutable)
    if loaded.is_deleted:
        raise PjrtError(Code.FAILED_PRECONDITION, "dmc: the executable has been deleted")
    options = ExecuteOptions.from_address(a.options)
    fixed = set((ctypes.c_int64 * options.num_non_donatable).from_address(options.non_donatable)) \
        if options.num_non_donatable else set()
    lists = (_POINTER * a.num_devices).from_address(a.argument_lists)
    rows = [[find(address, Buffer) for address in (_POINTER * a.num_args).from_address(lists[d])] if a.num_args else []
            for d in range(a.num_devices)]
    devices = [find(a.execute_device, Device)] if a.execute_device else loaded.devices
    expected = len(loaded.program.arguments), loaded.program.num_partitions
    if (a.num_args, a.num_devices) != expected:
        raise PjrtError(Code.INVALID_ARGUMENT, f"dmc: expected {expected[0]} arguments on {expected[1]} devices, "
                                               f"found {a.num_args} on {a.num_devices}")
    outputs = _execute(loaded, rows, fixed, devices)
    targets = (_POINTER * a.num_devices).from_address(a.output_lists)
    for d, row in enumerate(outputs):
        if row:
            target = (_POINTER * len(row)).from_address(targets[d])
            for index, buffer in enumerate(row):
                target[index] = buffer.address
    if a.device_complete_events:
        events = (_POINTER * a.num_devices).from_address(a.device_complete_events)
        for d in range(a.num_devices):
            events[d] = ready_event()
