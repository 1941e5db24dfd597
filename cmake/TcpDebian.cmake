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
