// Where correct rounding of the elementary functions is hardest to decide.
#pragma once

#include <cstdint>
#include <vector>

#include "tcp/scalar/elementary.hpp"

namespace tcp {

/// Found by trying all inputs: those whose value lies nearest to the middle between two numbers, nearest first (2^-76 for the sigmoid of -2^-24).
struct HardOperands {
  Elementary f;
  std::vector<std::uint32_t> x;
};
inline const HardOperands hardest_operands[] = {
    {Elementary::exp,
     {0xc16912cd, 0x377eff81, 0xb3000000, 0xbae0e25c, 0xbbf0edf1, 0x343fffff, 0x34dffffd, 0x356ffff9, 0x35f7fff1, 0x367bffe1, 0x36fdffc1,
      0x383a3ef1}},
    {Elementary::tanh,
     {0x3ac37de2, 0x3cd41b91, 0x3eee0566, 0x40acb4d0, 0x3adbc904, 0x3bc8b605, 0x3c96ae2e, 0x3d7c3055, 0x3ef6afee, 0x3f20b67f, 0x3f97fbc7,
      0x3ff8bc7e}},
    {Elementary::sigmoid,
     {0xb3800000, 0x34000000, 0xb4400000, 0x34c00000, 0xb4a00000, 0xb4e00000, 0x35200000, 0xb5100000, 0x35600000, 0xb5300000, 0x35900000,
      0xb5500000}},
    {Elementary::erf, {0x3940ead6, 0x39c0057d, 0x358e9d2d, 0x36aea466, 0x00aa320c, 0x012a320c}},
    {Elementary::log,
     {0x65d890d3, 0x4c5d65a5, 0x4d604ebe, 0x1f116ab8, 0x41178feb, 0x66a8c860, 0x3c413d3a, 0x6f31a8ec, 0x0dc8bba4, 0x38dcbe38, 0x3bf86ef0,
      0x4665a9a6}},
    {Elementary::sin,
     {0x46199998, 0x73243f06, 0x55cafb2a, 0x67a9242b, 0x4371ade3, 0x5dadd689, 0x5f208d82, 0x61dfc847, 0x6446cec0, 0x79d1f6d3, 0x7a5aacdb,
      0x3dcf5597}},
    {Elementary::cos,
     {0x59443c0a, 0x5f18b878, 0x6115cb11, 0x7a4b1a27, 0x3c107fe6, 0x5922aa80, 0x61703976, 0x7908cd73, 0x39800000, 0x424790ce, 0x55e5235d,
      0x3a544395}},
};

}  // namespace tcp
