// A program of one command, and files with any body under a right header.
#pragma once

#include <initializer_list>
#include <vector>

#include "tcp/program/encode.hpp"

namespace tcp_refuse {

inline tcp::program::Program small_program() {
  tcp::program::Itos itos;
  itos.units.chips = {true};
  itos.units.clusters = 1;
  itos.units.slices.insert(0);
  tcp::program::Program p;
  p.name = "small";
  p.chip = "rngd";
  p.commands.push_back({itos, bit(tcp::program::Resource::Sub), {}, {}, -1});
  return p;
}

/// A program with a right header and wrong records.
inline std::vector<std::byte> sealed(std::initializer_list<int> body) {
  std::vector<std::byte> file = tcp::program::encode({});
  file.resize(24);
  std::uint32_t crc = ~0u;
  for (int b : body) {
    file.push_back(static_cast<std::byte>(b));
    crc ^= static_cast<std::uint32_t>(b);
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
  }
  for (std::size_t i = 0; i < 4; ++i) file[12 + i] = static_cast<std::byte>(~crc >> (8 * i));
  for (std::size_t i = 0; i < 8; ++i) file[16 + i] = static_cast<std::byte>(body.size() >> (8 * i));
  return file;
}

}  // namespace tcp_refuse
