# The package that find_package(TcpVisa) and pkg-config find: headers, libraries, the tcp command, the chips and the diagnostics pages. Everything belongs to one of
# four components, which are also the Debian packages: `command` is what a person runs, `development` what a program is compiled with, `python` the Python package,
# `documentation` the manual as pages, which is installed only where it is asked for, or packaged.
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

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tcp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/chips" DESTINATION "${CMAKE_INSTALL_DATADIR}/tcp" COMPONENT command FILES_MATCHING PATTERN "*.json")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/project" DESTINATION "${CMAKE_INSTALL_DATADIR}/tcp" COMPONENT command)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/diagnostics" "${PROJECT_SOURCE_DIR}/docs/findings" DESTINATION "${CMAKE_INSTALL_DATADIR}/tcp" COMPONENT command FILES_MATCHING PATTERN "*.md")
# Where Debian looks for a package's terms; each package has its own.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tcp-visa" RENAME copyright COMPONENT command)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libtcp-visa-dev" RENAME copyright COMPONENT development)
if(TARGET tcp-mpi)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tcp-visa-mpi" RENAME copyright COMPONENT ranks)
  install(FILES "${PROJECT_BINARY_DIR}/changelog.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tcp-visa-mpi" COMPONENT ranks)
endif()
if(TCP_PYTHON)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/python3-tcp-visa" RENAME copyright COMPONENT python)
endif()
find_program(TCP_GZIP gzip REQUIRED)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
execute_process(COMMAND "${TCP_GZIP}" -9nc "${PROJECT_SOURCE_DIR}/CHANGELOG.md" OUTPUT_FILE "${PROJECT_BINARY_DIR}/changelog.gz" COMMAND_ERROR_IS_FATAL ANY)
install(FILES "${PROJECT_BINARY_DIR}/changelog.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tcp-visa" COMPONENT command)
install(FILES "${PROJECT_BINARY_DIR}/changelog.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libtcp-visa-dev" COMPONENT development)
if(TCP_PYTHON)
  install(FILES "${PROJECT_BINARY_DIR}/changelog.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/python3-tcp-visa" COMPONENT python)
endif()

# The pages are made where they are to lie; that takes seconds.
find_program(TCP_CMARK cmark-gfm)
find_package(Python3 QUIET COMPONENTS Interpreter)
if(TCP_CMARK AND Python3_FOUND)
  set(pages_made "\"${Python3_EXECUTABLE}\" -B \"${PROJECT_SOURCE_DIR}/scripts/manual\" -o \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/doc/tcp-visa/html\"")
  install(CODE "execute_process(COMMAND ${pages_made} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT documentation EXCLUDE_FROM_ALL)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tcp-visa-doc" RENAME copyright COMPONENT documentation EXCLUDE_FROM_ALL)
  install(FILES "${PROJECT_BINARY_DIR}/changelog.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tcp-visa-doc" COMPONENT documentation EXCLUDE_FROM_ALL)
endif()
include("${CMAKE_CURRENT_LIST_DIR}/TcpDebian.cmake")
