// Sets of slices as people write them: 0-15,32.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "tcp/program/program.hpp"

namespace tcp::program {

inline constexpr std::int64_t slices_in_a_set = 256;

/// Ascending, neighbours joined; nothing for the empty set.
inline std::string ranges_of(const SliceSet& set) {
  std::string out;
  for (std::int64_t s = 0; s < slices_in_a_set; ++s) {
    if (!set.contains(s)) continue;
    std::int64_t last = s;
    while (last + 1 < slices_in_a_set && set.contains(last + 1)) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(s) + (last > s ? "-" + std::to_string(last) : "");
    s = last;
  }
  return out;
}

/// Law: accepts exactly what ranges_of writes.
inline bool read_ranges(std::string_view text, SliceSet& set) {
  SliceSet read;
  for (const char *at = text.data(), *const end = at + text.size(); at != end;) {
    std::int64_t first = 0, last = 0;
    at = std::from_chars(at, end, first).ptr;
    last = first;
    if (at != end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    if (first < 0 || last >= slices_in_a_set) return false;
    for (; first <= last; ++first) read.insert(first);
    if (at == end) break;
    if (*at != ',') return false;
    ++at;
  }
  set = read;
  return ranges_of(read) == text;
}

}  // namespace tcp::program
