# A program compiled with the headers of the next minor version does not link with the libraries of this one, and the linker says why.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${work}")
file(READ "${prefix}/include/tcp/support/version.hpp" header)
string(REGEX REPLACE "(#define TCP_VERSION_MINOR) [0-9]+" "\\1 999" header "${header}")
file(WRITE "${work}/include/tcp/support/version.hpp" "${header}")
file(WRITE "${work}/main.cpp" "#include <cstdio>\n#include <tcp/support/version.hpp>\nint main() { std::puts(tcp::library_version()); }\n")

run("${compiler}" -std=c++20 "${work}/main.cpp" "-I${prefix}/include" "-L${prefix}/lib" -ltcp_support -o "${work}/same")
run("${work}/same")
expect("${version}\n")

execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C "${compiler}" -std=c++20 -O2 "${work}/main.cpp" "-I${work}/include" "-L${prefix}/lib" -ltcp_support -o "${work}/other"
                RESULT_VARIABLE result ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "headers and libraries of two versions were linked")
endif()
expect("libraries_of_version<0, 999>")
# The same by CMake: the next minor version is not there.
file(WRITE "${work}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)\nproject(next LANGUAGES CXX)\nfind_package(TcpVisa 0.999 REQUIRED)\n")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${work}" -B "${work}/build" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${compiler}"
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "find_package took another minor version")
endif()
expect("version: ${version}")
