# tcp_target_chip(TARGET CHIP_FILE): compiles TARGET for the chip of that file instead of RNGD.
#
#   find_package(TcpVisa REQUIRED)
#   add_executable(my_kernels my_kernels.cpp)
#   target_link_libraries(my_kernels PRIVATE tcp::runtime)
#   tcp_target_chip(my_kernels my_chip.json)        # start from a copy of data/chips/rngd.json
#
# At build time the file is read by the library that also reads it at run time, so a mistake in it is refused by line and key, and becomes the
# header that <tcp/device/target.hpp> includes. All targets that are linked into one program must be given the same chip.

# The program that makes the header; built when the first target asks for it.
function(_tcp_chip_header_program)
  if(TARGET tcp_chip_header)
    return()
  endif()
  set(source "${CMAKE_BINARY_DIR}/tcp_chip_header.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
#include <fstream>
#include <iostream>

#include "tcp/device/load.hpp"
#include "tcp/support/render.hpp"

int main(int, char** argv) {
  auto const device = tcp::load_device(argv[1]);
  if (!device) {
    std::cerr << tcp::render(device.refusal()) << '\n';
    return 1;
  }
  std::ofstream out(argv[2]);
  out << tcp::to_header(*device);
  return out.flush() ? 0 : 1;
}
]])
  add_executable(tcp_chip_header EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(tcp_chip_header PRIVATE tcp::device)
endfunction()

function(tcp_target_chip target chip_file)
  cmake_path(ABSOLUTE_PATH chip_file NORMALIZE)
  if(NOT EXISTS "${chip_file}")
    message(FATAL_ERROR "tcp_target_chip: there is no ${chip_file}; start from a copy of data/chips/rngd.json")
  endif()
  _tcp_chip_header_program()
  set(header "${CMAKE_CURRENT_BINARY_DIR}/${target}_target_chip.hpp")
  add_custom_command(OUTPUT "${header}" COMMAND tcp_chip_header "${chip_file}" "${header}" DEPENDS "${chip_file}" tcp_chip_header
                     COMMENT "Reading the chip of ${target} from ${chip_file}" VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_compile_definitions(${target} PRIVATE "TCP_TARGET_CHIP=\"${header}\"")
endfunction()
