# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How structs of the PJRT C interface lie in memory, version 0.114, which grows at the ends of its structs.

SLOTS are the functions of the table PJRT_Api in order. ARGUMENTS are the members of a function's one argument behind its
size and its extensions: pointers, or of the type behind the colon.
"""
from __future__ import annotations

import ctypes

MAJOR, MINOR = 0, 114

SLOTS = """
Error_Destroy Error_Message Error_GetCode Plugin_Initialize Plugin_Attributes Event_Destroy Event_IsReady Event_Error
Event_Await Event_OnReady Client_Create Client_Destroy Client_PlatformName Client_ProcessIndex Client_PlatformVersion
Client_Devices Client_AddressableDevices Client_LookupDevice Client_LookupAddressableDevice Client_AddressableMemories
Client_Compile Client_DefaultDeviceAssignment Client_BufferFromHostBuffer DeviceDescription_Id
DeviceDescription_ProcessIndex DeviceDescription_Attributes DeviceDescription_Kind DeviceDescription_DebugString
DeviceDescription_ToString Device_GetDescription Device_IsAddressable Device_LocalHardwareId
Device_AddressableMemories Device_DefaultMemory Device_MemoryStats Memory_Id Memory_Kind Memory_DebugString
Memory_ToString Memory_AddressableByDevices Executable_Destroy Executable_Name Executable_NumReplicas
Executable_NumPartitions Executable_NumOutputs Executable_SizeOfGeneratedCodeInBytes Executable_GetCostAnalysis
Executable_OutputMemoryKinds Executable_OptimizedProgram Executable_Serialize LoadedExecutable_Destroy
LoadedExecutable_GetExecutable LoadedExecutable_AddressableDevices LoadedExecutable_Delete LoadedExecutable_IsDeleted
LoadedExecutable_Execute Executable_DeserializeAndLoad LoadedExecutable_Fingerprint Buffer_Destroy Buffer_ElementType
Buffer_Dimensions Buffer_UnpaddedDimensions Buffer_DynamicDimensionIndices Buffer_GetMemoryLayout
Buffer_OnDeviceSizeInBytes Buffer_Device Buffer_Memory Buffer_Delete Buffer_IsDeleted Buffer_CopyToDevice
Buffer_ToHostBuffer Buffer_IsOnCpu Buffer_ReadyEvent Buffer_UnsafePointer Buffer_IncreaseExternalReferenceCount
Buffer_DecreaseExternalReferenceCount Buffer_OpaqueDeviceMemoryDataPointer CopyToDeviceStream_Destroy
CopyToDeviceStream_AddChunk CopyToDeviceStream_TotalBytes CopyToDeviceStream_GranuleSize
CopyToDeviceStream_CurrentBytes TopologyDescription_Create TopologyDescription_Destroy
TopologyDescription_PlatformName TopologyDescription_PlatformVersion TopologyDescription_GetDeviceDescriptions
TopologyDescription_Serialize TopologyDescription_Attributes Compile Executable_OutputElementTypes
Executable_OutputDimensions Buffer_CopyToMemory Client_CreateViewOfDeviceBuffer Executable_Fingerprint
Client_TopologyDescription Executable_GetCompiledMemoryStats Memory_Kind_Id ExecuteContext_Create
ExecuteContext_Destroy Buffer_CopyRawToHost AsyncHostToDeviceTransferManager_Destroy
AsyncHostToDeviceTransferManager_TransferData Client_CreateBuffersForAsyncHostToDevice
AsyncHostToDeviceTransferManager_RetrieveBuffer AsyncHostToDeviceTransferManager_Device
AsyncHostToDeviceTransferManager_BufferCount AsyncHostToDeviceTransferManager_BufferSize
AsyncHostToDeviceTransferManager_SetBufferError AsyncHostToDeviceTransferManager_AddMetadata Client_DmaMap
Client_DmaUnmap Client_CreateUninitializedBuffer Client_UpdateGlobalProcessInfo TopologyDescription_Deserialize
Client_CreateAliasBuffer Client_FulfillAliasBuffer LoadedExecutable_GetDeviceAssignment Client_CreateErrorBuffer
AsyncHostToDeviceTransferManager_TransferLiteral Buffer_CopyRawToHostFuture Device_PoisonExecution
Device_CreateAsyncTrackingEvent AsyncTrackingEvent_Destroy Executable_GetCompileOptions
Buffer_DonateWithControlDependency Event_Create Event_Set Device_GetAttributes Client_Load
LoadedExecutable_AddressableDeviceLogicalIds Buffer_Bitcast Error_ForEachPayload TopologyDescription_Fingerprint
Executable_ParameterMemoryKinds Device_ClearMemoryStats TopologyDescription_MakeCanonicalShapeForMemorySpace
TopologyDescription_GetMemorySpaceKindIds
"""

ARGUMENTS = """
Error_Destroy: error
Error_Message: error message message_size:z
Error_GetCode: error code:u
Error_ForEachPayload: error visitor user_arg
Plugin_Initialize: 
Plugin_Attributes: attributes num_attributes:z
Event_Destroy: event
Event_IsReady: event is_ready:b
Event_Error: event
Event_Await: event
Event_OnReady: event callback user_arg
Client_Create: create_options num_options:z kv_get_callback kv_get_user_arg kv_put_callback kv_put_user_arg client kv_try_get_callback kv_try_get_user_arg
Client_Destroy: client
Client_PlatformName: client platform_name platform_name_size:z
Client_ProcessIndex: client process_index:i
Client_PlatformVersion: client platform_version platform_version_size:z
Client_Devices: client devices num_devices:z
Client_AddressableDevices: client addressable_devices num_addressable_devices:z
Client_LookupDevice: client id:i device
Client_LookupAddressableDevice: client local_hardware_id:i addressable_device
Client_AddressableMemories: client addressable_memories num_addressable_memories:z
Client_Compile: client program compile_options compile_options_size:z executable
Client_DefaultDeviceAssignment: client num_replicas:i num_partitions:i default_assignment_size:z default_assignment
Client_BufferFromHostBuffer: client data type:u dims num_dims:z byte_strides num_byte_strides:z host_buffer_semantics:u device memory device_layout done_with_host_buffer buffer
Client_TopologyDescription: client topology
Client_CreateViewOfDeviceBuffer: client device_buffer_ptr dims num_dims:z element_type:u layout device on_delete_callback on_delete_callback_arg stream:q buffer memory
Client_CreateUninitializedBuffer: client shape_dims shape_num_dims:z shape_element_type:u shape_layout device memory buffer
DeviceDescription_Id: device_description id:i
DeviceDescription_ProcessIndex: device_description process_index:i
DeviceDescription_Attributes: device_description num_attributes:z attributes
DeviceDescription_Kind: device_description device_kind device_kind_size:z
DeviceDescription_DebugString: device_description debug_string debug_string_size:z
DeviceDescription_ToString: device_description to_string to_string_size:z
Device_GetDescription: device device_description
Device_IsAddressable: device is_addressable:b
Device_LocalHardwareId: device local_hardware_id:i
Device_AddressableMemories: device memories num_memories:z
Device_DefaultMemory: device memory
Device_MemoryStats: device bytes_in_use:q peak_bytes_in_use:q peak_bytes_in_use_is_set:b num_allocs:q num_allocs_is_set:b largest_alloc_size:q largest_alloc_size_is_set:b bytes_limit:q bytes_limit_is_set:b bytes_reserved:q bytes_reserved_is_set:b peak_bytes_reserved:q peak_bytes_reserved_is_set:b bytes_reservable_limit:q bytes_reservable_limit_is_set:b largest_free_block_bytes:q largest_free_block_bytes_is_set:b pool_bytes:q pool_bytes_is_set:b peak_pool_bytes:q peak_pool_bytes_is_set:b peak_allocated_bytes:q peak_allocated_bytes_is_set:b
Device_GetAttributes: device attributes num_attributes:z device_attributes attributes_deleter
Memory_Id: memory id:i
Memory_Kind: memory kind kind_size:z
Memory_Kind_Id: memory kind_id:i
Memory_DebugString: memory debug_string debug_string_size:z
Memory_ToString: memory to_string to_string_size:z
Memory_AddressableByDevices: memory devices num_devices:z
Executable_Destroy: executable
Executable_Name: executable executable_name executable_name_size:z
Executable_NumReplicas: executable num_replicas:z
Executable_NumPartitions: executable num_partitions:z
Executable_NumOutputs: executable num_outputs:z
Executable_SizeOfGeneratedCodeInBytes: executable size_in_bytes:q
Executable_OutputMemoryKinds: executable num_outputs:z memory_kinds memory_kind_sizes
Executable_ParameterMemoryKinds: executable num_parameters:z memory_kinds memory_kind_sizes
Executable_OptimizedProgram: executable program
Executable_OutputElementTypes: executable output_types num_output_types:z
Executable_OutputDimensions: executable num_outputs:z dims dim_sizes
Executable_Fingerprint: executable executable_fingerprint executable_fingerprint_size:z
Executable_GetCompiledMemoryStats: executable generated_code_size_in_bytes:q argument_size_in_bytes:q output_size_in_bytes:q alias_size_in_bytes:q temp_size_in_bytes:q host_generated_code_size_in_bytes:q host_argument_size_in_bytes:q host_output_size_in_bytes:q host_alias_size_in_bytes:q host_temp_size_in_bytes:q peak_memory_in_bytes:q total_size_in_bytes:q total_allocation_bytes:q indefinite_allocations:q peak_unpadded_heap_bytes:q
Executable_GetCostAnalysis: executable num_properties:z properties
Executable_GetCompileOptions: executable serialized_bytes serialized_bytes_size:z serialized_compile_options serialized_compile_options_deleter
Executable_Serialize: executable serialized_bytes serialized_bytes_size:z serialized_executable serialized_executable_deleter
Executable_DeserializeAndLoad: client serialized_executable serialized_executable_size:z loaded_executable overridden_serialized_compile_options overridden_serialized_compile_options_size:z load_options
LoadedExecutable_Destroy: executable
LoadedExecutable_GetExecutable: loaded_executable executable
LoadedExecutable_AddressableDevices: executable addressable_devices num_addressable_devices:z
LoadedExecutable_Delete: executable
LoadedExecutable_IsDeleted: executable is_deleted:b
LoadedExecutable_Execute: executable options argument_lists num_devices:z num_args:z output_lists device_complete_events execute_device
LoadedExecutable_Fingerprint: executable executable_fingerprint executable_fingerprint_size:z
LoadedExecutable_GetDeviceAssignment: executable serialized_bytes serialized_bytes_size:z serialized_device_assignment serialized_device_assignment_deleter
LoadedExecutable_AddressableDeviceLogicalIds: executable addressable_device_logical_ids num_addressable_device_logical_ids:z
Buffer_Destroy: buffer
Buffer_ElementType: buffer type:u
Buffer_Dimensions: buffer dims num_dims:z
Buffer_UnpaddedDimensions: buffer unpadded_dims num_dims:z
Buffer_DynamicDimensionIndices: buffer dynamic_dim_indices num_dynamic_dims:z
Buffer_GetMemoryLayout: buffer layout:L
Buffer_OnDeviceSizeInBytes: buffer on_device_size_in_bytes:z
Buffer_Device: buffer device
Buffer_Memory: buffer memory
Buffer_Delete: buffer
Buffer_IsDeleted: buffer is_deleted:b
Buffer_CopyToDevice: buffer dst_device dst_buffer
Buffer_CopyToMemory: buffer dst_memory dst_buffer
Buffer_ToHostBuffer: src host_layout dst dst_size:z event
Buffer_CopyRawToHost: buffer dst offset:q transfer_size:q event
Buffer_IsOnCpu: buffer is_on_cpu:b
Buffer_ReadyEvent: buffer event
Buffer_UnsafePointer: buffer buffer_pointer:z
Buffer_IncreaseExternalReferenceCount: buffer
Buffer_DecreaseExternalReferenceCount: buffer
Buffer_OpaqueDeviceMemoryDataPointer: buffer device_memory_ptr
TopologyDescription_Destroy: topology
TopologyDescription_PlatformName: topology platform_name platform_name_size:z
TopologyDescription_PlatformVersion: topology platform_version platform_version_size:z
TopologyDescription_GetDeviceDescriptions: topology descriptions num_descriptions:z
TopologyDescription_Attributes: topology attributes num_attributes:z
TopologyDescription_Fingerprint: topology fingerprint:z
"""

TYPES = {"": ctypes.c_void_p, "z": ctypes.c_size_t, "i": ctypes.c_int32, "u": ctypes.c_uint32, "q": ctypes.c_int64,
         "b": ctypes.c_bool}


class MemoryLayout(ctypes.Structure):
    """Of the two forms that there are the one by an order of dimensions."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p),
                ("tiled_size", ctypes.c_size_t), ("tiled_extension", ctypes.c_void_p),
                ("minor_to_major", ctypes.c_void_p), ("minor_to_major_size", ctypes.c_size_t),
                ("tile_dims", ctypes.c_void_p), ("tile_dim_sizes", ctypes.c_void_p), ("num_tiles", ctypes.c_size_t),
                ("type", ctypes.c_uint32)]


