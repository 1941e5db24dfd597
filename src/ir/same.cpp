// Whether two modules say the same, field by field. Mappings are compared by what they are, not by their numbers;
// source locations only where recordings are compared.
#include "tcp/ir/module.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "ir/stage_fields.hpp"
#include "tcp/ir/text.hpp"

namespace tcp::ir {
namespace {

enum class Compared : std::uint8_t { program, recording };

class Comparison {
 public:
  Comparison(const Module& a, const Module& b, Compared what) : a_(a), b_(b), what_(what), same_maps_(a.maps == b.maps) {}

  bool run() const {
    return a_.name == b_.name && a_.chips == b_.chips && a_.numeric == b_.numeric && a_.arguments == b_.arguments &&
           a_.results == b_.results && all(a_.tensors, b_.tensors) && all(a_.commands, b_.commands) && all(a_.regions, b_.regions) &&
           all(a_.tables, b_.tables);
  }

 private:
  template <class T>
  bool all(const std::vector<T>& x, const std::vector<T>& y) const {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [this](const T& p, const T& q) { return same(p, q); });
  }
  template <class T>
  bool maybe(const std::optional<T>& x, const std::optional<T>& y) const {
    return x.has_value() == y.has_value() && (!x || same(*x, *y));
  }
  template <class... Kinds>
  bool either(const std::variant<Kinds...>& x, const std::variant<Kinds...>& y) const {
    if (x.index() != y.index()) return false;
    return std::visit([&](const auto& of_x) { return same(of_x, *std::get_if<std::decay_t<decltype(of_x)>>(&y)); }, x);
  }
  bool map(MapId x, MapId y) const {
    if (same_maps_ && x == y) return true;
    bool const known = a_.maps.has(x) && b_.maps.has(y);
    return known ? a_.map(x) == b_.map(y) : x == y;
  }

  /// Where it was written: of no interest to a program, part of what an error of a recording says.
  bool place(const Where& x, const Where& y) const {
    auto const same_text = [](const char* p, const char* q) { return p == q || std::string_view(p) == q; };
    return what_ == Compared::program ||
           (x.line == y.line && x.column == y.column && same_text(x.file, y.file) && same_text(x.function, y.function));
  }

  // The bindings name every field, so that a new one does not compile until it is compared.
  bool same(MapId x, MapId y) const { return map(x, y); }  // of an optional mapping
  bool same(const ViewOf& x, const ViewOf& y) const {
    auto const& [tensor, kind, dimension, length, start] = x;
    return tensor == y.tensor && kind == y.kind && map(dimension, y.dimension) && length == y.length && start == y.start;
  }
  bool same(const Tensor& x, const Tensor& y) const {
    auto const& [name, memory, type, chip, cluster, slice, row, element, address, trf, role, view, at] = x;
    return name == y.name && memory == y.memory && type == y.type && map(chip, y.chip) && map(cluster, y.cluster) && map(slice, y.slice) &&
           map(row, y.row) && map(element, y.element) && trf == y.trf && role == y.role && maybe(view, y.view) && place(at, y.at) &&
           (address == y.address || (what_ == Compared::recording && role == Role::argument));
  }
  bool same(const Region& x, const Region& y) const {
    auto const& [name, index, inside, kept] = x;
    return name == y.name && index == y.index && inside == y.inside && kept == y.kept;
  }
  bool same(const LookupTable& x, const LookupTable& y) const {
    auto const& [name, from, to, bits] = x;
    return name == y.name && from == y.from && to == y.to && bits == y.bits;
  }
  bool same(const Command& x, const Command& y) const {
    auto const& [what, at, region] = x;
    return either(what, y.what) && region == y.region && place(at, y.at);
  }
  bool same(const Transfer& x, const Transfer& y) const {
    auto const& [kind, source, destination, rows, row_axis, keys, permutation, dimension, length, time, packet] = x;
    return kind == y.kind && source == y.source && destination == y.destination && rows == y.rows && row_axis == y.row_axis &&
           keys == y.keys && permutation == y.permutation && map(dimension, y.dimension) && length == y.length && maybe(time, y.time) &&
           maybe(packet, y.packet);
  }
  bool same(const HostTransfer& x, const HostTransfer& y) const {
    auto const& [source, destination] = x;
    return source == y.source && destination == y.destination;
  }
  bool same(const Memset& x, const Memset& y) const {
    auto const& [destination, word] = x;
    return destination == y.destination && word == y.word;
  }
  bool same(const Pass& x, const Pass& y) const {
    auto const& [context, dual, source, turns, stages] = x;
    return context == y.context && dual == y.dual && source == y.source && turns == y.turns && all(stages, y.stages);
  }
  bool same(const Stage& x, const Stage& y) const {
    auto const& [what, out, at] = x;
    return either(what, y.what) && same(out, y.out) && place(at, y.at);
  }
  bool same(const Shape& x, const Shape& y) const {
    auto const& [type, chip, cluster, slice, row, time, packet] = x;
    return type == y.type && map(chip, y.chip) && map(cluster, y.cluster) && map(slice, y.slice) && map(row, y.row) && map(time, y.time) &&
           map(packet, y.packet);
  }
  /// Records of stages are the same if the fields that stage_fields.hpp describes are.
  template <class Record>
  bool same(const Record& x, const Record& y) const {
    bool all = true;
    each_argument_pair(x, y, [&](const auto& of_x, const auto& of_y) { all = all && same_field(of_x.field, of_y.field); });
    return all;
  }
  template <class Field>
  bool same_field(const Field& x, const Field& y) const {
    return x.value == y.value;
  }
  bool same_field(const MappingField<const MapId>& x, const MappingField<const MapId>& y) const { return map(x.value, y.value); }

  const Module& a_;
  const Module& b_;
  Compared what_;
  bool same_maps_;
};

}  // namespace

bool same_program(const Module& a, const Module& b) { return Comparison(a, b, Compared::program).run(); }
bool same_recording(const Module& a, const Module& b) { return Comparison(a, b, Compared::recording).run(); }

std::uint64_t recording_hash(const Module& module) {
  std::uint64_t hash = 0xcbf29ce484222325;
  auto const mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (char c : module.name) mix(static_cast<unsigned char>(c));
  mix(static_cast<std::uint64_t>(module.chips));
  for (const Tensor& t : module.tensors) {
    mix(static_cast<std::uint64_t>(t.memory) << 8 | static_cast<std::uint64_t>(t.type));
    mix(static_cast<std::uint64_t>(module.map(t.element).size));
    if (t.view) mix(static_cast<std::uint64_t>(t.view->start));
    if (t.address && t.role != Role::argument) mix(static_cast<std::uint64_t>(*t.address));
  }
  for (const Command& c : module.commands) {
    mix(c.what.index());
    mix(c.at.line);
    if (const Pass* pass = std::get_if<Pass>(&c.what)) {
      mix(pass->stages.size());
      for (const Stage& s : pass->stages) mix(s.what.index());
    }
  }
  return hash;
}

}  // namespace tcp::ir
