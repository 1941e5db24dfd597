#include "tcp/ir/module.hpp"

namespace tcp::ir {

namespace {

/// Of the digits and axes, which nearly always tell two mappings apart.
std::uint64_t hash_of(const Mapping& m) {
  std::uint64_t h = 0xcbf29ce484222325u;
  auto const add = [&h](std::uint64_t v) { h = (h ^ v) * 0x100000001b3u; };
  add(static_cast<std::uint64_t>(m.size));
  for (int k = 0; k < m.digits; ++k) {
    add(static_cast<std::uint64_t>(m.digit[k].stride));
    add(static_cast<std::uint64_t>(m.digit[k].size));
    add(static_cast<std::uint64_t>(m.digit[k].slot));
  }
  for (int a = 0; a < m.axes; ++a) add(m.axis[a].name.head ^ m.axis[a].name.tail);
  return h;
}

}  // namespace

MapId Module::intern(const Mapping& m) {
  if (m == maps[0]) return 0;
  std::vector<MapId>& alike = maps_by_hash[hash_of(m)];
  for (MapId id : alike)
    if (map(id) == m) return id;
  maps.push_back(m);
  alike.push_back(static_cast<MapId>(maps.size() - 1));
  return alike.back();
}

Levels Module::levels(const Tensor& t) const {
  Levels l;
  l.set(Level::chip, map(t.chip)).set(Level::cluster, map(t.cluster)).set(Level::slice, map(t.slice));
  return l.set(Level::row, map(t.row)).set(Level::element, map(t.element));
}

Levels Module::levels(const Shape& s) const {
  Levels l;
  l.set(Level::chip, map(s.chip)).set(Level::cluster, map(s.cluster)).set(Level::slice, map(s.slice)).set(Level::row, map(s.row));
  return l.set(Level::time, map(s.time)).set(Level::packet, map(s.packet));
}

}  // namespace tcp::ir
