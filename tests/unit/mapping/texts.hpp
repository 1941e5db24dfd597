// Short ways to write and read mappings in tests.
#pragma once

#include <string>

#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/parse.hpp"

inline constexpr tcp::Axes usual_axes =
    *tcp::parse_axes("A = 8, B = 512, C = 13, D = 61, E = 3, N = 5, F = 3, W = 6, Long_axis_name16 = 4, Huge = 4611686018427387904");

/// The mapping, which must be one.
constexpr tcp::Mapping read(std::string_view text) { return *tcp::parse(text, usual_axes); }
/// Its canonical text.
inline std::string canonical(const tcp::Mapping& m) {
  std::string out(tcp::detail::length_of(m), ' ');
  tcp::detail::Into into{out.data()};
  print(into, m);
  return out;
}
inline std::string canonical(std::string_view text) { return canonical(read(text)); }
/// The code with which it is refused, or "".
inline std::string refused(std::string_view text) {
  auto const m = tcp::parse(text, usual_axes);
  return m ? "" : m.refusal().code;
}
inline std::string refused(const tcp::Mapping& m) { return m.ok() ? "" : tcp::refusal_of(m).code; }

constexpr bool holds(const tcp::Mapping& m, std::int64_t i, const tcp::Index& x) {
  tcp::Cell const c = cell(m, i);
  return c.live() && c.index == x;
}
constexpr tcp::Index at(std::string_view a, std::int64_t x) { return tcp::Index{}.add(tcp::Name(a), x); }
constexpr tcp::Index at(std::string_view a, std::int64_t x, std::string_view b, std::int64_t y) { return at(a, x).add(tcp::Name(b), y); }

constexpr tcp::Pad pad_at(const tcp::Mapping& m, std::int64_t i) {
  tcp::Cell const c = cell(m, i);
  return c.kind == tcp::CellKind::padding ? c.pad : tcp::Pad::none;
}
