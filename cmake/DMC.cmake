# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How dmc's own libraries, tools and generated files are built.

add_library(dmc_options INTERFACE)
target_compile_options(dmc_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter -fno-semantic-interposition
  # Visible, not fatal: a new version of LLVM deprecates what the next one removes.
  $<$<BOOL:${DMC_WERROR}>:-Werror> -Wno-error=deprecated-declarations
  # Assertions name files relative to the root, wherever it was built.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(DMC_SANITIZE)
  target_compile_options(dmc_options INTERFACE
    -fsanitize=${DMC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(dmc_options INTERFACE -fsanitize=${DMC_SANITIZE})
endif()
target_include_directories(dmc_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)

# Everything that includes an MLIR or LLVM header: no exceptions, RTTI on, as
# the distribution's libraries are built.
add_library(dmc_mlir_options INTERFACE)
target_link_libraries(dmc_mlir_options INTERFACE dmc_options)
target_compile_options(dmc_mlir_options INTERFACE -fno-exceptions)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # A time stamp in the precompiled header would defeat ccache.
  target_compile_options(dmc_mlir_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
if(DMC_UNITY_BUILD)
  # Each file has a DEBUG_TYPE of its own.
  target_compile_options(dmc_mlir_options INTERFACE -Wno-macro-redefined)
endif()
target_include_directories(dmc_mlir_options SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(_dmc_llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_definitions(dmc_mlir_options INTERFACE ${_dmc_llvm_definitions})

set_property(GLOBAL PROPERTY DMC_LIBRARIES "")

# install(TARGETS...), where dmc is not a part of a project that installs itself.
function(dmc_install)
  if(DMC_INSTALL)
    install(TARGETS ${ARGN})
  endif()
endfunction()

# dmc_add_library(NAME [RUNTIME] [FOLDERS folder...] [LINK lib...] [DEPENDS target...] [EXCLUDE file...] [ALONE file...])
# A static library of all .cpp files of the current folder, and of folders in it. RUNTIME: without
# MLIR and LLVM. All other libraries share one precompiled header; with DMC_UNITY_BUILD their files are
# compiled several at once, but for those that are ALONE, whose names would clash with others'.
function(dmc_add_library name)
  cmake_parse_arguments(ARG "RUNTIME" "" "FOLDERS;LINK;DEPENDS;EXCLUDE;ALONE" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(folder ${ARG_FOLDERS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  foreach(file ${ARG_EXCLUDE})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  add_library(DMC::${name} ALIAS ${name})
  if(ARG_RUNTIME)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:dmc_options>)
  else()
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${DMC_UNITY_BUILD})
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:dmc_mlir_options> PUBLIC MLIR LLVM)
    target_precompile_headers(${name} REUSE_FROM dmc_pch)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  # For a project that dmc is a subdirectory of; an installed dmc names its folder itself.
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  if(NOT ARG_RUNTIME)
    target_include_directories(${name} SYSTEM INTERFACE
      "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>" "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
    add_dependencies(${name} dmc-generated ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY DMC_LIBRARIES ${name})
  dmc_install(${name} EXPORT DMCTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# A compiler allocates many small objects: planning and partitioning a transformer of 32 layers takes a sixth less
# time with mimalloc. Sanitizers have allocators of their own.
if(DMC_MIMALLOC AND NOT DMC_SANITIZE)
  find_library(DMC_MIMALLOC_LIBRARY NAMES mimalloc)
endif()

# An executable's sources on MLIR take the precompiled header of the libraries, which is position-independent code,
# not -fPIE.
function(dmc_share_precompiled_header name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM dmc_pch)
endfunction()

# dmc_add_tool(NAME [RUNTIME] [LINK lib...])
function(dmc_add_tool name)
  cmake_parse_arguments(ARG "RUNTIME" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name} ${sources})
  if(ARG_RUNTIME)
    target_link_libraries(${name} PRIVATE dmc_options ${ARG_LINK})
  else()
    if(DMC_MIMALLOC AND DMC_MIMALLOC_LIBRARY AND NOT DMC_SANITIZE)
      # First, and though nothing names it: its malloc stands before that of the C library.
      target_link_libraries(${name} PRIVATE -Wl,--push-state,--no-as-needed ${DMC_MIMALLOC_LIBRARY} -Wl,--pop-state)
    endif()
    target_link_libraries(${name} PRIVATE dmc_mlir_options ${ARG_LINK} MLIR LLVM)
    dmc_share_precompiled_header(${name})
    add_dependencies(${name} dmc-generated)
  endif()
  dmc_install(${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# dmc_tablegen(OUTPUT.inc INPUT.td args...): one generated file beside its
# header's place in the build tree.
add_custom_target(dmc-generated)
function(dmc_tablegen output input)
  set(LLVM_TARGET_DEFINITIONS ${input})
  set(includes ${MLIR_INCLUDE_DIRS})
  list(TRANSFORM includes PREPEND -I)
  mlir_tablegen(${output} ${ARGN} -I${PROJECT_SOURCE_DIR}/include ${includes})
  string(MAKE_C_IDENTIFIER "${CMAKE_CURRENT_BINARY_DIR}/${output}" id)
  add_custom_target(gen_${id} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_dependencies(dmc-generated gen_${id})
endfunction()

# The passes of a stage: declarations from its Passes.td.
function(dmc_passes_tablegen stage)
  dmc_tablegen(Passes.h.inc Passes.td -gen-pass-decls -name ${stage})
endfunction()