class NamedValue(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("name", ctypes.c_void_p),
                ("name_size", ctypes.c_size_t), ("type", ctypes.c_uint32), ("value", ctypes.c_int64),
                ("value_size", ctypes.c_size_t)]


class Program(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("code", ctypes.c_void_p),
                ("code_size", ctypes.c_size_t), ("format", ctypes.c_void_p), ("format_size", ctypes.c_size_t)]


class ExecuteOptions(ctypes.Structure):
    """As far as it is read."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("send_callbacks", ctypes.c_void_p),
                ("recv_callbacks", ctypes.c_void_p), ("num_send_ops", ctypes.c_size_t), ("num_recv_ops", ctypes.c_size_t),
                ("launch_id", ctypes.c_int32), ("non_donatable", ctypes.c_void_p), ("num_non_donatable", ctypes.c_size_t)]


def _make(name: str, members: list[str]) -> type[ctypes.Structure]:
    fields = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p)]
    for member in members:
        field, _, code = member.partition(":")
        fields.append((field, MemoryLayout if code == "L" else TYPES[code]))
    return type(name, (ctypes.Structure,), {"_fields_": fields})


#: The struct of each function's argument, by the function's name.
STRUCTS = {name: _make(name, rest.split()) for name, rest in (line.split(":", 1) for line in ARGUMENTS.strip().splitlines())}


class Api(ctypes.Structure):
    """The table of functions."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("version_size", ctypes.c_size_t),
                ("version_extension", ctypes.c_void_p), ("major", ctypes.c_int32), ("minor", ctypes.c_int32),
                *((name, ctypes.c_void_p) for name in SLOTS.split())]
