// tcp::target: the device that rules see while a kernel compiles. RNGD, unless the build says otherwise:
//
//   tcp_target_chip(my_kernels my_chip.json)      # CMake: makes a header of the chip file and defines TCP_TARGET_CHIP as its name
//
// A program has one target: all files of it are compiled for the same chip. The device that a program runs on is
// checked again at run time.
#pragma once

#ifdef TCP_TARGET_CHIP
#include TCP_TARGET_CHIP
#else

#include "tcp/device/chips.hpp"

namespace tcp {

inline constexpr const Device& target = rngd;

}  // namespace tcp

#endif
