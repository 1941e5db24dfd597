# One compiler call with what pkg-config says, and no CMake: the program of `tcp new`, and one that calls the kernel library.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")
set(ENV{PKG_CONFIG_PATH} "${prefix}/lib/pkgconfig")
run(pkg-config --modversion tcp-visa)
expect("${version}")

function(compile_with package source program)
  run(pkg-config --cflags --libs ${package})
  separate_arguments(flags UNIX_COMMAND "${output}")
  run("${compiler}" -std=c++20 -O1 "${source}" ${flags} -o "${work}/${program}")
  run("${work}/${program}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("${prefix}/bin/tcp" new "${work}/hello")
compile_with(tcp-visa "${work}/hello/main.cpp" kernel)
expect("OK: 2048 elements match")
compile_with(tcp-visa-kernels "${consumer}/caller.cpp" caller)
expect("2048 cycles, bound by multiply-adds")

# The consumer's compiler is told one folder.
run(pkg-config --cflags-only-I tcp-visa-mapping tcp-visa-kernels)
separate_arguments(told UNIX_COMMAND "${output}")
file(REAL_PATH "${prefix}/include" include)
string(REPLACE "-I" "" told "${told}")
file(REAL_PATH "${told}" told)
if(NOT told STREQUAL include)
  message(FATAL_ERROR "pkg-config tells more than one folder: ${output}")
endif()

# A stranger has another compiler, or a younger language.
find_program(clang clang++-19)
foreach(other IN ITEMS "${compiler};-std=c++23" "${clang};-std=c++20" "${clang};-std=c++23")
  list(GET other 0 program)
  if(program)
    run(${other} -fsyntax-only -Wall -Wextra -Werror "-I${include}" "${consumer}/caller.cpp")
  endif()
endforeach()

# Who has none of the old headers' libraries in his language mode is told what to do.
execute_process(COMMAND "${compiler}" -std=c++17 -fsyntax-only "-I${include}" -include tcp/support/version.hpp -x c++ /dev/null ERROR_VARIABLE output)
expect("tcp needs C++20: compile with -std=c++20")
