// A safetensors file from an input. Lengths are hard to guess, so the input is the header and the elements with a newline between, and the length that stands
// before them in the file is set right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace tcp::fuzz {

inline std::string with_length(std::string_view input) {
  std::size_t const header = std::min(input.find('\n'), input.size());
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(std::uint64_t{header} >> (8 * i) & 0xff);
  file += input.substr(0, header);
  if (header < input.size()) file += input.substr(header + 1);
  return file;
}

}  // namespace tcp::fuzz
