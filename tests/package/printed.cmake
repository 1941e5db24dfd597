# What `tcp compile --emit cpp` prints needs the installed package alone, and runs to the bits that `tcp run` has for the kernel in Rust. The first kernel is that of the
# manual's page, which says so.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")
set(ENV{PKG_CONFIG_PATH} "${prefix}/lib/pkgconfig")
run(pkg-config --cflags --libs tcp-visa tcp-visa-io)
separate_arguments(flags UNIX_COMMAND "${output}")

file(READ "${source}/docs/coming-from-rust.md" page)
if(NOT page MATCHES "```rust kernels\\.rs\n([^`]+)\n```")
  message(FATAL_ERROR "docs/coming-from-rust.md has no kernels.rs")
endif()
file(WRITE "${work}/kernels.rs" "${CMAKE_MATCH_1}")

# printed(FILE KERNEL ARGUMENTS SHAPES): arguments by the names that the source gives them, and their shapes, with the result's.
function(printed file kernel arguments shapes)
  set(here "${work}/${kernel}")
  file(MAKE_DIRECTORY "${here}")
  run("${prefix}/bin/tcp" compile "${file}" --kernel ${kernel} --emit cpp -o "${here}/kernel.cpp")
  run("${compiler}" -std=c++20 -O1 -Wall -Wextra -Werror "-DPRINTED=\"${here}/kernel.cpp\"" -DKERNEL=kernels::${kernel} "${consumer}/printed.cpp" ${flags} -o "${here}/program")
  run("${CMAKE_COMMAND}" -E chdir "${here}" ./program ${shapes})
  set(given)
  foreach(argument IN LISTS arguments)
    list(LENGTH given words)
    math(EXPR number "${words} / 2")
    list(APPEND given --in "${argument}=${here}/argument${number}.npy")
  endforeach()
  run("${prefix}/bin/tcp" run "${file}" --kernel ${kernel} ${given} --out "result=${here}/in_rust.npy")
  run("${CMAKE_COMMAND}" -E compare_files "${here}/result.npy" "${here}/in_rust.npy")
endfunction()

set(corpus "${source}/tests/rust/corpus")
printed("${work}/kernels.rs" relu_twice x "2048;2048")
printed("${corpus}/helpers.rs" scale_and_add "x;y" "2048;2048;2048")
printed("${corpus}/lessons.rs" gemm "a;b" "512x64;512x64;512x512")
