# The package that find_package(tcp) finds: headers, libraries, the tcp command, the chips and the diagnostics pages.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tcp")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/tcpConfig.cmake.in" "${PROJECT_BINARY_DIR}/tcpConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_DATADIR)
# Below 1.0 a minor version may change what users see.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tcpConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tcpConfig.cmake" "${PROJECT_BINARY_DIR}/tcpConfigVersion.cmake" "${CMAKE_CURRENT_LIST_DIR}/TcpTargetChip.cmake"
        DESTINATION "${package_dir}")
install(EXPORT tcpTargets NAMESPACE tcp:: DESTINATION "${package_dir}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tcp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/data/chips")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/chips" DESTINATION "${CMAKE_INSTALL_DATADIR}/tcp" FILES_MATCHING PATTERN "*.json")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/project" DESTINATION "${CMAKE_INSTALL_DATADIR}/tcp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/diagnostics" DESTINATION "${CMAKE_INSTALL_DATADIR}/tcp" FILES_MATCHING PATTERN "*.md")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
