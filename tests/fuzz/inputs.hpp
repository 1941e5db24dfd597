// What fuzz targets make of their input, and what every error must be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "tcp/support/refusal.hpp"

namespace tcp::fuzz {

inline void must(bool holds) {
  if (!holds) __builtin_trap();
}

/// Whole, with a reason and an advice, and fit to be printed, whatever the input was.
inline void check_sentence(const Refusal& r) {
  auto const sentence = r.sentence();
  must(sentence.size() < std::size_t{Text::room} && !r.note.empty() && !r.advice.empty());
  for (char c : sentence.view()) must(c >= ' ' && c <= '~');
}

// A safetensors file from an input. Lengths are hard to guess, so the input is the header and the elements with a newline between, and the length that stands
// before them in the file is set right.

inline std::string with_length(std::string_view input) {
  std::size_t const header = std::min(input.find('\n'), input.size());
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(std::uint64_t{header} >> (8 * i) & 0xff);
  file += input.substr(0, header);
  if (header < input.size()) file += input.substr(header + 1);
  return file;
}

}  // namespace tcp::fuzz
