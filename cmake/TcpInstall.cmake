# The package that find_package(TcpVisa) and pkg-config find: headers, libraries, the tcp command, the chips and the diagnostics pages. Everything belongs to one of
# two components, which are also the two Debian packages: `command` is what a person runs, `development` what a program is compiled with.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/TcpVisa")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/TcpVisaConfig.cmake.in" "${PROJECT_BINARY_DIR}/TcpVisaConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_DATADIR)
# Below 1.0 a minor version may change what users see.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TcpVisaConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TcpVisaConfig.cmake" "${PROJECT_BINARY_DIR}/TcpVisaConfigVersion.cmake" "${CMAKE_CURRENT_LIST_DIR}/TcpTargetChip.cmake"
        DESTINATION "${package_dir}" COMPONENT development)
install(EXPORT TcpVisaTargets NAMESPACE tcp:: DESTINATION "${package_dir}" COMPONENT development)

# The plain name is what a kernel's program needs.
set(requires "tcp-visa-runtime = ${PROJECT_VERSION}")
set(libs "")
tcp_pkg_config(tcp-visa "kernels, and what runs them")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tcp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/chips" DESTINATION "${CMAKE_INSTALL_DATADIR}/tcp" COMPONENT command FILES_MATCHING PATTERN "*.json")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/project" DESTINATION "${CMAKE_INSTALL_DATADIR}/tcp" COMPONENT command)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/diagnostics" DESTINATION "${CMAKE_INSTALL_DATADIR}/tcp" COMPONENT command FILES_MATCHING PATTERN "*.md")
# Where Debian looks for a package's terms; each package has its own.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tcp-visa" RENAME copyright COMPONENT command)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libtcp-visa-dev" RENAME copyright COMPONENT development)
include("${CMAKE_CURRENT_LIST_DIR}/TcpDebian.cmake")
