// An example of the book's sequencer chapter: axes, a buffer, and the Time and Packet that it is read as or written from.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/sequence.hpp"

namespace tcp {

inline void PrintTo(const Entry& e, std::ostream* out) { *out << e.size << " : " << (e.indirect ? "table * " : "") << e.stride; }

namespace book {

using Entries = std::vector<Entry>;

inline Entries entries(const Loops& l) { return {l.entry, l.entry + l.entries}; }

inline Mapping mapping(const Axes& axes, std::string_view text) { return parse(text, axes).value(); }

/// Every buffer position that the loops visit, in order.
inline std::vector<std::int64_t> walk(const Loops& l, const std::int64_t* table = nullptr) {
  std::int64_t rounds = 1;
  for (int k = 0; k < l.entries; ++k) rounds *= l.entry[k].size;
  std::vector<std::int64_t> visited;
  for (std::int64_t i = 0; i < rounds; ++i) visited.push_back(l.at(i, table));
  return visited;
}

struct Example {
  Axes axes;
  Mapping buffer, time, packet;

  Example(std::string_view declared, std::string_view buf, std::string_view time_text, std::string_view packet_text)
      : axes(parse_axes(declared).value()),
        buffer(mapping(axes, buf)),
        time(mapping(axes, time_text)),
        packet(mapping(axes, packet_text)) {}

  Expected<Loops> derive(Access access) const { return derive_loops(buffer, time, packet, {.access = access}); }
  Loops read() const { return derive(Access::read).value(); }
  Loops write() const { return derive(Access::write).value(); }
  Sequence read_as(ScalarType type) const { return sequence(rngd, type, buffer, time, packet).value(); }
};

/// The book's teaching model of a sequencer: a buffer whose positions hold what its mapping says, and streams of values read from and written to it.
/// An element's value is its index; what lies in padding is not ours to know.
class BufTensor {
 public:
  using Value = std::optional<Index>;

  explicit BufTensor(const Mapping& m) : mapping_(m), held_(static_cast<std::size_t>(m.size)) {}

  static BufTensor holding(const Mapping& m) {
    BufTensor t(m);
    for (std::int64_t i = 0; i < m.size; ++i)
      if (Cell const c = cell(m, i); c.live()) t.held_[static_cast<std::size_t>(i)] = c.index;
    return t;
  }

  std::vector<Value> read(const Mapping& time, const Mapping& packet) const {
    auto const loops = derive_loops(mapping_, time, packet).value();
    std::vector<Value> stream;
    for (std::int64_t at : walk(loops)) {
      bool const inside = at >= 0 && at < mapping_.size;  // a read may run over the end, and then brings anything
      stream.push_back(inside ? held_[static_cast<std::size_t>(at)] : Value{});
    }
    return stream;
  }
  void write(const std::vector<Value>& stream, const Mapping& time, const Mapping& packet) {
    auto const loops = derive_loops(mapping_, time, packet, {.access = Access::write}).value();
    std::size_t i = 0;
    for (std::int64_t at : walk(loops)) held_.at(static_cast<std::size_t>(at)) = stream.at(i++);
  }
  /// Whether every live position holds its own element.
  bool is_whole() const { return holds_its_elements(held_, mapping_); }

  static bool holds_its_elements(const std::vector<Value>& values, const Mapping& m) {
    for (std::int64_t i = 0; i < m.size; ++i) {
      Value const& v = values[static_cast<std::size_t>(i)];
      if (Cell const c = cell(m, i); c.live() && !(v && *v == c.index)) return false;
    }
    return true;
  }

 private:
  Mapping mapping_;
  std::vector<Value> held_;
};

/// Reads a full buffer into a stream, checks that each live position of the stream brings the element that it stands for, writes the stream into an empty
/// buffer, and says whether that is then whole.
inline bool round_trip_is_identity(const Example& e) {
  auto const stream = BufTensor::holding(e.buffer).read(e.time, e.packet);
  Mapping const whole = pair(e.time, e.packet);
  if (static_cast<std::int64_t>(stream.size()) != whole.size) return false;
  if (!BufTensor::holds_its_elements(stream, whole)) return false;
  BufTensor back(e.buffer);
  back.write(stream, e.time, e.packet);
  return back.is_whole();
}

}  // namespace book
}  // namespace tcp
