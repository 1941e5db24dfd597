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

# `cpack -G DEB` in the build folder: tcp-visa, the command with all it reads; libtcp-visa-dev, what programs are compiled with; python3-tcp-visa, the
# Python package, where pybind11 is found; tcp-visa-mpi, the part for several processes, where MPI is found; and tcp-visa-doc, the manual, where there is cmark-gfm to make its pages.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tcp-visa)
set(CPACK_PACKAGE_VENDOR "the tcp-visa project")
set(CPACK_PACKAGE_CONTACT "The packager of tcp-visa <packager@tcp-visa.invalid>" CACHE STRING "who answers for the packages: name and address")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)
if(TCP_CMARK AND Python3_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL documentation)
endif()
if(TCP_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
if(TARGET tcp-mpi)
  list(APPEND CPACK_COMPONENTS_ALL ranks)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # quick; these packages are built more often than they are fetched

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tcp-visa)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "libtcp-visa-dev, tcp-visa-doc, clangd-19, make, cmake")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
    "The tcp command runs, compiles and simulates kernels for the TCP Virtual ISA, explains errors, and shows where the cycles of a kernel went.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtcp-visa-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "tcp-visa (= ${PROJECT_VERSION}), libstdc++-12-dev | libstdc++-dev, libhwy-dev, libtbb-dev, libicu-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "g++ | clang-19, cmake (>= 3.25), pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "Headers and libraries, for kernels, which are compiled as C++20, and for programs that generate them: find_package(TcpVisa), or pkg-config tcp-visa.")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME tcp-visa-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION
    "The manual of tcp-visa as pages with search, to be read without a network: a book, the tools, the lessons, and the reference of API, diagnostics and chips.")
set(CPACK_DEBIAN_RANKS_PACKAGE_NAME tcp-visa-mpi)
set(CPACK_DEBIAN_RANKS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_RANKS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RANKS_PACKAGE_DEPENDS "tcp-visa (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_RANKS_DESCRIPTION
    "What the tcp command becomes when mpirun starts it: chips of a model, and points of a sweep, over the processes of one machine or several.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tcp-visa)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "tcp-visa (= ${PROJECT_VERSION}), python3 (>= ${TCP_PYTHON_VERSION}), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, jupyter-notebook")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
    "The same toolchain for Python: kernels over NumPy arrays, run bit-exactly and timed on the simulated chip, with drawings for notebooks: import tcp_visa.")
include(CPack)
