# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs libraries, headers, tools and the package that find_package(DMC) reads.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/dmc ${PROJECT_SOURCE_DIR}/include/dmc-c ${PROJECT_BINARY_DIR}/include/dmc
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
  PATTERN "CMakeFiles" EXCLUDE)
install(EXPORT DMCTargets NAMESPACE DMC:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/DMC)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/DMCConfig.cmake.in
  ${PROJECT_BINARY_DIR}/DMCConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/DMC
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/DMCConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/DMCConfig.cmake ${PROJECT_BINARY_DIR}/DMCConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/DMC)
