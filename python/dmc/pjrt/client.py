# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The client, its devices, which are ranks, their memories and the topology."""
from __future__ import annotations

import ctypes
import os
import typing

from ..errors import Error
from .handles import Code, Handle, PjrtError, find, function
from .layouts import NamedValue

PLATFORM = "dmc"
_MOST_DEVICES = 4096
_INT64 = 1  # of a NamedValue
_POINTER, _INT = ctypes.c_void_p, ctypes.c_int32


class Memory(Handle):
    kind = "device"

    def __init__(self, device: "Device"):
        super().__init__()
        self.device, self.number = device, device.number


class Description(Handle):
    def __init__(self, device: "Device"):
        super().__init__()
        self.device, self.number = device, device.number


class Device(Handle):
    def __init__(self, client: "Client", number: int):
        super().__init__()
        self.client, self.number = client, number
        self.memory, self.description = Memory(self), Description(self)


class _Lasting(Handle):
    """What lives as long as the process: arrays of JAX may outlive the client."""

    def destroy(self) -> None:
        pass


class Topology(_Lasting):
    def __init__(self, client: "Client"):
        super().__init__()
        self.client = client


class Client(_Lasting):
    def __init__(self, num_devices: int, version: str):
        super().__init__()
        self.devices = [Device(self, number) for number in range(num_devices)]
        self.topology = Topology(self)
        self.version = version

    def addresses(self) -> tuple[int, int]:
        return self.list("devices", _POINTER, [device.address for device in self.devices])


def _num_devices(given: int | None) -> int:
    text = os.environ.get("DMC_NUM_DEVICES", "") if given is None else str(given)
    if not text:
        return 1
    if not text.isdigit() or not 1 <= int(text) <= _MOST_DEVICES:
        raise Error(f"expected DMC_NUM_DEVICES as a number from 1 to {_MOST_DEVICES}, found {text!r}")
    return int(text)


@function("Client_Create")
def _create(a: typing.Any) -> None:
    given = None
    for option in (NamedValue * a.num_options).from_address(a.create_options) if a.num_options else ():
        name = ctypes.string_at(option.name, option.name_size).decode()
        if name != "num_devices" or option.type != _INT64:
            raise Error(f"unknown option {name!r} of the platform dmc, expected 'num_devices' as an integer")
        given = option.value
    from .stored import version
    a.client = Client(_num_devices(given), version()).address


@function("Client_PlatformName")
def _platform_name(a: typing.Any) -> None:
    a.platform_name, a.platform_name_size = find(a.client, Client).text(PLATFORM)


@function("Client_PlatformVersion")
def _platform_version(a: typing.Any) -> None:
    client = find(a.client, Client)
    a.platform_version, a.platform_version_size = client.text(client.version)


@function("TopologyDescription_PlatformName")
def _topology_name(a: typing.Any) -> None:
    a.platform_name, a.platform_name_size = find(a.topology, Topology).text(PLATFORM)


@function("TopologyDescription_PlatformVersion")
def _topology_version(a: typing.Any) -> None:
    topology = find(a.topology, Topology)
    a.platform_version, a.platform_version_size = topology.text(topology.client.version)


@function("TopologyDescription_Attributes")
def _topology_attributes(a: typing.Any) -> None:
    a.attributes, a.num_attributes = find(a.topology, Topology).list("attributes", NamedValue, [])


@function("TopologyDescription_Fingerprint")
def _topology_fingerprint(a: typing.Any) -> None:
    a.fingerprint = len(find(a.topology, Topology).client.devices)


@function("TopologyDescription_GetDeviceDescriptions")
def _descriptions(a: typing.Any) -> None:
    topology = find(a.topology, Topology)
    a.descriptions, a.num_descriptions = topology.list(
        "descriptions", _POINTER, [device.description.address for device in topology.client.devices])


@function("Client_TopologyDescription")
def _topology(a: typing.Any) -> None:
    a.topology = find(a.client, Client).topology.address


@function("Client_ProcessIndex")
def _process_index(a: typing.Any) -> None:
    a.process_index = 0


@function("Client_Devices")
def _devices(a: typing.Any) -> None:
    a.devices, a.num_devices = find(a.client, Client).addresses()


@function("Client_AddressableDevices")
def _addressable_devices(a: typing.Any) -> None:
    a.addressable_devices, a.num_addressable_devices = find(a.client, Client).addresses()


