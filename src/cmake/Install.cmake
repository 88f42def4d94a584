# What `cmake --install` puts where: the program, the library with its headers, the licence.
include(CMakePackageConfigHelpers)

if(ROOFLINE_CLI)
  install(TARGETS roofline RUNTIME)
endif()
install(TARGETS roofline_core EXPORT roofline_targets ARCHIVE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/roofline" TYPE INCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" TYPE DOC)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/roofline")
install(EXPORT roofline_targets NAMESPACE roofline:: FILE roofline-targets.cmake
  DESTINATION "${config_dir}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/roofline-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/roofline-config.cmake" CONTENT
"include(CMakeFindDependencyMacro)
find_dependency(fmt 9.0)
find_dependency(yaml-cpp 0.7)
include(\"\${CMAKE_CURRENT_LIST_DIR}/roofline-targets.cmake\")
" @ONLY)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/roofline-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/roofline-config-version.cmake"
  DESTINATION "${config_dir}")