@function("Client_AddressableMemories")
def _addressable_memories(a: typing.Any) -> None:
    client = find(a.client, Client)
    a.addressable_memories, a.num_addressable_memories = client.list(
        "memories", _POINTER, [device.memory.address for device in client.devices])


def device_of(client: Client, number: int) -> Device:
    if not 0 <= number < len(client.devices):
        raise PjrtError(Code.INVALID_ARGUMENT, f"dmc: there is no device {number}, the platform has {len(client.devices)}")
    return client.devices[number]


@function("Client_LookupDevice")
def _lookup_device(a: typing.Any) -> None:
    a.device = device_of(find(a.client, Client), a.id).address


@function("Client_LookupAddressableDevice")
def _lookup_addressable_device(a: typing.Any) -> None:
    a.addressable_device = device_of(find(a.client, Client), a.local_hardware_id).address


@function("Client_DefaultDeviceAssignment")
def _default_assignment(a: typing.Any) -> None:
    count = a.num_replicas * a.num_partitions
    if count > a.default_assignment_size or count > len(find(a.client, Client).devices):
        raise PjrtError(Code.INVALID_ARGUMENT, f"dmc: expected {count} devices, found {len(find(a.client, Client).devices)}")
    for number, place in enumerate((_INT * count).from_address(a.default_assignment)):
        (_INT * count).from_address(a.default_assignment)[number] = number


@function("DeviceDescription_Id")
def _description_id(a: typing.Any) -> None:
    a.id = find(a.device_description, Description).number


@function("DeviceDescription_ProcessIndex")
def _description_process(a: typing.Any) -> None:
    a.process_index = 0


@function("DeviceDescription_Attributes")
def _description_attributes(a: typing.Any) -> None:
    a.attributes, a.num_attributes = find(a.device_description, Description).list("attributes", NamedValue, [])


@function("DeviceDescription_Kind")
def _description_kind(a: typing.Any) -> None:
    a.device_kind, a.device_kind_size = find(a.device_description, Description).text("rank")


@function("DeviceDescription_DebugString")
def _description_debug(a: typing.Any) -> None:
    description = find(a.device_description, Description)
    a.debug_string, a.debug_string_size = description.text(f"dmc rank {description.number}")


@function("DeviceDescription_ToString")
def _description_string(a: typing.Any) -> None:
    description = find(a.device_description, Description)
    a.to_string, a.to_string_size = description.text(f"DmcDevice(id={description.number})")


@function("Device_GetDescription")
def _device_description(a: typing.Any) -> None:
    a.device_description = find(a.device, Device).description.address


@function("Device_IsAddressable")
def _is_addressable(a: typing.Any) -> None:
    a.is_addressable = True


@function("Device_LocalHardwareId")
def _hardware_id(a: typing.Any) -> None:
    a.local_hardware_id = find(a.device, Device).number


@function("Device_AddressableMemories")
def _device_memories(a: typing.Any) -> None:
    device = find(a.device, Device)
    a.memories, a.num_memories = device.list("memories", _POINTER, [device.memory.address])


@function("Device_DefaultMemory")
def _default_memory(a: typing.Any) -> None:
    a.memory = find(a.device, Device).memory.address


_delete_nothing = ctypes.CFUNCTYPE(None, _POINTER)(lambda _: None)


@function("Device_GetAttributes")
def _device_attributes(a: typing.Any) -> None:
    device = find(a.device, Device)
    a.attributes, a.num_attributes = device.list("attributes", NamedValue, [])
    a.device_attributes = device.address
    a.attributes_deleter = ctypes.cast(_delete_nothing, _POINTER).value


@function("Memory_Id")
def _memory_id(a: typing.Any) -> None:
    a.id = find(a.memory, Memory).number


@function("Memory_Kind_Id")
def _memory_kind_id(a: typing.Any) -> None:
    a.kind_id = 0


@function("Memory_DebugString")
def _memory_debug(a: typing.Any) -> None:
    memory = find(a.memory, Memory)
    a.debug_string, a.debug_string_size = memory.text(f"memory of dmc rank {memory.number}")


@function("Memory_ToString")
def _memory_string(a: typing.Any) -> None:
    memory = find(a.memory, Memory)
    a.to_string, a.to_string_size = memory.text(f"DmcMemory(id={memory.number})")


@function("Memory_AddressableByDevices")
def _memory_devices(a: typing.Any) -> None:
    memory = find(a.memory, Memory)
    a.devices, a.num_devices = memory.list("devices", _POINTER, [memory.device.address])
